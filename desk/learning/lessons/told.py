"""What several lessons of one week come to. Light: workflows use it.

No order of arrival matters: lessons are taken in the order in which they were told.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from desk.contracts.learning.learning import Lesson, MadeForecast

USUAL_HORIZON: Final = timedelta(weeks=4)
"""By when a lesson without forecasts is late."""

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class Run(NamedTuple):
    """What one run told: last, and, where its forecasts had come due by then, last before that.

    Of the earlier one only the forecasts are kept.
    """

    last: Lesson
    in_time: Lesson | None = None

    def and_told(self, lesson: Lesson) -> "Run":
        """The same with one more lesson, whenever it was told."""
        before = (self.last,) if self.in_time is None else (self.in_time, self.last)
        *earlier, last = sorted((*before, lesson), key=told_at)
        if _is_in_time(last):
            return Run(last)
        in_time = next((one for one in reversed(earlier) if _is_in_time(one)), None)
        return Run(last, in_time and _forecasts_only(in_time))


def told_at(lesson: Lesson) -> datetime:
    """When it was told; one that does not say so was told before any other."""
    return lesson.told_at or _LONG_AGO


class Standing(NamedTuple):
    """The lesson of a week, and the runs that it and its forecasts are from."""

    lesson: Lesson
    runs: frozenset[str]


def standing_of(runs: Sequence[Run]) -> Standing:
    """The lesson of a week: that of the whole week that was told last, or else the last of some of
    the markets; with the forecasts that stand."""
    last = max((run.last for run in runs), key=lambda one: (one.whole, *_order(one)))
    standing = _standing_forecasts(one for run in runs for one in run if one is not None)
    forecasts = tuple(made for made, _ in standing)
    if forecasts != last.forecasts:
        last = last.model_copy(update={"forecasts": forecasts})
    return Standing(
        last, frozenset({last.workflow_id, *(told.workflow_id for _, told in standing)})
    )


def _standing_forecasts(lessons: Iterable[Lesson]) -> Sequence[tuple[MadeForecast, Lesson]]:
    """Those of the last whole lesson; but one that was told before it was due is not replaced, or
    left out, by a lesson told after that: what became of it was known by then."""
    standing: list[tuple[MadeForecast, Lesson]] = []
    for lesson in sorted((one for one in lessons if one.whole), key=_order):
        stays = [
            (made, before)
            for made, before in standing
            if told_at(before) < made.due <= told_at(lesson)
        ]
        taken = {(made.market, made.agent) for made, _ in stays}
        new = (made for made in lesson.forecasts if (made.market, made.agent) not in taken)
        standing = [*stays, *((made, lesson) for made in new)]
    return standing


def _is_in_time(lesson: Lesson) -> bool:
    due = min((made.due for made in lesson.forecasts), default=lesson.as_of + USUAL_HORIZON)
    return told_at(lesson) < due


def _forecasts_only(lesson: Lesson) -> Lesson:
    kept = {"forecasts": lesson.forecasts if lesson.whole else ()}
    return lesson.model_copy(
        update={**kept, "troubles": (), "tools": (), "sources": (), "agents": ()}
    )


def _order(lesson: Lesson) -> tuple[datetime, str]:
    return told_at(lesson), lesson.workflow_id
