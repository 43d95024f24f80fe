"""The central banks by area, as the desk's tables name them."""

from collections.abc import Iterable, Mapping
from typing import Final

from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRates,
    RateDecisions,
    SourceResult,
)
from desk.contracts.markets import AreaCode

BANKS: Final[Mapping[AreaCode, str]] = {
    "AU": "Reserve Bank of Australia",
    "CA": "Bank of Canada",
    "CH": "Swiss National Bank",
    "CN": "People's Bank of China",
    "GB": "Bank of England",
    "HK": "Hong Kong Monetary Authority",
    "ID": "Bank Indonesia",
    "IN": "Reserve Bank of India",
    "JP": "Bank of Japan",
    "KR": "Bank of Korea",
    "MY": "Bank Negara Malaysia",
    "NO": "Norges Bank",
    "NZ": "Reserve Bank of New Zealand",
    "PH": "Bangko Sentral ng Pilipinas",
    "SE": "Sveriges Riksbank",
    "SG": "Monetary Authority of Singapore",
    "TH": "Bank of Thailand",
    "TW": "Central Bank of the Republic of China (Taiwan)",
    "US": "Federal Reserve",
    "XM": "European Central Bank",
}


def known_banks(answers: Iterable[SourceResult]) -> dict[AreaCode, str]:
    """The banks by area, as the answers name them where they do."""
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
