"""Extracts the text of PDF files, page by page, with limits of size and time. Files may be
hostile."""

import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pypdf import PdfReader

LARGEST_FILE = 50_000_000
LONGEST_PAGE = 50_000
"""Characters of a page. The rest is omitted, and the answer says so."""

SECONDS_A_PAGE = 5.0
SECONDS_A_FILE = 60.0
"""After so much time on its pages, no more pages of a file are read."""

MOST_PAGES = 5_000

_BOUNDS: Final = {
    "zlib_maximum_output_length": 10_000_000,
    "lzw_maximum_output_length": 10_000_000,
    "run_length_maximum_output_length": 10_000_000,
    "array_based_stream_maximum_output_length": 10_000_000,
    "stream_decoding_work_maximum_length": 40_000_000,
    "stream_parsing_work_maximum_count": 500_000,
    "page_tree_maximum_entries": 20_000,
}
"""The limits of decompressing one page, beyond which pypdf refuses."""

_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class UnreadablePdf(Exception):
    """A PDF file cannot be read. The message says why, without its path."""


class PageText(NamedTuple):
    """The text of a page, and what of it could not be read."""

    text: str
    missing: str | None = None


class _TooMuch(Exception):
    """A page has more text than is read, or takes longer."""


class PdfTexts:
    """PDF files by path. Texts are cached; a file is opened at its first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[Path, _Opened] = {}

    def page_count(self, path: Path) -> int:
        """The number of pages of a file.

        Raises:
            UnreadablePdf: it is damaged, encrypted or too large.
        """
        return self._of(path).page_count()

    def page(self, path: Path, number: int) -> PageText:
        """A page of a file, counted from 1. The page must exist.

        Raises:
            UnreadablePdf: as `page_count`.
        """
        return self._of(path).page(number)

    def _of(self, path: Path) -> "_Opened":
        with self._lock:
            return self._opened.setdefault(path, _Opened(path))


class _Opened:
    """One file. pypdf is not thread-safe, so only one thread at a time uses it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._reader: PdfReader | None = None
        self._unreadable: str | None = None
        self._count = 0
        self._spent = 0.0
        self._pages: dict[int, PageText] = {}

    def page_count(self) -> int:
        with self._lock, _bounded():
            self._open()
            return self._count

    def page(self, number: int) -> PageText:
        with self._lock, _bounded():
            reader = self._open()
            if number not in self._pages:
                began = time.monotonic()
                self._pages[number] = self._read(reader, number)
                self._spent += time.monotonic() - began
            return self._pages[number]

    def _read(self, reader: "PdfReader", number: int) -> PageText:
        if self._spent > SECONDS_A_FILE:
            reason = f"the pages before took longer than {SECONDS_A_FILE:g} s"
            return PageText("", f"page {number} is not read: {reason}")
        return _page_text(reader, number)

    def _open(self) -> "PdfReader":
        if self._unreadable is not None:
            raise UnreadablePdf(self._unreadable)
        if self._reader is None:
            try:
                self._reader, self._count = _opened(self._path)
            except UnreadablePdf as error:
                self._unreadable = str(error)
                raise
        return self._reader


@contextmanager
def _bounded() -> Iterator[None]:
    # Imported for the first file, because it takes an eighth of a second and few corpora have one.
    from pypdf import apply_configuration, get_configuration

    # pypdf warns about every oddity of a file; the answer says what could not be read.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with apply_configuration(get_configuration().with_overwrites(**_BOUNDS)):
        yield


def _opened(path: Path) -> "tuple[PdfReader, int]":
    from pypdf import PdfReader

    try:
        size = path.stat().st_size
    except OSError as error:
        raise UnreadablePdf(f"cannot be read ({error.strerror})") from error
    if size > LARGEST_FILE:
        raise UnreadablePdf(f"is above {LARGEST_FILE // 1_000_000} MB")
    # All errors that a damaged file causes mean the same to the caller.
    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadablePdf("is encrypted and needs a password")
        count = len(reader.pages)
    except UnreadablePdf:
        raise
    except Exception as error:
        raise UnreadablePdf(f"is damaged ({_error_words(error)})") from error
    if count > MOST_PAGES:
        raise UnreadablePdf(f"has {count} pages, which is above {MOST_PAGES}")
    return reader, count


class _Reading:
    """A page being read, limited in length and time."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._until = time.monotonic() + SECONDS_A_PAGE
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def keep(self, text: str, *_: Any) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > LONGEST_PAGE:
            raise _TooMuch(_cut(self._number))

    def watch(self, *_: Any) -> None:
        if time.monotonic() > self._until:
            raise _TooMuch(f"page {self._number} took longer than {SECONDS_A_PAGE:g} s to read")


def _page_text(reader: "PdfReader", number: int) -> PageText:
    reading = _Reading(number)
    try:
        text = reader.pages[number - 1].extract_text(
            visitor_operand_before=reading.watch, visitor_text=reading.keep
        )
    except _TooMuch as error:
        return PageText(_clean(reading.text)[:LONGEST_PAGE], str(error))
    except Exception as error:
        return PageText("", f"page {number} cannot be read ({_error_words(error)})")
    return _whole(_clean(text), number)


def _whole(text: str, number: int) -> PageText:
    if not text:
        return PageText("", f"page {number} has no text: it may be a picture, as of a scan")
    if len(text) > LONGEST_PAGE:
        return PageText(text[:LONGEST_PAGE], _cut(number))
    return PageText(text)


def _cut(number: int) -> str:
    return f"page {number} is cut after {LONGEST_PAGE} characters"


def _clean(text: str) -> str:
    return _UNSEEN.sub(" ", text).strip()


def _error_words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
