"""What the markets that there are prices of are called."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from desk.sources.serving.symbol_search import EURO_REFERENCE_CURRENCIES

DOLLAR: Final = "USD"
OTHER_CROSSES: Final = ("GBP/JPY", "AUD/JPY", "NZD/JPY", "CAD/JPY", "CHF/JPY", "AUD/NZD")
"""Pairs without the dollar and the euro that are quoted by themselves."""


class Company(NamedTuple):
    """A stock's name, and a pattern of how a text speaks of it."""

    name: str
    spoken: str


COMPANIES: Final[Mapping[str, Company]] = {
    "NVDA": Company("Nvidia", r"(?i:nvidia)"),
    "AMZN": Company("Amazon", r"(?i:amazon)"),
    "MSFT": Company("Microsoft", r"(?i:microsoft)"),
    "NFLX": Company("Netflix", r"(?i:netflix)"),
    "TSLA": Company("Tesla", r"(?i:tesla)"),
    "AAPL": Company("Apple", r"Apple|apple(?='s|\s(?i:stock|shares|earnings))"),
    "IBM": Company("International Business Machines", r"(?i:international\sbusiness\smachines)"),
    "GOOG": Company("Google", r"(?i:google|alphabet(?=\s(?:inc|stock|shares)|'s))"),
    "FB": Company("Facebook", r"(?i:facebook)|Meta(?:\sPlatforms)?"),
    "^GSPC": Company("S&P 500", r"(?i:S&P(?:\s?500)?|SPX|S\sand\sP\s500)"),
    "XAUUSD=X": Company("Gold, London fixing", r"(?i:gold|bullion)|XAU(?:/?USD)?"),
}


def name_of_pair(symbol: str) -> str:
    """The names of a pair's currencies: `euro / US dollar`."""
    return " / ".join(_name(code) for code in symbol.split("/"))


def _name(code: str) -> str:
    words = EURO_REFERENCE_CURRENCIES.get(code, code).split()
    return " ".join(words[: _NAME_LENGTHS.get(code, 2)])


_NAME_LENGTHS: Final = {"EUR": 1, "NZD": 3, "HKD": 3, "KRW": 3, "ZAR": 3, "ROL": 3, "TRL": 3}
"""How many words of a search entry are the currency's name, where it is not two."""
