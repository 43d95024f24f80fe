"""Which tools a node is told to have lost."""

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.week.report import Contribution
from desk.programs.swarm.findings import condensed
from desk.runs.boards import lost_tools


def asked(tool: str, status: ToolStatus, **arguments: str) -> ToolResult:
    call = ToolCall(call_id=tool, server="market_analysis", tool=tool, arguments={**arguments})
    return ToolResult(call=call, status=status)


def test_a_tool_that_could_not_be_asked_is_lost_and_one_that_said_no_is_not() -> None:
    calls = (
        asked("indicators", ToolStatus.UNAVAILABLE),
        asked("patterns", ToolStatus.REFUSED),
        asked("standing", ToolStatus.OK),
    )
    assert lost_tools(calls) == ("market_analysis indicators",)


def test_what_the_same_question_brought_later_is_not_lost() -> None:
    again = (
        asked("indicators", ToolStatus.UNAVAILABLE, symbol="USD/JPY"),
        asked("indicators", ToolStatus.OK, symbol="USD/JPY"),
        asked("indicators", ToolStatus.UNAVAILABLE, symbol="EUR/USD"),
        asked("indicators", ToolStatus.UNAVAILABLE, symbol="GBP/USD"),
    )
    assert lost_tools(again[:2]) == ()
    assert lost_tools(again) == ("market_analysis indicators",)


def test_a_specialists_outcome_keeps_what_it_lost_though_nothing_rests_on_it() -> None:
    lost = asked("indicators", ToolStatus.UNAVAILABLE)
    result = ResearchResult(
        task_id="swarm/technical",
        result_id="swarm/technical",
        agent=AgentId.TECHNICAL_SPECIALIST,
        market="USD/JPY",
        confidence=0.5,
    )
    whole = TaskOutcome(
        result=result,
        evidence=(lost, asked("standing", ToolStatus.OK)),
        contribution=Contribution(
            agent=result.agent, task_type=TaskType.ANALYSE_TECHNICALS, delivered=True
        ),
    )
    assert lost_tools(condensed(whole).evidence) == ("market_analysis indicators",)
