"""The agents that fetch things, as tasks for Claude: the model chooses which fetched things to
keep.

The desk has made its own calls, and the model may make further ones. It names what to keep; the
thing itself is taken from the tool's answer, so that a model can change neither the status of a
ticket nor a word of a document.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from desk.agents.answer_form import (
    ParsedDocument,
    ParsedHits,
    ParsedPdf,
    ParsedTicket,
    UnreadableAnswer,
    parse_answer,
    publication_instant,
)
from desk.agents.program import ModelTask
from desk.contracts.agents.capabilities import USUAL_CAPABILITY, Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolResult, ToolStatus, capability_of
from desk.contracts.base import Contract, ShortText
from desk.contracts.question.knowledge import (
    MOST_ITEMS,
    Found,
    KnowledgeDocument,
    PdfPage,
    PdfText,
    SearchHit,
    Ticket,
    things_of,
)
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.answers import answering
from desk.programs.claude.prompts import prompt
from desk.programs.question.claude.knowledge_state import (
    FOUND,
    clipped_fields,
    room_for,
    told_parameters,
    told_state,
)

_BY_NAME: Final = frozenset({Capability.TICKET, Capability.DOCUMENT, Capability.PDF})
"""Capabilities that look things up by name alone. A third-party tool may well be a search."""


def things_in(answer: ToolResult, task: TaskType) -> list[BaseModel]:
    """Returns the things in an answer that are of a task's kind; empty if it has another format."""
    capability, read = _KINDS[task]
    if answer.status is not ToolStatus.OK or capability_of(answer.call) is not capability:
        return []
    try:
        return read(answer)
    except (UnreadableAnswer, ValidationError):
        return []


def _ticket(answer: ToolResult) -> list[BaseModel]:
    read = parse_answer(answer, ParsedTicket)
    return [Ticket.model_validate({**_known(read), "updated_at": publication_instant(answer)})]


def _document(answer: ToolResult) -> list[BaseModel]:
    read = parse_answer(answer, ParsedDocument)
    return [
        KnowledgeDocument.model_validate(
            {**_known(read), "published_at": publication_instant(answer)}
        )
    ]


def _pdf(answer: ToolResult) -> list[BaseModel]:
    read = parse_answer(answer, ParsedPdf)
    pages = tuple(
        PdfPage(text=page.text, page_number=page.page_number or number)
        for number, page in enumerate(read.pages, start=1)
    )
    return [
        PdfText(
            url=read.url, pages=pages, title=read.title, published_at=publication_instant(answer)
        )
    ]


def _hits(answer: ToolResult) -> list[BaseModel]:
    return [
        SearchHit(title=hit.title or hit.url, snippet=hit.snippet or "", url=hit.url)
        for hit in parse_answer(answer, ParsedHits).results
    ]


def _known(read: BaseModel) -> dict[str, Any]:
    return read.model_dump(exclude_none=True)


_KINDS: Final[Mapping[TaskType, tuple[Capability, Callable[[ToolResult], list[BaseModel]]]]] = (
    MappingProxyType(
        {
            TaskType.FETCH_TICKETS: (Capability.TICKET, _ticket),
            TaskType.READ_DOCUMENTS: (Capability.DOCUMENT, _document),
            TaskType.READ_PDFS: (Capability.PDF, _pdf),
            TaskType.SEARCH_WEB: (Capability.WEB_SEARCH, _hits),
        }
    )
)
"""The capability of each task, and the function that parses its answers."""


MOST_FAULTS: Final = 10


class ProposedItem(Contract):
    """One item of a tool answer; only a search answer has more than one."""

    evidence: ShortText
    item: Annotated[int, Field(ge=0, le=99)] = 0


class ProposedChoice(Contract):
    """The form of the model's answer: what to keep, the most important first."""

    keep: Annotated[tuple[ProposedItem, ...], Field(max_length=MOST_ITEMS)] = ()


class _Fetched(NamedTuple):
    """A fetched thing, and the tool result that contains it."""

    evidence_id: str
    item: int
    thing: BaseModel

    @property
    def name(self) -> tuple[str, int]:
        """The name by which a model refers to it."""
        return self.evidence_id.rsplit("/", 1)[-1], self.item


_HOLDS: Final[Mapping[TaskType, str]] = MappingProxyType(
    {
        TaskType.FETCH_TICKETS: "tickets",
        TaskType.READ_DOCUMENTS: "documents",
        TaskType.READ_PDFS: "pdfs",
        TaskType.SEARCH_WEB: "results",
    }
)
"""The field of each result with the things."""


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Returns the question, the findings of earlier nodes, and what the desk has fetched, as
    JSON."""
    task, own = request.assignment, _found(base)
    fetched = list(_of_desk(own))
    room = room_for(len(fetched))
    return json.dumps(
        {
            "question": task.query.question if task.query else None,
            "parameters": told_parameters(task.query),
            "as_of": task.window.end.isoformat(),
            "asked_for": task.instructions,
            "state": told_state(request),
            "fetched": [
                {"evidence": one.name[0], "item": one.item, **clipped_fields(one.thing, room)}
                for one in fetched
            ],
            "missing": own.missing,
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Found:
    """Returns the things that the model keeps, in its order, as the tools returned them. What the
    desk did not find stays listed as missing.

    Raises:
        ValidationError: the answer does not match its schema.
        ValueError: it names something that was not fetched, or one thing twice.
    """
    own, proposed = _found(base), ProposedChoice.model_validate_json(text)
    fetched = {one.name: one for one in (*_besides(request), *_of_desk(own))}
    names = [(line.evidence, line.item) for line in proposed.keep]
    faults = list(_faults(names, fetched))
    if faults:
        raise ValueError("; ".join(faults[:MOST_FAULTS]))
    kept = [fetched[name] for name in names]
    return own.model_copy(
        update={
            _HOLDS[request.assignment.task_type]: tuple(one.thing for one in kept),
            "evidence": tuple(one.evidence_id for one in kept),
        }
    )


def is_worth_it(request: TurnRequest, base: AgentResult | None) -> bool:
    """Returns whether there is anything to choose from, or a tool left that could return something:
    a lookup by name returns nothing if nothing was named or found."""
    asked = (USUAL_CAPABILITY.get((spec.server, spec.tool)) for spec in answering(request))
    return bool(_found(base).evidence) or any(each not in _BY_NAME for each in asked)


def _found(base: AgentResult | None) -> Found:
    if not isinstance(base, FOUND):
        raise ValueError("there is nothing to choose from")
    return base


def _faults(
    names: list[tuple[str, int]], fetched: Mapping[tuple[str, int], _Fetched]
) -> Iterator[str]:
    """Yields the places of faults, without the model's words, which could end up in a report."""
    for place, name in enumerate(names):
        if name not in fetched:
            yield f"keep.{place}: nothing was fetched by that name"
        elif names.index(name) < place:
            yield f"keep.{place}: it is the same as keep.{names.index(name)}"


def _of_desk(own: Found) -> Iterator[_Fetched]:
    """Yields what the desk has fetched, each hit of a search with its number."""
    return _numbered(zip(own.evidence, things_of(own), strict=False))


def _besides(request: TurnRequest) -> Iterator[_Fetched]:
    """Yields what the model has fetched in addition, limited to the kind of its task."""
    task = request.assignment.task_type
    for exchange in request.exchanges:
        for answer in exchange.results if exchange.said else ():
            yield from _numbered((answer.evidence_id, thing) for thing in things_in(answer, task))


def _numbered(things: Iterable[tuple[str, BaseModel]]) -> Iterator[_Fetched]:
    counted: dict[str, int] = {}
    for evidence_id, thing in things:
        number = counted.get(evidence_id, 0)
        counted[evidence_id] = number + 1
        yield _Fetched(evidence_id, number, thing)


def _task(name: str) -> ModelTask:
    return ModelTask((prompt(name),), ProposedChoice, material, result, is_worth_it=is_worth_it)


TICKETS: Final = _task("tickets")
DOCUMENTS: Final = _task("documents")
PDFS: Final = _task("pdfs")
SEARCH: Final = _task("search")
