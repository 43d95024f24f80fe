"""The options that all workers share."""

import ctypes
import gc
import sys
from datetime import timedelta
from typing import Final, TypedDict, TypeVar

W = TypeVar("W")

STICKY_TIMEOUT = timedelta(seconds=1)
"""How long a workflow task waits for the worker that has the workflow cached before another takes
over."""


GC_THRESHOLDS = (5_000, 10, 3)
"""Thresholds of the garbage collector. With Python's defaults, an eighth of an orchestrator's work
is scanning the workflows that it caches. With ten as the last threshold, finished workflows, which
contain reference cycles, were collected every fourth week: 84 of the 101 in memory had ended."""

_ARENA_MAX: Final = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""

_MMAP_THRESHOLD: Final = -3
"""`M_MMAP_THRESHOLD`."""

MMAP_THRESHOLD_BYTES: Final = 256 * 1_024
"""Bytes from which on a block gets pages of its own, which are returned when it is freed. By
default glibc raises the threshold up to 32 MB as such blocks are freed, and reports and records
then fragment the heap."""

MAX_HEAPS: Final = 2


def limit_heaps() -> None:
    """Makes threads that start from now on share their heaps. By default glibc creates eight for
    each processor; each retains its freed memory, 18 MB in an orchestrator. Blocks of `LARGE` bytes
    are outside of all heaps. Does nothing without glibc."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_ARENA_MAX, MAX_HEAPS)
            mallopt(_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES)


def freeze_loaded_objects() -> None:
    """Excludes the objects loaded so far from garbage collection. They live as long as the process
    and are most of its objects."""
    gc.collect()
    gc.freeze()


DEADLOCK_TIMEOUT: Final = timedelta(seconds=30)
"""How long a workflow may compute before it counts as deadlocked."""


def with_deadlock_timeout(worker: W) -> W:
    """Returns the worker, changed so that it interrupts only workflows that compute for longer than
    this.

    The SDK treats a workflow that computes for two seconds as deadlocked: it raises an error in the
    workflow's thread at any point, and prints a traceback. On a machine with more work than
    processors that is a false alarm. The SDK has no option for this limit; if the attribute is
    missing, as in another version of the SDK, nothing is changed.
    """
    inner, limit = getattr(worker, "_workflow_worker", None), "_deadlock_timeout_seconds"
    if getattr(inner, limit, None) is not None:
        setattr(inner, limit, DEADLOCK_TIMEOUT.total_seconds())
    return worker


ACTIVITY_POLLS = 15
WORKFLOW_POLLS = 10
"""A task that finds an open poll goes directly to its worker; any other is stored first, and read
again. All markets need the same agents and sources at once: with the SDK's five polls, half of a
week's tasks are stored, with these a fifth, for 8 % less work of the server."""


GRACE_PERIOD: Final = timedelta(seconds=5)
"""How long a stopping worker's activities may still run, unless they wait for a model's answer."""


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
    "graceful_shutdown_timeout": GRACE_PERIOD,
    "max_heartbeat_throttle_interval": timedelta(seconds=1),
    "default_heartbeat_throttle_interval": timedelta(milliseconds=300),
}


class EagerActivityTuning(TypedDict):
    """The options of a `Worker` that keep turns and calls in its process, if it has all roles."""

    max_concurrent_activities: int
    max_eager_activity_reservations_per_workflow_task: int


EAGER_ACTIVITY_TUNING: Final[EagerActivityTuning] = {
    # Enough for three roles.
    "max_concurrent_activities": 300,
    # The number of calls that a market's agents make at once. The SDK's three cost a tenth more
    # work of the server.
    "max_eager_activity_reservations_per_workflow_task": 8,
}
