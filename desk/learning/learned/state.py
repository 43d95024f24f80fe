"""The learning system's record, and the answers that are computed from it.

One lesson counts for each week, with its surviving forecasts. A later lesson of a run replaces the
earlier one, except for forecasts that were made in time when the later one's were not. The same
lessons and fixings give the same answers, in whatever order they arrived.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import chain, islice
from typing import Final, NamedTuple

from desk.contracts.learning.lessons import (
    Advice,
    AgentRecord,
    Lesson,
    MadeForecast,
    ScoredForecast,
)
from desk.contracts.learning.record import (
    MOST_SHOWN,
    MOST_SHOWN_HYPOTHESES,
    MOST_VOIDS,
    MOST_WEEKS,
    LearnedView,
    LearningState,
    RecordQuery,
    Resolution,
    WeekLearned,
)
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.learning.calibration import COIN, agent_weights, outcome, score, scorecard, source_weights
from desk.learning.forecasts import Fixed
from desk.learning.learned.hypotheses import LearnedHypotheses, with_hypotheses
from desk.learning.learned.patterns import metrics, patterns
from desk.learning.learned.recommendations import recommendations
from desk.learning.standing import Standing, in_time_until, is_backtest, standing_of
from desk.runs.tools import essential, summed

MAX_STORED_TROUBLES: Final = 52 * 200
"""The maximum number of troubles stored individually, of the newest weeks: those of a year in which
every run reported as many as a lesson can contain."""

USUAL_HORIZON: Final = timedelta(weeks=4)
"""When forecasts of a lesson without any would be due."""

InTime = Callable[[datetime, datetime], datetime]
"""Returns until when forecasts as of an instant, due at another, are made in time."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class RunReports(NamedTuple):
    """The reports of one run: its last lesson, and the last one before it whose forecasts were in
    time, if those of the last are not.

    Of the earlier one only the forecasts are stored.
    """

    last: Lesson
    in_time: Lesson | None = None

    def with_lesson(self, lesson: Lesson, in_time_until: InTime = in_time_until) -> "RunReports":
        """Returns this run with one more lesson. Lessons may arrive in any order."""
        before = (self.last,) if self.in_time is None else (self.in_time, self.last)
        *earlier, last = sorted((*before, lesson), key=sent_at)
        if _is_in_time(last, in_time_until):
            return RunReports(last)
        timely = (one for one in reversed(earlier) if _is_in_time(one, in_time_until))
        in_time = next(timely, None)
        return RunReports(last, in_time and _forecasts_only(in_time))


class WeekLesson(NamedTuple):
    """The lesson of a week, and the runs that it and its forecasts are from."""

    lesson: Lesson
    runs: frozenset[str]


def week_lesson_of(runs: Sequence[RunReports], in_time_until: InTime = in_time_until) -> WeekLesson:
    """Returns the lesson of a week with its surviving forecasts: the last one sent for the whole
    week, or else the last one for some of its markets."""
    last = max((run.last for run in runs), key=lambda one: (one.whole, *_by_time_sent(one)))
    lessons = (one for run in runs for one in run if one is not None)
    surviving = _surviving_forecasts(lessons, in_time_until)
    last = last.model_copy(update={"forecasts": tuple(made for made, _ in surviving)})
    return WeekLesson(
        last, frozenset({last.workflow_id, *(before.workflow_id for _, before in surviving)})
    )


def newly_counted(
    lessons: Iterable[Lesson], *, most: int = MAX_STORED_TROUBLES
) -> Iterator[Lesson]:
    """Yields the lessons whose troubles no longer fit into the record, with only their number. Once
    a week is reduced to a number, so are all weeks before it."""
    stored, room = 0, True
    for lesson in sorted(lessons, key=_by_as_of, reverse=True):
        stored += len(lesson.troubles)
        room = room and stored <= most and not _is_counted(lesson)
        if lesson.troubles and not room:
            count = lesson.more_troubles + len(lesson.troubles)
            yield lesson.model_copy(update={"troubles": (), "more_troubles": count})


def sent_at(lesson: Lesson) -> datetime:
    """Returns when a lesson was sent. A lesson without an instant counts as sent before any
    other."""
    return lesson.told_at or _LONG_AGO


def _is_counted(lesson: Lesson) -> bool:
    """Returns whether a lesson's troubles were reduced to their number. A run itself lists at least
    some if it had any."""
    return lesson.more_troubles > 0 and not lesson.troubles


def _by_as_of(lesson: Lesson) -> tuple[datetime, str]:
    return lesson.as_of, lesson.workflow_id


def _surviving_forecasts(
    lessons: Iterable[Lesson], in_time_until: InTime
) -> Sequence[tuple[MadeForecast, Lesson]]:
    """Returns the forecasts of the last whole lesson, each with its lesson. A forecast that was
    sent in time is neither replaced nor removed by a lesson sent after that."""
    surviving: list[tuple[MadeForecast, Lesson]] = []
    for lesson in sorted((one for one in lessons if one.whole), key=_by_time_sent):
        kept = [
            (made, before)
            for made, before in surviving
            if sent_at(before) < in_time_until(before.as_of, made.due) <= sent_at(lesson)
        ]
        taken = {(made.market, made.agent) for made, _ in kept}
        new = (made for made in lesson.forecasts if (made.market, made.agent) not in taken)
        surviving = [*kept, *((_written(made, lesson), lesson) for made in new)]
    return surviving


def _written(made: MadeForecast, lesson: Lesson) -> MadeForecast:
    return made.model_copy(update={"as_of": lesson.as_of, "written_at": lesson.told_at})


def _is_in_time(lesson: Lesson, in_time_until: InTime) -> bool:
    due = min((made.due for made in lesson.forecasts), default=lesson.as_of + USUAL_HORIZON)
    return sent_at(lesson) < in_time_until(lesson.as_of, due)


def _forecasts_only(lesson: Lesson) -> Lesson:
    kept = {"forecasts": lesson.forecasts if lesson.whole else ()}
    return lesson.model_copy(
        update={**kept, "troubles": (), "tools": (), "sources": (), "agents": ()}
    )


def _by_time_sent(lesson: Lesson) -> tuple[datetime, str]:
    return sent_at(lesson), lesson.workflow_id


MOST_WEIGHTS: Final = 60

MOST_ESSENTIAL: Final = 160

MOST_CHANGES: Final = 300

MOST_TOOLS: Final = 300

MOST_AGENTS: Final = 60


def summed_agents(records: Iterable[AgentRecord]) -> tuple[AgentRecord, ...]:
    """Returns one record for each agent, sorted."""
    found: defaultdict[AgentId, list[AgentRecord]] = defaultdict(list)
    for record in records:
        found[record.agent].append(record)
    return tuple(
        AgentRecord(
            agent=agent,
            tasks=sum(one.tasks for one in own),
            delivered=sum(one.delivered for one in own),
            reassigned=sum(one.reassigned for one in own),
            turns=sum(one.turns for one in own),
            cost_usd=sum((one.cost_usd for one in own), Decimal(0)),
        )
        for agent, own in sorted(found.items())
    )


class _LearnedWeek(NamedTuple):
    """A week's lesson, its scored forecasts and its open ones. `runs` are all the runs that
    reported them."""

    lesson: Lesson
    runs: frozenset[str]
    scored: tuple[ScoredForecast, ...]
    still_open: tuple[MadeForecast, ...]


class _Known(NamedTuple):
    """What was known by an instant: one lesson for each week, the oldest first."""

    lessons: tuple[Lesson, ...]
    scored: tuple[ScoredForecast, ...]
    still_open: tuple[MadeForecast, ...]

    def of(self, market: str | None) -> "_Known":
        """Returns the same with the forecasts of one market alone, or of all if `market` is
        None."""
        if market is None:
            return self
        scored = tuple(one for one in self.scored if one.made.market == market)
        still_open = tuple(made for made in self.still_open if made.market == market)
        return self._replace(scored=scored, still_open=still_open)


class Learned:
    """The record of a desk: the newest `MOST_WEEKS` weeks. Lessons that count for no week are
    dropped first, then weeks of some of the markets, then the oldest weeks. Of old troubles only
    the number is stored. `in_time_until` determines which forecasts are in time."""

    def __init__(
        self,
        state: LearningState | None = None,
        *,
        most: int = MOST_WEEKS,
        in_time_until: InTime = in_time_until,
    ) -> None:
        state = state or LearningState()
        self._in_time_until = in_time_until
        self._most = most
        self._fixings = {_fixed(known): known for known in state.resolutions}
        in_time = {lesson.workflow_id: lesson for lesson in state.in_time}
        self._runs = {
            lesson.workflow_id: RunReports(lesson, in_time.get(lesson.workflow_id))
            for lesson in state.lessons
        }
        self._weeks: dict[str, _LearnedWeek] = {}
        self._each_week: tuple[_LearnedWeek, ...] | None = None
        self._count = state.told
        self._hypotheses = LearnedHypotheses(state.hypotheses)
        self._count_old_troubles()

    @property
    def state(self) -> LearningState:
        """The whole state, for the next execution. It does not depend on the order of arrival."""
        kept = sorted((run.last for run in self._runs.values()), key=_order)
        earlier = sorted((run.in_time for run in self._runs.values() if run.in_time), key=_order)
        wanted = {_decided_by(made) for lesson in (*kept, *earlier) for made in lesson.forecasts}
        return LearningState(
            lessons=tuple(kept),
            in_time=tuple(earlier),
            resolutions=tuple(self._fixings[key] for key in sorted(wanted & self._fixings.keys())),
            told=self._count,
            hypotheses=self._hypotheses.every,
        )

    def take(self, lesson: Lesson) -> None:
        """Adds a lesson.

        It replaces an earlier lesson of the same run, and is dropped if a later one is known
        already: signals can overtake each other. Forecasts sent before they were due are retained
        if this lesson was sent after that.
        """
        before = self._runs.get(lesson.workflow_id)
        if before is not None and before.last == lesson:
            return
        self._count += 1
        self._runs[lesson.workflow_id] = (
            before.with_lesson(lesson, self._in_time_until) if before else RunReports(lesson)
        )
        self._changed(lesson.week, *([before.last.week] if before else ()))
        self._make_room()
        self._count_old_troubles()

    def take_hypothesis(self, scored: ScoredHypothesis) -> None:
        """Adds a scored hypothesis. A second report of it replaces the first."""
        self._hypotheses.take(scored)

    def fix(self, resolutions: Iterable[Resolution]) -> None:
        """Records fixings that forecasts wait for. A fixing that is known already is not
        changed."""
        new = {_fixed(known): known for known in resolutions if _fixed(known) not in self._fixings}
        self._fixings |= new
        for week, learned in self._weeks.items():
            if any(_decided_by(made) in new for made in learned.still_open):
                self._weeks[week] = self._read(WeekLesson(learned.lesson, learned.runs))
        self._each_week = None

    def open_by(self, instant: datetime) -> tuple[Fixed, ...]:
        """Returns the fixings needed to score the forecasts that were due by an instant."""
        return tuple(sorted({_decided_by(made) for made in self._open() if made.due <= instant}))

    def next_due_after(self, instant: datetime) -> datetime | None:
        """Returns when the next forecast is due, or None without one."""
        return min((made.due for made in self._open() if made.due > instant), default=None)

    def advice(self, question: RecordQuery) -> Advice:
        """Returns the advice for a run: from lessons of weeks before it, and from scores that were
        due by its as-of instant."""
        known = self._known(question.as_of)
        every_source = chain.from_iterable(lesson.sources for lesson in known.lessons)
        weights = (*agent_weights(known.scored), *source_weights(every_source))
        listed = essential(known.lessons)
        shown = known.of(question.market)
        card = scorecard(shown.scored, shown.still_open, question.as_of)
        return Advice(
            as_of=question.as_of,
            weeks=len(known.lessons),
            recommendations=recommendations(known.lessons, question),
            weights=weights[:MOST_WEIGHTS],
            scorecard=with_hypotheses(card, self._hypotheses_of(question)),
            essential=listed.tools[:MOST_ESSENTIAL],
            uncited=listed.uncited[:MOST_ESSENTIAL],
            full=not known.lessons and len(self._counted_runs()) >= self._most,
        )

    def view(self, question: RecordQuery) -> LearnedView:
        """Returns the advice, with everything that it rests on."""
        known = self._known(question.as_of)
        newest = sorted(known.of(question.market).scored, key=_newest_first)
        of_week: defaultdict[str, list[ScoredForecast]] = defaultdict(list)
        for forecast in known.scored:
            of_week[forecast.made.week].append(forecast)
        uses = chain.from_iterable(lesson.tools for lesson in known.lessons)
        records = chain.from_iterable(lesson.agents for lesson in known.lessons)
        hypotheses = self._hypotheses_of(question)
        return LearnedView(
            advice=self.advice(question),
            weeks=tuple(_week(each, of_week[each.week]) for each in reversed(known.lessons)),
            patterns=patterns(known.lessons),
            metrics=metrics(known.lessons),
            scored=tuple(newest[:MOST_SHOWN]),
            more_scored=max(len(newest) - MOST_SHOWN, 0),
            voids=self._voids(newest),
            tools=summed(uses)[:MOST_TOOLS],
            agents=summed_agents(records)[:MOST_AGENTS],
            changes=essential(known.lessons).changes[-MOST_CHANGES:],
            told=self._count,
            hypotheses=hypotheses[:MOST_SHOWN_HYPOTHESES],
            more_hypotheses=max(len(hypotheses) - MOST_SHOWN_HYPOTHESES, 0),
        )

    @property
    def weeks(self) -> int:
        """The number of weeks with a lesson."""
        return len(self._of_each_week())

    @property
    def forecasts(self) -> tuple[int, int]:
        """The number of scored and of open forecasts."""
        weeks = self._of_each_week()
        return sum(len(one.scored) for one in weeks), sum(len(one.still_open) for one in weeks)

    @property
    def hypotheses(self) -> int:
        """The number of hypotheses that were scored or given up."""
        return len(self._hypotheses.every)

    def _make_room(self) -> None:
        if len(self._runs) <= self._most:
            return
        counted = self._counted_runs()
        lasts = (run.last for run in self._runs.values())
        gone = min(lasts, key=lambda last: _worth(last, counted))
        del self._runs[gone.workflow_id]
        self._changed(gone.week)

    def _count_old_troubles(self) -> None:
        for counted in tuple(newly_counted(run.last for run in self._runs.values())):
            run = self._runs[counted.workflow_id]
            self._runs[counted.workflow_id] = run._replace(last=counted)
            self._changed(counted.week)

    def _counted_runs(self) -> frozenset[str]:
        return frozenset(chain.from_iterable(week.runs for week in self._of_each_week()))

    def _changed(self, *weeks: str) -> None:
        for week in weeks:
            self._weeks.pop(week, None)
        self._each_week = None

    def _read(self, week_lesson: WeekLesson) -> _LearnedWeek:
        lesson, runs = week_lesson
        scored: list[ScoredForecast] = []
        still_open: list[MadeForecast] = []
        for made in lesson.forecasts:
            if (known := self._fixings.get(_decided_by(made))) is None:
                still_open.append(made)
            else:
                scored.append(score(made, known.value, known.value_on))
        return _LearnedWeek(lesson, runs, tuple(scored), tuple(still_open))

    def _open(self) -> Iterator[MadeForecast]:
        for week in self._of_each_week():
            yield from week.still_open

    def _of_each_week(self) -> tuple[_LearnedWeek, ...]:
        """Returns one lesson for each week, the oldest first."""
        if self._each_week is None:
            by_week: defaultdict[str, list[RunReports]] = defaultdict(list)
            for run in self._runs.values():
                by_week[run.last.week].append(run)
            for week, runs in by_week.items():
                if week not in self._weeks:
                    self._weeks[week] = self._read(week_lesson_of(runs, self._in_time_until))
            weeks = self._weeks.values()
            self._each_week = tuple(sorted(weeks, key=lambda one: _order(one.lesson)))
        return self._each_week

    def _voids(self, scored: Iterable[ScoredForecast]) -> tuple[Resolution, ...]:
        voids = (_decided_by(one.made) for one in scored if one.value is None)
        return tuple(self._fixings[key] for key in islice(dict.fromkeys(voids), MOST_VOIDS))

    def _hypotheses_of(self, question: RecordQuery) -> tuple[ScoredHypothesis, ...]:
        """Returns those that were due by then, of the question's market if it names one."""
        due = self._hypotheses.known_by(question.as_of)
        if question.market is None:
            return due
        return tuple(one for one in due if one.hypothesis.market.market == question.market)

    def _known(self, as_of: datetime) -> _Known:
        every = self._of_each_week()
        known = every[: bisect_left(every, as_of, key=lambda one: one.lesson.as_of)]
        scored: list[ScoredForecast] = []
        still_open: list[MadeForecast] = []
        for one in known:
            still_open.extend(one.still_open)
            for forecast in one.scored:
                if forecast.made.due <= as_of:
                    scored.append(forecast)
                else:
                    still_open.append(forecast.made)
        return _Known(tuple(one.lesson for one in known), tuple(scored), tuple(still_open))


def _fixed(known: Resolution) -> Fixed:
    return Fixed(known.due, known.server, known.market)


def _decided_by(made: MadeForecast) -> Fixed:
    return Fixed(made.due, made.server, made.market)


def _order(lesson: Lesson) -> tuple[datetime, str]:
    return lesson.as_of, lesson.workflow_id


def _worth(lesson: Lesson, counted: Set[str]) -> tuple[bool, bool, tuple[datetime, str]]:
    """Returns the sort key by which weeks are dropped, the least first. A whole week is dropped
    only after everything that counts less."""
    stands = lesson.workflow_id in counted
    return stands, stands and lesson.whole, _order(lesson)


def _newest_first(forecast: ScoredForecast) -> tuple[float, str, str]:
    made = forecast.made
    return -made.due.timestamp(), made.market, made.agent


def _week(lesson: Lesson, own: Sequence[ScoredForecast]) -> WeekLearned:
    counted = [one for one in own if standing_of(one.made) is Standing.RECORD]
    return WeekLearned(
        week=lesson.week,
        workflow_id=lesson.workflow_id,
        as_of=lesson.as_of,
        whole=lesson.whole,
        expected=lesson.expected,
        researched=lesson.researched,
        troubles=len(lesson.troubles) + lesson.more_troubles,
        calls=sum(use.calls for use in lesson.tools),
        failed=sum(use.failed for use in lesson.tools),
        cited=sum(use.cited for use in lesson.tools),
        forecasts=len(lesson.forecasts),
        scored=len(counted),
        hits=sum(_is_hit(one) for one in counted if one.value is not None),
        backtests=sum(map(is_backtest, lesson.forecasts)),
    )


def _is_hit(forecast: ScoredForecast) -> bool:
    """Returns whether it predicted the pair's direction. A forecast without a side, or a pair
    without a move, is not a hit."""
    return (forecast.made.probability - COIN) * (outcome(forecast) - COIN) > 0


def learned_details(learned: Learned, advised: Advice | None) -> str:
    """Renders the size of the record and the last advice, as Markdown."""
    scored, still_open = learned.forecasts
    lines = [
        f"**{learned.weeks} weeks**, {scored:,} forecasts scored, {still_open:,} open"
        + (f", {learned.hypotheses:,} hypotheses" if learned.hypotheses else ""),
        "",
    ]
    if advised is None:
        return "\n".join([*lines, "nobody has asked yet"])
    asked = f"as of {advised.as_of:%Y-%m-%d %H:%M} UTC, from {advised.weeks} weeks"
    if not advised.recommendations:
        return "\n".join([*lines, f"nothing to do differently {asked}"])
    return "\n".join([*lines, f"advised {asked}:", "", *_lines(advised)])


def _lines(advised: Advice) -> list[str]:
    return [f"- `{each.advice_id}`" for each in advised.recommendations]
