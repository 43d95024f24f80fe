"""Finds the names of currencies, countries and central banks in an agent's prose, in one pass.

The names are those of `desk.analytics.names`. Of two names at one place the longer one counts. A
name that begins with a capital letter counts only with it, because some are also other words
(`turkey`, `us`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from desk.analytics.names.aliases import (
    BANKS_CALLED_TOGETHER,
    CALLED_TOGETHER,
    COUNTRIES,
    GOVERNMENT_BONDS,
    PAIRS_CALLED,
    SEATS,
    UNITS,
    is_shared,
)
from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import (
    QUOTING_ORDER,
    currency_name,
    home_of,
    names_of,
    quoted_as,
)
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.trust.prose.references import REFERENCE, currencies_of

MOST_REMEMBERED: Final = 2_000
"""The number of sentences whose names a process caches: a sentence is checked several times."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_PAIR: Final = re.compile(r"(?<!\w)([A-Z]{3})/([A-Z]{3})(?!\w)")
_WITHIN: Final = re.compile(r"[\s.'’&/-]{1,2}")
"""What may be between the words of a name."""
_AGAINST: Final = re.compile(r"\b(?:against|versus|vs\.?)\s(?:the\s)?$", re.IGNORECASE)
_THAN: Final = re.compile(
    r"\b(?:than|like|unlike)\s(?:the\s|that\sof\s(?:the\s)?)?$", re.IGNORECASE
)
_REFERENCE_SIGN: Final = "\ufffc"
"""In place of each character of a reference."""
_JOINED: Final = re.compile(r"\s?[/–-]\s?|\s")
_SHARES: Final = re.compile(r",\s(?:the\s)?|,?\s(?:and|or)\s(?:the\s)?")
_BESIDE: Final = frozenset({"the", "and", "or", "than", "against", "versus"})
_ALSO_WORDS: Final = frozenset({"won"})
"""Units that are also English words: only those after one of `_BESIDE`, or at the start of a line,
count."""


class Name(NamedTuple):
    """A name in a sentence: the codes of the currencies that it refers to, and the pair if it is
    one. `money` says that it names currencies and not their countries, banks or bonds; `against`
    that it stands behind this word, `than` that it stands behind it, `like` or `unlike`; `labels`
    that it stands in parentheses right behind a reference."""

    codes: frozenset[str]
    pair: str | None
    written: str
    start: int
    end: int
    money: bool
    against: bool = False
    than: bool = False
    labels: bool = False


class _Meaning(NamedTuple):
    codes: frozenset[str]
    money: bool
    pair: str | None = None


@lru_cache(maxsize=MOST_REMEMBERED)
def names_in(sentence: str) -> tuple[Name, ...]:
    """Returns the names that a sentence has outside of references, in order."""
    text = REFERENCE.sub(lambda found: _REFERENCE_SIGN * len(found[0]), sentence)
    found = sorted(_found(text), key=lambda name: name.start)
    return tuple(_of_pairs(text, _sharing(text, found)))


def _found(text: str) -> Iterator[Name]:
    for pair in _PAIR.finditer(text):
        yield _placed(text, *pair.span(), _Meaning(frozenset(pair.groups()), True, pair[0]))
    text = _PAIR.sub(lambda found: " " * len(found[0]), text)
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        length, meaning = _longest(text, words, at)
        if meaning is not None:
            yield _placed(text, words[at].start(), words[at + length - 1].end(), meaning)
        at += max(length, 1)


def _longest(text: str, words: Sequence[re.Match[str]], at: int) -> tuple[int, _Meaning | None]:
    """Returns the meaning of the longest name that begins at a word, and how many words it has."""
    key = ""
    best: tuple[int, _Meaning | None] = (0, None)
    for length, word in enumerate(words[at : at + _longest_name()], start=1):
        if length > 1:
            if not _WITHIN.fullmatch(text, words[at + length - 2].end(), word.start()):
                break
            key += " "
        key += word[0].lower()
        if key not in _starts():
            break
        meaning = _names().get(key)
        if meaning and _is_written(key, text[words[at].start() : word.end()], words, at):
            best = length, meaning[1]
    return best


def _is_written(key: str, written: str, words: Sequence[re.Match[str]], at: int) -> bool:
    """Returns whether a name is written with its capital letters."""
    if key in _ALSO_WORDS:
        return words[at - 1][0].lower() in _BESIDE if at else written[0].isupper()
    called = _names()[key][0]
    if any(sign.isupper() for sign in called[1:2]):
        # An abbreviation, such as US or BoJ.
        return written[:1].isupper() and any(sign.isupper() for sign in written[1:])
    return called[:1].islower() or written[:1].isupper()


def _placed(text: str, start: int, end: int, meaning: _Meaning) -> Name:
    before = text[max(0, start - 24) : start]
    return Name(
        *(meaning.codes, meaning.pair, text[start:end], start, end, meaning.money),
        against=_AGAINST.search(before) is not None,
        than=_THAN.search(before) is not None,
        labels=before.endswith(f"{_REFERENCE_SIGN} ("),
    )


def _sharing(text: str, found: Sequence[Name]) -> Iterator[Name]:
    """Makes a country beside a currency of the same unit a currency: `the Australian and the New
    Zealand dollar`."""
    following: Name | None = None
    left = []
    for name in reversed(found):
        unit = following.written.split()[-1].lower() if following else ""
        if (
            following is not None
            and not name.money
            and following.money
            and " " in following.written
            and is_shared(unit.removesuffix("s"))
            and _SHARES.fullmatch(text, name.end, following.start)
        ):
            name = name._replace(money=True)
            following = name._replace(written=following.written)
        else:
            following = name
        left.append(name)
    return reversed(left)


def _of_pairs(text: str, found: Iterable[Name]) -> Iterator[Name]:
    """Joins two currencies beside one another to a pair: `dollar-yen`."""
    names = list(found)
    joined: set[int] = set()
    for at, (one, other) in enumerate(pairwise(names)):
        single = len(one.codes) == len(other.codes) == 1 and one.codes != other.codes
        beside = _JOINED.fullmatch(text, one.end, other.start)
        if at in joined or not (single and beside and one.money and other.money):
            continue
        joined.add(at + 1)
        (base,), (quote,) = one.codes, other.codes
        names[at] = one._replace(
            codes=one.codes | other.codes,
            pair=quoted_as(base, quote),
            written=text[one.start : other.end],
            end=other.end,
        )
    return (name for at, name in enumerate(names) if at not in joined)


@cache
def _names() -> dict[str, tuple[str, _Meaning]]:
    """Each name's words in lower case, with the name as it is written and its meaning."""
    found: dict[str, tuple[str, _Meaning]] = {}

    def add(called: str, meaning: _Meaning, *, plural: bool = False) -> None:
        key = " ".join(word.lower() for word in _WORD.findall(called))
        for each in (key, f"{key}s") if plural else (key,):
            if len(each) > 1:
                found.setdefault(each, (called, meaning))

    for called, pair in PAIRS_CALLED.items():
        add(called, _Meaning(frozenset(currencies_of(pair) or ()), True, pair))
    for called, codes in CALLED_TOGETHER.items():
        add(called, _Meaning(frozenset(codes), True))
    for called, codes in BANKS_CALLED_TOGETHER.items():
        add(called, _Meaning(frozenset(codes), False))
    every = tuple(dict.fromkeys((*AREAS, *QUOTING_ORDER)))
    for code in every:
        add(code, _Meaning(frozenset({code}), True))
        for called in (*names_of(code), *_own_units(code)):
            add(called, _Meaning(_sharing_name(code, called), True), plural=True)
    for code in every:
        area, place = AREAS.get(code, ""), _Meaning(frozenset({code}), False)
        bank = CENTRAL_BANKS.get(area)
        for called in (
            *((bank.name, *bank.also_called) if bank else ()),
            *(home_of(code), *COUNTRIES.get(area, ())),
            *(SEATS.get(area, ())),
            *(GOVERNMENT_BONDS.get(area, ())),
        ):
            add(called.removeprefix("the "), place)
    for base in AREAS:
        for quote in AREAS:
            if base != quote:
                add(base + quote, _Meaning(frozenset({base, quote}), True, f"{base}/{quote}"))
    return found


def _own_units(code: str) -> tuple[str, ...]:
    return tuple(unit for unit in UNITS.get(code, ()) if not is_shared(unit))


def _sharing_name(code: str, called: str) -> frozenset[str]:
    """Returns the currencies that a name may refer to: for a unit alone, such as peso, all with
    that unit. The dollar alone is that of the United States."""
    if code == DOLLAR:
        return frozenset({code})
    sharing = (each for each in QUOTING_ORDER if currency_name(each).split()[-1] == called)
    return frozenset({code, *sharing})


@cache
def _starts() -> frozenset[str]:
    """The first words of all names, from one word on."""
    return frozenset(
        " ".join(words[:length])
        for words in (key.split() for key in _names())
        for length in range(1, len(words) + 1)
    )


@cache
def _longest_name() -> int:
    return max(len(key.split()) for key in _names())
