"""The central banks by area, with their full names and the market's other names for them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.markets import AreaCode


class CentralBank(NamedTuple):
    """A bank's English name, its other names, and whether a sentence puts `the` before it."""

    name: str
    also_called: tuple[str, ...] = ()
    has_article: bool = True


CENTRAL_BANKS: Final[Mapping[AreaCode, CentralBank]] = MappingProxyType(
    {
        "AU": CentralBank("Reserve Bank of Australia", ("RBA",)),
        "CA": CentralBank("Bank of Canada", ("BoC", "BOC")),
        "CH": CentralBank("Swiss National Bank", ("SNB", "Swiss Nationalbank")),
        "CN": CentralBank("People's Bank of China", ("PBoC", "PBOC", "PBC")),
        "GB": CentralBank("Bank of England", ("BoE", "BOE", "Old Lady")),
        "HK": CentralBank("Hong Kong Monetary Authority", ("HKMA",)),
        "ID": CentralBank("Bank Indonesia", has_article=False),
        "IN": CentralBank("Reserve Bank of India", ("RBI",)),
        "JP": CentralBank("Bank of Japan", ("BoJ", "BOJ")),
        "KR": CentralBank("Bank of Korea", ("BoK", "BOK")),
        "MY": CentralBank("Bank Negara Malaysia", ("BNM", "Bank Negara"), has_article=False),
        "NO": CentralBank("Norges Bank", ("Norges",), has_article=False),
        "NZ": CentralBank("Reserve Bank of New Zealand", ("RBNZ", "Reserve Bank of NZ")),
        "PH": CentralBank(
            "Bangko Sentral ng Pilipinas", ("BSP", "Bangko Sentral"), has_article=False
        ),
        "SE": CentralBank("Sveriges Riksbank", ("Riksbank",), has_article=False),
        "SG": CentralBank("Monetary Authority of Singapore", ("MAS",)),
        "TH": CentralBank("Bank of Thailand", ("BoT", "BOT")),
        "TW": CentralBank(
            "Central Bank of the Republic of China (Taiwan)",
            ("Central Bank of the Republic of China", "Central Bank of Taiwan"),
        ),
        "US": CentralBank(
            "Federal Reserve",
            ("the Fed", "Fed", "FOMC", "Fed funds", "Federal Open Market Committee"),
        ),
        "XM": CentralBank("European Central Bank", ("ECB",)),
    }
)

RATELESS: Final[Mapping[AreaCode, str]] = MappingProxyType(
    {"SG": "it steers the exchange rate of its currency against a basket"}
)
"""The banks that set no interest rate, with what they set instead."""


def bank_in_a_sentence(area: AreaCode) -> str:
    """The name of an area's central bank within a sentence: `the Bank of Japan`, `Norges Bank`. The
    area's code with an article if the desk has no bank for it."""
    bank = CENTRAL_BANKS.get(area)
    if bank is None:
        return f"the {area}"
    return named_in_a_sentence(bank.name)


def named_in_a_sentence(bank: str) -> str:
    """A bank's full name within a sentence: `the Federal Reserve`, `Bank Indonesia`."""
    bare = any(bank == known.name for known in CENTRAL_BANKS.values() if not known.has_article)
    return bank if bare else f"the {bank}"


def named_at_the_start(bank: str) -> str:
    """A bank's full name at the start of a sentence: `The Federal Reserve`."""
    named = named_in_a_sentence(bank)
    return f"{named[0].upper()}{named[1:]}"
