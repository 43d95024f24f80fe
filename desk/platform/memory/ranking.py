"""What comes nearest: the order by words and the order by meaning as one, with its scores.

They are fused by their ranks (`desk.analytics.retrieval.fusion`).

Ranks say which entry comes first and not whether it has to do with the question. So an entry has a
relevance besides, by itself: 1 where it is about a market that is asked for; else the greater of
two, each of which is `RELEVANCE_FLOOR` at its own mark: the cosine of its meaning to the question's
(`NEAR_IN_MEANING`), and the share of the question's telling words that it holds (`SHARED_WORDS`).
What is less relevant than the floor is not recalled, whatever its rank. Where a question names
currencies or markets, an entry that is about other ones alone has no relevance: what was found of
the loonie is shown to nobody who asks of sterling, however alike the words are.

Where markets are asked for, an entry about one of them scores (1 + fused) / 2 and any other
fused / 2: they go before others, and nothing is left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import Final

from desk.analytics.names.currency_mentions import currency_mentions
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.retrieval.full_text import FullTextIndex, stems, telling_stems
from desk.analytics.retrieval.fusion import Order, fused
from desk.contracts.learning.memory import (
    RELEVANCE_FLOOR,
    MemoryEntry,
    MemoryQuery,
    Recalled,
)

WORDS: Final = 1.0
MEANING: Final = 3.0
"""What an order counts. These and the fusion's `K` were chosen by the questions that were `tried`
(`python -m tests.memory.retrieval`): equal weights found less than meaning alone."""


NEAR_IN_MEANING: Final = 0.79
"""The cosine by multilingual-e5-small from which on two texts are about one thing. Of 62 questions
that were `tried` the nearest right entry of four lies below it; of sixteen questions about other
things (bread, trains, a lira) nine have no entry above it, and half of all entries lie below it."""

_COSINES: Final = 0.2
"""The distance between cosines that is all of the scale: the model's lie close together."""

SHARED_WORDS: Final = 0.25
"""The share of a question's telling words from which on an entry is about it."""

_COLUMNS: Final = {"markets": 1.0, "objective": 1.0, "text": 1.0}
_PAIR: Final = re.compile(r"\b([A-Za-z]{3})/([A-Za-z]{3})\b")


def by_words(query: MemoryQuery, entries: Iterable[MemoryEntry]) -> list[str]:
    """The ids of the entries that share a word with the question, by BM25, the best first.

    English words count in any of their forms. A market that the question names beside its text
    is looked for as well. The index is made anew for each question, of the entries that were known
    by its as-of and of no others: how rare a word is must not be learned from what came later.
    """
    told = sorted(entries, key=lambda entry: entry.memory_id)
    with closing(FullTextIndex(_COLUMNS, map(_row, told))) as index:
        found = index.search(_joined(" ".join((query.text, *query.markets))))
    return [told[match.row].memory_id for match in found]


def nearest(
    query: MemoryQuery,
    known: Mapping[str, MemoryEntry],
    orders: Sequence[Order],
    cosines: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Recalled, ...]:
    """The entries of any of the orders that are relevant, by their scores; of equal ones the newest
    goes first.

    `known` are the entries that may be told, by their ids; `cosines` have how near the meaning of
    each is, where there is a model.
    """
    asked, about = telling_stems(_joined(query.text)), _asked_about(query)
    known = {name: entry for name, entry in known.items() if not _is_elsewhere(entry, about)}
    found = [
        Recalled(
            entry=known[memory_id],
            score=_with_markets(query, known[memory_id], score),
            relevance=_relevance(query, known[memory_id], asked, cosines.get(memory_id)),
        )
        for memory_id, score in fused(orders, len(known)).items()
        if memory_id in known
    ]
    told = [one for one in found if (one.relevance or 0.0) >= RELEVANCE_FLOOR]
    told.sort(key=lambda one: one.entry.memory_id)
    told.sort(key=lambda one: (one.score, one.entry.as_of), reverse=True)
    return tuple(told[: query.most])


def may_be_told(query: MemoryQuery, entry: MemoryEntry) -> bool:
    """Whether it was known by then, is of a kind that is asked for, and not of the asking run
    itself: an earlier one of its name knew less."""
    own = query.besides is not None and entry.workflow_id == query.besides
    return (
        entry.as_of <= query.as_of
        and (not query.kinds or entry.kind in query.kinds)
        and not (own and entry.as_of == query.as_of)
    )


def _asked_about(query: MemoryQuery) -> frozenset[str]:
    """The currencies that a question names or whose markets are asked for, with their areas. The
    dollar is in most pairs, and counts where it is all that is named."""
    named = {mention.code for mention in currency_mentions(query.text)}
    named |= {code for market in query.markets for code in market.split("/")}
    told = named - {DOLLAR} or named
    return frozenset(told | {AREAS[code] for code in told if code in AREAS})


def _is_elsewhere(entry: MemoryEntry, about: frozenset[str]) -> bool:
    """Whether an entry is about markets, and neither they nor what it was found for have to do with
    what a question names."""
    parts = {part for market in entry.markets for part in (market, *market.split("/"))}
    if not about or not parts or not about.isdisjoint(parts):
        return False
    return about.isdisjoint(mention.code for mention in currency_mentions(entry.objective))


def _relevance(
    query: MemoryQuery, entry: MemoryEntry, asked: Sequence[str], cosine: float | None
) -> float:
    """How much an entry has to do with a question, from 0 to 1; without words all are of it."""
    if not asked or not set(query.markets).isdisjoint(entry.markets):
        return 1.0
    held = stems(" ".join(_row(entry)))
    share = sum(word in held for word in asked) / len(asked)
    by_word = RELEVANCE_FLOOR * share / SHARED_WORDS
    near = 0.0
    if cosine is not None:
        near = RELEVANCE_FLOOR + (cosine - NEAR_IN_MEANING) / _COSINES
    return round(min(1.0, max(0.0, by_word, near)), 2)


def _with_markets(query: MemoryQuery, entry: MemoryEntry, score: float) -> float:
    if not query.markets:
        return score
    return (score + (not set(query.markets).isdisjoint(entry.markets))) / 2


def _row(entry: MemoryEntry) -> tuple[str, str, str]:
    return (_joined(" ".join(entry.markets)), _joined(entry.objective), _joined(entry.text))


def _joined(text: str) -> str:
    """The text with each pair once more as one word, as it is often written."""
    return _PAIR.sub(lambda pair: f"{pair[0]} {pair[1]}{pair[2]}", text)
