"""Old troubles, of which only the number is kept. Light: workflows use it.

A full record of runs in which everything went wrong has to be read within one workflow task.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from desk.contracts.learning.learning import Lesson

MOST_TOLD: Final = 52 * 200
"""Troubles that are kept one by one, the newest weeks': those of a year in which every run told as
many as a lesson holds."""


def newly_counted(lessons: Iterable[Lesson], *, most: int = MOST_TOLD) -> Iterator[Lesson]:
    """The lessons whose troubles are more than the record tells one by one, with their number in
    place of them: once a week has only that, so have all before it."""
    told, room = 0, True
    for lesson in sorted(lessons, key=_order, reverse=True):
        told += len(lesson.troubles)
        room = room and told <= most and not _is_counted(lesson)
        if lesson.troubles and not room:
            count = lesson.more_troubles + len(lesson.troubles)
            yield lesson.model_copy(update={"troubles": (), "more_troubles": count})


def _is_counted(lesson: Lesson) -> bool:
    """A run tells none one by one only where there was none."""
    return lesson.more_troubles > 0 and not lesson.troubles


def _order(lesson: Lesson) -> tuple[datetime, str]:
    return lesson.as_of, lesson.workflow_id
