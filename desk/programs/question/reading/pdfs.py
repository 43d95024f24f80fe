"""The PDF agent: the text of the PDF files that a question is about, page by page."""

from dataclasses import dataclass, field
from typing import Final

from desk.agents.answer_form import ToldPdf
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.question.knowledge import PdfPage, PdfsRead, PdfText
from desk.programs.question.reading.plan import named_pdfs, pdfs_found
from desk.programs.question.reading.reading import Course, Reading, read_on

MOST_PAGES: Final = 300
"""Of one file. What is longer is read up to here, and that is said."""

MOST_SEARCHED: Final = 4


@dataclass(slots=True)
class _Reading(Reading[ToldPdf]):
    """A file as far as it was read. `next_page` is where it goes on, None at its end."""

    pages: dict[int, str] = field(default_factory=dict)
    page_count: int | None = None
    next_page: int | None = None
    unreadable: list[str] = field(default_factory=list)

    @property
    def goes_on_at(self) -> int | None:
        return self.next_page if len(self.pages) < MOST_PAGES else None

    def add(self, part: ToldPdf) -> None:
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


_COURSE: Final = Course(
    capability=Capability.PDF,
    kind="pdf",
    things="PDF files",
    title=_file,
    asks_by="url",
    goes_on_by="first_page",
    most_searched=MOST_SEARCHED,
    named=named_pdfs,
    found=pdfs_found,
    part=ToldPdf,
    reading=_Reading,
)


def take_turn(request: TurnRequest) -> Turn:
    """Read the files that are named, or else those that a search finds; go on with a long one up
    to a bound; then deliver the pages that were read.

    Raises:
        TaskNotPossible: there is no question, or no tool could be asked.
    """
    read = read_on(request, _COURSE)
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


def _pdf(reading: _Reading) -> PdfText:
    pages = (PdfPage(text=text, page_number=n) for n, text in sorted(reading.pages.items()))
    answer = reading.answer
    return PdfText(
        url=answer.url[:2_000],
        pages=tuple(pages),
        title=answer.title[:500] if answer.title else None,
        published_at=reading.published_at,
    )
