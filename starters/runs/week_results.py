"""What a closed run has published, also when it or a later run of its id ended badly."""

from collections.abc import Sequence
from typing import Any

from temporalio.api.common.v1 import Payloads
from temporalio.api.enums.v1 import EventType
from temporalio.client import (
    Client,
    WorkflowContinuedAsNewError,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
)

from desk.contracts.week.run import Publication, PublishRequest, WeekRecord, WeekRequest, WeekResult
from starters.runs.server_runs import why_it_ended
from starters.runs.week_runs import FoundRun, Run, request_of
from starters.terminal.exit_status import CommandError

PUBLISHING = "publish_report"
"""The activity whose input and result, taken together, are what a run would have returned."""


class EndedWithoutReport(CommandError):
    """A run failed, was cancelled or was terminated, and there is no published result of it.

    `told` is that without what to do next: to run the week again, or the `markets` of it.
    """

    def __init__(self, week: str, error: WorkflowFailureError, markets: Sequence[str] = ()) -> None:
        self.reason = why_it_ended(error)
        self.told = f"the run of {week} ended without a report ({self.reason})"
        chosen = f" --markets {','.join(markets)}" if markets else ""
        super().__init__(f"{self.told}; `desk run --week {week}{chosen}` researches it anew")


async def result_of(found: FoundRun, week: str) -> WeekResult:
    """What a closed run returned.

    Raises:
        EndedWithoutReport: it returned nothing.
    """
    try:
        return await found.handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        asked = await request_of(found)
        markets = asked.config.market_names if asked.subset else ()
        raise EndedWithoutReport(week, error, markets) from error


async def last_result(found: FoundRun, week: str) -> WeekResult:
    """What a closed run returned, or else the last that was published under its id before.

    Raises:
        EndedWithoutReport: nothing was.
    """
    try:
        return await result_of(found, week)
    except EndedWithoutReport:
        published = await published_before_the_end(found)
        if published is None:
            raise
        return published


async def last_record(found: FoundRun, week: str) -> WeekRecord:
    """What a rerun of a closed run starts from.

    Raises:
        EndedWithoutReport: there is nothing to start from.
    """
    try:
        return (await last_result(found, week)).record
    except EndedWithoutReport:
        # The server may have forgotten the run that was resumed: the request has its record.
        request: WeekRequest = await request_of(found)
        if request.resume is None:
            raise
        return request.resume


async def published_before_the_end(found: FoundRun) -> WeekResult | None:
    """What a run that ended badly, or the newest one of its id before it, has published."""
    own = await _published_in(found.client, found.handle)
    if own is not None:
        return own
    for run in await _earlier_runs(found):
        try:
            published: WeekResult | None = await run.result(follow_runs=False)
        except (WorkflowFailureError, WorkflowContinuedAsNewError):
            published = await _published_in(found.client, run)
        if published is not None:
            return published
    return None


async def _earlier_runs(found: FoundRun) -> list[Run]:
    """The closed runs of the same id that started before, newest first."""
    query = f"WorkflowId = '{found.workflow_id}' AND ExecutionStatus != 'Running'"
    listed = [
        run
        async for run in found.client.list_workflows(query)
        if run.run_id != found.run_id
        and run.start_time <= found.started_at
        and run.status is not WorkflowExecutionStatus.RUNNING
    ]
    listed.sort(key=lambda run: run.start_time, reverse=True)
    client = found.client
    return [
        client.get_workflow_handle(run.id, run_id=run.run_id, result_type=WeekResult)
        for run in listed
    ]


async def _published_in(
    client: Client, handle: WorkflowHandle[Any, WeekResult]
) -> WeekResult | None:
    """The last revision that a run published, from its history."""
    asked: dict[int, Payloads] = {}
    last: tuple[Payloads, Payloads] | None = None
    async for event in handle.fetch_history_events():
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
            scheduled = event.activity_task_scheduled_event_attributes
            if scheduled.activity_type.name == PUBLISHING:
                asked[event.event_id] = scheduled.input
        elif event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
            done = event.activity_task_completed_event_attributes
            if done.scheduled_event_id in asked:
                last = asked[done.scheduled_event_id], done.result
    return await _as_result(client, *last) if last else None


async def _as_result(client: Client, asked: Payloads, answer: Payloads) -> WeekResult:
    decode = client.data_converter.decode
    request: PublishRequest = (await decode(asked.payloads, [PublishRequest]))[0]
    publication: Publication = (await decode(answer.payloads, [Publication]))[0]
    return WeekResult(
        outcome=publication.outcome,
        coverage=publication.coverage,
        files=publication.files,
        record=request.record,
    )
