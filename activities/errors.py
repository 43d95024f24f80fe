"""Errors, classified where they happen: what Temporal retries and what it must not."""

from datetime import timedelta

from temporalio.exceptions import ApplicationError

from contracts.names import FailureType

LONGEST_MESSAGE = 1_000
"""Failures live in history, and a server's traceback has no place there."""


def permanent(kind: FailureType, message: str, *details: object) -> ApplicationError:
    """An error that another attempt cannot mend."""
    return ApplicationError(_short(message), *details, type=kind, non_retryable=True)


def transient(
    kind: FailureType, message: str, *details: object, retry_after: timedelta | None = None
) -> ApplicationError:
    """An error that another attempt may mend, after the pause its origin asked for."""
    return ApplicationError(_short(message), *details, type=kind, next_retry_delay=retry_after)


def _short(message: str) -> str:
    return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
