"""Which tools an agent could not have done without."""

from agents.builtin.analysts import builtin_turn
from contracts.claims import Metric
from contracts.names import AgentId
from contracts.report import MarketOutcome
from contracts.results import ResearchResult
from contracts.search_attributes import Outcome
from contracts.tasks import TaskType, ToolName
from contracts.tools import ToolResult, ToolStatus
from domain.essential_tools import essential_tools
from tests.support.builders import (
    answered,
    calendar,
    call,
    claim,
    decision,
    decisions,
    failed,
    finding,
    policy_rates,
    rate_market,
    real_quote,
    request,
)

QUOTE = ToolName(server="ecb", tool="get_quote")
ELSEWHERE = ToolName(server="yahoo_finance", tool="get_quote")
WEEK = "2026-W44"


def resting_on(*evidence: ToolResult, results: tuple[ResearchResult, ...]) -> MarketOutcome:
    return MarketOutcome(
        market="USD/JPY", outcome=Outcome.RESEARCHED, results=results, evidence=evidence
    )


def one_claim(*evidence: ToolResult) -> ResearchResult:
    stated = claim("USD/JPY", Metric.LAST, "150.00")
    names = tuple(result.evidence_id for result in evidence)
    return finding(stated.model_copy(update={"evidence": names}))


def test_a_tool_that_a_claim_rests_on_is_essential_and_one_that_was_only_asked_is_not() -> None:
    used = answered(call("ecb", "get_quote"), real_quote("USD/JPY", WEEK))
    unused = answered(call("ecb", "search_symbols"), real_quote("USD/JPY", WEEK))
    found = essential_tools([resting_on(used, unused, results=(one_claim(used),))] * 2)
    assert found == {AgentId.RESEARCH_AGENT_1: {QUOTE: 2}}


def test_a_source_that_stood_in_for_another_is_the_one_that_counts() -> None:
    used = answered(call("yahoo_finance", "get_quote"), real_quote("USD/JPY", WEEK))
    found = essential_tools([resting_on(used, results=(one_claim(used),))])
    assert found == {AgentId.RESEARCH_AGENT_1: {ELSEWHERE: 1}}


def test_an_answer_that_was_not_given_is_not_essential() -> None:
    missed = failed(call("ecb", "get_quote"), ToolStatus.UNAVAILABLE, "gone")
    found = essential_tools([resting_on(missed, results=(one_claim(missed),))])
    assert not any(found.values())


def test_a_decision_that_is_yet_to_come_rests_on_the_calendar() -> None:
    ahead = calendar(WEEK, ("JP", "2026-11-05"))
    evidence = (
        answered(call("central_banks", "get_policy_rate"), policy_rates(WEEK, JP="0.75", US="4.0")),
        answered(call("central_banks", "get_rate_decisions"), decisions(WEEK)),
        answered(call("central_banks", "get_decision_calendar"), ahead),
    )
    asked = request(TaskType.RESEARCH_RATES, rate_market("JP"), WEEK, results=evidence)
    result = builtin_turn(asked).result
    assert isinstance(result, ResearchResult)
    (found,) = essential_tools([resting_on(*evidence, results=(result,))]).values()
    tools = {name.tool for name in found}
    assert tools == {"get_policy_rate", "get_decision_calendar"}


def test_a_decision_of_the_week_rests_on_the_decisions() -> None:
    decided = decision("JP", "2026-10-30", "1.00", "25")
    evidence = (
        answered(call("central_banks", "get_policy_rate"), policy_rates(WEEK, JP="1.00", US="4.0")),
        answered(call("central_banks", "get_rate_decisions"), decisions(WEEK, decided)),
        answered(call("central_banks", "get_decision_calendar"), calendar(WEEK)),
    )
    asked = request(TaskType.RESEARCH_RATES, rate_market("JP"), WEEK, results=evidence)
    result = builtin_turn(asked).result
    assert isinstance(result, ResearchResult)
    (found,) = essential_tools([resting_on(*evidence, results=(result,))]).values()
    assert "get_rate_decisions" in {name.tool for name in found}
