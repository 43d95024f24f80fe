"""Requests to Yahoo Finance through the `yfinance` package, one question at a time."""

import logging
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from desk.contracts.agents.extras import Extra, install_words
from desk.sources.serving.kept_answers import KeptAnswers
from desk.sources.serving.reachability import OFFLINE
from desk.sources.yahoo.closes import CURRENCY_ZONE, Close, closes_of
from desk.sources.yahoo.failures import NoneInRange, UnknownAtYahoo, YahooRefused, YahooUnusable

YAHOO_URL = "https://query2.finance.yahoo.com"
PAGES_URL = "https://finance.yahoo.com"
"""The address of the calendar of reports."""

TIMEOUT_SECONDS = 5.0
PATIENCE_SECONDS = 15.0
"""How long a question waits for those before it."""

CACHE_SECONDS = 300.0
MOST_CACHED = 256
MOST_MATCHES = 50

# yfinance has one session, configuration and cache a process.
_TURN = threading.Lock()
_PAIR = re.compile(r"(?P<base>[A-Z]{3})?(?P<quote>[A-Z]{3})=X")
_NOWHERE = str(Path(os.devnull, "off"))

_Answer = TypeVar("_Answer")


class Found(NamedTuple):
    """The closes in the requested range, oldest first. Empty if Yahoo has none, or if it has
    `no_such_symbol`."""

    closes: tuple[Close, ...] = ()
    no_such_symbol: bool = False


class YahooFinance:
    """Yahoo's daily closes and symbols. Answers are cached for five minutes."""

    def __init__(
        self,
        url: str = YAHOO_URL,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        offline: bool = False,
    ) -> None:
        """`url` replaces Yahoo's hosts; `timeout_seconds` limits a whole question. With `offline`
        nothing is requested, and every question is refused."""
        self._url = url
        self._offline = offline
        self._timeout_seconds = timeout_seconds
        self._kept = KeptAnswers[Any](CACHE_SECONDS, MOST_CACHED, clock)

    def closes(self, base: str, quote: str, first: date, last: date) -> Found:
        """The closes of a pair from `first` to `last`, both included.

        Raises:
            YahooRefused: Yahoo could not be asked, or refused.
            YahooUnusable: its answer is not reliable.
        """

        def ask(library: Any, session: Any) -> Found:
            return _closes(library, session, (base, quote), first, last)

        return self._cached_or_asked((base, quote, first, last), ask)

    def pairs(self, query: str) -> tuple[str, ...]:
        """The currency pairs that Yahoo finds for a query, written `USD/JPY`, best first.

        Raises:
            YahooRefused: Yahoo could not be asked, or refused.
            YahooUnusable: its answer is not reliable.
        """

        def ask(library: Any, session: Any) -> tuple[str, ...]:
            return _pairs(library, session, query)

        return self._cached_or_asked(query, ask)

    def _cached_or_asked(self, question: Hashable, ask: Callable[[Any, Any], _Answer]) -> _Answer:
        if self._offline:
            raise YahooRefused(f"Yahoo Finance is not asked: {OFFLINE}")
        cached = self._kept.get(question)
        if cached is None:
            with _turn():
                # The previous holder of the lock may have asked the same question.
                cached = self._kept.get(question)
                if cached is None:
                    cached = self._asked(ask)
                    self._kept.keep(question, cached)
        return cast("_Answer", cached)

    def _asked(self, ask: Callable[[Any, Any], _Answer]) -> _Answer:
        library = _library()
        from desk.sources.yahoo.session import YahooSession

        with YahooSession(self._url, self._timeout_seconds) as session:
            try:
                return ask(library, session)
            except (YahooRefused, YahooUnusable):
                raise
            except Exception as error:
                # yfinance does not validate fields; a missing one causes one of many errors.
                raise YahooUnusable(f"yfinance cannot read it ({_named(error)})") from error


@contextmanager
def _turn() -> Iterator[None]:
    if not _TURN.acquire(timeout=PATIENCE_SECONDS):
        raise YahooRefused(
            f"Yahoo Finance is busy with other questions for more than {PATIENCE_SECONDS:g} seconds"
        )
    try:
        yield
    finally:
        _TURN.release()


def _library() -> Any:
    """The package, configured to raise errors, to ask once, and to store and print nothing.

    Raises:
        YahooRefused: it is not installed.
    """
    try:
        import yfinance  # type: ignore[import-untyped]
        from yfinance.data import YfData  # type: ignore[import-untyped]
    except ImportError as error:
        raise YahooRefused(
            f"the package yfinance is not installed here; run {install_words(Extra.LIVE)}"
        ) from error
    logging.getLogger("yfinance").setLevel(logging.CRITICAL + 1)
    # Its warnings about deprecated uses of pandas are not actionable for the desk's users.
    warnings.filterwarnings("ignore", module=r"yfinance\b")
    yfinance.config.debug.hide_exceptions = False
    yfinance.config.network.retries = 0
    # If no folder can be created, yfinance works without its files of time zones and cookies.
    yfinance.set_tz_cache_location(_NOWHERE)
    # It caches answers about the past for the lifetime of the process.
    YfData.cache_get.cache_clear()
    return yfinance


def _closes(library: Any, session: Any, pair: tuple[str, str], first: date, last: date) -> Found:
    symbol = f"{pair[0]}{pair[1]}=X"
    ticker = library.Ticker(symbol, session=session)
    try:
        table = ticker.history(
            start=first,
            end=last + timedelta(days=1),
            interval="1d",
            auto_adjust=False,
            actions=False,
        )
    except UnknownAtYahoo:
        return Found(no_such_symbol=True)
    except (NoneInRange, library.exceptions.YFPricesMissingError):
        return Found()
    _require_the_pair(ticker.history_metadata, pair)
    rows = ((stamp.date(), float(close)) for stamp, close in table["Close"].items())
    # Yahoo sometimes appends the current day to a range that ended before it.
    return Found(closes_of(row for row in rows if first <= row[0] <= last))


def _require_the_pair(meta: Any, pair: tuple[str, str]) -> None:
    """Refuses a chart of something else, in other units, or with days of another time zone."""
    base, quote = pair
    if meta.get("currency") != quote:
        raise YahooUnusable(f"it is not in {quote}")
    symbols = {f"{base}{quote}=X"} | ({f"{quote}=X"} if base == "USD" else set())
    if meta.get("instrumentType") != "CURRENCY" or meta.get("symbol") not in symbols:
        raise YahooUnusable(f"it is not about {base}/{quote}")
    if meta.get("exchangeTimezoneName") != CURRENCY_ZONE:
        raise YahooUnusable(f"its days are not those of {CURRENCY_ZONE}")


def _pairs(library: Any, session: Any, query: str) -> tuple[str, ...]:
    found = library.Search(
        query.replace("/", ""),
        max_results=MOST_MATCHES,
        news_count=0,
        lists_count=0,
        include_cb=False,
        recommended=0,
        session=session,
    )
    matches = (_PAIR.fullmatch(str(row["symbol"])) for row in found.quotes)
    # Yahoo omits the dollar if it is the base: `JPY=X` is USD/JPY.
    named = [(match["base"] or "USD", match["quote"]) for match in matches if match]
    pairs = dict.fromkeys(f"{base}/{quote}" for base, quote in named if base != quote)
    return tuple(pairs)[:MOST_MATCHES]


def _named(error: Exception) -> str:
    """Names an error by its type, and by a missing field; never by Yahoo's own words."""
    field = error.args[0] if isinstance(error, KeyError) and error.args else None
    known = isinstance(field, str) and field.isidentifier() and len(field) < 40
    return f"{type(error).__name__}: {field}" if known else type(error).__name__
