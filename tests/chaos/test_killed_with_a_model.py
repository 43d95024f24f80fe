"""kill -9 in a week by Claude: what was paid for is not paid for again."""

import asyncio
import json
import os
import random
import re
import signal
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from desk.platform.temporal.client import connect
from tests.chaos.test_killed_processes import published
from tests.support.models.billing import billing
from tests.support.models.model_server import ModelServer, model_server
from tests.support.models.model_week import (
    CHECKS_FACTS,
    COMMENTS,
    KEY,
    PLANS,
    RESEARCHES,
    USED,
    VALIDATES,
    Scripted,
)
from tests.support.processes.counted_worker import all_ended, read_notes
from tests.support.processes.fleet import ROLES, desk_at, start
from workers.hosting import Role

MARKETS = ("USD/JPY", "JP")
PAUSE_SECONDS = 0.15

ASKS = {
    PLANS: Role.ORCHESTRATOR,
    COMMENTS: Role.ORCHESTRATOR,
    CHECKS_FACTS: Role.ORCHESTRATOR,
    RESEARCHES: Role.RESEARCH,
    VALIDATES: Role.VALIDATION,
}
"""Which process asks a model with which prompt."""


class Kill(NamedTuple):
    """Who are killed, after how many calls and how long after the last of them. The server dies
    alone, or with all workers when what they were at is done and the server has not heard of it."""

    victims: tuple[Role, ...]
    calls: int
    seconds: float
    with_server: bool = False


class Disturbed(NamedTuple):
    """A week's report and its calls, and those that the kills cut off."""

    report: str
    calls: Counter[bytes]
    cut_off: Counter[bytes]

    @property
    def findings(self) -> Any:
        """The report without what it took."""
        return json.loads(self.report, object_hook=_without_usage)

    @property
    def answered(self) -> int:
        """How many answers the report says that it paid for."""
        taken: int = json.loads(self.report)["usage"]["output_tokens"]
        return taken // USED["output_tokens"]


def _without_usage(of: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in of.items() if name not in ("usage", "cost_usd")}


def kills(seed: int, calls: int) -> tuple[Kill, ...]:
    """A kill of everyone who has to do with models, of the server, and of all together, in some
    order."""
    chance = random.Random(seed)
    whom: list[tuple[Role, ...]] = [(role,) for role in sorted(set(ASKS.values()))]
    whom += [(), ROLES]
    chance.shuffle(whom)
    after = sorted(chance.sample(range(1, calls + 1), len(whom)))
    return tuple(
        Kill(victims, number, chance.uniform(0, 2 * PAUSE_SECONDS), victims in ((), ROLES))
        for victims, number in zip(whom, after, strict=True)
    )


def asking(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """What the agent on the prices of USD/JPY is answered, however often the same is asked: at its
    first turn a call of a tool, then a result."""
    asked = '"market": "USD/JPY", "task": "research_fx"'
    where = {"systemMessage": RESEARCHES, "userMessage": asked}
    call = {"id": "toolu_1", "name": tool, "arguments": arguments}
    nothing = '{"events": [], "news": [], "views": [], "oddities": []}'
    return [
        {
            "match": {**where, "turnIndex": 0},
            "response": {"content": "Let me look.", "toolCalls": [call], "usage": USED},
        },
        {"match": {**where, "turnIndex": 1}, "response": {"content": nothing, "usage": USED}},
    ]


def asks(body: bytes) -> Role:
    """Whose call it is, by the first words of its prompt."""
    return next(role for words, role in ASKS.items() if words.encode() in body)


def made_for(body: bytes, key: str) -> bool:
    """Whether a call was made in the turn with this key, or in an earlier one of the same task."""
    role = asks(body)
    if role is Role.ORCHESTRATOR:
        return "/product_manager." in key
    question = json.loads(body)["messages"][0]["content"]
    market, task = (
        re.search(rf'"{name}": "([^"]+)"', str(question)) for name in ("market", "task")
    )
    assert market is not None
    if f"/market/{market[1]}/" not in key:
        return False
    if role is Role.VALIDATION:
        return "/validator_agent." in key
    return task is not None and f".{task[1]}." in key


def cut_off_by(log: Path, killed: Collection[int], calls: Sequence[bytes]) -> Iterator[bytes]:
    """The calls in whose turns processes were killed: what they were answered is not written down,
    or was a moment ago."""
    begun, done = (
        {
            note["key"]
            for note in read_notes(log)
            if note["stage"] == stage and note["pid"] in killed
        }
        for stage in ("started", "done")
    )
    for key in begun - done:
        yield from [body for body in calls if made_for(body, key)][-1:]


async def week(directory: Path, model: ModelServer, disturbances: Sequence[Kill]) -> Disturbed:
    """A week to its report, with these kills on the way."""
    cut_off = Counter[bytes]()
    async with billing(model.url, PAUSE_SECONDS) as bill:
        variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": bill.url}
        roles = ROLES if disturbances else (Role.ALL,)
        async with desk_at(directory, roles, **variables) as (settings, server, fleet, log):
            client = await connect(settings)
            await start(client, settings, MARKETS)
            for kill in disturbances:
                await bill.asked(kill.calls)
                await asyncio.sleep(kill.seconds)
                if kill.with_server and kill.victims:
                    # The server stops listening first: it never hears of what is done now.
                    os.kill(server.pid, signal.SIGSTOP)
                    await all_ended(log, {fleet.pid(role) for role in ROLES})
                killed = {fleet.pid(role) for role in kill.victims}
                at = server.pid
                if kill.with_server:
                    os.kill(at, signal.SIGKILL)
                for role in kill.victims:
                    fleet.kill(role)
                cut_off.update(cut_off_by(log, killed, bill.calls))
                while kill.with_server and server.pid == at:
                    await asyncio.sleep(0.02)
                for role in kill.victims:
                    fleet.start(role)
            report = await published(client)
        return Disturbed(report, Counter(bill.calls), cut_off)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """A Messages API that answers the same call the same way, whoever asks and how often."""
    script = [*asking("ecb__get_quote", symbol="EUR/USD"), *Scripted().fixtures(*MARKETS)]
    with model_server(tmp_path_factory.mktemp("model"), script) as server:
        yield server


@pytest.fixture(scope="module")
async def undisturbed(tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> Disturbed:
    """The week in which nothing is killed: no call is made twice."""
    found = await week(tmp_path_factory.mktemp("undisturbed"), model, ())
    assert set(found.calls.values()) == {1}
    return found


@pytest.mark.parametrize("seed", [5])
async def test_only_calls_under_way_at_a_kill_are_paid_for_twice(
    seed: int, tmp_path: Path, model: ModelServer, undisturbed: Disturbed
) -> None:
    disturbances = kills(seed, undisturbed.calls.total())
    found = await week(tmp_path, model, disturbances)
    assert found.findings == undisturbed.findings
    again = found.calls - undisturbed.calls
    # An answer may have been paid for and written down, and its turn cut off before it was kept.
    twice = found.answered - undisturbed.answered
    assert 0 <= twice <= again.total()
    assert again <= found.cut_off, "what has been answered was paid for again, or more was asked"
    assert found.calls - again == undisturbed.calls
