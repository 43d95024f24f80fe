"""What a closed run published, even if it, or a later run with its id, failed."""

from collections.abc import Sequence

from temporalio.client import Client, WorkflowContinuedAsNewError, WorkflowFailureError

from desk.contracts.names import ActivityName
from desk.contracts.runs.week import (
    Publication,
    PublishRequest,
    WeekRecord,
    WeekRequest,
    WeekResult,
)
from desk.platform.temporal.history import Ending
from starters.runs.server_runs import earlier_runs, history_of, why_it_ended
from starters.runs.week_runs import FoundRun, request_of
from starters.terminal.exit_status import CommandError


class EndedWithoutReport(CommandError):
    """A run failed, was cancelled or was terminated, and has no published result.

    `summary` is the message without the advice to run the week, or its `markets`, again.
    """

    def __init__(self, week: str, error: WorkflowFailureError, markets: Sequence[str] = ()) -> None:
        self.reason = why_it_ended(error)
        self.summary = f"the run of {week} ended without a report ({self.reason})"
        chosen = f" --markets {','.join(markets)}" if markets else ""
        super().__init__(f"{self.summary}; `desk run --week {week}{chosen}` researches it anew")


async def result_of(found: FoundRun, week: str) -> WeekResult:
    """Returns the result of a closed run.

    Raises:
        EndedWithoutReport: it has no result.
    """
    try:
        return await found.handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        asked = await request_of(found)
        markets = asked.config.market_names if asked.subset else ()
        raise EndedWithoutReport(week, error, markets) from error


async def last_result(found: FoundRun, week: str) -> WeekResult:
    """Returns the result of a closed run, or else the last result published under its id before.

    Raises:
        EndedWithoutReport: nothing was published.
    """
    try:
        return await result_of(found, week)
    except EndedWithoutReport:
        published = await published_before_failure(found)
        if published is None:
            raise
        return published


async def last_record(found: FoundRun, week: str) -> WeekRecord:
    """Returns the record that a rerun of a closed run starts from.

    Raises:
        EndedWithoutReport: there is no record.
    """
    try:
        return (await last_result(found, week)).record
    except EndedWithoutReport:
        # The server may have deleted the run that was resumed; the request then has its record.
        request: WeekRequest = await request_of(found)
        if request.resume is None:
            raise
        return request.resume


async def published_before_failure(found: FoundRun) -> WeekResult | None:
    """Returns what a failed run published, or else the newest run before it with the same id."""
    client, workflow_id = found.client, found.workflow_id
    own = await _published_in(client, workflow_id, found.run_id)
    if own is not None:
        return own
    for run in await earlier_runs(found):
        handle = client.get_workflow_handle(workflow_id, run_id=run.run_id, result_type=WeekResult)
        try:
            published: WeekResult | None = await handle.result(follow_runs=False)
        except (WorkflowFailureError, WorkflowContinuedAsNewError):
            published = await _published_in(client, workflow_id, run.run_id)
        if published is not None:
            return published
    return None


async def _published_in(client: Client, workflow_id: str, run_id: str) -> WeekResult | None:
    """Returns the last revision that a run published, put together from the activity's request and
    response."""
    history = await history_of(client, workflow_id, run_id)
    published = [
        (scheduled, end)
        for scheduled, end in history.ended_activities()
        if scheduled.name == ActivityName.PUBLISH_REPORT and end.ending is Ending.COMPLETED
    ]
    if not published:
        return None
    scheduled, end = published[-1]
    publication = await history.decode(end.result, Publication)
    return WeekResult(
        outcome=publication.outcome,
        coverage=publication.coverage,
        files=publication.files,
        record=(await history.decode(scheduled.input, PublishRequest)).record,
    )
