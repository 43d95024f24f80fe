"""The English names of currencies, from the Unicode CLDR through Babel, and from `aliases`.

Babel takes about 70 ms at its first use, so workflow code does not call this.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from babel import Locale
from babel.numbers import get_currency_name

from desk.analytics.names.aliases import ALSO_CALLED, COUNTRIES
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.markets import AREAS

QUOTING_ORDER: Final = (
    *("EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF", "NOK", "SEK", "CNY", "HKD"),
    *("SGD", "KRW", "INR", "IDR", "THB", "MYR", "PHP", "DKK", "BGN", "BRL", "CYP"),
    *("CZK", "EEK", "HRK", "HUF", "ILS", "ISK", "LTL", "LVL", "MTL", "MXN", "PLN"),
    *("ROL", "RON", "RUB", "SIT", "SKK", "TRL", "TRY", "ZAR", "JPY"),
)
"""The ECB's reference currencies in the market's order of quotation: the earlier one of a pair is
the base. The desk's currencies come before the others, and the yen is always last."""


_RANK: Final = {code: rank for rank, code in enumerate(QUOTING_ORDER)}


def quoted_as(one: str, other: str) -> str:
    """The symbol of a pair as the market quotes it. Unknown currencies are never the base."""
    base, quote = sorted((one, other), key=lambda code: (_RANK.get(code, len(_RANK)), code))
    return f"{base}/{quote}"


@cache
def currency_name(code: str) -> str:
    """A currency's English name within a sentence: `US dollar`, `Swiss franc`. The code itself if
    there is no name."""
    return get_currency_name(code, 1, "en")


def names_of(code: str) -> tuple[str, ...]:
    """All English names of a currency, the CLDR's first."""
    return (currency_name(code), *ALSO_CALLED.get(code, ()))


@cache
def currency_codes() -> frozenset[str]:
    """All codes of currencies, of today and of the past, that the CLDR has a name for."""
    return frozenset(Locale("en").currencies)


@cache
def home_of(code: str) -> str:
    """The English name of the country whose currency it is or was. Empty for the euro."""
    if code == "EUR":
        return ""
    country: str = Locale("en").territories.get(code[:2], "")
    return country.removesuffix(" SAR China")


def country_of(area: str) -> str:
    """The English name of a central bank's area: `Japan`, `euro area`; its code if it has none."""
    return "euro area" if area == AREAS["EUR"] else home_of(area) or area


def names_of_market(market: str) -> tuple[str, ...]:
    """The names by which a reader may refer to a market: its currencies, or that of its area, with
    their countries and central banks. Empty for a market that is neither a pair nor an area."""
    of_area = [code for code, area in AREAS.items() if area == market]
    codes = of_area or [code for code in market.split("/") if code in (*AREAS, *_RANK)]
    return tuple(dict.fromkeys(name for code in codes for name in _with_its_country(code) if name))


def _with_its_country(code: str) -> Iterator[str]:
    area = AREAS.get(code, "")
    yield from (code, *names_of(code), home_of(code), *COUNTRIES.get(area, ()))
    if (bank := CENTRAL_BANKS.get(area)) is not None:
        yield from (bank.name, *bank.also_called)


@cache
def currency_words() -> frozenset[str]:
    """The last word of each currency's English name, in lower case: `yen`, `dollar`, `won`."""
    return frozenset(currency_name(code).split()[-1].lower() for code in AREAS)
