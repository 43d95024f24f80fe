"""Errors, classified where they happen: what Temporal retries and what it must not; and read."""

from datetime import timedelta
from typing import NamedTuple

from temporalio.exceptions import ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

from desk.analytics.names.shortening import shortened
from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault, FailureType

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
    return shortened(message, LONGEST_MESSAGE)


class ToldFault(NamedTuple):
    """Why a call of a tool had no answer, and the circuit for which it was not even made."""

    fault: CallFault | None = None
    circuit: OpenCircuit | None = None


def fault_told(reason: BaseException | None) -> ToldFault:
    """What the worker of a source said of a try at a call that it could not make, the last where
    there was no time for another; that there was no answer in time, where it could not say so.
    Nothing where no worker came, or in words of another version."""
    if isinstance(reason, TimedOut) and reason.type is TimeoutType.SCHEDULE_TO_CLOSE:
        reason = reason.cause
    if isinstance(reason, TimedOut) and reason.type is TimeoutType.START_TO_CLOSE:
        return ToldFault(CallFault.TIMEOUT)
    details = reason.details if isinstance(reason, ApplicationError) else ()
    try:
        fault = CallFault(details[0]) if details else None
        circuit = OpenCircuit.model_validate(details[1]) if len(details) > 1 else None
    except ValueError:
        return ToldFault()
    return ToldFault(fault, circuit)
