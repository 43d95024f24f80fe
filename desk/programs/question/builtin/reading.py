"""The agents that read documents and PDF files.

They read what is named, or else what a search finds, and continue with long ones up to a limit.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import JsonValue

from desk.agents.answer_form import (
    ParsedAnswer,
    ParsedDocument,
    ParsedPdf,
    UnreadableAnswer,
    parse_answer,
    publication_instant,
)
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.base import Instant
from desk.contracts.question.knowledge import (
    MOST_LINKS,
    DocumentsRead,
    KnowledgeDocument,
    PdfPage,
    PdfsRead,
    PdfText,
    TicketsFound,
)
from desk.contracts.question.tickets import TICKET_ID
from desk.contracts.runs.turns import Turn, TurnContext, TurnRequest
from desk.programs.question.builtin.asking import (
    LONGEST_QUERY,
    ask_about,
    asked_for,
    distinct,
    hits_before,
    hits_in,
    parameter_list,
    query_of,
    results_of,
    stop_if_nobody_answered,
    why_not,
)
from desk.trust.prose import clip

DOCUMENTS: Final = "corpus://documents/"

MOST_BEFORE: Final = 3
"""The maximum number of items of one kind found by earlier nodes that are read."""

MOST_FOUND: Final = 8
"""The maximum number from the agent's own search."""

MOST_LINKED: Final = 8
"""The maximum number of items that findings name by an id or address."""

MOST_READ: Final = 12
"""The maximum number of items in all, including those named in what was read."""

_MENTION: Final = re.compile(re.escape(DOCUMENTS) + r"([A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9])")

_PDF: Final = re.compile(r"\b(?:[a-z][a-z0-9+.-]*://\S+?|[\w-]+)\.pdf\b", re.IGNORECASE)

_WEB: Final = ("https://", "http://")

_PDF_FOLDER: Final = "corpus://pdfs/"

MOST_TICKETS: Final = 2

LONGEST_MISSING = 600

Part = TypeVar("Part", bound=ParsedAnswer)

OneReading = TypeVar("OneReading", bound="PartialReading[Any]")

MOST_CHARACTERS: Final = 500_000
"""The maximum number of characters of one document. A longer one is read up to this limit, and the
answer says so. In parts of 100,000 this takes six turns, and with a search before and the result
after no more than the usual eight."""

MOST_DOCUMENTS: Final = 8


def named_documents(query: Query) -> tuple[str, ...]:
    """Returns the documents that parameters or the question name, without duplicates."""
    given = parameter_list(query, "document", "documents", "first", "second")
    named = (name.removeprefix(DOCUMENTS) for name in given if not _is_pdf(name))
    return tuple(dict.fromkeys((*named, *_MENTION.findall(query.question))))


def documents_found(request: TurnRequest, searched: Iterable[ToolResult]) -> tuple[str, ...]:
    """Returns the documents worth reading among those found here or before, best first."""
    found = (_document(hit.url) for hit in hits_in(searched))
    before = (_document(hit.url) for hit in hits_before(request))
    return _best(map(_readable, linked_before(request)), found, before)


@dataclass(frozen=True)
class Course(Generic[Part, OneReading]):
    """What an agent reads, and with which arguments.

    `kind` is the word for such things in a search, `things` their name in sentences, and `title`
    returns the name of one. `asks_by` and `goes_on_by` are the tool's arguments for its name and
    for the start of a part.
    """

    capability: Capability
    kind: str
    things: str
    title: Callable[[str], str]
    asks_by: str
    goes_on_by: str
    most_searched: int
    named: Callable[[Query], tuple[str, ...]]
    found: Callable[[TurnRequest, Iterable[ToolResult]], tuple[str, ...]]
    part: type[Part]
    reading: Callable[[str, Part, str, Instant | None], OneReading]


@dataclass(slots=True)
class PartialReading(ABC, Generic[Part]):
    """A thing as far as it was read: its first part's answer, and the last part's evidence."""

    name: str
    answer: Part
    evidence: str
    published_at: Instant | None

    @property
    @abstractmethod
    def goes_on_at(self) -> int | None:
        """Where the next part to read starts; None at the end, and at the limit."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of further things that it links to; empty unless its kind has links."""
        return ()

    @abstractmethod
    def add(self, part: Part) -> None:
        """Adds a part, including the first one."""

    @abstractmethod
    def unread(self) -> list[str]:
        """Returns what was not read of it, as the ends of sentences that start with its name."""


@dataclass(slots=True)
class _DocumentReading(PartialReading[ParsedDocument]):
    """A document as far as it was read. `next_offset` is the start of the next part, None at its
    end."""

    parts: dict[int, str] = field(default_factory=dict)
    characters: int | None = None
    next_offset: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for link in self.answer.links if (name := _readable(link)))

    @property
    def markdown(self) -> str:
        return "".join(self.parts[offset] for offset in sorted(self.parts))

    @property
    def goes_on_at(self) -> int | None:
        read = len(self.markdown)
        return self.next_offset if read < MOST_CHARACTERS else None

    def add(self, part: ParsedDocument) -> None:
        self.parts.setdefault(part.offset or 0, part.markdown)
        self.characters = part.characters or self.characters
        self.next_offset = part.next_offset

    def unread(self) -> list[str]:
        if self.next_offset is None:
            return []
        whole = f" of {self.characters}" if self.characters else ""
        return [f"only the first {len(self.markdown)} characters{whole} were read"]


_DOCUMENTS: Final = Course(
    capability=Capability.DOCUMENT,
    kind="document",
    things="documents",
    title=str,
    asks_by="doc_id",
    goes_on_by="offset",
    most_searched=MOST_DOCUMENTS,
    named=named_documents,
    found=documents_found,
    part=ParsedDocument,
    reading=_DocumentReading,
)

MOST_PAGES: Final = 300
"""The maximum number of pages of one file. A longer one is read up to this limit, and the answer
says so."""

MOST_FILES: Final = 6


def named_pdfs(query: Query) -> tuple[str, ...]:
    """Returns the addresses of the PDF files that parameters or the question name, without
    duplicates."""
    given = parameter_list(query, "pdf", "pdfs", "url", "document", "documents", "first", "second")
    named = (name for name in given if _is_pdf(name))
    return tuple(dict.fromkeys(map(_pdf_url, (*named, *_PDF.findall(query.question)))))


def pdfs_found(request: TurnRequest, searched: Iterable[ToolResult]) -> tuple[str, ...]:
    """Returns the PDF files worth reading among those found here or before, best first."""
    found = (_pdf_named(hit.url) for hit in hits_in(searched))
    before = (_pdf_named(hit.url) for hit in hits_before(request))
    return _best(map(_pdf_named, linked_before(request)), found, before)


@dataclass(slots=True)
class _PdfReading(PartialReading[ParsedPdf]):
    """A file as far as it was read. `next_page` is the next page to read, None at its end."""

    pages: dict[int, str] = field(default_factory=dict)
    page_count: int | None = None
    next_page: int | None = None
    unreadable: list[str] = field(default_factory=list)

    @property
    def goes_on_at(self) -> int | None:
        return self.next_page if len(self.pages) < MOST_PAGES else None

    def add(self, part: ParsedPdf) -> None:
        for place, page in enumerate(part.pages, start=len(self.pages) + 1):
            self.pages.setdefault(page.page_number or place, page.text)
        self.page_count = part.page_count or self.page_count
        self.next_page = part.next_page
        self.unreadable += [part.missing] if part.missing else []

    def unread(self) -> list[str]:
        if self.next_page is None:
            return self.unreadable
        whole = f" of {self.page_count}" if self.page_count else ""
        return [*self.unreadable, f"only the first {len(self.pages)} pages{whole} were read"]


def _file(url: str) -> str:
    return url.rsplit("/", 1)[-1] or url


_PDFS: Final = Course(
    capability=Capability.PDF,
    kind="pdf",
    things="PDF files",
    title=_file,
    asks_by="url",
    goes_on_by="first_page",
    most_searched=MOST_FILES,
    named=named_pdfs,
    found=pdfs_found,
    part=ParsedPdf,
    reading=_PdfReading,
)


def search_words(context: TurnContext, query: Query) -> str:
    """Returns the words to search for: the question, and the summaries of the tickets found so
    far."""
    question = query.parameters.get("search") or query.question
    about = [
        ticket.summary
        for entry in context.state
        if isinstance(entry.result, TicketsFound)
        for ticket in entry.result.tickets
    ]
    if len(about) > MOST_TICKETS:
        about = []
    words = " ".join([TICKET_ID.sub(" ", question), *about])
    return " ".join(words.split())[:LONGEST_QUERY] or question[:LONGEST_QUERY]


class ReadSoFar(NamedTuple, Generic[OneReading]):
    """The readings to deliver, and what is missing."""

    readings: tuple[OneReading, ...]
    missing: tuple[str, ...]

    @property
    def evidence(self) -> tuple[str, ...]:
        """The evidence of each reading."""
        return tuple(reading.evidence for reading in self.readings)


def read_on(request: TurnRequest, course: Course[Part, OneReading]) -> Turn | ReadSoFar[OneReading]:
    """Returns the turn that requests the next parts, or everything that was read if nothing is
    left.

    Raises:
        TaskNotPossible: there is no question, or no tool could be called.
    """
    query = query_of(request)
    searched = results_of(request, Capability.WEB_SEARCH)
    answers = results_of(request, course.capability)
    named = course.named(query)
    wanted = named or course.found(request, searched)
    if answers:
        readings, missing = _read(answers, course)
        further = () if request.last else _further(request, answers, readings, course)
        if further:
            return Turn(calls=further, note=f"Read on in the long {course.things}")
        stop_if_nobody_answered(request, answers)
        return _so_far(readings, [*_silent(searched, course), *missing], course)
    if request.last or (searched and not wanted):
        stop_if_nobody_answered(request, searched)
        return _so_far([], _silent(searched, course), course)
    if named or searched:
        calls = (_first(request, name, course) for name in wanted)
        return Turn(calls=distinct(calls), note=f"Read the {course.things}")
    return Turn(
        calls=(_search(request, query, course),),
        note=f"Look for {course.things} that the question is about",
    )


def read_documents(request: TurnRequest) -> Turn:
    """Reads the documents that are named, or else those that a search finds; continues with a long
    one up to a limit; then delivers what was read.

    Raises:
        TaskNotPossible: there is no question, or no tool could be called.
    """
    read = read_on(request, _DOCUMENTS)
    if isinstance(read, Turn):
        return read
    return Turn(
        result=DocumentsRead(
            task_id=request.assignment.task_id,
            agent=request.assignment.agent,
            documents=tuple(map(_as_document, read.readings)),
            evidence=read.evidence,
            missing=read.missing,
        )
    )


def read_pdfs(request: TurnRequest) -> Turn:
    """Reads the files that are named, or else those that a search finds; continues with a long one
    up to a limit; then delivers the pages that were read.

    Raises:
        TaskNotPossible: there is no question, or no tool could be called.
    """
    read = read_on(request, _PDFS)
    if isinstance(read, Turn):
        return read
    return Turn(
        result=PdfsRead(
            task_id=request.assignment.task_id,
            agent=request.assignment.agent,
            pdfs=tuple(map(_pdf, read.readings)),
            evidence=read.evidence,
            missing=read.missing,
        )
    )


def linked_before(context: TurnContext) -> tuple[str, ...]:
    """Returns the addresses that tickets and documents of earlier nodes link to, those of tickets
    first."""
    results = [entry.result for entry in context.state]
    tickets = (t for each in results if isinstance(each, TicketsFound) for t in each.tickets)
    documents = (d for each in results if isinstance(each, DocumentsRead) for d in each.documents)
    by_tickets = (link for ticket in tickets for link in ticket.links)
    return (*by_tickets, *(link for document in documents for link in document.links))


def _best(
    linked: Iterable[str | None], found: Iterable[str | None], before: Iterable[str | None]
) -> tuple[str, ...]:
    """Returns the linked items, then those that a search found, then those found before."""
    named = [name for name in linked if name][:MOST_LINKED]
    own = [name for name in found if name][:MOST_FOUND]
    earlier = [name for name in before if name][:MOST_BEFORE]
    return tuple(dict.fromkeys((*named, *own, *earlier)))


def _document(url: str) -> str | None:
    return url.removeprefix(DOCUMENTS) if url.startswith(DOCUMENTS) else None


def _readable(link: str) -> str | None:
    """Returns a link's name for a document call: its id, or the address of a web page."""
    return _document(link) or (link if link.startswith(_WEB) and not _is_pdf(link) else None)


def _pdf_named(url: str) -> str | None:
    return url if _is_pdf(url) else None


def _is_pdf(name: str) -> bool:
    return name.lower().endswith(".pdf")


def _pdf_url(name: str) -> str:
    return name if "://" in name else _PDF_FOLDER + name


def _search(request: TurnRequest, query: Query, course: Course[Part, OneReading]) -> ToolCall:
    return ask_about(
        request,
        Capability.WEB_SEARCH,
        f"{course.kind}s",
        query=search_words(request, query),
        kinds=[course.kind],
        limit=course.most_searched,
    )


def _first(request: TurnRequest, name: str, course: Course[Part, OneReading]) -> ToolCall:
    return ask_about(request, course.capability, course.title(name), **{course.asks_by: name})


def _next(request: TurnRequest, name: str, at: int, course: Course[Part, OneReading]) -> ToolCall:
    where: dict[str, JsonValue] = {course.asks_by: name, course.goes_on_by: at}
    return ask_about(request, course.capability, f"{course.title(name)}-from-{at}", **where)


def _further(
    request: TurnRequest,
    answers: Sequence[ToolResult],
    readings: Sequence[OneReading],
    course: Course[Part, OneReading],
) -> tuple[ToolCall, ...]:
    """Returns the calls for the rest of long items, and for further items that they link to, up to
    the limits."""
    refused = {asked_for(result) for result in answers if result.error}
    asked = dict.fromkeys(map(asked_for, answers))
    named = dict.fromkeys(name for reading in readings for name in reading.names)
    further = [name for name in named if name not in asked][: max(MOST_READ - len(asked), 0)]
    rest = (
        _next(request, reading.name, reading.goes_on_at, course)
        for reading in readings
        if reading.goes_on_at is not None and reading.name not in refused
    )
    return distinct((*rest, *(_first(request, name, course) for name in further)))


def _read(
    answers: Iterable[ToolResult], course: Course[Part, OneReading]
) -> tuple[list[OneReading], list[str]]:
    readings: dict[str, OneReading] = {}
    missing: list[str] = []
    for result in answers:
        name = asked_for(result)
        if result.status is not ToolStatus.OK:
            missing.append(why_not(result, course.title(name)))
            continue
        try:
            part = parse_answer(result, course.part)
        except UnreadableAnswer as error:
            missing.append(f"{course.title(name)} could not be read: {error}")
            continue
        if name not in readings:
            readings[name] = course.reading(
                name, part, result.evidence_id, publication_instant(result)
            )
        readings[name].add(part)
        readings[name].evidence = result.evidence_id
    return list(readings.values()), missing


def _so_far(
    readings: list[OneReading], missing: list[str], course: Course[Part, OneReading]
) -> ReadSoFar[OneReading]:
    unread = (f"{course.title(each.name)}: {words}" for each in readings for words in each.unread())
    lines = tuple(clip(line, LONGEST_MISSING) for line in (*missing, *unread))
    return ReadSoFar(tuple(readings), lines)


def _silent(searched: Iterable[ToolResult], course: Course[Part, OneReading]) -> list[str]:
    failed = (result for result in searched if result.status is not ToolStatus.OK)
    return [why_not(result, f"the search for {course.things}") for result in failed]


def _as_document(reading: _DocumentReading) -> KnowledgeDocument:
    answer = reading.answer
    alone = answer.html if len(reading.parts) == 1 else None
    return KnowledgeDocument(
        doc_id=answer.doc_id[:200],
        markdown=reading.markdown,
        html=alone or "",
        title=answer.title[:500] if answer.title else None,
        url=answer.url[:2_000] if answer.url else None,
        published_at=reading.published_at,
        links=answer.links[:MOST_LINKS],
    )


def _pdf(reading: _PdfReading) -> PdfText:
    pages = (PdfPage(text=text, page_number=n) for n, text in sorted(reading.pages.items()))
    answer = reading.answer
    return PdfText(
        url=answer.url[:2_000],
        pages=tuple(pages),
        title=answer.title[:500] if answer.title else None,
        published_at=reading.published_at,
    )
