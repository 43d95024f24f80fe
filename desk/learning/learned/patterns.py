"""Patterns in the lessons, and whether the desk is getting better.

Lessons are given one for each week, the oldest first.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final, NamedTuple

from desk.contracts.learning.lessons import Lesson, Trouble
from desk.contracts.learning.record import ImprovementMetric, MetricName, PatternBy, TroublePattern

WEEKS_COMPARED: Final = 4
"""The number of newest weeks that are compared with as many before them."""

MOST_OF_A_KIND: Final = 30
"""The maximum number of patterns of one `PatternBy`; those with the most troubles."""

WEEKDAYS: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)

_DIGITS: Final = {MetricName.TROUBLES_PER_MARKET: 2}

_USUAL_DIGITS: Final = 3
"""Metrics are compared at the digits shown, a tenth of a percent or a millisecond. A smaller
difference does not count."""

_LESS_IS_BETTER: Final = frozenset({MetricName.TROUBLES_PER_MARKET, MetricName.SECONDS_PER_CALL})


def patterns(lessons: Sequence[Lesson]) -> tuple[TroublePattern, ...]:
    """Returns troubles by what they have in common, for each kind of pattern the most frequent
    first."""
    troubles: defaultdict[tuple[PatternBy, str], list[tuple[str, Trouble]]] = defaultdict(list)
    for lesson in lessons:
        for trouble in lesson.troubles:
            for shared in _shared_by(trouble):
                troubles[shared].append((lesson.week, trouble))
    found = sorted(
        (_pattern(by, name, items) for (by, name), items in troubles.items()),
        key=lambda each: (-each.troubles, each.name),
    )
    return tuple(
        pattern
        for by in PatternBy
        for pattern in islice((each for each in found if each.by is by), MOST_OF_A_KIND)
    )


def hour_of(trouble: Trouble) -> str:
    """Returns the weekday and hour at which something happened: `Monday 07:00 UTC`."""
    at = trouble.at.astimezone(UTC)
    return f"{WEEKDAYS[at.weekday()]} {at.hour:02d}:00 UTC"


def weekday_of(instant: datetime) -> int:
    """Returns the day of the week in UTC, 0 for Monday."""
    return instant.astimezone(UTC).weekday()


def metrics(lessons: Sequence[Lesson]) -> tuple[ImprovementMetric, ...]:
    """Compares the newest weeks with those before them."""
    recent = lessons[-WEEKS_COMPARED:]
    before = lessons[: -len(recent)][-WEEKS_COMPARED:] if recent else ()
    return tuple(_metric(name, recent, before) for name in MetricName)


def _shared_by(trouble: Trouble) -> Iterator[tuple[PatternBy, str]]:
    yield PatternBy.KIND, trouble.kind
    if trouble.server is not None:
        yield PatternBy.SOURCE, trouble.server
        if trouble.tool is not None:
            yield PatternBy.TOOL, f"{trouble.server}.{trouble.tool}"[:200]
    if trouble.agent is not None:
        yield PatternBy.AGENT, trouble.agent
    if trouble.market is not None:
        yield PatternBy.MARKET, trouble.market
    yield PatternBy.HOUR, hour_of(trouble)


def _pattern(by: PatternBy, name: str, items: Sequence[tuple[str, Trouble]]) -> TroublePattern:
    said = [trouble.words for _, trouble in items if trouble.words]
    return TroublePattern(
        by=by,
        name=name,
        troubles=len(items),
        weeks=len({week for week, _ in items}),
        last=items[-1][0],
        words=said[-1] if said else "",
    )


class _Measure(NamedTuple):
    """A share or a mean: a sum and a count. None if the count is zero."""

    much: float
    many: int

    def rounded(self, digits: int) -> float | None:
        return round(self.much / self.many, digits) if self.many else None


def _metric(
    name: MetricName, recent: Sequence[Lesson], before: Sequence[Lesson]
) -> ImprovementMetric:
    digits = _DIGITS.get(name, _USUAL_DIGITS)
    now, then = (_measured(name, weeks).rounded(digits) for weeks in (recent, before))
    better = None
    if now is not None and then is not None and now != then:
        better = (now < then) is (name in _LESS_IS_BETTER)
    return ImprovementMetric(name=name, recent=now, before=then, weeks=len(recent), better=better)


def _measured(name: MetricName, lessons: Sequence[Lesson]) -> _Measure:
    if name is MetricName.TROUBLES_PER_MARKET:
        troubles = sum(len(lesson.troubles) + lesson.more_troubles for lesson in lessons)
        return _Measure(troubles, sum(lesson.expected for lesson in lessons))
    if name is MetricName.COVERAGE:
        researched = sum(lesson.researched for lesson in lessons)
        return _Measure(researched, sum(lesson.expected for lesson in lessons))
    uses = [use for lesson in lessons for use in lesson.tools]
    if name is MetricName.SECONDS_PER_CALL:
        return _Measure(sum(use.seconds for use in uses), sum(use.timed for use in uses))
    return _Measure(sum(use.cited for use in uses), sum(use.calls for use in uses))
