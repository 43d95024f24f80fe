"""What analysts remark of a policy rate that is not known to the end.

A page that tells such a gap for all banks at once knows by these words where not to tell it again.
"""

from datetime import date

from desk.analytics.figures import print_full_day
from desk.contracts.findings.source_results import PolicyRate


def without_calendar(area: str, reason: str) -> str:
    """That no decision days of an area's bank are on record, and why."""
    return f"{area}: no decision calendar: {reason}"


def without_outcome(area: str, bank: str, day: date) -> str:
    """That a bank was to decide, and no source has what it decided."""
    return f"{area}: the outcome of {bank} of {print_full_day(day)} is not in the source"


def known_until(rate: PolicyRate) -> str:
    """Up to which day the changes of a rate are known."""
    until = print_full_day(rate.covered_until) if rate.covered_until else "an unknown day"
    return f"{rate.area}: the policy rate is known up to {until}; a later change is not in it"
