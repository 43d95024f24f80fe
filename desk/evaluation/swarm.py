"""Objectives with known answers, and the scoring of a swarm's report on one."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

import pendulum

from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import YesOrNo
from desk.evaluation.draws import SeededDraws
from desk.evaluation.oracle import fixings, policy, prices
from desk.evaluation.scores import TaskCheck, Verdict
from desk.evaluation.swarm_wordings import NAMES, wordings_of
from desk.trust.prose import references

FIRST: Final = date(2016, 2, 5)
DAYS: Final = 3_820
"""Ends in the summer of 2026: the tables of fixings and of policy rates cover all of these days."""

HISTORY: Final = 500
"""How many fixings an indicator is computed from; earlier ones do not change a printed figure."""

AREAS: Final = {
    "EUR": "XM",
    "USD": "US",
    "JPY": "JP",
    "GBP": "GB",
    "CHF": "CH",
    "AUD": "AU",
    "NZD": "NZ",
    "CAD": "CA",
}
PAIRS: Final = tuple(NAMES)


class KnownFigure(NamedTuple):
    """The figure that decides an objective: its metric, its value, the tolerance for the desk's
    value, and whether the answer is yes. `holds` is None if the value is too close to the threshold
    to be asked about."""

    metric: Metric
    value: float
    tolerance: float
    holds: bool | None


class ObjectiveKind(NamedTuple):
    """A kind of objective: its form, its question, and the function that computes the deciding
    figure."""

    form: str
    asked: str
    known: Callable[[str, datetime], KnownFigure | None]


class SwarmTask(Contract):
    """An objective on a market as of an instant, and its answer with the deciding figure.

    Without `named`, the form is not given and has to be recognised from the objective's words.
    `holds` is None for an objective that no figure of the desk decides.
    """

    task_id: ShortText
    form: ShortText
    named: bool
    market: ShortText
    objective: Text
    as_of: Instant
    metric: Metric
    value: float
    tolerance: float
    holds: bool | None

    @property
    def asked(self) -> str:
        """The task in one line."""
        return f"{self.objective} ({self.as_of:%Y-%m-%d})"


def _levels(pair: str, as_of: datetime) -> fixings.KnownFixings:
    return fixings.fixings(pair).until(as_of.date())


def _strength(pair: str, as_of: datetime) -> KnownFigure | None:
    found = prices.relative_strength(_levels(pair, as_of).levels[-HISTORY:])
    if found is None:
        return None
    clear = abs(found - 70) > 1
    return KnownFigure(Metric.RSI, found, 0.6, found >= 70 if clear else None)


def _weakness(pair: str, as_of: datetime) -> KnownFigure | None:
    known = _strength(pair, as_of)
    if known is None:
        return None
    return known._replace(holds=known.value <= 30 if abs(known.value - 30) > 1 else None)


def _trend(pair: str, as_of: datetime) -> KnownFigure | None:
    """Whether the last fixing is above both averages, or below both."""
    levels = _levels(pair, as_of).levels
    short, long = prices.mean_of_last(levels, 50), prices.mean_of_last(levels, 200)
    if short is None or long is None:
        return None
    gaps = [float(levels[-1]) / mean - 1 for mean in (short, long)]
    clear = min(map(abs, gaps)) > 0.002 and len({gap > 0 for gap in gaps}) == 1
    return KnownFigure(Metric.SMA_200, long, long * 0.002, gaps[0] > 0 if clear else None)


def _carry(pair: str, as_of: datetime) -> KnownFigure | None:
    """Whether the pair earns, or costs, a quarter of its volatility or more."""
    base, _, quote = pair.partition("/")
    rates = [policy.decisions(AREAS[currency], as_of) for currency in (base, quote)]
    if not all(rates):
        return None
    differential = float(rates[0][-1].rate - rates[1][-1].rate) * 100
    volatility = prices.yearly_volatility(_levels(pair, as_of).levels, 63)
    if volatility is None:
        return None
    ratio = abs(differential) / 100 / volatility
    clear = not 0.17 < ratio < 0.35
    return KnownFigure(Metric.DIFFERENTIAL, differential, 0.1, ratio > 0.25 if clear else None)


def _downtrend(pair: str, as_of: datetime) -> KnownFigure | None:
    known = _trend(pair, as_of)
    if known is None or known.holds is None:
        return known
    return known._replace(holds=not known.holds)


QUARTER: Final = 63
"""Fixings in three months."""


def _gained(pair: str, as_of: datetime, way: int = 1) -> KnownFigure | None:
    """Whether the move of three months is at least half of a quarter's usual swing."""
    series = _levels(pair, as_of)
    if not series.days:
        return None
    last = series.days[-1]
    before = series.last_by(pendulum.date(last.year, last.month, last.day).subtract(months=3))
    swing = prices.yearly_volatility(series.levels, QUARTER)
    if before is None or swing is None:
        return None
    move = float(series.levels[-1] / before[1] - 1) * 100
    share = move * way / (swing / 2)
    return KnownFigure(
        Metric.QUARTER_MOVE, move, 0.05, share > 0.5 if not 0.3 < share < 0.7 else None
    )


def _lost(pair: str, as_of: datetime) -> KnownFigure | None:
    return _gained(pair, as_of, -1)


def _breakout(pair: str, as_of: datetime) -> KnownFigure | None:
    """Whether the last fixing is outside the range of the quarter before it."""
    levels = [float(level) for level in _levels(pair, as_of).levels[-QUARTER - 1 :]]
    if len(levels) <= QUARTER:
        return None
    *before, last = levels
    low, high = min(before), max(before)
    clear = min(abs(last / low - 1), abs(last / high - 1)) > 0.001
    return KnownFigure(Metric.LAST, last, last * 0.0005, not low <= last <= high if clear else None)


KINDS: Final = (
    ObjectiveKind("overbought", "Is {} overbought?", _strength),
    ObjectiveKind("oversold", "Is {} oversold?", _weakness),
    ObjectiveKind("uptrend", "Is {} in an uptrend?", _trend),
    ObjectiveKind("carry", "Is the carry of {} large for its risk?", _carry),
    ObjectiveKind("downtrend", "Is {} in a downtrend?", _downtrend),
    ObjectiveKind("gained", "Has {} gained over the quarter?", _gained),
    ObjectiveKind("lost", "Has {} lost over the quarter?", _lost),
    ObjectiveKind("breakout", "Has {} broken out of the range of its last quarter?", _breakout),
)
"""The kinds whose answer this package can compute independently of the desk."""

UNDECIDED: Final = "none"
"""The kind of objective that no figure of the desk decides: one in `ONE_IN` tasks."""
UNDECIDED_EVERY: Final = 8


def swarm_tasks(seed: int, count: int) -> tuple[SwarmTask, ...]:
    """Returns `count` objectives: one in eight has no form, the others take all kinds in turn, one
    in three with its form named, and half of them to be answered yes."""
    draws = SeededDraws(seed, "objectives")
    return tuple(
        _undecided(draws, seed, number)
        if number % UNDECIDED_EVERY == UNDECIDED_EVERY - 1
        else _task(draws, seed, number - number // UNDECIDED_EVERY)
        for number in range(count)
    )


def _undecided(draws: SeededDraws, seed: int, number: int) -> SwarmTask:
    day = FIRST + timedelta(days=draws.number(f"day {number}", 0, DAYS))
    pair = draws.one(f"pair {number}", PAIRS)
    words = draws.one(f"words {number}", wordings_of(UNDECIDED, seed))
    return SwarmTask(
        task_id=f"{seed}/{UNDECIDED}/{pair}/{day}",
        form=UNDECIDED,
        named=False,
        market=pair,
        objective=_capital(words.format(draws.one(f"name {number}", NAMES[pair]))),
        as_of=datetime.combine(day, time(20), UTC),
        metric=Metric.LAST,
        value=0.0,
        tolerance=0.0,
        holds=None,
    )


def _task(draws: SeededDraws, seed: int, number: int) -> SwarmTask:
    """Returns the first objective of a kind, in random order, that has the wanted answer."""
    kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
    wanted, named = turn % 2 == number % 2, number % 3 == 0
    for place in draws.order(f"days {number}", range(DAYS)):
        day = FIRST + timedelta(days=place)
        pair = draws.one(f"pair {number} {place}", PAIRS)
        as_of = datetime.combine(day, time(20), UTC)
        known = kind.known(pair, as_of) if day.weekday() < 5 else None
        if known is not None and known.holds is wanted:
            words = kind.asked if named else draws.one(f"words {number}", _words(kind, seed))
            called = pair if named else draws.one(f"name {number}", NAMES[pair])
            return SwarmTask(
                task_id=f"{seed}/{kind.form}/{pair}/{day}",
                form=kind.form,
                named=named,
                market=pair,
                objective=_capital(words.format(called)),
                as_of=as_of,
                **known._asdict(),
            )
    raise ValueError(f"no day is known on which {kind.form} is {wanted}")


def _words(kind: ObjectiveKind, seed: int) -> tuple[str, ...]:
    return wordings_of(kind.form, seed)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def scored_swarm(task: SwarmTask, report: AnswerReport) -> tuple[TaskCheck, ...]:
    """Checks a report: yes or no by its typed field, and the deciding figure by the claim that its
    summary refers to. What no figure decides must be left undecided."""
    return (_undecided_check(task, report),) if task.holds is None else tuple(_checks(task, report))


def _undecided_check(task: SwarmTask, report: AnswerReport) -> TaskCheck:
    return TaskCheck(
        check_id=f"{task.task_id}/answer",
        kind="needs a model",
        verdict=Verdict.INVENTED if report.decided else Verdict.RIGHTLY_REFUSED,
        expected="nothing",
        said=f"{report.decided or 'nothing'}",
    )


def _checks(task: SwarmTask, report: AnswerReport) -> Iterator[TaskCheck]:
    name = claim_id(task.market, task.metric)
    claim = next((each for each in report.claims if each.claim_id == name), None)
    cited = claim is not None and name in references(report.summary_prose)
    near = claim is not None and abs(float(claim.value) - task.value) <= task.tolerance
    yield TaskCheck(
        check_id=f"{task.task_id}/answer",
        kind="yes or no" if task.named else "yes or no, by its words",
        verdict=_answered(task, report),
        expected="yes" if task.holds else "no",
        said=f"{report.decided or 'nothing'}",
    )
    yield TaskCheck(
        check_id=f"{task.task_id}/figure",
        kind="deciding figure",
        verdict=Verdict.REFUSED if not cited else Verdict.RIGHT if near else Verdict.WRONG,
        expected=f"{name} {task.value:.2f}",
        said=f"{claim.value}" if claim is not None else "nothing",
    )


def _answered(task: SwarmTask, report: AnswerReport) -> Verdict:
    if report.decided in (None, YesOrNo.OPEN):
        return Verdict.REFUSED
    return Verdict.RIGHT if (report.decided is YesOrNo.YES) is task.holds else Verdict.WRONG
