"""The engine's floor: a week's activities in the same shape and on the same queues, all empty."""

import asyncio
from datetime import timedelta

from pydantic import BaseModel
from temporalio import activity, workflow
from temporalio.common import RetryPolicy

from contracts.names import Queue
from contracts.report import MarketOutcome
from contracts.tasks import TaskType


def floor_queue(queue: str) -> str:
    """The queue of the floor's workers that stands for one of the desk's."""
    return f"floor.{queue}"


class FloorAgent(BaseModel):
    """One agent's work: a turn, its tool calls side by side, a turn."""

    queue: str
    tool_queues: list[str]
    turns: int


class FloorMarket(BaseModel):
    """A market: agents side by side, then the validator."""

    market: str
    agents: list[FloorAgent]
    validator: FloorAgent | None


@activity.defn
async def empty() -> None:
    """Nothing."""


async def _empty(queue: str) -> None:
    await workflow.execute_activity(
        empty,
        task_queue=floor_queue(queue),
        start_to_close_timeout=timedelta(seconds=20),
        schedule_to_close_timeout=timedelta(minutes=5),
        heartbeat_timeout=timedelta(seconds=1.5),
        retry_policy=RetryPolicy(maximum_attempts=3),
    )


async def _agent(agent: FloorAgent) -> None:
    for turn in range(agent.turns):
        await _empty(agent.queue)
        if turn == 0:
            await asyncio.gather(*(_empty(queue) for queue in agent.tool_queues))


@workflow.defn
class FloorMarketWorkflow:
    """The hops of `MarketResearchWorkflow`."""

    @workflow.run
    async def run(self, market: FloorMarket) -> None:
        """Nothing comes of it."""
        await asyncio.gather(*(_agent(agent) for agent in market.agents))
        if market.validator is not None:
            await _agent(market.validator)


@workflow.defn
class FloorWeekWorkflow:
    """The hops of `WeeklyResearchWorkflow`, up to the published report."""

    @workflow.run
    async def run(self, markets: list[FloorMarket]) -> None:
        """Nothing comes of it."""
        await _empty(Queue.DESK)
        await asyncio.gather(
            *(
                workflow.execute_child_workflow(
                    FloorMarketWorkflow.run,
                    market,
                    id=f"{workflow.info().workflow_id}/market/{market.market}",
                    task_timeout=timedelta(seconds=2),
                )
                for market in markets
            )
        )
        await _empty(Queue.DESK)


def floor_of(outcomes: tuple[MarketOutcome, ...]) -> list[FloorMarket]:
    """The shape of a week that was run: its turns and tool calls, without what is in them."""
    return [_market(outcome) for outcome in outcomes]


def _market(outcome: MarketOutcome) -> FloorMarket:
    by_task: dict[str, FloorAgent] = {}
    for contribution in outcome.agents:
        validates = contribution.task_type is TaskType.VALIDATE
        by_task[contribution.task_type] = FloorAgent(
            queue=Queue.VALIDATION if validates else Queue.RESEARCH,
            tool_queues=[
                f"source.{result.call.server}"
                for result in outcome.evidence
                if f"/{contribution.task_type}/" in result.call.call_id
            ],
            turns=contribution.turns,
        )
    validator = by_task.pop(TaskType.VALIDATE, None)
    return FloorMarket(market=outcome.market, agents=list(by_task.values()), validator=validator)
