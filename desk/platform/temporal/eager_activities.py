"""Runs activities in the process that schedules them, without matching or a poll.

The server hands an activity that a workflow schedules on its own queue straight to the worker that
scheduled it, in the response to the workflow task (Temporal's eager activity execution). So a
process that also runs a role's workers schedules its activities on the workflow's own queue.
Workflow code still names the role's queue; that name is sent in a header, and is read from there
when a history is read. On replay the queue of an activity is not compared.
"""

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from temporalio.api.common.v1 import Payload

if TYPE_CHECKING:
    from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion

_QUEUE: Final = "desk-queue"
_PLAIN: Final = {"encoding": b"json/plain"}


def schedule_eagerly(
    completion: "WorkflowActivationCompletion", own_queue: str, here: Collection[str]
) -> None:
    """Moves the activities of a completed workflow task to the workflow's own queue, if the queue
    that they name is polled in this process (`here`)."""
    for command in completion.successful.commands:
        asked = command.schedule_activity
        if command.HasField("schedule_activity") and asked.task_queue in here:
            named = Payload(metadata=_PLAIN, data=json.dumps(asked.task_queue).encode())
            asked.headers[_QUEUE].CopyFrom(named)
            asked.task_queue = own_queue


def requested_queue(headers: Mapping[str, Payload], queue: str) -> str:
    """The queue that a workflow named for an activity, from the headers and the queue in the
    history."""
    named = headers.get(_QUEUE)
    return str(json.loads(named.data)) if named is not None else queue
