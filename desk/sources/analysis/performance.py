"""The tool of the server `analysis` that evaluates a position in a stock."""

from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.evaluation import EVALUATION_METRICS, POSITIONS, performance, position_name
from desk.analytics.technical.market_data import volatility
from desk.analytics.technical.measures import Unmeasured, analysis, rounded
from desk.analytics.technical.positions import (
    AREA,
    OLDEST_MONTHS,
    CashRates,
    cash_rate,
    day_of,
    held,
    splits_since,
)
from desk.analytics.technical.series import NoPrices, PriceSeries, last_close_day
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.episode.stock import MOST_COST
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.answers import analysed
from desk.sources.analysis.prices import PriceStore
from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.serving.arguments import AsOf
from desk.sources.serving.market_symbol import MarketSymbol, areas_of
from desk.sources.statistics.answers import rate_known_from
from desk.sources.statistics.tables import read_official_tables

METHOD: Final = (
    "entry: the close of the first day that begins, at 06:00 UTC, after made_at; exit: the last "
    "close known at as_of; both adjusted for splits up to as_of. In percent of the entry, with "
    "days as the whole days from made_at to as_of: forward_move = exit / entry - 1; cash_move = "
    f"the policy rate of {AREA} (BIS, end of the newest month known at made_at, at most "
    f"{OLDEST_MONTHS} months before) times days / 365; risk = the volatility of market_data at "
    "made_at times the square root of days / 365; over_cash = position times (forward_move - "
    "cash_move) minus twice the cost, and 0 without a position; over_holding = over_cash minus "
    "that of a long position; reward = over_cash / risk. Dividends and the borrowing fee for a "
    "short position are left out."
)

NO_STOCK: Final = "{symbol} is no stock; only positions in stocks are evaluated."

MadeAt = Annotated[
    AsOf, Field(description="ISO 8601 instant with offset at which the position was decided")
]
Position = Annotated[str, Field(description="long, none or short")]
Cost = Annotated[
    Decimal,
    Field(description="percent of the price, paid at the entry and again at the exit"),
]

_POSITIONS: Final[dict[str, int]] = {
    position_name(one): position for one, position in POSITIONS.items()
}
_NEEDS: Final = {
    Metric.OVER_CASH: "it compares with cash, and there is no cash_move",
    Metric.OVER_HOLDING: "it compares with cash, and there is no cash_move",
    Metric.REWARD: "it needs cash_move and a positive risk",
}


class PerformanceTools:
    """The tool that evaluates a position. It answers only with what was known at `as_of`."""

    def __init__(self, prices: PriceStore) -> None:
        self._prices = prices
        self._cash = ReadOnce(lambda: read_cash_rates(FACTS_DIR))

    def performance(
        self, symbol: MarketSymbol, made_at: MadeAt, position: Position, cost: Cost, as_of: AsOf
    ) -> Analysis:
        """What came of a stock's position by as_of: the move since made_at, after costs, beside
        cash and beside holding, and the reward, which is that over the risk known at made_at.

        entry is of its own day, all else of the day of exit. splits: those between the shares of
        made_at and of as_of. missing: what cannot be told, and why.
        """
        _require(made_at, position, cost, as_of)
        if areas_of(symbol):
            raise ToolError(NO_STOCK.format(symbol=symbol))

        def evaluate(series: PriceSeries) -> Analysis:
            return self._evaluated(series, made_at, _POSITIONS[position], cost, as_of)

        # If prices end before as_of, the answer says how long before: no other day can be asked.
        return analysed(self._prices, symbol, as_of, evaluate, however_old=True)

    def _evaluated(
        self, series: PriceSeries, made_at: datetime, position: int, cost: Decimal, as_of: datetime
    ) -> Analysis:
        try:
            position_held = held(series, made_at, last_close_day(as_of))
        except Unmeasured as reason:
            unknown = (f"{Metric.ENTRY}: {reason}.", f"{Metric.EXIT}: {reason}.")
            return analysis(series, as_of, METHOD, (), missing=unknown)
        reasons: dict[Metric, str] = {}
        found = performance(
            position_held.entry,
            position_held.exit,
            position,
            cost,
            self._cash_rate(series, made_at, reasons),
            self._volatility(series.symbol, made_at, reasons),
            (as_of - made_at).days,
        )
        figures = (
            MeasuredFigure(metric=metric, value=value, as_of=day_of(metric, position_held))
            for metric, value in found.items()
        )
        lacking = (metric for metric in EVALUATION_METRICS if metric not in found)
        missing = [f"{metric}: {reasons.get(metric) or _NEEDS[metric]}." for metric in lacking]
        answer = analysis(series, as_of, METHOD, figures, missing=missing)
        return answer.model_copy(update={"splits": splits_since(series, made_at)})

    def _cash_rate(
        self, series: PriceSeries, made_at: datetime, reasons: dict[Metric, str]
    ) -> Decimal | None:
        try:
            return cash_rate(series, self._cash.current(), made_at)
        except Unmeasured as reason:
            reasons[Metric.CASH_MOVE] = str(reason)
            return None
        except DamagedTable as error:
            raise ToolError(str(error)) from error

    def _volatility(
        self, symbol: str, made_at: datetime, reasons: dict[Metric, str]
    ) -> Decimal | None:
        """The volatility that `market_data` returned then."""
        try:
            then = self._prices.series(symbol, made_at)
            return rounded(then, Metric.VOLATILITY, volatility(then))
        except (NoPrices, Unmeasured) as reason:
            reasons[Metric.RISK] = f"{Metric.VOLATILITY} at made_at: {reason}"
            return None


def _require(made_at: datetime, position: str, cost: Decimal, as_of: datetime) -> None:
    """Refuses a position that cannot be evaluated.

    Raises:
        ToolError: an argument is not valid; the message says which one and how to write it.
    """
    if as_of < made_at:
        raise ToolError(f"made_at {made_at.isoformat()} lies after as_of {as_of.isoformat()}")
    if as_of - made_at < timedelta(days=1):
        raise ToolError("made_at and as_of are less than a day apart; ask as of a later instant")
    if position not in _POSITIONS:
        raise ToolError(f"{position[:40]!r} is no position; write {', '.join(_POSITIONS)}")
    if not (cost.is_finite() and 0 <= cost <= MOST_COST):
        raise ToolError(f"cost {cost} is not between 0 and {MOST_COST} percent")


def read_cash_rates(folder: Path = FACTS_DIR) -> CashRates:
    """The policy rates that cash earned, from the tables of a folder.

    Raises:
        DamagedTable: a table is missing or malformed.
    """
    month_ends = read_official_tables(folder).month_ends[AREA]
    return CashRates(month_ends, partial(rate_known_from, AREA))
