"""The Doc agent: the documents that a question is about, as far as they are read."""

from dataclasses import dataclass, field
from typing import Final

from desk.agents.answer_form import ToldDocument
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.question.knowledge import Document, DocumentsRead
from desk.programs.question.reading.plan import documents_found, named_documents
from desk.programs.question.reading.reading import Course, Reading, read_on

MOST_CHARACTERS: Final = 500_000
"""Of one document. What is longer is read up to here, and that is said. In parts of 100,000 it
takes six turns, and with a search before and the result after no more than the usual eight."""

MOST_SEARCHED: Final = 6


@dataclass(slots=True)
class _Reading(Reading[ToldDocument]):
    """A document as far as it was read. `next_offset` is where it goes on, None at its end."""

    parts: dict[int, str] = field(default_factory=dict)
    characters: int | None = None
    next_offset: int | None = None

    @property
    def markdown(self) -> str:
        return "".join(self.parts[offset] for offset in sorted(self.parts))

    @property
    def goes_on_at(self) -> int | None:
        read = len(self.markdown)
        return self.next_offset if read < MOST_CHARACTERS else None

    def add(self, part: ToldDocument) -> None:
        self.parts.setdefault(part.offset or 0, part.markdown)
        self.characters = part.characters or self.characters
        self.next_offset = part.next_offset

    def unread(self) -> list[str]:
        if self.next_offset is None:
            return []
        whole = f" of {self.characters}" if self.characters else ""
        return [f"only the first {len(self.markdown)} characters{whole} were read"]


_COURSE: Final = Course(
    capability=Capability.DOCUMENT,
    kind="document",
    things="documents",
    title=str,
    asks_by="doc_id",
    goes_on_by="offset",
    most_searched=MOST_SEARCHED,
    named=named_documents,
    found=documents_found,
    part=ToldDocument,
    reading=_Reading,
)


def take_turn(request: TurnRequest) -> Turn:
    """Read the documents that are named, or else those that a search finds; go on with a long one
    up to a bound; then deliver what was read.

    Raises:
        TaskNotPossible: there is no question, or no tool could be asked.
    """
    read = read_on(request, _COURSE)
    if isinstance(read, Turn):
        return read
    return Turn(
        result=DocumentsRead(
            task_id=request.assignment.task_id,
            agent=request.assignment.agent,
            documents=tuple(map(_document, read.readings)),
            evidence=read.evidence,
            missing=read.missing,
        )
    )


def _document(reading: _Reading) -> Document:
    answer = reading.answer
    alone = answer.html if len(reading.parts) == 1 else None
    return Document(
        doc_id=answer.doc_id[:200],
        markdown=reading.markdown,
        html=alone or "",
        title=answer.title[:500] if answer.title else None,
        url=answer.url[:2_000] if answer.url else None,
        published_at=reading.published_at,
    )
