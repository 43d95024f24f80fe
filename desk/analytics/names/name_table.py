"""The table of all names that a text may call a currency, its country or its central bank by.

Names of currencies and countries come from the Unicode CLDR, through Babel: a currency's name, the
country's name, the language that is native there and official in no other of them (Korean, Thai),
and the adjective in the currency's name (Philippine peso). `aliases` and `central_banks` add the
market's own. A currency's country is the one whose ISO 3166 code begins its ISO 4217 code, if it is
legal tender there today; for the euro, every country that has it.

Babel takes about 70 ms at its first use, so workflow code does not call this.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from babel.numbers import get_currency_name, get_territory_currencies

from desk.analytics.names.aliases import (
    ALSO_CALLED,
    BANKS_CALLED_TOGETHER,
    CALLED_TOGETHER,
    COUNTRIES,
    GOVERNMENT_BONDS,
    PAIRS_CALLED,
    SEATS,
)
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import QUOTING_ORDER, currency_name, home_of
from desk.analytics.names.markets import AREAS, DOLLAR

EURO: Final = "EUR"

_ABBREVIATED: Final = 4
"""Names of countries with fewer letters are abbreviations and count only as written: `US` is not
`us`."""

_BEHIND_AN_ARTICLE: Final = frozenset({"US", "UK"})
"""Abbreviations that also count in lower case after an article: `the us` is not a pronoun."""

_ABBREVIATIONS_ALSO_WORDS: Final = frozenset({"Fed", "BoT", "BOT", "OAT", "OATs"})
"""Abbreviations that are also English words, and count only as written. Those of banks also count
in any letters after an article."""

CODES: Final = tuple(dict.fromkeys((*QUOTING_ORDER, *AREAS)))
"""The currencies that the ECB quotes or whose central bank the desk knows."""

FIRST_WORD: Final = re.compile(r"\b[^\W\d_]+")


class NamedAs(StrEnum):
    """How a text refers to a currency's economy."""

    CURRENCY = "currency"
    BANK = "bank"
    COUNTRY = "country"
    BONDS = "government bonds"
    SEAT = "seat of the central bank"


class Meaning(NamedTuple):
    """What a name refers to: the codes of one currency or of several, and the pair if it is one.
    `others` are the other currencies that a shared name may refer to. A name that is `exact` counts
    only as written here, one `after_article` only behind `the`, and one that is `asked_only` in
    questions: prose names peoples and parts of a currency area also where no figure is theirs."""

    kind: NamedAs
    codes: tuple[str, ...]
    written: str
    others: tuple[str, ...] = ()
    pair: str | None = None
    exact: bool = False
    after_article: bool = False
    asked_only: bool = False

    @property
    def counts_anywhere(self) -> bool:
        """Whether the name counts in any letters and at any place."""
        return not (self.exact or self.after_article)


def key_of(text: str) -> str:
    """A text in lower case and without accents. Each letter keeps its position."""
    if not text.isascii():
        text = "".join(unicodedata.normalize("NFD", sign)[0] for sign in text.replace("’", "'"))
    return text.lower()


@cache
def meanings() -> Mapping[str, tuple[Meaning, ...]]:
    """What each name (`key_of`) refers to. Of one kind, meanings that depend on the letters or on
    an article come before the one that does not."""
    table: dict[str, list[Meaning]] = {}
    for meaning in (*_together(), *_currencies(), *_banks(), *_countries(), *_bonds_and_seats()):
        known = table.setdefault(key_of(meaning.written), [])
        if not any(each.kind is meaning.kind and each.counts_anywhere for each in known):
            known.append(meaning)
    return {key: tuple(known) for key, known in table.items()}


@cache
def names_by_first_word() -> Mapping[str, tuple[str, ...]]:
    """The names that begin with each word, the longest first."""
    names: dict[str, list[str]] = {}
    for key in sorted(meanings(), key=len, reverse=True):
        names.setdefault(FIRST_WORD.findall(key)[0], []).append(key)
    return {word: tuple(keys) for word, keys in names.items()}


def _together() -> Iterator[Meaning]:
    for called, pair in PAIRS_CALLED.items():
        yield Meaning(NamedAs.CURRENCY, tuple(pair.split("/")), called, pair=pair)
    for called, codes in CALLED_TOGETHER.items():
        yield Meaning(NamedAs.CURRENCY, codes, called)
    for called, codes in BANKS_CALLED_TOGETHER.items():
        yield Meaning(NamedAs.BANK, codes, called)


def _currencies() -> Iterator[Meaning]:
    """The names of all currencies. Of two meanings of one name the first counts."""
    for code in CODES:
        yield Meaning(NamedAs.CURRENCY, (code,), code, exact=code not in AREAS)
    every = sorted({*codes_in_use(), *CODES}, reverse=True)
    named = [(code, name) for code in every for name in _full_names(code)]
    units = [*_units(code for code in CODES if code in codes_in_use())]
    # A unit with the same plural, such as yen, may have the s of a genitive without apostrophe.
    plural = [(f"{unit}s", codes) for unit, codes in units]
    yield from (_currency(name, code) for code, name in named if " " in name)
    yield from (_currency(unit, *codes) for unit, codes in (*units, *plural))
    yield from (_currency(tail, code) for code in every for tail in _tails(code))
    yield from (_currency(name, code) for code, name in named if " " not in name)


def _currency(written: str, code: str, *others: str) -> Meaning:
    return Meaning(NamedAs.CURRENCY, (code,), written, others)


def _full_names(code: str) -> Iterator[str]:
    for name in (*ALSO_CALLED.get(code, ()), *_forms(code), *_at_home(code)):
        yield from (name, f"{name}s")


def _units(codes: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The last words of the names of currencies, each with the currency it means by default and the
    others. The dollar has no others: the desk's pairs are quoted against it."""
    sharing: dict[str, dict[str, None]] = {}
    for code in codes:
        for form in _forms(code):
            sharing.setdefault(key_of(form.split()[-1]), {})[code] = None
    for unit, shared in sharing.items():
        called = (c for c in shared if unit.removesuffix("s") in ALSO_CALLED.get(c, ()))
        code = DOLLAR if DOLLAR in shared else next(called, next(iter(shared)))
        yield unit, (code, *(each for each in shared if code not in (each, DOLLAR)))


def _tails(code: str) -> Iterator[str]:
    """The last two words of a longer name, such as `CFA franc`."""
    for form in _forms(code):
        if len(words := form.split()) > 2:
            yield " ".join(words[-2:])


def _at_home(code: str) -> Iterator[str]:
    """`Mexico's peso`, if it is legal tender in the country that its code begins with."""
    if (country := _english(code[:2])) and code in get_territory_currencies(code[:2]):
        yield from (f"{country}'s {form.split()[-1]}" for form in _forms(code))


def _forms(code: str) -> tuple[str, str]:
    """A currency's English name, singular and plural."""
    return get_currency_name(code, 1, "en"), get_currency_name(code, 2, "en")


@cache
def codes_in_use() -> frozenset[str]:
    """The currencies that are legal tender somewhere today."""
    return frozenset(code for name in _countries_of_today() for code in _tender(name))


def _banks() -> Iterator[Meaning]:
    for code, area in AREAS.items():
        bank = CENTRAL_BANKS[area]
        for called in (bank.name, *bank.also_called):
            name = called.removeprefix("the ")
            yield Meaning(NamedAs.BANK, (code,), name, exact=name in _ABBREVIATIONS_ALSO_WORDS)
            if name in _ABBREVIATIONS_ALSO_WORDS:
                yield Meaning(NamedAs.BANK, (code,), f"the {name}")


def _bonds_and_seats() -> Iterator[Meaning]:
    for kind, names in ((NamedAs.BONDS, GOVERNMENT_BONDS), (NamedAs.SEAT, SEATS)):
        for code, area in AREAS.items():
            for called in names.get(area, ()):
                yield Meaning(kind, (code,), called, exact=called in _ABBREVIATIONS_ALSO_WORDS)


def _countries() -> Iterator[Meaning]:
    """The names of countries and of their people. Full names also count as people (`the
    Norwegians`) and as a genitive without its apostrophe (`koreas`)."""
    for code in CODES:
        own = {home_of(code), *COUNTRIES.get(AREAS.get(code, ""), ())}
        for name in _names_of_country(code):
            short, asked = len(name) < _ABBREVIATED, name not in own
            yield Meaning(NamedAs.COUNTRY, (code,), name, exact=short, asked_only=asked)
            if not short:
                yield Meaning(NamedAs.COUNTRY, (code,), f"{name}s", asked_only=True)
            if name in _BEHIND_AN_ARTICLE:
                yield Meaning(NamedAs.COUNTRY, (code,), name, after_article=True, asked_only=True)


def _names_of_country(code: str) -> tuple[str, ...]:
    names = [*COUNTRIES.get(AREAS.get(code, ""), ())]
    for territory in _territories(code):
        names += (_english(territory), *_languages(territory))
    if _territories(code):
        names.append(" ".join(currency_name(code).split()[:-1]))
    return tuple(name for name in dict.fromkeys(names) if len(name) > 1)


@cache
def _territories(code: str) -> tuple[str, ...]:
    if code != EURO:
        return (code[:2],) if code in get_territory_currencies(code[:2]) else ()
    return tuple(name for name in _countries_of_today() if _tender(name) == [EURO])


@cache
def _countries_of_today() -> tuple[str, ...]:
    codes = (f"{name}" for name in Locale("en").territories)
    return tuple(code for code in codes if len(code) == len("US") and code.isalpha())


def _tender(territory: str) -> list[str]:
    return [f"{code}" for code in get_territory_currencies(territory)]


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
        for code in CODES
        for language in {
            language
            for territory in _territories(code)
            for language in get_official_languages(territory, de_facto=True)
        }
    )
