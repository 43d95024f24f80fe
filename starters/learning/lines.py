"""Tables on the learning system's record."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from desk.contracts.learning.lessons import RecordWeight
from desk.documents.rendering.words.wording import NO_FIGURE
from desk.programs.week.document.rendering.record_words import weight_cells
from starters.terminal.tables import folded, table_lines

INDENT: Final = "  "


def columns(titles: Sequence[str], rows: Iterable[tuple[str, ...] | str]) -> Iterator[str]:
    """Formats a table with its first column aligned left and the others right."""
    return table_lines(titles, rows, right=range(1, len(titles)), indent=INDENT)


def weight_lines(weights: Iterable[RecordWeight]) -> Iterator[str]:
    """Formats each weight with its outcomes, and its reason below."""
    return table_lines(("", "", ""), _weights(weights), right={1}, indent=INDENT)


def _weights(weights: Iterable[RecordWeight]) -> Iterator[tuple[str, ...] | str]:
    for weight in weights:
        voice, factor, outcomes, reason = weight_cells(weight)
        yield voice, factor, f"from {outcomes} outcomes"
        yield from folded(reason, INDENT * 2)


def cost_words(cost: Decimal) -> str:
    """Formats dollars with as many digits as fit; no figure for what is free."""
    if not cost:
        return NO_FIGURE
    return f"${cost:.4f}" if cost < 100 else f"${cost:,.2f}"
