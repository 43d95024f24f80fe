"""Tapes for tests: made by hand, taken from a scripted run, and played again."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle

from desk.analytics.weeks import window_of
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.tools import CallPlace, ToolCall, ToolResult, ToolStatus
from desk.contracts.names import AgentId, market_run_id, week_run_id
from desk.contracts.runs.tape import Effect, Take, Tape
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.contracts.runs.week import WeekResult
from desk.contracts.week.report import ResearchReport
from desk.runs.tapes import digests_of
from starters.published.published_files import read_report
from starters.runs.week_runs import described
from starters.weeks.tape.command import recording_of, tape_of
from tests.support.runs.desk import WEEK, desk_config, pair, start_week
from workers.tape import playing

RUN = week_run_id(WEEK)
MARKET = "market/USD/JPY"
MARKET_RUN = market_run_id(RUN, "USD/JPY")
TURN = "research_agent_1.research_fx.t2"
ASKED_AT = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)


def turn_request(
    *,
    level: str = "157.25",
    deadline: datetime = ASKED_AT,
    asked_at: datetime = ASKED_AT,
    run_id: str = "run-1",
    **fields: Any,
) -> TurnRequest:
    """The request of a second turn, after one tool result."""
    result = ToolResult(
        call=ToolCall(call_id="USD/JPY/quote", server="ecb", tool="get_quote"),
        status=ToolStatus.OK,
        content={"level": level},
        retrieved_at=asked_at,
        place=CallPlace(workflow_id=MARKET_RUN, run_id=run_id, activity_id="t1.quote"),
    )
    return TurnRequest(
        assignment=TaskAssignment(
            task_id="USD/JPY/research_fx",
            task_type=TaskType.RESEARCH_FX,
            agent=AgentId.RESEARCH_AGENT_1,
            week=WEEK,
            market=pair("USD/JPY"),
            window=window_of(WEEK, desk_config().schedule),
            deadline=deadline,
        ),
        exchanges=(Exchange(results=(result,)),),
        **fields,
    )


def take(**fields: Any) -> Take:
    """A turn of research agent 1 on USD/JPY."""
    return Take.model_validate(
        {
            "workflow": MARKET,
            "activity_id": TURN,
            "effect": Effect.TURN,
            "asked": digests_of(Effect.TURN, turn_request()),
            "result": {"note": "as ever"},
            **fields,
        }
    )


def tape(*takes: Take) -> Tape:
    """A tape of the test week with these takes, or with one turn."""
    config = desk_config()
    return Tape(
        week=WEEK,
        window=window_of(WEEK, config.schedule),
        config=config,
        workflow_id=RUN,
        revision=1,
        takes=takes or (take(),),
    )


async def taped(client: Client, handle: WorkflowHandle[Any, WeekResult]) -> Tape:
    """The tape of a run as its history tells it."""
    found = await described(client, handle.id)
    assert found is not None
    return tape_of(await recording_of(found), None)


async def played(client: Client, tape: Tape, directory: Path) -> ResearchReport:
    """The report of a tape, on a server where nobody else works; everything on it was asked for."""
    async with playing(client, tape, directory) as player:
        run = await start_week(
            client, tape.config, run_id=tape.workflow_id, week=tape.week, subset=tape.subset
        )
        result = await run.result()
        assert not player.fault.done(), player.fault.result()
        assert player.unplayed == ()
    return read_report(Path(result.files.json_file))
