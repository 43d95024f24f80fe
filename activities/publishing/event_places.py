"""The places of tool calls in Temporal's histories, looked up from the server."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError
from temporalio.client import Client
from temporalio.service import RPCError

from desk.contracts.agents.tools import ToolResult
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.report import MarketOutcome
from desk.platform.temporal.history import ActivityScheduled, HistoryGone, fetch_events

SIDE_BY_SIDE: Final = 8
BUDGET_SECONDS: Final = 5.0
"""For all histories together. A report does not wait longer for what it can do without."""


class _Run(NamedTuple):
    workflow_id: str
    run_id: str


EventIds = Mapping[_Run, Mapping[str, int]]
"""For each run whose history could be read, the event that scheduled an activity, by its id."""


async def with_event_ids(
    record: WeekRecord, client: Client, *, budget_seconds: float = BUDGET_SECONDS
) -> WeekRecord:
    """The record with the event id of every tool call whose history could be read in time.

    Each history is read once, without decoding a payload. What cannot be read stays None.
    """
    missing = {
        _Run(place.workflow_id, place.run_id)
        for outcome in record.outcomes
        for result in outcome.evidence
        if (place := result.place) is not None and place.event_id is None
    }
    known: dict[_Run, Mapping[str, int]] = {}
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look_up(run: _Run) -> None:
        async with turns:
            with suppress(HistoryGone, RPCError, DecodeError):
                known[run] = {
                    event.activity_id: event.event_id
                    async for event in fetch_events(client, run.workflow_id, run.run_id)
                    if isinstance(event, ActivityScheduled)
                }

    with suppress(TimeoutError):
        async with asyncio.timeout(budget_seconds):
            await asyncio.gather(*(look_up(run) for run in sorted(missing)))
    outcomes = tuple(_placed_outcome(outcome, known) for outcome in record.outcomes)
    return record.model_copy(update={"outcomes": outcomes})


def _placed_outcome(outcome: MarketOutcome, known: EventIds) -> MarketOutcome:
    evidence = tuple(_placed(result, known) for result in outcome.evidence)
    return outcome.model_copy(update={"evidence": evidence})


def _placed(result: ToolResult, known: EventIds) -> ToolResult:
    place = result.place
    if place is None or place.event_id is not None:
        return result
    event_id = known.get(_Run(place.workflow_id, place.run_id), {}).get(place.activity_id)
    return result.model_copy(update={"place": place.model_copy(update={"event_id": event_id})})
