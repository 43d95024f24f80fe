"""Which documents and files are worth reading for a question."""

import re
from collections.abc import Iterable
from typing import Final

from desk.agents.answer_form import ToldHit
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import ToolResult
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.question.knowledge import TicketsFound
from desk.programs.question.builtin.asking import LONGEST_QUERY, hits_before, hits_in
from desk.programs.question.question_reading import TICKET_ID, parameter_list

DOCUMENTS: Final = "corpus://documents/"
MOST_BEFORE: Final = 3
"""Things of one kind, found by a node before, that are read."""

MOST_FOUND: Final = 5
"""The same of the agent's own search."""

_MENTION: Final = re.compile(re.escape(DOCUMENTS) + r"([A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9])")
_PDF: Final = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://\S+?|[\w-]+)\.pdf\b", re.IGNORECASE)
_PDF_FOLDER: Final = "corpus://pdfs/"
MOST_TICKETS: Final = 2


def named_documents(query: Query) -> tuple[str, ...]:
    """The documents that parameters or the question name, each once."""
    given = parameter_list(query, "document", "documents", "first", "second")
    named = (name.removeprefix(DOCUMENTS) for name in given if not _is_pdf(name))
    return tuple(dict.fromkeys((*named, *_MENTION.findall(query.question))))


def named_pdfs(query: Query) -> tuple[str, ...]:
    """The addresses of the PDF files that parameters or the question name, each once."""
    given = parameter_list(query, "pdf", "pdfs", "url", "document", "documents", "first", "second")
    named = (name for name in given if _is_pdf(name))
    return tuple(dict.fromkeys(map(_pdf_url, (*named, *_PDF.findall(query.question)))))


def documents_found(request: TurnRequest, searched: Iterable[ToolResult]) -> tuple[str, ...]:
    """The documents worth reading of those that were found here or before, best first."""
    found = (_document(hit) for hit in hits_in(searched))
    before = (_document(hit) for hit in hits_before(request))
    return _best(found, before)


def pdfs_found(request: TurnRequest, searched: Iterable[ToolResult]) -> tuple[str, ...]:
    """The PDF files worth reading of those that were found here or before, best first."""
    found = (hit.url if _is_pdf(hit.url) else None for hit in hits_in(searched))
    before = (hit.url if _is_pdf(hit.url) else None for hit in hits_before(request))
    return _best(found, before)


def search_words(request: TurnRequest, query: Query) -> str:
    """What to look for: the question, and what the tickets found so far are about."""
    question = query.parameters.get("search") or query.question
    about = [
        ticket.summary
        for entry in request.state
        if isinstance(entry.result, TicketsFound)
        for ticket in entry.result.tickets
    ]
    if len(about) > MOST_TICKETS:
        about = []
    words = " ".join([TICKET_ID.sub(" ", question), *about])
    return " ".join(words.split())[:LONGEST_QUERY] or question[:LONGEST_QUERY]


def _best(found: Iterable[str | None], before: Iterable[str | None]) -> tuple[str, ...]:
    own = [name for name in found if name][:MOST_FOUND]
    earlier = [name for name in before if name][:MOST_BEFORE]
    return tuple(dict.fromkeys((*own, *earlier)))


def _document(hit: ToldHit) -> str | None:
    if hit.url.startswith(DOCUMENTS):
        return hit.url.removeprefix(DOCUMENTS)
    return None


def _is_pdf(name: str) -> bool:
    return name.lower().endswith(".pdf")


def _pdf_url(name: str) -> str:
    return name if "://" in name else _PDF_FOLDER + name
