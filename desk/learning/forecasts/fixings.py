"""Makes the calls that fetch the fixings by which forecasts are scored, and parses the answers."""

from collections.abc import Container, Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from pydantic import ValidationError

from desk.analytics.prices.fixings import last_expected_day
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.source_results import PairQuote, Quotes
from desk.contracts.learning.record import FixingPause, Resolution

SEVERAL_AT_ONCE: Final = {"ecb": "get_quotes"}
"""Servers that answer for many pairs in one call. Any other is asked for one pair at a time."""

MOST_AT_ONCE: Final = 60

AWAITED_FOR: Final = timedelta(days=30)
"""How long after it was due a missing fixing may still be published."""

_LONGEST_WORDS: Final = 300


def fixing_calls(
    server: str, markets: Sequence[str], alone: Container[str] = ()
) -> tuple[ToolCall, ...]:
    """Returns the calls for the last fixings of some pairs from a server. Pairs in `alone` get a
    call of their own."""
    several = SEVERAL_AT_ONCE.get(server)
    if several is None:
        return tuple(_call(server, "get_quote", market, symbol=market) for market in markets)
    together = [market for market in markets if market not in alone]
    groups = [
        together[first : first + MOST_AT_ONCE] for first in range(0, len(together), MOST_AT_ONCE)
    ]
    groups += [[market] for market in markets if market in alone]
    return tuple(_call(server, several, group[0], symbols=[*group]) for group in groups)


def asked_for(call: ToolCall) -> tuple[str, ...]:
    """Returns the pairs that such a call asks for."""
    symbols = call.arguments.get("symbols", [call.arguments.get("symbol")])
    return tuple(str(symbol) for symbol in symbols) if isinstance(symbols, list) else ()


def resolutions_in(answer: ToolResult, due: datetime, now: datetime) -> Iterator[Resolution]:
    """Yields the fixings of an answer; none if it is not an answer, or contains something else.

    None either if the source has nothing yet for the last day that was to be fixed by `due`, while
    that may still be published. Later the pair is void if everything its source has is older, and
    otherwise resolved by what the source gives.
    """
    expected = last_expected_day(due)
    for quote, ends_on in _quotes(answer):
        last = ends_on or quote.fixed_on
        if (last is None or last < expected) and now - due < AWAITED_FOR:
            continue
        old = ends_on is not None and ends_on < expected
        words = quote.missing or ""
        if old:
            words = f"the source has nothing after {ends_on}, and {expected} was a day of fixings"
        yield Resolution(
            market=quote.symbol,
            server=answer.call.server,
            due=due,
            value=None if old else quote.value,
            value_on=None if old else quote.fixed_on,
            words=words[:_LONGEST_WORDS],
        )


def is_refused(answer: ToolResult, market: str) -> bool:
    """Returns whether a source refused a pair, or its answer has no quote of it."""
    if answer.status is ToolStatus.OK:
        return all(quote.symbol != market for quote, _ in _quotes(answer))
    return answer.status is ToolStatus.REFUSED


def given_up(answer: ToolResult, pause: FixingPause, market: str, due: datetime) -> Resolution:
    """Returns the resolution of a forecast whose source does not give the fixing."""
    words = (
        f"given up after {pause.refused} refusals since {pause.since:%Y-%m-%d}: "
        f"{answer.error or 'the answers hold no quote of it'}"
    )
    return Resolution(
        market=market, server=answer.call.server, due=due, words=words[:_LONGEST_WORDS]
    )


def _call(server: str, tool: str, first: str, **arguments: str | list[str]) -> ToolCall:
    return ToolCall(call_id=f"score/{first}", server=server, tool=tool, arguments={**arguments})


def _quotes(answer: ToolResult) -> tuple[tuple[PairQuote, date | None], ...]:
    """Returns each quote with the last day for which its source has any fixing, if it states
    one."""
    if answer.status is not ToolStatus.OK:
        return ()
    try:
        if answer.call.server in SEVERAL_AT_ONCE:
            content = Quotes.model_validate(answer.content)
            return tuple((quote, content.ends_on) for quote in content.quotes)
        return ((PairQuote.model_validate(answer.content), None),)
    except ValidationError:
        return ()
