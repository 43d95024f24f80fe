"""What does not fit across markets."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import EventType, Impact
from desk.contracts.findings.verdicts import CrossCheck, CrossCheckKind
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import MarketReport, ReportedEvent
from desk.programs.week.document.sections.cross_checks import (
    CrossMarketCase,
    contested_by,
    cross_checks_of,
)
from desk.trust.prose.gate import rejected_figures
from tests.support.documents.report_outcomes import LAST_FIXING, WINDOW, pair_spec, rate_spec
from tests.support.documents.reports import sample_config

PAIRS = ("EUR/USD", "USD/JPY", "EUR/JPY")


def claim(
    subject: str, metric: Metric, value: str, day: date = LAST_FIXING, source: str = "ecb"
) -> Claim:
    units = {
        Metric.LAST: Unit.LEVEL,
        Metric.Z_SCORE: Unit.STANDARD_DEVIATIONS,
        Metric.POLICY_RATE: Unit.PERCENT_A_YEAR,
        Metric.DECISION_RATE: Unit.PERCENT_A_YEAR,
    }
    dated = day if metric is Metric.DECISION_RATE else None
    return Claim(
        claim_id=claim_id(subject, metric, dated),
        subject=subject,
        metric=metric,
        value=Decimal(value),
        unit=units[metric],
        as_of=day,
        evidence=(source,),
    )


def source(name: str, origin: str) -> DataSource:
    return DataSource(
        server=name,
        tool="get_historical",
        name=name,
        tier=SourceTier.AUTHORITATIVE,
        origin=origin,
        evidence_id=name,
    )


def checks(*claims: Claim, events: tuple[ReportedEvent, ...] = ()) -> tuple[CrossCheck, ...]:
    areas = {"EUR/USD": ("XM", "US"), "USD/JPY": ("US", "JP"), "EUR/JPY": ("XM", "JP")}
    markets = (
        *(pair_spec(pair, MarketGroup.G10, *areas[pair]) for pair in PAIRS),
        rate_spec("JP", MarketGroup.G10),
    )
    section = MarketReport(
        market="USD/JPY",
        kind=markets[1].kind,
        group=MarketGroup.G10,
        outcome=Outcome.RESEARCHED,
        events=events,
    )
    return cross_checks_of(
        CrossMarketCase(
            config=sample_config().model_copy(update={"markets": markets}),
            window=WINDOW,
            claims={claim.claim_id: claim for claim in claims},
            sections=(section,),
            sources=(source("ecb", "European Central Bank"), source("board", "Federal Reserve")),
        )
    )


def event(kind: EventType, day: date = LAST_FIXING, area: str | None = None) -> ReportedEvent:
    return ReportedEvent(
        event_id="told",
        event_type=kind,
        market="USD/JPY",
        area=area,
        event_date=day,
        description="Something happened.",
        impact=Impact.MEDIUM,
        text="Something happened.",
    )


def triangle(euro: str, yen: str, cross: str) -> tuple[Claim, Claim, Claim]:
    return (
        claim("EUR/USD", Metric.LAST, euro),
        claim("USD/JPY", Metric.LAST, yen),
        claim("EUR/JPY", Metric.LAST, cross),
    )


def test_levels_of_one_fixing_that_multiply_out_are_no_remark() -> None:
    assert checks(*triangle("1.1658", "144.33", "168.26")) == ()


def test_a_triangle_that_does_not_close_contests_its_three_levels() -> None:
    found = checks(*triangle("1.1658", "144.33", "168.62"))
    (check,) = found
    assert check.kind is CrossCheckKind.TRIANGLE
    assert set(check.claims) == {f"{pair}:last" for pair in PAIRS}
    assert check.text.startswith("EUR/JPY at 168.62, EUR/USD at 1.1658 and USD/JPY at 144.33 do")
    assert set(contested_by(found)) == set(check.claims)


@given(
    euro=st.decimals(min_value="0.2", max_value=5, places=8),
    yen=st.decimals(min_value="50", max_value=300, places=8),
)
def test_rounding_alone_never_opens_a_triangle(euro: Decimal, yen: Decimal) -> None:
    printed = (
        str(euro.quantize(Decimal("0.0001"))),
        str(yen.quantize(Decimal("0.01"))),
        str((euro * yen).quantize(Decimal("0.01"))),
    )
    assert checks(*triangle(*printed)) == ()


@given(
    euro=st.decimals(min_value="0.5", max_value=2, places=8),
    yen=st.decimals(min_value="80", max_value=200, places=8),
    off=st.integers(min_value=-500, max_value=500),
)
def test_a_level_off_by_more_than_rounding_always_opens_it(
    euro: Decimal, yen: Decimal, off: int
) -> None:
    assume(abs(off) > 10)
    wrong = (euro * yen).quantize(Decimal("0.01")) * (1 + Decimal(off) / 10_000)
    printed = (
        str(euro.quantize(Decimal("0.0001"))),
        str(yen.quantize(Decimal("0.01"))),
        str(wrong.quantize(Decimal("0.01"))),
    )
    assert [check.kind for check in checks(*triangle(*printed))] == [CrossCheckKind.TRIANGLE]


def test_levels_of_different_days_make_no_triangle() -> None:
    euro, yen, _ = triangle("1.1658", "144.33", "0.01")
    older = claim("EUR/JPY", Metric.LAST, "100.00", date(2026, 9, 17))
    assert checks(euro, yen, older) == ()


def test_levels_of_different_fixing_hours_may_differ_by_more() -> None:
    euro, yen, _ = triangle("1.1658", "144.33", "0.01")
    near = claim("EUR/JPY", Metric.LAST, "169.50", source="board")
    far = claim("EUR/JPY", Metric.LAST, "172.50", source="board")
    assert checks(euro, yen, near) == ()
    assert len(checks(euro, yen, far)) == 1


def test_a_decision_that_the_policy_rate_does_not_show_is_a_remark() -> None:
    decision = claim("JP", Metric.DECISION_RATE, "1.25")
    (check,) = checks(decision, claim("JP", Metric.POLICY_RATE, "1.00"))
    assert check.kind is CrossCheckKind.DECISION_AGAINST_SERIES
    assert check.text == (
        "The decision of JP of 18 Sep 2026, to 1.25 %, contradicts its policy rate of 1.00 %."
    )


def test_the_newest_of_two_decisions_is_the_one_in_force() -> None:
    first = claim("JP", Metric.DECISION_RATE, "1.00", date(2026, 9, 15))
    second = claim("JP", Metric.DECISION_RATE, "1.25")
    assert checks(first, second, claim("JP", Metric.POLICY_RATE, "1.25")) == ()


def test_a_policy_rate_that_is_not_known_up_to_the_decision_contradicts_nothing() -> None:
    stale = claim("JP", Metric.POLICY_RATE, "1.00", date(2026, 8, 31))
    assert checks(claim("JP", Metric.DECISION_RATE, "1.25"), stale) == ()


@pytest.mark.parametrize(("score", "remarks"), [("2.0", 1), ("-2.0", 1), ("1.9", 0)])
def test_a_large_move_without_an_event_of_its_areas_is_a_remark(score: str, remarks: int) -> None:
    found = checks(claim("USD/JPY", Metric.Z_SCORE, score))
    assert [check.kind for check in found] == [CrossCheckKind.MOVE_WITHOUT_EVENT] * remarks


@pytest.mark.parametrize(
    ("told", "remarks"),
    [
        (event(EventType.RATE_DECISION, area="JP"), 0),
        (event(EventType.SCHEDULED_DECISION, area="US"), 0),
        (event(EventType.ECONOMIC_DATA, area="US"), 0),
        (event(EventType.RATE_DECISION, area="XM"), 1),
        (event(EventType.SCHEDULED_DECISION, date(2026, 9, 30), area="JP"), 1),
        (event(EventType.FX_MOVEMENT), 1),
    ],
)
def test_an_event_of_its_areas_in_the_window_explains_a_large_move(
    told: ReportedEvent, remarks: int
) -> None:
    found = checks(claim("USD/JPY", Metric.Z_SCORE, "3.1"), events=(told,))
    assert len(found) == remarks


def test_an_event_dated_outside_the_window_is_a_remark_and_a_scheduled_one_ahead_is_not() -> None:
    stray = event(EventType.ECONOMIC_DATA, date(2026, 9, 3))
    ahead = event(EventType.SCHEDULED_DECISION, date(2026, 10, 30), area="JP")
    (check,) = checks(events=(stray, ahead))
    assert check.kind is CrossCheckKind.EVENT_OUTSIDE_WINDOW
    assert check.text == (
        "An event of USD/JPY (economic data) is dated 3 Sep 2026, outside the window."
    )


def test_no_remark_types_a_figure() -> None:
    claims = (
        *triangle("1.1658", "144.33", "190.00"),
        claim("JP", Metric.DECISION_RATE, "1.25"),
        claim("JP", Metric.POLICY_RATE, "1.00"),
        claim("USD/JPY", Metric.Z_SCORE, "2.4"),
    )
    found = checks(*claims, events=(event(EventType.ECONOMIC_DATA, date(2026, 9, 3)),))
    assert {check.kind for check in found} == set(CrossCheckKind)
    known = {claim.claim_id: claim for claim in claims}
    for check in found:
        assert rejected_figures(check.prose, known) == ()
