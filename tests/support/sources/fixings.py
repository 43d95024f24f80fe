"""A source of fixings that answers when the test wants it to."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import PairQuote, Provenance, Quotes
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from tests.support.runs.scripted import ScriptedTools

SOURCE = Provenance(name="a central bank", tier=SourceTier.AUTHORITATIVE)


@dataclass
class Fixings(ScriptedTools):
    """Answers for every pair with 151, fixed three days before the instant that is asked for.

    So many times it is `away` first. Unless it is `open` it waits for its gate. It refuses every
    call with a pair in it that is `refused`, and one with a `lost` pair gets no answer.
    `asked_at` are the instants that it has answered for.
    """

    away: int = 0
    open: bool = False
    refused: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked_at: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.open:
            self.gate.set()

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `tool_calling.ToolCaller`; what is no question for fixings is scripted."""
        if call.tool != "get_quotes":
            return await super().call(call)
        server, arguments = call.server, call.arguments
        self.calls[call.name] += 1
        if self.away:
            self.away -= 1
            raise ToolUnreachable(f"{server}: it is away")
        await self.gate.wait()
        instant, symbols = arguments["as_of"], arguments["symbols"]
        assert isinstance(instant, str) and isinstance(symbols, list)
        if self.lost.intersection(map(str, symbols)):
            raise ToolUnreachable(f"{server}: it gave no answer")
        if self.refused.intersection(map(str, symbols)):
            return ToolAnswer(refusal="there is no such pair")
        self.asked_at.append(instant)
        at = datetime.fromisoformat(instant)
        quotes = tuple(
            PairQuote(
                symbol=str(symbol),
                value=Decimal("151.00"),
                fixed_on=at.date() - timedelta(days=3),
            )
            for symbol in symbols
        )
        content = Quotes(as_of=at, source=SOURCE, quotes=quotes, ends_on=at.date())
        return ToolAnswer(content=content.model_dump(mode="json"))
