"""What a run took, counted in its history and in those of its children."""

import asyncio
from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, JsonValue
from temporalio.client import Client

from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.base import Contract, Text
from desk.contracts.names import ActivityName, WorkflowType
from desk.evaluation.scores import Work
from desk.platform.temporal.history import RunHistory, fetch_chain, fetch_history


class TurnTaken(Contract):
    """What of a turn is counted. What a result says does not count here."""

    result: JsonValue = None
    rejected: Annotated[tuple[JsonValue, ...], Field(max_length=100)] = ()
    objection: Text | None = None
    usage: Usage = Usage()

    @property
    def by_model(self) -> bool:
        """Whether a model took it."""
        return self.usage.model != BUILTIN

    @property
    def sent_back(self) -> bool:
        """Whether the desk refused what a model said."""
        return self.by_model and (self.objection is not None or bool(self.rejected))

    @property
    def stands(self) -> bool:
        """Whether it is a model's result, and the desk refused nothing of it."""
        return self.by_model and self.result is not None and not self.sent_back


async def work_of(client: Client, workflow_id: str, run_id: str) -> Work:
    """What a run took, its children and those that it continued included; without the seconds."""
    histories = [each async for each in fetch_chain(client, workflow_id, run_id)]
    counted = await asyncio.gather(*(_counted(client, each) for each in histories))
    return _sum(counted)


async def _counted(client: Client, history: RunHistory) -> Work:
    own = await _own(history)
    children = [
        child.started
        for child in history.children
        if child.started and child.initiated.workflow_type != WorkflowType.HYPOTHESIS
    ]
    below = [
        await _counted(client, await fetch_history(client, child.workflow_id, child.run_id))
        for child in children
    ]
    return _sum((own, *below))


async def _own(history: RunHistory) -> Work:
    turns: dict[str, list[TurnTaken]] = {}
    calls = 0
    for activity in history.activities:
        name, ended = activity.scheduled.name, activity.ended
        calls += name == ActivityName.CALL_TOOL
        if name == ActivityName.TAKE_TURN and activity.completed and ended is not None:
            taken = await history.decode(ended.result, TurnTaken)
            task = activity.scheduled.activity_id.rpartition(".")[0]
            turns.setdefault(task, []).append(taken)
    every = [turn for each in turns.values() for turn in each]
    return Work(
        turns=len(every),
        model_turns=sum(turn.by_model for turn in every),
        objected=sum(turn.sent_back for turn in every),
        mended=sum(_mended(each) for each in turns.values()),
        tool_calls=calls,
        tokens=sum(turn.usage.tokens for turn in every),
        cost_usd=sum((turn.usage.cost_usd for turn in every), Work().cost_usd),
        unpriced_calls=sum(turn.usage.unpriced_calls for turn in every),
    )


def _mended(turns: list[TurnTaken]) -> int:
    """How many of a task's turns that were sent back were followed by an answer that stands."""
    last = len(turns) - next((n for n, t in enumerate(reversed(turns)) if t.stands), len(turns))
    return sum(turn.sent_back for turn in turns[:last])


def _sum(works: Iterable[Work]) -> Work:
    total = Work()
    for work in works:
        total = total.plus(work)
    return total
