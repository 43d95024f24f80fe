"""Which passages match a question: by SQLite's FTS5, and by the embedding model if words are
inconclusive."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from desk.analytics.names.currencies import currency_words
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import AskedSubject, subjects_asked
from desk.analytics.retrieval.full_text import FullTextIndex, content_stems, stem, stems, words
from desk.analytics.retrieval.meaning import (
    WORKER_EMBEDDING_MODEL,
    EmbeddingModel,
    by_meaning,
    passage_vector,
)
from desk.contracts.question.tickets import TICKET_ID
from desk.programs.question.builtin.synthesis.written.passages import SourcePassage

FITS: Final = 0.7
MOSTLY: Final = 0.6
MANY: Final = 5
NEAR: Final = 0.4
"""The shares of a question's content words that a passage and its context must contain: `FITS` to
count as found, `MOSTLY` to count as found if these are `MANY` words and a value is given, and
`NEAR` to be shown as the nearest. `python -m tests.knowledge.floors` shows what each share accepts.
Weighting rare words more was worse at separating questions that have an answer from others. Of 346
building questions (eight seeds of `desk eval`, and those of tests/knowledge) these reject 96 % of
those without an answer; without `MANY` and `Fit.answers` 75 %."""

REREAD: Final = 20
"""The number of passages, best by words, that the embedding model reorders. Each takes 0.01 s."""

_COLUMNS: Final = {"own": 4.0, "over": 2.0, "title": 1.5, "around": 1.0}
_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A capitalised word within a sentence, or one with a digit."""

_WORD: Final = re.compile(r"([^\W_]+)(?:['’]s\b)?")

_FIRST: Final = re.compile(r"(?:^|[.?!:]\s+)([A-Z][\w&]*)")
"""A capitalised word that begins a sentence."""

_Table = tuple[str, str, tuple[str, ...]]
"""The source of a table, its place in the source, and the heads of its columns."""


class Fit(NamedTuple):
    """How well a passage matches a question. `share` is the share of the question's words that the
    passage and its context contain, `words` their number, `own` the share in the passage itself.
    `has_names`: they contain every name of the question and mention every subject of it. `names` is
    the number of names in the question. `has_value`: it gives a number or a name that neither the
    question nor its title has. `of_named`: its title, or what links to it, has every name of the
    question. `of_subject`: it mentions a subject of the question, if that has one."""

    passage: SourcePassage
    share: float
    has_names: bool
    words: int
    own: float = 0.0
    names: int = 0
    has_value: bool = False
    of_named: bool = False
    of_subject: bool = True

    @property
    def found(self) -> bool:
        """Whether it counts as found: with most of the question, or with a smaller share of more
        words. A single word is not enough, unless it is the name of the passage's subject."""
        much = self.share >= MOSTLY and self.words >= MANY and self.has_value
        few = self.words < 2 and not self.of_named
        return self.has_names and (much or (self.share >= FITS and not few))

    @property
    def answers(self) -> bool:
        """Whether it gives a value for what the question names; for a question without names,
        always."""
        return self.has_value or not self.names

    @property
    def near(self) -> bool:
        """Whether it is near enough to be shown: it is about what is named, or has enough words. A
        single word is not enough, unless it is the name that was asked for."""
        return self.of_named or (self.share >= NEAR and (self.has_names or self.words > 1))


def fits(
    question: str, passages: Sequence[SourcePassage], subjects: Collection[AskedSubject] = ()
) -> list[Fit]:
    """Returns the passages with a word of a question in them or in their context, best first. A
    passage must also mention the question's `subjects` that the desk knows: the next meeting of
    another body is not the bank's.

    A question may identify a thing by what another text says about it, as in `the vendor that moves
    to Oslo`. So the words of the best passage are added to the other passages on the same subject,
    and all are ranked again.

    If words alone find no certain match, the near passages are ordered by the worker's embedding
    model, if it has one; then those that give a value come before those that give none.
    """
    plain = " ".join(TICKET_ID.sub(" ", question).split())
    asked = _QuestionWords(plain, passages, frozenset(subjects))
    ranked = asked.ranked(passages)
    led = _lent(asked, ranked, passages)
    if led is not None:
        ranked = asked.ranked(led)
    near, far = [f for f in ranked if f.near], [f for f in ranked if not f.near]
    if not len(near) > 1 or (near and near[0].found):
        return ranked
    meaning = WORKER_EMBEDDING_MODEL.get()()
    first = near[:REREAD]
    if meaning is not None:
        first = _nearest_in_meaning(asked, first, meaning)
    first.sort(key=lambda fit: not fit.has_value)
    return first + near[REREAD:] + far


def is_of_others(passage: SourcePassage, subjects: Collection[AskedSubject]) -> bool:
    """Returns whether a passage, or its title, mentions such subjects, and none of these."""
    told = _subjects_in(" ".join((*passage.columns[:3], passage.span.before)))
    return bool(told) and not any(asked.is_covered_by(each) for asked in subjects for each in told)


def distinct_fits(ranked: Iterable[Fit]) -> list[Fit]:
    """Returns the passages without duplicates, in their order. Of a text that several sources have
    word for word, as reports of a series do, keeps the one with the last id, which is the
    newest."""
    newest: dict[str, Fit] = {}
    for fit in ranked:
        held = newest.setdefault(fit.passage.text, fit)
        if held.passage.thing < fit.passage.thing:
            newest[fit.passage.text] = fit
    return list(newest.values())


class _QuestionWords:
    """A question as passages are compared with it: its content words, names and subjects."""

    def __init__(
        self, plain: str, passages: Sequence[SourcePassage], subjects: frozenset[AskedSubject]
    ) -> None:
        self.plain = plain
        self.subjects = subjects
        # A place is a name like others: two may be in two rows.
        self.known = frozenset(s for s in subjects if s.kind is not NamedAs.SEAT)
        self.terms = frozenset(content_stems(plain))
        titles = {each.source: stems(each.columns[2]) for each in passages}
        self.in_titles = Counter(stem for title in titles.values() for stem in title)
        self.sources = len(titles)
        begins = frozenset(stem(word) for word in _FIRST.findall(plain))
        self.called = _called(plain) & self.terms | frozenset(
            word for word in begins & self.terms if self.is_rare_title(word)
        )
        self.names = self.called | _currencies() & self.terms

    def is_rare_title(self, word: str) -> bool:
        """Returns whether a word is in few titles, so that it identifies a thing."""
        return 0 < self.in_titles[word] <= max(2, self.sources // 8)

    def ranked(self, passages: Sequence[SourcePassage]) -> list[Fit]:
        """Returns the passages that have a word of the question, best first."""
        with closing(FullTextIndex(_COLUMNS, [each.columns for each in passages])) as index:
            found = index.search(self.plain)
        most = found[0].score if found else 1.0
        tables = self._tables(passages)
        scored = [(self._fit(passages[m.row], tables), m.score / most) for m in found]
        scored.sort(key=lambda each: -self._score(*each))
        return _with_tickets_last(fit for fit, _ in scored)

    def _tables(self, passages: Sequence[SourcePassage]) -> dict[_Table, frozenset[str]]:
        """Returns for each table whose rows the question names the words of the question in all of
        these rows together: each of two named rows only has its own name."""
        held: dict[_Table, frozenset[str]] = {}
        for each in passages:
            if self._names_row(each):
                table = _table_of(each)
                said = stems(" ".join(each.columns)) & self.terms
                held[table] = held.get(table, frozenset()) | said
        return held

    def _names_row(self, passage: SourcePassage) -> bool:
        row = passage.span.row
        first = stems(row.cells[0]) if row else frozenset[str]()
        return bool(first) and first <= self.terms

    def _score(self, fit: Fit, bm25: float) -> float:
        """Returns the score that orders passages; `bm25` is from 0 to 1. The weights were tried
        with the building questions: halving or doubling each changes two of 386."""
        named = fit.has_names and fit.names > 0
        return bm25 + fit.share + (fit.own + named) / 2

    def _fit(self, passage: SourcePassage, tables: Mapping[_Table, frozenset[str]]) -> Fit:
        held = stems(" ".join(passage.columns)) & self.terms
        own = stems(" ".join(passage.columns[:2])) & self.terms
        if self._names_row(passage):
            held |= tables[_table_of(passage)]
        count = max(len(self.terms), 1)
        spoken_of = self._subjects_of(passage, len(held) / count)
        return Fit(
            passage,
            len(held) / count,
            self.names <= held and self.known <= spoken_of,
            len(held),
            len(own) / count,
            len(self.names),
            self._has_value(passage),
            bool(self.called) and self.called <= stems(f"{passage.columns[2]} {passage.linked}"),
            bool(spoken_of) or not self.subjects,
        )

    def _subjects_of(self, passage: SourcePassage, share: float) -> frozenset[AskedSubject]:
        """Returns the question's subjects that a passage mentions, without those in the text that
        links to it. Finding them takes some milliseconds, so passages that are too far to be shown
        are skipped."""
        if not self.subjects or share < NEAR:
            return frozenset()
        told = _subjects_in(" ".join((*passage.columns[:3], passage.span.before)))
        return frozenset(asked for asked in self.subjects if any(map(asked.is_covered_by, told)))

    def _has_value(self, passage: SourcePassage) -> bool:
        """Returns whether a passage gives a number or a name that neither the question nor its
        title has."""
        said = frozenset(stem(part) for name in _NAME.findall(passage.text) for part in words(name))
        return bool(said - self.terms - stems(passage.columns[2]))


def _table_of(passage: SourcePassage) -> _Table:
    row = passage.span.row
    return passage.source, passage.within or "", row.heads if row else ()


def _lent(
    asked: _QuestionWords, ranked: Sequence[Fit], passages: Sequence[SourcePassage]
) -> list[SourcePassage] | None:
    """Returns the passages, those on the subject of the best one with its words added to their
    context; None if the best one does not contain what the question names, has it in its title, or
    no other passage is on the same subject."""
    best = next(iter(ranked), None)
    if best is None or not asked.called or not asked.called <= stems(best.passage.text):
        return None
    title = stems(best.passage.columns[2])
    about = frozenset(w for w in title - asked.terms if asked.is_rare_title(w))
    if not about or asked.called <= title:
        return None
    source = best.passage.source
    kin = [each.source != source and bool(about & stems(each.columns[2])) for each in passages]
    if not any(kin):
        return None
    told = f"{best.passage.source} {best.passage.text}"
    return [
        replace(each, linked=f"{each.linked} {told}") if is_kin else each
        for each, is_kin in zip(passages, kin, strict=True)
    ]


def _with_tickets_last(ranked: Iterable[Fit]) -> list[Fit]:
    """Puts tickets after texts, which say in full what tickets say in a line, unless they have more
    of the question."""
    tickets, texts = list[Fit](), list[Fit]()
    for fit in ranked:
        (tickets if fit.passage.ticket else texts).append(fit)
    most = max((fit.share for fit in texts), default=0.0)
    first = [fit for fit in tickets if fit.share > most]
    return [*first, *texts, *(fit for fit in tickets if fit.share <= most)]


def _nearest_in_meaning(
    asked: _QuestionWords, ranked: Sequence[Fit], meaning: EmbeddingModel
) -> list[Fit]:
    """Orders passages by meaning alone, because words were inconclusive. Removes the question's
    names from it and from the passages, which are already about these: a name would count more than
    everything else. Over the 75 colloquial questions of five building seeds (6000 to 6004) the
    first is right for 38 this way and one of three for 56, for 29 and 47 with the names, for 22 and
    44 by words."""
    known = {str(place): fit for place, fit in enumerate(ranked)}
    vectors = [
        (name, passage_vector(meaning, _without(asked.called, f"{heading}. {text}")))
        for name, fit in known.items()
        for text, heading, *_ in (fit.passage.columns,)
    ]
    question = meaning.question(_without(asked.called, asked.plain))
    return [known[name] for name in by_meaning(question, vectors)]


def _without(called: frozenset[str], text: str) -> str:
    """Returns a text without the words of names."""
    return _WORD.sub(lambda found: "" if stem(found[1]) in called else found[0], text)


def _called(question: str) -> frozenset[str]:
    """Returns the words of names and numbers, which a passage about another thing lacks."""
    return frozenset(each for name in _NAME.findall(question) for each in stems(name))


@lru_cache(maxsize=2_000)
def _subjects_in(text: str) -> tuple[AskedSubject, ...]:
    return subjects_asked(text)


@cache
def _currencies() -> frozenset[str]:
    return frozenset(map(stem, currency_words()))
