"""How workflows call activities and children: bounds, retries, priorities, in one place."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypedDict

from temporalio import workflow
from temporalio.common import (
    Priority,
    RetryPolicy,
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
)
from temporalio.exceptions import ApplicationError

from activities.errors import fault_told as fault_told  # for the commands as well
from desk.contracts.agents.config import RetryConfig, RunPolicy
from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.names import FailureType
from desk.runs.assignments import call_allowance

HEARTBEAT_TIMEOUT = timedelta(seconds=1.5)
"""A killed worker is noticed within this time; activities beat about four times as often."""

PAID_HEARTBEAT_TIMEOUT = timedelta(seconds=15)
"""The same for a call that is paid for: a worker that is held up for ten seconds keeps its answer,
its last beat being up to a second old by then."""

TASK_TIMEOUT = timedelta(seconds=2)
"""How long a killed worker can hold a workflow task, for children."""

LONGEST_ERROR = 1_000
"""An error is told to the agent and kept in history: what happened, not every detail of it."""

WEEK = SearchAttributeKey.for_keyword(SearchAttribute.RESEARCH_WEEK)
MARKET = SearchAttributeKey.for_keyword(SearchAttribute.MARKET)
PHASE = SearchAttributeKey.for_keyword(SearchAttribute.PHASE)
OUTCOME = SearchAttributeKey.for_keyword(SearchAttribute.OUTCOME)
REVISION = SearchAttributeKey.for_int(SearchAttribute.REVISION)
SCHEDULED_START = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


class ActivityBounds(TypedDict):
    """What every activity call has: an end, a retry policy, a priority."""

    start_to_close_timeout: timedelta
    schedule_to_close_timeout: timedelta
    heartbeat_timeout: timedelta
    retry_policy: RetryPolicy
    priority: Priority


def retry_policy(retries: RetryConfig) -> RetryPolicy:
    """Bounded retries. A payload too large stays too large, and is not tried again."""
    return RetryPolicy(
        initial_interval=retries.first_pause,
        maximum_interval=retries.longest_pause,
        maximum_attempts=retries.max_attempts,
        non_retryable_error_types=["PayloadsTooLarge"],
    )


def patient_retry_policy(retries: RetryConfig) -> RetryPolicy:
    """Retries without a count, for what is bounded by its deadline alone."""
    return replace(retry_policy(retries), maximum_attempts=0)


def priority(level: int, market: str | None = None) -> Priority:
    """The desk's priority, which counts as Temporal's does; markets share a queue fairly."""
    return Priority(priority_key=level, fairness_key=market)


def task_bounds(
    assignment: TaskAssignment,
    policy: RunPolicy,
    one_attempt: timedelta,
    until: datetime | None = None,
    *,
    paid: bool = False,
) -> ActivityBounds:
    """Every activity of an agent's task ends by the task's deadline, or `until` then, whatever is
    left to try. One that is `paid` for is not given up on for a worker that is held up a while."""
    market = assignment.market.market if assignment.market else None
    return {
        "start_to_close_timeout": one_attempt,
        "schedule_to_close_timeout": call_allowance(until or assignment.deadline, workflow.now()),
        "heartbeat_timeout": PAID_HEARTBEAT_TIMEOUT if paid else HEARTBEAT_TIMEOUT,
        "retry_policy": retry_policy(policy.retries),
        "priority": priority(assignment.priority, market),
    }


def desk_bounds(policy: RunPolicy) -> ActivityBounds:
    """The options of an activity that asks no source and no model: it is retried until it is done,
    within the time of a task."""
    return {
        "start_to_close_timeout": policy.deadlines.turn,
        "schedule_to_close_timeout": policy.deadlines.task,
        "heartbeat_timeout": HEARTBEAT_TIMEOUT,
        "retry_policy": patient_retry_policy(policy.retries),
        "priority": priority(1),
    }


def told_as(assignment: TaskAssignment) -> str:
    """A task as errors name it, with the week where it is a week's."""
    return assignment.task_id if assignment.query else f"{assignment.task_id}, {assignment.week}"


def unusable(words: str) -> ApplicationError:
    """The error that ends a run whose request cannot be used; the message says what to ask
    instead."""
    return ApplicationError(words, type=FailureType.UNUSABLE_REQUEST, non_retryable=True)


def cause(error: BaseException) -> str:
    """The innermost message, which is the one that says what happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error) or type(error).__name__)[:LONGEST_ERROR]


def run_attributes(
    market: str | None, *, week: str | None = None, phase: Phase
) -> TypedSearchAttributes:
    """What a workflow can be found by from its first event: its market, where it is about one, and
    its week, where it is part of one."""
    pairs: list[SearchAttributePair[Any]] = [SearchAttributePair(PHASE, phase)]
    if market is not None:
        pairs.append(SearchAttributePair(MARKET, market))
    if week is not None:
        pairs.append(SearchAttributePair(WEEK, week))
    return TypedSearchAttributes(pairs)


def note_outcome(outcome: Outcome) -> None:
    """Sets the search attribute by which a finished run is found: its outcome."""
    workflow.upsert_search_attributes([OUTCOME.value_set(outcome), PHASE.value_set(Phase.CLOSED)])


def note_phase(phase: Phase) -> None:
    """Make a run findable by where it stands."""
    workflow.upsert_search_attributes([PHASE.value_set(phase)])
