"""Weeks of the past with known facts, and the scoring of a report on one."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from desk.analytics.weeks import as_of_of
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ViewKind
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek, monday_of, week_of
from desk.evaluation.draws import SeededDraws
from desk.evaluation.oracle import fixings, policy
from desk.evaluation.scores import TaskCheck, Verdict
from desk.programs.week.document.sections.summary import said_in
from desk.trust.prose import references

FIRST: Final = monday_of("2016-W05")
WEEKS: Final = 545
"""Ends in the summer of 2026: both tables of rates cover all of these weeks."""

PAIRS: Final = (
    *("EUR/USD", "USD/JPY", "GBP/USD", "USD/CHF", "AUD/USD", "NZD/USD", "USD/CAD", "USD/SEK"),
    *("USD/NOK", "USD/CNY", "USD/SGD", "USD/KRW", "USD/INR", "USD/THB", "USD/MYR"),
)
"""Floating pairs with fixings in all of these weeks."""

AREAS: Final = ("US", "XM", "JP", "GB", "CH", "AU", "NZ", "CA")
"""Areas whose every meeting is in the tables."""

MARKET_WITHOUT_DATA: Final = "USD/TWD"
"""A market that no packaged source has."""

PAIRS_A_WEEK, AREAS_A_WEEK = 6, 3

TOLERANCE: Final = Decimal("0.03")
"""Percentage points of a move: levels are printed rounded, and moves are computed from them."""

AHEAD: Final = timedelta(weeks=6)
"""How far ahead a report lists meetings."""


class WeekTask(Contract):
    """A week to research, and its markets."""

    task_id: ShortText
    week: IsoWeek
    pairs: Annotated[tuple[ShortText, ...], Field(max_length=20)]
    areas: Annotated[tuple[ShortText, ...], Field(max_length=20)]

    @property
    def asked(self) -> str:
        """The task in one line."""
        return f"{self.week}: {', '.join(self.markets)}"

    @property
    def markets(self) -> tuple[str, ...]:
        """All markets, including the one without data."""
        return (*self.pairs, MARKET_WITHOUT_DATA, *self.areas)


def week_tasks(seed: int, count: int) -> tuple[WeekTask, ...]:
    """Returns `count` past weeks, each with its own choice of markets."""
    draws = SeededDraws(seed, "weeks")
    return tuple(_task(draws, seed, number) for number in draws.some("weeks", range(WEEKS), count))


def _task(draws: SeededDraws, seed: int, number: int) -> WeekTask:
    week = week_of(FIRST + timedelta(weeks=number))
    return WeekTask(
        task_id=f"{seed}/{week}",
        week=week,
        pairs=tuple(sorted(draws.some(f"pairs {week}", PAIRS, PAIRS_A_WEEK))),
        areas=tuple(sorted(draws.some(f"areas {week}", AREAS, AREAS_A_WEEK))),
    )


def scored_week(
    task: WeekTask, report: ResearchReport, schedule: ScheduleConfig
) -> tuple[TaskCheck, ...]:
    """Checks a report: its claims, its calendar, and the references of its sentences."""
    return tuple(_Scoring(task, report, as_of_of(task.week, schedule)).checks())


class _Scoring:
    def __init__(self, task: WeekTask, report: ResearchReport, as_of: datetime) -> None:
        self._task = task
        self._report = report
        self._as_of = as_of
        self._first = monday_of(task.week)
        self._last = self._first + timedelta(days=6)
        self._claims = {c.claim_id: c for market in report.markets for c in market.claims}

    def checks(self) -> Iterator[TaskCheck]:
        for pair in self._task.pairs:
            yield self._move(pair)
            yield from self._forecast(pair)
        yield self._moved_most()
        yield self._absent(MARKET_WITHOUT_DATA)
        for area in self._task.areas:
            yield self._rate(area)
            yield self._decision(area)
            yield self._meeting(area)

    def _move(self, pair: str) -> TaskCheck:
        expected = fixings.move(pair, self._first, self._last)
        said = self._claims.get(claim_id(pair, Metric.MOVE))
        near = (
            expected is not None
            and said is not None
            and abs(said.value - expected) <= max(TOLERANCE, abs(expected) / 100)
        )
        return self._check(
            "move", pair, None if expected is None else f"{expected:.2f}", _value(said), near
        )

    def _forecast(self, pair: str) -> Iterator[TaskCheck]:
        """Yields the market view's probability of a higher fixing, and the outcome."""
        views = [
            view
            for market in self._report.markets
            for view in market.views
            if (market.market, view.subject, view.kind) == (pair, pair, ViewKind.DIRECTION)
        ]
        for forecast in (view.forecast for view in views[:1] if view.forecast is not None):
            series = fixings.fixings(pair)
            now = series.last_by(self._last)
            then = series.last_by(self._last + timedelta(weeks=forecast.weeks))
            if now is not None and then is not None:
                higher = (then[1] > now[1]) + 0.5 * (then[1] == now[1])
                yield TaskCheck(
                    check_id=f"{self._task.task_id}/forecast/{pair}",
                    kind="forecast",
                    verdict=Verdict.SCORED,
                    expected=f"{pair} {'higher' if higher else 'not higher'}",
                    said=f"{forecast.probability}",
                    probability=forecast.probability,
                    outcome=higher,
                )

    def _moved_most(self) -> TaskCheck:
        moves = {pair: fixings.move(pair, self._first, self._last) for pair in self._task.pairs}
        largest = max(moves, key=lambda pair: abs(moves[pair] or Decimal(0)))
        lead = self._report.lead
        written = said_in(lead) if lead and lead.written else ()
        sentences = (*self._report.summary, *self._report.commentary, *written)
        named = {name.partition(":")[0] for each in sentences for name in references(each.prose)}
        said = largest if largest in named else ", ".join(sorted(named & set(moves)))
        return self._check("moved most", "pairs", largest, said or None, said == largest)

    def _absent(self, market: str) -> TaskCheck:
        said = self._claims.get(claim_id(market, Metric.LAST))
        return self._check("no data", market, None, _value(said), False)

    def _rate(self, area: str) -> TaskCheck:
        known = policy.decisions(area, self._as_of)
        said = self._claims.get(claim_id(area, Metric.POLICY_RATE))
        same = said is not None and bool(known) and said.value == known[-1].rate
        return self._check(
            "policy rate", area, f"{known[-1].rate}" if known else None, _value(said), same
        )

    def _decision(self, area: str) -> TaskCheck:
        decided = {
            each.day: each.change
            for each in policy.decisions(area, self._as_of)
            if each.exact and self._first <= each.day <= self._last and each.change is not None
        }
        prefix = f"{area}:{Metric.DECISION_CHANGE}@"
        said = {
            date.fromisoformat(name.removeprefix(prefix)): claim.value
            for name, claim in self._claims.items()
            if name.startswith(prefix)
        }
        return self._check("decision", area, _days(decided), _days(said), decided == said)

    def _meeting(self, area: str) -> TaskCheck:
        ahead = [
            day for day in policy.meetings(area, self._as_of) if day <= self._as_of.date() + AHEAD
        ]
        listed = [row.day for row in self._report.calendar if row.ahead and row.area == area]
        expected, said = min(ahead, default=None), min(listed, default=None)
        return self._check("next meeting", area, _iso(expected), _iso(said), expected == said)

    def _check(
        self, kind: str, about: str, expected: str | None, said: str | None, same: bool
    ) -> TaskCheck:
        return TaskCheck(
            check_id=f"{self._task.task_id}/{kind}/{about}",
            kind=kind,
            verdict=verdict_on(expected, said, same=same),
            expected=expected or "nothing",
            said=said or "nothing",
        )


def verdict_on(expected: str | None, said: str | None, *, same: bool) -> Verdict:
    """Returns the verdict on a statement or its absence, given what was expected."""
    if expected is None:
        return Verdict.RIGHTLY_REFUSED if said is None else Verdict.INVENTED
    if said is None:
        return Verdict.REFUSED
    return Verdict.RIGHT if same else Verdict.WRONG


def _value(claim: Claim | None) -> str | None:
    return None if claim is None else f"{claim.value}"


def _days(changes: dict[date, Decimal] | dict[date, Decimal | None]) -> str | None:
    lines: Sequence[str] = [f"{day} {changes[day]:+f}" for day in sorted(changes)]
    return ", ".join(lines) or None


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
