"""A corpus of tickets, documents, web pages and PDF files, as of an instant."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Final, Protocol, TypeVar

SCHEME = "corpus://"
TICKETS, DOCUMENTS, PDFS = f"{SCHEME}tickets/", f"{SCHEME}documents/", f"{SCHEME}pdfs/"
"""The prefixes of a corpus's addresses. A web page has its own address."""


MOST_LINKS: Final = 40
LAST_REPORTS: Final = 8
"""How many of the desk's own reports are searched, the last before an instant: each takes 0.1 s."""

_NAME: Final = re.compile(r"[A-Za-z][\w:/.-]*")
_ENDS: Final = ".:/-"


class Kind(StrEnum):
    """The kinds of things in a corpus."""

    TICKET = "ticket"
    DOCUMENT = "document"
    PDF = "pdf"
    WEB = "web"


@dataclass(frozen=True, slots=True)
class TicketState:
    """A ticket from `since` on, until its next state."""

    ticket_id: str
    status: str
    assignee: str | None
    summary: str
    description: str
    labels: tuple[str, ...]
    since: datetime

    @property
    def url(self) -> str:
        """The ticket's address, the same in every state."""
        return TICKETS + self.ticket_id


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A version of a document or of a web page, published at `since`.

    `doc_id` is the id that it is requested by; for a web page, its address. `is_report`: it is a
    published report of the desk.
    """

    kind: Kind
    doc_id: str
    url: str
    title: str
    markdown: str
    since: datetime
    is_report: bool = False


@dataclass(frozen=True, slots=True)
class PdfFile:
    """A version of a PDF file, published at `since`."""

    url: str
    title: str
    path: Path
    since: datetime


class _Dated(Protocol):
    @property
    def since(self) -> datetime: ...


Version = TypeVar("Version", bound=_Dated)


def version_at(versions: Sequence[Version], instant: datetime) -> Version | None:
    """The newest of the versions, oldest first, that existed at the instant, if there is one."""
    begun = bisect_right(versions, instant, key=attrgetter("since"))
    return versions[begun - 1] if begun else None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The contents of a corpus at an instant, each in its version of then."""

    tickets: tuple[TicketState, ...]
    texts: tuple[WrittenText, ...]
    pdfs: tuple[PdfFile, ...]


@dataclass(frozen=True)
class Corpus:
    """All versions of everything, oldest first: tickets by id, texts by `doc_id`, PDFs by url."""

    tickets: Mapping[str, tuple[TicketState, ...]]
    texts: Mapping[str, tuple[WrittenText, ...]]
    pdfs: Mapping[str, tuple[PdfFile, ...]]

    def snapshot(self, instant: datetime) -> Snapshot:
        """The contents published by the instant, in an order that does not depend on files.
        Contains only the last of the desk's own reports."""
        texts = _at(self.texts, instant)
        reports = sorted((text for text in texts if text.is_report), key=attrgetter("since"))
        older = {text.url for text in reports[:-LAST_REPORTS]}
        return Snapshot(
            _at(self.tickets, instant),
            tuple(text for text in texts if text.url not in older),
            _at(self.pdfs, instant),
        )

    def named_in(self, text: str, instant: datetime, *, but: str) -> tuple[str, ...]:
        """The addresses of the things that a text names by id, file name or address, in order, and
        by title, if that has several words, as far as they had been published; without the text's
        own."""
        addresses = self._addresses(instant)
        words = (word.rstrip(_ENDS) for word in _NAME.findall(text))
        found = dict.fromkeys(addresses[word] for word in words if word in addresses)
        contents = self.snapshot(instant)
        titles = {each.url: each.title for each in contents.texts}
        titles |= {each.url: each.title for each in contents.pdfs}
        titled = (url for url, title in titles.items() if " " in title and _holds(text, title))
        found |= dict.fromkeys(titled)
        return tuple(address for address in found if address != but)[:MOST_LINKS]

    def _addresses(self, instant: datetime) -> dict[str, str]:
        contents = self.snapshot(instant)
        names = {each.url: each.url for each in contents.texts}
        names |= {each.url: each.url for each in contents.pdfs}
        names |= {each.ticket_id: each.url for each in contents.tickets}
        names |= {each.doc_id: each.url for each in contents.texts}
        return names | {each.url.rsplit("/", 1)[-1]: each.url for each in contents.pdfs}

    def instants(self) -> tuple[datetime, ...]:
        """The instants of all changes, earliest first: the snapshots between two of them are
        equal."""
        contents: Iterator[Sequence[_Dated]] = chain(
            self.tickets.values(), self.texts.values(), self.pdfs.values()
        )
        return tuple(sorted({version.since for versions in contents for version in versions}))


def _holds(text: str, title: str) -> bool:
    """Whether a text contains a title exactly, between words."""
    at = text.find(title)
    while at >= 0:
        around = f"{text[at - 1 : at]}{text[at + len(title) : at + len(title) + 1]}"
        if not any(sign.isalnum() for sign in around):
            return True
        at = text.find(title, at + 1)
    return False


def _at(contents: Mapping[str, tuple[Version, ...]], instant: datetime) -> tuple[Version, ...]:
    found = (version_at(contents[name], instant) for name in sorted(contents))
    return tuple(version for version in found if version is not None)
