"""The built-in recommender walked forward through the past, beside others.

Every `weeks` weeks, as of the close of the last day that has one, each symbol is researched by the
fixed order of actions and recommended for the weeks that follow, which do not overlap the next.
Nothing is fitted, so nothing needs to be held out; and the rules were written with these years
already past, so that what they come to here is no promise of what they come to later.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.evaluation import POSITIONS
from desk.analytics.technical.series import close_known_from
from desk.contracts.episode.stock import (
    MOST_COST,
    MOST_WEEKS,
    USUAL_COST,
    USUAL_WEEKS,
    Recommended,
    StockAction,
)
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import ORDER
from desk.training import policies
from desk.training.policies import PositionPolicy
from desk.training.stock_days import with_a_horizon
from desk.training.stock_episode import StockEpisode
from desk.training.tables import StockTable, read_symbols, stock_table
from desk.training.tables import symbols as every_symbol
from desk.training.walk_forward.records import BUILT_IN, GAINS, Made, WalkForward
from desk.training.walk_forward.rows import summed_up

FIRST_FRIDAY: Final = date(1970, 1, 2)
LONGEST_WITHOUT: Final = timedelta(days=6)
"""A Friday without a price in the week before it is no date of the symbol."""

YEARS: Final = range(FIRST_FRIDAY.year, 2101)
"""Those that a walk can be bounded by."""

SEED: Final = 1


class NoDates(ValueError):
    """There is nothing to walk over. The message says why."""


class WalkDate(NamedTuple):
    """A date of the walk in a symbol's series: its number, the place of the last day with a price,
    and whether the series has a price soon after it and at its horizon."""

    period: int
    at: int
    resolved: bool


def walk_forward(
    symbols: str | Sequence[str] | None = None,
    weeks: int = USUAL_WEEKS,
    cost: Decimal = USUAL_COST,
    first_year: int | None = None,
    last_year: int | None = None,
    *,
    tables: Mapping[str, StockTable] | None = None,
    seed: int = SEED,
) -> WalkForward:
    """What the built-in recommender and the other policies came to, costs included.

    Args:
        symbols: In any case; all with an offline series where none are given.
        weeks: Of a horizon, and from one date to the next.
        cost: Percent of the price, for entering a position and again for leaving it.
        first_year: Recommendations from this year on, and until `last_year`, both included.
        tables: Of the symbols, where they are at hand.
        seed: Of the random policy.

    Raises:
        NoDates: no symbol has a date with a horizon after it in those years.
        ValueError: a symbol has no offline series, or a number makes no sense.
    """
    if not 1 <= weeks <= MOST_WEEKS or not 0 <= cost <= MOST_COST:
        raise ValueError(
            f"weeks are 1 to {MOST_WEEKS} and a cost 0 to {MOST_COST} percent, not {weeks} and "
            f"{cost}"
        )
    first, last = _day(first_year, 1, 1), _day(last_year, 12, 31)
    chosen = _tables(symbols, tables or {})
    others = _others(seed)
    made: list[Made] = []
    unresolved = 0
    for table in chosen:
        for place in places(table, weeks, first, last):
            unresolved += not place.resolved
            made += _made(table, place, weeks, cost, others) if place.resolved else ()
    if not made:
        raise NoDates(_no_dates(chosen))
    return summed_up(made, weeks, cost, unresolved)


def _day(year: int | None, month: int, day: int) -> date | None:
    if year is not None and year not in YEARS:
        raise ValueError(f"a year is {YEARS[0]} to {YEARS[-1]}, not {year}")
    return None if year is None else date(year, month, day)


def _tables(
    symbols: str | Sequence[str] | None, at_hand: Mapping[str, StockTable]
) -> Sequence[StockTable]:
    named = () if symbols is None else read_symbols(symbols)
    return [
        at_hand.get(symbol) or stock_table(symbol)
        for symbol in named or tuple(at_hand) or every_symbol()
    ]


def _no_dates(tables: Sequence[StockTable]) -> str:
    first, last = min(table.days[0] for table in tables), max(table.days[-1] for table in tables)
    return (
        "no symbol has a date with a whole horizon after it in those years; the prices are of "
        f"{first.year} to {last.year}"
    )


def _others(seed: int) -> Mapping[str, PositionPolicy]:
    return {
        "holding": policies.buy_and_hold,
        "cash": policies.cash,
        "random": policies.random_positions(seed),
        "averages": policies.moving_averages,
    }


def places(
    table: StockTable, weeks: int, first: date | None = None, last: date | None = None
) -> Iterator[WalkDate]:
    """The dates of a walk that a series has a price for, from one day to another."""
    days = table.days
    resolved = frozenset(with_a_horizon(days, weeks))
    step = timedelta(weeks=weeks)
    period = -(-(days[0] - FIRST_FRIDAY) // step)
    while (friday := FIRST_FRIDAY + period * step) <= days[-1]:
        at = bisect_right(days, friday) - 1
        wanted = (first or days[0]) <= days[at] <= (last or days[-1])
        if wanted and friday - days[at] <= LONGEST_WITHOUT:
            yield WalkDate(period, at, at in resolved)
        period += 1


def _made(
    table: StockTable,
    place: WalkDate,
    weeks: int,
    cost: Decimal,
    others: Mapping[str, PositionPolicy],
) -> Iterator[Made]:
    """What every policy recommended there, and what came of it."""
    as_of = close_known_from(table.days[place.at])
    came = _came(table, place, weeks, cost)
    known = table.values(StockAction.RUN_TA_BASIC, place.at)
    own, probability = _recommended(table, place, as_of, weeks, cost)
    said = {BUILT_IN: own} | {
        name: policy(table.symbol, place.period, known) for name, policy in others.items()
    }
    for name, recommended in said.items():
        figures, days = came[POSITIONS[recommended]]
        yield Made(
            policy=name,
            symbol=table.symbol,
            period=place.period,
            as_of=as_of,
            entry_on=days[Metric.ENTRY],
            exit_on=days[Metric.EXIT],
            recommended=recommended,
            probability=probability if name == BUILT_IN else None,
            figures=figures,
        )


def _came(
    table: StockTable, place: WalkDate, weeks: int, cost: Decimal
) -> dict[int, tuple[dict[Metric, Decimal], dict[Metric, date]]]:
    """What came of each position. Without a reward of the long one none has a gain: a mean of one
    policy would be of other dates than that of another."""
    came = {p: table.evaluation(place.at, p, weeks, cost) for p in set(POSITIONS.values())}
    if Metric.REWARD not in came[POSITIONS[Recommended.BUY]][0]:
        for figures, _ in came.values():
            for metric in GAINS:
                figures.pop(metric, None)
    return came


def _recommended(
    table: StockTable, place: WalkDate, as_of: datetime, weeks: int, cost: Decimal
) -> tuple[Recommended, float]:
    episode = StockEpisode(table, place.at, as_of, weeks, cost)
    for action in ORDER:
        if action is not StockAction.EVALUATE_PERFORMANCE:
            episode.take(action)
    made = episode.board.recommendation
    if made is None:
        raise AssertionError("the fixed order ends with a recommendation")
    return made.action, made.probability
