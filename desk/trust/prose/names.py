"""The names of currencies, countries and central banks in an agent's prose, with what their places
say about the figures beside them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from desk.analytics.names.currencies import quoted_as
from desk.analytics.names.mentions import NameMention, are_joined, names_mentioned
from desk.trust.prose.references import REFERENCE

MOST_REMEMBERED: Final = 2_000
"""The number of sentences whose names a process caches: a sentence is checked several times."""

_AGAINST: Final = re.compile(r"\b(?:against|versus|vs\.?)\s(?:the\s)?$", re.IGNORECASE)
_THAN: Final = re.compile(
    r"\b(?:than|like|unlike)\s(?:the\s|that\sof\s(?:the\s)?)?$", re.IGNORECASE
)
_REFERENCE_SIGN: Final = "\ufffc"
"""In place of each character of a reference."""


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


@lru_cache(maxsize=MOST_REMEMBERED)
def names_in(sentence: str) -> tuple[Name, ...]:
    """Returns the names that a sentence has outside of references, in order. Two currencies beside
    one another are one name, of a pair: `dollar-yen`."""
    text = REFERENCE.sub(lambda found: _REFERENCE_SIGN * len(found[0]), sentence)
    found = names_mentioned(text, in_print=True)
    names: list[Name] = []
    at = 0
    while at < len(found):
        pair = found[at : at + 2]
        joined = len(pair) == 2 and all(each.is_money for each in pair) and are_joined(*pair, text)
        names.append(_named(text, pair if joined else pair[:1]))
        at += 1 + joined
    return tuple(names)


def _named(text: str, found: Sequence[NameMention]) -> Name:
    first, last = found[0], found[-1]
    before = text[max(0, first.start - 24) : first.start]
    return Name(
        codes=frozenset(code for each in found for code in (*each.meaning.codes, *each.others)),
        pair=first.meaning.pair if first is last else quoted_as(first.code, last.code),
        written=text[first.start : last.end],
        start=first.start,
        end=last.end,
        money=first.is_money,
        against=_AGAINST.search(before) is not None,
        than=_THAN.search(before) is not None,
        labels=before.endswith(f"{_REFERENCE_SIGN} ("),
    )
