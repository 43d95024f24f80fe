"""What fits a question best, by FTS5's bm25, and how much of the question it has.

A word counts by how rare it is among all that was found, and by where it stands: in the words
themselves, over them, in their title, or before them. What answers has most of what is asked, by
that weight, and every name and figure of it.
"""

import re
from collections.abc import Sequence
from contextlib import closing
from math import log
from typing import Final, NamedTuple

from desk.analytics.full_text import FullTextIndex, stem, stems, telling_stems
from desk.analytics.names.currencies import currency_words
from desk.programs.question.builtin.asking import TICKET_ID

ENOUGH: Final = 0.6
"""The share of what is asked that an answer has."""

FEW: Final = 3
"""A question of no more words than these is answered by nothing that lacks one of them which stands
elsewhere."""

UNKNOWN: Final = 0.4
"""What a word that stands nowhere weighs, of what a rare one does: it may be a manner of
speaking."""

BY_SCORE: Final = 0.3
"""How much of the order is bm25's, which knows how often a word stands in how long a text."""

_COLUMNS: Final = {"own": 4.0, "over": 2.0, "title": 1.5, "before": 1.0}
_CREDIT: Final = {"own": 1.0, "over": 0.9, "title": 0.8, "before": 0.75}
"""What a word counts by where it stands: in the order, and in the share."""

_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A word with a capital within a sentence, or one with a digit."""


class Words(NamedTuple):
    """Words that may answer, and what stands around them."""

    own: str
    over: str = ""
    title: str = ""
    before: str = ""


class Fit(NamedTuple):
    """How well the words at a place fit a question. `share` is how much of it they have, by weight,
    with those around them; `has` are its words that they have, `lacks` the others."""

    place: int
    score: float
    share: float
    has: frozenset[str]
    lacks: frozenset[str]
    answers: bool


class Asked(NamedTuple):
    """What a question asks for: its telling words, and those of them that an answer cannot lack."""

    terms: tuple[str, ...]
    names: frozenset[str]


def asked(question: str) -> Asked:
    """The words of a question, tickets' ids aside."""
    plain = TICKET_ID.sub(" ", question)
    terms = telling_stems(plain)
    currencies = {stem(word) for word in currency_words()}
    names = frozenset(each for name in _NAME.findall(plain) for each in stems(name)) | currencies
    return Asked(terms, names & frozenset(terms))


def fits(question: str, held: Sequence[Words]) -> list[Fit]:
    """What has a word of a question in it, best first; of what fits alike, the first of all."""
    terms, names = asked(question)
    known = [_credits(frozenset(terms), each) for each in held]
    weights = {term: _rarity(sum(term in has for has in known), len(held)) for term in terms}
    needed = names if len(terms) > FEW else names | frozenset().union(*known)
    whole = sum(weights.values()) or 1.0
    with closing(FullTextIndex(_COLUMNS, held)) as index:
        found = index.search(" ".join(TICKET_ID.sub(" ", question).split()))
    best = found[0].score if found else 1.0
    ranked = []
    for place, score in found:
        has = known[place]
        share = sum(weights[term] * credit for term, credit in has.items()) / whole
        answers = share >= ENOUGH and needed <= has.keys()
        order = share + BY_SCORE * score / best
        lacks = frozenset(terms) - has.keys()
        ranked.append(Fit(place, order, share, frozenset(has), lacks, answers))
    return sorted(ranked, key=lambda fit: (-fit.score, fit.place))


def _credits(terms: frozenset[str], held: Words) -> dict[str, float]:
    """What each of some terms counts that stand in words or around them."""
    found: dict[str, float] = {}
    for column, credit in reversed(list(_CREDIT.items())):
        for term in terms & stems(getattr(held, column)):
            found[term] = max(found.get(term, 0.0), credit)
    return found


def _rarity(holding: int, among: int) -> float:
    if not holding:
        return UNKNOWN * log(1 + 2 * among)
    return log(1 + (among - holding + 0.5) / (holding + 0.5))
