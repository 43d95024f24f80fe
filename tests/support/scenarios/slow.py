"""A desk on a machine that has more work than processors: no heartbeat comes in time."""

import asyncio
from datetime import timedelta

import pytest

from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunConfig
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer
from tests.support.runs.desk import desk_config, pair
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools

SLOW_SECONDS = 4.0
"""Longer than a worker may be silent in two attempts by the usual heartbeat timeout."""


def without_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """No activity comes to send a heartbeat."""
    monkeypatch.setattr("activities.effects.INTERVAL_SECONDS", 3_600)


def twice_tried() -> RunConfig:
    """A week of one pair, whose activities are tried twice."""
    return desk_config(
        pair("USD/JPY"),
        deadlines=DeadlineConfig(open_for_reruns=timedelta(seconds=1)),
        retries=RetryConfig(max_attempts=2, first_pause=timedelta(milliseconds=50)),
    )


class SlowTools(ScriptedTools):
    """Tools that answer late."""

    async def call(self, call: ServerCall) -> ToolAnswer:
        """The answer, late."""
        await asyncio.sleep(SLOW_SECONDS)
        return await super().call(call)


class SlowToConclude(ScriptedAnalyst):
    """An analyst who asks soon and finds late."""

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn, late if it is the last one."""
        await asyncio.sleep(SLOW_SECONDS if request.exchanges else 0)
        return await super().__call__(request)
