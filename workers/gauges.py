"""The gauges of a worker's metrics: of the process and, in the orchestrator, of the server's
queues."""

import asyncio
import resource
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client
from temporalio.common import MetricMeter
from temporalio.service import RPCError

from activities.metrics import begin_at_zero, counted
from desk.analytics.weeks import latest_complete_week
from desk.contracts.agents.search_attributes import SearchAttribute
from desk.contracts.names import Queue, WorkflowType, source_queue, week_run_id
from desk.platform.settings import Settings
from desk.platform.temporal.client import process_meter

EVERY = timedelta(seconds=10)

_KINDS = {
    "workflow": TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    "activity": TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
}


@asynccontextmanager
async def reporting_gauges(
    client: Client, settings: Settings, *, queues: Iterable[Queue], calls_tools: bool
) -> AsyncIterator[None]:
    """Updates gauges until the block ends. Counters of the polled `queues` start at zero before
    anything has happened. Only the orchestrator, which polls the desk's queue, sets the gauges of
    the server's queues and weeks."""
    polled = set(queues)
    begin_at_zero(process_meter(), settings.config.policy, polled, calls_tools=calls_tools)
    of_server = Queue.DESK in polled
    task = asyncio.create_task(
        _update_forever(client, settings, of_server=of_server), name="gauges"
    )
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _update_forever(client: Client, settings: Settings, *, of_server: bool) -> None:
    meter, counted_before = process_meter(), Counter[bool]()
    while True:
        _memory(meter)
        counted_before = _count_lookups(meter, counted_before)
        if of_server:
            # A gauge that cannot be read keeps its last value; other metrics show the server's
            # absence.
            with suppress(RPCError):
                await _queues(meter, client, settings.config.policy.sources)
                await _latest_week(meter, client, settings)
        await asyncio.sleep(EVERY.total_seconds())


def _count_lookups(meter: MetricMeter, counted_before: Counter[bool]) -> Counter[bool]:
    """Adds the cache lookups that the sources in this process made since the last call. A source
    that runs as a process of its own is not counted."""
    answer_cache = sys.modules.get("desk.sources.serving.kept_answers")
    now = Counter[bool](answer_cache.KeptAnswers.looked_up) if answer_cache else Counter[bool]()
    for had, result in ((True, "hit"), (False, "miss")):
        labels = {"cache": "source_answers", "result": result}
        counted(meter, "desk_cache_lookups", now[had] - counted_before[had], **labels)
    return now


def _memory(meter: MetricMeter) -> None:
    meter.create_gauge("desk_worker_memory_bytes", "Memory of the process").set(_resident_bytes())


def _resident_bytes() -> int:
    """Returns the resident memory of the process, or its peak where the system does not report the
    current value."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1_024


async def _queues(meter: MetricMeter, client: Client, sources: Iterable[str]) -> None:
    activities = (*Queue, *map(source_queue, sources))
    for queue, kind in ((Queue.DESK, "workflow"), *((queue, "activity") for queue in activities)):
        answer = await client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=client.namespace,
                task_queue=TaskQueue(name=queue),
                task_queue_type=_KINDS[kind],
                report_stats=True,
            )
        )
        about = meter.with_additional_attributes({"queue": str(queue), "kind": kind})
        about.create_gauge("desk_queue_backlog", "Tasks that wait for a worker").set(
            answer.stats.approximate_backlog_count
        )
        about.create_gauge_float(
            "desk_queue_backlog_age_seconds", "How long the first of them has waited"
        ).set(answer.stats.approximate_backlog_age.ToTimedelta().total_seconds())
        about.create_gauge(
            "desk_queue_pollers", "Polls of the queue that the server has seen lately"
        ).set(len(answer.pollers))


async def _latest_week(meter: MetricMeter, client: Client, settings: Settings) -> None:
    """Sets whether the report is published of the latest week whose as-of instant has passed. A
    report of only some markets does not count."""
    week = latest_complete_week(datetime.now(UTC), settings.config.schedule)
    runs = client.list_workflows(
        f"WorkflowType = '{WorkflowType.WEEKLY_RESEARCH}' AND "
        f"{SearchAttribute.RESEARCH_WEEK} = '{week}' AND {SearchAttribute.REVISION} >= 1"
    )
    whole = [run.id async for run in runs if not run.id.startswith(f"{week_run_id(week)}-")]
    meter.create_gauge(
        "desk_latest_week_published", "1 when the report of the latest complete week is out"
    ).set(int(bool(whole)))
