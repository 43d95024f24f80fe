"""Who watches a run is told what the calls ask that it waits for, from the history of the waiting
workflow. No worker serves the source here, so that the call waits."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import pytest
from temporalio import workflow
from temporalio.api.common.v1 import Payload
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowHandle
from temporalio.converter import PayloadCodec
from temporalio.worker import Worker

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult
from desk.contracts.names import Queue, source_queue
from starters.monitoring.watch import pending_calls
from starters.monitoring.watch.pending_calls import PendingCalls
from starters.monitoring.watch.snapshot import agents_in

CALL: Final = ToolCall(
    call_id="c1", server="ecb", tool="get_quote", arguments={"symbol": "USD/JPY"}
)
BESIDE: Final = CALL.model_copy(update={"call_id": "c2", "tool": "get_historical"})
QUOTE, HISTORY = "ecb.get_quote symbol USD/JPY", "ecb.get_historical symbol USD/JPY"
ASKED: Final = "research_agent_1.research_fx.t1.2x.ecb"


@workflow.defn(sandboxed=False)
class Asking:
    """Waits for one call of an agent."""

    @workflow.run
    async def run(self) -> ToolResult:
        """Never, without a worker of the source."""
        return await workflow.execute_activity_method(
            ToolActivities.call_tool,
            ToolRequest(call=CALL, as_of=datetime(2026, 11, 2, tzinfo=UTC), together=(BESIDE,)),
            task_queue=source_queue(CALL.server),
            activity_id=ASKED,
            start_to_close_timeout=timedelta(minutes=5),
        )


class Damaged(PayloadCodec):
    """Payloads whose bytes are no payload."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """As they are."""
        return [*payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """As protobuf reads bytes that were cut off."""
        return [Payload.FromString(b"\x0a") for _ in payloads]


class Waiting(NamedTuple):
    """A run that waits for a call, long enough for what it asks to be told."""

    client: Client
    run: WorkflowHandle[Asking, ToolResult]
    waits_for: list[PendingActivityInfo]

    async def asked(self, client: Client) -> Mapping[str, tuple[str, ...]]:
        """What a client reads of what is asked."""
        run_id = self.run.first_execution_run_id or ""
        return await PendingCalls().of(client, self.run.id, run_id, self.waits_for)


@pytest.fixture
async def waiting(server: Client, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Waiting]:
    monkeypatch.setattr(pending_calls, "LONG_SECONDS", -60.0)
    async with Worker(server, task_queue=Queue.DESK, workflows=[Asking]):
        run = await server.start_workflow(Asking.run, id="asks", task_queue=Queue.DESK)
        yield Waiting(server, run, await pending(run))


async def test_a_call_that_is_waited_for_says_what_it_asks(waiting: Waiting) -> None:
    asked = await waiting.asked(waiting.client)
    assert asked == {ASKED: (QUOTE, HISTORY)}
    (agent,) = agents_in(waiting.waits_for, asked=asked)
    assert agent.asks == (QUOTE, HISTORY)


async def test_what_a_call_asks_that_cannot_be_read_is_left_out(waiting: Waiting) -> None:
    config = waiting.client.config()
    config["plugins"] = []
    config["data_converter"] = replace(waiting.client.data_converter, payload_codec=Damaged())
    assert await waiting.asked(Client(**config)) == {}


async def pending(handle: WorkflowHandle[Asking, ToolResult]) -> list[PendingActivityInfo]:
    """What a run waits for, once it does."""
    async with asyncio.timeout(60):
        while True:
            described = await handle.describe()
            if waits_for := list(described.raw_description.pending_activities):
                return waits_for
            await asyncio.sleep(0.05)
