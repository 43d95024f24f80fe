"""Finds the currencies that a text refers to by a country, its adjective or its central bank.

A currency's country is the one whose ISO 3166 code begins its ISO 4217 code, if it is legal tender
there today; for the euro, every country that has it. Names of countries come from the Unicode CLDR,
through Babel: the country's name, the language that is native there and official in no other of
them (Korean, Thai), and the adjective in the currency's name (Philippine peso). The desk's own
tables add further names and banks.

Babel takes about 70 ms at its first use, so workflow code does not import this.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final, NamedTuple

from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from babel.numbers import get_territory_currencies

from desk.analytics.names.aliases import COUNTRIES
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import QUOTING_ORDER, currency_name
from desk.analytics.names.markets import AREAS

EURO: Final = "EUR"

SHORT: Final = 4
"""Names with fewer letters are abbreviations, and are case-sensitive: `US` is not `us`."""

_BEHIND_AN_ARTICLE: Final = frozenset({"US", "UK"})
"""Abbreviations that also count in lower case after an article: `the us` is not a pronoun."""


class CountryNaming(NamedTuple):
    """A currency that a text refers to by its country, with the position."""

    code: str
    start: int
    end: int


def countries_named(text: str, codes: Collection[str]) -> tuple[CountryNaming, ...]:
    """The currencies among `codes` whose countries or central banks a text names, in order."""
    found = (
        CountryNaming(code, match.start(), match.end())
        for code, names in _patterns().items()
        if code in codes
        for match in names.finditer(text)
    )
    chosen: list[CountryNaming] = []
    for naming in sorted(found, key=lambda each: (each.start, -each.end)):
        if not chosen or naming.start >= chosen[-1].end:
            chosen.append(naming)
    return tuple(chosen)


def with_countries_as(sign: str, text: str) -> str:
    """Replaces each country's name, and its genitive, by a placeholder."""
    for naming in reversed(countries_named(text, QUOTING_ORDER)):
        rest = re.sub(r"^['’]s\b", "", text[naming.end :])
        text = f"{text[: naming.start]}{sign}{rest}"
    return text


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {code: _any_of(sorted(_names_of(code), key=len)[::-1]) for code in QUOTING_ORDER}


def _any_of(names: list[str]) -> re.Pattern[str]:
    """Matches any of some names. Full names also match as people (`the Norwegians`) and as a
    genitive without its apostrophe (`koreas`)."""
    patterns = [
        re.escape(name) if len(name) < SHORT else rf"(?i:{re.escape(name)}s?)"
        for name in names
        if len(name) > 1
    ]
    patterns += [rf"(?<=\b[Tt]he\s){n.lower()}" for n in names if n in _BEHIND_AN_ARTICLE]
    return re.compile(rf"\b(?:{'|'.join(patterns) or '(?!)'})(?!\w)")


def _names_of(code: str) -> set[str]:
    """The English names of a currency's country, its people and its central bank."""
    names = {*COUNTRIES.get(AREAS.get(code, ""), ())}
    if (bank := CENTRAL_BANKS.get(AREAS.get(code, ""))) is not None:
        names |= {bank.name, *bank.also_called}
    for territory in _territories(code):
        names |= {_english(territory), *_languages(territory)}
    *before, _ = currency_name(code).split() if _territories(code) else ("",)
    return (names | {" ".join(before)}) - {""}


@cache
def _territories(code: str) -> tuple[str, ...]:
    if code != EURO:
        return (code[:2],) if code in get_territory_currencies(code[:2]) else ()
    every = (f"{name}" for name in Locale("en").territories)
    codes = (name for name in every if name.isalpha() and len(name) == 2)
    return tuple(name for name in codes if get_territory_currencies(name) == [EURO])


def _english(territory: str) -> str:
    name: str = Locale("en").territories.get(territory, "")
    return name.removesuffix(" SAR China")


def _languages(territory: str) -> Iterator[str]:
    """The languages that are native to a country and official in no other of these."""
    for language in get_official_languages(territory, de_facto=True):
        home = get_global("likely_subtags").get(language, "").rpartition("_")[2]
        if home == territory and _countries_by_language()[language] == 1:
            yield Locale("en").languages.get(language, "")


@cache
def _countries_by_language() -> Counter[str]:
    """The number of currency areas in which each language is official."""
    return Counter(
        language
        for code in QUOTING_ORDER
        for language in {
            language
            for territory in _territories(code)
            for language in get_official_languages(territory, de_facto=True)
        }
    )
