"""What currencies are called: by the Unicode CLDR as Babel has it, and as `spoken` has it besides.

Babel takes some 70 ms when it is first asked, so workflow code does not import this.
"""

from functools import cache
from typing import Final

from babel import Locale
from babel.numbers import get_currency_name

from desk.analytics.names.markets import AREAS
from desk.analytics.names.spoken import ALSO_CALLED

QUOTING_ORDER: Final = (
    *("EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF", "NOK", "SEK", "CNY", "HKD"),
    *("SGD", "KRW", "INR", "IDR", "THB", "MYR", "PHP", "DKK", "BGN", "BRL", "CYP"),
    *("CZK", "EEK", "HRK", "HUF", "ILS", "ISK", "LTL", "LVL", "MTL", "MXN", "PLN"),
    *("ROL", "RON", "RUB", "SIT", "SKK", "TRL", "TRY", "ZAR", "JPY"),
)
"""The ECB's reference currencies as the market quotes them: of a pair the earlier here
is the base. The desk's currencies stand before the others, and the yen is always last."""


_RANK: Final = {code: rank for rank, code in enumerate(QUOTING_ORDER)}


def quoted_as(one: str, other: str) -> str:
    """The symbol of a pair the way the market quotes it; unknown currencies are never the base."""
    base, quote = sorted((one, other), key=lambda code: (_RANK.get(code, len(_RANK)), code))
    return f"{base}/{quote}"


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
