"""MCP server `knowledge`: tickets, documents, PDF files and a search over all of them."""

import argparse
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.contracts.question.knowledge import (
    DocumentAnswer,
    PdfAnswer,
    PdfPage,
    SearchAnswer,
    SearchHit,
    TicketAnswer,
)
from desk.sources.central_banks.facts.tables import ReadOnce
from desk.sources.knowledge.documents import (
    DOCUMENTS,
    TICKETS,
    Corpus,
    Kind,
    PdfFile,
    WrittenText,
    version_at,
)
from desk.sources.knowledge.files import CORPUS_DIR, DamagedCorpus, read_corpus
from desk.sources.knowledge.index import KnowledgeIndexes
from desk.sources.knowledge.pdf import PageText, PdfTexts, UnreadablePdf
from desk.sources.knowledge.reports import read_reports, state_of
from desk.sources.knowledge.text import LONGEST_HTML, html_of, part_of
from desk.sources.serving.arguments import AsOf, DeskServer
from desk.sources.serving.command_line import READS_ONLY, argument_parser, log_to_stderr, run

INSTRUCTIONS = "Tickets, documents, web pages and PDF files, and a search over all of them."

CORPUS_SOURCE = Provenance(name="Knowledge corpus", tier=SourceTier.PRIMARY)
WEB_SOURCE = Provenance(name="Knowledge corpus", tier=SourceTier.SECONDARY)
"""For web pages and search results: they are not read in full, and others wrote them."""

USUAL_PART, LARGEST_PART = 100_000, 200_000
"""The default and the largest number of characters of a document in one answer."""

MOST_PAGES, MOST_PDF_CHARACTERS = 100, 200_000
"""Pages and characters of a PDF file in one answer."""

MOST_NEAREST = 3

TicketId = Annotated[
    str,
    Field(min_length=1, max_length=220, description="id of a ticket, such as DESK-101, or its url"),
]
DocumentId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=220,
        description="doc_id of a document, its url, or the url of a web page that a search found",
    ),
]
PdfUrl = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2_000,
        description="url of a PDF file, such as corpus://pdfs/report.pdf",
    ),
]
Offset = Annotated[int, Field(ge=0, description="number of characters to skip")]
PartLength = Annotated[
    int, Field(ge=1_000, le=LARGEST_PART, description="maximum number of characters of this answer")
]
FirstPage = Annotated[int, Field(ge=1, description="first page to read, counted from 1")]
LastPage = Annotated[
    int | None,
    Field(ge=1, description="last page to read; by default as many as fit into an answer"),
]
Query = Annotated[
    str,
    Field(
        max_length=4_000,
        description="words to search for; results with more and rarer ones come first",
    ),
]
Kinds = Annotated[
    list[Kind] | None,
    Field(max_length=10, description="what to search; by default everything"),
]
MostHits = Annotated[int, Field(ge=1, le=50, description="maximum number of results")]
Instant = Annotated[AsOf | None, Field(description="as-of instant; by default now")]


class KnowledgeTools:
    """The tools of the server. Each answers only with what was public at `as_of`."""

    def __init__(self, folder: Path = CORPUS_DIR, reports: Path | None = None) -> None:
        """`folder` holds the corpus, which is read at its first use, `reports` the documents that
        the desk published, which are read again when there is a new one."""
        self._pdfs = PdfTexts()
        self._read = ReadOnce(partial(read_corpus, folder))
        self._reports = reports
        self._lock = threading.Lock()
        self._loaded: _LoadedCorpus | None = None

    def fetch_ticket(self, ticket_id: TicketId, as_of: Instant = None) -> TicketAnswer:
        """A ticket as of as_of: id, status, assignee (null: unassigned) and summary.

        updated_at: when it last changed by then. A ticket that was opened later is not returned.
        links: what its summary and description mention by id, address or title.
        """
        instant = _or_now(as_of)
        tickets = self._corpus().tickets
        name = ticket_id.removeprefix(TICKETS)
        state = version_at(tickets.get(name, ()), instant)
        if state is None:
            existing = [known for known in tickets if version_at(tickets[known], instant)]
            raise ToolError(_not_there("ticket", name, existing))
        return TicketAnswer(
            as_of=instant,
            source=CORPUS_SOURCE,
            id=state.ticket_id,
            status=state.status,
            assignee=state.assignee,
            summary=state.summary,
            updated_at=state.since,
            url=state.url,
            description=state.description or None,
            links=self._corpus().named_in(
                f"{state.summary}\n{state.description}", instant, but=state.url
            ),
        )

    def get_doc(
        self,
        doc_id: DocumentId,
        as_of: Instant = None,
        offset: Offset = 0,
        limit: PartLength = USUAL_PART,
    ) -> DocumentAnswer:
        """A document or web page as Markdown and as HTML without scripts, as published by as_of.

        A long text comes in parts: call again with offset = next_offset, which is null at the end.
        characters: the length of the whole text. links: what it mentions by id, address or title.
        """
        instant = _or_now(as_of)
        texts = self._corpus().texts
        name = doc_id.removeprefix(DOCUMENTS)
        text = _published(texts, name, instant, "document")
        length = len(text.markdown)
        if offset > length:
            raise ToolError(f"{name} has {length} characters; offset {offset} is behind its end")
        part, html = _part(text, offset, limit)
        end = offset + len(part)
        return DocumentAnswer(
            as_of=instant,
            source=CORPUS_SOURCE if text.kind is Kind.DOCUMENT else WEB_SOURCE,
            doc_id=text.doc_id,
            markdown=part,
            html=html,
            title=text.title,
            published_at=None if text.is_report else text.since,
            url=text.url,
            links=self._corpus().named_in(text.markdown, instant, but=text.url),
            offset=offset,
            characters=length,
            next_offset=end if end < length else None,
        )

    def get_pdf(
        self,
        url: PdfUrl,
        as_of: Instant = None,
        first_page: FirstPage = 1,
        last_page: LastPage = None,
    ) -> PdfAnswer:
        """The text of a PDF file published by as_of, page by page, from first_page to last_page.

        A long file comes in parts: call again with first_page = next_page, which is null at the
        end. missing: what could not be read, such as a scanned page. A page longer than 50,000
        characters is cut; a file that is above 50 MB, damaged or password-protected is refused.
        """
        instant = _or_now(as_of)
        pdf = _published(self._corpus().pdfs, url, instant, "PDF file")
        try:
            count = self._pdfs.page_count(pdf.path)
            last = _last_page(pdf, first_page, last_page, count)
            read = list(self._pages(pdf, first_page, last))
        except UnreadablePdf as error:
            raise ToolError(f"{url} {error}") from error
        end = first_page + len(read)
        missing = [page.missing for _, page in read if page.missing]
        return PdfAnswer(
            as_of=instant,
            source=CORPUS_SOURCE,
            url=pdf.url,
            pages=tuple(PdfPage(text=page.text, page_number=number) for number, page in read),
            title=pdf.title,
            published_at=pdf.since,
            page_count=count,
            next_page=end if end <= count else None,
            missing="; ".join(missing)[:4_000] or None,
        )

    def search_web(
        self, query: Query, as_of: Instant = None, kinds: Kinds = None, limit: MostHits = 10
    ) -> SearchAnswer:
        """What was published by as_of and contains words of the query, best first, no duplicates.

        snippet: the best matching passage, in the source's own words. Search operators are ignored.
        """
        instant = _or_now(as_of)
        asked = " ".join(query.encode("utf-8", "replace").decode("utf-8").split())
        if not asked:
            raise ToolError("the query is empty; give the words to look for")
        wanted = tuple(Kind) if kinds is None else tuple(dict.fromkeys(kinds))
        found = self._indexes().search(asked, instant, wanted, limit)
        return SearchAnswer(
            as_of=instant,
            source=WEB_SOURCE,
            query=asked,
            results=tuple(
                SearchHit(title=hit.title, snippet=hit.passage, url=hit.url) for hit in found
            ),
            missing=None if found else f"nothing that was published holds a word of: {asked[:200]}",
        )

    def _pages(self, pdf: PdfFile, first: int, last: int) -> Iterator[tuple[int, PageText]]:
        """The pages in order, the first in any case, until the answer is full."""
        characters = 0
        for number in range(first, last + 1):
            page = self._pdfs.page(pdf.path, number)
            characters += len(page.text)
            if number > first and characters > MOST_PDF_CHARACTERS:
                return
            yield number, page

    def _corpus(self) -> Corpus:
        return self._current().corpus

    def _indexes(self) -> KnowledgeIndexes:
        return self._current().indexes

    def _current(self) -> "_LoadedCorpus":
        state = state_of(self._reports)
        with self._lock:
            if self._loaded is None or self._loaded.state != state:
                try:
                    corpus = self._read.current()
                except DamagedCorpus as error:
                    raise ToolError(str(error)) from error
                reports = read_reports(self._reports) if self._reports else ()
                texts = {text.doc_id: (text,) for text in reports} | dict(corpus.texts)
                corpus = replace(corpus, texts=texts)
                self._loaded = _LoadedCorpus(state, corpus, KnowledgeIndexes(corpus, self._pdfs))
            return self._loaded


class _LoadedCorpus(NamedTuple):
    """The corpus with the reports of one state of their folder, and its indexes."""

    state: tuple[tuple[str, int], ...]
    corpus: Corpus
    indexes: KnowledgeIndexes


_Text = TypeVar("_Text", WrittenText, PdfFile)


def _published(
    held: Mapping[str, tuple[_Text, ...]], name: str, instant: datetime, what: str
) -> _Text:
    """The version of the instant.

    Raises:
        ToolError: nothing of that name had been published.
    """
    found = version_at(held.get(name, ()), instant)
    if found is None:
        known = [other for other in held if version_at(held[other], instant)]
        raise ToolError(_not_there(what, name, known))
    return found


def _not_there(what: str, name: str, known: list[str]) -> str:
    nearest = get_close_matches(name[:220], sorted(known), n=MOST_NEAREST, cutoff=0.5)
    hint = f"nearest: {', '.join(nearest)}" if nearest else "search_web finds what there is"
    return f"there is no {what} {name[:220]}; {hint}"


def _or_now(as_of: datetime | None) -> datetime:
    return as_of or datetime.now(UTC)


def _part(text: WrittenText, offset: int, limit: int) -> tuple[str, str]:
    """A part of a text and its HTML. Shorter than the limit if the HTML takes much more room."""
    part = part_of(text.markdown, offset, limit)
    html = html_of(part)
    while len(html) > LONGEST_HTML:
        part = part_of(text.markdown, offset, max(1, len(part) // 2))
        html = html_of(part)
    return part, html


def _last_page(pdf: PdfFile, first: int, last: int | None, count: int) -> int:
    if first > count:
        raise ToolError(f"{pdf.url} has {count} pages; there is no page {first}")
    if last is not None and last < first:
        raise ToolError(f"last_page {last} lies before first_page {first}; swap them")
    return min(last or count, count, first + MOST_PAGES - 1)


DESCRIPTION = SourceDescription(
    server="knowledge",
    gives="Tickets, documents, PDF files and a search over them.",
    origin="This project",
    tiers=(SourceTier.PRIMARY, SourceTier.SECONDARY),
    licence="That of this project. What it holds is invented.",
    terms="With --corpus a folder of one's own is served; its licence is its owner's.",
    publication="A ticket is told as it stood at the instant, a document in the version of then.",
    network=NetworkUse.NONE,
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    corpus_dir: Path = CORPUS_DIR,
    reports_dir: Path | None = None,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `corpus_dir` holds the corpus, `reports_dir` the desk's published documents. `cache_dir` and
    `refresh_every` are accepted, as by every server of the desk, and not used: the corpus ships
    with the project.
    """
    del cache_dir, refresh_every
    return offering_tools(
        DeskServer("knowledge", instructions=INSTRUCTIONS, log_level="WARNING"),
        corpus_dir,
        reports_dir,
    )


def offering_tools(
    server: MCPServer, corpus_dir: Path, reports_dir: Path | None = None
) -> MCPServer:
    """Adds the tools that answer from a corpus and from published reports to a server."""
    tools = KnowledgeTools(corpus_dir, reports_dir)
    for tool in (tools.fetch_ticket, tools.get_doc, tools.get_pdf, tools.search_web):
        server.add_tool(tool, annotations=READS_ONLY, structured_output=True)
    return server


def server_parser(module: str = "desk.sources.knowledge.server") -> argparse.ArgumentParser:
    """The argument parser of the server, for the module that runs it."""
    parser = argument_parser(module, "Tickets, documents, PDF files and search.")
    parser.add_argument(
        "--corpus",
        type=Path,
        default=CORPUS_DIR,
        metavar="DIR",
        help="folder with tickets.yaml, documents/, web/ and pdfs/ (default: the one that ships)",
    )
    parser.add_argument(
        "--reports",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder of the desk's published documents, of which the last weekly reports are"
        " searched (default: none)",
    )
    return parser


def parsed(parser: argparse.ArgumentParser, argv: list[str] | None) -> argparse.Namespace:
    """The parsed arguments, with a corpus that can be read. Exits with status 2 if it cannot be."""
    arguments = parser.parse_args(argv)
    log_to_stderr()
    try:
        read_corpus(arguments.corpus)
    except DamagedCorpus as error:
        parser.error(str(error))
    return arguments


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process."""
    given = server_parser().parse_args(args)
    return build_server(
        cache_dir,
        refresh_every=refresh_every,
        corpus_dir=given.corpus,
        reports_dir=given.reports,
    )


def main(argv: list[str] | None = None) -> int:
    """Runs the server as the command line says. Returns the exit status, 2 for a damaged corpus."""
    arguments = parsed(server_parser(), argv)
    server = build_server(
        arguments.cache_dir, corpus_dir=arguments.corpus, reports_dir=arguments.reports
    )
    return run(server, arguments)


if __name__ == "__main__":
    sys.exit(main())
