"""The roles that take agents' turns, research and validation, each on the queue of its name."""

from collections.abc import Sequence

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker, WorkerDeploymentConfig

from activities.turns import Analysts, TurnActivities
from desk.contracts.names import Queue
from desk.platform.effects import EffectJournal
from desk.platform.models.model_calling import ModelCaller
from desk.platform.settings import Settings
from desk.platform.temporal.deployment import unversioned
from workers.tuning import TUNING


def agents(
    queue: Queue,
    client: Client,
    settings: Settings,
    journal: EffectJournal,
    deployment: WorkerDeploymentConfig | None = None,
    interceptors: Sequence[Interceptor] = (),
) -> Worker:
    """Returns the worker of a role whose agents take their turns on `queue`. With a `deployment` it
    is pinned to a version."""
    return Worker(
        client,
        task_queue=queue,
        activities=[turn_activities(settings, journal).take_turn],
        deployment_config=deployment or unversioned(),
        interceptors=interceptors,
        **TUNING,
    )


def turn_activities(settings: Settings, journal: EffectJournal) -> TurnActivities:
    """Returns the turn activity of a worker: the built-in analysts, and Claude if there is a
    key."""
    return TurnActivities(Analysts(journal.paid, _claude(settings)), journal)


def _claude(settings: Settings) -> ModelCaller | None:
    key = settings.model_key
    if key is None:
        return None
    # The client takes a second and 70 MB to import; only a worker that uses it pays for it.
    from desk.platform.models.claude import Claude

    return Claude(key, base_url=settings.anthropic_base_url, home=settings.home)
