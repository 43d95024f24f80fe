"""What came of a position in a stock: the move that followed, after costs, beside cash and beside
holding the stock, scaled by the risk that was known when the position was taken."""

from bisect import bisect_left, bisect_right
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.analytics.evaluation import EVALUATION_METRICS, POSITIONS, performance, position_name
from desk.contracts.episode.analysis import Analysis, MeasuredFigure, ShareSplit
from desk.contracts.episode.stock import MOST_COST
from desk.contracts.findings.claims import Metric
from desk.sources.analysis.answers import analysed
from desk.sources.analysis.cash import AREA, OLDEST_MONTHS, CashRates, read_cash_rates
from desk.sources.analysis.figures import CENT, Unmeasured, analysis, rounded
from desk.sources.analysis.names import DOLLAR
from desk.sources.analysis.prices import NoPrices, PriceSeries, PriceStore, last_close_day
from desk.sources.analysis.technical.moves import volatility
from desk.sources.central_banks.facts_table import DamagedTable, ReadOnce
from desk.sources.central_banks.policy_facts import FACTS_DIR
from desk.sources.serving.arguments import AsOf
from desk.sources.serving.market_symbol import MarketSymbol, areas_of

DAY_BEGINS: Final = time(6)
"""UTC, before the exchanges of Europe and America open. Of a day that had begun when a position was
decided on, the price may have been past."""

LONGEST_SHUT: Final = timedelta(days=7)
"""From one price to the next: so long, from a Monday to a Monday, New York was closed in September
2001. A horizon that is cut off by more is not told as a whole one."""

METHOD: Final = (
    "entry: the close of the first day that begins, at 06:00 UTC, after made_at; exit: the last "
    "close known at as_of; both in the shares of as_of. In percent of the entry, with days the "
    "whole days from made_at to as_of: forward_move = exit / entry - 1; cash_move = the policy "
    f"rate of {AREA} (BIS, end of the newest month known at made_at, of at most {OLDEST_MONTHS} "
    "months before) times days / 365; risk = the volatility of market_data at made_at times the "
    "root of days / 365; over_cash = position times (forward_move - cash_move) less twice the "
    "cost, and 0 without a position; over_holding = over_cash less that of a long position; "
    "reward = over_cash / risk. Dividends and the fee for a borrowed stock are left out."
)
NO_STOCK: Final = "{symbol} is no stock; what came of a position is told of stocks."

MadeAt = Annotated[
    AsOf, Field(description="ISO 8601 instant with offset at which the position was decided on")
]
Position = Annotated[str, Field(description="long, none or short")]
Cost = Annotated[
    Decimal,
    Field(description="percent of the price, paid for entering and again for leaving"),
]

_POSITIONS: Final[dict[str, int]] = {
    position_name(one): position for one, position in POSITIONS.items()
}
_NEEDS: Final = {
    Metric.OVER_CASH: "it is told beside cash, and there is no cash_move",
    Metric.OVER_HOLDING: "it is told beside cash, and there is no cash_move",
    Metric.REWARD: "it needs cash_move and a positive risk",
}


class Held(NamedTuple):
    """The closes between which a position was held, as they are told, and their days."""

    entry_day: date
    entry: Decimal
    exit_day: date
    exit: Decimal


class PerformanceTools:
    """The tool on what came of a position. It answers only with what was known at `as_of`."""

    def __init__(self, prices: PriceStore, facts_dir: Path = FACTS_DIR) -> None:
        """`facts_dir` holds the table of policy rates."""
        self._prices = prices
        self._cash = ReadOnce(lambda: read_cash_rates(facts_dir))

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

        # Where prices end before as_of, how long before is the reason; no other day can be asked.
        return analysed(self._prices, symbol, as_of, evaluate, however_old=True)

    def _evaluated(
        self, series: PriceSeries, made_at: datetime, position: int, cost: Decimal, as_of: datetime
    ) -> Analysis:
        try:
            kept = held(series, made_at, last_close_day(as_of))
        except Unmeasured as reason:
            unknown = (f"{Metric.ENTRY}: {reason}.", f"{Metric.EXIT}: {reason}.")
            return analysis(series, as_of, METHOD, (), missing=unknown)
        reasons: dict[Metric, str] = {}
        found = performance(
            kept.entry,
            kept.exit,
            position,
            cost,
            self._cash_rate(series, made_at, reasons),
            self._volatility(series.symbol, made_at, reasons),
            (as_of - made_at).days,
        )
        figures = (
            MeasuredFigure(metric=metric, value=value, as_of=day_of(metric, kept))
            for metric, value in found.items()
        )
        lacking = (metric for metric in EVALUATION_METRICS if metric not in found)
        missing = [f"{metric}: {reasons.get(metric) or _NEEDS[metric]}." for metric in lacking]
        told = analysis(series, as_of, METHOD, figures, missing=missing)
        return told.model_copy(update={"splits": splits_since(series, made_at)})

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
        """The volatility as `market_data` told it then."""
        try:
            then = self._prices.series(symbol, made_at)
            return rounded(then, Metric.VOLATILITY, volatility(then))
        except (NoPrices, Unmeasured) as reason:
            reasons[Metric.RISK] = f"{Metric.VOLATILITY} at made_at: {reason}"
            return None


def held(series: PriceSeries, made_at: datetime, until: date) -> Held:
    """The close of the first day that begins after a decision, and the last one up to `until`.

    Raises:
        Unmeasured: there are no two closes, the first is more than `LONGEST_SHUT` after the
            decision, or the last more than that before `until`.
    """
    begins = _first_day(made_at)
    first, last = bisect_left(series.days, begins), bisect_right(series.days, until) - 1
    if last >= 0 and until - series.days[last] > LONGEST_SHUT:
        raise Unmeasured(
            f"the prices of {series.symbol} end on {series.days[last]}, "
            f"{(until - series.days[last]).days} days before the horizon was over"
        )
    if first >= last:
        raise Unmeasured(f"there are no two closes of {series.symbol} from {begins} up to {until}")
    entry_day, exit_day = series.days[first], series.days[last]
    decided = made_at.astimezone(UTC).date()
    if entry_day - decided > LONGEST_SHUT:
        raise Unmeasured(
            f"the prices of {series.symbol} go on on {entry_day}, "
            f"{(entry_day - decided).days} days after the decision"
        )
    return Held(entry_day, _told(series.closes[first]), exit_day, _told(series.closes[last]))


def splits_since(series: PriceSeries, made_at: datetime) -> tuple[ShareSplit, ...]:
    """The splits between the shares that prices were told in at a decision, and those of a series
    that came of it."""
    known = last_close_day(made_at)
    since = (split for split in series.splits if split.day > known)
    return tuple(ShareSplit(day=split.day, ratio=split.ratio) for split in since)


def _first_day(made_at: datetime) -> date:
    """The first day that begins after a decision."""
    instant = made_at.astimezone(UTC)
    begun = instant.time() > DAY_BEGINS
    return instant.date() + timedelta(days=begun)


def cash_rate(series: PriceSeries, rates: CashRates, made_at: datetime) -> Decimal:
    """What cash earns instead of a stock, in percent a year.

    Raises:
        Unmeasured: no rate was known, or the stock is not priced in dollars.
    """
    if series.currency != DOLLAR:
        raise Unmeasured(
            f"{series.symbol} is priced in {series.currency}, and cash is in {DOLLAR} here"
        )
    return rates.at(made_at)


def day_of(metric: Metric, kept: Held) -> date:
    """The day that a figure of a performance is of."""
    return kept.entry_day if metric is Metric.ENTRY else kept.exit_day


def _told(price: Decimal) -> Decimal:
    """A price as it is known, without zeros after the cents.

    Rounded to the cent, a price that a split made small would be off by as much as the costs.
    """
    return price.normalize() if price != price.quantize(CENT) else price.quantize(CENT)


def _require(made_at: datetime, position: str, cost: Decimal, as_of: datetime) -> None:
    """Refuse what nothing can come of.

    Raises:
        ToolError: an argument is not usable; the message says which and how to write it.
    """
    if as_of < made_at:
        raise ToolError(f"made_at {made_at.isoformat()} lies after as_of {as_of.isoformat()}")
    if as_of - made_at < timedelta(days=1):
        raise ToolError("made_at and as_of are less than a day apart; ask as of a later instant")
    if position not in _POSITIONS:
        raise ToolError(f"{position[:40]!r} is no position; write {', '.join(_POSITIONS)}")
    if not (cost.is_finite() and 0 <= cost <= MOST_COST):
        raise ToolError(f"cost {cost} is not between 0 and {MOST_COST} percent")
