"""How much time is left, and how it bounds a node's work, a call and an answer."""

from datetime import datetime, timedelta

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.question.graph import NodeSpec

SHORTEST = timedelta(milliseconds=1)

MODEL_SHARE = 0.8
"""The part of a task's time that a model has; the rest is for the built-in analyst."""

TAKEOVER_SHARE = 0.3
"""The part of a task's time that is kept for the agent that takes it over."""

CALLS_SHARE = 0.8
"""The part of the time left that a call of a tool may take; the agent that asked has the rest."""

MARGIN = timedelta(seconds=30)
"""What is kept free between the last moment of an answer and the report that waits for it."""


def time_left(deadline: datetime, now: datetime) -> timedelta:
    """The time until a deadline; zero once it has passed."""
    return max(deadline - now, timedelta(0))


def call_allowance(deadline: datetime, now: datetime) -> timedelta:
    """The time one call may take, retries included: what is left, and never zero.

    Temporal reads a zero `schedule_to_close` as no limit, which is the opposite of a deadline
    that has passed.
    """
    return max(time_left(deadline, now), SHORTEST)


def share_of(allowed: timedelta, sources: int) -> timedelta:
    """What the first of some sources may take of the time there is for all of them, and for what
    is made of their answers."""
    return max(allowed * CALLS_SHARE / sources, SHORTEST)


def node_deadline(
    now: datetime, run_deadline: datetime, node: NodeSpec, deadlines: DeadlineConfig
) -> datetime:
    """Until when a node may work: for its own time, and at most until the run's deadline. Each has
    the time of one turn all the same, so that what was found is put together in the end, and a run
    that is taken back to a node after its deadline goes on."""
    allowed = node.timeout or deadlines.task
    return max(min(now + allowed, run_deadline), now + min(allowed, deadlines.turn))


def works_until(now: datetime, deadline: datetime) -> datetime:
    """Until when an agent may work on a task that another would take over from it."""
    return now + time_left(deadline, now) * (1 - TAKEOVER_SHARE)


def model_works_until(now: datetime, deadline: datetime) -> datetime:
    """Until when a model may work on a task, so that another agent can still do it after it."""
    return now + time_left(deadline, now) * MODEL_SHARE


def answer_due(now: datetime, allowed: timedelta, report_due: datetime) -> datetime:
    """The instant until which a person may answer: as late as is allowed, but shortly before the
    report is due. Not after `now` if there is no time to ask."""
    return min(now + allowed, report_due - MARGIN)


def reminder_due(now: datetime, after: timedelta, deadline: datetime) -> datetime:
    """When a person is reminded: after that span, or half way where the deadline comes first."""
    due = now + after
    return due if due < deadline else now + (deadline - now) / 2
