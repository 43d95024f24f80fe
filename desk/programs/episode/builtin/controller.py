"""The controller of a stock's episode: chooses the requested steps, or else the usual order."""

import re
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.prices.fixings import LONGEST_GAP
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import capability_of
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import Analysis, KnownSymbol, KnownSymbols
from desk.contracts.episode.stock import ActionChoice
from desk.contracts.findings.results import AgentError
from desk.contracts.markets import MarketKind
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible, ask, consult, market_of, read
from desk.programs.episode.actions import next_in_order
from desk.programs.episode.builtin.shown import shown_board
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.conclusion.wording import nearest_symbols_words
from desk.trust.prose import clip

STEP, STEPS = "step", "steps"
"""The parameters of the query with the number of the step to choose, counted from 1, and with the
requested steps."""

NO_SUCH: Final = "there are no prices of"
"""How the source of prices refuses a symbol that it does not know."""

_ROUND: Final = re.compile(r"\.(?P<round>[1-9]\d*)$")


def choose(request: TurnRequest) -> Turn:
    """Checks in the first step that the symbol has prices. Then, and in every later step at once,
    chooses the next action, or none at the end.

    Raises:
        TaskNotPossible: the symbol has no prices, or the source did not answer.
    """
    number = _number(request)
    if number == 1:
        asked = _checked(request)
        if asked is not None:
            return asked
    action, reason = _next(request, number)
    choice = ActionChoice(
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        market=market_of(request),
        action=action,
        reason=reason,
    )
    return Turn(result=choice)


def _number(request: TurnRequest) -> int:
    """Returns the number of the step to choose, from the query, or else from the name of the
    task."""
    told = query_of(request).parameters.get(STEP, "")
    if told.isdecimal():
        return int(told)
    found = _ROUND.search(request.assignment.task_id)
    return int(found["round"]) if found else 1


def _next(request: TurnRequest, number: int) -> tuple[StockAction | None, str]:
    steps = [name for name in query_of(request).parameters.get(STEPS, "").split(",") if name]
    if steps:
        if number > len(steps):
            return None, "All the steps that were asked for were taken."
        return StockAction(steps[number - 1]), "It is the next of the steps that were asked for."
    action = next_in_order(shown_board(request), _tried(request))
    if action is None:
        return None, "No action of the usual order is left that makes sense."
    return action, "It is next in the usual order."


def _tried(request: TurnRequest) -> set[StockAction]:
    """Returns the actions that were carried out, and those that were chosen or started and
    failed."""
    names = {*shown_board(request).taken}
    for entry in request.state:
        if isinstance(entry.result, ActionChoice) and entry.result.action is not None:
            names.add(entry.result.action)
        elif entry.node in StockAction.__members__:
            names.add(StockAction(entry.node))
    return names


def _checked(request: TurnRequest) -> Turn | None:
    """Returns the calls that check the symbol, or None if it has prices.

    The name is also sent with a `$` prefix, so that a name that is not listed is looked up too, as
    for live prices.
    """
    symbol = market_of(request).market
    if not request.exchanges:
        call = ask(request.assignment, Capability.SYMBOLS, query=f"${symbol} {symbol}")
        return Turn(calls=(call,), note=f"Ask whether there are prices of {symbol}")
    found = read(request, Capability.SYMBOLS, KnownSymbols)
    if any(
        (k.symbol, k.kind) == (symbol, MarketKind.STOCK) and _reaches(request, k)
        for k in found.answer.named
    ):
        return None
    if not any(capability_of(r.call) is Capability.MARKET_DATA for r in request.results):
        call = ask(request.assignment, Capability.MARKET_DATA, symbol=symbol)
        return Turn(calls=(call,), note=f"Ask why there are no prices of {symbol}")
    if _has_prices(request, symbol):
        return None
    raise TaskNotPossible(
        AgentError(
            error_type=FailureType.UNUSABLE_REQUEST,
            error_message=clip(_why_none(request, symbol, found.answer)),
            agent=request.assignment.agent,
            tool=found.source.tool,
            recovery_action="name a stock, or an instant, that there are prices of",
        )
    )


def _reaches(request: TurnRequest, known: KnownSymbol) -> bool:
    """Returns whether the prices of a symbol are current at the instant. Requested steps are taken
    in any case: they may need no price."""
    if query_of(request).parameters.get(STEPS) or known.last_day is None:
        return True
    return request.assignment.window.end.date() - known.last_day <= LONGEST_GAP


def _has_prices(request: TurnRequest, symbol: str) -> bool:
    """Returns whether the source of prices has figures although the symbol is not among the known
    names."""
    prices, _ = consult(request, Capability.MARKET_DATA, Analysis)
    return prices is not None and prices.answer.symbol == symbol and bool(prices.answer.figures)


def _why_none(request: TurnRequest, symbol: str, found: KnownSymbols) -> str:
    """Says that there is no stock with prices by that name, or that it has no prices by then.

    Raises:
        TaskNotPossible: there is another reason, in the words of the source of prices.
    """
    day = request.assignment.window.end.date().isoformat()
    _, refusal = consult(request, Capability.MARKET_DATA, Analysis)
    if refusal is not None and NO_SUCH in refusal:
        return (
            f"There are no prices of a stock {symbol} as of {day}: name one by the symbol that"
            f" Yahoo Finance has for it, such as NVDA.{_nearest(found, refusal)}"
        )
    ended = next((each.last_day for each in found.named if each.symbol == symbol), None)
    if ended is not None:
        return (
            f"There are no current prices of {symbol} as of {day}: they end on {ended}. Ask as of"
            f" a day up to {ended + LONGEST_GAP}, or with live prices (docs/sources.md)."
        )
    prices = read(request, Capability.MARKET_DATA, Analysis)
    said = listed(words.rstrip(".") for words in prices.answer.missing[:3])
    return (
        f"There were no prices of {symbol} by {day}: ask as of a later day, or as of none."
        f"{f' The source said: {said}.' if said else ''}"
    )


def _nearest(found: KnownSymbols, refusal: str) -> str:
    """Lists the stocks with prices by then whose symbols are similar, or else those that the
    refusal lists, without the pairs among them."""
    told = nearest_symbols_words(each for each in found.nearest if each.kind is MarketKind.STOCK)
    _, _, named = refusal.partition("nearest: ")
    stocks = [name for name in named.rstrip(".").split(", ") if name and "/" not in name]
    return told or (f" The nearest are {', '.join(stocks)}." if stocks else "")
