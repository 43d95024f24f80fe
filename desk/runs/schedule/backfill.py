"""The order of a backfill: which past weeks are worked on side by side, and which comes next."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import pairwise

from desk.contracts.weeks import next_week


class WeekState(StrEnum):
    """What there is of a past week."""

    PUBLISHED = "published"
    RUNNING = "running"
    FAILED = "failed"
    MISSING = "missing"


def weeks_to_do(
    states: dict[str, WeekState], *, again: bool, done: Collection[str] = ()
) -> tuple[str, ...]:
    """The weeks of a backfill that have to end yet, earliest first: those running included.

    With `again`, published weeks as well. `done` has ended already, however it did.
    """
    return tuple(
        week
        for week, state in sorted(states.items())
        if week not in done and (again or state is not WeekState.PUBLISHED)
    )


def stretches(weeks: Sequence[str], count: int) -> tuple[tuple[str, ...], ...]:
    """Weeks in order, cut into at least `count` stretches of weeks that follow one another.

    A gap always cuts. Beyond that, the stretches that would be longest are cut further, into
    parts whose lengths differ by one at most; a stretch of one week is not cut.
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
    """Weeks under way and weeks to come, at most so many under way at a time.

    Within a stretch a week is due when the one before it has been researched, so that it can learn
    from that week and its report can be compared with that week's. In order, all weeks are one
    stretch, gaps or not; otherwise there are as many stretches as weeks may be under way.
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
        """The weeks under way, earliest first."""
        return tuple(sorted(self._active))

    @property
    def finished(self) -> bool:
        """Whether every week has ended."""
        return not self._active and not any(self._to_research)

    def due(self) -> tuple[str, ...]:
        """The weeks to start now, earliest first."""
        heads = [stretch[0] for stretch in self._to_research if stretch]
        free = max(self._max_active - len(self._active), 0)
        return tuple(sorted(week for week in heads if week not in self._active)[:free])

    def started(self, week: str) -> None:
        """A week is under way."""
        self._active.add(week)

    def researched(self, week: str) -> None:
        """A week's research is over; it is under way until its report is out."""
        self._to_research = [[w for w in stretch if w != week] for stretch in self._to_research]

    def ended(self, week: str) -> None:
        """A week has published its report, or failed to."""
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
