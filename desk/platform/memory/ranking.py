"""Ranks memories: fuses the ranking by words and the ranking by meaning, and scores the result.

The rankings are fused by rank (`desk.analytics.retrieval.fusion`).

Ranks say which entry comes first, and not whether it is related to the question. So each entry also
has a relevance of its own: 1 if it is about a requested market; else the greater of two values,
each of which equals `RELEVANCE_FLOOR` at its own threshold: the cosine of its vector to the
question's (`NEAR_IN_MEANING`), and the share of the question's significant words that it contains
(`SHARED_WORDS`). Entries with a relevance below the floor are not recalled, whatever their rank. If
a question names currencies or markets, an entry that is only about others has no relevance: a
question about sterling never recalls findings about the loonie, however similar the words are.

If markets are requested, an entry about one of them scores (1 + fused) / 2 and any other fused / 2:
those come first, and nothing is left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import Final

from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.mentions import currency_mentions
from desk.analytics.retrieval.full_text import FullTextIndex, content_stems, stems
from desk.analytics.retrieval.fusion import Order, fused
from desk.contracts.learning.memory import (
    RELEVANCE_FLOOR,
    MemoryEntry,
    MemoryQuery,
    Recalled,
)

WORDS: Final = 1.0
MEANING: Final = 3.0
"""The weights of the rankings. These and the fusion's `K` were chosen with the test questions
(`python -m tests.memory.retrieval`): equal weights found less than meaning alone."""


NEAR_IN_MEANING: Final = 0.79
"""The cosine by multilingual-e5-small above which two texts count as related. Of 62 test questions,
the nearest right entry of four lies below it. Of sixteen unrelated questions (bread, trains, a
lira), nine have no entry above it, and half of all entries lie below it."""

_COSINES: Final = 0.2
"""The distance between cosines that spans the whole scale: the model's cosines lie close
together."""

SHARED_WORDS: Final = 0.25
"""The share of a question's significant words above which an entry counts as related."""

_COLUMNS: Final = {"markets": 1.0, "objective": 1.0, "text": 1.0}
_PAIR: Final = re.compile(r"\b([A-Za-z]{3})/([A-Za-z]{3})\b")


def by_words(query: MemoryQuery, entries: Iterable[MemoryEntry]) -> list[str]:
    """The ids of the entries that share a word with the question, ranked by BM25, best first.

    English words match in any of their forms. Requested markets count as words of the question. The
    index is built for each question from the entries known by its as-of and no others, because the
    rarity of a word must not be learned from later entries.
    """
    ordered = sorted(entries, key=lambda entry: entry.memory_id)
    with closing(FullTextIndex(_COLUMNS, map(_row, ordered))) as index:
        found = index.search(_joined(" ".join((query.text, *query.markets))))
    return [ordered[match.row].memory_id for match in found]


def nearest(
    query: MemoryQuery,
    known: Mapping[str, MemoryEntry],
    orders: Sequence[Order],
    cosines: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Recalled, ...]:
    """The relevant entries of all rankings, by score. Of equal scores the newest comes first.

    `known` are the visible entries, by their ids. `cosines` are the cosines of their vectors to the
    question's, if there is a model.
    """
    asked, about = content_stems(_joined(query.text)), _asked_about(query)
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
    ordered = [one for one in found if (one.relevance or 0.0) >= RELEVANCE_FLOOR]
    ordered.sort(key=lambda one: one.entry.memory_id)
    ordered.sort(key=lambda one: (one.score, one.entry.as_of), reverse=True)
    return tuple(ordered[: query.most])


def is_visible(query: MemoryQuery, entry: MemoryEntry) -> bool:
    """Whether an entry is visible to a query: known by then, of a requested kind, and not the
    asking run's own of the same instant. An earlier one of the same run knew less, so it counts."""
    own = query.besides is not None and entry.workflow_id == query.besides
    return (
        entry.as_of <= query.as_of
        and (not query.kinds or entry.kind in query.kinds)
        and not (own and entry.as_of == query.as_of)
    )


def _asked_about(query: MemoryQuery) -> frozenset[str]:
    """The currencies that a question names or whose markets are requested, with their areas. The
    dollar is in most pairs, and counts only if nothing else is named."""
    named = {mention.code for mention in currency_mentions(query.text)}
    named |= {code for market in query.markets for code in market.split("/")}
    ordered = named - {DOLLAR} or named
    return frozenset(ordered | {AREAS[code] for code in ordered if code in AREAS})


def _is_elsewhere(entry: MemoryEntry, about: frozenset[str]) -> bool:
    """Whether an entry is only about other markets: neither its markets nor its objective have to
    do with what the question names."""
    parts = {part for market in entry.markets for part in (market, *market.split("/"))}
    if not about or not parts or not about.isdisjoint(parts):
        return False
    return about.isdisjoint(mention.code for mention in currency_mentions(entry.objective))


def _relevance(
    query: MemoryQuery, entry: MemoryEntry, asked: Sequence[str], cosine: float | None
) -> float:
    """How related an entry is to a question, from 0 to 1. A question without words matches all."""
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
    """The text with each currency pair repeated as one word, as it is often written."""
    return _PAIR.sub(lambda pair: f"{pair[0]} {pair[1]}{pair[2]}", text)
