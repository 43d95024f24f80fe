"""What the learning system knows, laid out for a terminal: lines of at most 80 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from desk.contracts.learning.lessons import RecordWeight
from desk.documents.rendering.report.record_words import weight_cells
from desk.documents.rendering.wording import NO_FIGURE, one_line
from starters.terminal.tables import cut, folded

INDENT: Final = "  "
NAME: Final = 40


def columns(
    titles: Sequence[str], rows: Iterable[Sequence[str]], widths: Mapping[int, int]
) -> Iterator[str]:
    """A table with its first column to the left and the others to the right.

    `widths` bounds columns by their place; the others are as wide as what stands in them.
    """
    cells = [
        tuple(_bounded(cell, widths.get(at)) for at, cell in enumerate(row))
        for row in (titles, *rows)
    ]
    wide = [max(len(row[at]) for row in cells) for at in range(len(titles))]
    for first, *others in cells:
        padded = (cell.rjust(wide[at]) for at, cell in enumerate(others, start=1))
        yield f"{INDENT}{first.ljust(wide[0])}  {'  '.join(padded)}".rstrip()


def weight_lines(weights: Iterable[RecordWeight]) -> Iterator[str]:
    """Each weight with its outcomes, and its reason below."""
    for weight in weights:
        voice, factor, outcomes, reason = weight_cells(weight)
        yield f"{INDENT}{cut(one_line(voice), NAME)}{factor}  from {outcomes} outcomes"
        yield from folded(reason, INDENT * 2)


def cost_words(cost: Decimal) -> str:
    """Dollars, as many digits as there is room for; no figure for what is free."""
    if not cost:
        return NO_FIGURE
    return f"${cost:.4f}" if cost < 100 else f"${cost:,.2f}"


def _bounded(cell: str, width: int | None) -> str:
    return one_line(cell) if width is None else cut(one_line(cell), width).rstrip()
