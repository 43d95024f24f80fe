"""The misspelled words of a question, and those that are known nowhere.

A word is misspelled if no vocabulary has it and exactly one name or word that the desk reads is a
slip or two away. It is read as that, and the answer says so. A word that is known nowhere may be a
name, such as a nickname of a currency, and an answer does not pass over it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import permutations
from typing import Final, NamedTuple

from desk.analytics.names.aliases import (
    CALLED_TOGETHER,
    COUNTRIES,
    GOVERNMENT_BONDS,
    OTHER_MARKETS,
    PAIRS_CALLED,
    SEATS,
    UNITS,
)
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import QUOTING_ORDER, currency_codes, home_of, names_of
from desk.analytics.names.markets import AREAS
from desk.analytics.names.mentions import currency_mentions
from desk.analytics.names.nearest import respelled
from desk.analytics.names.periods.time_words import calendar_names
from desk.analytics.names.subjects import subjects_asked
from desk.analytics.retrieval.full_text import is_function_word, stem, words
from desk.contracts.agents.tasks import SPELLED, UNKNOWN_WORDS
from desk.programs.question.builtin.kinds import KINDS, SIDES
from desk.programs.question.builtin.synthesis.markets.asked import ASPECTS

IsWord = Callable[[str], bool]
"""Whether a vocabulary has a word."""

SHORTEST: Final = 4
SHORTEST_READ: Final = 5
"""The letters of the shortest word that may be a name, and of the shortest that is read as another:
shorter ones are near to too many."""

_TOKEN: Final = re.compile(
    r"(?<![\w@#./:&'’+-])(?:[A-Za-z]{3}[/-][A-Za-z]{3}|[A-Za-z]+)(?![\w@#/:&+-]|['’]t\b|\.\w)"
)
"""A word of letters alone, or two codes of currencies: no part of an address, an id or a compound
word."""

_CODES: Final = re.compile(r"([A-Z]{3})[/-]?([A-Z]{3})")


class Spelling(NamedTuple):
    """Each misspelled word of a question with the word that it is read as, and the words that are
    known nowhere."""

    read: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of a question, so that its readers and its answer know of them."""
        read = ", ".join(f"{written}={word}" for written, word in self.read)
        told = {SPELLED: read, UNKNOWN_WORDS: ", ".join(self.unknown)}
        return {name: each for name, each in told.items() if each}


def spelling_of(question: str, is_word: IsWord) -> Spelling:
    """Reads the words of a question that neither the desk nor a vocabulary knows."""
    read: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for found in _TOKEN.finditer(question):
        written = found[0]
        if written in read or _is_known(written) or any(map(is_word, (written, stem(written)))):
            continue
        within = found.start() and not question[: found.start()].rstrip().endswith((".", "?", "!"))
        word = _meant(written, is_name=bool(within) and written[0].isupper())
        if word is None:
            unknown[written] = None
        else:
            read[written] = word
    return Spelling(tuple(read.items()), tuple(unknown))


def _is_known(written: str) -> bool:
    """Whether the desk reads a word, by itself or in another form, or it is too short to tell."""
    word = written.casefold()
    if len(word) < SHORTEST or is_function_word(word) or is_function_word(stem(word)):
        return True
    if word in _names() or word in _asking() or stem(word) in _stems():
        return True
    if pair := _CODES.fullmatch(written.upper()):
        codes = {*pair.groups()}
        if codes <= currency_codes() or (not written.isalpha() and not codes & {*AREAS}):
            return True
        if not written.isalpha():
            return False
    return bool(subjects_asked(written) or currency_mentions(written))


def _meant(written: str, *, is_name: bool) -> str | None:
    """The word that a misspelled one is read as, in its letter case. A capitalised word within a
    sentence is only read as a name."""
    word = written.casefold()
    if len(word) < SHORTEST_READ:
        return None
    found = respelled(word.replace("-", "/"), _pairs()) if _CODES.fullmatch(word.upper()) else None
    found = found or respelled(word, _names() if is_name else _names() | _asking())
    if found is None:
        return None
    return found.upper() if written.isupper() else found.title() if is_name else found


@cache
def _names() -> frozenset[str]:
    """The words of all names that the desk reads in a question, in lower case."""
    codes = {*QUOTING_ORDER, *AREAS}
    banks = (name for bank in CENTRAL_BANKS.values() for name in (bank.name, *bank.also_called))
    tables = (COUNTRIES, GOVERNMENT_BONDS, OTHER_MARKETS, SEATS, UNITS)
    listed = (name for table in tables for names in table.values() for name in names)
    own = (name for code in codes for name in (*names_of(code), home_of(code)))
    return _long((*banks, *listed, *own, *PAIRS_CALLED, *CALLED_TOGETHER, *calendar_names()))


@cache
def _asking() -> frozenset[str]:
    """The words in which a bank or a market is asked about, in lower case."""
    return _long((*KINDS.every(), *SIDES.every(), *ASPECTS.every()))


@cache
def _stems() -> frozenset[str]:
    return frozenset(map(stem, _names() | _asking()))


@cache
def _pairs() -> frozenset[str]:
    """All pairs of the desk's currencies, with and without a slash."""
    joined = (sign.join(pair) for pair in permutations(map(str.lower, AREAS), 2) for sign in "/ ")
    return frozenset(each.replace(" ", "") for each in joined)


def _long(texts: Iterable[str]) -> frozenset[str]:
    def each() -> Iterator[str]:
        return (word.casefold() for text in texts for word in words(text))

    return frozenset(word for word in each() if len(word) >= SHORTEST and word.isalpha())
