"""Recommendations of the record to a run, by rules with stated thresholds.

Lessons are given one for each week, the oldest first, all of them before the run's as-of instant.
"""

from collections.abc import Iterator, Sequence
from math import comb
from typing import Final, NamedTuple

from desk.contracts.agents.capabilities import Capability
from desk.contracts.learning.lessons import (
    AdviceKind,
    Lesson,
    Recommendation,
    Trouble,
    TroubleKind,
)
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import CallFault
from desk.learning.learned.patterns import WEEKDAYS, weekday_of

NEWEST_WEEKS: Final = 8
"""The number of newest weeks that advice is based on."""

FAILING_WEEKS: Final = 3
"""A source that failed in so many of them fails often."""

FAILING_SHARE: Final = 0.2
AVOIDED_SHARE: Final = 0.8
FEWEST_CALLS: Final = 20
"""The minimum number of calls for a share of them to count."""

LEAST_SHARE: Final = 0.02
"""A source with a smaller share of failed calls than this stays first, in however many weeks it
failed."""

CLEARLY_LOWER: Final = 0.5
"""A stand-in is preferred if its share of useless calls is at most this multiple of the source's
failed share."""

WEEKDAY_WEEKS: Final = 52
"""The number of weeks over which weekdays are compared, more than for a source as a whole."""

CHANCE: Final = 0.05
"""A weekday on which a source fails counts if chance would produce any such weekday with less than
this probability."""

LONGER: Final = 2.0
LONGEST: Final = 3.0
WEEKS_FOR_LONGEST: Final = 6
"""Calls that timed out in so many weeks get the longest timeout."""

MOST: Final = 50


class _Tally(NamedTuple):
    """A server in a run: its calls, those without an answer, and the weekday."""

    calls: int
    failed: int
    weekday: int


class _CallCounts(NamedTuple):
    """The calls of a server over some runs: `useless` are those without an answer and those it
    refused."""

    calls: int
    failed: int
    useless: int


class _StandIn(NamedTuple):
    """The source that is called for a capability if the first has nothing, and its calls."""

    capability: Capability
    server: str
    had: _CallCounts

    @property
    def words(self) -> str:
        """Its calls and failures, in words."""
        if not self.had.calls:
            return f"{self.server} was not asked"
        return f"{self.server} was of no use in {self.had.useless} of {self.had.calls}"


def recommendations(lessons: Sequence[Lesson], question: RecordQuery) -> tuple[Recommendation, ...]:
    """Returns what a run should do differently, each with its reason, sorted by id.

    A source is moved behind another only if the next one did clearly better over the same runs, or
    if the source hardly ever answers.
    """
    servers = sorted({use.server for lesson in lessons for use in lesson.tools})
    found = [each for server in servers for each in _advice_about(server, lessons, question)]
    return tuple(sorted(found, key=lambda each: each.advice_id)[:MOST])


def _advice_about(
    server: str, lessons: Sequence[Lesson], question: RecordQuery
) -> Iterator[Recommendation]:
    recent = lessons[-NEWEST_WEEKS:]
    tallies = [_tally(lesson, server) for lesson in recent]
    had = _call_counts(server, recent)
    weeks = sum(tally.failed > 0 for tally in tallies)
    day = _bad_day(server, lessons[-WEEKDAY_WEEKS:])
    stand_ins = _better(server, recent, question)
    if _hardly_answers(had) and stand_ins and len(stand_ins) == len(_next(server, question)):
        yield Recommendation(
            advice_id=_id(AdviceKind.AVOID_SOURCE, server),
            kind=AdviceKind.AVOID_SOURCE,
            server=server,
            occurrences=had.failed,
            of=had.calls,
            reason=_with_stand_ins(_reason(server, weeks, tallies, day), stand_ins),
        )
    elif _fails_often(weeks, had):
        reason = _reason(server, weeks, tallies, day)
        yield from _prefer(server, stand_ins, had.failed, had.calls, reason)
    elif day is not None and day.weekday == weekday_of(question.asked_at or question.as_of):
        stand_ins = _better_on(day, server, lessons, question)
        yield from _prefer(server, stand_ins, day.failing, day.weeks, day.words(server))
    if _fails_often(weeks, had):
        yield from _stand_in_wanted(server, had, _reason(server, weeks, tallies, day), question)
    yield from _raise_timeout(server, recent, question)


def _fails_often(weeks: int, had: _CallCounts) -> bool:
    share = had.calls >= FEWEST_CALLS and had.failed > FAILING_SHARE * had.calls
    return weeks >= FAILING_WEEKS or share


def _hardly_answers(had: _CallCounts) -> bool:
    return had.calls >= FEWEST_CALLS and had.failed > AVOIDED_SHARE * had.calls


def _better_on(
    day: "_BadDay", server: str, lessons: Sequence[Lesson], question: RecordQuery
) -> tuple[_StandIn, ...]:
    """Returns the stand-ins that did better on a weekday, and were not worse than that in the
    newest weeks."""
    span = lessons[-WEEKDAY_WEEKS:]
    on_day = [lesson for lesson in span if _tally(lesson, server).weekday == day.weekday]
    had, recent = _call_counts(server, on_day), lessons[-NEWEST_WEEKS:]
    return tuple(
        stand_in
        for stand_in in _better(server, on_day, question)
        if _is_lower(_call_counts(stand_in.server, recent), had)
    )


def _better(server: str, lessons: Sequence[Lesson], question: RecordQuery) -> tuple[_StandIn, ...]:
    """Returns those stand-ins of a server that did clearly better over some runs.

    One with too few calls counts as better only if the server itself hardly ever answers, and the
    stand-in has no failures to speak of. Empty if the server seldom fails.
    """
    had = _call_counts(server, lessons)
    if had.failed < LEAST_SHARE * had.calls:
        return ()
    found = (
        _StandIn(capability, other, _call_counts(other, lessons))
        for capability, other in _next(server, question)
    )
    return tuple(
        stand_in
        for stand_in in found
        if _is_lower(stand_in.had, had)
        and (stand_in.had.calls >= FEWEST_CALLS or _hardly_answers(had))
    )


def _is_lower(other: _CallCounts, had: _CallCounts) -> bool:
    """Returns whether one server's share of useless calls is clearly lower than another's share of
    failed calls. A refusal counts against a stand-in, because it fills no gap."""
    return other.useless * had.calls <= CLEARLY_LOWER * had.failed * other.calls


def _next(server: str, question: RecordQuery) -> tuple[tuple[Capability, str], ...]:
    """Returns the capabilities for which a server is called first, each with the source that is
    called next."""
    return tuple(
        (capability, servers[1])
        for capability in Capability
        if len(servers := question.routes.get(capability, ())) > 1 and servers[0] == server
    )


def _prefer(
    server: str, stand_ins: Sequence[_StandIn], occurrences: int, of: int, reason: str
) -> Iterator[Recommendation]:
    for stand_in in stand_ins:
        yield Recommendation(
            advice_id=_id(AdviceKind.PREFER_FALLBACK, server, stand_in.capability),
            kind=AdviceKind.PREFER_FALLBACK,
            server=server,
            capability=stand_in.capability,
            occurrences=occurrences,
            of=of,
            reason=_with_stand_ins(reason, [stand_in]),
        )


def _stand_in_wanted(
    server: str, had: _CallCounts, reason: str, question: RecordQuery
) -> Iterator[Recommendation]:
    """Recommends another source if one fails often and has no stand-in."""
    alone = [name for name in Capability if question.routes.get(name) == (server,)]
    if alone and had.failed >= LEAST_SHARE * had.calls:
        yield Recommendation(
            advice_id=_id(AdviceKind.ADD_SOURCE, server),
            kind=AdviceKind.ADD_SOURCE,
            server=server,
            occurrences=had.failed,
            of=had.calls,
            reason=f"{reason}; no other source has {', '.join(alone)}",
        )


def _with_stand_ins(reason: str, stand_ins: Sequence[_StandIn]) -> str:
    return "; ".join((reason, *dict.fromkeys(stand_in.words for stand_in in stand_ins)))


def _raise_timeout(
    server: str, recent: Sequence[Lesson], question: RecordQuery
) -> Iterator[Recommendation]:
    late = [lesson for lesson in recent if _timed_out(lesson, server)]
    if len(late) < FAILING_WEEKS:
        return
    times = LONGEST if len(late) >= WEEKS_FOR_LONGEST else LONGER
    seconds = times * question.call_seconds
    yield Recommendation(
        advice_id=_id(AdviceKind.RAISE_TIMEOUT, server),
        kind=AdviceKind.RAISE_TIMEOUT,
        server=server,
        seconds=seconds,
        occurrences=len(late),
        of=len(recent),
        reason=(
            f"{server} had not answered when the desk stopped waiting in {len(late)} of the newest "
            f"{len(recent)} weeks; {seconds:g} seconds in place of {question.call_seconds:g}, for "
            "every call of every source"
        ),
    )


def _id(*parts: str) -> str:
    return ":".join(parts)[:200]


def _timed_out(lesson: Lesson, server: str) -> bool:
    """Returns whether the desk's call of a source timed out. A source's own timeout upstream, or a
    connection that is not opened in time, does not count, because more time would not help."""
    return any(
        trouble.server == server and trouble.fault is CallFault.TIMEOUT
        for trouble in lesson.troubles
    )


def _unanswered(lesson: Lesson, server: str) -> tuple[Trouble, ...]:
    return tuple(
        trouble
        for trouble in lesson.troubles
        if trouble.kind is TroubleKind.TOOL_UNAVAILABLE and trouble.server == server
    )


def _call_counts(server: str, lessons: Sequence[Lesson]) -> _CallCounts:
    uses = [use for lesson in lessons for use in lesson.tools if use.server == server]
    failed = sum(use.failed for use in uses)
    return _CallCounts(
        sum(use.calls for use in uses), failed, failed + sum(use.refused for use in uses)
    )


def _tally(lesson: Lesson, server: str) -> _Tally:
    """Returns the calls of a server in a lesson, dated by its first call without an answer, or else
    by the run: a rerun may have researched markets on a later day."""
    had = _call_counts(server, [lesson])
    done = lesson.told_at or lesson.as_of
    day = min((trouble.at for trouble in _unanswered(lesson, server)), default=done)
    return _Tally(had.calls, had.failed, weekday_of(day))


def _reason(server: str, weeks: int, tallies: Sequence[_Tally], day: "_BadDay | None") -> str:
    calls, failed = sum(t.calls for t in tallies), sum(t.failed for t in tallies)
    reason = (
        f"{failed} of {calls} calls of {server} got no answer in the newest {len(tallies)} weeks, "
        f"in {weeks} of them"
    )
    return f"{reason}; {day.words(server)}" if day else reason


class _BadDay(NamedTuple):
    """A weekday on which a source fails more often than on others: in `failing` of its `weeks`,
    against `others_failing` of the `others`."""

    weekday: int
    failing: int
    weeks: int
    others_failing: int
    others: int

    def words(self, server: str) -> str:
        """Returns the weekday and its failures, in words."""
        return (
            f"{server} failed in {self.failing} of {self.weeks} runs on a "
            f"{WEEKDAYS[self.weekday]}, and in {self.others_failing} of {self.others} on other days"
        )


def _bad_day(server: str, lessons: Sequence[Lesson]) -> _BadDay | None:
    """Returns the weekday on which a source fails most clearly, or None if it may be chance.

    By Fisher's exact test, one-sided, over the runs that called the source, for each weekday with
    such runs. By Bonferroni's correction all of these weekdays share the probability.
    """
    asked = [tally for lesson in lessons if (tally := _tally(lesson, server)).calls]
    weekdays = {tally.weekday for tally in asked}
    found: list[tuple[float, _BadDay]] = []
    for weekday in sorted(weekdays):
        on = [tally.failed > 0 for tally in asked if tally.weekday == weekday]
        off = [tally.failed > 0 for tally in asked if tally.weekday != weekday]
        chance = _by_chance(sum(on), len(on), sum(off), len(off))
        if sum(on) >= FAILING_WEEKS and chance < CHANCE / len(weekdays):
            found.append((chance, _BadDay(weekday, sum(on), len(on), sum(off), len(off))))
    return min(found)[1] if found else None


def _by_chance(failing: int, weeks: int, others_failing: int, others: int) -> float:
    """Returns the probability that at least so many of all failures fall on the one day, if days
    were alike."""
    bad, total = failing + others_failing, weeks + others
    ways = sum(
        comb(weeks, k) * comb(others, bad - k)
        for k in range(failing, min(weeks, bad) + 1)
        if bad - k <= others
    )
    return ways / comb(total, bad)
