"""The activities of this process that wait for a model's answer, which is billed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from temporalio import activity

_ASKING: Final[set[bytes]] = set()


@contextmanager
def asking_model() -> Iterator[None]:
    """Counts the current activity as waiting for a model's answer until the block ends."""
    token = activity.info().task_token
    _ASKING.add(token)
    try:
        yield
    finally:
        _ASKING.discard(token)


def is_asking_model(attempt: activity.Info) -> bool:
    """Returns whether an attempt of an activity waits for a model's answer."""
    return attempt.task_token in _ASKING
