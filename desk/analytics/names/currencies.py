"""What currencies are called: by the Unicode CLDR as Babel has it, and by the market besides.

Babel takes some 70 ms when it is first asked, so workflow code does not import this.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from babel import Locale
from babel.numbers import get_currency_name

from desk.analytics.names.markets import AREAS

QUOTING_ORDER: Final = (
    *("EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF", "NOK", "SEK", "CNY", "HKD"),
    *("SGD", "KRW", "INR", "IDR", "THB", "MYR", "PHP", "DKK", "BGN", "BRL", "CYP"),
    *("CZK", "EEK", "HRK", "HUF", "ILS", "ISK", "LTL", "LVL", "MTL", "MXN", "PLN"),
    *("ROL", "RON", "RUB", "SIT", "SKK", "TRL", "TRY", "ZAR", "JPY"),
)
"""The ECB's reference currencies as the market quotes them: of a pair the earlier here
is the base. The desk's currencies stand before the others, and the yen is always last."""

ALSO_CALLED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "AUD": ("Aussie", "Aussie dollar"),
        "CAD": ("loonie",),
        "CHF": ("franc", "Swissie"),
        "CNY": ("yuan", "renminbi", "Chinese renminbi", "CNH"),
        "CZK": ("koruna",),
        "GBP": ("pound", "sterling", "pound sterling", "British pound sterling", "cable"),
        "HUF": ("forint",),
        "IDR": ("rupiah",),
        "ILS": ("shekel", "Israeli shekel"),
        "INR": ("rupee",),
        "ISK": ("Icelandic krona",),
        "JPY": ("yen",),
        "KRW": ("Korean won",),
        "MYR": ("ringgit",),
        "NOK": ("krone",),
        "NZD": ("kiwi", "kiwi dollar"),
        "PHP": ("peso",),
        "PLN": ("zloty",),
        "RUB": ("ruble", "rouble", "Russian rouble"),
        "SEK": ("krona",),
        "THB": ("baht",),
        "TRY": ("lira",),
        "TWD": ("Taiwan dollar",),
        "USD": ("dollar", "U.S. dollar", "greenback"),
        "ZAR": ("rand",),
    }
)
"""What the CLDR has not: the market's own words, and the single word that means one currency where
nothing else is said."""


@cache
def currency_name(code: str) -> str:
    """A currency's English name, as it stands within a sentence: `US dollar`, `Swiss franc`. The
    code itself where there is none."""
    return get_currency_name(code, 1, "en")


def names_of(code: str) -> tuple[str, ...]:
    """All English names of a currency, the CLDR's first."""
    return (currency_name(code), *ALSO_CALLED.get(code, ()))


@cache
def home_of(code: str) -> str:
    """The English name of the country whose currency it is or was; empty for the euro."""
    if code == "EUR":
        return ""
    country: str = Locale("en").territories.get(code[:2], "")
    return country.removesuffix(" SAR China")


@cache
def currency_words() -> frozenset[str]:
    """The last word of each currency's English name, in small letters: `yen`, `dollar`, `won`."""
    return frozenset(currency_name(code).split()[-1].lower() for code in AREAS)
