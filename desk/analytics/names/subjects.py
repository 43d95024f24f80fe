"""Finds the subjects that a sentence names: pairs, banks, areas and currencies."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from desk.analytics.names.aliases import (
    ALSO_CALLED,
    BANKS_CALLED_TOGETHER,
    CALLED_TOGETHER,
    COUNTRIES,
    GOVERNMENT_BONDS,
    PAIRS_CALLED,
    SEATS,
    UNITS,
    is_shared,
)
from desk.analytics.names.central_banks import CENTRAL_BANKS, bank_in_a_sentence, bank_mentions
from desk.analytics.names.countries import EURO, countries_named
from desk.analytics.names.currencies import (
    QUOTING_ORDER,
    currency_name,
    home_of,
    names_of,
    quoted_as,
)
from desk.analytics.names.currency_mentions import (
    countries_beside,
    currency_mentions,
    without_other_currencies,
)
from desk.analytics.names.markets import AREAS, DOLLAR


class NamedAs(StrEnum):
    """How a question refers to a currency's economy."""

    CURRENCY = "currency"
    BANK = "bank"
    COUNTRY = "country"
    BONDS = "government bonds"
    SEAT = "seat of the central bank"


_CURRENCY_CODES: Final = tuple(code for code in AREAS if code != DOLLAR)


def _written(names: Iterable[str]) -> str:
    return "|".join(re.escape(name).replace(r"\ ", r"\s") for name in names)


def _currency(code: str) -> str:
    return rf"(?i:{_written(names_of(code))})|{code}"


_AREAS: Final = {area: _written(names) for area, names in COUNTRIES.items()}
_BANKS: Final = {
    area: _written((bank.name, *bank.also_called)) for area, bank in CENTRAL_BANKS.items()
}


_WORDS_BESIDES: Final = frozenset({"OAT", "OATs"})
"""Names that are other words in lower case."""


def _in_any_letters(named: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {
        area: "|".join(
            re.escape(name) if name in _WORDS_BESIDES else rf"(?i:{_written((name,))})"
            for name in names
        )
        for area, names in named.items()
    }


_CURRENCIES: Final = {code: _currency(code) for code in _CURRENCY_CODES} | {
    "KRW": rf"[Tt]he\swon|{_currency('KRW')}"
}
_PAIR: Final = re.compile(r"\b(?P<base>[A-Z]{3})/(?P<quote>[A-Z]{3})\b")
_CODES: Final = "|".join(AREAS)
_QUOTED: Final = "|".join(QUOTING_ORDER)
_WRITTEN: Final = re.compile(rf"\b(?P<base>{_QUOTED})[/ -]?(?P<quote>{_QUOTED})\b", re.IGNORECASE)
_JOINED: Final = re.compile(rf"\b(?P<base>{_CODES})-?(?P<quote>{_CODES})\b")


def _any_of(names: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(f"(?P<{k}>{v})" for k, v in names.items()) + r")(?!\w)")


_BANK: Final = _any_of(_BANKS)
_AREA: Final = _any_of(_AREAS)
_BONDS: Final = _any_of(_in_any_letters(GOVERNMENT_BONDS))
_SEAT: Final = _any_of(_in_any_letters(SEATS))
_CURRENCY: Final = _any_of(_CURRENCIES)
_CALLED: Final = re.compile(rf"\b(?:{_written(PAIRS_CALLED)})(?!\w)", re.IGNORECASE)
_TOGETHER: Final = tuple(
    (kind, called, re.compile(rf"\b(?:{_written(called)})(?!\w)", re.IGNORECASE))
    for kind, called in ((NamedAs.BANK, BANKS_CALLED_TOGETHER), (NamedAs.CURRENCY, CALLED_TOGETHER))
)
_WITH_DOLLAR: Final = _any_of({**_CURRENCIES, DOLLAR: _currency(DOLLAR)})
_BESIDE: Final = re.compile(
    r"\b(?:against|versus|vs?\.?|over|to|per|with)\s(?:the\s)?$", re.IGNORECASE
)


def _asked_by(code: str) -> str:
    """Matches a currency as users ask for it: by code, by name, by its unit, and for a shared unit
    by its country."""
    names = {code, *names_of(code)}
    units = [unit for unit in UNITS.get(code, ()) if not is_shared(unit)]
    # For a shared unit the country identifies it: "the Australian", "the Swedish".
    shared = len(units) < len(UNITS.get(code, ())) and code != DOLLAR
    countries = [name for name in COUNTRIES[AREAS[code]] if len(name) > len("AU")] if shared else []
    return _written(sorted({*names, *units, *countries}, key=lambda name: (-len(name), name)))


_ASKED_FOR: Final = {
    code: re.compile(rf"(?<!/)\b(?:{_asked_by(code)})(?!\w)(?!/)", re.IGNORECASE) for code in AREAS
}
_IN_A_TITLE: Final = re.compile(
    r"\b(?:"
    + "|".join(
        sorted(
            {
                name.capitalize()
                for name in ("euro", *(name for names in ALSO_CALLED.values() for name in names))
                if name.isalpha() and name.islower()
            }
        )
    )
    + r")\b"
)
"""Names of currencies with the capital letter of a title or of a sentence's beginning."""


class Naming(NamedTuple):
    """A pair or a bank that a sentence names explicitly, with the position."""

    subject: str
    start: int


def namings(sentence: str) -> tuple[Naming, ...]:
    """The pairs and banks that a sentence names, in order. Its figures are about one of them."""
    found = [
        *(Naming(f"{m['base']}/{m['quote']}", m.start()) for m in _PAIR.finditer(sentence)),
        *(Naming(f"{m['base']}/{m['quote']}", m.start()) for m in _JOINED.finditer(sentence)),
        *(Naming(m.lastgroup or "", m.start()) for m in _BANK.finditer(sentence)),
    ]
    return tuple(sorted(found, key=lambda naming: naming.start))


def named_subjects(
    sentence: str, subjects: Iterable[str], named: Iterable[Naming]
) -> frozenset[str]:
    """The subjects that a sentence names, areas and currencies by any of their names."""
    exact = {naming.subject for naming in named}
    areas = {m.lastgroup for m in _AREA.finditer(sentence)}
    currencies = {m.lastgroup for m in _CURRENCY.finditer(sentence)}

    def is_named(subject: str) -> bool:
        if subject in exact:
            return True
        if "/" not in subject:
            return subject in areas
        return not currencies.isdisjoint(subject.split("/"))

    return frozenset(filter(is_named, subjects))


_CALLED_AS: Final = {kind: f"{kind}" for kind in NamedAs} | {
    NamedAs.BANK: "central bank",
    NamedAs.SEAT: "central bank",
}
"""The noun for each kind of subject, for people."""

KIND_NAMES: Final = tuple(_CALLED_AS.values())
"""The words that replace the subjects of a text."""

_WITH_ARTICLE: Final = frozenset({"GBP", "USD", "PHP"})
"""The currencies whose countries take an article."""


class AskedSubject(NamedTuple):
    """A currency, a central bank, a country, its bonds or the seat of its bank that a text names,
    each by the code of its currency."""

    kind: NamedAs
    code: str

    @property
    def name(self) -> str:
        """The subject within a sentence: `the Norwegian krone`, `Norges Bank`, `Norway`."""
        if self.kind is NamedAs.CURRENCY:
            return f"the {currency_name(self.code)}"
        if self.kind is NamedAs.BANK:
            return bank_in_a_sentence(AREAS[self.code])
        article = "the " if self.code in _WITH_ARTICLE else ""
        home = "the euro area" if self.code == EURO else f"{article}{home_of(self.code)}"
        return f"the government bonds of {home}" if self.kind is NamedAs.BONDS else home

    def is_covered_by(self, other: "AskedSubject") -> bool:
        """Whether text about another subject is also about this one. For a country, text about its
        bank or its currency is too."""
        return other.code == self.code and self.kind in (NamedAs.COUNTRY, other.kind)


_EURO_AREA: Final = re.compile(
    rf"\b(?:{_written(name for name in COUNTRIES[AREAS[EURO]] if 'euro' in name.casefold())})\b",
    re.IGNORECASE,
)
"""The one country whose name begins with that of its currency."""

_SMALL_FED: Final = re.compile(r"\bfed\b")
"""The bank, if the text is in lower case except for its first letter: `next fed meeting`."""

_SMALL_US: Final = re.compile(r"\bus\b")
"""The country, if the text is in lower case and also names another country or its bank. It may be
the pronoun: the answer then covers more than was asked."""


class _LocatedSubject(NamedTuple):
    """A subject that a text names, with the position."""

    start: int
    end: int
    subject: AskedSubject


def subjects_asked(text: str) -> tuple[AskedSubject, ...]:
    """The currencies, central banks, countries, government bonds and seats of central banks that a
    text names, each once and as one kind: the country within a bank's or a currency's name does not
    count."""
    return tuple(dict.fromkeys(found.subject for found in _asked(text)))


def by_their_kinds(text: str) -> str:
    """Replaces the name of each subject by its kind, so that `when does the central bank meet` is
    the same question for every bank."""
    spans = {found.start: found for found in _asked(text)}
    for start, found in sorted(spans.items(), reverse=True):
        text = f"{text[:start]}{_CALLED_AS[found.subject.kind]}{text[found.end :]}"
    return text


def speaks_of_banks(text: str) -> bool:
    """Whether a text mentions central banks without a name, such as all of them."""
    return _CALLED_AS[NamedAs.BANK] in text.casefold()


def subjects_as_written(text: str) -> str:
    """The names of a text's subjects as written, each once."""
    return ", ".join(dict.fromkeys(text[found.start : found.end] for found in _asked(text)))


def without_subjects(text: str) -> str:
    """Blanks the name of each subject."""
    for found in _asked(text):
        text = _blanked(text, found.start, found.end)
    return text


# Cached, because an answer needs the subjects of its question at least three times.
@lru_cache(maxsize=16)
def _asked(text: str) -> tuple[_LocatedSubject, ...]:
    """The subjects that a text names, in order."""
    code_of = {area: code for code, area in AREAS.items()}
    found: list[_LocatedSubject] = []
    in_small_letters = text[1:] == text[1:].lower()

    def take(start: int, end: int, kind: NamedAs, *codes: str) -> None:
        nonlocal text
        found.extend(_LocatedSubject(start, end, AskedSubject(kind, code)) for code in codes)
        text = _blanked(text, start, end)

    for bank in bank_mentions(text):
        take(bank.start, bank.end, NamedAs.BANK, code_of[bank.area])
    if in_small_letters:
        for named in _SMALL_FED.finditer(text):
            take(*named.span(), NamedAs.BANK, DOLLAR)
    for area in _EURO_AREA.finditer(text):
        take(*area.span(), NamedAs.COUNTRY, EURO)
    for pair in written_pairs(text):
        take(pair.start, pair.end, NamedAs.CURRENCY, *pair.subject.split("/"))
    for mention in (*currency_mentions(text), *countries_beside(text)):
        take(mention.start, mention.end, NamedAs.CURRENCY, mention.code)
    for kind, called, together in _TOGETHER:
        for group in together.finditer(text):
            take(*group.span(), kind, *called[group[0].lower()])
    for country in countries_named(text, QUOTING_ORDER):
        take(country.start, country.end, NamedAs.COUNTRY, country.code)
    for kind, names in ((NamedAs.BONDS, _BONDS), (NamedAs.SEAT, _SEAT)):
        for named in names.finditer(text):
            take(*named.span(), kind, code_of[named.lastgroup or ""])
    if in_small_letters and any(each.subject.kind is not NamedAs.CURRENCY for each in found):
        for named in _SMALL_US.finditer(text):
            take(*named.span(), NamedAs.COUNTRY, DOLLAR)
    return tuple(sorted(found, key=lambda each: each.start))


def pairs_written(text: str) -> tuple[str, ...]:
    """The pairs that a text writes with both codes, case-insensitive, as the market quotes them."""
    found = (quoted_as(*each.subject.split("/")) for each in written_pairs(text))
    return tuple(dict.fromkeys(found))


_OF_A_PAIR: Final = frozenset({NamedAs.CURRENCY, NamedAs.COUNTRY})
_JOINS: Final = re.compile(r"\s|\s?[-/]\s?")


def pairs_named(text: str) -> tuple[str, ...]:
    """The pairs that a text writes with both codes, and those of two adjacent currencies, of which
    the second may be named by its country: `dollar yen`, `euro swiss`. As the market quotes
    them."""
    written, named = pairs_written(text), _asked(text)
    for one, then in pairwise(named):
        codes = one.subject.code, then.subject.code
        money = one.subject.kind is NamedAs.CURRENCY and then.subject.kind in _OF_A_PAIR
        if money and codes[0] != codes[1] and _JOINS.fullmatch(text[one.end : then.start]):
            written += (quoted_as(*codes),)
    return tuple(dict.fromkeys(written))


class WrittenPair(NamedTuple):
    """A pair that a text writes with both codes, in the text's order, with the position."""

    subject: str
    start: int
    end: int


def written_pairs(text: str) -> Iterator[WrittenPair]:
    """Yields each pair that a text writes with both codes, case-insensitive, or by a name of its
    own: `eurchf`, `eurosterling`."""
    for m in _WRITTEN.finditer(text):
        base, quote = m["base"].upper(), m["quote"].upper()
        if base != quote:
            yield WrittenPair(f"{base}/{quote}", m.start(), m.end())
    for m in _CALLED.finditer(text):
        yield WrittenPair(PAIRS_CALLED[m[0].casefold()], m.start(), m.end())


def without_banks(text: str) -> str:
    """Blanks each name of a central bank, because the country within it is not a subject of the
    text."""
    for bank in bank_mentions(text):
        text = _blanked(text, bank.start, bank.end)
    return text


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def currencies_named(text: str) -> tuple[str, ...]:
    """The desk's currencies that a text names, in order, without pairs and without those that
    another one is compared with (`against the yen`)."""
    text = without_other_currencies(text, AREAS)
    bare = _JOINED.sub(lambda m: " " * len(m[0]), _PAIR.sub(lambda m: " " * len(m[0]), text))
    found_names = [*_WITH_DOLLAR.finditer(bare)]
    return tuple(
        found.lastgroup or ""
        for place, found in enumerate(found_names)
        if not (place and _BESIDE.search(bare[: found.start()]))
    )


def currency_asked_for(text: str, among: Collection[str] = ()) -> str | None:
    """The currency that a question names first, outside of a pair, case-insensitive. Only those
    `among` the given ones, if there are any."""
    bare = _PAIR.sub(lambda m: " " * len(m[0]), text)
    named = without_other_currencies(bare, AREAS)
    places = {
        code: found.start() for code, names in _ASKED_FOR.items() if (found := names.search(named))
    }
    for mention in reversed(currency_mentions(_JOINED.sub(lambda m: " " * len(m[0]), bare))):
        places[mention.code] = min(mention.start, places.get(mention.code, mention.start))
    places = {code: at for code, at in places.items() if not among or code in among}
    return min(places, key=lambda code: places[code]) if places else None


def with_currencies_as(sign: str, text: str) -> str:
    """Replaces each pair, code and name of a currency by a placeholder, also those without a
    market."""
    for mention in reversed(currency_mentions(text)):
        text = f"{text[: mention.start]}{sign}{text[mention.end :]}"
    for named in (_PAIR, _JOINED, _WRITTEN, *_ASKED_FOR.values()):
        text = named.sub(sign, text)
    return text


def with_currencies_lowercased(text: str) -> str:
    """The text with the names of currencies in lower case, as within a sentence."""
    return _IN_A_TITLE.sub(lambda name: name[0].lower(), text)
