"""The central banks by area, as the desk's tables name them."""

from collections.abc import Iterable, Mapping
from typing import Final

from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRates,
    RateDecisions,
    SourceResult,
)
from desk.contracts.markets import AreaCode

BANKS: Final[Mapping[AreaCode, str]] = {area: bank.name for area, bank in CENTRAL_BANKS.items()}


def known_banks(answers: Iterable[SourceResult]) -> dict[AreaCode, str]:
    """Returns the central banks' names by area: those in the answers, or else those in the desk's
    tables."""
    named: dict[AreaCode, str] = {}
    for answer in answers:
        match answer:
            case PolicyRates():
                named |= {r.area: r.bank for r in answer.rates if r.rate is not None}
            case RateDecisions():
                named |= {decision.area: decision.bank for decision in answer.decisions}
            case DecisionCalendar():
                named |= {day.area: day.bank for day in answer.scheduled}
    return {**BANKS, **named}
