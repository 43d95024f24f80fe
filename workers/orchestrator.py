"""The orchestrator: all workflows, the product manager's turns, publishing and deliveries. It polls
the queue `desk`."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.deliveries import DeliveryActivities
from activities.judging import JudgeActivities
from activities.learning import LearningActivities
from activities.memory import MemoryActivities
from activities.publishing.archive_upkeep import ArchiveUpkeep
from activities.publishing.publishing import PublishingActivities
from desk.agents.registry import PROGRAMS
from desk.contracts.names import Queue, WorkflowType
from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.effects import EffectJournal
from desk.platform.memory import memory_store
from desk.platform.settings import Settings
from desk.platform.temporal.deployment import pins, unversioned
from desk.platform.temporal.sandbox import workflow_runner
from workers.agents import turn_activities
from workers.other_roles import NO_OTHER_ROLES, OtherRoles
from workers.tuning import EAGER_ACTIVITY_TUNING, TUNING, Tuning, with_deadlock_timeout
from workflows.escalation import EscalationWorkflow
from workflows.learning import LearningSystemWorkflow
from workflows.reassignment import ReassignmentWorkflow
from workflows.tool_call import ToolCallWorkflow

WORKFLOWS: Final[tuple[type, ...]] = (
    ReassignmentWorkflow,
    EscalationWorkflow,
    ToolCallWorkflow,
    LearningSystemWorkflow,
    *(workflow for program in PROGRAMS for workflow in program.load_workflows()),
)
"""The shared workflows, and those that each program declares."""

AUTO_UPGRADED_WORKFLOWS: Final = (
    WorkflowType.LEARNING_SYSTEM,
    WorkflowType.HYPOTHESIS,
    WorkflowType.STOCK_RESEARCH,
)
"""Workflow types that move on to the current version while other runs stay with theirs. Pinned,
they would need an old version until the last horizon has passed, and the learning system would need
it forever."""

CONCURRENT_WORKFLOW_TASKS = 16
"""Few enough that every task accepted is started at once: workflow tasks time out after two
seconds."""

CACHED_WORKFLOWS: Final = 80
"""The most workflows in memory. Any other is replayed from its history when its next task comes."""

FEWEST_CACHED: Final = 20
"""Enough for the runs of a desk with few markets, and for what is not a market's."""


def cached_workflows(markets: int) -> int:
    """Returns how many workflows are cached by a desk of so many markets: one and a half weeks, as
    a backfill has in progress.

    More would be weeks that are open for reruns, of which a backfill leaves hundreds: each takes
    1.5 MB, and is replayed when it is queried.
    """
    return min(CACHED_WORKFLOWS, max(FEWEST_CACHED, 3 + markets * 3 // 2))


MAX_HEARTBEAT_INTERVAL: Final = timedelta(milliseconds=350)
"""The maximum interval between heartbeats that reach the server, a quarter of the heartbeat
timeout. The process also reads and writes whole reports, each of which blocks it for a third of a
second. With an interval of one second, a busy machine restarted publishing five times. Few
activities run here, so the cost is small."""

ORCHESTRATOR_TUNING: Final[Tuning] = {
    **TUNING,
    "max_heartbeat_throttle_interval": MAX_HEARTBEAT_INTERVAL,
}


def query_worker(client: Client, deployment: WorkerDeploymentConfig | None = None) -> Worker:
    """Returns a worker that answers queries about runs. It runs no activities, so it calls no
    source or model on behalf of a command that only reads."""
    worker = Worker(
        client,
        task_queue=Queue.DESK,
        workflows=WORKFLOWS,
        deployment_config=deployment or unversioned(),
        workflow_runner=workflow_runner(AUTO_UPGRADED_WORKFLOWS if pins(deployment) else ()),
        max_concurrent_workflow_tasks=CONCURRENT_WORKFLOW_TASKS,
        max_cached_workflows=CACHED_WORKFLOWS,
        **TUNING,
    )
    return with_deadlock_timeout(worker)


def orchestrator(
    client: Client,
    settings: Settings,
    journal: EffectJournal,
    deployment: WorkerDeploymentConfig | None = None,
    other_roles: OtherRoles = NO_OTHER_ROLES,
    archive: ArchiveUpkeep | None = None,
    interceptors: Sequence[Interceptor] = (),
) -> Worker:
    """Returns the worker of the role, pinned to a version if there is a `deployment`. Only here do
    workflows run. The caller maintains the `archive`."""
    publishing = PublishingActivities(
        settings.reports_dir, settings.signer, settings.store, archive
    )
    secrets = DeliverySecrets.of(settings.variables)
    deliveries = DeliveryActivities(settings.reports_dir, secrets, journal, settings.store)
    learning = LearningActivities()
    memory = MemoryActivities(memory_store(settings))
    worker = Worker(
        client,
        task_queue=Queue.DESK,
        workflows=WORKFLOWS,
        activities=[
            turn_activities(settings, journal).take_turn,
            *JudgeActivities().all,
            publishing.publish_report,
            publishing.read_revisions,
            deliveries.deliver_report,
            publishing.publish_answer,
            memory.recall_memory,
            memory.remember,
            learning.ask_learning,
            learning.tell_learning,
            learning.tell_hypothesis,
            *other_roles.activities,
        ],
        deployment_config=deployment or unversioned(),
        interceptors=interceptors,
        workflow_runner=workflow_runner(
            AUTO_UPGRADED_WORKFLOWS if pins(deployment) else (), here=other_roles.queues
        ),
        max_concurrent_workflow_tasks=CONCURRENT_WORKFLOW_TASKS,
        max_cached_workflows=cached_workflows(len(settings.config.market_names)),
        **EAGER_ACTIVITY_TUNING,
        **ORCHESTRATOR_TUNING,
    )
    return with_deadlock_timeout(worker)
