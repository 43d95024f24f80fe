"""A published report verified from itself: what follows passes, anything else is found."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from desk.analytics.figures import print_claim
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import EventType
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import MarketReport, MissingMarket, ResearchReport
from desk.programs.week.document.audit.report import audit, counted
from desk.programs.week.document.json_form import from_json, to_json
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.sections.summary import titled
from desk.trust.claims.rate_claims import IN_A_ROW
from desk.trust.prose.references import sentence
from desk.trust.seals import content_hash, seal_of, sealed
from tests.support.documents.real_reports import disputed_report, real_report

YEN, PEG, JAPAN, EURO_AREA = "USD/JPY", "USD/HKD", "JP", "XM"


def report() -> ResearchReport:
    return real_report(YEN, PEG, JAPAN, EURO_AREA)


def with_section(market: str, change: Callable[[MarketReport], dict[str, object]]) -> list[str]:
    """What an audit finds in the report with a market's section changed and the seal made anew."""
    held = report()
    sections = tuple(
        section.model_copy(update=change(section)) if section.market == market else section
        for section in held.markets
    )
    return findings(markets=sections)


def findings(**changes: object) -> list[str]:
    """What an audit finds in the report with some fields changed and the seal made anew."""
    changed = report().model_copy(update=changes)
    assert changed != report()
    return [f"{found.where}: {found.words}" for found in audit(sealed(changed))]


def test_a_report_as_it_was_published_is_verified() -> None:
    assert audit(report()) == ()


def test_a_report_that_was_read_back_from_its_json_is_verified() -> None:
    assert audit(from_json(to_json(report()))) == ()


def test_what_was_looked_at_is_counted() -> None:
    counts = counted(report())
    of_markets = sum(len(section.claims) for section in report().markets)
    assert counts.claims == of_markets + len(report().counts)
    assert counts.tool_results == len(report().evidence) > 8
    assert counts.printed_figures > 40
    assert counts.tables >= 5


def test_a_changed_report_breaks_its_seal() -> None:
    changed = report().model_copy(update={"revision": 2})
    assert any(found.where == "seal" for found in audit(changed))


def test_a_claim_that_its_evidence_does_not_give_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        first, *others = section.claims
        return {"claims": (first.model_copy(update={"value": first.value + 1}), *others)}

    assert any(f"{YEN}, claim {YEN}:last" in found for found in with_section(YEN, change))


def test_a_claim_that_was_taken_out_is_missed_where_it_was_printed() -> None:
    found = with_section(YEN, lambda section: {"claims": section.claims[1:]})
    assert any("no such claim" in line or "nobody claims" in line for line in found)


def test_a_claim_without_a_verdict_is_found() -> None:
    found = with_section(JAPAN, lambda section: {"verdicts": section.verdicts[1:]})
    assert any("verdict on" in line for line in found)


def test_a_printed_claim_that_was_rejected_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        first, *others = section.verdicts
        return {"verdicts": (first.model_copy(update={"status": ClaimStatus.REJECTED}), *others)}

    assert any("printed all the same" in line for line in with_section(JAPAN, change))


def test_a_claim_that_is_said_to_be_verified_by_one_origin_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        verdicts = [
            v.model_copy(update={"status": ClaimStatus.VERIFIED, "origins": v.origins[:1]})
            for v in section.verdicts
        ]
        return {"verdicts": tuple(verdicts)}

    assert any("fewer than two origins" in line for line in with_section(YEN, change))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("text", lambda e: {"text": e.text.replace("USD", "US dollar")}),
        ("figure", lambda e: {"text": f"{e.text} It was 4.5 %."}),
        (
            "typed",
            lambda e: {
                "description": f"{e.description} Traders see 4.35 % by spring.",
                "text": f"{e.text} Traders see 4.35 % by spring.",
            },
        ),
        ("day", lambda e: {"event_date": e.event_date - timedelta(days=1)}),
        ("claims", lambda e: {"claims": (*e.claims, "EUR/JPY:last")}),
        ("market", lambda e: {"market": "EUR/USD"}),
    ],
)
def test_an_event_that_is_told_otherwise_is_found(
    name: str, change: Callable[[object], dict[str, object]]
) -> None:
    del name

    def changed(section: MarketReport) -> dict[str, object]:
        first, *others = section.events
        return {"events": (first.model_copy(update=change(first)), *others)}

    assert with_section(YEN, changed)


def test_an_event_of_another_bank_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        events = tuple(
            event.model_copy(update={"central_bank": "European Central Bank"})
            if event.event_type is EventType.RATE_DECISION
            else event
            for event in section.events
        )
        return {"events": events}

    assert with_section(JAPAN, change)


def test_a_decision_ahead_on_a_day_that_the_banks_calendar_does_not_have_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        events = tuple(
            event.model_copy(update={"event_date": event.event_date.replace(year=3022)})
            if event.event_type is EventType.SCHEDULED_DECISION
            else event
            for event in section.events
        )
        assert events != section.events
        return {"events": events}

    assert any("no decision day of the calendar" in line for line in with_section(YEN, change))


def test_every_cell_of_the_tables_is_looked_at() -> None:
    held = report()
    mover = held.movers[0].model_copy(update={"move": held.movers[0].move + Decimal("0.01")})
    rate = held.policy_rates[0].model_copy(update={"since": held.policy_rates[0].since or None})
    stale = rate.model_copy(update={"stale": not rate.stale})
    row = held.calendar[0].model_copy(update={"day": held.calendar[0].day + timedelta(days=1)})
    line = held.summary[0].model_copy(update={"text": f"{held.summary[0].text} "})
    assert findings(movers=(mover, *held.movers[1:]))
    assert findings(policy_rates=(stale, *held.policy_rates[1:]))
    assert findings(calendar=(row, *held.calendar[1:]))
    assert findings(summary=(line, *held.summary[1:]))
    assert findings(summary=held.summary[1:])


def test_the_counts_of_a_report_must_be_right() -> None:
    held = report()
    fewer = held.coverage.model_copy(update={"researched": held.coverage.researched - 1})
    assert findings(coverage=fewer)
    assert findings(outcome=Outcome.INCOMPLETE)
    assert findings(revision=2)
    assert findings(title="Another week, 2022-W44")
    assert findings(title=held.title.replace("policy rates", "rates"))
    assert findings(title=titled(held.week, held.config.markets[1:]))
    assert findings(window=held.window.model_copy(update={"start": held.window.end}))


def test_a_fixing_that_was_changed_in_a_chart_is_found() -> None:
    def change(section: MarketReport) -> dict[str, object]:
        return {"values": (section.values[0] + 1, *section.values[1:])}

    assert any("chart" in line for line in with_section(YEN, change))


def test_evidence_that_was_changed_is_found_with_its_hash_and_without() -> None:
    held = report()
    place = next(n for n, r in enumerate(held.evidence) if r.call.tool == "get_historical")
    result = held.evidence[place]
    assert isinstance(result.content, dict)
    values = result.content["values"]
    assert isinstance(values, list)
    content = {**result.content, "values": [*values[:-1], "1.234"]}
    for change in ({}, {"content_hash": content_hash(content)}):
        changed = result.model_copy(update={"content": content, **change})
        assert findings(evidence=(*held.evidence[:place], changed, *held.evidence[place + 1 :]))


def test_evidence_of_an_earlier_instant_is_found() -> None:
    held = report()
    result = held.evidence[0]
    assert isinstance(result.content, dict)
    earlier = (held.as_of - timedelta(days=7)).isoformat()
    content = {**result.content, "as_of": earlier}
    update = {"content": content, "content_hash": content_hash(content)}
    changed = result.model_copy(update=update)
    found = findings(evidence=(changed, *held.evidence[1:]))
    assert any("as-of instant" in line for line in found)


def test_a_source_that_is_not_the_one_of_its_evidence_is_found() -> None:
    held = report()
    renamed = held.sources[0].model_copy(update={"origin": "Nobody"})
    assert any("origin" in line for line in findings(sources=(renamed, *held.sources[1:])))


def test_a_report_with_a_conflict_and_with_changes_is_verified() -> None:
    assert disputed_report().conflicts
    assert disputed_report().changes.entries
    assert audit(disputed_report()) == ()


def test_a_conflict_that_was_decided_against_its_rules_is_found() -> None:
    held = disputed_report()
    (conflict,) = held.conflicts
    heavier = conflict.positions[0].model_copy(update={"weight": 3.0})
    for change in (
        {"positions": (heavier, *conflict.positions[1:])},
        {"chosen": next(p.stated for p in conflict.positions if p.stated != conflict.chosen)},
        {"spread": 0.9},
        {"resolution": f"{conflict.resolution} It is 4.5 %."},
    ):
        wrong = conflict.model_copy(update=change)
        found = audit(sealed(held.model_copy(update={"conflicts": (wrong,)})))
        assert any(line.where.startswith("conflict ") for line in found), change


def test_a_change_that_is_told_otherwise_is_found() -> None:
    held = disputed_report()
    first = next(entry for entry in held.changes.entries if entry.claim_id and entry.after)
    assert first.after is not None
    for change in (
        {"text": f"{first.text} "},
        {"prose": f"{first.prose} It is 4.5 %.", "text": f"{first.text} It is 4.5 %."},
        {"after": first.after + 1},
    ):
        changes = held.changes.model_copy(update={"entries": (first.model_copy(update=change),)})
        found = audit(sealed(held.model_copy(update={"changes": changes})))
        assert any(line.where.startswith("change ") for line in found), change


def of_changes(**changed: object) -> list[str]:
    """What an audit finds where the level of USD/JPY that a report tells of changed so."""
    held = disputed_report()
    level = next(each for each in held.changes.entries if each.kind is ChangeKind.LEVEL)
    fields = {"against": held.changes.against, **changed}
    against = fields.pop("against")
    entries = tuple(
        each.model_copy(update=fields) if each is level else each for each in held.changes.entries
    )
    changes = held.changes.model_copy(update={"entries": entries, "against": against})
    found = audit(sealed(held.model_copy(update={"changes": changes})))
    return [f"{line.where}: {line.words}" for line in found]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"before": Decimal("140.00")}, "and the sentence says otherwise"),
        ({"before": Decimal("160.00")}, "is none of its levels of 2022-W42"),
        ({"before": None}, "its figures are None and"),
        ({"against": "2022-W43"}, "which is not before 2022-W43"),
        ({"against": None}, "there are some, and no earlier report"),
        ({"kind": ChangeKind.STANCE}, "a change of stance has no older figure"),
    ],
)
def test_an_older_figure_that_cannot_have_been_is_found(
    changed: dict[str, object], told: str
) -> None:
    assert of_changes() == []
    assert any(told in line for line in of_changes(**changed))


def test_an_older_rate_that_its_decisions_do_not_give_is_found() -> None:
    held = real_report("US", week="2022-W44")
    week = printed_claims(held)
    now = week["US:policy_rate"]
    told = sentence(
        "The policy rate of US is higher than in the earlier report, at [[US:policy_rate]].", week
    )

    def found(before: str) -> list[str]:
        change = Change(
            kind=ChangeKind.RATE,
            market="US",
            claim_id=now.claim_id,
            before=now.value - Decimal(before),
            after=now.value,
            unit=now.unit,
            prose=told.prose,
            text=told.text,
        )
        changes = Changes(against="2022-W43", against_revision=1, entries=(change,))
        return [line.words for line in audit(sealed(held.model_copy(update={"changes": changes})))]

    assert found("0.75") == []
    assert found("1.00") == ["2.875 is not the rate of 2022-W43, by its decisions: 3.125"]


def test_a_change_that_is_not_material_is_found() -> None:
    held = disputed_report()
    level = next(each for each in held.changes.entries if each.kind is ChangeKind.LEVEL)
    assert level.after is not None
    nearly = level.after * (Decimal("1.001") if "below" in level.prose else Decimal("0.999"))
    found = of_changes(before=nearly.quantize(Decimal("0.01")))
    assert any("is less than the threshold of" in line for line in found)


def test_every_digit_of_a_small_report_counts() -> None:
    text = to_json(real_report("NO", week="2015-W03"))
    places = [place for place, sign in enumerate(text) if sign.isascii() and sign.isdigit()]
    passed = [place for place in places if not _objected(_with_digit(text, place))]
    assert len(places) > 500
    assert passed == []


def _with_digit(text: str, place: int) -> str:
    return f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"


def _objected(text: str) -> bool:
    """Whether the reader, the canonical form or the seal objects; the audit is all three."""
    try:
        held = from_json(text)
    except ValueError:
        return True
    return held.seal != seal_of(held) or to_json(held) != text


LAST_OF_A_WEEK = list(Metric).index(Metric.DECISION_CHANGE)
"""The metrics behind it are those of a swarm's tools, and of its reports."""

YIELDS = {metric for metric in Metric if metric.startswith("yield_")}
"""Claims on these need their publishers; they are tried in `programs/test_yields.py`."""

OF_PERIODS = {Metric.FROM_HIGH, Metric.FROM_LOW}

OF_SOME_WEEKS = {
    *(Metric.HIGHEST_SINCE, Metric.LOWEST_SINCE),
    *IN_A_ROW.values(),
    *YIELDS,
    *OF_PERIODS,
}
"""Claims on the others are tried in `test_ledger.py`."""


def test_no_metric_is_left_out_of_the_reports_that_are_audited() -> None:
    held = {claim.metric for section in report().markets for claim in section.claims}
    assert held - OF_SOME_WEEKS == set(list(Metric)[: LAST_OF_A_WEEK + 1]) - OF_SOME_WEEKS


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"warnings": ("low: traders see 4.35 % by spring.",)}, "USD/JPY, warning 1"),
        ({"recommendation": "Publish: it was 4.35 % at the end."}, "USD/JPY, recommendation"),
    ],
)
def test_a_figure_typed_into_a_remark_is_found(change: dict[str, object], where: str) -> None:
    assert any(line.startswith(where) for line in with_section(YEN, lambda _: change))


def test_a_claims_figure_in_a_remark_is_none_that_was_typed() -> None:
    claim = next(c for s in report().markets if s.market == YEN for c in s.claims)
    remark = f"low: copper or oil was at {print_claim(claim)}."
    found = with_section(YEN, lambda _: {"warnings": (remark,)})
    assert not any("warning" in line for line in found)


def test_a_reason_that_no_section_gives_is_found() -> None:
    held = report()
    gone = held.markets[0].model_copy(
        update={"outcome": Outcome.MISSING, "missing": ("no rate.", "no news.")}
    )
    sections = (gone, *held.markets[1:])
    for reason, passes in (("no rate; no news", True), ("no rate; it fell by 4.35 %", False)):
        line = MissingMarket(market=gone.market, reason=reason)
        coverage = held.coverage.model_copy(update={"missing": (line,)})
        found = findings(markets=sections, coverage=coverage)
        named = f"coverage, {gone.market}: its section does not give"
        assert any(line.startswith(named) for line in found) is not passes, reason


def test_a_note_on_a_market_that_is_not_partial_is_found() -> None:
    notes = (f"{YEN} is partial: it fell by 4.35 %",)
    noted = report().coverage.model_copy(update={"notes": notes})
    assert any("notes are not" in line for line in findings(coverage=noted))


def test_a_partial_market_is_noted_for_the_reason_that_it_gives() -> None:
    held = report()
    partial = held.markets[0].model_copy(
        update={"outcome": Outcome.PARTIAL, "missing": ("no calendar; no rate.", "no news.")}
    )
    sections = (partial, *(s for s in held.markets if s.market != partial.market))
    for reason, passes in (
        ("no calendar; no rate; no news", True),
        ("no news; 4.35 %", False),
        ("no calendar", False),
    ):
        notes = (f"{partial.market} is partial: {reason}",)
        coverage = held.coverage.model_copy(update={"notes": notes})
        found = findings(markets=sections, coverage=coverage)
        assert any("coverage, note" in line for line in found) is not passes, reason
