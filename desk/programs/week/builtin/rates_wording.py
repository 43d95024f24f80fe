"""Rate decisions in words, with references in place of figures."""

import re
from datetime import date
from typing import Final

from desk.analytics.prices.impact import SOON
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.source_results import (
    DatePrecision,
    PolicyRate,
    RateDecision,
    ScheduledDecision,
)
from desk.trust.prose import reference

WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip

REMARK: Final = re.compile(r",| \(")

STRAY_DIGIT: Final = re.compile(r"\d(?![\d]*-[a-z])")
"""A digit that does not belong to a name such as 1-day."""


def describe_decision(decision: RateDecision, in_a_row: Claim | None = None) -> str:
    """What a bank decided, by how much, the how-manieth in a row, and how exactly its day is
    known."""
    rate = f"[[{claim_id(decision.area, Metric.DECISION_RATE, decision.decided_on)}]]"
    change = f"[[{claim_id(decision.area, Metric.DECISION_CHANGE, decision.decided_on)}]]"
    subject = f"its {instrument_name(decision)}"
    if "midpoint" in decision.instrument:
        rate = f"a midpoint of {rate}"
    if in_a_row is not None:
        rate = f"{rate}, its {reference(in_a_row)}"
    if not decision.change:
        return f"{decision.bank} left {subject} unchanged at {rate}.{_precision(decision)}"
    verb = "raised" if decision.change > 0 else "cut"
    return f"{decision.bank} {verb} {subject} ({change}) to {rate}.{_precision(decision)}"


def describe_ahead(
    scheduled: ScheduledDecision, as_of_day: date, standing: PolicyRate | None
) -> str:
    """A decision that is yet to come, with the rate as it stands or as it was last known."""
    if scheduled.day == as_of_day:
        when = "on the day of this report"
    elif scheduled.day - as_of_day <= SOON:
        when = f"on {weekday(scheduled.day)}, within a week of this report"
    else:
        when = "more than a week after this report"
    decides = f"{scheduled.bank} is scheduled to decide on its policy rate {when}."
    if standing is None or standing.rate is None:
        return decides
    rate = f"[[{claim_id(scheduled.area, Metric.POLICY_RATE)}]]"
    stands = "The rate was last known to be" if standing.stale else "The rate stands at"
    return f"{decides} {stands} {rate}."


def describe_unresolved(scheduled: ScheduledDecision) -> str:
    """A decision day that has passed without its outcome being in the source."""
    return (
        f"{scheduled.bank} was scheduled to decide on its policy rate on"
        f" {weekday(scheduled.day)}. The outcome is not in the source yet."
    )


def describe_uneventful(scheduled: ScheduledDecision) -> str:
    """A decision day that the source covers and for which it records nothing."""
    return (
        f"{scheduled.bank} was scheduled to decide on its policy rate on"
        f" {weekday(scheduled.day)}. The source covers that day and records no change."
    )


def instrument_name(decision: RateDecision) -> str:
    """The instrument as prose can carry it: without remarks, the bank's name, or stray digits."""
    name = REMARK.split(decision.instrument, maxsplit=1)[0].removeprefix(f"{decision.bank} ")
    return "policy rate" if STRAY_DIGIT.search(name) else name


def weekday(day: date) -> str:
    """The English name of a day of the week, whatever the machine's language."""
    return WEEKDAYS[day.weekday()]


def _precision(decision: RateDecision) -> str:
    if decision.precision is DatePrecision.MONTH:
        return " The source gives the month of the decision only."
    if decision.precision is DatePrecision.EFFECTIVE:
        return " The source gives the day on which the rate took effect."
    return ""
