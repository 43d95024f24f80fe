"""A PDF file of plain text, a line of it after the other, the same bytes each time."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from pypdf import PdfWriter
from pypdf.generic import ContentStream, DecodedStreamObject, DictionaryObject, NameObject

WIDTH, HEIGHT = 595, 842
"""A4, in points."""

COLUMNS: Final = 84
LINE: Final = 16
MARGIN: Final = 70
SIZE: Final = 11


def write_pdf(path: Path, pages: Sequence[Sequence[str]]) -> None:
    """Writes pages of paragraphs in Helvetica; what has no sign in Latin-1 is replaced."""
    writer = PdfWriter()
    for paragraphs in pages:
        page = writer.add_blank_page(WIDTH, HEIGHT)
        page[NameObject("/Resources")] = _fonts()
        stream = DecodedStreamObject()
        stream.set_data(_drawn(paragraphs))
        page.replace_contents(ContentStream(stream, writer))
    writer.write(path)


def _fonts() -> DictionaryObject:
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )
    return DictionaryObject({NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})})


def _drawn(paragraphs: Sequence[str]) -> bytes:
    """The operators that draw the text from the top margin on (ISO 32000-1, 9.4)."""
    lines = [line for paragraph in paragraphs for line in (*wrap(paragraph, COLUMNS), "")]
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in lines)
    start = f"BT /F1 {SIZE} Tf {LINE} TL {MARGIN} {HEIGHT - MARGIN} Td\n"
    return f"{start}{shown}ET".encode("latin-1", "replace")


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
