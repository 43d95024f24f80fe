"""The messages of a run while its agents are at work."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from temporalio.client import Client

from desk.contracts.names import AgentId
from desk.contracts.runs.messages import (
    AcceptanceStatus,
    AgentMessage,
    ErrorReportContent,
    HeartbeatContent,
    MessageType,
    TaskAcceptanceContent,
)
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.models.model_calling import ModelFailed
from desk.runs.messages import chosen
from starters.monitoring.messages.history import entries_of
from starters.runs.week_runs import run_named
from tests.support.runs.desk import (
    desk_config,
    desk_workers,
    pair,
    start_week,
)
from tests.support.runs.scripted import ScriptedAnalyst

RUN = "under-way"
T = MessageType


class Slow:
    """Fails once at the first turn on a pair, and then takes its time until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self._tries = 0
        self._ordinary = ScriptedAnalyst()

    async def __call__(self, request: TurnRequest) -> Turn:
        if request.assignment.agent is AgentId.RESEARCH_AGENT_1 and not self.go.is_set():
            self._tries += 1
            if self._tries == 1:
                raise ModelFailed("overloaded", again=True)
            await self.go.wait()
        return await self._ordinary(request)


async def read(client: Client) -> list[AgentMessage]:
    found = await run_named(client, RUN, None)
    return list(chosen(await entries_of(found, None, datetime.now(UTC))))


async def heard(client: Client, kind: MessageType, agent: AgentId) -> list[AgentMessage]:
    """The messages of the run once those of the kind are one agent's."""
    async with asyncio.timeout(60):
        while True:
            messages = await read(client)
            if {m.from_agent for m in messages if m.type is kind} == {agent}:
                return messages
            await asyncio.sleep(0.1)


async def test_work_under_way_is_told_and_gives_way_to_what_came_of_it(
    server: Client, tmp_path: Path
) -> None:
    analyst = Slow()
    async with desk_workers(server, tmp_path, analyst=analyst):
        week = await start_week(
            server, desk_config(pair("USD/JPY"), open_for_seconds=0.001), run_id=RUN
        )
        messages = await heard(server, T.HEARTBEAT, AgentId.RESEARCH_AGENT_1)
        analyst.go.set()
        await week.result()
        after = await read(server)
    (assigned,) = [m for m in messages if m.correlation_id == "USD/JPY/research_fx"][:1]
    (beat,) = [m for m in messages if m.type is T.HEARTBEAT]
    assert isinstance(beat.content, HeartbeatContent)
    assert (beat.from_agent, beat.content.attempt) == (AgentId.RESEARCH_AGENT_1, 2)
    (taken,) = [
        m for m in messages if m.type is T.TASK_ACCEPTANCE and m.reply_to == assigned.message_id
    ]
    assert isinstance(taken.content, TaskAcceptanceContent)
    assert taken.content.status is AcceptanceStatus.ACCEPTED
    (error,) = [m for m in messages if m.type is T.ERROR_REPORT]
    assert isinstance(error.content, ErrorReportContent)
    assert (error.content.attempt, error.content.final) == (1, False)
    assert "overloaded" in error.content.error.error_message
    assert {beat.reply_to, error.reply_to} == {assigned.message_id}
    assert [m for m in after if m.type is T.HEARTBEAT] == []
    assert assigned in after, "what was told once is told the same"
    assert len([m for m in after if m.type is T.ERROR_REPORT]) == 1, "kept with the next attempt"
    assert [m.type for m in after if m.correlation_id == "USD/JPY/research_fx"][-1] is (
        T.RESEARCH_RESULT
    )
