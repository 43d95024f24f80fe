"""The validation role: turns of its agents. Queue `validation`."""

from temporalio.client import Client
from temporalio.worker import Worker

from desk.contracts.names import Queue
from desk.platform.effects import EffectJournal
from desk.platform.settings import Settings
from workers.analysts import turn_activities
from workers.tuning import TUNING


def validation(client: Client, settings: Settings, journal: EffectJournal) -> Worker:
    """The worker of the role."""
    return Worker(
        client,
        task_queue=Queue.VALIDATION,
        activities=[turn_activities(settings, journal).take_turn],
        **TUNING,
    )
