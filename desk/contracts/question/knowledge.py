"""The contents of tickets, documents, PDF files and searches; the field names are those of seed
002."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.episode.stock import StockRecommendation
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.findings.verdicts import DroppedSentence, FactCheckRecord
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import MOST_HYPOTHESES, Hypothesis
from desk.contracts.swarm.plan import Refinement

LongText = Annotated[str, Field(max_length=1_000_000)]
"""The text of a document or a page, up to the limit of one answer."""

Url = Annotated[str, Field(max_length=2_000)]

MOST_ITEMS = 40
"""The maximum number of items of one kind that an agent delivers."""

Missing = Annotated[tuple[Text, ...], Field(max_length=40)]


Title = Annotated[str, Field(max_length=500)]
MaybeTitle = Annotated[Title | None, Field(exclude_if=is_none)]
MaybeUrl = Annotated[Url | None, Field(exclude_if=is_none)]
MaybeInstant = Annotated[Instant | None, Field(exclude_if=is_none)]


MOST_LINKS = 40

Links = Annotated[tuple[Url, ...], Field(max_length=MOST_LINKS, exclude_if=is_empty)]
"""The addresses of the items that an item refers to by id or address, in order."""


class Ticket(Contract):
    """A ticket of a tracker. What a field is about is said by its description, which questions are
    matched with."""

    id: ShortText
    status: Annotated[
        ShortText,
        Field(description="status or state, where it stands: open, blocked, done, closed"),
    ]
    assignee: Annotated[
        ShortText | None,
        Field(description="assignee, who it is assigned to, its owner, works on it, responsible"),
    ] = None
    summary: Annotated[Text, Field(description="summary, subject or title, what it is about")]
    url: MaybeUrl = None
    updated_at: MaybeInstant = None
    description: Annotated[
        Text | None, Field(description="description, details", exclude_if=is_none)
    ] = None
    links: Links = ()


class KnowledgeDocument(Contract):
    """A document, or as much of it as was read: Markdown, and the same as HTML without scripts."""

    doc_id: ShortText
    markdown: LongText
    html: LongText = ""
    title: MaybeTitle = None
    url: MaybeUrl = None
    published_at: MaybeInstant = None
    links: Links = ()


class PdfPage(Contract):
    """The text of a page, counted from 1."""

    text: LongText
    page_number: Annotated[int, Field(ge=1)]


class PdfText(Contract):
    """The text of a PDF file, or of as many of its pages as were read."""

    url: Url
    pages: Annotated[tuple[PdfPage, ...], Field(max_length=1_000)] = ()
    title: MaybeTitle = None
    published_at: MaybeInstant = None


class SearchHit(Contract):
    """One hit of a search."""

    title: Title
    snippet: Text
    url: Url


class TicketAnswer(SourceResult, Ticket):
    """The answer of `fetch_ticket`: the ticket as it stood at the as-of instant."""

    updated_at: Instant
    url: Url


class DocumentAnswer(SourceResult, KnowledgeDocument):
    """The answer of `get_doc`: the text from `offset` on.

    `characters` is the length of the whole; `next_offset` is where the next part begins, None at
    the end. `published_at` is None of a report of the desk's, whose title says of when it is.
    """

    title: Title
    url: Url
    offset: Annotated[int, Field(ge=0)] = 0
    characters: Annotated[int, Field(ge=0)]
    next_offset: int | None = None


class PdfAnswer(SourceResult, PdfText):
    """The answer of `get_pdf`: pages from `first_page` on.

    `page_count` is that of the whole file; `next_page` is the first that is not in this answer,
    None at the end. `missing` says what could not be read, as of a scanned page.
    """

    title: Title
    published_at: Instant
    page_count: Annotated[int, Field(ge=0)]
    next_page: int | None = None
    missing: Text | None = None


class SearchAnswer(SourceResult):
    """The answer of `search_web`, best first; `missing` where nothing was found."""

    query: Text
    results: Annotated[tuple[SearchHit, ...], Field(max_length=50)] = ()
    missing: Text | None = None


class _Delivered(Contract):
    """An agent's result of one kind.

    `evidence` names the tool results behind the items: one for each, in order, and the last one for
    an item that was read in parts. `missing` lists what was not found, and why.
    """

    task_id: ShortText
    agent: AgentId
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=MOST_ITEMS)] = ()
    missing: Missing = ()


class TicketsFound(_Delivered):
    """The result of the JIRA agent."""

    kind: Literal["tickets"] = "tickets"
    tickets: Annotated[tuple[Ticket, ...], Field(max_length=MOST_ITEMS)] = ()


class DocumentsRead(_Delivered):
    """The result of the Doc agent."""

    kind: Literal["documents"] = "documents"
    documents: Annotated[tuple[KnowledgeDocument, ...], Field(max_length=MOST_ITEMS)] = ()


class PdfsRead(_Delivered):
    """The result of the PDF agent."""

    kind: Literal["pdfs"] = "pdfs"
    pdfs: Annotated[tuple[PdfText, ...], Field(max_length=MOST_ITEMS)] = ()


class WebSearched(_Delivered):
    """The result of the Search agent."""

    kind: Literal["search"] = "search"
    results: Annotated[tuple[SearchHit, ...], Field(max_length=MOST_ITEMS)] = ()


Found = TicketsFound | DocumentsRead | PdfsRead | WebSearched
"""The items found for a question, before the synthesis."""


def things_of(found: Found) -> Sequence[Contract]:
    """Returns the items found, in order."""
    match found:
        case TicketsFound():
            return found.tickets
        case DocumentsRead():
            return found.documents
        case PdfsRead():
            return found.pdfs
        case WebSearched():
            return found.results


class Quotation(Contract):
    """Words of a source, exact except for white space.

    Prose refers to a quotation by its id, as in `[[q1]]`, and the words are printed there: this is
    the only way for a figure stated in a document to enter an answer. `place` is its position in
    the source, such as `page 3`; `evidence_id` names the tool result that holds the words.
    """

    quotation_id: ShortText
    text: Annotated[str, Field(min_length=1, max_length=1_000)]
    source: Annotated[str, Field(max_length=500)]
    place: ShortText | None = None
    url: Url | None = None
    evidence_id: ShortText


class Section(Contract):
    """A part of an answer; its content is prose with references to claims and quotations."""

    title: ShortText
    content: Annotated[str, Field(max_length=20_000)]


class YesOrNo(StrEnum):
    """What an answer comes to where yes or no was asked; `open` where what is known decides
    neither."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


class Synthesis(Contract):
    """The Synthesis agent's result: sections and a summary, in prose that holds references in place
    of figures and of quoted words.

    `answered` is false when the results do not answer the question, and the summary says so.
    `decided` is what the first sentence of a swarm's answer says to a yes-or-no question. `found`
    is true when fitting passages were quoted and no judgement was made on whether they answer.
    `dropped` lists sentences that were omitted because they held figures that are not claims. The
    leader of a swarm adds its hypotheses and its next objective (`further`); the recommendation
    agent of a stock's episode adds its recommendation. `fact_check` is set if a model wrote it.
    """

    kind: Literal["synthesis"] = "synthesis"
    task_id: ShortText
    agent: AgentId
    sections: Annotated[tuple[Section, ...], Field(max_length=20)] = ()
    summary: Text
    quotations: Annotated[tuple[Quotation, ...], Field(max_length=100)] = ()
    answered: bool = True
    decided: Annotated[YesOrNo | None, Field(exclude_if=is_none)] = None
    found: Annotated[bool, Field(exclude_if=is_empty)] = False
    missing: Missing = ()
    dropped: Annotated[tuple[DroppedSentence, ...], Field(max_length=200)] = ()
    hypotheses: Annotated[
        tuple[Hypothesis, ...], Field(max_length=MOST_HYPOTHESES, exclude_if=is_empty)
    ] = ()
    further: Annotated[Refinement | None, Field(exclude_if=is_none)] = None
    recommendation: Annotated[StockRecommendation | None, Field(exclude_if=is_none)] = None
    fact_check: Annotated[FactCheckRecord | None, Field(exclude_if=is_none)] = None
