"""The things in a tool's answer that a model asked for, as the tool gave them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from desk.agents.answer_form import (
    ToldDocument,
    ToldHits,
    ToldPdf,
    ToldTicket,
    UnreadableAnswer,
    told,
    told_when,
)
from desk.agents.capabilities import capability_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.question.knowledge import Document, PdfPage, PdfText, SearchHit, Ticket


def things_in(answer: ToolResult, task: TaskType) -> list[BaseModel]:
    """What of the kind that a task is about an answer holds; nothing where it has another form."""
    capability, read = _KINDS[task]
    if answer.status is not ToolStatus.OK or capability_of(answer.call) is not capability:
        return []
    try:
        return read(answer)
    except (UnreadableAnswer, ValidationError):
        return []


def _ticket(answer: ToolResult) -> list[BaseModel]:
    read = told(answer, ToldTicket)
    return [Ticket.model_validate({**_known(read), "updated_at": told_when(answer)})]


def _document(answer: ToolResult) -> list[BaseModel]:
    read = told(answer, ToldDocument)
    return [Document.model_validate({**_known(read), "published_at": told_when(answer)})]


def _pdf(answer: ToolResult) -> list[BaseModel]:
    read = told(answer, ToldPdf)
    pages = tuple(
        PdfPage(text=page.text, page_number=page.page_number or number)
        for number, page in enumerate(read.pages, start=1)
    )
    return [PdfText(url=read.url, pages=pages, title=read.title, published_at=told_when(answer))]


def _hits(answer: ToolResult) -> list[BaseModel]:
    return [
        SearchHit(title=hit.title or hit.url, snippet=hit.snippet or "", url=hit.url)
        for hit in told(answer, ToldHits).results
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
"""What each agent fetches, and how it is read out of an answer."""
