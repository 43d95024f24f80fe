"""The engine's floor: a week's calls in the same shape, on queues of the same kind, all empty.

They are asked of the engine as the week asks for them, with ids, summaries, priorities, bounds and
search attributes; the activities do nothing and carry nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

from pydantic import BaseModel
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.worker import Worker

from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import Queue, source_queue
from desk.contracts.week.report import MarketOutcome
from workers.tuning import EAGER_ACTIVITY_TUNING, TUNING
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    TASK_TIMEOUT,
    WEEK,
    note_outcome,
    note_phase,
    priority,
    retry_policy,
    run_attributes,
)


def floor_queue(queue: str) -> str:
    """The queue of the floor's workers that stands for one of the desk's."""
    return f"floor.{queue}"


class FloorAgent(BaseModel):
    """One agent's work: its tool calls side by side, then its turns. One that is not `opened` has a
    turn before its calls, which names them."""

    queue: str
    tool_queues: list[str]
    turns: int
    opened: bool = False


class FloorMarket(BaseModel):
    """A market: agents side by side, then the validator."""

    market: str
    agents: list[FloorAgent]
    validator: FloorAgent | None

    @property
    def all_agents(self) -> list[FloorAgent]:
        """The validator among them."""
        return [*self.agents, *([self.validator] if self.validator else [])]

    @property
    def tool_queues(self) -> set[str]:
        """All queues that a tool call of it goes to."""
        return {queue for agent in self.all_agents for queue in agent.tool_queues}

    @property
    def steps(self) -> int:
        """Turns and tool calls."""
        return sum(agent.turns + len(agent.tool_queues) for agent in self.all_agents)


@activity.defn
async def empty() -> None:
    """Nothing."""


async def _empty(queue: str, activity_id: str, market: str | None = None) -> None:
    await workflow.execute_activity(
        empty,
        task_queue=floor_queue(queue),
        activity_id=activity_id,
        summary=f"{activity_id} for {market}",
        start_to_close_timeout=timedelta(seconds=20),
        schedule_to_close_timeout=timedelta(minutes=5),
        heartbeat_timeout=HEARTBEAT_TIMEOUT,
        retry_policy=retry_policy(RetryConfig()),
        priority=priority(3, market),
    )


async def _agent(market: str, name: str, agent: FloorAgent) -> None:
    for turn in range(agent.turns + agent.opened):
        if turn or not agent.opened:
            await _empty(agent.queue, f"{name}.t{turn}", market)
        if turn == 0:
            await asyncio.gather(
                *(
                    _empty(queue, f"{name}.t{turn}.{number}", market)
                    for number, queue in enumerate(agent.tool_queues)
                )
            )


@workflow.defn
class FloorMarketWorkflow:
    """The hops of `MarketResearchWorkflow`."""

    @workflow.run
    async def run(self, market: FloorMarket) -> None:
        """Nothing comes of it."""
        await asyncio.gather(
            *(
                _agent(market.market, f"agent_{number}", agent)
                for number, agent in enumerate(market.agents)
            )
        )
        if market.validator is not None:
            await _agent(market.market, "validator", market.validator)
        note_outcome(Outcome.RESEARCHED)


@workflow.defn
class FloorWeekWorkflow:
    """The hops of `WeeklyResearchWorkflow`, up to the published report."""

    @workflow.run
    async def run(self, markets: list[FloorMarket]) -> None:
        """Nothing comes of it."""
        workflow.upsert_search_attributes([WEEK.value_set("floor")])
        note_phase(Phase.PLANNING)
        await _empty(Queue.DESK, "read_revisions")
        await _empty(Queue.DESK, "plan")
        note_phase(Phase.RESEARCHING)
        await asyncio.gather(
            *(
                workflow.execute_child_workflow(
                    FloorMarketWorkflow.run,
                    market,
                    id=f"{workflow.info().workflow_id}/market/{market.market}",
                    task_timeout=TASK_TIMEOUT,
                    priority=priority(3, market.market),
                    search_attributes=run_attributes(
                        market.market, week="floor", phase=Phase.RESEARCHING
                    ),
                    static_summary=f"{market.market}, floor",
                )
                for market in markets
            )
        )
        note_phase(Phase.PUBLISHING)
        await _empty(Queue.DESK, "publish")
        note_outcome(Outcome.COMPLETE)


@asynccontextmanager
async def floor_workers(
    client: Client,
    markets: Sequence[FloorMarket],
    step: Callable[[], Awaitable[None]] = empty,
) -> AsyncIterator[None]:
    """Workers of all queues that these markets' calls go to, for whom each activity is `step`; all
    in one process, where they work as those of a desk do."""
    # This module is loaded within the sandbox, for each of the workflows.
    from desk.platform.temporal.sandbox import workflow_runner

    sources = sorted(set().union(*(market.tool_queues for market in markets)))
    others = (Queue.RESEARCH, Queue.VALIDATION, *sources)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(
            Worker(
                client,
                task_queue=floor_queue(Queue.DESK),
                workflows=[FloorWeekWorkflow, FloorMarketWorkflow],
                activities=[step],
                workflow_runner=workflow_runner(here={floor_queue(queue) for queue in others}),
                max_concurrent_workflow_tasks=16,
                max_cached_workflows=2_000,
                **EAGER_ACTIVITY_TUNING,
                **TUNING,
            )
        )
        for queue in others:
            await stack.enter_async_context(
                Worker(client, task_queue=floor_queue(queue), activities=[step], **TUNING)
            )
        yield


def floor_of(outcomes: tuple[MarketOutcome, ...]) -> list[FloorMarket]:
    """The shape of a week that was run: its turns and tool calls, without what is in them."""
    return [_market(outcome) for outcome in outcomes]


def _market(outcome: MarketOutcome) -> FloorMarket:
    by_task: dict[str, FloorAgent] = {}
    for contribution in outcome.agents:
        validates = contribution.task_type is TaskType.VALIDATE
        asked = _asked(outcome, contribution.task_type)
        by_task[contribution.task_type] = FloorAgent(
            queue=Queue.VALIDATION if validates else Queue.RESEARCH,
            tool_queues=list(asked.values()),
            turns=contribution.turns,
            opened=any(".t0." in activity for activity in asked),
        )
    validator = by_task.pop(TaskType.VALIDATE, None)
    return FloorMarket(market=outcome.market, agents=list(by_task.values()), validator=validator)


def _asked(outcome: MarketOutcome, task: TaskType) -> dict[str, str]:
    """The queues of a task's tool calls, by their activities."""
    return {
        result.place.activity_id: source_queue(result.call.server)
        for result in outcome.evidence
        if result.place is not None and f"/{task}/" in result.call.call_id
    }
