"""Asking a run for a rerun, open or closed."""

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.names import Message, Queue, WorkflowType
from desk.contracts.week.run import RerunRequest, WeekResult
from starters.week_results import last_record
from starters.week_runs import FoundRun, Run, attributes_of, known_run, request_of
from workflows.options import TASK_TIMEOUT


async def signal_rerun(client: Client, found: FoundRun, week: str, rerun: RerunRequest) -> FoundRun:
    """Ask for a rerun, of an open run by a signal, of a closed one by starting it again.

    Raises:
        EndedWithoutReport: there is nothing to start again from.
    """
    if found.open:
        try:
            # By its id alone: it may have continued as new since it was looked up.
            await client.get_workflow_handle(found.workflow_id).signal(Message.RERUN_MARKET, rerun)
            return found
        except RPCError as error:
            # It closed since it was looked up: what follows is for closed runs.
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
        found = await known_run(client, found.workflow_id)
    request = await request_of(found)
    record = await last_record(found, week)
    handle: Run = await client.start_workflow(
        WorkflowType.WEEKLY_RESEARCH,
        request.model_copy(update={"week": week, "resume": record, "carried": None}),
        id=found.workflow_id,
        task_queue=Queue.DESK,
        result_type=WeekResult,
        start_signal=Message.RERUN_MARKET,
        start_signal_args=[rerun],
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        task_timeout=TASK_TIMEOUT,
        search_attributes=attributes_of(week),
        static_summary=f"Research of {week}, reopened for {rerun.market}",
    )
    return await known_run(client, handle.id)
