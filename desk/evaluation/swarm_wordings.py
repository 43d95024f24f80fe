"""How people ask whether something is true of a market. No other part of the project reads these:
the forms of objectives have their own wordings.

Each kind has two lists. Seeds below `SEALED_FROM` draw from the first, which may be looked at
during development; seeds from there on draw from the second, which is looked at once.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SEALED_FROM: Final = 1_000

NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "EUR/USD": ("EUR/USD", "the euro", "EURUSD"),
        "GBP/USD": ("GBP/USD", "sterling", "the pound"),
        "AUD/USD": ("AUD/USD", "the Aussie", "the Australian dollar"),
        "NZD/USD": ("NZD/USD", "the kiwi", "the New Zealand dollar"),
        "USD/JPY": ("USD/JPY", "the dollar against the yen"),
        "USD/CHF": ("USD/CHF", "the dollar against the franc"),
        "USD/CAD": ("USD/CAD", "the dollar against the loonie"),
        "EUR/JPY": ("EUR/JPY", "the euro against the yen"),
        "EUR/GBP": ("EUR/GBP", "the euro against sterling"),
        "AUD/NZD": ("AUD/NZD", "the Aussie against the kiwi"),
    }
)
"""Names of a pair in questions about its first currency."""

WORDINGS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = MappingProxyType(
    {
        "overbought": (
            ("Has {} run too hot?", "Has {} gone up too far too fast?", "Is {} stretched on RSI?"),
            ("Is the rally in {} overextended?", "Does {} look toppy on momentum?"),
        ),
        "oversold": (
            ("Has {} been beaten down too hard?", "Is {} washed out?"),
            ("Has the selling in {} gone too far?", "Is {} due a bounce because it is oversold?"),
        ),
        "uptrend": (
            ("Is {} heading north?", "Is {} still in a bull trend?"),
            ("Is {} trading above its long-run averages?", "Is the trend in {} up?"),
        ),
        "downtrend": (
            ("Is {} heading south?", "Is {} stuck in a bear trend?"),
            ("Is {} trading below its long-run averages?", "Is the trend in {} down?"),
        ),
        "carry": (
            ("Does sitting in {} pay decently?", "Is the carry in {} worth having?"),
            ("Do I get paid enough interest to hold {}?", "Is {} a good carry trade?"),
        ),
        "gained": (
            ("Has {} climbed these last three months?", "Did {} have a strong quarter?"),
            ("Has {} appreciated since last quarter?", "Is {} up over the past three months?"),
        ),
        "lost": (
            ("Has {} slid these last three months?", "Did {} have a poor quarter?"),
            ("Has {} depreciated since last quarter?", "Is {} down over the past three months?"),
        ),
        "breakout": (
            ("Did {} leave its three-month range?", "Has {} broken out?"),
            ("Is {} making new quarterly extremes?", "Has {} escaped its recent range?"),
        ),
        "none": (
            (
                "What would an election do to {}?",
                "Who is selling {} this month?",
                "Would new tariffs hurt {}?",
            ),
            (
                "Why do hedge funds dislike {}?",
                "Does {} hurt exporters?",
                "How would a war in Taiwan hit {}?",
            ),
        ),
    }
)
"""By form; the wordings of `none` ask for what no figure of the desk decides."""


def wordings_of(form: str, seed: int) -> tuple[str, ...]:
    """Returns the wordings that a seed draws from."""
    return WORDINGS[form][seed >= SEALED_FROM]
