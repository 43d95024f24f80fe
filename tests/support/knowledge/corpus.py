"""A corpus of the test's own: tickets, documents, web pages and PDF files in a folder."""

import json
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from pypdf import PdfReader, PdfWriter

PUBLISHED = "2026-03-02T08:00:00Z"
BEFORE, AFTER = "2026-03-02T07:59:59Z", "2026-03-02T08:00:00Z"
LATER = "2026-11-02T08:00:00Z"


class CorpusFolder:
    """A folder to which a test adds what it needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tickets: list[Mapping[str, Any]] = []
        self._pdfs: list[Mapping[str, Any]] = []
        for name in ("documents", "web", "pdfs"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def ticket(self, ticket_id: str = "DESK-1", **fields: Any) -> "CorpusFolder":
        """Add a ticket; JSON is YAML."""
        usual = {"status": "Open", "summary": "Fix the feed", "updated_at": PUBLISHED}
        self._tickets.append({"id": ticket_id, **usual, **fields})
        self.write("tickets.yaml", json.dumps(self._tickets))
        return self

    def document(
        self,
        doc_id: str = "policy",
        body: str = "The limit stands.\n",
        title: str = "Policy",
        published_at: str = PUBLISHED,
        file: str = "",
    ) -> "CorpusFolder":
        """Add a document."""
        matter = f"---\ndoc_id: {doc_id}\ntitle: {title}\npublished_at: {published_at}\n---\n"
        return self.write(f"documents/{file or doc_id}.md", matter + body)

    def page(
        self,
        url: str = "https://news.example/a",
        body: str = "Markets were calm.\n",
        title: str = "News",
        published_at: str = PUBLISHED,
    ) -> "CorpusFolder":
        """Add a web page."""
        file = url.rpartition("/")[2]
        matter = f"---\nurl: {url}\ntitle: {title}\npublished_at: {published_at}\n---\n"
        return self.write(f"web/{file}.md", matter + body)

    def pdf(
        self, file: str = "report.pdf", content: bytes = b"", published_at: str = PUBLISHED
    ) -> "CorpusFolder":
        """Add a PDF file."""
        title = f"Title of {file}"
        url = f"corpus://pdfs/{file}"
        self._pdfs.append({"url": url, "title": title, "published_at": published_at, "file": file})
        self.write("pdfs/index.yaml", json.dumps(self._pdfs))
        (self.folder / "pdfs" / file).write_bytes(content)
        return self

    def write(self, name: str, text: str) -> "CorpusFolder":
        """Write a file as it is given."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return self


def small_corpus(folder: Path) -> Path:
    """A ticket, a document, a web page and a PDF file."""
    corpus = CorpusFolder(folder).ticket("DESK-101", assignee="Ines Varga").document().page()
    return corpus.pdf(content=pdf_of("The audit found nothing.", "Page two.")).folder


def shown(text: str) -> bytes:
    """The content stream of a page that shows a line."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"BT /F1 12 Tf 72 700 Td (" + escaped.encode("latin-1") + b") Tj ET"


def pdf_of(*pages: str | bytes) -> bytes:
    """A PDF file; a page is a line of text, or a content stream of its own."""
    streams = [shown(page) if isinstance(page, str) else page for page in pages]
    return _pdf([_stream(zlib.compress(stream), b"/Filter /FlateDecode ") for stream in streams])


def _stream(content: bytes, extra: bytes = b"") -> bytes:
    head = b"<< " + extra + b"/Length " + str(len(content)).encode() + b" >>"
    return head + b"\nstream\n" + content + b"\nendstream"


def _pdf(streams: Sequence[bytes]) -> bytes:
    """Objects 1 to 3 are the catalogue, the page tree and the font; then each page, its stream."""
    numbers = [4 + 2 * index for index in range(len(streams))]
    kids = b" ".join(f"{number} 0 R".encode() for number in numbers)
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + kids + f"] /Count {len(streams)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, stream in zip(numbers, streams, strict=True):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R {resources} /MediaBox [0 0 595 842]"
        bodies += [f"{page} /Contents {number + 1} 0 R >>".encode(), stream]
    return _with_table(bodies)


def _with_table(bodies: Sequence[bytes]) -> bytes:
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        places.append(len(content))
        content += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    table += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    trailer = f"trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{len(content)}\n"
    return content + table + trailer.encode() + b"%%EOF\n"


def encrypted(content: bytes, password: str) -> bytes:
    """The same file under a password; an empty one opens for everybody."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    kept = BytesIO()
    writer.write(kept)
    return kept.getvalue()
