"""Daily prices of stocks from Yahoo Finance, for stocks that no package has."""

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from desk.analytics.technical.series import (
    Bar,
    NoPrices,
    Split,
    Traded,
    in_shares_of_its_day,
    last_close_day,
)
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.sources.yahoo.closes import as_figure
from desk.sources.yahoo.failures import NoneInRange, UnknownAtYahoo, YahooRefused, YahooUnusable
from desk.sources.yahoo.upstream import YAHOO_URL, YahooFinance

SOURCE: Final = Provenance(
    name="Yahoo Finance",
    tier=SourceTier.SECONDARY,
    origin="Yahoo Finance",
    url="https://finance.yahoo.com/",
)
_EARLIEST: Final = date(1990, 1, 1)
_PRICES: Final = ("Close", "Open", "High", "Low")


class YahooStocks(YahooFinance):
    """Yahoo's daily prices of stocks and indices, each as it was traded.

    Yahoo gives all days in today's shares. They are always requested up to today, so that the
    splits after an as-of instant are known and can be reversed.
    """

    source = SOURCE

    def __init__(self, now: Callable[[], datetime], url: str = YAHOO_URL) -> None:
        """`now` returns the present instant, because the current day has no close."""
        super().__init__(url)
        self._now = now

    def traded(self, symbol: str, last: date) -> Traded:
        """The days of trading up to `last` and to yesterday. Empty if Yahoo has none.

        Raises:
            NoPrices: Yahoo could not be asked, or its answer is not reliable.
        """
        today = self._now().date()

        def ask(library: Any, session: Any) -> Traded:
            return _traded(library, session, symbol, today)

        try:
            found = self._cached_or_asked((symbol, today), ask)
        except YahooRefused as error:
            raise NoPrices(f"{symbol}: {error}") from error
        except YahooUnusable as error:
            raise NoPrices(
                f"Yahoo Finance's answer for {symbol} cannot be used: {error}"
            ) from error
        over = min(last, last_close_day(self._now()))
        bars = tuple(bar for bar in found.bars if bar.day <= over)
        return Traded(bars, found.splits, found.currency)


def _traded(library: Any, session: Any, symbol: str, today: date) -> Traded:
    ticker = library.Ticker(symbol, session=session)
    try:
        table = ticker.history(
            start=_EARLIEST,
            end=today + timedelta(days=1),
            interval="1d",
            auto_adjust=False,
            actions=True,
        )
    except (UnknownAtYahoo, NoneInRange, library.exceptions.YFPricesMissingError):
        return Traded(())
    currency = ticker.history_metadata.get("currency")
    if ticker.history_metadata.get("symbol") != symbol or not isinstance(currency, str):
        raise YahooUnusable(f"it is not about {symbol}")
    rows = table.to_dict("records")
    days = [stamp.date() for stamp in table.index]
    splits = tuple(
        Split(day, Decimal(str(row["Stock Splits"])))
        for day, row in zip(days, rows, strict=True)
        if row.get("Stock Splits")
    )
    bars = {
        day: _bar(day, row)
        for day, row in zip(days, rows, strict=True)
        if all(math.isfinite(row[name]) and row[name] > 0 for name in _PRICES)
    }
    traded_bars = tuple(in_shares_of_its_day(bars[day], splits) for day in sorted(bars))
    return Traded(traded_bars, splits, currency)


def _bar(day: date, row: dict[str, float]) -> Bar:
    close, opened, high, low = (as_figure(float(row[name])) for name in _PRICES)
    volume = row.get("Volume", 0.0)
    return Bar(day, close, opened, high, low, int(volume) if math.isfinite(volume) else 0)
