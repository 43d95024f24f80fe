"""One figure followed to its source."""

from datetime import date
from decimal import Decimal

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import DecidedBy
from desk.contracts.findings.source_results import CrossLegs, PublishedRate
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus
from desk.contracts.markets import Band
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.rendering.figures.traces import Traces, formula_words, published_by
from desk.documents.rendering.words.trust import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
    verdict_words,
)
from desk.programs.week.document.rendering.objections import (
    dropped_lines,
    rejected_lines,
    trust_line,
)
from desk.trust.conflicts import dissent
from tests.support.documents.traced_report import (
    ASKED_AT,
    AVERAGES,
    CHANGE,
    DECISIONS,
    HISTORY,
    MOVE,
    WITHHELD,
    all_evidence,
    area_section,
    claim,
    decided_conflict,
    pair_section,
    traced_report,
    verdict,
)


def with_pair(**changed: object) -> ResearchReport:
    """The report with fields of USD/JPY's section replaced."""
    return traced_report(markets=(pair_section().model_copy(update=changed), area_section()))


def rate(value: str) -> Claim:
    return claim("JP", Metric.POLICY_RATE, value, Unit.PERCENT_A_YEAR, DECISIONS)


def test_a_derived_figure_leads_to_the_fixings_that_it_was_computed_of() -> None:
    trace = Traces(traced_report()).trace(MOVE)
    assert (trace.name, trace.printed) == ("USD/JPY move", "+0.29 %")
    assert trace.formula == "percent change: (157.25 / 156.80 − 1) × 100"
    assert [step.claim.claim_id for step in trace.inputs] == ["USD/JPY:previous", "USD/JPY:last"]
    rows = [step.evidence[0].excerpt for step in trace.inputs]
    assert [row.row for row in rows if row] == [
        {"day": "2026-10-23", "value": "156.80"},
        {"day": "2026-10-30", "value": "157.25"},
    ]


def test_a_cross_is_shown_as_one_with_the_published_rates_and_the_division() -> None:
    legs = CrossLegs(
        day=date(2026, 10, 30),
        base=PublishedRate(symbol="EUR/USD", value=Decimal("1.1172")),
        quote=PublishedRate(symbol="EUR/JPY", value=Decimal("175.68")),
    )
    history, *others = all_evidence()
    assert isinstance(history.content, dict)
    content = {**history.content, "legs": [legs.model_dump(mode="json")]}
    crossed = history.model_copy(update={"content": content})
    traces = Traces(traced_report(evidence=(crossed, *others)))
    (last,) = traces.trace("USD/JPY:last").evidence
    assert last.excerpt is not None
    assert last.excerpt.words == (
        "fixing of 30 Oct 2026: 157.25, computed as EUR/JPY 175.68 / EUR/USD 1.1172"
    )
    assert (last.source or "").startswith("cross of the ECB")
    assert published_by(last) == ", its rates first published by European Central Bank"
    (before,) = traces.trace("USD/JPY:previous").evidence
    assert before.excerpt is not None
    assert before.excerpt.words.endswith("computed as EUR/JPY over EUR/USD of that day")


def test_evidence_says_who_was_asked_what_and_where_the_call_stands() -> None:
    (found,) = Traces(traced_report()).trace("USD/JPY:last").evidence
    history = all_evidence()[0]
    assert (found.evidence_id, found.server, found.tool) == (HISTORY, "ecb", "get_historical")
    assert found.arguments == {"symbol": "USD/JPY", "start": "2025-10-01"}
    assert (found.origin, found.retrieved_at) == ("European Central Bank", ASKED_AT)
    assert found.content_hash == history.content_hash
    assert found.place == history.place
    assert found.place and found.place.event_id == 17


def test_a_verdicts_own_evidence_is_told_beside_the_claims() -> None:
    trace = Traces(traced_report()).trace("USD/JPY:last")
    assert [line.evidence_id for line in trace.checked_with] == [AVERAGES]
    checked = trace.checked_with[0]
    assert checked.source == "Federal Reserve H.10"
    assert checked.excerpt
    assert checked.excerpt.row["value"] == "155.91"


def test_the_row_of_a_decision_names_who_published_it() -> None:
    trace = Traces(traced_report()).trace(CHANGE)
    (found,) = trace.evidence
    assert found.origin == "Bank of Japan"
    assert found.excerpt
    assert found.excerpt.row["rate"] == "1.25"
    assert [conflict.conflict_id for conflict in trace.conflicts] == ["JP-decision"]


def test_an_input_that_is_withheld_is_named_and_the_formula_not_written_out() -> None:
    trace = Traces(traced_report()).trace("JP:differential")
    assert trace.withheld == (WITHHELD,)
    assert trace.formula == "basis point difference"


def test_a_claim_of_several_sections_has_one_entry_that_names_the_others() -> None:
    traces = Traces(traced_report())
    assert [key for key in traces.entries if key.startswith("JP:policy_rate")] == ["JP:policy_rate"]
    trace = traces.trace("JP:policy_rate")
    assert trace.market == "JP"
    assert [(line.market, line.agrees) for line in trace.elsewhere] == [("USD/JPY", True)]


def test_a_section_that_states_a_claim_differently_has_an_entry_of_its_own() -> None:
    claims = (*pair_section().claims[:-1], rate("1.00"))
    traces = Traces(with_pair(claims=claims))
    key = traces.key("JP:policy_rate", "USD/JPY")
    assert key == "JP:policy_rate in USD/JPY"
    assert traces.trace(key).printed == "1.00 %"
    assert traces.key("JP:policy_rate", "JP") == "JP:policy_rate"
    assert traces.trace("JP:policy_rate").printed == "1.25 %"
    assert not traces.trace("JP:policy_rate").elsewhere[0].agrees


def test_a_figure_that_is_contested_in_one_section_is_contested() -> None:
    doubt = verdict(
        "JP:policy_rate", ClaimStatus.CONTESTED, ClaimCheck.SECOND_SOURCE, "they differ"
    )
    sure = doubt.model_copy(update={"status": ClaimStatus.VERIFIED})
    pair = pair_section().model_copy(update={"verdicts": (doubt,)})
    area = area_section().model_copy(update={"verdicts": (sure,)})
    trace = Traces(traced_report(markets=(pair, area))).trace("JP:policy_rate")
    assert trace.verdict == doubt


def test_claims_that_rest_on_each_other_end() -> None:
    inputs = ("USD/JPY:last",)
    last, *others = pair_section().claims
    circular = last.model_copy(update={"formula": "percent_change", "inputs": (MOVE,)})
    move = others[1].model_copy(update={"inputs": inputs})
    trace = Traces(with_pair(claims=(circular, move))).trace(MOVE)
    assert trace.inputs[0].claim.claim_id == "USD/JPY:last"
    assert trace.inputs[0].inputs == ()


def test_evidence_that_the_report_lacks_is_said_to_be_lacking() -> None:
    (found,) = Traces(traced_report(evidence=())).trace("USD/JPY:last").evidence
    assert not found.recorded
    assert found.source == "ECB euro foreign exchange reference rates"
    (unknown,) = Traces(traced_report(evidence=(), sources=())).trace("USD/JPY:last").evidence
    assert (unknown.evidence_id, unknown.source) == (HISTORY, None)


@pytest.mark.parametrize(
    "content",
    [
        {"symbol": "USD/JPY", "value": "157.25"},
        {"symbol": "USD/JPY", "as_of": "?", "source": "?", "days": ["x"], "values": ["157.25"]},
        None,
        ["157.25"],
    ],
)
def test_content_of_another_shape_gives_no_row(content: object) -> None:
    evidence = tuple(
        result.model_copy(update={"content": content}) if result.evidence_id == HISTORY else result
        for result in all_evidence()
    )
    (found,) = Traces(traced_report(evidence=evidence)).trace("USD/JPY:last").evidence
    assert (found.recorded, found.excerpt) == (True, None)


def test_a_band_position_is_written_out_with_the_edges_of_the_band() -> None:
    last = claim("USD/HKD", Metric.LAST, "7.8457", Unit.LEVEL, HISTORY)
    band = Band(low=Decimal("7.75"), high=Decimal("7.85"), authority="HKMA")
    place = claim(
        *("USD/HKD", Metric.BAND_POSITION, "95.7", Unit.PERCENT, HISTORY),
        formula="band_position",
        inputs=("USD/HKD:last",),
    )
    words = "band position: (7.8457 − 7.75) / (7.85 − 7.75) × 100"
    assert formula_words(place, [last], band) == words
    assert formula_words(place, [last]) == "band position"


@pytest.mark.parametrize("formula", ["percent_change", "range_position", "{0}", "unheard_of"])
def test_a_formula_without_its_inputs_is_named_only(formula: str) -> None:
    stated = claim("USD/JPY", Metric.MOVE, "1", Unit.PERCENT, HISTORY, formula=formula)
    assert formula_words(stated, pair_section().claims[:1]) == formula.replace("_", " ")


def test_a_verdict_is_told_with_the_check_that_decided() -> None:
    found = pair_section().verdicts[0]
    assert verdict_words(found) == (
        "Verified (series check): the last common month averages agree within 0.1 %."
    )
    assert verdict_words(None).startswith("Not checked")


@pytest.mark.parametrize(
    ("by", "told"),
    [
        (DecidedBy.PERSON, "decided by A. Analyst"),
        (DecidedBy.VOTE, "decided by vote"),
        (DecidedBy.DEFAULT, "decided by default, nobody answered in time"),
    ],
)
def test_who_or_what_decided_a_conflict_is_told(by: DecidedBy, told: str) -> None:
    conflict = decided_conflict(by)
    assert state_words(conflict) == told
    assert outcome_words(conflict) == "+25 bp holds"
    standing = [standing_words(conflict, position) for position in conflict.positions]
    assert standing == ["holds", "dissent"]


def test_an_abstention_is_no_dissent_and_a_waiting_conflict_has_none() -> None:
    conflict = decided_conflict()
    silent = conflict.positions[1].model_copy(update={"abstains": True, "weight": 0.0})
    assert standing_words(conflict, silent) == "abstains"
    assert position_words(silent) == "research agent 2, weight 0"
    waiting = conflict.model_copy(update={"resolved": False})
    assert standing_words(waiting, waiting.positions[0]) == ""


def test_a_position_that_says_the_same_in_another_unit_is_no_dissent() -> None:
    conflict = decided_conflict()
    first, other = conflict.positions
    same = first.model_copy(update={"stated": "0.25 %", "agent": "validator_agent"})
    unread = first.model_copy(update={"stated": "a quarter", "agent": "validator_agent"})
    four = conflict.model_copy(update={"positions": (first, other, same, unread)})
    standing = [standing_words(four, position) for position in four.positions]
    assert standing == ["holds", "dissent", "holds", "dissent"]
    assert dissent(four) == (other, unread)


def test_a_conflict_without_a_winner_withholds_the_figure() -> None:
    conflict = decided_conflict().model_copy(update={"chosen": None})
    assert "withheld" in outcome_words(conflict)
    assert {standing_words(conflict, each) for each in conflict.positions} == {""}
    waiting = conflict.model_copy(update={"resolved": False})
    assert (state_words(waiting), outcome_words(waiting)) == (
        "waiting for a person",
        "undecided so far",
    )


def test_what_was_rejected_and_left_out_is_counted_without_its_figures() -> None:
    report = traced_report()
    (rejected,), (dropped,) = rejected_lines(report), dropped_lines(report)
    assert rejected.startswith("USD/JPY: 1 figure withheld, rejected by value check")
    assert "999.99" not in rejected
    assert dropped == "USD/JPY: 1 sentence left out: event USD/JPY/news, a figure that is no claim"
    assert trust_line(report) == "1 conflict decided, 1 figure rejected, 1 sentence left out"
    plain = traced_report(markets=(area_section(),), conflicts=())
    assert trust_line(plain) is None


def test_the_figures_of_a_market_are_those_its_section_states() -> None:
    traces = Traces(traced_report())
    assert "JP:policy_rate" in traces.ids_of("USD/JPY")
    assert set(traces.ids_of("JP")) == {"JP:policy_rate", CHANGE, "JP:differential"}
    assert traces.key("USD/JPY:nothing") is None


def test_the_day_of_a_dated_claim_is_in_its_name() -> None:
    assert Traces(traced_report()).trace(CHANGE).name == "JP decision change of 29 Oct 2026"


def test_a_report_without_markets_has_no_traces() -> None:
    nothing: tuple[MarketReport, ...] = ()
    assert dict(Traces(traced_report(markets=nothing)).entries) == {}
