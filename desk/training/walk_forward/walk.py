"""The built-in recommender walked forward through the past, together with other policies.

Every `weeks` weeks, as of the close of the last day that has one, each symbol is researched by the
fixed order of actions and recommended for the weeks that follow, which do not overlap the next.
Nothing is fitted, so nothing needs to be held out; but the rules were written with knowledge of
these years, so that their results here are no promise for later ones. This module also summarises
the recommendations and their outcomes.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.evaluation import POSITIONS
from desk.analytics.technical.series import close_known_from
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import MOST_COST, MOST_WEEKS, USUAL_COST, USUAL_WEEKS, Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.learning.lessons import MadeForecast, Scorecard, ScoredForecast
from desk.contracts.names import AgentId
from desk.contracts.weeks import week_of
from desk.learning.calibration import COIN, brier, outcome, scorecard
from desk.programs.episode.actions import ORDER
from desk.training import policies
from desk.training.policies import PositionPolicy
from desk.training.stock_days import with_a_horizon
from desk.training.stock_episode import StockEpisode
from desk.training.tables import StockTable, read_symbols, stock_table
from desk.training.tables import symbols as every_symbol
from desk.training.walk_forward.intervals import Interval, mean_over
from desk.training.walk_forward.records import (
    BUILT_IN,
    GAINS,
    MEASURED,
    MadeRecommendation,
    PerformanceRow,
    WalkForward,
)


def summarised(
    made: Sequence[MadeRecommendation], weeks: int, cost: Decimal, unresolved: int
) -> WalkForward:
    """Returns the tables of a walk, which has at least one recommendation of the built-in
    recommender."""
    own = [each for each in made if each.policy == BUILT_IN]
    scored = list(_scored(own, weeks))
    came = [outcome(each) for each in scored]
    rate = sum(came) / len(came)
    days = [each.as_of.date() for each in own]
    return WalkForward(
        weeks=weeks,
        cost=cost,
        first=min(days),
        last=max(days),
        symbols=tuple(dict.fromkeys(each.symbol for each in own)),
        unresolved=unresolved,
        policies=tuple(by_policy(made)),
        by_symbol=tuple(_rows(own, lambda each: each.symbol)),
        by_year=tuple(_rows(_by_day(own), lambda each: f"{each.as_of.year}")),
        scorecard=_scorecard(scored, max(each.as_of for each in own)),
        better_than_half=_better_than_half(own, scored),
        base_rate=rate,
        base_rate_brier=brier([rate] * len(came), came),
    )


def by_policy(made: Iterable[MadeRecommendation]) -> Iterator[PerformanceRow]:
    """Yields how each policy did, in the order in which they first appear."""
    return _rows(made, lambda each: each.policy)


def _by_day(made: Sequence[MadeRecommendation]) -> list[MadeRecommendation]:
    return sorted(made, key=lambda each: each.as_of)


def _rows(
    made: Iterable[MadeRecommendation], of: Callable[[MadeRecommendation], str]
) -> Iterator[PerformanceRow]:
    """Yields a row of each group, in the order in which they first appear."""
    groups: defaultdict[str, list[MadeRecommendation]] = defaultdict(list)
    for each in made:
        groups[of(each)].append(each)
    for name, group in groups.items():
        yield _row(name, group)


def _row(of: str, made: Sequence[MadeRecommendation]) -> PerformanceRow:
    kinds = Counter(each.recommended for each in made)
    ways = [way for each in made if (way := _way(each))]
    return PerformanceRow(
        of=of,
        made=len(made),
        kinds={kind: kinds[kind] for kind in Recommended},
        right=sum(way > 0 for way in ways),
        decided=len(ways),
        means={metric: _mean(made, metric) for metric in MEASURED},
    )


def _mean(made: Iterable[MadeRecommendation], metric: Metric) -> Interval | None:
    """Returns the mean over the recommendations that have the figure."""
    had = [each for each in made if metric in each.figures]
    return _over(had, [float(each.figures[metric]) for each in had])


def _over(made: Iterable[MadeRecommendation], figures: Sequence[float]) -> Interval | None:
    """Returns the mean of one figure for each recommendation."""
    return mean_over([each.period for each in made], figures)


def _way(made: MadeRecommendation) -> Decimal:
    """Returns a positive number if the position had the right direction, negative if the wrong one,
    else zero."""
    return POSITIONS[made.recommended] * made.figures[Metric.FORWARD_MOVE]


def _better_than_half(
    made: Sequence[MadeRecommendation], scored: Sequence[ScoredForecast]
) -> Interval | None:
    """Returns the squared miss of one half less that of the stated probability; positive is better
    than a coin."""
    gained = [
        (COIN - came) ** 2 - (each.made.probability - came) ** 2
        for each in scored
        for came in (outcome(each),)
    ]
    return _over(made, gained)


def _scored(made: Iterable[MadeRecommendation], weeks: int) -> Iterator[ScoredForecast]:
    """Yields their probabilities as forecasts, for the desk's own scorecard to score."""
    for each in made:
        if each.probability is None:
            raise ValueError(f"the {each.policy} policy says no probability")
        yield ScoredForecast(
            made=MadeForecast(
                market=each.symbol,
                agent=AgentId.RECOMMENDATION_AGENT,
                week=week_of(each.as_of.date()),
                due=each.as_of + timedelta(weeks=weeks),
                probability=each.probability,
                level=each.figures[Metric.ENTRY],
                level_on=each.entry_on,
                server="analysis",
            ),
            value=each.figures[Metric.EXIT],
            value_on=each.exit_on,
        )


def _scorecard(scored: Sequence[ScoredForecast], as_of: datetime) -> Scorecard:
    """Returns the scorecard of all and of each symbol. There is only one agent, so its row would
    repeat that of all."""
    card = scorecard(scored, (), as_of)
    rows = tuple(row for row in card.rows if row.of != AgentId.RECOMMENDATION_AGENT)
    return card.model_copy(update={"rows": rows})


FIRST_FRIDAY: Final = date(1970, 1, 2)
LONGEST_WITHOUT_PRICE: Final = timedelta(days=6)
"""A Friday without a price in the week before it is not a date of the symbol."""

YEARS: Final = range(FIRST_FRIDAY.year, 2101)
"""Years that may bound a walk."""

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
    """Returns the results of the built-in recommender and the other policies after costs.

    Args:
        symbols: In any case; without them, all with an offline series.
        weeks: Of a horizon, and from one date to the next.
        cost: Percent of the price, for entering a position and again for leaving it.
        first_year: Recommendations from this year up to `last_year`, both included.
        tables: Of the symbols, if available.
        seed: Of the random policy.

    Raises:
        NoDates: no symbol has a date with a horizon after it in those years.
        ValueError: a symbol has no offline series, or a number is out of bounds.
    """
    if not 1 <= weeks <= MOST_WEEKS or not 0 <= cost <= MOST_COST:
        raise ValueError(
            f"weeks are 1 to {MOST_WEEKS} and a cost 0 to {MOST_COST} percent, not {weeks} and "
            f"{cost}"
        )
    first, last = _day(first_year, 1, 1), _day(last_year, 12, 31)
    chosen = _tables(symbols, tables or {})
    others = _others(seed)
    made: list[MadeRecommendation] = []
    unresolved = 0
    for table in chosen:
        for place in places(table, weeks, first, last):
            unresolved += not place.resolved
            made += _made(table, place, weeks, cost, others) if place.resolved else ()
    if not made:
        raise NoDates(_no_dates(chosen))
    return summarised(made, weeks, cost, unresolved)


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
    """Yields the dates of a walk between two days for which a series has a price."""
    days = table.days
    resolved = frozenset(with_a_horizon(days, weeks))
    step = timedelta(weeks=weeks)
    period = -(-(days[0] - FIRST_FRIDAY) // step)
    while (friday := FIRST_FRIDAY + period * step) <= days[-1]:
        at = bisect_right(days, friday) - 1
        wanted = (first or days[0]) <= days[at] <= (last or days[-1])
        if wanted and friday - days[at] <= LONGEST_WITHOUT_PRICE:
            yield WalkDate(period, at, at in resolved)
        period += 1


def _made(
    table: StockTable,
    place: WalkDate,
    weeks: int,
    cost: Decimal,
    others: Mapping[str, PositionPolicy],
) -> Iterator[MadeRecommendation]:
    """Yields what every policy recommended at a date, and the outcome."""
    as_of = close_known_from(table.days[place.at])
    came = _outcomes(table, place, weeks, cost)
    known = table.values(StockAction.RUN_TA_BASIC, place.at)
    own, probability = _recommended(table, place, as_of, weeks, cost)
    positions = {BUILT_IN: own} | {
        name: policy(table.symbol, place.period, known) for name, policy in others.items()
    }
    for name, recommended in positions.items():
        figures, days = came[POSITIONS[recommended]]
        yield MadeRecommendation(
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


def _outcomes(
    table: StockTable, place: WalkDate, weeks: int, cost: Decimal
) -> dict[int, tuple[dict[Metric, Decimal], dict[Metric, date]]]:
    """Returns the outcomes of each position. Without a reward of the long position, none has gains:
    otherwise the means of two policies would be of different dates."""
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
