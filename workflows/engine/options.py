"""The options with which workflows start activities and child workflows: timeouts, retries,
priorities."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict

from temporalio import workflow
from temporalio.common import (
    Priority,
    RetryPolicy,
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
)
from temporalio.exceptions import ApplicationError
from temporalio.exceptions import TimeoutError as TimedOut

from activities.errors import parse_fault as parse_fault  # for the commands as well
from activities.errors import timeout_words as timeout_words  # likewise
from desk.contracts.agents.config import RetryConfig, RunPolicy
from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.names import FailureType
from desk.runs.assignments import call_allowance

HEARTBEAT_TIMEOUT = timedelta(seconds=1.5)
"""A killed worker is noticed within this time. Activities send about four heartbeats in it."""

PUBLISHING_HEARTBEAT_TIMEOUT = timedelta(seconds=8)
"""The heartbeat timeout of activities that compile and write a report. They compute for seconds,
and on a machine with more work than processors their heartbeats come late. A shorter timeout would
start a second attempt while the first one still runs."""

PATIENT_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
"""The heartbeat timeout of a paid call, and of an activity that a busy worker was too slow for. A
worker that hangs for ten seconds does not lose its answer, even if its last heartbeat was a second
old by then."""

TASK_TIMEOUT = timedelta(seconds=2)
"""How long a killed worker can hold a workflow task of a child workflow."""

LONGEST_ERROR = 1_000
"""Characters of an error message that the agent is shown and the history stores."""

_OWN_FAILURES: Final = frozenset(FailureType)

WEEK = SearchAttributeKey.for_keyword(SearchAttribute.RESEARCH_WEEK)
MARKET = SearchAttributeKey.for_keyword(SearchAttribute.MARKET)
PHASE = SearchAttributeKey.for_keyword(SearchAttribute.PHASE)
OUTCOME = SearchAttributeKey.for_keyword(SearchAttribute.OUTCOME)
REVISION = SearchAttributeKey.for_int(SearchAttribute.REVISION)
SCHEDULED_START = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


class ActivityBounds(TypedDict):
    """The options of every activity: its timeouts, retry policy and priority."""

    start_to_close_timeout: timedelta
    schedule_to_close_timeout: timedelta
    heartbeat_timeout: timedelta
    retry_policy: RetryPolicy
    priority: Priority


def retry_policy(retries: RetryConfig) -> RetryPolicy:
    """Returns a policy with a bounded number of retries. An error that a payload is too large is
    not retried."""
    return RetryPolicy(
        initial_interval=retries.first_pause,
        maximum_interval=retries.longest_pause,
        maximum_attempts=retries.max_attempts,
        non_retryable_error_types=["PayloadsTooLarge"],
    )


def patient_retry_policy(retries: RetryConfig) -> RetryPolicy:
    """Returns a policy with unlimited retries, for activities that only their deadline ends."""
    return replace(retry_policy(retries), maximum_attempts=0)


def priority(level: int, market: str | None = None) -> Priority:
    """Returns a priority of the desk as Temporal's, from 1, the most urgent, to 5. The market is
    the fairness key: markets share a queue fairly."""
    return Priority(priority_key=level, fairness_key=market)


def task_bounds(
    assignment: TaskAssignment,
    policy: RunPolicy,
    one_attempt: timedelta,
    heartbeat: timedelta,
    until: datetime | None = None,
) -> ActivityBounds:
    """Returns the options of an activity of an agent's task. With its retries it ends by the task's
    deadline, or by `until` if that is given. A worker that sends no heartbeat for the `heartbeat`
    timeout counts as lost."""
    market = assignment.market.market if assignment.market else None
    return {
        "start_to_close_timeout": one_attempt,
        "schedule_to_close_timeout": call_allowance(until or assignment.deadline, workflow.now()),
        "heartbeat_timeout": heartbeat,
        "retry_policy": retry_policy(policy.retries),
        "priority": priority(assignment.priority, market),
    }


def task_label(assignment: TaskAssignment) -> str:
    """Returns the name of a task for error messages, with the week if the task belongs to one."""
    return assignment.task_id if assignment.query else f"{assignment.task_id}, {assignment.week}"


def unusable(words: str) -> ApplicationError:
    """Returns the non-retryable error for a request that cannot be used. `words` say what to ask
    for instead."""
    return ApplicationError(words, type=FailureType.UNUSABLE_REQUEST, non_retryable=True)


def cause(error: BaseException) -> str:
    """Returns the innermost message of an error, which says what actually happened. The type of a
    failure of the desk's own is left out: its message says it in words. A timeout is described."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, TimedOut):
        return timeout_words(error)
    if isinstance(error, ApplicationError) and error.type in _OWN_FAILURES:
        return error.message[:LONGEST_ERROR]
    return (str(error) or type(error).__name__)[:LONGEST_ERROR]


def run_attributes(
    market: str | None, *, week: str | None = None, phase: Phase
) -> TypedSearchAttributes:
    """Returns the search attributes that a workflow starts with: its phase, and its market and week
    if it has them."""
    pairs: list[SearchAttributePair[Any]] = [SearchAttributePair(PHASE, phase)]
    if market is not None:
        pairs.append(SearchAttributePair(MARKET, market))
    if week is not None:
        pairs.append(SearchAttributePair(WEEK, week))
    return TypedSearchAttributes(pairs)


def note_outcome(outcome: Outcome) -> None:
    """Sets the search attributes of a finished run: its outcome, and the closed phase."""
    workflow.upsert_search_attributes([OUTCOME.value_set(outcome), PHASE.value_set(Phase.CLOSED)])


def note_phase(phase: Phase) -> None:
    """Sets the search attribute for the phase that a run is in."""
    workflow.upsert_search_attributes([PHASE.value_set(phase)])
