"""The markets that a plan or a conclusion may name: the desk's, and those that were found."""

from collections.abc import Iterable, Iterator

from pydantic import JsonValue, ValidationError

from desk.agents.capabilities import capability_of
from desk.analytics.names.markets import market_of_symbol
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolResult
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.episode.analysis import KnownSymbol, KnownSymbols
from desk.contracts.markets import MarketSpec
from desk.contracts.swarm.swarm import SwarmPlan
from desk.trust.ledger import EvidenceUnusable, check_result


def markets_known(request: TurnRequest) -> dict[str, MarketSpec]:
    """Every market that there is something to find out about, by its symbol: found for the
    objective, planned for before, or covered by the desk."""
    planned = (
        spec.market
        for entry in request.state
        if isinstance(entry.result, SwarmPlan)
        for spec in entry.result.subagents
    )
    symbols = _found(request, request.results)
    found = (market_of_symbol(symbol, request.markets) for symbol in symbols)
    known: dict[str, MarketSpec] = {}
    for market in (*planned, *found, *request.markets):
        known.setdefault(market.market, market)
    return known


def symbols_found(request: TurnRequest) -> list[JsonValue]:
    """What the desk found for the objective: what it names, then what comes nearest. What a model
    looks up besides stands in its conversation."""
    own = [r for exchange in request.exchanges if not exchange.said for r in exchange.results]
    return [
        {
            "symbol": symbol.symbol,
            "kind": symbol.kind,
            "name": symbol.name,
            "prices_until": symbol.last_day.isoformat() if symbol.last_day else None,
        }
        for symbol in dict.fromkeys(_found(request, own))
    ]


def _found(request: TurnRequest, results: Iterable[ToolResult]) -> Iterator[KnownSymbol]:
    answers = [read for result in results if (read := _read(request, result))]
    for answer in answers:
        yield from answer.named
    for answer in answers:
        yield from answer.nearest


def _read(request: TurnRequest, result: ToolResult) -> KnownSymbols | None:
    if capability_of(result.call) is not Capability.SYMBOLS:
        return None
    try:
        check_result(result, request.assignment.window)
        return KnownSymbols.model_validate(result.content)
    except (EvidenceUnusable, ValidationError):
        return None
