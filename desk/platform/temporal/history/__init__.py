"""What happened in a workflow, read from the history that Temporal keeps of it.

The only place that knows how Temporal writes an event. A reader fetches a `RunHistory`, asks it for
its events, activities or children, and has it decode the payloads that it needs.
"""

from desk.platform.temporal.history._calls import CallMade, calls_of
from desk.platform.temporal.history._events import (
    ActivityEnded,
    ActivityScheduled,
    ActivityStarted,
    ChildEnded,
    ChildInitiated,
    ChildStarted,
    Ending,
    Event,
    Payloads,
    SearchAttributesUpserted,
    Signalled,
    UpdateAccepted,
    WorkflowEnded,
    WorkflowStarted,
    instant,
    typed_event,
)
from desk.platform.temporal.history._history import (
    Activity,
    Child,
    HistoryGone,
    RunHistory,
    decoded,
    failing_task,
    fetch_chain,
    fetch_events,
    fetch_history,
    fetch_last_scheduled,
    fetch_raw_events,
    fetch_start,
)

__all__ = [
    "Activity",
    "ActivityEnded",
    "ActivityScheduled",
    "ActivityStarted",
    "CallMade",
    "Child",
    "ChildEnded",
    "ChildInitiated",
    "ChildStarted",
    "Ending",
    "Event",
    "HistoryGone",
    "Payloads",
    "RunHistory",
    "SearchAttributesUpserted",
    "Signalled",
    "UpdateAccepted",
    "WorkflowEnded",
    "WorkflowStarted",
    "calls_of",
    "decoded",
    "failing_task",
    "fetch_chain",
    "fetch_events",
    "fetch_history",
    "fetch_last_scheduled",
    "fetch_raw_events",
    "fetch_start",
    "instant",
    "typed_event",
]
