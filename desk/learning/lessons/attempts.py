"""Completes a lesson from a run's histories: every failed attempt, and the calls of tasks that were
not delivered."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from desk.contracts.agents.tools import ToolStatus
from desk.contracts.learning.lessons import Lesson, LessonSources, ToolUse, Trouble, TroubleKind
from desk.contracts.names import (
    CallFault,
    activity_id_parts,
    agent_of,
    without_reassignment,
    workflow_id_parts,
)
from desk.contracts.week.report import MarketOutcome
from desk.learning.lessons.troubles import CALL_TROUBLES, LONGEST_WORDS
from desk.learning.lessons.week_lesson import MOST_TOOLS, MOST_TROUBLES
from desk.runs.tools import counted_use, summed


class Fault(NamedTuple):
    """Why an attempt failed: the type, if the worker of a source reported one, and a message."""

    fault: CallFault | None
    words: str


class AttemptRecord(NamedTuple):
    """An activity of an agent's task: a call of `server` and `tool`, or a turn, which has none.

    `before` is why the second-last attempt failed, if there were several (`tries`). `status` is the
    status of a call: None for a turn, and for a call that did not end.
    """

    workflow_id: str
    activity_id: str
    at: datetime
    tries: int = 1
    before: Fault | None = None
    server: str | None = None
    tool: str | None = None
    status: ToolStatus | None = None
    last: Fault | None = None
    took: float | None = None


def sources_of(workflows: Iterable[str], outcomes: Sequence[MarketOutcome]) -> LessonSources:
    """Returns the histories to read, and the tasks whose calls the outcomes contain already. A run
    that continues another has outcomes of markets from outside its own `workflows`."""
    places = [e.place for outcome in outcomes for e in outcome.evidence if e.place is not None]
    counted = {task_key(place.workflow_id, place.activity_id) for place in places}
    letters = (letter for outcome in outcomes for letter in outcome.dead_letters)
    known = {
        without_reassignment(name) for name in (*letters, *(place.workflow_id for place in places))
    }
    return LessonSources(
        workflows=tuple(sorted(known | set(workflows))), counted=tuple(sorted(counted))
    )


def task_key(workflow_id: str, activity_id: str) -> str:
    """Returns a key that identifies the task of an activity."""
    parts = activity_id_parts(activity_id)
    return f"{workflow_id}#{parts.task if parts else activity_id}"


def with_attempts(
    lesson: Lesson, tried: Iterable[AttemptRecord], counted: Collection[str]
) -> Lesson:
    """Returns the lesson with the failed attempts that were followed by another, and with the calls
    of tasks that it has not `counted`."""
    every = sorted(tried, key=lambda one: (one.at, one.workflow_id, one.activity_id))
    own = [one for one in every if task_key(one.workflow_id, one.activity_id) not in counted]
    troubles = [*lesson.troubles, *_retried(every), *_of_calls(own)]
    uses = (*lesson.tools, *_failed_attempts(every), *(use for one in own for use in _used(one)))
    return lesson.model_copy(
        update={
            "tools": summed(uses)[:MOST_TOOLS],
            "troubles": tuple(troubles[:MOST_TROUBLES]),
            "more_troubles": lesson.more_troubles + max(len(troubles) - MOST_TROUBLES, 0),
        }
    )


def _retried(tried: Iterable[AttemptRecord]) -> Iterator[Trouble]:
    """Yields troubles that a later attempt overcame. The source is named if its worker reported the
    fault."""
    for one in tried:
        if one.before is None or one.status is ToolStatus.UNAVAILABLE:
            continue
        of_source = one.before.fault is not None
        kind = TroubleKind.TURN_RETRIED if one.server is None else TroubleKind.TOOL_RETRIED
        yield _trouble(one, kind, one.before, of_source=of_source)


def _of_calls(tried: Iterable[AttemptRecord]) -> Iterator[Trouble]:
    for one in tried:
        kind = CALL_TROUBLES.get(one.status) if one.status else None
        if kind is not None:
            yield _trouble(one, kind, one.last or Fault(None, ""), of_source=True)


def _trouble(one: AttemptRecord, kind: TroubleKind, why: Fault, *, of_source: bool) -> Trouble:
    return Trouble(
        kind=kind,
        market=workflow_id_parts(one.workflow_id).market,
        agent=agent_of(one.activity_id),
        server=one.server if of_source else None,
        tool=one.tool if of_source else None,
        at=one.at,
        fault=why.fault,
        words=why.words[:LONGEST_WORDS],
    )


def _failed_attempts(tried: Iterable[AttemptRecord]) -> Iterator[ToolUse]:
    for one in tried:
        if one.before is not None and one.before.fault is not None and one.server and one.tool:
            agent = agent_of(one.activity_id)
            yield ToolUse(
                agent=agent, server=one.server, tool=one.tool, calls=0, retried=one.tries - 1
            )


def _used(one: AttemptRecord) -> Iterator[ToolUse]:
    """Yields the use of a call that ended."""
    if one.server is not None and one.tool is not None and one.status is not None:
        agent = agent_of(one.activity_id)
        yield counted_use(agent, one.server, one.tool, one.status, one.took)
