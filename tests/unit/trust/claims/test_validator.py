"""The validator: right findings pass, and every seeded error is caught."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, Unit
from desk.contracts.findings.results import (
    EventType,
    MarketEvent,
    ResearchResult,
    Severity,
    ValidationResult,
)
from desk.contracts.findings.source_results import RateDecisions, SourceResult
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.markets import MarketSpec
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.turns import builtin_turn
from desk.trust.claims.rejections import without_rejected
from desk.trust.judging.checks import IssueType
from tests.support.builders import (
    PAIRS,
    answered,
    calendar,
    decision,
    decisions,
    failed,
    of_a_question,
    pair_market,
    policy_rates,
    rate_market,
    real_history,
    real_quote,
    request,
)
from tests.support.second_sources import (
    daily_rates,
    month_end_rates,
    real_averages,
    recorded_rates,
)

WEEK = "2024-W31"
YEN = pair_market("USD/JPY")
SOURCES: dict[str, SourceResult] = {
    "get_policy_rate": policy_rates(WEEK, US="5.375", JP="0.25"),
    "get_rate_decisions": decisions(
        WEEK, decision("JP", "2024-07-31", "0.25", "20"), decision("US", "2024-07-31", "5.375", "0")
    ),
    "get_decision_calendar": calendar(WEEK, ("US", "2024-08-07")),
    "get_recorded_rates": recorded_rates(WEEK),
    "get_month_end_rates": month_end_rates(WEEK, "2024-06", US="5.375", JP="0.10"),
}


@dataclass(frozen=True)
class Sources:
    """What each tool answers for a market."""

    pair: str = "USD/JPY"
    week: str = WEEK

    def answer(self, asked: ToolCall) -> ToolResult:
        """The tool's answer to a call."""
        if asked.tool == "get_historical":
            return answered(asked, real_history(self.pair, self.week))
        if asked.tool == "get_quote":
            return answered(asked, real_quote(self.pair, self.week))
        if asked.tool == "get_month_averages":
            return answered(asked, real_averages(self.pair, self.week))
        if asked.tool == "get_daily_rates":
            return answered(asked, daily_rates(self.pair, self.week))
        return answered(asked, _only(SOURCES[asked.tool], asked))


def _only(answer: SourceResult, asked: ToolCall) -> SourceResult:
    """The decisions of the areas that were asked for, as a source answers."""
    if not isinstance(answer, RateDecisions):
        return answer
    areas = asked.arguments["areas"]
    assert isinstance(areas, list)
    kept = tuple(decision for decision in answer.decisions if decision.area in areas)
    return answer.model_copy(update={"decisions": kept})


def work(
    task: TaskType,
    market: MarketSpec,
    findings: Sequence[ResearchResult] = (),
    asked: Callable[[TurnRequest], TurnRequest] = lambda shown: shown,
) -> Turn:
    evidence = gathered(market) if findings else ()
    shown = partial(request, task, market, WEEK, findings=findings, evidence=evidence)
    first = builtin_turn(asked(shown()))
    if not first.calls:
        return first
    return builtin_turn(asked(shown(results=answers(market, first.calls))))


def answers(market: MarketSpec, calls: Sequence[ToolCall]) -> list[ToolResult]:
    return [Sources(market.market).answer(asked) for asked in calls]


def gathered(market: MarketSpec) -> list[ToolResult]:
    """What the research agents' tools answered."""
    return [
        result
        for task in tasks_on(market)
        for result in answers(market, builtin_turn(request(task, market, WEEK)).calls)
    ]


def tasks_on(market: MarketSpec) -> list[TaskType]:
    rates = [TaskType.RESEARCH_RATES]
    return [TaskType.RESEARCH_FX, *rates] if "/" in market.market else rates


def researched(market: MarketSpec = YEN) -> tuple[ResearchResult, ...]:
    results = (work(task, market).result for task in tasks_on(market))
    return tuple(result for result in results if isinstance(result, ResearchResult))


def validated(findings: Sequence[ResearchResult], market: MarketSpec = YEN) -> ValidationResult:
    result = work(TaskType.VALIDATE, market, findings).result
    assert isinstance(result, ValidationResult)
    return result


def with_claim(
    findings: Sequence[ResearchResult], claim_id: str, **changes: object
) -> tuple[ResearchResult, ...]:
    def changed(claim: Claim) -> Claim:
        return claim.model_copy(update=changes) if claim.claim_id == claim_id else claim

    return tuple(
        finding.model_copy(update={"claims": tuple(map(changed, finding.claims))})
        for finding in findings
    )


def with_events(
    findings: Sequence[ResearchResult], change: Callable[[MarketEvent], MarketEvent]
) -> tuple[ResearchResult, ...]:
    return tuple(
        finding.model_copy(update={"events": tuple(map(change, finding.events))})
        for finding in findings
    )


def test_right_findings_pass_with_their_events_verified() -> None:
    findings = researched()
    result = validated(findings)
    assert result.issues == ()
    assert result.conflicts == ()
    assert result.missing == ()
    assert set(result.verified_events) == {
        "USD/JPY/fx_movement/2024-08-02",
        "USD/JPY/rate_decision/JP/2024-07-31",
        "USD/JPY/rate_decision/US/2024-07-31",
    }
    assert result.recommendation.startswith("Every figure follows from its evidence")
    assert result.research_results == tuple(finding.result_id for finding in findings)
    assert result.confidence == 0.95


@pytest.mark.parametrize("pair", PAIRS)
def test_right_findings_on_every_pair_raise_no_objection(pair: str) -> None:
    market = pair_market(pair)
    fx = work(TaskType.RESEARCH_FX, market).result
    assert isinstance(fx, ResearchResult)
    result = validated([fx], market)
    assert result.issues == ()
    assert len(result.verified_events) == 1


def test_an_area_s_right_findings_pass() -> None:
    market = rate_market("JP")
    result = validated(researched(market), market)
    assert result.issues == ()
    assert result.verified_events == ("JP/rate_decision/JP/2024-07-31",)


def test_the_sources_are_asked_for_what_is_claimed_and_nothing_else() -> None:
    fx, rates = researched()
    asked = builtin_turn(request(TaskType.VALIDATE, YEN, WEEK, findings=[fx])).calls
    *others, daily = asked
    assert daily.tool == "get_daily_rates"
    assert [(call.server, call.tool, call.arguments) for call in others] == [
        ("ecb", "get_quote", {"symbol": "USD/JPY"}),
        (
            "official_statistics",
            "get_month_averages",
            {"symbol": "USD/JPY", "start": "2023-08", "end": "2024-08"},
        ),
    ]
    asked = builtin_turn(request(TaskType.VALIDATE, YEN, WEEK, findings=[rates])).calls
    assert [call.tool for call in asked] == [
        "get_policy_rate",
        "get_rate_decisions",
        "get_month_end_rates",
        "get_recorded_rates",
    ]
    assert asked[0].call_id == "USD/JPY/validate/get_policy_rate"
    ends = asked[2].arguments
    assert (ends["start"], ends["end"]) == ("2023-08", "2024-08"), "a rate may stand for a year"


def test_findings_without_figures_need_no_source() -> None:
    fx, _ = researched()
    empty = fx.model_copy(update={"claims": (), "events": (), "confidence": 0.1})
    result = validated([empty])
    assert result.checks == ()
    assert result.authoritative_sources == ()
    assert result.recommendation == "There was no figure that a source could confirm."
    assert result.confidence == 0.1


def test_the_verdict_shows_what_the_validator_read_itself() -> None:
    result = validated(researched())
    checks = {claim.claim_id: claim for claim in result.checks}
    assert checks["USD/JPY:last"].value == Decimal("148.9340")
    assert checks["USD/JPY:last"].evidence == ("USD/JPY/validate/get_quote",)
    assert [source.tool for source in result.authoritative_sources] == [
        "get_quote",
        "get_policy_rate",
        "get_rate_decisions",
        "get_month_averages",
        "get_month_end_rates",
        "get_daily_rates",
        "get_recorded_rates",
    ]


@pytest.mark.parametrize(
    ("claim_id", "changes", "issue"),
    [
        ("USD/JPY:last", {"value": Decimal("148.9341")}, IssueType.VALUE),
        ("USD/JPY:last", {"value": Decimal("0.0067")}, IssueType.VALUE),
        ("USD/JPY:last", {"as_of": date(2024, 8, 1)}, IssueType.STALE_DATA),
        ("USD/JPY:move", {"value": Decimal("3.63")}, IssueType.FORMULA),
        ("USD/JPY:move", {"value": Decimal("-3.64")}, IssueType.FORMULA),
        ("USD/JPY:move", {"unit": Unit.BASIS_POINTS}, IssueType.UNIT),
        ("USD/JPY:move", {"inputs": ("USD/JPY:last", "USD/JPY:previous")}, IssueType.FORMULA),
        ("USD/JPY:move", {"inputs": ("USD/JPY:last",)}, IssueType.FORMULA),
        ("USD/JPY:move", {"inputs": ("EUR/USD:previous", "USD/JPY:last")}, IssueType.FORMULA),
        ("USD/JPY:range_position", {"value": Decimal("50.0")}, IssueType.FORMULA),
        ("USD/JPY:differential", {"value": Decimal("-512.5")}, IssueType.FORMULA),
        ("USD/JPY:differential", {"value": Decimal("5.125")}, IssueType.FORMULA),
        ("USD/JPY:differential", {"unit": Unit.PERCENT}, IssueType.UNIT),
        ("JP:policy_rate", {"value": Decimal("0.50")}, IssueType.VALUE),
        ("JP:decision_rate@2024-07-31", {"value": Decimal("0.50")}, IssueType.DECISION),
        ("JP:decision_change@2024-07-31", {"value": Decimal(-20)}, IssueType.DECISION),
        ("JP:decision_change@2024-07-31", {"value": Decimal("0.20")}, IssueType.DECISION),
        ("JP:decision_change@2024-07-31", {"as_of": date(2024, 7, 30)}, IssueType.DECISION),
    ],
)
def test_a_seeded_error_is_caught(
    claim_id: str, changes: dict[str, object], issue: IssueType
) -> None:
    result = validated(with_claim(researched(), claim_id, **changes))
    assert (issue, (claim_id,)) in {(found.issue_type, found.claims) for found in result.issues}
    assert not result.recommendation.startswith("Every figure follows from its evidence")
    assert result.confidence < 0.95


def test_a_wrong_input_shows_in_what_was_derived_from_it() -> None:
    result = validated(with_claim(researched(), "USD/JPY:previous", value=Decimal("155.5490")))
    assert [(i.issue_type, i.claims) for i in result.issues] == [
        (IssueType.FORMULA, ("USD/JPY:move",)),
        (IssueType.VALUE, ("USD/JPY:previous",)),
    ]
    assert "USD/JPY/fx_movement/2024-08-02" not in result.verified_events


def test_an_event_that_rests_on_a_questioned_figure_is_not_verified() -> None:
    result = validated(with_claim(researched(), "USD/JPY:last", value=Decimal("150.0000")))
    assert "USD/JPY/fx_movement/2024-08-02" not in result.verified_events
    assert "USD/JPY/rate_decision/JP/2024-07-31" in result.verified_events


def test_a_wrong_level_is_rejected_and_nobody_is_asked_about_it() -> None:
    result = validated(with_claim(researched(), "USD/JPY:last", value=Decimal("150.0000")))
    assert [v.status for v in result.verdicts if v.claim_id == "USD/JPY:last"] == [
        ClaimStatus.REJECTED
    ]
    assert result.conflicts == ()


def test_a_lie_beside_the_truth_is_rejected_and_the_truth_stands() -> None:
    prices, rates = researched()
    truth = next(claim for claim in prices.claims if claim.claim_id == "USD/JPY:last")
    lie = truth.model_copy(update={"value": Decimal("150.0000")})
    lying = rates.model_copy(update={"claims": (*rates.claims, lie), "confidence": 0.1})
    result = validated((prices, lying))
    found = {(v.result, v.status) for v in result.verdicts if v.claim_id == "USD/JPY:last"}
    assert found == {
        (None, ClaimStatus.SINGLE_SOURCE),
        (rates.result_id, ClaimStatus.REJECTED),
    }
    assert result.conflicts == ()
    kept = without_rejected((prices, lying), result)
    assert [truth in one.claims for one in kept] == [True, False]
    assert all(lie not in one.claims for one in kept)


@pytest.mark.parametrize(
    ("wording", "objection"),
    [
        ("USD/JPY rose over the week ([[USD/JPY:move]]).", True),
        ("USD/JPY sharply gained ([[USD/JPY:move]]).", True),
        ("USD/JPY fell over the week ([[USD/JPY:move]]).", False),
        ("The yen rose, and USD/JPY fell ([[USD/JPY:move]]).", False),
        ("The yen gained against the dollar ([[USD/JPY:move]]).", False),
    ],
)
def test_a_verb_must_agree_with_the_sign(wording: str, *, objection: bool) -> None:
    def reworded(event: MarketEvent) -> MarketEvent:
        if event.event_type is not EventType.FX_MOVEMENT:
            return event
        return event.model_copy(update={"description": wording})

    result = validated(with_events(researched(), reworded))
    assert any(i.issue_type == IssueType.DIRECTION for i in result.issues) is objection


def test_a_hike_told_as_a_cut_is_caught() -> None:
    def reworded(event: MarketEvent) -> MarketEvent:
        text = event.description.replace("Bank of JP raised", "Bank of JP cut")
        return event.model_copy(update={"description": text})

    result = validated(with_events(researched(), reworded))
    assert [issue.issue_type for issue in result.issues] == [IssueType.DIRECTION]


def test_prose_about_a_figure_that_nobody_claims_is_caught() -> None:
    def reworded(event: MarketEvent) -> MarketEvent:
        return event.model_copy(update={"description": "It hit [[USD/JPY:target]]."})

    result = validated(with_events(researched()[:1], reworded))
    (issue,) = result.issues
    assert issue.issue_type == IssueType.REFERENCE
    assert "USD/JPY:target" in issue.description
    assert result.verified_events == ()


@pytest.mark.parametrize("day", [date(2024, 7, 26), date(2024, 8, 9)])
def test_an_event_outside_the_window_is_a_timing_error(day: date) -> None:
    moved = with_events(researched()[:1], lambda e: e.model_copy(update={"event_date": day}))
    result = validated(moved)
    (issue,) = result.issues
    assert (issue.issue_type, issue.severity) == (IssueType.TIMING_ERROR, Severity.MEDIUM)
    assert result.verified_events == ()
    assert result.recommendation == "Objections stand, but no figure failed a check."


def test_a_question_about_a_bank_is_also_about_its_earlier_decisions() -> None:
    japan = rate_market("JP")
    earlier = date(2023, 7, 28)
    moved = with_events(researched(japan), lambda e: e.model_copy(update={"event_date": earlier}))
    result = work(TaskType.VALIDATE, japan, moved, of_a_question).result
    assert isinstance(result, ValidationResult)
    assert IssueType.TIMING_ERROR not in {issue.issue_type for issue in result.issues}


def test_an_event_without_a_figure_that_a_source_confirms_is_not_verified() -> None:
    bare = with_events(researched()[:1], lambda e: e.model_copy(update={"claims": ()}))
    result = validated(bare)
    assert result.issues == ()
    assert result.verified_events == ()


def test_a_scheduled_day_ahead_is_in_time_but_not_verified() -> None:
    findings = researched()
    scheduled = [
        event.event_id
        for finding in findings
        for event in finding.events
        if event.event_type is EventType.SCHEDULED_DECISION
    ]
    assert scheduled
    result = validated(findings)
    assert result.issues == ()
    assert not set(scheduled) & set(result.verified_events)


def asked_and(
    findings: Sequence[ResearchResult], instead: Callable[[ToolCall], ToolResult | None]
) -> Turn:
    """The validator's last turn, with some answers replaced."""
    shown = partial(request, TaskType.VALIDATE, YEN, WEEK, findings=findings)
    shown = partial(shown, evidence=gathered(YEN))
    calls = builtin_turn(shown()).calls
    results = [instead(asked) or answers(YEN, [asked])[0] for asked in calls]
    return builtin_turn(shown(results=results))


def test_a_figure_that_the_source_lacks_is_missing_and_objected_to() -> None:
    silent = real_quote("USD/JPY", WEEK).model_copy(
        update={"value": None, "fixed_on": None, "missing": "no fixing"}
    )
    answer = asked_and(
        researched()[:1], lambda a: answered(a, silent) if a.tool == "get_quote" else None
    )
    assert isinstance(answer.result, ValidationResult)
    assert answer.result.missing == ("USD/JPY:last: the source gave nothing to compare it with",)
    assert "no fixing" in answer.result.issues[0].description


@pytest.mark.parametrize("status", [ToolStatus.UNAVAILABLE, ToolStatus.REFUSED])
def test_a_validator_without_its_source_fails_and_says_why(status: ToolStatus) -> None:
    answer = asked_and(
        researched(),
        lambda a: failed(a, status, "the ECB server is down") if a.tool == "get_quote" else None,
    )
    assert answer.result is None
    assert answer.failure is not None
    assert answer.failure.error_type in (
        FailureType.TOOL_UNAVAILABLE,
        FailureType.TOOL_REFUSED,
    )
    assert "the ECB server is down" in answer.failure.error_message


@pytest.mark.parametrize("status", [ToolStatus.UNAVAILABLE, ToolStatus.REFUSED])
def test_a_silent_second_source_leaves_claims_single_source_and_is_named(
    status: ToolStatus,
) -> None:
    second = [f"get_{name}" for name in ("month_averages", "month_end_rates", "daily_rates")] + [
        "get_recorded_rates"
    ]
    answer = asked_and(
        researched(), lambda a: failed(a, status, "the H.10 is down") if a.tool in second else None
    )
    assert isinstance(answer.result, ValidationResult)
    assert {v.status for v in answer.result.verdicts} == {ClaimStatus.SINGLE_SOURCE}
    assert all("could not be asked" in v.words for v in answer.result.verdicts)
    assert [line.split(" for ")[0] for line in answer.result.missing] == second
    assert all("the H.10 is down" in line for line in answer.result.missing)
    assert answer.result.issues == ()
    assert len(answer.result.verified_events) == 3
