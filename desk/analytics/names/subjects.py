"""Finds the subjects that a sentence names: pairs, banks, areas and currencies."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from desk.analytics.names.aliases import UNITS, is_shared
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.currencies import currency_name, home_of, quoted_as
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.mentions import (
    NameMention,
    are_joined,
    bank_mentions,
    currency_mentions,
    mentions,
    names_mentioned,
    printed_pairs,
    written_pairs,
)
from desk.analytics.names.name_table import EURO, NamedAs

_BESIDE: Final = re.compile(
    r"\b(?:against|versus|vs?\.?|over|to|per|with)\s(?:the\s)?$", re.IGNORECASE
)


class Naming(NamedTuple):
    """A pair or a bank that a sentence names explicitly, with the position."""

    subject: str
    start: int


def namings(sentence: str) -> tuple[Naming, ...]:
    """The pairs and banks that a printed sentence names, in order. Its figures are about one of
    them."""
    found = [
        *(Naming(each.meaning.pair or "", each.start) for each in printed_pairs(sentence)),
        *(
            Naming(AREAS[code], each.start)
            for each in mentions(sentence, {NamedAs.BANK}, in_print=True)
            for code in each.meaning.codes
        ),
    ]
    return tuple(sorted(found, key=lambda naming: naming.start))


def named_subjects(
    sentence: str, subjects: Iterable[str], named: Iterable[Naming]
) -> frozenset[str]:
    """The subjects that a printed sentence names, areas and currencies by any of their names."""
    exact = {naming.subject for naming in named}
    countries = mentions(sentence, {NamedAs.COUNTRY}, in_print=True)
    areas = {AREAS[each.code] for each in countries if each.code in AREAS}
    currencies = {each.code for each in currency_mentions(sentence)} - {DOLLAR}

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
    named = names_mentioned(text)
    found = [
        _LocatedSubject(each.start, each.end, AskedSubject(each.meaning.kind, code))
        for each in named
        for code in each.meaning.codes
    ]
    if text[1:] == text[1:].lower():
        bare = _without(text, named)
        fed, us = AskedSubject(NamedAs.BANK, DOLLAR), AskedSubject(NamedAs.COUNTRY, DOLLAR)
        found += [_LocatedSubject(*m.span(), fed) for m in _SMALL_FED.finditer(bare)]
        if any(each.subject.kind is not NamedAs.CURRENCY for each in found):
            found += [_LocatedSubject(*m.span(), us) for m in _SMALL_US.finditer(bare)]
    return tuple(sorted(found, key=lambda each: each.start))


def pairs_written(text: str) -> tuple[str, ...]:
    """The pairs that a text writes with both codes, case-insensitive, as the market quotes them."""
    return tuple(dict.fromkeys(quoted_as(*each.meaning.codes) for each in written_pairs(text)))


def pairs_named(text: str) -> tuple[str, ...]:
    """The pairs that a text writes with both codes, and those of two adjacent currencies, of which
    the second may be named by its country: `dollar yen`, `euro swiss`. As the market quotes
    them."""
    written = pairs_written(text)
    for one, then in pairwise(names_mentioned(text)):
        country = then.meaning.kind is NamedAs.COUNTRY
        if one.is_money and (then.is_money or country) and are_joined(one, then, text):
            written += (quoted_as(one.code, then.code),)
    return tuple(dict.fromkeys(written))


def without_banks(text: str) -> str:
    """Blanks each name of a central bank, because the country within it is not a subject of the
    text."""
    return _without(text, bank_mentions(text))


def _without(text: str, named: Iterable[NameMention]) -> str:
    for each in named:
        text = _blanked(text, each.start, each.end)
    return text


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def currencies_named(text: str) -> tuple[str, ...]:
    """The desk's currencies that a text names, in order, without pairs and without those that
    another one is compared with (`against the yen`)."""
    bare = _without(text, (*written_pairs(text), *printed_pairs(text)))
    named = [each for each in currency_mentions(bare) if each.code in AREAS]
    return tuple(
        each.code
        for place, each in enumerate(named)
        if not (place and _BESIDE.search(bare[: each.start]))
    )


def currency_asked_for(text: str, among: Collection[str] = ()) -> str | None:
    """The currency that a question names first, outside of a pair, case-insensitive. Only those
    `among` the given ones, if there are any."""
    named = _money_named(_without(text, printed_pairs(text)))
    codes = (each.code for each in named if not among or each.code in among)
    return next(codes, None)


def with_currencies_as(sign: str, text: str) -> str:
    """Replaces each pair, code and name of a currency by a placeholder, also those without a
    market."""
    for find in (written_pairs, printed_pairs, _money_named):
        for each in sorted(find(text), key=lambda each: each.start, reverse=True):
            text = f"{text[: each.start]}{sign}{text[each.end :]}"
    return text


def _money_named(text: str) -> list[NameMention]:
    """The currencies that a text names, also by the country alone where several share the unit:
    `the Australian`, `the Swedish`."""
    found = [*currency_mentions(text)]
    taken = {each.start for each in found}
    for each in mentions(text, {NamedAs.COUNTRY}):
        shared = any(map(is_shared, UNITS.get(each.code, ())))
        named = len(each.written) > len("US") and each.start not in taken
        if each.code != DOLLAR and shared and named:
            found.append(each)
    return sorted(found, key=lambda each: each.start)
