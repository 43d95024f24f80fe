"""A model's turn is paid for once, and what may have been paid besides is told and kept back."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.turns import Analysts, TurnActivities
from desk.contracts.agents.budget import Allowance, ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.effects.journal import EffectJournal
from desk.platform.models.model_calling import ModelFailed
from desk.runs.assignments.budget import taken_by
from tests.support.builders import pair_market, request

PRICE = ModelPrice(read=Decimal("0.000002"), written=Decimal("0.00001"))
BILLED = Usage(input_tokens=900, output_tokens=100, cost_usd=Decimal("0.0028"), model="claude-x-1")
ANSWER = ModelAnswer(content=(), text="", stop_reason=StopReason.END_TURN, usage=BILLED)


async def answers() -> ModelAnswer:
    return ANSWER


async def never() -> ModelAnswer:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


@dataclass
class Model:
    """A model that meets each call in its own way, the last way from then on."""

    ways: list[Callable[[], Awaitable[ModelAnswer]]]
    asked: list[ModelCall] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    def price(self, model: str, reading: int) -> ModelPrice | None:
        """See `ModelCaller.price`."""
        return PRICE

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """See `ModelCaller.ask`."""
        self.asked.append(call)
        self.began.set()
        return await (self.ways.pop(0) if len(self.ways) > 1 else self.ways[0])()

    def bound(self, place: int = 0) -> Decimal:
        """What a call may cost at most, by the tokens that it may write alone."""
        return self.asked[place].max_tokens * PRICE.written


class Worker:
    """A worker process with its journal; `dies` is what kill -9 leaves: the file."""

    def __init__(self, folder: Path, model: Model) -> None:
        self._folder, self._model = folder, model
        self._begin()

    def _begin(self) -> None:
        self.journal = EffectJournal(self._folder / "effects.db")
        analyst = Analysts(self.journal.paid, self._model)
        self.turns = TurnActivities(analyst, self.journal)

    async def take(self, asked: TurnRequest, attempt: int = 1) -> Turn:
        """An attempt at the turn."""
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, attempt=attempt)
        turn: Turn = await environment.run(self.turns.take_turn, asked)
        return turn

    async def dies_with(self, asked: TurnRequest, attempt: int = 1) -> None:
        """Killed while it waits for the answer to an attempt."""
        self._model.began.clear()
        under_way = asyncio.create_task(self.take(asked, attempt))
        await self._model.began.wait()
        under_way.cancel()
        with pytest.raises(asyncio.CancelledError):
            await under_way
        self.journal.close()
        self._begin()


def planning(usd: str | None = None) -> TurnRequest:
    """A turn on the week's plan by a model."""
    return request(TaskType.PLAN_WEEK, None, markets=[pair_market()]).model_copy(
        update={"model": "claude-x-1", "allowance": Allowance(usd=usd)}
    )


def taken(turn: Turn) -> Decimal:
    """What counts as spent of it."""
    return taken_by(turn.usage).usd or Decimal(0)


async def test_an_answer_that_is_lost_with_its_worker_is_charged_beside_the_next(
    tmp_path: Path,
) -> None:
    model = Model([never, answers])
    worker = Worker(tmp_path, model)
    await worker.dies_with(planning("1"))
    turn = await worker.take(planning("1"), attempt=2)
    assert (turn.usage.cost_usd, turn.usage.lost_calls) == (BILLED.cost_usd, 1)
    assert turn.usage.lost_usd >= model.bound()


async def test_an_answer_whose_worker_died_before_its_turn_was_kept_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, asked = Model([answers]), planning("1")
    with monkeypatch.context() as killed:
        killed.setattr("activities.model_turns.turn_of", _killed)
        with pytest.raises(asyncio.CancelledError):
            await Worker(tmp_path, model).take(asked)
    turn = await Worker(tmp_path, model).take(asked, attempt=2)
    assert len(model.asked) == 1
    assert turn.usage == BILLED
    assert turn.result is not None or turn.feedback is not None


async def test_an_attempt_that_joined_another_is_no_call_of_its_own(tmp_path: Path) -> None:
    refuse = asyncio.Event()

    async def overloaded() -> ModelAnswer:
        await refuse.wait()
        raise ModelFailed("Claude answered 529", again=True)

    model = Model([overloaded, answers])
    worker = Worker(tmp_path, model)
    first = asyncio.create_task(worker.take(planning("1")))
    await model.began.wait()
    first.cancel()
    joined = asyncio.create_task(worker.take(planning("1"), attempt=2))
    await asyncio.sleep(0)
    refuse.set()
    ended = await asyncio.gather(first, joined, return_exceptions=True)
    assert all(isinstance(each, BaseException) for each in ended)
    turn = await worker.take(planning("1"), attempt=3)
    assert (len(model.asked), turn.usage) == (2, BILLED)


def _killed(*_: object) -> Turn:
    raise asyncio.CancelledError


async def test_attempts_together_never_ask_for_more_than_the_turn_may_cost(tmp_path: Path) -> None:
    model = Model([never])
    worker, asked = Worker(tmp_path, model), planning("0.3")
    for attempt in range(1, 9):
        try:
            async with asyncio.timeout(0.2):
                await worker.dies_with(asked, attempt)
        except TimeoutError:
            break
    turn = await worker.take(asked, attempt=9)
    assert turn.over_budget is not None
    assert turn.usage.lost_calls == len(model.asked) < 8
    assert sum(call.max_tokens for call in model.asked) * PRICE.written <= Decimal("0.3")
    assert Decimal("0.1") < taken(turn) <= Decimal("0.3")


async def test_a_call_that_was_refused_before_it_was_billed_costs_nothing(tmp_path: Path) -> None:
    async def overloaded() -> ModelAnswer:
        raise ModelFailed("Claude answered 529", again=True)

    worker = Worker(tmp_path, Model([overloaded, answers]))
    with pytest.raises(ApplicationError) as failed:
        await worker.take(planning("1"))
    assert not failed.value.non_retryable
    turn = await worker.take(planning("1"), attempt=2)
    assert turn.usage == BILLED


async def test_a_call_that_is_cut_off_says_what_it_may_have_cost(tmp_path: Path) -> None:
    async def cut_off() -> ModelAnswer:
        raise ModelFailed("no way to Claude: ReadError", again=True, billed=True)

    model = Model([cut_off])
    with pytest.raises(ApplicationError) as failed:
        await Worker(tmp_path, model).take(planning())
    assert failed.value.type == FailureType.CALL_CUT_OFF
    told = Usage.model_validate(failed.value.details[0])
    assert told.lost_calls == 1
    assert told.lost_usd >= model.bound()


@pytest.mark.parametrize("error", [ImportError("no such name"), ValueError("not a number")])
async def test_whatever_fails_after_a_lost_answer_says_what_that_may_have_cost(
    tmp_path: Path, error: Exception
) -> None:
    async def fails() -> ModelAnswer:
        raise error

    model = Model([never, fails])
    worker = Worker(tmp_path, model)
    await worker.dies_with(planning("1"))
    with pytest.raises(ApplicationError, match=str(error)) as failed:
        await worker.take(planning("1"), attempt=2)
    assert failed.value.non_retryable is isinstance(error, ValueError)
    assert Usage.model_validate(failed.value.details[0]).lost_usd >= model.bound()


async def test_an_attempt_that_comes_too_late_is_joined_by_the_next(tmp_path: Path) -> None:
    ready = asyncio.Event()

    async def slow() -> ModelAnswer:
        await ready.wait()
        return ANSWER

    model = Model([slow])
    worker = Worker(tmp_path, model)
    first = asyncio.create_task(worker.take(planning("1")))
    await model.began.wait()
    first.cancel()
    second = asyncio.create_task(worker.take(planning("1"), attempt=2))
    await asyncio.sleep(0)
    ready.set()
    assert (await second).usage == BILLED
    assert len(model.asked) == 1


async def test_an_answer_that_nobody_waits_for_is_kept_for_the_next_attempt(tmp_path: Path) -> None:
    ready = asyncio.Event()

    async def slow() -> ModelAnswer:
        await ready.wait()
        return ANSWER

    model = Model([slow])
    worker = Worker(tmp_path, model)
    first = asyncio.create_task(worker.take(planning("1")))
    await model.began.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    ready.set()
    assert (await worker.take(planning("1"), attempt=2)).usage == BILLED
    assert len(model.asked) == 1


async def test_what_another_machine_may_have_asked_is_assumed(tmp_path: Path) -> None:
    model = Model([answers])
    turn = await Worker(tmp_path, model).take(planning("1"), attempt=3)
    assert turn.usage.lost_calls == 2
    assert turn.usage.cost_usd == BILLED.cost_usd
    assert taken(turn) <= Decimal(1)


async def test_an_answer_that_was_kept_is_told_with_all_attempts_at_it(tmp_path: Path) -> None:
    model = Model([never, answers])
    worker = Worker(tmp_path, model)
    await worker.dies_with(planning("1"))
    second = await worker.take(planning("1"), attempt=2)
    assert await worker.take(planning("1"), attempt=3) == second
    assert len(model.asked) == 2


async def test_a_call_that_cannot_be_written_down_is_not_made(tmp_path: Path) -> None:
    model = Model([answers])
    worker = Worker(tmp_path, model)
    worker.journal.close()
    with pytest.raises(Exception, match="closed database"):
        await worker.take(planning("1"))
    assert not model.asked
