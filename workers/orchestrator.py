"""The orchestrator: all workflows, the product manager's turns, publishing and deliveries. Queue
`desk`."""

from datetime import timedelta
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker, WorkerDeploymentConfig

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
from workers.tuning import STAYING, TUNING, Tuning, patient_with_workflows
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
"""What all programs share, and what each program declares."""

WAIT_FOR_WEEKS: Final = (
    WorkflowType.LEARNING_SYSTEM,
    WorkflowType.HYPOTHESIS,
    WorkflowType.STOCK_RESEARCH,
)
"""What goes on with the current version where other runs stay with theirs: a version would be kept
for them until the last horizon has passed, and for the learning system for ever."""

CONCURRENT_WORKFLOW_TASKS = 16
"""Few enough that a task taken is a task begun: workflow tasks have two seconds."""

CACHED_WORKFLOWS = 80
"""Two weeks at work, each with its markets, as a backfill has them. A run that is open for reruns
holds 3 MB here, and a backfill leaves hundreds of them open: those make way first, and are replayed
when they are asked.
"""

BEATS_APART: Final = timedelta(milliseconds=350)
"""How often the server is told at most that an activity is at work, a quarter of what it waits. It
is told by the process that also reads and writes whole reports, which holds it up for a third of a
second each; told once a second, a busy machine had publishing begun anew five times. What runs
here is few, so that it costs little."""

OWN_TUNING: Final[Tuning] = {**TUNING, "max_heartbeat_throttle_interval": BEATS_APART}


def orchestrator(
    client: Client,
    settings: Settings,
    journal: EffectJournal,
    deployment: WorkerDeploymentConfig | None = None,
    other_roles: OtherRoles = NO_OTHER_ROLES,
    archive: ArchiveUpkeep | None = None,
) -> Worker:
    """The worker of the role, of a version where there is one. Only here do workflows run.
    The `archive` is kept by whoever hosts it."""
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
        workflow_runner=workflow_runner(
            WAIT_FOR_WEEKS if pins(deployment) else (), here=other_roles.queues
        ),
        max_concurrent_workflow_tasks=CONCURRENT_WORKFLOW_TASKS,
        max_cached_workflows=CACHED_WORKFLOWS,
        **STAYING,
        **OWN_TUNING,
    )
    return patient_with_workflows(worker)
