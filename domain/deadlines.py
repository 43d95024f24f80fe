"""How much time is left, and how it bounds a call."""

from datetime import datetime, timedelta

SHORTEST = timedelta(milliseconds=1)


def time_left(deadline: datetime, now: datetime) -> timedelta:
    """The time until a deadline; zero once it has passed."""
    return max(deadline - now, timedelta(0))


def call_allowance(deadline: datetime, now: datetime) -> timedelta:
    """The time one call may take, retries included: what is left, and never zero.

    Temporal reads a zero `schedule_to_close` as no limit, which is the opposite of a deadline
    that has passed.
    """
    return max(time_left(deadline, now), SHORTEST)
