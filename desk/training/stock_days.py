"""Chooses the stock and the day of an episode, as requested or at random."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

import numpy as np

from desk.analytics.technical.positions import LONGEST_SHUT
from desk.analytics.technical.series import close_known_from
from desk.training.company_figures import Facts
from desk.training.tables import StockTable, read_symbol, read_symbols, stock_table
from desk.training.tables import symbols as every_symbol

OPTIONS: Final = ("symbol", "as_of")


class ChosenDay(NamedTuple):
    """A table, the place of the last known day in it, and the instant of the episode."""

    table: StockTable
    at: int
    as_of: datetime


class StockDays:
    """The days of some stocks on which an episode can begin.

    Random draws are from days followed by a price whose horizon ends by the last day of the series
    and by `last`: first the stock, all equally likely, then its day.
    """

    def __init__(
        self,
        symbols: str | Sequence[str] | None,
        weeks: int,
        first: date | None,
        last: date | None,
        tables: Mapping[str, StockTable] | None,
        facts: Facts = Facts.KNOWN,
    ) -> None:
        """`tables` are the available tables; those of other symbols are created with `facts`.

        Raises:
            ValueError: a symbol has no offline series, or no day can be drawn.
        """
        at_hand, self._facts = tables or {}, facts
        named = () if symbols is None else read_symbols(symbols)
        wanted = named or tuple(at_hand) or every_symbol()
        self._tables = {
            name: at_hand.get(name) or stock_table(name, facts=facts) for name in wanted
        }
        spans = {
            name: with_a_horizon(table.days, weeks, first, last)
            for name, table in self._tables.items()
        }
        self._spans = {name: span for name, span in spans.items() if span}
        if not self._spans:
            raise ValueError(
                f"no day of {', '.join(wanted)} between {first or 'the beginning'} and "
                f"{last or 'the end'} has {'a week' if weeks == 1 else f'{weeks} weeks'} after it"
            )
        self._drawn_from = tuple(self._spans)

    @property
    def tables(self) -> Mapping[str, StockTable]:
        """The table of each stock, in the order in which they were named."""
        return self._tables

    @property
    def spans(self) -> Mapping[str, tuple[int, ...]]:
        """The places of the days that can be drawn, for each stock that has any."""
        return self._spans

    def chosen(self, generator: np.random.Generator, options: Mapping[str, Any]) -> ChosenDay:
        """Returns the episode that the options request; what they omit is drawn at random.

        Raises:
            ValueError: an option is unknown, or requests something that does not exist.
        """
        if unknown := [name for name in options if name not in OPTIONS]:
            raise ValueError(f"there is no option {unknown[0]!r}; there are symbol and as_of")
        asked, as_of = options.get("symbol"), options.get("as_of")
        symbol = None if asked is None else read_symbol(asked)
        if as_of is None:
            return self._drawn(generator, symbol)
        instant = read_instant(as_of)
        if symbol is None:
            symbol = self._with_prices_at(generator, instant)
        table = self._table(symbol)
        return ChosenDay(table, table.index(instant), instant)

    def _drawn(self, generator: np.random.Generator, symbol: str | None) -> ChosenDay:
        if symbol is None:
            symbol = self._drawn_from[int(generator.integers(len(self._drawn_from)))]
        table = self._table(symbol)
        span = self._spans.get(symbol)
        if span is None:
            raise ValueError(f"no day of {symbol} can be drawn; give as_of too")
        at = span[int(generator.integers(len(span)))]
        return ChosenDay(table, at, close_known_from(table.days[at]))

    def _table(self, symbol: str) -> StockTable:
        if symbol not in self._tables:
            self._tables[symbol] = stock_table(symbol, facts=self._facts)
        return self._tables[symbol]

    def _with_prices_at(self, generator: np.random.Generator, instant: datetime) -> str:
        known = [name for name, table in self._tables.items() if _has(table, instant)]
        if not known:
            spans = "; ".join(
                f"{name} from {table.days[0]} to {table.days[-1]}"
                for name, table in self._tables.items()
            )
            raise ValueError(f"none has prices as of {instant}: {spans}")
        return known[int(generator.integers(len(known)))]


def read_instant(given: object) -> datetime:
    """Returns the instant of an `as_of`; a day stands for its close.

    Raises:
        ValueError: it is neither a day nor an instant, or an instant without an offset.
    """
    try:
        read = _parsed(given) if isinstance(given, str) else given
    except ValueError:
        raise ValueError(_not_read(given)) from None
    if isinstance(read, datetime):
        if read.tzinfo is None:
            raise ValueError(f"as_of {given} has no offset; write it as 2024-06-10T22:00:00+00:00")
        return read
    if isinstance(read, date):
        return close_known_from(read)
    raise ValueError(_not_read(given))


def _parsed(written: str) -> date | datetime:
    text = written.strip()
    return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)


def _not_read(given: object) -> str:
    return f"as_of {given!r} is no day and no instant; write 2024-06-10 or 2024-06-10T22:00:00Z"


def _has(table: StockTable, instant: datetime) -> bool:
    try:
        table.index(instant)
    except ValueError:
        return False
    return True


def with_a_horizon(
    days: Sequence[date], weeks: int, first: date | None = None, last: date | None = None
) -> tuple[int, ...]:
    """Returns the places of the days from `first` on that can be evaluated: a price follows soon
    after, and there is one at the horizon, which is not after `last` or the end."""
    horizon, end = timedelta(weeks=weeks), min(days[-1], last or days[-1])
    found = []
    for at in range(bisect_left(days, first or days[0]), len(days) - 1):
        due = days[at] + horizon
        if due > end:
            break
        exit_at = bisect_right(days, due, at) - 1
        if exit_at > at + 1 and max(days[at + 1] - days[at], due - days[exit_at]) <= LONGEST_SHUT:
            found.append(at)
    return tuple(found)
