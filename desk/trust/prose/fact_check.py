"""Applies a model's fact check to the text that it read: numbers its sentences, and leaves out
those that the check objects to. A check can only remove sentences."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from desk.contracts.base import MOST_SHORT
from desk.contracts.findings.results import Commentary, ConflictRecord
from desk.contracts.findings.verdicts import (
    FactCheck,
    FactCheckRecord,
    RejectedFigure,
)
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import AgentResult, StateEntry
from desk.trust.prose.prose_review import commentary_texts, without_rejected
from desk.trust.prose.references import LONGEST_TEXT, references
from desk.trust.prose.sentences import split_sentences
from desk.trust.prose.synthesis_review import NOTHING_LEFT, answer_texts

FACT_CHECK_RULES: Final = 1
"""The edition of the rules that texts are checked by."""


class NumberedSentence(NamedTuple):
    """A sentence of a text, by its number from 1."""

    number: int
    place: str
    prose: str


def numbered_sentences(text: AgentResult) -> tuple[NumberedSentence, ...]:
    """Returns the sentences that the writer of a text wrote, in order; not those of a hypothesis,
    which says what may come, and which a price decides."""
    places = ((place, piece) for place, prose in _texts(text) for piece in split_sentences(prose))
    written = ((place, piece.strip()) for place, piece in places if piece.strip())
    return tuple(NumberedSentence(n, *each) for n, each in enumerate(written, start=1))


def objected_sentences(text: AgentResult, check: FactCheck) -> tuple[RejectedFigure, ...]:
    """Returns the sentences of a text that a check objects to, with the reasons, for its writer."""
    sentences = {each.number: each for each in numbered_sentences(text)}
    return tuple(
        RejectedFigure(
            place=found.place,
            written=f"[[{each.claim}]]" if each.claim else found.prose[:MOST_SHORT],
            sentence=found.prose[:LONGEST_TEXT],
            reason=each.reason,
        )
        for each in check.objections
        if (found := sentences.get(each.sentence)) is not None
    )


def fact_checked(
    text: AgentResult,
    check: FactCheck,
    state: Sequence[StateEntry] = (),
    conflicts: Sequence[ConflictRecord] = (),
    question: str = "",
) -> AgentResult | None:
    """Returns the text without the sentences that a check objects to, with the record of the check;
    None if nothing is left of it. `state`, `conflicts` and `question` are those of its writer."""
    objected = objected_sentences(text, check)
    left = without_rejected(text, objected, state, conflicts, question)
    if objected and _is_empty(left, text):
        return None
    before = numbered_sentences(text)
    omitted = {each.sentence for each in check.objections} & {each.number for each in before}
    if isinstance(text, Synthesis):
        # The record counts them; `dropped` lists figures that are not claims.
        left = left.model_copy(update={"dropped": text.dropped})
    record = FactCheckRecord(
        rules=FACT_CHECK_RULES,
        sentences=len(before),
        omitted=len(omitted),
        ignored=check.ignored,
    )
    return left.model_copy(update={"fact_check": record})


def not_fact_checked(text: AgentResult, reason: str) -> AgentResult:
    """Returns the text as it was written, with the reason why no model checked it."""
    record = FactCheckRecord(rules=FACT_CHECK_RULES, unchecked=reason[:LONGEST_TEXT])
    return text.model_copy(update={"fact_check": record})


def _is_empty(left: AgentResult, text: AgentResult) -> bool:
    """Returns whether a text has lost what makes it one: an answer its summary, or the sentence
    that decides it; a commentary all of its words."""
    if isinstance(left, Synthesis) and isinstance(text, Synthesis):
        first = split_sentences(text.summary)[:1] != split_sentences(left.summary)[:1]
        return left.summary == NOTHING_LEFT or (first and text.decided is not None)
    if isinstance(left, Commentary):
        return not numbered_sentences(left)
    return False


def _texts(text: AgentResult) -> Iterator[tuple[str, str]]:
    if isinstance(text, Synthesis):
        yield from answer_texts(text)
    elif isinstance(text, Commentary):
        yield from ((each.place, each.prose) for each in commentary_texts(text))


def cited_in(sentence: NumberedSentence) -> tuple[str, ...]:
    """Returns the names of the claims and quotations that a sentence cites, each once."""
    return tuple(dict.fromkeys(references(sentence.prose)))
