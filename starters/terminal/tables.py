"""Tables and wrapped prose for people: as wide as the terminal, with uncut cells in a pipe."""

import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from desk.contracts.names import AgentId
from desk.documents.rendering.words.wording import one_line

WIDTH: Final = 80
"""The width of wrapped prose, in columns."""

_UNBOUNDED: Final = 1_000_000


def short_name(agent: AgentId) -> str:
    """Returns an agent's name in a narrow table: its registered two letters, or else its first
    two."""
    # The registry imports the declaration of every program.
    from desk.agents.registry import AGENTS

    profile = AGENTS.get(agent)
    return agent[:2].upper() if profile is None else profile.short


def table_lines(
    titles: Sequence[str],
    rows: Iterable[tuple[str, ...] | str],
    *,
    right: Collection[int] = (),
    indent: str = "",
) -> Iterator[str]:
    """Formats a table without rules or colours. Columns in `right` are aligned right.

    A row that is a string is a line of its own. On a terminal the table is at most as wide as the
    terminal, and longer cells continue below; in a pipe every row is one line. Cells are plain
    text, without markup. If all titles are empty, there is no title line.
    """
    # Rich is slow to import, and most commands print no table.
    from rich.console import Console
    from rich.style import Style
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(titles))
    for at, title in enumerate(titles):
        table.add_column(
            Text(one_line(title)), justify="right" if at in right else "left", overflow="fold"
        )
    between: dict[int, list[str]] = {}
    for row in rows:
        if isinstance(row, str):
            between.setdefault(table.row_count, []).append(row)
        else:
            style = Style.from_meta({"row": table.row_count})
            table.add_row(*(Text(one_line(cell)) for cell in row), style=style)
    console = Console(width=_room() - len(indent), color_system=None)
    whole = console.options.update_width(_UNBOUNDED)
    if console.measure(table, options=whole).maximum > console.width:
        table.padding = (0, 1, 0, 0)
    shown = 0
    for line in console.render_lines(table, pad=False):
        of = next((each.style.meta.get("row") for each in line if each.style), None)
        while of is not None and shown <= of:
            yield from between.pop(shown, ())
            shown += 1
        yield f"{indent}{''.join(each.text for each in line)}".rstrip()
    for rest in between.values():
        yield from rest


def folded(text: str, indent: str = "", first: str | None = None) -> Iterator[str]:
    """Wraps a text into lines of at most `WIDTH` columns, the second and later ones indented
    further.

    The first line starts with `first`, if given, such as a label.
    """
    begin = indent if first is None else first
    lines = textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=begin,
        subsequent_indent=f"{indent}    ",
        break_on_hyphens=False,
    )
    yield from lines or [begin]


def _room() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNBOUNDED
