"""A model's call is fitted to what it may cost, and not made where that is too little."""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from temporalio.testing import ActivityEnvironment

from activities.effects import effect_key
from activities.model_turns import LEAST_WRITTEN
from activities.turns import Analysts
from desk.contracts.agents.budget import Allowance, ModelPrice
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.effects.journal import EffectJournal
from desk.platform.models.claude import price_of, usage_of
from desk.programs.claude.turns import model_call
from tests.support.builders import pair_market, request

PRICE = ModelPrice(read=Decimal("0.000002"), written=Decimal("0.00001"))


@dataclass
class Caller:
    """A model of one price, or of none that is known, which notes what it is asked."""

    known: ModelPrice | None = PRICE
    asked: list[ModelCall] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    def price(self, model: str, reading: int) -> ModelPrice | None:
        """See `ModelCaller.price`."""
        self.read.append(reading)
        return self.known

    async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
        """See `ModelCaller.ask`."""
        self.asked.append(call)
        usage = Usage(input_tokens=10, output_tokens=10, model=call.model)
        return ModelAnswer(content=(), text="", stop_reason=StopReason.END_TURN, usage=usage)


def planning(**allowed: object) -> TurnRequest:
    """A turn on the week's plan by a model that may spend so much."""
    return request(TaskType.PLAN_WEEK, None, markets=[pair_market()]).model_copy(
        update={"model": "claude-opus-5-5", "allowance": Allowance.model_validate(allowed)}
    )


async def turn(caller: Caller, asked: TurnRequest) -> Turn:
    """The turn, taken as an activity."""
    with TemporaryDirectory() as folder:
        journal = EffectJournal(Path(folder) / "effects.db")
        analyst = Analysts(journal.paid, caller)
        taken: Turn = await ActivityEnvironment().run(analyst.__call__, asked)
        journal.close()
    return taken


async def test_without_a_limit_a_call_is_made_as_it_is() -> None:
    caller, asked = Caller(), planning()
    await turn(caller, asked)
    assert caller.asked == [model_call(asked)]


@pytest.mark.parametrize("usd", ["0.05", "0.08", "5"])
async def test_a_call_writes_no_more_than_can_be_paid_for(usd: str) -> None:
    caller = Caller()
    await turn(caller, planning(usd=usd))
    (call,) = caller.asked
    (reading,) = caller.read
    assert LEAST_WRITTEN <= call.max_tokens <= 16_000
    assert reading * PRICE.read + call.max_tokens * PRICE.written <= Decimal(usd)


@pytest.mark.parametrize("allowed", [{"usd": "0.02"}, {"tokens": 2_500}, {"usd": "0"}])
async def test_a_call_that_could_write_too_little_is_not_made(allowed: dict[str, object]) -> None:
    caller = Caller()
    taken = await turn(caller, planning(**allowed))
    assert "could cost more than is left" in (taken.over_budget or "")
    assert caller.asked == []


async def test_a_call_of_unknown_price_is_made_where_tokens_alone_are_limited() -> None:
    caller = Caller(known=None)
    await turn(caller, planning(tokens=50_000))
    assert len(caller.asked) == 1


async def test_what_finding_an_endpoint_out_may_take_is_written_down_before_it_is_asked() -> None:
    written: list[Usage] = []

    class Noting(Caller):
        async def ask(self, call: ModelCall, *, timeout_seconds: float) -> ModelAnswer:
            written.append(journal.paid.total(effect_key()) or Usage())
            return await super().ask(call, timeout_seconds=timeout_seconds)

    most = {}
    for model in ("claude-opus-5-5", "gemma3:270m"):
        caller = Noting(known=None)
        asked = planning(tokens=50_000).model_copy(update={"model": model})
        with TemporaryDirectory() as folder:
            journal = EffectJournal(Path(folder) / "effects.db")
            await ActivityEnvironment().run(Analysts(journal.paid, caller).__call__, asked)
            journal.close()
        (call,) = caller.asked
        most[model] = written.pop().lost_tokens - call.max_tokens
        assert most[model] + call.max_tokens <= 50_000
    assert most["gemma3:270m"] - most["claude-opus-5-5"] > 6 * 64


async def test_a_call_of_unknown_price_is_not_paid_from_money_and_the_turn_says_so() -> None:
    caller = Caller(known=None)
    taken = await turn(caller, planning(usd="100"))
    assert "the price of claude-opus-5-5 is not known" in (taken.over_budget or "")
    assert caller.asked == []


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"])
@pytest.mark.parametrize("reading", [0, 900, 100_000, 130_000, 300_000])
def test_no_call_costs_more_than_its_price_said_before(model: str, reading: int) -> None:
    price = price_of(model, reading)
    assert price is not None
    for kind in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"):
        counted = {"input_tokens": 0, "output_tokens": 3_000, kind: reading}
        most = reading * price.read + 3_000 * price.written
        assert usage_of(model, counted).cost_usd <= most
