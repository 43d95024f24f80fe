"""What all workers have in common."""

from datetime import timedelta
from typing import TypedDict

STICKY_TIMEOUT = timedelta(seconds=1)
"""How long a workflow waits for the worker that has it in memory before another takes over."""


COLLECT_AFTER = (5_000, 10, 10)
"""Thresholds of the garbage collector. With Python's own, an eighth of an orchestrator's work is to
look through the workflows that it holds."""


class Tuning(TypedDict):
    """Options of a `Worker`."""

    sticky_queue_schedule_to_start_timeout: timedelta
    graceful_shutdown_timeout: timedelta
    max_heartbeat_throttle_interval: timedelta
    default_heartbeat_throttle_interval: timedelta


TUNING: Tuning = {
    "sticky_queue_schedule_to_start_timeout": STICKY_TIMEOUT,
    "graceful_shutdown_timeout": timedelta(seconds=5),
    "max_heartbeat_throttle_interval": timedelta(seconds=1),
    "default_heartbeat_throttle_interval": timedelta(milliseconds=300),
}
