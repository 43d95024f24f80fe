"""The workers that play a tape: the real workflows and publishing, without effects outside."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from temporalio.client import Client
from temporalio.worker import Worker

from activities.publishing.publishing import PublishingActivities
from activities.taped import TapedActivities, TapePlayer
from desk.contracts.names import Queue, source_queue
from desk.contracts.runs.tape import Tape
from desk.platform.temporal.deployment import unversioned
from workers.needed_sources import needed_sources
from workers.orchestrator import CACHED_WORKFLOWS, CONCURRENT_WORKFLOW_TASKS, WORKFLOWS
from workers.tuning import TUNING
from workflows.escalation import EscalationWorkflow, TapedEscalationWorkflow

__all__ = ["PLAYED_WORKFLOWS", "TapePlayer", "playing"]

PLAYED_WORKFLOWS = (
    *(played for played in WORKFLOWS if played is not EscalationWorkflow),
    TapedEscalationWorkflow,
)


@asynccontextmanager
async def playing(client: Client, tape: Tape, reports_dir: Path) -> AsyncIterator[TapePlayer]:
    """Runs workers on every queue that the run can use, until the block ends. Reports are written
    to `reports_dir`.

    They need a server of their own: they answer every request with what is on the tape.
    """
    player = TapePlayer(tape)
    async with AsyncExitStack() as stack:
        for worker in _workers(client, tape, player, reports_dir):
            await stack.enter_async_context(worker)
        yield player


def _workers(client: Client, tape: Tape, player: TapePlayer, reports_dir: Path) -> Iterator[Worker]:
    taped = TapedActivities(player)
    effects: list[Callable[..., Any]] = [
        taped.take_turn,
        taped.call_tool,
        taped.list_tools,
        taped.reach,
        taped.read_revisions,
        taped.decide_escalation,
        taped.ask_learning,
        taped.judge_findings,
        taped.tell_learning,
        taped.any_other,
    ]
    yield Worker(
        client,
        task_queue=Queue.DESK,
        workflows=PLAYED_WORKFLOWS,
        activities=[
            *effects,
            PublishingActivities(reports_dir).publish_report,
        ],
        max_concurrent_workflow_tasks=CONCURRENT_WORKFLOW_TASKS,
        max_cached_workflows=CACHED_WORKFLOWS,
        deployment_config=unversioned(),
        **TUNING,
    )
    servers = sorted({*tape.config.policy.sources, *needed_sources()})
    for queue in (Queue.RESEARCH, Queue.VALIDATION, *map(source_queue, servers)):
        yield Worker(
            client, task_queue=queue, activities=effects, deployment_config=unversioned(), **TUNING
        )
