"""A policy rate over a span as the steps of a line."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

Point = tuple[date, Decimal]
"""A day, and the rate in force on it, percent a year."""


def rate_steps(
    changes: Iterable[Point], month_ends: Iterable[Point], first: date, last: date
) -> tuple[Point, ...]:
    """The rate from `first` to `last`: where it begins to be known, each change, and its end.

    `changes` are the days from which rates held. `month_ends` tell of the time before the first
    of them; a change between two of those is taken to be of the later one's day. Nothing is drawn
    for the time of which nobody knows the rate; empty without any rate in the span.
    """
    known = dict(changes)
    reached = min(known, default=last)
    known = {day: rate for day, rate in month_ends if day < reached} | known
    points = sorted(point for point in known.items() if point[0] <= last)
    before = [rate for day, rate in points if day <= first]
    within = [point for point in points if point[0] > first]
    steps = [(first, before[-1]), *within] if before else within
    kept = [point for at, point in enumerate(steps) if not at or steps[at - 1][1] != point[1]]
    return (*kept, (last, kept[-1][1])) if kept else ()
