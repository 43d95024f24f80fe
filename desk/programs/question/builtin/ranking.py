"""Which passages fit a question: SQLite's FTS5, and the meaning model where words leave it open."""

import re
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Final, NamedTuple

from desk.analytics.names.currencies import currency_words
from desk.analytics.retrieval.full_text import FullTextIndex, stem, stems, telling_stems
from desk.analytics.retrieval.fusion import Order, fused
from desk.analytics.retrieval.meaning import WORKERS_MEANING, Meaning, by_meaning, passage_vector
from desk.programs.question.builtin.asking import TICKET_ID
from desk.programs.question.builtin.passages import SourcePassage

FITS: Final = 0.7
NEAR: Final = 0.4
"""The share of a question's telling words that a passage and what stands around it have: to be
told as found, and to be shown as what comes nearest. `python -m tests.knowledge.floors`
shows what each share lets pass. To weigh rare words more told questions that have an answer from
others less well."""

REREAD: Final = 10
"""The passages, best by words, that the meaning model orders anew. Each takes it 0.13 s."""

_COLUMNS: Final = {"own": 4.0, "over": 2.0, "title": 1.5, "around": 1.0}
_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A word with a capital within a sentence, or one with a digit."""


class Fit(NamedTuple):
    """How well a passage fits a question. `share` is how much of it the passage and what stands
    around it have, in how many `words`; `has_names` whether every name of the question is among
    that."""

    passage: SourcePassage
    share: float
    has_names: bool
    words: int

    @property
    def found(self) -> bool:
        """Whether it may be told as found."""
        return self.has_names and self.share >= FITS

    @property
    def near(self) -> bool:
        """Whether it is close enough to be shown: one word alone is no nearness, unless it is the
        name that was asked for."""
        return self.share >= NEAR and (self.has_names or self.words > 1)


def fits(question: str, passages: Sequence[SourcePassage]) -> list[Fit]:
    """The passages that have a word of a question in them or around them, best first.

    Where words alone find none for sure, those that come near are ordered by the worker's model of
    meaning as well, if it has one.
    """
    plain = " ".join(TICKET_ID.sub(" ", question).split())
    with closing(FullTextIndex(_COLUMNS, [each.columns for each in passages])) as index:
        found = [match.row for match in index.search(plain)]
    terms, names = frozenset(telling_stems(plain)), _names(plain)
    held = [stems(" ".join(each.columns)) & terms for each in passages]
    ranked = _with_tickets_last(
        Fit(passages[at], len(held[at]) / max(len(terms), 1), names <= held[at], len(held[at]))
        for at in found
    )
    if any(fit.found for fit in ranked):
        return ranked
    near, far = [f for f in ranked if f.near], [f for f in ranked if not f.near]
    meaning = WORKERS_MEANING.get()() if len(near) > 1 else None
    if meaning is None:
        return ranked
    return _by_both(plain, near[:REREAD], meaning) + near[REREAD:] + far


def _with_tickets_last(ranked: Iterable[Fit]) -> list[Fit]:
    """Tickets say in a line what texts say in full: they go before these only where they have more
    of the question."""
    tickets, texts = list[Fit](), list[Fit]()
    for fit in ranked:
        (tickets if fit.passage.ticket else texts).append(fit)
    most = max((fit.share for fit in texts), default=0.0)
    first = [fit for fit in tickets if fit.share > most]
    return [*first, *texts, *(fit for fit in tickets if fit.share <= most)]


def _by_both(question: str, ranked: Sequence[Fit], meaning: Meaning) -> list[Fit]:
    known = {str(place): fit for place, fit in enumerate(ranked)}
    vectors = [
        (name, passage_vector(meaning, ". ".join((*fit.passage.columns[2:0:-1], fit.passage.text))))
        for name, fit in known.items()
    ]
    orders = (Order(1.0, list(known)), Order(1.0, by_meaning(meaning.question(question), vectors)))
    scores = fused(orders, len(known))
    return [known[name] for name in sorted(known, key=lambda name: -scores[name])]


def _names(question: str) -> frozenset[str]:
    """What a passage about another thing lacks: names, numbers, and currencies."""
    currencies = frozenset(map(stem, currency_words()))
    named = frozenset(each for name in _NAME.findall(question) for each in stems(name))
    return (named | currencies) & frozenset(telling_stems(question))
