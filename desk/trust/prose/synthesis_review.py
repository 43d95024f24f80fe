"""Checks the prose of a synthesis: its figures, references and quotations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from unicodedata import category

from pydantic import JsonValue

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.findings.verdicts import DroppedSentence, RejectedFigure
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    Section,
    Synthesis,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import Refinement
from desk.trust.conflicts import surviving_claims
from desk.trust.prose.gate import asked_in, rejected_figures
from desk.trust.prose.quotations import occurs_in
from desk.trust.prose.references import LONGEST_TEXT, REFERENCE, references
from desk.trust.prose.sentences import split_sentences

SUMMARY: Final = "summary"
NOTHING_LEFT: Final = (
    "What stood here was dropped, because it held figures or words that no source has."
)
UNSUPPORTED: Final = "it held a figure or words that stand in no source it names"
_NOT_THERE: Final = (
    "these words do not stand in the evidence it names, letter by letter: quote what stands there"
)
_QUOTE_IT: Final = "a source's words and figures are quoted by a reference such as [[q1]] alone"
_LASTING: Final = ("hypothesis", "further")
"""How the places of texts begin that are read without the question that they came from."""
_MARKS: Final = re.compile(r"[“”„‟«»\"]")
_FIGURES: Final = frozenset({"Nd", "Nl", "No"})
_TWICE: Final = "two quotations have this id: give each one of its own"
LONGEST_SENTENCE: Final = 4_000


def claims_in(
    state: Sequence[StateEntry], conflicts: Sequence[ConflictRecord] = ()
) -> dict[str, Claim]:
    """Returns the claims of all research in a graph's state that survive its conflicts."""
    found = (entry.result for entry in state)
    results = [result for result in found if isinstance(result, ResearchResult)]
    return surviving_claims(results, conflicts)


def quotable_evidence(state: Sequence[StateEntry]) -> dict[str, list[JsonValue]]:
    """Returns the evidence in a graph's state that can be quoted, by id."""
    found: dict[str, list[JsonValue]] = {}
    for entry in state:
        for evidence, item in zip(*_items(entry), strict=False):
            found.setdefault(evidence, []).append(item)
    return found


def _items(entry: StateEntry) -> tuple[Sequence[str], Sequence[JsonValue]]:
    match entry.result:
        case TicketsFound() as found:
            return found.evidence, [item.model_dump(mode="json") for item in found.tickets]
        case DocumentsRead() as read:
            return read.evidence, [item.markdown for item in read.documents]
        case PdfsRead() as read:
            return read.evidence, [[page.text for page in item.pages] for item in read.pdfs]
        case WebSearched() as searched:
            return searched.evidence, [item.model_dump(mode="json") for item in searched.results]
        case _:
            return (), ()


def review_synthesis(
    synthesis: Synthesis,
    state: Sequence[StateEntry],
    conflicts: Sequence[ConflictRecord] = (),
    question: str = "",
) -> tuple[RejectedFigure, ...]:
    """Returns what is wrong with a synthesis: figures outside of references, references to unknown
    claims or to figures that the question does not have, and quotations that are not in their
    evidence."""
    claims = claims_in(state, conflicts)
    quoted = {quotation.quotation_id for quotation in synthesis.quotations}
    quoted |= {hypothesis.reference for hypothesis in synthesis.hypotheses}
    asked = frozenset(asked_in(question))
    nodes = sorted((entry.node for entry in state), key=len, reverse=True)
    rejected = list(_wrong_quotations(synthesis, state))
    figures_pass = bool(claims) or not quotable_evidence(state)
    for place, prose in _texts(synthesis):
        typed = list(_typed(prose, place, nodes, figures_pass=figures_pass))
        others = quoted if place.startswith(_LASTING) else quoted | asked
        figures = rejected_figures(prose, claims, others=others, names=nodes, place=place)
        rejected += (each for each in figures if not _is_inside(each, typed))
        rejected += typed
    return tuple(rejected)


def _is_inside(figure: RejectedFigure, typed: Sequence[RejectedFigure]) -> bool:
    """Returns whether a figure is inside a word that is rejected as a whole."""
    return any(
        figure.written in each.written and figure.sentence == each.sentence for each in typed
    )


def without_unfounded(
    synthesis: Synthesis,
    rejected: Sequence[RejectedFigure],
    state: Sequence[StateEntry],
    conflicts: Sequence[ConflictRecord] = (),
    question: str = "",
) -> Synthesis:
    """Returns the synthesis without the sentences that contain rejected figures or references,
    listed in `dropped`, and without quotations that are in no source."""
    if not rejected:
        return synthesis
    wrong = {figure.written for figure in _wrong_quotations(synthesis, state)}
    quoted = (quotation.quotation_id for quotation in synthesis.quotations)
    likely = (hypothesis.reference for hypothesis in synthesis.hypotheses)
    known = {*claims_in(state, conflicts), *quoted, *likely, *asked_in(question)} - wrong
    sentences = {figure.sentence for figure in rejected}
    left: dict[str, str] = {}
    dropped: list[DroppedSentence] = []
    for place, prose in _texts(synthesis):
        pieces = split_sentences(prose)
        kept = [
            piece
            for piece in pieces
            if piece.strip()[:LONGEST_TEXT] not in sentences and known.issuperset(references(piece))
        ]
        dropped += [DroppedSentence(place=place, reason=UNSUPPORTED)] * (len(pieces) - len(kept))
        left[place] = "".join(kept).strip()
    cut = _with_texts(synthesis, left)
    return cut.model_copy(
        update={
            "summary": cut.summary or NOTHING_LEFT,
            "sections": tuple(section for section in cut.sections if section.content),
            "missing": tuple(line for line in cut.missing if line),
            "quotations": tuple(q for q in cut.quotations if q.quotation_id not in wrong),
            "dropped": (*synthesis.dropped, *dropped)[:200],
        }
    )


def _texts(synthesis: Synthesis) -> Iterator[tuple[str, str]]:
    """Yields all prose of a synthesis, each text with its place."""
    yield from _written_texts(synthesis)
    for number, line in enumerate(synthesis.missing, start=1):
        yield f"missing {number}", line


def _written_texts(synthesis: Synthesis) -> Iterator[tuple[str, str]]:
    """Yields the prose that the writer of a synthesis wrote, each text with its place. What is
    missing is the desk's."""
    yield from answer_texts(synthesis)
    for number, hypothesis in enumerate(synthesis.hypotheses, start=1):
        yield f"hypothesis {number}", hypothesis.statement
        yield f"hypothesis {number}, refuted by", hypothesis.refuted_by
    if synthesis.further is not None:
        yield "further objective", synthesis.further.objective
        yield "further objective, reason", synthesis.further.reason


def answer_texts(synthesis: Synthesis) -> Iterator[tuple[str, str]]:
    """Yields what a synthesis says of what was found, each text with its place. Hypotheses and a
    further objective are about what may come."""
    yield SUMMARY, synthesis.summary
    for number, section in enumerate(synthesis.sections, start=1):
        yield f"section {number}, title", section.title
        yield f"section {number}", section.content


def _with_texts(synthesis: Synthesis, texts: Mapping[str, str]) -> Synthesis:
    sections = tuple(
        Section(title=texts[f"section {n}, title"] or "Findings", content=texts[f"section {n}"])
        for n in range(1, len(synthesis.sections) + 1)
    )
    missing = tuple(texts[f"missing {n}"] for n in range(1, len(synthesis.missing) + 1))
    return synthesis.model_copy(
        update={
            "summary": texts[SUMMARY],
            "sections": sections,
            "missing": missing,
            "hypotheses": tuple(_hypotheses(synthesis, texts)),
            "further": _further(synthesis, texts),
        }
    )


def _hypotheses(synthesis: Synthesis, texts: Mapping[str, str]) -> Iterator[Hypothesis]:
    """Yields the hypotheses that still have a statement."""
    for number, hypothesis in enumerate(synthesis.hypotheses, start=1):
        statement = texts[f"hypothesis {number}"]
        refuted_by = texts[f"hypothesis {number}, refuted by"]
        if statement and refuted_by:
            yield hypothesis.model_copy(update={"statement": statement, "refuted_by": refuted_by})


def _further(synthesis: Synthesis, texts: Mapping[str, str]) -> Refinement | None:
    if synthesis.further is None or not texts["further objective"]:
        return None
    reason = texts["further objective, reason"] or NOTHING_LEFT
    return Refinement(objective=texts["further objective"], reason=reason)


def _wrong_quotations(
    synthesis: Synthesis, state: Sequence[StateEntry]
) -> Iterator[RejectedFigure]:
    found, seen = quotable_evidence(state), set[str]()
    for quotation in synthesis.quotations:
        name = quotation.quotation_id
        if name in seen:
            yield _rejected(name, quotation.text, _TWICE)
        elif not any(
            occurs_in(quotation.text, each) for each in found.get(quotation.evidence_id, [])
        ):
            yield _rejected(name, quotation.text, _NOT_THERE)
        seen.add(name)


def _typed(
    prose: str, place: str, nodes: Sequence[str], *, figures_pass: bool
) -> Iterator[RejectedFigure]:
    """Yields what looks like a source's words or figures but was written by the author: quotation
    marks and, unless `figures_pass`, every digit. Digits pass if there are claims that a date or a
    span may go with, or if nothing can be quoted. Names of nodes may contain digits."""
    for sentence in split_sentences(prose):
        own = REFERENCE.sub(" ", sentence)
        for name in nodes:
            own = own.replace(name, " ")
        marks = _MARKS.findall(own)
        figures = [] if figures_pass else [word for word in own.split() if _has_figure(word)]
        for written in (*figures, *marks)[:1]:
            yield RejectedFigure(
                place=place,
                written=written[:200],
                sentence=sentence.strip()[:LONGEST_SENTENCE],
                reason=_QUOTE_IT,
            )


def _has_figure(word: str) -> bool:
    return any(category(sign) in _FIGURES for sign in word)


def _rejected(name: str, words: str, reason: str) -> RejectedFigure:
    return RejectedFigure(place="quotation", written=name, sentence=words, reason=reason)
