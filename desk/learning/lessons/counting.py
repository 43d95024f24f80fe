"""Which of the lessons that runs told count: of each week one, with the forecasts that survive.

What is told again later replaces what was told before, but for forecasts that had come due by then.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from desk.contracts.learning.lessons import Lesson, MadeForecast

MOST_TOLD: Final = 52 * 200
"""Troubles that are kept one by one, the newest weeks': those of a year in which every run told as
many as a lesson holds."""

USUAL_HORIZON: Final = timedelta(weeks=4)
"""By when a lesson without forecasts is late."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class ToldRun(NamedTuple):
    """What one run told: last, and, where its forecasts had come due by then, last before that.

    Of the earlier one only the forecasts are kept.
    """

    last: Lesson
    in_time: Lesson | None = None

    def and_told(self, lesson: Lesson) -> "ToldRun":
        """The same with one more lesson, whenever it was told."""
        before = (self.last,) if self.in_time is None else (self.in_time, self.last)
        *earlier, last = sorted((*before, lesson), key=told_at)
        if _is_in_time(last):
            return ToldRun(last)
        in_time = next((one for one in reversed(earlier) if _is_in_time(one)), None)
        return ToldRun(last, in_time and _forecasts_only(in_time))


class WeekLesson(NamedTuple):
    """The lesson of a week, and the runs that it and its forecasts are from."""

    lesson: Lesson
    runs: frozenset[str]


def week_lesson_of(runs: Sequence[ToldRun]) -> WeekLesson:
    """The lesson of a week: that of the whole week that was told last, or else the last of some of
    the markets; with the forecasts that survive."""
    last = max((run.last for run in runs), key=lambda one: (one.whole, *_by_time_told(one)))
    surviving = _surviving_forecasts(one for run in runs for one in run if one is not None)
    forecasts = tuple(made for made, _ in surviving)
    if forecasts != last.forecasts:
        last = last.model_copy(update={"forecasts": forecasts})
    return WeekLesson(
        last, frozenset({last.workflow_id, *(told.workflow_id for _, told in surviving)})
    )


def newly_counted(lessons: Iterable[Lesson], *, most: int = MOST_TOLD) -> Iterator[Lesson]:
    """The lessons whose troubles are more than the record tells one by one, with their number in
    place of them: once a week has only that, so have all before it."""
    told, room = 0, True
    for lesson in sorted(lessons, key=_by_as_of, reverse=True):
        told += len(lesson.troubles)
        room = room and told <= most and not _is_counted(lesson)
        if lesson.troubles and not room:
            count = lesson.more_troubles + len(lesson.troubles)
            yield lesson.model_copy(update={"troubles": (), "more_troubles": count})


def told_at(lesson: Lesson) -> datetime:
    """When it was told; one that does not say so was told before any other."""
    return lesson.told_at or _LONG_AGO


def _is_counted(lesson: Lesson) -> bool:
    """A run tells none one by one only where there was none."""
    return lesson.more_troubles > 0 and not lesson.troubles


def _by_as_of(lesson: Lesson) -> tuple[datetime, str]:
    return lesson.as_of, lesson.workflow_id


def _surviving_forecasts(lessons: Iterable[Lesson]) -> Sequence[tuple[MadeForecast, Lesson]]:
    """Those of the last whole lesson; but one that was told before it was due is not replaced, or
    left out, by a lesson told after that: what became of it was known by then."""
    surviving: list[tuple[MadeForecast, Lesson]] = []
    for lesson in sorted((one for one in lessons if one.whole), key=_by_time_told):
        kept = [
            (made, before)
            for made, before in surviving
            if told_at(before) < made.due <= told_at(lesson)
        ]
        taken = {(made.market, made.agent) for made, _ in kept}
        new = (made for made in lesson.forecasts if (made.market, made.agent) not in taken)
        surviving = [*kept, *((made, lesson) for made in new)]
    return surviving


def _is_in_time(lesson: Lesson) -> bool:
    due = min((made.due for made in lesson.forecasts), default=lesson.as_of + USUAL_HORIZON)
    return told_at(lesson) < due


def _forecasts_only(lesson: Lesson) -> Lesson:
    kept = {"forecasts": lesson.forecasts if lesson.whole else ()}
    return lesson.model_copy(
        update={**kept, "troubles": (), "tools": (), "sources": (), "agents": ()}
    )


def _by_time_told(lesson: Lesson) -> tuple[datetime, str]:
    return told_at(lesson), lesson.workflow_id
