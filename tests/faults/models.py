"""What a scripted Claude says in each program: the same to the same call, however often it comes,
so that a call that is made again is answered as the first time."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any, Final

from genai_prices import extract_usage

from tests.faults.fault import Program
from tests.faults.programs import MARKETS
from tests.faults.scene import Scene
from tests.support.models.billing import Billing, billing
from tests.support.models.model_questions import Questioned
from tests.support.models.model_server import model_server
from tests.support.models.model_stock import Episode, advice, insight
from tests.support.models.model_swarm import Swarmed, finding, part_of
from tests.support.models.model_week import KEY, Scripted

USED: Final = {"input_tokens": 900, "output_tokens": 6_000}
"""What every answer takes: a few of them are a dollar."""

THINKS_SECONDS: Final = 0.8
"""So long the model takes over an answer, so that a fault finds calls under way."""


@asynccontextmanager
async def model(scene: Scene, thinks: float = THINKS_SECONDS) -> AsyncIterator[Billing]:
    """A Messages API for the scene's program that bills every request as it comes in."""
    folder = scene.stage.folder("model")
    with model_server(folder, _costly(script(scene.program))) as server:
        async with billing(server.url, thinks) as bill:
            yield bill


def variables(bill: Billing) -> Mapping[str, str]:
    """What makes the desk's agents models."""
    return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": bill.url}


def line(scene: Scene) -> tuple[str, ...]:
    """What the program is asked with a model: a swarm is a small one."""
    return tuple("simple" if word == "complex" else word for word in scene.asking.line)


def asked_twice(bill: Billing) -> int:
    """How many requests came in that had come in before."""
    return len(bill.calls) - len(Counter(bill.calls))


def billed(calls: Sequence[bytes]) -> Decimal:
    """What all requests cost, each with what the model says it used."""
    return sum((price(call) for call in calls), Decimal(0))


def price(call: bytes) -> Decimal:
    """What one request costs, by the installed prices."""
    response = {"model": str(json.loads(call)["model"]), "usage": USED}
    return extract_usage(response, provider_id="anthropic").calc_price().total_price


def script(program: Program) -> list[dict[str, Any]]:
    """All that is said, as aimock takes it."""
    match program:
        case Program.WEEK:
            return Scripted().fixtures(*MARKETS)
        case Program.QUESTION:
            # Among the agents that answer are those of a week.
            return [*Questioned().fixtures(), *Scripted().fixtures()]
        case Program.SWARM:
            return _stateless(_swarm().fixtures())
        case Program.EPISODE:
            return _stateless(_episode().fixtures())


def _costly(fixtures: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, with what the campaign's answers take."""
    return [{**each, "response": {**each["response"], "usage": USED}} for each in fixtures]


def _stateless(fixtures: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, whatever was asked before."""
    return [
        {**each, "match": {k: v for k, v in each["match"].items() if k != "sequenceIndex"}}
        for each in fixtures
    ]


def _swarm() -> Swarmed:
    swarm = Swarmed()
    swarm.role("plan").delivers(
        {
            "complexity": "simple",
            "strategy": "Ask the price for momentum and the rates for what it pays.",
            "subagents": [part_of("technical"), part_of("fundamental")],
        }
    )
    rsi, carry = "USD/JPY:rsi", "USD/JPY:carry_to_volatility"
    swarm.role("technical").delivers(
        finding(f"Momentum stands at [[{rsi}]].", rsi, "indicator_calculator")
    )
    swarm.role("fundamental").delivers(
        finding(f"It pays [[{carry}]] of its swings.", carry, "ratio_calculator")
    )
    swarm.role("conclusion").delivers(
        {"summary": f"Momentum is [[{rsi}]], and it pays [[{carry}]].", "hypotheses": []}
    )
    return swarm


def _episode() -> Episode:
    episode = Episode()
    level = {"topic": "level", "statement": "It stands at [[NVDA:rsi]].", "confidence": 0.6}
    episode.role("ta_basic").delivers(
        {"findings": [{**level, "claims": ["NVDA:rsi"]}], "confidence": 0.6}
    )
    stretch = insight("stretch", "rsi", leaning="down", strength=0.3)
    episode.role("insight").delivers({"insights": [insight(), stretch], "confidence": 0.5})
    episode.role("recommendation").delivers(advice(confidence=0.1))
    return episode
