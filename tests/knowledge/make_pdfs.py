"""Writes the PDF files of the corpus, byte for byte the same each time, and their index.

    python -m tests.knowledge.make_pdfs [FOLDER]

The text of a page stands line by line in the file as a word processor would break it: pages have
headings, paragraphs and tables, which are typed with blanks between their columns.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import yaml
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from tests.support.processes.homes import PROJECT

PAGES: Final = Path(__file__).with_name("pdf_pages.yaml")
FOLDER: Final = PROJECT / "desk" / "sources" / "knowledge" / "corpus" / "pdfs"
BODY: Final = ("Helvetica", 11)
TYPED: Final = ("Courier", 9)
HEADING: Final = ("Helvetica-Bold", 14)
MARGIN: Final = 70
WIDTH: Final = A4[0] - 2 * MARGIN
LINE: Final = 17


def write_pdfs(folder: Path) -> list[Path]:
    """Draws all files into a folder, and writes `index.yaml` beside them."""
    files = yaml.safe_load(PAGES.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        _draw(folder / file["file"], file["title"], file["pages"])
    index = [
        {
            "url": f"corpus://pdfs/{file['file']}",
            "title": file["title"],
            "published_at": file["published_at"],
            "file": file["file"],
        }
        for file in files
    ]
    words = yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=100)
    (folder / "index.yaml").write_text(words, encoding="utf-8")
    return [folder / file["file"] for file in files]


def _draw(path: Path, title: str, pages: Iterable[list[dict[str, Any]]]) -> None:
    # `invariant` leaves out the time of writing, so that the file is the same each time.
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    canvas.setTitle(title)
    for blocks in pages:
        height = A4[1] - MARGIN
        for block in blocks:
            height = _draw_block(canvas, block, height) - LINE / 2
        canvas.showPage()
    canvas.save()


def _draw_block(canvas: Canvas, block: dict[str, Any], height: float) -> float:
    if "table" in block:
        return _draw_table(canvas, block["table"], height)
    font = HEADING if "heading" in block else BODY
    canvas.setFont(*font)
    for line in simpleSplit(block.get("heading") or block["text"], *font, WIDTH):
        canvas.drawString(MARGIN, height, line)
        height -= LINE
    return height


def _draw_table(canvas: Canvas, rows: list[list[str]], height: float) -> float:
    canvas.setFont(*TYPED)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        canvas.drawString(MARGIN, height, "   ".join(cells).rstrip())
        height -= LINE
    return height


if __name__ == "__main__":
    for written in write_pdfs(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER):
        print(written)
