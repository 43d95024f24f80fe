"""The parts of a question that asks for two things in one sentence.

It may be split wherever a conjunction does not join two names. The embedding model decides whether
both sides ask for something, and for different things. A part that names nothing is about the
subjects of the part before it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.periods import READ, UNREAD
from desk.analytics.names.subjects import (
    KIND_NAMES,
    AskedSubject,
    by_their_kinds,
    pairs_named,
    subjects_as_written,
    subjects_asked,
)
from desk.analytics.retrieval.full_text import stems
from desk.contracts.agents.tasks import DAYS_ASKED, DAYS_READ, RANK, Query
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.kinds import NOT_KNOWN, OF_A_BANK, QuestionKind
from desk.programs.question.builtin.synthesis.markets.asked import (
    Aspect,
    MarketQuestion,
    market_question,
)
from desk.programs.question.builtin.synthesis.markets.results import is_of_a_bank

_JOINT: Final = re.compile(r"\s*[,;?]\s+(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"\b(?:it|they|its|their)\b", re.IGNORECASE)
_IN_ITS_PLACE: Final = re.compile(r"\b(?:it|they)\b", re.IGNORECASE)
_ARTICLE: Final = "the"

_TOLD_ALIKE: Final = {
    QuestionKind.CHANGED: QuestionKind.DECIDED,
    QuestionKind.LEVEL: QuestionKind.MOVE,
    **dict.fromkeys(NOT_KNOWN, QuestionKind.OTHER),
}


class QuestionPart(NamedTuple):
    """A part of a question as `written`, as a question of its own with its subject, and the
    research on that."""

    written: str
    question: MarketQuestion
    research: tuple[ResearchResult, ...]

    @property
    def is_known(self) -> bool:
        """Whether the desk's facts may answer it."""
        return bool(self.research) and self.question.kind not in NOT_KNOWN

    @property
    def is_of_banks(self) -> bool:
        """Whether only central banks were researched for it."""
        return is_of_a_bank(self.research) and not _has_pairs(self.research)

    @property
    def _topic(self) -> QuestionKind | Aspect | None:
        """What it asks for, as far as answers differ by it; None if unknown. Words that name
        nothing may not be a part if they ask for no figure of a bank or pair."""
        aspect, kind = self.question.asked.aspect, self.question.kind
        told = aspect or self.question.asked.unmeasured or subjects_asked(self.written)
        if kind not in OF_A_BANK and not told:
            return None
        if aspect not in (None, Aspect.LEVEL, Aspect.MOVE):
            return aspect
        return _TOLD_ALIKE.get(kind, kind) if kind else None

    def is_apart_from(self, other: "QuestionPart") -> bool:
        """Returns whether both parts ask for something, and for different things."""
        topics = self._topic, other._topic
        return None not in topics and topics[0] != topics[1]


def parts_of(
    question: MarketQuestion, research: Sequence[ResearchResult]
) -> tuple[QuestionPart, ...]:
    """Returns the two parts of a question; empty if it is uncertain that two things are asked for.
    In a question that is understood as one, a second part must name what it asks about."""
    # A question about a bank is not understood as one if only pairs were researched for it.
    is_of_prices = question.kind not in OF_A_BANK | {None} and not is_of_a_bank(research)
    is_read = is_of_prices and not question.is_unsure and not question.left.others
    for head, tail in halves(question.query.question):
        if is_read and not _names_what_it_asks(tail):
            continue
        of_it = _of_the_head(head, tail)
        parts = [
            _part(question, written, asked, research)
            for written, asked in ((head, head), (tail, of_it))
        ]
        known = tuple(part for part in parts if part is not None)
        apart = len(known) == len(parts) and known[0].is_apart_from(known[1])
        if apart and any(part.is_known for part in known):
            return known
    return ()


def _names_what_it_asks(tail: str) -> bool:
    """Returns whether a second part says what it asks about; `and by how much` does not."""
    return bool(subjects_asked(tail)) or _PRONOUN.search(tail) is not None


def _of_the_head(head: str, tail: str) -> str:
    """Returns the second part with what it is about: the subjects of the first in the place of its
    pronoun, or after it if it names none."""
    of_head = subjects_as_written(head)
    if not subjects_asked(tail):
        return f"{tail} {of_head}"
    return _IN_ITS_PLACE.sub(lambda _: of_head, tail, count=1) if of_head else tail


def halves(question: str) -> Iterator[tuple[str, str]]:
    """Yields the two sides of each place where a question may be split."""
    for joint in _JOINT.finditer(question):
        head, tail = question[: joint.start()], question[joint.end() :]
        if not _are_listed(by_their_kinds(head), by_their_kinds(tail)):
            yield head, tail


def _are_listed(head: str, tail: str) -> bool:
    """Returns whether the conjunction joins two names of one kind."""
    begun = tail.removeprefix(f"{_ARTICLE} ")
    return any(head.endswith(name) and begun.startswith(name) for name in KIND_NAMES)


def _part(
    whole: MarketQuestion, written: str, asked: str, research: Sequence[ResearchResult]
) -> QuestionPart | None:
    """Builds a part; None if it names nothing, or only names something that is not a currency. If
    the whole question names nothing, both parts are about everything that was researched."""
    says = stems(by_their_kinds(asked)) - stems(" ".join((*KIND_NAMES, _ARTICLE)))
    named, of_all = subjects_asked(asked), not subjects_asked(whole.query.question)
    is_pair = bool(named) and all(each.kind is NamedAs.CURRENCY for each in named)
    if not (says or is_pair) or not (named or of_all):
        return None
    own = tuple(research) if of_all else _of_what_is_named(asked, research)
    parameters = _parameters(whole.query, written)
    if sum("/" in each.market for each in own) < 2:
        parameters.pop(RANK, None)
    query = Query(question=asked, parameters=parameters)
    return QuestionPart(written.rstrip(" ?."), market_question(query, whole.window, own), own)


def _has_pairs(research: Sequence[ResearchResult]) -> bool:
    return any("/" in each.market for each in research)


def _of_what_is_named(asked: str, research: Sequence[ResearchResult]) -> tuple[ResearchResult, ...]:
    """Returns the research on the pairs that words name, or else on each subject. A currency alone
    is asked about against the dollar."""
    if pairs := pairs_named(asked):
        return tuple(each for each in research if each.market in pairs)
    subjects = subjects_asked(asked)
    named = tuple(each for each in research if any(_is_on(each.market, s) for s in subjects))
    if len({subject.code for subject in subjects}) > 1:
        return named
    return tuple(e for e in named if "/" not in e.market or DOLLAR in e.market) or named


def _is_on(market: str, subject: AskedSubject) -> bool:
    of_prices = subject.kind is NamedAs.CURRENCY
    return subject.code in market.split("/") if of_prices else market == AREAS.get(subject.code)


def _parameters(query: Query, written: str) -> dict[str, str]:
    """Returns the question's parameters, with only the days that a part of it names."""
    told = dict(query.parameters)
    unread = [each for each in told.pop(UNREAD, "").split(", ") if each and each in written]
    told |= {UNREAD: ", ".join(unread)} if unread else {}
    read = told.pop(DAYS_READ, told.get(READ, ""))
    if any(days in written for days in read.split(", ")):
        told |= {READ: read} if read else {}
    else:
        told.pop(DAYS_ASKED, None)
    return told
