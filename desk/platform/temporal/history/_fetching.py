"""Histories, fetched from the server that keeps them."""

from collections.abc import AsyncIterator

from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.platform.temporal.history._events import Event, WorkflowStarted, typed_event
from desk.platform.temporal.history._history import History


class HistoryGone(Exception):
    """The server keeps no history of a workflow, or none any more."""

    def __init__(self, workflow_id: str) -> None:
        super().__init__(f"the server keeps no history of {workflow_id} any more")


async def fetch_history(client: Client, workflow_id: str, run_id: str | None = None) -> History:
    """The history of a run, or of the latest of an id.

    Raises:
        HistoryGone: the server keeps none.
        RPCError: it could not be fetched.
    """
    events = [event async for event in fetch_raw_events(client, workflow_id, run_id)]
    return History(workflow_id, run_id or "", events, client.data_converter)


async def fetch_chain(client: Client, workflow_id: str, run_id: str) -> AsyncIterator[History]:
    """A run and those that it continues as new, the nearest first, as far as the server keeps
    them. Raises as `fetch_history` where it does not keep the run itself."""
    history = await fetch_history(client, workflow_id, run_id)
    yield history
    while history.started.continued_from is not None:
        try:
            history = await fetch_history(client, workflow_id, history.started.continued_from)
        except HistoryGone:
            return
        yield history


async def fetch_start(
    client: Client, workflow_id: str, run_id: str | None = None
) -> WorkflowStarted | None:
    """How a run began, without the rest of its history; None where that does not say. Raises as
    `fetch_history`."""
    async for event in fetch_raw_events(client, workflow_id, run_id, page_size=1):
        typed = typed_event(event)
        return typed if isinstance(typed, WorkflowStarted) else None
    return None


async def fetch_events(
    client: Client, workflow_id: str, run_id: str | None = None
) -> AsyncIterator[Event]:
    """The events one after the other, for whoever does not need them all. Raises as
    `fetch_history`."""
    async for event in fetch_raw_events(client, workflow_id, run_id):
        typed = typed_event(event)
        if typed is not None:
            yield typed


async def fetch_raw_events(
    client: Client, workflow_id: str, run_id: str | None = None, *, page_size: int | None = None
) -> AsyncIterator[HistoryEvent]:
    """The events as the server writes them. Raises as `fetch_history`."""
    handle = client.get_workflow_handle(workflow_id, run_id=run_id)
    try:
        async for event in handle.fetch_history_events(page_size=page_size):
            yield event
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        raise HistoryGone(workflow_id) from None
