"""What comes nearest: the order by words and the order by meaning as one, with its scores.

They are fused by their ranks (`desk.analytics.retrieval.fusion`).

Where markets are asked for, an entry about one of them scores (1 + fused) / 2 and any other
fused / 2: they go before others, and nothing is left out.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Final

from desk.analytics.retrieval.full_text import FullTextIndex
from desk.analytics.retrieval.fusion import Order, fused
from desk.contracts.learning.memory import MemoryEntry, MemoryQuery, Recalled

WORDS: Final = 1.0
MEANING: Final = 3.0
"""What an order counts. These and the fusion's `K` were chosen by the questions that were `tried`
(`python -m tests.memory.retrieval`): equal weights found less than meaning alone."""


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
    query: MemoryQuery, known: Mapping[str, MemoryEntry], orders: Sequence[Order]
) -> tuple[Recalled, ...]:
    """The entries of any of the orders, by their scores; of equal ones the newest goes first.

    `known` are the entries that may be told, by their ids.
    """
    told = [
        Recalled(entry=known[memory_id], score=_with_markets(query, known[memory_id], score))
        for memory_id, score in fused(orders, len(known)).items()
        if memory_id in known
    ]
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


def _with_markets(query: MemoryQuery, entry: MemoryEntry, score: float) -> float:
    if not query.markets:
        return score
    return (score + (not set(query.markets).isdisjoint(entry.markets))) / 2


def _row(entry: MemoryEntry) -> tuple[str, str, str]:
    return (_joined(" ".join(entry.markets)), _joined(entry.objective), _joined(entry.text))


def _joined(text: str) -> str:
    """The text with each pair once more as one word, as it is often written."""
    return _PAIR.sub(lambda pair: f"{pair[0]} {pair[1]}{pair[2]}", text)
