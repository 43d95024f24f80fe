"""The lines between two layers of boxes in a terminal's picture.

What leaves one item shares a line down and across to all that it leads to, and so do items that all
lead to the same. Where two lines only cross, the one that runs down is drawn through.
"""

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Final, NamedTuple

from desk.runs.graphs.shape import Link
from starters.graph_picture_layout import Layout

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_JOINTS: Final = dict(
    zip(
        (3, 12, 5, 9, 6, 10, 7, 11, 13, 14, 15),
        "│─┘└┐┌┤├┴┬┼",
        strict=True,
    )
)
"""The sign for each set of directions in which a line goes on."""

Marks = dict[Link, str]
"""The number of each edge that has a condition."""


class Canvas:
    """Signs in rows and columns, which grow as they are put down."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []

    def put(self, row: int, column: int, text: str) -> None:
        """Put a text down, over what is there."""
        while len(self._rows) <= row:
            self._rows.append([])
        line = self._rows[row]
        line += " " * (column + len(text) - len(line))
        line[column : column + len(text)] = text

    def lines(self) -> list[str]:
        """All rows, without the blanks at their ends."""
        return ["".join(row).rstrip() for row in self._rows]


class Placed(NamedTuple):
    """The columns of the items: their middles, and how wide they are."""

    centres: dict[int, int]
    widths: dict[int, int]


class Net(NamedTuple):
    """Lines that leave some items of a layer and arrive at some of the next: each of these leads to
    each of those. `up` and `down` are the columns of both."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]

    @property
    def columns(self) -> list[int]:
        """All columns from left to right."""
        return sorted({*self.up, *self.down})


def draw_links(
    canvas: Canvas, layout: Layout, layer: int, placed: Placed, top: int, marks: Marks
) -> int | None:
    """Draw what leads from a layer to the next, from a row on; the row where the next begins.

    The number of a condition stands where its edge arrives. None where lines would run over each
    other.
    """
    nets = _arriving(_nets(layout, layer, marks), placed)
    tracks = _tracks(nets)
    if tracks is None:
        return None
    _draw_tracks(canvas, nets, tracks, top)
    bottom = top + len(tracks)
    for net in nets:
        for source, column in zip(net.sources, net.up, strict=True):
            if placed.widths[source] > 1:
                canvas.put(top - 1, column, "┬")
        for target, column in zip(net.targets, net.down, strict=True):
            canvas.put(bottom, column, "▼" if placed.widths[target] > 1 else "│")
    for link, mark in marks.items():
        source, target = layout.ways[link][:2]
        for net in nets:
            if net.sources == (source,) and target in net.targets:
                canvas.put(bottom, net.down[net.targets.index(target)] + 1, mark)
    return bottom + 1


def _nets(layout: Layout, layer: int, marks: Marks) -> list[tuple[tuple[int, ...], ...]]:
    """Sources with the targets that they share; who leads on by a condition shares no line."""
    leading: dict[int, list[int]] = {item: [] for item in layout.layers[layer]}
    alone = {layout.ways[link][0] for link in marks}
    for way in layout.ways.values():
        for upper, lower in pairwise(way):
            if lower not in leading.get(upper, (lower,)):
                leading[upper].append(lower)
    sources: dict[tuple[int | None, tuple[int, ...]], list[int]] = {}
    for item, targets in leading.items():
        if targets:
            key = (item if item in alone else None, tuple(sorted(targets)))
            sources.setdefault(key, []).append(item)
    return [(tuple(items), targets) for (_, targets), items in sources.items()]


def _arriving(nets: list[tuple[tuple[int, ...], ...]], placed: Placed) -> list[Net]:
    """The nets with their columns: at a box each arrives at one of its own, if it is wide enough,
    in the order in which they come from the left."""
    centres = placed.centres
    came: dict[int, list[tuple[int, ...]]] = {}
    from_the_left = sorted(nets, key=lambda net: sum(centres[s] for s in net[0]) / len(net[0]))
    for sources, targets in from_the_left:
        for target in targets:
            came.setdefault(target, []).append(sources)
    found = []
    for sources, targets in nets:
        down = []
        for target in targets:
            beside = came[target]
            fits = 2 * len(beside) < placed.widths[target]
            shift = 2 * beside.index(sources) - len(beside) + 1 if fits else 0
            down.append(centres[target] + shift)
        found.append(Net(sources, targets, tuple(centres[s] for s in sources), tuple(down)))
    return found


def _tracks(nets: list[Net]) -> list[Net] | None:
    """Those whose lines run across, top first: one that leaves where another arrives must have
    turned away before."""
    bent = [net for net in nets if len(net.columns) > 1]
    order: TopologicalSorter[Net] = TopologicalSorter(dict.fromkeys(bent, ()))
    for net in bent:
        for other in bent:
            if other != net and set(net.down) & set(other.up):
                order.add(net, other)
    try:
        return list(order.static_order())
    except CycleError:
        return None


def _draw_tracks(canvas: Canvas, nets: list[Net], tracks: list[Net], top: int) -> None:
    signs: dict[tuple[int, int], int] = {}
    for row, net in enumerate(tracks):
        first, *_, last = net.columns
        for column in range(first, last + 1):
            across = _LEFT * (column > first) | _RIGHT * (column < last)
            signs[row, column] = across | _UP * (column in net.up) | _DOWN * (column in net.down)
    for net in nets:
        own = tracks.index(net) if net in tracks else len(tracks)
        uprights = [(row, column) for column in net.up for row in range(own)]
        uprights += [(row, column) for column in net.down for row in range(own + 1, len(tracks))]
        for row, column in uprights:
            held = signs.get((row, column), 0) if column in tracks[row].down else 0
            signs[row, column] = held | _UP | _DOWN
    for (row, column), directions in signs.items():
        canvas.put(top + row, column, _JOINTS[directions])
