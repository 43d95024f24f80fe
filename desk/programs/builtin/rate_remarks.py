"""The analysts' remarks on a policy rate that is not known up to the present.

A page that states such a gap once for all banks recognises these remarks by their words, and omits
them.
"""

from datetime import date

from desk.analytics.figures import print_full_day
from desk.contracts.findings.source_results import PolicyRate


def without_calendar(area: str, reason: str) -> str:
    """Says that no decision days of an area's bank are on record, and why."""
    return f"{area}: no decision calendar: {reason}"


def without_outcome(area: str, bank: str, day: date) -> str:
    """Says that a bank was to decide, and that no source has the outcome."""
    return f"{area}: the outcome of {bank} of {print_full_day(day)} is not in the source"


def known_until(rate: PolicyRate) -> str:
    """Says up to which day the changes of a rate are known."""
    until = print_full_day(rate.covered_until) if rate.covered_until else "an unknown day"
    return f"{rate.area}: the policy rate is known up to {until}; a later change is not in it"
