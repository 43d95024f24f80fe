"""Reads and validates the files of a corpus: tickets in YAML, documents and pages in Markdown, PDF
files by their index."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from desk.sources.knowledge.documents import (
    DOCUMENTS,
    PDFS,
    Corpus,
    Kind,
    PdfFile,
    TicketState,
    WrittenText,
)

_Model = TypeVar("_Model", bound=BaseModel)

LARGEST_FILE = 64_000_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class DamagedCorpus(Exception):
    """A corpus cannot be used. The message names the file, the line and the reason."""

    def __init__(self, file: Path, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}. Correct the file or take it away.")
        self.file = file
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """A mapping in a YAML file, with its position for errors."""

    file: Path
    line: int
    lines: dict[str, int]
    fields: dict[str, Any]

    def read(self, model: type[_Model]) -> _Model:
        """Validates the mapping as a model.

        Raises:
            DamagedCorpus: it is not valid.
        """
        try:
            return model.model_validate(self.fields)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(str(part) for part in wrong["loc"])
            line = self.lines.get(str(wrong["loc"][0]), self.line) if wrong["loc"] else self.line
            raise DamagedCorpus(self.file, line, f"{place}: {_one_line(wrong['msg'])}") from error

    def damaged(self, reason: str, field: str = "") -> DamagedCorpus:
        """The error to raise for this mapping, or for one of its fields."""
        return DamagedCorpus(self.file, self.lines.get(field, self.line), reason)


def read_text(file: Path) -> str:
    """The text of a file, with line feeds between its lines.

    Raises:
        DamagedCorpus: it cannot be read, is too large or is not UTF-8.
    """
    try:
        if file.exists() and not file.is_file():
            raise DamagedCorpus(file, 1, "it is a device or a pipe, and no file")
        if file.stat().st_size > LARGEST_FILE:
            raise DamagedCorpus(file, 1, f"it is above {LARGEST_FILE // 1_000_000} MB")
        content = file.read_bytes()
    except OSError as error:
        raise DamagedCorpus(file, 1, f"it cannot be read ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DamagedCorpus(file, line, "it is no UTF-8 text") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_list(file: Path) -> Iterator[Entry]:
    """The mappings of a file that is a list of them. Empty for an empty file.

    Raises:
        DamagedCorpus: it is something else.
    """
    loader, node = _parsed(file, read_text(file), 0)
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise DamagedCorpus(file, _line(node, 0), "a list belongs here, each item after a dash")
    for child in node.value:
        yield _entry(file, loader, child, 0)


def read_mapping(file: Path, text: str, lines_before: int) -> Entry:
    """The one mapping in a part of a file that begins after `lines_before` lines.

    Raises:
        DamagedCorpus: it is something else.
    """
    loader, node = _parsed(file, text, lines_before)
    if node is None:
        raise DamagedCorpus(file, lines_before + 1, "the front matter is empty")
    return _entry(file, loader, node, lines_before)


def _parsed(file: Path, text: str, lines_before: int) -> tuple[Any, yaml.Node | None]:
    try:
        loader = _LOADER(text)
        return loader, loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = (mark.line if mark else 0) + 1 + lines_before
        raise DamagedCorpus(
            file, line, _one_line(getattr(error, "problem", None) or error)
        ) from error


def _entry(file: Path, loader: Any, node: yaml.Node, lines_before: int) -> Entry:
    line = _line(node, lines_before)
    if not isinstance(node, yaml.MappingNode):
        raise DamagedCorpus(file, line, "fields with a colon belong here")
    lines: dict[str, int] = {}
    fields: dict[str, Any] = {}
    for key, value in node.value:
        name, at = str(key.value), _line(key, lines_before)
        if name in lines:
            raise DamagedCorpus(file, at, f"{name} stands there twice")
        lines[name] = at
        fields[name] = _value(file, loader, value, at)
    return Entry(file, line, lines, fields)


def _value(file: Path, loader: Any, node: yaml.Node, line: int) -> Any:
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        raise DamagedCorpus(
            file, line, _one_line(getattr(error, "problem", None) or error)
        ) from error


def _line(node: yaml.Node, lines_before: int) -> int:
    return int(node.start_mark.line) + 1 + lines_before


def _one_line(reason: object) -> str:
    return " ".join(str(reason).split())[:300].rstrip(".")


CORPUS_DIR = Path(__file__).parent / "corpus"
"""The corpus that ships with the desk."""

_FENCE = "---"
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def _instant(value: object) -> object:
    # pydantic parses a bare number as seconds since 1970, and a bare day as its midnight.
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
    """All contents of a folder. PDF files are opened only when they are requested.

    Raises:
        DamagedCorpus: something in it cannot be read, or is there twice.
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
    by_id: dict[str, dict[datetime, _Version]] = {}
    for entry, version in found:
        known = by_id.setdefault(name_of(version), {})
        if version.since in known:
            at = version.since.isoformat()
            raise entry.damaged(f"{name_of(version)} published at {at} stands there twice")
        known[version.since] = version
    return {name: tuple(known[at] for at in sorted(known)) for name, known in by_id.items()}


def _tickets(file: Path) -> dict[str, tuple[TicketState, ...]]:
    by_id: dict[str, tuple[TicketState, ...]] = {}
    for entry in read_list(file) if file.exists() else ():
        ticket = entry.read(_Ticket)
        if ticket.id in by_id:
            raise entry.damaged(f"the ticket {ticket.id} stands there twice", "id")
        by_id[ticket.id] = tuple(_states(entry, ticket))
    return by_id


def _states(entry: Entry, ticket: _Ticket) -> Iterator[TicketState]:
    """All states, oldest first. Fields that an older one does not state have today's value."""
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
        stated = {name: getattr(state, name) for name in state.model_fields_set - {"at"}}
        yield replace(now, since=state.at, **stated)
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
