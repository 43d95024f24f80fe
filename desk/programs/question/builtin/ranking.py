"""Which passages answer a question, by the words that they have in common with it.

A word counts by how rare it is among the passages (as in BM25), and by where it stands: in the
passage, over it, before it in its paragraph, or in the title. A passage that answers has nearly all
of what is asked, every name and figure of it, and a thing of the kind that is wanted.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Final

from desk.programs.question.builtin.passages import Passage, SourceKind
from desk.programs.question.question_reading import Question, Wanted
from desk.trust.conflicts import STOP_WORDS, stems, tokens

ENOUGH: Final = 0.72
"""The share of what is asked that a passage must have to answer it."""

_IN_IT, _OVER_IT, _IN_TITLE, _BEFORE_IT, _IN_SOURCE = 1.0, 0.9, 0.8, 0.75, 0.4
_KIND_WORD: Final = 0.3
_ESSENTIAL: Final = 1.4
_FOCUS: Final = 1.6
_MISLED: Final = 1.6
"""How much more a missing word weighs that says which of several things is meant."""

_FEW_TERMS: Final = 3
"""A question of no more words than these is answered by nothing that lacks one of them."""

_NUMBER_WORDS: Final = stems(
    "two three four five six seven eight nine ten eleven twelve fifteen eighteen twenty thirty"
    " forty fifty hundred thousand million half third quarter twice once dozen"
)
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DAYS: Final = re.compile(
    rf"\b\d{{1,2}}(?: and \d{{1,2}})? {_MONTH}(?: \d{{4}})?\b"
    rf"|\b{_MONTH}(?: \d{{1,2}}\b)?(?:,? \d{{4}})?\b"
    r"|\b(?:19|20)\d{2}\b|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"
)
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d{2}\b|\b(?:midnight|noon)\b")
_LENGTH: Final = re.compile(
    r"\b[\w.,]+(?: business| trading| calendar)?"
    r" (?:second|minute|hour|day|week|month|quarter|year)s?\b"
)
_NOT: Final = re.compile(r"\b(?:not|never|no|nobody|none)\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"\b[A-Z][\w'’-]+(?:\s+(?:[a-z]{2,3}\s+)?[A-Z][\w'’-]+)+")
_ROLES: Final = re.compile(
    r"\b(?:analyst|officer|engineer|head|chair|editor|manager|committee|deputy|director|desk|group"
    r"|board|team|auditor|agency|bank|clearing|trust)s?\b",
    re.IGNORECASE,
)
_REASONS: Final = re.compile(
    r"\bbecause\b|\bcaus|\breason|\bdue to\b|\bowing to\b|\bso that\b|\bfault\b|\bafter\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage with how well it fits a question. `coverage` runs from 0 to 1."""

    passage: Passage
    score: float
    coverage: float
    lacks: frozenset[str]
    fits: bool

    @property
    def answers(self) -> bool:
        """Whether it is an answer, and not only about the same things."""
        return self.fits and self.coverage >= ENOUGH


def rank(question: Question, passages: Sequence[Passage]) -> tuple[Ranked, ...]:
    """All passages, best first; of two that fit alike, the one that was brought first."""
    weight = _weights(question, passages)
    words = _words_of_sources(passages)
    ranked = [_ranked(question, each, weight, words[each.thing]) for each in passages]
    return tuple(sorted(ranked, key=lambda each: -each.score))


def has_what_is_wanted(question: Question, passage: Passage) -> bool:
    """Whether a passage holds a thing of the kind asked for that the question does not hold."""
    return _HAS[question.wanted](question, passage)


def _weights(question: Question, passages: Sequence[Passage]) -> dict[str, float]:
    held = Counter(t for p in passages for t in question.terms if t in p.own)
    count = len(passages)
    return {
        term: log(1 + (count - held[term] + 0.5) / (held[term] + 0.5))
        * (_ESSENTIAL if term in question.essential else 1.0)
        * (_KIND_WORD if term in question.kind_words else 1.0)
        * (_FOCUS if term in question.focus else 1.0)
        for term in question.terms
    }


def _ranked(
    question: Question, passage: Passage, weight: dict[str, float], source: frozenset[str]
) -> Ranked:
    credit = {term: _credit(term, passage, source) for term in question.terms}
    lacks = frozenset(term for term, worth in credit.items() if worth <= _IN_SOURCE)
    whole = sum(
        value * (_MISLED if not credit[term] and term in question.leading else 1.0)
        for term, value in weight.items()
    )
    coverage = sum(weight[t] * worth for t, worth in credit.items()) / whole if whole else 0.0
    inside = sum(weight[t] for t in question.terms if t in passage.own) / whole if whole else 0.0
    wanted = has_what_is_wanted(question, passage)
    score = (
        coverage
        + 0.2 * inside
        + (0.2 if wanted else 0.0)
        + (0.1 if _counts(question, passage) else 0.0)
        + (0.3 if question.negated and _NOT.search(passage.text) else 0.0)
        + 0.03 * _adjoining(question, passage)
        - (0.2 if question.focus - passage.own - passage.over - passage.about else 0.0)
        - 0.001 * len(passage.own)
        - (0.3 if passage.kind is SourceKind.TICKET else 0.0)
    )
    needed = question.essential
    hard = frozenset(question.terms) - question.kind_words
    if len(hard) <= _FEW_TERMS:
        needed |= hard
    return Ranked(passage, score, coverage, lacks, wanted and not lacks & needed)


def _adjoining(question: Question, passage: Passage) -> float:
    """The share of the words standing side by side in a question that do so in a passage."""
    if not question.pairs:
        return 0.0
    return len(question.pairs & {*pairwise(passage.words)}) / len(question.pairs)


def _credit(term: str, passage: Passage, source: frozenset[str]) -> float:
    if term in passage.own:
        return _IN_IT
    if term in passage.over:
        return _OVER_IT
    if term in passage.about:
        return _IN_TITLE
    if term in passage.before:
        return _BEFORE_IT
    return _IN_SOURCE if term in source else 0.0


def _words_of_sources(passages: Sequence[Passage]) -> dict[str, frozenset[str]]:
    gathered: dict[str, set[str]] = {}
    for passage in passages:
        gathered.setdefault(passage.thing, set()).update(passage.own | passage.over)
    return {thing: frozenset(words) for thing, words in gathered.items()}


def _counts(question: Question, passage: Passage) -> bool:
    """Whether a number stands before what is counted: `20 minutes`."""
    if not question.after_counting:
        return False
    words = list(tokens(passage.text))
    return any(
        word.stem in question.after_counting
        and any(_is_number(w.written, w.stem) for w in words[max(0, place - 3) : place])
        for place, word in enumerate(words)
    )


def _is_number(written: str, stem: str) -> bool:
    return any(sign.isdigit() for sign in written) or stem in _NUMBER_WORDS


def _unasked(question: Question, passage: Passage) -> Iterable[tuple[str, str]]:
    asked = question.asked
    for word in tokens(passage.text):
        if word.stem not in asked:
            yield word.written, word.stem


def _has_number(question: Question, passage: Passage) -> bool:
    return any(_is_number(written, stem) for written, stem in _unasked(question, passage))


def _has_time(question: Question, passage: Passage) -> bool:
    """A day, a time of day, or a length of time after which something is. Where the question holds
    a time of day, it asks for a day."""
    patterns = (_DAYS, _LENGTH) if _CLOCK.search(question.text) else (_DAYS, _CLOCK, _LENGTH)
    return any(_has_new(pattern, question, passage) for pattern in patterns)


def _has_length(question: Question, passage: Passage) -> bool:
    return _has_new(_LENGTH, question, passage) or bool(passage.span.cells)


def _has_new(pattern: re.Pattern[str], question: Question, passage: Passage) -> bool:
    asked = question.asked
    return any(not stems(found[0]) <= asked for found in pattern.finditer(passage.text))


def _has_person(question: Question, passage: Passage) -> bool:
    asked = question.asked
    named = (stems(found) - asked for found in _NAMED.findall(passage.text))
    if any(len(name) > 1 for name in named):
        return True
    roles = (stems(found) for found in _ROLES.findall(passage.text))
    return any(not role <= asked for role in roles)


def _has_reason(question: Question, passage: Passage) -> bool:
    columns = " ".join(passage.span.columns)
    return _REASONS.search(f"{passage.text} {columns}") is not None and _has_anything(
        question, passage
    )


def _has_anything(question: Question, passage: Passage) -> bool:
    unasked = _unasked(question, passage)
    denies = not question.negated and _NOT.search(passage.text) is not None
    return denies or any(written.lower() not in STOP_WORDS for written, _ in unasked)


def _has_word_on_it(_question: Question, _passage: Passage) -> bool:
    """Whether something is so is said by the very words that ask for it."""
    return True


_HAS: Final[dict[Wanted, Callable[[Question, Passage], bool]]] = {
    Wanted.NUMBER: _has_number,
    Wanted.DURATION: _has_length,
    Wanted.TIME: _has_time,
    Wanted.PERSON: _has_person,
    Wanted.REASON: _has_reason,
    Wanted.WHETHER: _has_word_on_it,
    Wanted.ANYTHING: _has_anything,
}
