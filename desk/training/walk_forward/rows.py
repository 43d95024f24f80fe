"""What recommendations and what came of them add up to."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from desk.analytics.evaluation import POSITIONS
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.learning.lessons import MadeForecast, Scorecard, ScoredForecast
from desk.contracts.names import AgentId
from desk.contracts.weeks import week_of
from desk.learning.calibration import COIN, brier, outcome, scorecard
from desk.training.walk_forward.intervals import Interval, mean_over
from desk.training.walk_forward.records import BUILT_IN, MEASURED, Made, PerformanceRow, WalkForward


def summed_up(made: Sequence[Made], weeks: int, cost: Decimal, unresolved: int) -> WalkForward:
    """The tables of a walk. There is at least one recommendation of the built-in recommender."""
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


def by_policy(made: Iterable[Made]) -> Iterator[PerformanceRow]:
    """How each policy did, in the order in which they first come."""
    return _rows(made, lambda each: each.policy)


def _by_day(made: Sequence[Made]) -> list[Made]:
    return sorted(made, key=lambda each: each.as_of)


def _rows(made: Iterable[Made], of: Callable[[Made], str]) -> Iterator[PerformanceRow]:
    """A row of each group, in the order in which they first come."""
    groups: defaultdict[str, list[Made]] = defaultdict(list)
    for each in made:
        groups[of(each)].append(each)
    for name, group in groups.items():
        yield _row(name, group)


def _row(of: str, made: Sequence[Made]) -> PerformanceRow:
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


def _mean(made: Iterable[Made], metric: Metric) -> Interval | None:
    """Of those recommendations that have the figure."""
    had = [each for each in made if metric in each.figures]
    return _over(had, [float(each.figures[metric]) for each in had])


def _over(made: Iterable[Made], figures: Sequence[float]) -> Interval | None:
    """Of one figure for each recommendation."""
    return mean_over([each.period for each in made], figures)


def _way(made: Made) -> Decimal:
    """Above zero where the position had the direction, below where it had not, else zero."""
    return POSITIONS[made.recommended] * made.figures[Metric.FORWARD_MOVE]


def _better_than_half(made: Sequence[Made], scored: Sequence[ScoredForecast]) -> Interval | None:
    """The squared miss of a half less that of what was said; above zero is better than a coin."""
    gained = [
        (COIN - came) ** 2 - (each.made.probability - came) ** 2
        for each in scored
        for came in (outcome(each),)
    ]
    return _over(made, gained)


def _scored(made: Iterable[Made], weeks: int) -> Iterator[ScoredForecast]:
    """Their probabilities as forecasts that the desk's own scorecard scores."""
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
    """Of all and of each symbol. There is one agent, so that its row would repeat that of all."""
    card = scorecard(scored, (), as_of)
    rows = tuple(row for row in card.rows if row.of != AgentId.RECOMMENDATION_AGENT)
    return card.model_copy(update={"rows": rows})
