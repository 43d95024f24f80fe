"""What all workers have in common."""

import ctypes
import gc
import sys
from datetime import timedelta
from typing import Final, TypedDict, TypeVar

W = TypeVar("W")

STICKY_TIMEOUT = timedelta(seconds=1)
"""How long a workflow waits for the worker that has it in memory before another takes over."""


COLLECT_AFTER = (5_000, 10, 3)
"""Thresholds of the garbage collector. With Python's own, an eighth of an orchestrator's work is to
look through the workflows that it holds. With ten in the last place those that have ended, which
refer to themselves, were let go of every fourth week: 84 of 101 that were held had ended."""

_ARENA_MAX: Final = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""

_MAPPED_FROM: Final = -3
"""`M_MMAP_THRESHOLD`."""

LARGE: Final = 256 * 1_024
"""Bytes from which on a block has pages of its own, which go back when it is freed. By itself glibc
puts the bound up to 32 MB as such blocks are freed, and reports and records then leave holes."""

HEAPS: Final = 2


def share_heaps() -> None:
    """Have threads that begin from now on share their heaps. By itself glibc gives eight for
    each processor; each keeps what was freed in it, 18 MB of an orchestrator's memory. What is
    `LARGE` is in none of them. Does nothing where there is no glibc.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_ARENA_MAX, HEAPS)
            mallopt(_MAPPED_FROM, LARGE)


def keep_what_is_loaded() -> None:
    """Have what is loaded by now looked through for garbage no more: it stays as long as the
    process, and is most of what there is."""
    gc.collect()
    gc.freeze()


STUCK: Final = timedelta(seconds=30)
"""How long a workflow may compute before it counts as stuck."""


def patient_with_workflows(worker: W) -> W:
    """The worker, which interrupts only workflows that are stuck.

    The SDK takes one that computes for two seconds to be deadlocked: it raises an error in the
    workflow's thread wherever that stands, and prints a traceback. On a machine with more work than
    processors none is. Its limit is no option of a worker; without it, as in another version of the
    SDK, nothing is changed.
    """
    inner, limit = getattr(worker, "_workflow_worker", None), "_deadlock_timeout_seconds"
    if getattr(inner, limit, None) is not None:
        setattr(inner, limit, STUCK.total_seconds())
    return worker


ACTIVITY_POLLS = 15
WORKFLOW_POLLS = 10
"""A task that finds a poll open goes straight to its worker; any other is stored first, and read
again. All markets want the same agents and sources at once: with the SDK's five polls, half of a
week's tasks are stored, with these a fifth, for 8 % less work of the server.
"""


class Tuning(TypedDict):
    """Options of a `Worker`."""

    max_concurrent_activity_task_polls: int
    max_concurrent_workflow_task_polls: int
    sticky_queue_schedule_to_start_timeout: timedelta
    graceful_shutdown_timeout: timedelta
    max_heartbeat_throttle_interval: timedelta
    default_heartbeat_throttle_interval: timedelta


TUNING: Tuning = {
    "max_concurrent_activity_task_polls": ACTIVITY_POLLS,
    "max_concurrent_workflow_task_polls": WORKFLOW_POLLS,
    "sticky_queue_schedule_to_start_timeout": STICKY_TIMEOUT,
    "graceful_shutdown_timeout": timedelta(seconds=5),
    "max_heartbeat_throttle_interval": timedelta(seconds=1),
    "default_heartbeat_throttle_interval": timedelta(milliseconds=300),
}


class Staying(TypedDict):
    """Options of the `Worker` with which turns and calls stay, where all roles are together."""

    max_concurrent_activities: int
    max_eager_activity_reservations_per_workflow_task: int


STAYING: Final[Staying] = {
    # Three roles' worth.
    "max_concurrent_activities": 300,
    # What a market's agents ask at once; with the SDK's three, a tenth more work of the server.
    "max_eager_activity_reservations_per_workflow_task": 8,
}
