"""What changed since the report before."""

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.config import MaterialityConfig
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import EventType, Impact, Leaning, ViewKind
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import (
    Coverage,
    MarketReport,
    MissingMarket,
    ReportedEvent,
    ResearchReport,
)
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.sections.changes import MOST_CHANGES, changes_between
from desk.trust.prose.gate import rejected_figures
from desk.trust.prose.references import render
from tests.support.documents.report_outcomes import direction
from tests.support.documents.reports import sample_report

AFTER = sample_report()
BEFORE = AFTER.model_copy(
    update={"week": "2026-W37", "as_of": AFTER.as_of - timedelta(days=7), "revision": 3}
)
MATERIALITY = MaterialityConfig(level=1.0, rate=1.0, confidence=0.15)

Edit = Callable[[MarketReport], MarketReport]


def edited(report: ResearchReport, market: str, edit: Edit) -> ResearchReport:
    sections = tuple(edit(s) if s.market == market else s for s in report.markets)
    return report.model_copy(update={"markets": sections})


def valued(name: str, value: str) -> Edit:
    """Another value for one claim."""

    def claim(claim: Claim) -> Claim:
        return (
            claim.model_copy(update={"value": Decimal(value)}) if claim.claim_id == name else claim
        )

    return lambda section: section.model_copy(
        update={"claims": tuple(claim(c) for c in section.claims)}
    )


def setting(**fields: object) -> Edit:
    return lambda section: section.model_copy(update=fields)


def changes(before: ResearchReport = BEFORE, after: ResearchReport = AFTER) -> Changes:
    return changes_between(before, after, MATERIALITY)


def only(found: Changes) -> Change:
    (change,) = found.entries
    return change


def test_the_same_figures_are_no_material_change() -> None:
    assert changes() == Changes(against="2026-W37", against_revision=3)


def test_without_an_earlier_report_the_note_says_so() -> None:
    found = changes_between(None, AFTER, MATERIALITY)
    assert found.against is None
    assert found.note == "There is no earlier report to compare with."


@pytest.mark.parametrize(
    "other",
    [
        AFTER,
        BEFORE.model_copy(update={"week": "2026-W39"}),
        BEFORE.model_copy(update={"as_of": AFTER.as_of}),
        BEFORE.model_copy(update={"as_of": AFTER.as_of + timedelta(days=7)}),
    ],
)
def test_a_report_that_is_not_earlier_is_never_compared_with(other: ResearchReport) -> None:
    found = changes(edited(other, "USD/JPY", valued("USD/JPY:last", "100.00")))
    assert found.entries == ()
    assert found.against is None
    assert found.note is not None


def test_a_level_that_moved_by_more_than_the_threshold_is_told_with_both_figures() -> None:
    change = only(changes(edited(BEFORE, "USD/JPY", valued("USD/JPY:last", "142.00"))))
    assert (change.kind, change.market, change.claim_id) == (
        ChangeKind.LEVEL,
        "USD/JPY",
        "USD/JPY:last",
    )
    assert (change.before, change.after) == (Decimal("142.00"), Decimal("144.33"))
    assert change.unit is Unit.LEVEL
    assert change.prose == "USD/JPY is above its level in the earlier report, at [[USD/JPY:last]]."
    assert change.text == "USD/JPY is above its level in the earlier report, at 144.33."


def test_a_level_that_moved_by_less_is_no_change() -> None:
    assert changes(edited(BEFORE, "USD/JPY", valued("USD/JPY:last", "143.00"))).entries == ()


def test_a_policy_rate_that_changed_is_told_once_for_its_area() -> None:
    change = only(changes(edited(BEFORE, "KR", valued("KR:policy_rate", "2.50"))))
    assert (change.kind, change.market) == (ChangeKind.RATE, "KR")
    assert change.text == "The policy rate of KR is higher than in the earlier report, at 2.75 %."
    assert change.before == Decimal("2.50")


def test_a_view_that_turned_is_told_with_what_it_rests_on() -> None:
    before = edited(BEFORE, "USD/JPY", setting(views=(direction("USD/JPY", Leaning.UP),)))
    change = only(changes(before))
    assert change.kind is ChangeKind.STANCE
    assert change.text == "The direction of USD/JPY turned from rising to falling (-1.02 %)."


def test_a_direction_that_turned_on_a_small_move_is_no_change() -> None:
    before = edited(BEFORE, "EUR/USD", setting(views=(direction("EUR/USD", Leaning.UP),)))
    assert changes(before).entries == ()


def test_a_stance_that_turned_counts_whatever_moved() -> None:
    stances = {
        leaning: direction("JP", leaning).model_copy(
            update={"kind": ViewKind.STANCE, "claims": ("JP:decision_change@2026-09-18",)}
        )
        for leaning in (Leaning.NEUTRAL, Leaning.UP)
    }
    before = edited(BEFORE, "JP", setting(views=(stances[Leaning.NEUTRAL],)))
    after = edited(AFTER, "JP", setting(views=(stances[Leaning.UP],)))
    change = only(changes(before, after))
    turned = "turned from on hold to tightening (+25 bp)."
    assert change.text == f"The stance of the Bank of Japan {turned}"


def test_the_surest_view_is_the_one_that_is_compared() -> None:
    views = (
        direction("USD/JPY", Leaning.UP, 0.4),
        direction("USD/JPY", Leaning.ABSTAINS, 1.0),
        direction("USD/JPY", Leaning.DOWN, 0.6),
    )
    assert changes(edited(BEFORE, "USD/JPY", setting(views=views))).entries == ()


def test_a_view_of_something_new_has_not_turned() -> None:
    stance = direction("USD/JPY", Leaning.UP).model_copy(update={"kind": ViewKind.STANCE})
    assert changes(edited(BEFORE, "USD/JPY", setting(views=(stance,)))).entries == ()


def test_a_decision_that_the_earlier_report_did_not_have_is_news() -> None:
    change = only(changes(edited(BEFORE, "JP", setting(events=()))))
    assert (change.kind, change.market) == (ChangeKind.EVENT, "JP")
    assert change.claim_id == "JP:decision_rate@2026-09-18"
    assert (change.before, change.after) == (None, Decimal("1.25"))
    assert change.text == "Bank of Japan moved its policy rate +25 bp, at 1.25 %."


def test_a_decision_that_both_windows_hold_is_no_news() -> None:
    (event,) = next(s for s in AFTER.markets if s.market == "JP").events
    told = event.model_copy(update={"event_id": "other", "market": "USD/JPY"})
    assert changes(edited(BEFORE, "USD/JPY", setting(events=(told,)))).entries == ()


def test_a_decision_that_several_markets_tell_of_is_told_once() -> None:
    (event,) = next(s for s in AFTER.markets if s.market == "JP").events
    told = event.model_copy(update={"event_id": "other", "market": "USD/JPY"})
    after = edited(AFTER, "USD/JPY", setting(events=(told,)))
    assert only(changes(edited(BEFORE, "JP", setting(events=())), after)).market == "JP"


def with_event(impact: Impact, kind: EventType) -> ResearchReport:
    event = ReportedEvent(
        event_id="told",
        event_type=kind,
        market="EUR/USD",
        currency_pair="EUR/USD",
        event_date=date(2026, 9, 18),
        description="EUR/USD broke out. It stands at [[EUR/USD:last]].",
        impact=impact,
        text="EUR/USD broke out. It stands at 1.1658.",
    )
    return edited(AFTER, "EUR/USD", setting(events=(event,)))


@pytest.mark.parametrize(
    ("impact", "kind", "told"),
    [
        (Impact.HIGH, EventType.FX_MOVEMENT, ["EUR/USD broke out: a larger move than most."]),
        (Impact.HIGH, EventType.ECONOMIC_DATA, ["EUR/USD broke out."]),
        (Impact.MEDIUM, EventType.FX_MOVEMENT, []),
        (Impact.HIGH, EventType.SCHEDULED_DECISION, []),
    ],
)
def test_only_decisions_and_high_impact_events_are_news_and_scheduled_days_never(
    impact: Impact, kind: EventType, told: list[str]
) -> None:
    found = changes(after=with_event(impact, kind))
    assert [change.text for change in found.entries] == told


@pytest.mark.parametrize(("before", "told"), [(0.75, True), (0.76, False), (1.0, False)])
def test_confidence_that_changed_by_the_threshold_is_told(before: float, told: bool) -> None:
    found = changes(edited(BEFORE, "USD/JPY", setting(confidence=before)))
    assert [change.kind for change in found.entries] == [ChangeKind.CONFIDENCE] * told
    if told:
        change = only(found)
        assert (change.before, change.after) == (Decimal("0.75"), Decimal("0.9"))
        assert change.text == "Confidence in USD/JPY is higher than in the earlier report."


def test_figures_of_another_origin_are_told() -> None:
    other = tuple(
        source.model_copy(update={"origin": "Federal Reserve Board"})
        if source.evidence_id == "USD/JPY/get_historical"
        else source
        for source in BEFORE.sources
    )
    change = only(changes(BEFORE.model_copy(update={"sources": other})))
    assert change.kind is ChangeKind.SOURCE
    assert change.text == (
        "The figures of USD/JPY rest on European Central Bank, and before on Federal Reserve Board."
    )


def missing(report: ResearchReport, *markets: str) -> ResearchReport:
    lines = tuple(MissingMarket(market=market, reason="no source") for market in markets)
    coverage = report.coverage.model_copy(update={"missing": lines})
    return report.model_copy(update={"coverage": Coverage.model_validate(coverage)})


def test_a_market_that_went_missing_and_one_that_came_back_are_told() -> None:
    found = changes(missing(BEFORE, "USD/JPY", "USD/TWD"), missing(AFTER, "USD/KRW", "USD/TWD"))
    assert {(change.kind, change.text) for change in found.entries} == {
        (
            ChangeKind.COVERAGE,
            "USD/JPY was missing from the earlier report and is in this one.",
        ),
        (
            ChangeKind.COVERAGE,
            "USD/KRW is missing from this report and was in the earlier one.",
        ),
    }


def test_a_market_that_the_earlier_report_was_not_to_cover_is_not_compared() -> None:
    fewer = tuple(s for s in BEFORE.markets if s.market != "JP")
    before = BEFORE.model_copy(update={"markets": fewer})
    assert {change.kind for change in changes(before).entries} == {ChangeKind.EVENT}


def test_rates_come_before_levels_and_the_larger_level_before_the_smaller() -> None:
    before = edited(BEFORE, "KR", valued("KR:policy_rate", "2.50"))
    before = edited(before, "EUR/USD", valued("EUR/USD:last", "1.1500"))
    before = edited(before, "USD/JPY", valued("USD/JPY:last", "130.00"))
    told = [(change.kind, change.market) for change in changes(before).entries]
    assert told == [
        (ChangeKind.RATE, "KR"),
        (ChangeKind.LEVEL, "USD/JPY"),
        (ChangeKind.LEVEL, "EUR/USD"),
    ]


@given(
    level=st.decimals(min_value="0.0001", max_value="999999", places=4),
    rate=st.decimals(min_value=-5, max_value=50, places=3),
    confidence=st.floats(min_value=0, max_value=1),
)
def test_every_change_prints_what_its_prose_gives_and_types_no_figure(
    level: Decimal, rate: Decimal, confidence: float
) -> None:
    before = edited(BEFORE, "USD/JPY", valued("USD/JPY:last", str(level)))
    before = edited(before, "KR", valued("KR:policy_rate", str(rate)))
    before = edited(before, "EUR/USD", setting(confidence=confidence))
    claims = printed_claims(AFTER)
    for change in changes(before).entries:
        assert change.text == render(change.prose, claims)
        assert rejected_figures(change.prose, claims) == ()


def test_the_worst_week_fits_and_says_what_is_left_out() -> None:
    (event,) = next(s for s in AFTER.markets if s.market == "JP").events
    many = tuple(
        event.model_copy(
            update={
                "event_type": EventType.ECONOMIC_DATA,
                "impact": Impact.HIGH,
                "description": f"Reading {'x' * number} surprised." * 1,
            }
        )
        for number in range(MOST_CHANGES + 7)
    )
    found = changes(after=edited(AFTER, "JP", setting(events=many)))
    assert Changes.model_validate(found.model_dump()) == found
    assert len(found.entries) == MOST_CHANGES
    assert found.note == "7 changes of lesser importance are not listed."


def test_a_stance_follows_the_leaning_that_a_conflict_was_decided_for() -> None:
    conflict = AFTER.conflicts[0].model_copy(
        update={
            "conflict_id": "USD/JPY/conflict/USD/JPY:direction",
            "chosen": Leaning.UP.value,
            "resolved": True,
        }
    )
    both = (direction("USD/JPY", Leaning.DOWN, 0.9), direction("USD/JPY", Leaning.UP, 0.5))
    after = edited(AFTER, "USD/JPY", setting(views=both))
    after = after.model_copy(update={"conflicts": (conflict,)})
    assert "from falling to rising" in only(changes(after=after)).text


def test_metrics_other_than_the_last_level_are_not_levels_that_changed() -> None:
    names = [c.claim_id for s in BEFORE.markets for c in s.claims if c.metric is Metric.YEAR_HIGH]
    before = BEFORE
    for name in names:
        before = edited(before, name.partition(":")[0], valued(name, "1.0"))
    assert changes(before).entries == ()
