"""Classifies the errors of activities where they happen, by whether Temporal retries them. Also
parses the errors of tool calls."""

from datetime import timedelta
from typing import Final, NamedTuple

from temporalio.exceptions import ApplicationError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

from desk.analytics.names.shortening import shortened
from desk.contracts.agents.tools import OpenCircuit
from desk.contracts.names import CallFault, FailureType

LONGEST_MESSAGE = 1_000
"""The maximum length of a failure's message in characters. It is stored in history, where a
server's traceback does not belong."""


def permanent(kind: FailureType, message: str, *details: object) -> ApplicationError:
    """Returns an error that Temporal does not retry, because another attempt would fail as well."""
    return ApplicationError(_short(message), *details, type=kind, non_retryable=True)


def transient(
    kind: FailureType, message: str, *details: object, retry_after: timedelta | None = None
) -> ApplicationError:
    """Returns an error that Temporal retries, after the pause that the failing service asked for if
    it did."""
    return ApplicationError(_short(message), *details, type=kind, next_retry_delay=retry_after)


_TIMEOUTS: Final = {
    TimeoutType.START_TO_CLOSE: "its last attempt took longer than an attempt may",
    TimeoutType.SCHEDULE_TO_START: "no worker was free to take it in time",
    TimeoutType.SCHEDULE_TO_CLOSE: "no worker finished it in the time that it had",
    TimeoutType.HEARTBEAT: (
        "the worker of its last attempt fell silent: it was stopped, killed or too busy"
    ),
}


def timeout_words(error: TimedOut) -> str:
    """Says what was late, for people. The SDK's own message is the name of a setting."""
    return _TIMEOUTS.get(error.type, error.message) if error.type else error.message


def _short(message: str) -> str:
    return shortened(message, LONGEST_MESSAGE)


class ParsedFault(NamedTuple):
    """Why a tool call got no answer. `circuit` is set if the call was skipped because its source
    kept failing."""

    fault: CallFault | None = None
    circuit: OpenCircuit | None = None


def parse_fault(reason: BaseException | None) -> ParsedFault:
    """Parses why a tool call failed from the cause of its `ActivityError`.

    If there was no time for another attempt, the last one counts. A timeout while a worker had the
    call is `CallFault.TIMEOUT`. Both fields are None if no worker accepted the call, or if a worker
    of another version reported it in another form.
    """
    if isinstance(reason, TimedOut) and reason.type is TimeoutType.SCHEDULE_TO_CLOSE:
        reason = reason.cause
    if isinstance(reason, TimedOut) and reason.type is TimeoutType.START_TO_CLOSE:
        return ParsedFault(CallFault.TIMEOUT)
    details = reason.details if isinstance(reason, ApplicationError) else ()
    try:
        fault = CallFault(details[0]) if details else None
        circuit = OpenCircuit.model_validate(details[1]) if len(details) > 1 else None
    except ValueError:
        return ParsedFault()
    return ParsedFault(fault, circuit)
