"""Events of a history, as far as a tape is made of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.api.failure.v1 import Failure
from temporalio.api.history.v1 import HistoryEvent

from desk.contracts.agents.tape import Effect
from desk.contracts.names import WorkflowType
from starters.terminal.exit_status import CommandError

PUBLISHING: Final = "publish_report"
"""The activity that is done anew when a tape is played."""

TELLING: Final = "tell_learning"
"""The activity that is left out when a tape is played: what is played teaches nothing."""

DECISION: Final = "decision"
"""The activity id under which the outcome of an escalation stands on a tape."""


class Child(NamedTuple):
    """A child workflow that was started. `ended` says whether it came to an end of its own: one
    that was cancelled, terminated or timed out was given up on."""

    workflow_id: str
    run_id: str
    ended: bool


@dataclass
class Asked:
    """An effect: who asked for what, and what came of it; None as long as nothing did."""

    workflow_id: str
    activity_id: str
    effect: Effect
    request: Payloads
    outcome: Payloads | Failure | None = None


def first_publication(events: Sequence[HistoryEvent]) -> tuple[int, Payloads | None]:
    """Where the first publication that succeeded was asked for, and with what; None without one."""
    asked: dict[int, tuple[int, Payloads]] = {}
    for index, event in enumerate(events):
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            scheduled = event.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name == PUBLISHING:
                asked[event.event_id] = (index, scheduled.input)
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            done = event.activity_task_completed_event_attributes.scheduled_event_id
            if done in asked:
                return asked[done]
    return len(events), None


def children_in(events: Sequence[HistoryEvent]) -> Iterator[Child]:
    """The children that have effects of their own. A person's decision is an effect itself."""
    ended = set(_ended(events))
    for event in events:
        if event.event_type == EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED:
            started = event.child_workflow_execution_started_event_attributes
            if started.workflow_type.name != WorkflowType.ESCALATION:
                child = started.workflow_execution
                yield Child(child.workflow_id, child.run_id, started.initiated_event_id in ended)


def _ended(events: Sequence[HistoryEvent]) -> Iterator[int]:
    """The events by which children were asked for that have completed or failed since."""
    for event in events:
        if event.event_type == EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED:
            yield event.child_workflow_execution_completed_event_attributes.initiated_event_id
        elif event.event_type == EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED:
            yield event.child_workflow_execution_failed_event_attributes.initiated_event_id


def asked_in(events: Sequence[HistoryEvent], workflow_id: str) -> list[Asked]:
    """The effects of a workflow in the order of asking, each with its outcome.

    Raises:
        CommandError: it has one of a kind that tapes do not hold.
    """
    asked: dict[int, Asked] = {}
    for event in events:
        if (found := _asked(event, workflow_id)) is not None:
            asked[event.event_id] = found
        else:
            place, outcome = _outcome(event)
            if place in asked:
                asked[place].outcome = outcome
    return list(asked.values())


def _asked(event: HistoryEvent, workflow_id: str) -> Asked | None:
    if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
        scheduled = event.activity_task_scheduled_event_attributes
        name = scheduled.activity_type.name
        if name in (PUBLISHING, TELLING):
            return None
        if name not in set(Effect):
            raise CommandError(f"{workflow_id} asks for {name}, which a tape does not hold")
        return Asked(workflow_id, scheduled.activity_id, Effect(name), scheduled.input)
    if event.event_type == EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
        child = event.start_child_workflow_execution_initiated_event_attributes
        if child.workflow_type.name == WorkflowType.ESCALATION:
            return Asked(child.workflow_id, DECISION, Effect.DECISION, child.input)
    return None


def _outcome(event: HistoryEvent) -> tuple[int, Payloads | Failure | None]:
    """Of which earlier event this one tells the outcome, and the outcome; (0, None) of none.

    A cancelled activity has none: its workflow was given up on. A case that was ended from
    outside has failed, whatever its end is called.
    """
    kind = EventType.Name(event.event_type).removeprefix("EVENT_TYPE_").lower()
    told: Any = getattr(event, f"{kind}_event_attributes", None)
    if kind == "activity_task_completed":
        return told.scheduled_event_id, told.result
    if kind in ("activity_task_failed", "activity_task_timed_out"):
        return told.scheduled_event_id, told.failure
    if kind == "child_workflow_execution_completed":
        return told.initiated_event_id, told.result
    if kind == "child_workflow_execution_failed":
        return told.initiated_event_id, told.failure
    if kind == "start_child_workflow_execution_failed" or kind in _GIVEN_UP:
        return told.initiated_event_id, Failure(
            message=f"the case {_GIVEN_UP.get(kind, 'was open')}"
        )
    return 0, None


_GIVEN_UP: Final = {
    "child_workflow_execution_timed_out": "timed out",
    "child_workflow_execution_terminated": "was terminated",
    "child_workflow_execution_canceled": "was cancelled",
}
