"""A Messages API that bills every request as it comes in, whether or not its answer is taken."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from desk.contracts.agents.usage import Usage
from desk.platform.models.claude import usage_of
from tests.support.models.model_week import CHECKS_FACTS, COMMENTS, PLANS, RESEARCHES, VALIDATES

SAYS: Final[Mapping[str, Mapping[str, Any]]] = {
    RESEARCHES: {"events": [], "news": [], "views": [], "oddities": []},
    VALIDATES: {"issues": [], "confidence": 0.8},
    COMMENTS: {"headline": "A quiet week."},
    CHECKS_FACTS: {"objections": []},
}
LONGEST_SECONDS: Final = 3.0
UNREADABLE: Final = 0.2
"""How often an answer has no form that the desk can use, so that the agent is asked again."""

BYTES_A_TOKEN: Final = 3.5
REFUSED: Final = 0.1
"""How often the API is overloaded, which is not billed."""


@dataclass
class Bill:
    """What was billed since the last `take`."""

    url: str = ""
    _asked: list[Usage] = field(default_factory=list)

    def add(self, usage: Usage) -> None:
        """One request."""
        self._asked.append(usage)

    def take(self) -> list[Usage]:
        """All of it; from here on it counts from nothing."""
        asked, self._asked = self._asked, []
        return asked


@asynccontextmanager
async def metered(markets: tuple[str, ...], chance: random.Random) -> AsyncIterator[Bill]:
    """The API, at an address of its own."""
    bill = Bill()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            body = await _request(reader)
            if chance.random() < REFUSED:
                writer.write(_response(529, _overloaded()))
            else:
                answer = _answer(body, markets, chance)
                bill.add(usage_of(answer["model"], answer["usage"]))
                await asyncio.sleep(chance.uniform(0.05, LONGEST_SECONDS))
                writer.write(_response(200, answer))
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1") as server:
        bill.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield bill


def dearest(asked: list[Usage]) -> Usage:
    """The request that cost most."""
    return max(asked, key=lambda usage: (usage.cost_usd, usage.tokens), default=Usage())


def total(asked: list[Usage]) -> tuple[Decimal, int]:
    """Money and tokens of all requests."""
    return sum((one.cost_usd for one in asked), Decimal(0)), sum(one.tokens for one in asked)


def _answer(body: bytes, markets: tuple[str, ...], chance: random.Random) -> dict[str, Any]:
    asked = json.loads(body)
    # As dear as it may be, in one call of four.
    most = asked["max_tokens"]
    written = most if chance.random() < 0.25 else chance.randint(50, most)
    return {
        "id": f"msg_{chance.getrandbits(64):x}",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": [{"type": "text", "text": _words(asked, markets, chance)}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": int(len(body) / BYTES_A_TOKEN), "output_tokens": written},
    }


def _words(asked: dict[str, Any], markets: tuple[str, ...], chance: random.Random) -> str:
    if chance.random() < UNREADABLE:
        return "Here is what I think."
    system = json.dumps(asked["system"])
    if PLANS in system:
        plan = [{"market": m, "priority": 1, "look_into": ["quote"]} for m in markets]
        return json.dumps({"markets": plan, "note": "As ever."})
    return json.dumps(next(answer for prompt, answer in SAYS.items() if prompt in system))


def _overloaded() -> dict[str, Any]:
    return {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in head[1:] if line)
    return await reader.readexactly(int(fields["content-length"]))


def _response(status: int, content: dict[str, Any]) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} {'OK' if status == 200 else 'Overloaded'}\r\n"
    head += "content-type: application/json\r\nconnection: close\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body
