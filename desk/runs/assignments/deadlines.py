"""Computes how much time is left, and divides it between agents, calls and answers."""

from datetime import datetime, timedelta

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.question.graph import NodeSpec

SHORTEST = timedelta(milliseconds=1)

MODEL_SHARE = 0.8
"""The share of a task's time that a model has. The rest is for the built-in analyst."""

TAKEOVER_SHARE = 0.3
"""The share of a task's time that is reserved for an agent that takes it over."""

CALLS_SHARE = 0.8
"""The share of the remaining time that a tool call may take. The rest is for the agent that
called."""

MARGIN = timedelta(seconds=30)
"""The time between the last possible answer of a person and the report that waits for it."""


def time_left(deadline: datetime, now: datetime) -> timedelta:
    """Returns the time until a deadline; zero once it has passed."""
    return max(deadline - now, timedelta(0))


def call_allowance(deadline: datetime, now: datetime) -> timedelta:
    """Returns the time that one call may take, retries included; always more than zero.

    Temporal reads a zero `schedule_to_close` as unlimited, but here zero means that the deadline
    has passed.
    """
    return max(time_left(deadline, now), SHORTEST)


def share_of(allowed: timedelta, sources: int) -> timedelta:
    """Returns the part of the time for several sources that the first of them may take. Part of it
    is left for the agent."""
    return max(allowed * CALLS_SHARE / sources, SHORTEST)


def node_deadline(
    now: datetime, run_deadline: datetime, node: NodeSpec, deadlines: DeadlineConfig
) -> datetime:
    """Returns the deadline of a node: its own time, at most until the run's deadline, but always
    the time of one turn. So a run that is past its deadline can still put together what was
    found."""
    allowed = node.timeout or deadlines.task
    return max(min(now + allowed, run_deadline), now + min(allowed, deadlines.turn))


def works_until(now: datetime, deadline: datetime) -> datetime:
    """Returns the deadline of an agent whose task another agent would take over."""
    return now + time_left(deadline, now) * (1 - TAKEOVER_SHARE)


def model_works_until(now: datetime, deadline: datetime) -> datetime:
    """Returns the deadline of a model, which leaves the built-in analyst time for the task."""
    return now + time_left(deadline, now) * MODEL_SHARE


def answer_due(now: datetime, allowed: timedelta, report_due: datetime) -> datetime:
    """Returns until when a person may answer: for the time `allowed`, but until shortly before the
    report is due. Not after `now` if there is no time to ask."""
    return min(now + allowed, report_due - MARGIN)


def reminder_due(now: datetime, after: timedelta, deadline: datetime) -> datetime:
    """Returns when a person is reminded: after the given span, or half-way to the deadline if that
    is earlier."""
    due = now + after
    return due if due < deadline else now + (deadline - now) / 2
