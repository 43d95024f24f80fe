"""Tasks that begin with calls, and calls of a turn that are put to a source together."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue
from temporalio.client import Client

from activities.learning import attempts_of
from desk.contracts.agents.config import AgentConfig, RunConfig
from desk.contracts.agents.tasks import AgentLimits
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.names import AgentId, market_run_id, source_queue
from desk.contracts.runs.week import WeekResult
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.temporal.history import fetch_history
from starters.monitoring.agents.work import DeskWork, count_work
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.opened import FirstUnanswered, opening_turn, together
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools

MARKET = "USD/JPY"
QUOTE, HISTORY = "ecb.get_quote", "ecb.get_historical"


async def week(
    client: Client, directory: Path, config: RunConfig, tools: ScriptedTools
) -> WeekResult:
    """A week whose tasks have openings."""
    analyst = ScriptedAnalyst(opening_turn)
    async with desk_workers(client, directory, analyst=analyst, tools=tools):
        return await (await start_week(client, config, run_id=directory.name)).result()


async def activities(client: Client, directory: Path) -> list[str]:
    """The ids of the market's activities, in their order."""
    history = await fetch_history(client, market_run_id(directory.name, MARKET))
    return [activity.scheduled.activity_id for activity in history.activities]


def evidence(result: WeekResult) -> tuple[ToolResult, ...]:
    """What the market rests on."""
    (outcome,) = result.record.outcomes
    return outcome.evidence


async def test_a_task_asks_its_opening_and_delivers_in_its_first_turn(
    client: Client, tmp_path: Path
) -> None:
    result = await week(client, tmp_path, desk_config(pair(MARKET)), ScriptedTools())
    assert await activities(client, tmp_path) == [
        "research_agent_1.research_fx.t0.get_quote",
        "research_agent_1.research_fx.t0.get_historical",
        "research_agent_1.research_fx.t1",
        "validator_agent.validate.t0.get_quote",
        "validator_agent.validate.t1",
    ]
    (outcome,) = result.record.outcomes
    assert [(line.turns, line.tool_calls) for line in outcome.agents] == [(1, 2), (1, 1)]


async def test_calls_of_a_turn_to_one_source_are_one_activity_and_evidence_of_their_own(
    client: Client, tmp_path: Path
) -> None:
    apart = await week(client, tmp_path / "apart", desk_config(pair(MARKET)), ScriptedTools())
    config, tools = together(desk_config(pair(MARKET)), "ecb"), ScriptedTools()
    result = await week(client, tmp_path / "together", config, tools)
    assert (await activities(client, tmp_path / "together"))[:2] == [
        "research_agent_1.research_fx.t0.2x.ecb",
        "research_agent_1.research_fx.t1",
    ]
    assert tools.calls == {QUOTE: 2, HISTORY: 1}
    assert len(set(tools.keys)) == 3
    kept = [(each.evidence_id, each.content_hash) for each in evidence(result)]
    assert kept == [(each.evidence_id, each.content_hash) for each in evidence(apart)]
    assert not any(each.together for each in evidence(result))


async def test_a_call_that_has_no_answer_among_others_is_asked_again_alone(
    client: Client, tmp_path: Path
) -> None:
    config, tools = (
        together(desk_config(pair(MARKET)), "ecb"),
        ScriptedTools(FirstUnanswered("get_historical")),
    )
    result = await week(client, tmp_path, config, tools)
    assert (await activities(client, tmp_path))[:3] == [
        "research_agent_1.research_fx.t0.2x.ecb",
        "research_agent_1.research_fx.t0.get_historical",
        "research_agent_1.research_fx.t1",
    ]
    assert tools.calls == {QUOTE: 2, HISTORY: 2}
    assert len(set(tools.keys)) == 3, "asked again under the key that it had among the others"
    assert {each.status for each in evidence(result)} == {ToolStatus.OK}


async def test_a_refusal_among_others_is_an_answer(client: Client, tmp_path: Path) -> None:
    def refuses(server: str, tool: str, _: Mapping[str, JsonValue]) -> ToolAnswer | None:
        return ToolAnswer(refusal="no such symbol") if tool == "get_historical" else None

    config, tools = together(desk_config(pair(MARKET)), "ecb"), ScriptedTools(refuses)
    result = await week(client, tmp_path, config, tools)
    assert tools.calls == {QUOTE: 2, HISTORY: 1}
    assert [each.status for each in evidence(result)][:2] == [ToolStatus.OK, ToolStatus.REFUSED]


async def test_an_opening_counts_against_the_calls_that_a_task_may_make(
    client: Client, tmp_path: Path
) -> None:
    limited = AgentConfig(agent=AgentId.RESEARCH_AGENT_1, limits=AgentLimits(max_calls=1))
    config = desk_config(pair(MARKET))
    policy = config.policy.model_copy(update={"agents": (limited,)})
    config = config.model_copy(update={"policy": policy})
    tools = ScriptedTools()
    result = await week(client, tmp_path, config, tools)
    assert HISTORY not in tools.calls
    refused = [each for each in evidence(result) if each.status is ToolStatus.REFUSED]
    assert [each.error for each in refused] == ["only 1 calls on a task"]


async def test_a_try_among_others_that_had_no_answer_is_told_as_one(
    client: Client, tmp_path: Path
) -> None:
    config = together(desk_config(pair(MARKET)), "ecb")
    await week(client, tmp_path, config, ScriptedTools(FirstUnanswered("get_historical")))
    market = market_run_id(tmp_path.name, MARKET)
    tried = await attempts_of(client, (market,), set())
    again = [one for one in tried if one.before is not None]
    assert [(one.tool, one.tries) for one in again] == [("get_historical", 2)]
    record = DeskWork()
    await count_work(await fetch_history(client, market), record)
    source = record.queues[source_queue("ecb")]
    assert (source.finished, source.failed, source.retried) == (3, 0, 1)
    assert source.last_error == "it is restarting"
