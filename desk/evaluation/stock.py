"""Stock episodes of the past with known outcomes, and the scoring of their recommendations."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from desk.contracts.base import Contract, Instant, ShortText
from desk.contracts.episode.stock import Blackboard, Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.contracts.question.answers import AnswerReport
from desk.evaluation.draws import SeededDraws
from desk.evaluation.oracle import prices
from desk.evaluation.scores import TaskCheck, Verdict
from desk.evaluation.week import verdict_on

WEEKS: Final = 4
ZONE: Final = ZoneInfo("Europe/London")
HELD_OUT: Final = 0.7
"""Only days after this share of a series are drawn."""

LOOKED_AT: Final = 0.85
"""Only sealed seeds draw days after this share of a series, so that they influence no choice."""

SEALED_SEEDS: Final = 9_000
"""Seeds from this one on are for a final look: after a change that follows it, another seed is
needed."""

ACCOUNTS: Final = frozenset(
    {
        Metric.PRICE_TO_EARNINGS,
        Metric.PRICE_TO_BOOK,
        Metric.NET_MARGIN,
        Metric.DEBT_TO_EQUITY,
        Metric.REVENUE_GROWTH,
        Metric.EARNINGS_SURPRISE,
    }
)

_SIDES: Final = {Recommended.BUY: 1, Recommended.SELL: -1}
_WAYS: Final = {Leaning.UP: 1, Leaning.DOWN: -1}


class StockTask(Contract):
    """The stock and the as-of instant of an episode."""

    task_id: ShortText
    symbol: ShortText
    as_of: Instant
    rose: bool
    """Whether the price was higher at the horizon."""

    @property
    def asked(self) -> str:
        """The task in one line."""
        return f"{self.symbol} as of {self.as_of:%Y-%m-%d}, for {WEEKS} weeks"


def stock_tasks(seed: int, count: int) -> tuple[StockTask, ...]:
    """Returns `count` episodes, of all stocks in turn, each on a random day."""
    draws = SeededDraws(seed, "stocks")
    made: list[StockTask] = []
    symbols = draws.order("symbols", sorted(prices.SERIES))
    for number in range(20 * count):
        if len(made) == count:
            break
        symbol = symbols[number % len(symbols)]
        task = _task(draws, seed, symbol, number)
        if task is not None:
            made.append(task)
    return tuple(made)


def _task(draws: SeededDraws, seed: int, symbol: str, number: int) -> StockTask | None:
    days = prices.closes(symbol).days
    sealed = seed >= SEALED_SEEDS
    first, last = (LOOKED_AT, 1.0) if sealed else (HELD_OUT, LOOKED_AT)
    # The horizon of a day that is often looked at does not reach into the sealed days.
    latest = int(len(days) * last) - (1 if sealed else 5 * WEEKS + 1)
    at = draws.number(f"{symbol} {number}", int(len(days) * first), latest)
    as_of = datetime.combine(days[at], time(23, 59, 59), ZONE)
    rose = prices.closes(symbol).rose(days[at], _end(days[at]))
    if rose is None:
        return None
    return StockTask(task_id=f"{seed}/{symbol}/{days[at]}", symbol=symbol, as_of=as_of, rose=rose)


def _end(day: date) -> date:
    return day + timedelta(weeks=WEEKS)


def scored_stock(task: StockTask, report: AnswerReport) -> tuple[TaskCheck, ...]:
    """Checks an episode's blackboard and claims."""
    return tuple(_checks(task, report)) if report.stock is not None else ()


def _checks(task: StockTask, report: AnswerReport) -> Iterator[TaskCheck]:
    if report.stock is None:
        return
    board = report.stock.board
    yield _accounts(task, report, board)
    yield _consistent(task, board)
    yield _forecast(task, board)


def _accounts(task: StockTask, report: AnswerReport, board: Blackboard) -> TaskCheck:
    """Checks the company's accounts. No package has any, so whatever is stated of them is
    invented."""
    part = board.fundamentals_data
    figures = {figure.metric for figure in part.figures} if part else set()
    stated = (figures | {claim.metric for claim in report.claims}) & ACCOUNTS
    said = ", ".join(sorted(stated)) or None
    return TaskCheck(
        check_id=f"{task.task_id}/accounts",
        kind="no accounts",
        verdict=verdict_on(None, said, same=False),
        expected="nothing",
        said=said or "nothing",
    )


def _consistent(task: StockTask, board: Blackboard) -> TaskCheck:
    """Checks that a recommendation agrees with its own probability and with the insights on the
    board."""
    action, probability = board.recommendation, board.probability
    balance = sum(_WAYS.get(each.leaning, 0) * each.strength for each in board.insights)
    side = _SIDES.get(action, 0) if action else 0
    agrees = side == 0 or (
        probability is not None and (probability - 0.5) * side > 0 and balance * side > 0
    )
    description = f"{action}, {probability}, balance {balance:.2f}"
    return TaskCheck(
        check_id=f"{task.task_id}/consistent",
        kind="consistent",
        verdict=Verdict.REFUSED if action is None else Verdict.RIGHT if agrees else Verdict.WRONG,
        expected="action, probability and insights point one way",
        said=description,
    )


def _forecast(task: StockTask, board: Blackboard) -> TaskCheck:
    gave = board.recommendation not in (None, Recommended.ABSTAIN)
    return TaskCheck(
        check_id=f"{task.task_id}/forecast",
        kind="forecast",
        verdict=Verdict.SCORED if gave and board.probability is not None else Verdict.REFUSED,
        expected="higher" if task.rose else "not higher",
        said=f"{board.probability}",
        probability=board.probability if gave else None,
        outcome=float(task.rose),
    )
