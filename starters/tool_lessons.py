"""What the learning system was told, read from its history: no worker is needed for it."""

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.learning.learning import Lesson
from desk.contracts.learning.record import LearningRequest
from desk.contracts.names import LEARNING_SYSTEM_ID, Message
from desk.learning.learned.learned import Learned


async def learned_from(client: Client) -> Learned:
    """The record with every lesson that was told, and without the scores of the last forecasts,
    which are no signals. Empty where no run has told any.

    Raises:
        RPCError: the server went away.
    """
    learned, converter = Learned(), client.data_converter
    handle = client.get_workflow_handle(LEARNING_SYSTEM_ID)
    try:
        async for event in handle.fetch_history_events():
            if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
                given = event.workflow_execution_started_event_attributes.input.payloads
                begun: list[LearningRequest] = await converter.decode(given, [LearningRequest])
                learned = Learned(begun[0].state)
            elif event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
                signal = event.workflow_execution_signaled_event_attributes
                if signal.signal_name == Message.LEARN:
                    told: list[Lesson] = await converter.decode(signal.input.payloads, [Lesson])
                    learned.take(told[0])
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
    return learned
