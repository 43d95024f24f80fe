"""How a corpus lies in a folder: tickets.yaml, documents/*.md, web/*.md and pdfs/ with an index."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from desk.sources.knowledge.documents import (
    DOCUMENTS,
    PDFS,
    Corpus,
    Kind,
    PdfFile,
    TicketState,
    WrittenText,
)
from desk.sources.knowledge.yaml import DamagedCorpus, Entry, read_list, read_mapping, read_text

CORPUS_DIR = Path(__file__).parent / "corpus"
"""The corpus that comes with the desk."""

_FENCE = "---"
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def _instant(value: object) -> object:
    # pydantic reads a bare number as seconds since 1970, and a bare day as its midnight.
    if isinstance(value, datetime) or (isinstance(value, str) and "T" in value):
        return value
    raise ValueError("write it as an instant with offset, such as 2026-11-02T07:00:00Z")


Instant = Annotated[AwareDatetime, BeforeValidator(_instant)]
Name = Annotated[str, Field(min_length=1, max_length=180, pattern=r"^[^\s\x00-\x1f]+$")]
DocId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,179}$")]
WebUrl = Annotated[str, Field(max_length=200, pattern=r"^https?://[^\s<>\"]+$")]
Address = Annotated[str, Field(max_length=2_000, pattern=r"^[a-z]+://[^\s<>\"]+$")]
Title = Annotated[str, Field(min_length=1, max_length=500)]
Short = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[str, Field(min_length=1, max_length=4_000)]
Description = Annotated[str, Field(max_length=100_000)]
Labels = Annotated[tuple[Short, ...], Field(max_length=50)]


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _OlderState(_Written):
    at: Instant
    status: Short = ""
    assignee: Short | None = None
    summary: Words = ""
    description: Description = ""
    labels: Labels = ()


class _Ticket(_Written):
    id: Name
    status: Short
    assignee: Short | None = None
    summary: Words
    updated_at: Instant
    description: Description = ""
    labels: Labels = ()
    history: tuple[_OlderState, ...] = ()


class _DocumentMatter(_Written):
    doc_id: DocId
    title: Title
    published_at: Instant


class _WebMatter(_Written):
    url: WebUrl
    title: Title
    published_at: Instant


class _PdfMatter(_Written):
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
    title: Title
    published_at: Instant
    url: Address | None = None


def read_corpus(folder: Path) -> Corpus:
    """Everything in a folder, PDF files aside, which are opened when they are asked for.

    Raises:
        DamagedCorpus: something in it cannot be read, or stands there twice.
    """
    tickets, pdfs = folder / "tickets.yaml", folder / "pdfs" / "index.yaml"
    texts = {name: folder / name for name in ("documents", "web")}
    if not any(path.exists() for path in (tickets, pdfs, *texts.values())):
        wanted = "tickets.yaml, documents/, web/ and pdfs/index.yaml"
        raise DamagedCorpus(folder, 1, f"none of {wanted} is there")
    written = [*_documents(texts["documents"]), *_web_pages(texts["web"])]
    return Corpus(
        tickets=_tickets(tickets),
        texts=_versions(written, lambda text: text.doc_id),
        pdfs=_versions(_pdfs(pdfs), lambda pdf: pdf.url),
    )


_Version = TypeVar("_Version", WrittenText, PdfFile)


def _versions(
    found: Iterable[tuple[Entry, _Version]], name_of: Callable[[_Version], str]
) -> dict[str, tuple[_Version, ...]]:
    held: dict[str, dict[datetime, _Version]] = {}
    for entry, version in found:
        known = held.setdefault(name_of(version), {})
        if version.since in known:
            at = version.since.isoformat()
            raise entry.damaged(f"{name_of(version)} published at {at} stands there twice")
        known[version.since] = version
    return {name: tuple(known[at] for at in sorted(known)) for name, known in held.items()}


def _tickets(file: Path) -> dict[str, tuple[TicketState, ...]]:
    held: dict[str, tuple[TicketState, ...]] = {}
    for entry in read_list(file) if file.exists() else ():
        ticket = entry.read(_Ticket)
        if ticket.id in held:
            raise entry.damaged(f"the ticket {ticket.id} stands there twice", "id")
        held[ticket.id] = tuple(_states(entry, ticket))
    return held


def _states(entry: Entry, ticket: _Ticket) -> Iterator[TicketState]:
    """All states, oldest first. What an older one does not say was as it is now."""
    now = TicketState(
        ticket_id=ticket.id,
        status=ticket.status,
        assignee=ticket.assignee,
        summary=ticket.summary,
        description=ticket.description,
        labels=ticket.labels,
        since=ticket.updated_at,
    )
    earlier = sorted(ticket.history, key=lambda state: state.at)
    instants = [*(state.at for state in earlier), ticket.updated_at]
    if len(set(instants)) < len(instants) or max(instants) > ticket.updated_at:
        reason = f"the history of {ticket.id} must lie before updated_at, each state at its own"
        raise entry.damaged(reason, "history")
    for state in earlier:
        told = {name: getattr(state, name) for name in state.model_fields_set - {"at"}}
        yield replace(now, since=state.at, **told)
    yield now


def _documents(folder: Path) -> Iterator[tuple[Entry, WrittenText]]:
    for entry, markdown in _with_front_matter(folder):
        matter = entry.read(_DocumentMatter)
        yield (
            entry,
            WrittenText(
                kind=Kind.DOCUMENT,
                doc_id=matter.doc_id,
                url=DOCUMENTS + matter.doc_id,
                title=matter.title,
                markdown=markdown,
                since=matter.published_at,
            ),
        )


def _web_pages(folder: Path) -> Iterator[tuple[Entry, WrittenText]]:
    for entry, markdown in _with_front_matter(folder):
        matter = entry.read(_WebMatter)
        yield (
            entry,
            WrittenText(
                kind=Kind.WEB,
                doc_id=matter.url,
                url=matter.url,
                title=matter.title,
                markdown=markdown,
                since=matter.published_at,
            ),
        )


def _with_front_matter(folder: Path) -> Iterator[tuple[Entry, str]]:
    for file in sorted(folder.glob("*.md")):
        text = read_text(file)
        if not text.startswith(_FENCE):
            raise DamagedCorpus(file, 1, f"it must begin with front matter between {_FENCE} lines")
        found = _FRONT_MATTER.match(text)
        if found is None:
            raise DamagedCorpus(file, 1, f"the front matter does not end with a line of {_FENCE}")
        yield read_mapping(file, found[1], 1), text[found.end() :].lstrip("\n")


def _pdfs(index: Path) -> Iterator[tuple[Entry, PdfFile]]:
    for entry in read_list(index) if index.exists() else ():
        matter = entry.read(_PdfMatter)
        path = index.parent / matter.file
        if not path.is_file():
            raise entry.damaged(f"there is no file {matter.file} beside the index", "file")
        yield (
            entry,
            PdfFile(matter.url or PDFS + matter.file, matter.title, path, matter.published_at),
        )
