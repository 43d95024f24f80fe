"""What views and findings are about, by one name where they mean one thing.

Light: workflows use it.

Within the research on a market, words that name the market are the market: `yen`, `JPY`, `USDJPY`
and `the dollar-yen exchange rate` are all USD/JPY. Those that name its other side are turned: a
stronger yen is a lower USD/JPY. All other words mean one thing when the same markets and banks are
named in them, the same numbers stand in them, no two of their words are opposites, and their stems
overlap by `ALIKE` or more. docs/method.md says the same.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from desk.analytics.full_text import is_function_word, stem
from desk.analytics.names.quotation import reversed_pair
from desk.contracts.markets import AREA_PATTERN, PAIR_PATTERN
from desk.trust.conflicts.topic_names import (
    FILLERS,
    FOR_POLICY,
    LONGEST_NAME,
    NAMES,
    OPPOSITES,
    SYNONYMS,
    WEAKER,
)

ALIKE: Final = 0.6
"""The share that two sets of stems have in common, of all stems in either."""

LONGEST_TOPIC: Final = 80

_TOKEN: Final = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*")
_YAHOO: Final = re.compile(r"=X\b", re.IGNORECASE)
_EXACT: Final = re.compile(rf"(?:{PAIR_PATTERN}|{AREA_PATTERN})")


class Topic(NamedTuple):
    """What words are about, by the name that it goes by, and whether they are of its other side."""

    subject: str
    turned: bool = False


class _Meaning(NamedTuple):
    """What stands in some words: currencies, stocks and banks in their order, and the rest."""

    names: tuple[str, ...]
    rest: tuple[str, ...]


def topics(written: Iterable[str], market: str) -> dict[str, Topic]:
    """The topic of each of the words that go with a market; their order does not matter.

    What is a pair or an area letter by letter, and another market than this, is its own topic.
    """
    words = sorted(set(written), key=lambda each: (len(each), each))
    named = {each: topic for each in words if (topic := topic_named(each, market)) is not None}
    groups: list[list[str]] = []
    for each in words:
        if each in named:
            continue
        like = (group for group in groups if all(alike(each, other, market) for other in group))
        group = next(like, None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    free = {each: Topic(_plain(group[0])) for group in groups for each in group}
    return {**named, **free}


def topic_named(words: str, market: str) -> Topic | None:
    """The market or the bank that words name and say no more of; None where they say more."""
    if words == market:
        return Topic(market)
    if reversed_pair(words) == market:
        return Topic(market, turned=True)
    if _EXACT.fullmatch(words):
        return Topic(words)
    meaning = _read(words, market)
    sides = tuple(market.split("/"))
    if meaning.names and set(meaning.names) <= set(sides):
        weaker = sum(word in WEAKER for word in meaning.rest)
        if all(word in FILLERS or word in WEAKER for word in meaning.rest):
            other_side = meaning.names[0] != sides[0]
            return Topic(market, turned=other_side is not bool(weaker % 2))
    return _bank_named(meaning)


def alike(one: str, other: str, market: str = "") -> bool:
    """Whether two topics that name no market alone mean one thing."""
    first, second = _read(one, market), _read(other, market)
    own = set(market.split("/"))
    if set(first.names) - own != set(second.names) - own:
        return False
    stems, others = _stems(first.rest), _stems(second.rest)
    if _numbers(stems) != _numbers(others) or _opposed(stems - others, others - stems):
        return False
    either, both = stems | others, stems & others
    return not either or len(both) >= ALIKE * len(either)


def _bank_named(meaning: _Meaning) -> Topic | None:
    areas = {name for name in meaning.names if len(name) == len("JP")}
    if len(areas) != 1 or areas != set(meaning.names):
        return None
    if all(word in FILLERS or word in FOR_POLICY for word in meaning.rest):
        return Topic(areas.pop())
    return None


@lru_cache(maxsize=2_000)
def _read(words: str, market: str) -> _Meaning:
    tokens = _TOKEN.findall(_YAHOO.sub("", words))
    names: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(tokens):
        found, taken = _name_at(tokens, at, market)
        names += found
        if not found and (tokens[at].lower() in WEAKER or not is_function_word(tokens[at])):
            rest.append(tokens[at].lower())
        at += taken
    return _Meaning(tuple(dict.fromkeys(names)), tuple(rest))


def _name_at(tokens: Sequence[str], at: int, market: str) -> tuple[tuple[str, ...], int]:
    """What the tokens from a place on name, the longest name first, and how many of them do."""
    for length in range(min(LONGEST_NAME, len(tokens) - at), 0, -1):
        name = NAMES.get(" ".join(tokens[at : at + length]).lower())
        if name is not None:
            return (name,), length
    token = tokens[at]
    if token in market.lstrip("^").split("/"):
        return (market if "/" not in market else token,), 1
    halves = (NAMES.get(token[:3].lower()), NAMES.get(token[3:].lower()))
    if len(token) == len("USDJPY") and None not in halves:
        return tuple(half for half in halves if half is not None), 1
    return (), 1


def _stems(words: Iterable[str]) -> frozenset[str]:
    cut = (stem(word) for word in words if word not in FILLERS)
    return frozenset(SYNONYMS.get(each, each) for each in cut)


def _numbers(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(each for each in stems if any(sign.isdigit() for sign in each))


def _opposed(stems: Iterable[str], others: frozenset[str]) -> bool:
    return any(not OPPOSITES.get(each, frozenset()).isdisjoint(others) for each in stems)


def _plain(words: str) -> str:
    """A topic as an id can hold it."""
    plain = " ".join(_TOKEN.findall(words))[:LONGEST_TOPIC].strip()
    return plain or "unnamed"
