"""A policy rate over a span, as the steps of a chart line."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

Point = tuple[date, Decimal]
"""A day, and the rate in force on it, in percent a year."""


def rate_steps(
    changes: Iterable[Point], month_ends: Iterable[Point], first: date, last: date
) -> tuple[Point, ...]:
    """The rate from `first` to `last`: its first known point, each change, and the end.

    `changes` are the days from which rates applied. `month_ends` cover the time before the first of
    them; a change between two of those is dated to the later one. Nothing is drawn for the time
    before the rate is known. Empty without any rate in the span.
    """
    known = dict(changes)
    reached = min(known, default=last)
    known = {day: rate for day, rate in month_ends if day < reached} | known
    points = sorted(point for point in known.items() if point[0] <= last)
    before = [rate for day, rate in points if day <= first]
    within = [point for point in points if point[0] > first]
    steps = [(first, before[-1]), *within] if before else within
    steps_kept = [point for at, point in enumerate(steps) if not at or steps[at - 1][1] != point[1]]
    return (*steps_kept, (last, steps_kept[-1][1])) if steps_kept else ()
