"""The synthesis agent, asked of Claude: what was found, put together as the answer to a question.

The model writes prose with references and no figures. Whatever a source says in so many words is a
quotation: it must stand there as it is quoted, and where it stands is looked up and not believed.
"""

import json
from collections.abc import Collection, Iterator
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, Field, JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract, ShortText
from desk.contracts.question.knowledge import (
    KnowledgeDocument,
    PdfText,
    Quotation,
    SearchHit,
    Section,
    Synthesis,
    Ticket,
    things_of,
)
from desk.contracts.runs.turns import AgentResult, TurnContext, TurnRequest
from desk.programs.claude.answers import schema_of
from desk.programs.claude.findings import checked, nearest_to
from desk.programs.claude.prompts import prompt
from desk.programs.question.claude.knowledge_state import FOUND, told_parameters, told_state
from desk.trust.prose import ASKED, REFERENCE, occurs_in, references

_OF_MARKETS: Final = frozenset({"research", "validation"})

LONGEST_SECTION: Final = 8_000
LONGEST_SOURCE: Final = 500
"""The bound of `Quotation.source`."""

Summary = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=3_000)]
Prose = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_SECTION)
]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]


class ProposedSection(Contract):
    """A part of the answer."""

    title: Title
    content: Prose


class ProposedQuotation(Contract):
    """Words copied from a source, and the evidence that contains them."""

    quotation_id: Annotated[str, Field(pattern=r"^q[1-9][0-9]{0,2}$")]
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)]
    evidence: ShortText


class ProposedSynthesis(Contract):
    """The form of the model's answer."""

    summary: Summary
    sections: Annotated[tuple[ProposedSection, ...], Field(max_length=12)] = ()
    quotations: Annotated[tuple[ProposedQuotation, ...], Field(max_length=60)] = ()
    answered: bool = True


class _Place(NamedTuple):
    """Where words stand: in which thing, and on which page or in which field of it."""

    thing: BaseModel
    within: str | None = None


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """The question, what was found for it, and the desk's own answer if it has one, as JSON."""
    query, own = request.assignment.query, answer_in(base)
    found = _told_found(request)
    first_day, last_day = window_days(request.assignment.window)
    return json.dumps(
        {
            "question": query.question if query else None,
            "parameters": told_parameters(query),
            "as_of": request.assignment.window.end.isoformat(),
            "asked_for": request.assignment.instructions,
            "days": f"{first_day} to {last_day}" if found["markets"] else None,
            **found,
            "missing": own.missing,
            "answer_of_the_desk": _told_answer(own),
        },
        ensure_ascii=False,
    )


def _told_answer(own: Synthesis) -> dict[str, JsonValue]:
    """The desk's own answer. One that answers nothing only says again what was brought."""
    if not own.answered:
        return {}
    return {
        "summary": own.summary,
        "quotations": [
            {"quotation_id": q.quotation_id, "text": q.text, "evidence": q.evidence_id}
            for q in own.quotations
            if q.quotation_id in references(own.summary)
        ],
    }


def _told_found(request: TurnRequest) -> dict[str, JsonValue]:
    """What was brought: `markets` is what was measured and may be referred to, and `found` what may
    be quoted."""
    told = [each for each in told_state(request) if isinstance(each, dict)]
    markets: list[JsonValue] = [each for each in told if each.get("kind") in _OF_MARKETS]
    return {"found": [each for each in told if each not in markets], "markets": markets}


def _schema(request: TurnRequest) -> dict[str, JsonValue]:
    """The schema of the answer. It has no field for quotations if there is nothing to quote."""
    schema = schema_of(ProposedSynthesis)
    if not _told_found(request)["found"]:
        schema["properties"].pop("quotations")
        schema["$defs"].pop("ProposedQuotation")
    return schema


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Synthesis:
    """The answer in the model's words, with each quotation where it stands; what is missing is the
    desk's.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: a quotation does not stand in the evidence it names, a reference is to nothing,
            a sentence says otherwise than its claim, or the answer rests on nothing.
    """
    own, proposed = answer_in(base), ProposedSynthesis.model_validate_json(text)
    return checked(faults(request, proposed), lambda: written(request, own, proposed))


def written(request: TurnRequest, own: Synthesis, proposed: ProposedSynthesis) -> Synthesis:
    """The desk's answer in the words of one that has no faults. One whose quotations do not stand
    where they should is told so once: it is read as if it did not refer to them."""
    used = {name for _, prose in texts(proposed) for name in references(prose)}
    astray = {q.quotation_id for q in proposed.quotations if _place(request, q) is None}
    return own.model_copy(
        update={
            "summary": _without(astray, proposed.summary),
            "sections": tuple(
                Section(title=part.title, content=_without(astray, part.content))
                for part in proposed.sections
            ),
            "quotations": tuple(
                _quotation(request, line)
                for line in proposed.quotations
                if line.quotation_id in used - astray
            ),
            "answered": proposed.answered,
            # Whether what was quoted answers the question has been judged: by the model.
            "found": False,
            "dropped": (),
        }
    )


def _without(names: Collection[str], prose: str) -> str:
    """A text without the references to these."""
    return REFERENCE.sub(lambda found: "…" if found[1] in names else found[0], prose)


def answer_in(base: AgentResult | None) -> Synthesis:
    """The desk's own answer.

    Raises:
        ValueError: it has none.
    """
    if not isinstance(base, Synthesis):
        raise ValueError("there is no answer to write over")
    return base


def texts(proposed: ProposedSynthesis) -> Iterator[tuple[str, str]]:
    """The prose of an answer, each text with its place."""
    yield "summary", proposed.summary
    for number, section in enumerate(proposed.sections):
        yield f"sections.{number}.title", section.title
        yield f"sections.{number}.content", section.content


def faults(request: TurnRequest, proposed: ProposedSynthesis) -> Iterator[str]:
    """What does not hold: where, and not in the model's words, which could end up in a report."""
    yield from _of_quotations(request, proposed)
    used: set[str] = set()
    for _, prose in texts(proposed):
        used.update(name for name in references(prose) if not name.startswith(ASKED))
    if proposed.answered and not used:
        yield (
            "the answer rests on nothing: refer to quotations or claims, or say that the question "
            "is not answered"
        )


def _of_quotations(request: TurnRequest, proposed: ProposedSynthesis) -> Iterator[str]:
    names = [line.quotation_id for line in proposed.quotations]
    evidence = tuple(dict.fromkeys(name for name, _ in _things(request)))
    for place, line in enumerate(proposed.quotations):
        if names.index(line.quotation_id) < place:
            yield f"quotations.{place}: its quotation_id is that of another"
        if line.evidence not in evidence:
            yield (
                f"quotations.{place}.evidence: there is no evidence of that name;"
                f" {nearest_to(line.evidence, evidence)}"
            )
        elif _place(request, line) is None:
            yield (
                f"quotations.{place}: the evidence does not contain these words letter by letter "
                "on one page: copy them exactly, or omit the quotation"
            )


def _things(context: TurnContext) -> Iterator[tuple[str, BaseModel]]:
    """All that can be quoted, each with the name of the evidence that holds it."""
    for entry in context.state:
        found = entry.result
        if isinstance(found, FOUND):
            yield from zip(found.evidence, things_of(found), strict=False)


def _place(request: TurnRequest, line: ProposedQuotation) -> _Place | None:
    """Where the words of a quotation stand."""
    named = (thing for name, thing in _things(request) if name == line.evidence)
    places = (place for thing in named for place in _standing(thing, line.text))
    return next(places, None)


def _standing(thing: BaseModel, text: str) -> Iterator[_Place]:
    match thing:
        case PdfText():
            for page in thing.pages:
                if occurs_in(text, page.text):
                    yield _Place(thing, f"page {page.page_number}")
        case KnowledgeDocument():
            if occurs_in(text, thing.markdown):
                yield _Place(thing)
        case _:
            fields = thing.model_dump(mode="json", exclude_none=True)
            for name, value in fields.items():
                if occurs_in(text, value):
                    yield _Place(thing, name if isinstance(thing, Ticket) else None)


def _quotation(request: TurnRequest, line: ProposedQuotation) -> Quotation:
    found = _place(request, line)
    if found is None:
        raise ValueError("a quotation does not stand in its evidence")
    source, url = _source(found.thing)
    return Quotation(
        quotation_id=line.quotation_id,
        text=line.text,
        source=source[:LONGEST_SOURCE],
        place=found.within,
        url=url,
        evidence_id=line.evidence,
    )


def _source(thing: BaseModel) -> tuple[str, str | None]:
    """What a thing is called, and its address, where it has one."""
    match thing:
        case Ticket():
            return thing.id, thing.url
        case KnowledgeDocument():
            return thing.title or thing.doc_id, thing.url
        case PdfText():
            return thing.title or thing.url, thing.url
        case SearchHit():
            return thing.title, thing.url
        case _:
            raise ValueError("it is nothing that can be quoted")


TASK: Final = ModelTask((prompt("synthesis"),), ProposedSynthesis, material, result, schema=_schema)
