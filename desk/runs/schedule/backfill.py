"""The order of a backfill: which past weeks run concurrently, and which is next."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import pairwise

from desk.contracts.weeks import next_week


class WeekState(StrEnum):
    """The state of a past week in a backfill."""

    PUBLISHED = "published"
    RUNNING = "running"
    FAILED = "failed"
    MISSING = "missing"


def weeks_to_do(
    states: dict[str, WeekState], *, again: bool, done: Collection[str] = ()
) -> tuple[str, ...]:
    """Returns the weeks of a backfill that have not ended, earliest first, running ones included.

    With `again`, published weeks as well. Weeks in `done` have ended, successfully or not.
    """
    return tuple(
        week
        for week, state in sorted(states.items())
        if week not in done and (again or state is not WeekState.PUBLISHED)
    )


def stretches(weeks: Sequence[str], count: int) -> tuple[tuple[str, ...], ...]:
    """Returns the weeks in order, cut into at least `count` stretches of consecutive weeks.

    Every gap cuts. Beyond that, the longest stretches are cut further, into parts whose lengths
    differ by at most one. A stretch of one week is not cut.
    """
    groups = _without_gaps(weeks)
    parts = [1] * len(groups)
    while sum(parts) < count:
        at = max(range(len(groups)), key=lambda i: len(groups[i]) / parts[i], default=None)
        if at is None or len(groups[at]) <= parts[at]:
            break
        parts[at] += 1
    return tuple(
        piece
        for group, number in zip(groups, parts, strict=True)
        for piece in _balanced(group, number)
    )


class Backfill:
    """The weeks of a backfill, of which a limited number runs at a time.

    Within a stretch a week is due when the week before it has been researched, so that it can learn
    from that week and be compared with its report. With `in_order`, all weeks are one stretch.
    Otherwise there are as many stretches as weeks may run at a time.
    """

    def __init__(
        self, weeks: Sequence[str], running: Collection[str], max_active: int, *, in_order: bool
    ) -> None:
        self._max_active = max_active
        parts = (tuple(weeks),) if in_order else stretches(weeks, max_active)
        self._to_research = [list(stretch) for stretch in parts]
        self._active = {week for week in weeks if week in running}

    @property
    def active(self) -> tuple[str, ...]:
        """The running weeks, earliest first."""
        return tuple(sorted(self._active))

    @property
    def finished(self) -> bool:
        """Whether every week has ended."""
        return not self._active and not any(self._to_research)

    def due(self) -> tuple[str, ...]:
        """Returns the weeks to start now, earliest first."""
        heads = [stretch[0] for stretch in self._to_research if stretch]
        free = max(self._max_active - len(self._active), 0)
        return tuple(sorted(week for week in heads if week not in self._active)[:free])

    def started(self, week: str) -> None:
        """Notes that a week is running."""
        self._active.add(week)

    def researched(self, week: str) -> None:
        """Notes that a week's research is done. It counts as running until its report is
        published."""
        self._to_research = [[w for w in stretch if w != week] for stretch in self._to_research]

    def ended(self, week: str) -> None:
        """Notes that a week published its report, or failed."""
        self.researched(week)
        self._active.discard(week)


def _without_gaps(weeks: Sequence[str]) -> list[tuple[str, ...]]:
    groups = [[week] for week in weeks[:1]]
    for before, week in pairwise(weeks):
        if week == next_week(before):
            groups[-1].append(week)
        else:
            groups.append([week])
    return [tuple(group) for group in groups]


def _balanced(weeks: tuple[str, ...], number: int) -> list[tuple[str, ...]]:
    bounds = [len(weeks) * part // number for part in range(number + 1)]
    return [weeks[start:end] for start, end in pairwise(bounds)]
