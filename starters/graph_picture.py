"""A graph for a terminal: boxes in layers where they fit, and else a list."""

from collections.abc import Iterator
from typing import Final

from desk.contracts.question.graph import GraphSpec
from desk.runs.graphs.shape import Link
from starters.graph_picture_layout import Layout, agent_words, condition_of, layout_of
from starters.graph_picture_lines import Canvas, Marks, Placed, draw_links
from starters.table_lines import WIDTH, folded

_GAP: Final = 3
_BOX: Final = 4
"""Rows of a box: its borders, its name and its agent."""

_MARKS: Final = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def picture_of(spec: GraphSpec) -> Iterator[str]:
    """The lines of the picture, at most 80 columns wide where names allow it, and the conditions of
    the edges below it, by the numbers that the picture has them with."""
    layout = layout_of(spec)
    marks = _marks(spec, layout)
    drawn = _drawn(spec, layout, marks)
    if drawn is None:
        yield from _listed(spec, layout)
        return
    yield from drawn
    notes = [*_conditions(spec, marks), *_backward(spec, layout)]
    if notes:
        yield ""
    for note in notes:
        yield from folded(note)


def _marks(spec: GraphSpec, layout: Layout) -> Marks:
    conditional = [link for link in layout.ways if condition_of(spec, link)]
    return {
        link: _MARKS[number] if number < len(_MARKS) else "*"
        for number, link in enumerate(conditional)
    }


def _drawn(spec: GraphSpec, layout: Layout, marks: Marks) -> list[str] | None:
    """The boxes and lines; None where they do not fit or would not be clear."""
    widths = [[_width(spec, item) for item in row] for row in layout.layers]
    if max(sum(row) + _GAP * (len(row) - 1) for row in widths) > WIDTH:
        return None
    placed = _placed(layout, widths)
    canvas = Canvas()
    top = 0
    for number, row in enumerate(layout.layers):
        for item in row:
            _draw_item(spec, canvas, item, placed.centres[item], top)
        if number + 1 < len(layout.layers):
            down = draw_links(canvas, layout, number, placed, top + _BOX, marks)
            if down is None:
                return None
            top = down
    return canvas.lines()


def _width(spec: GraphSpec, item: int) -> int:
    if item >= len(spec.nodes):
        return 1
    node = spec.nodes[item]
    return max(len(node.name), len(agent_words(spec, item))) + 4


def _placed(layout: Layout, widths: list[list[int]]) -> Placed:
    found = Placed({}, {})
    for row, wide in zip(layout.layers, widths, strict=True):
        left = (WIDTH - sum(wide) - _GAP * (len(wide) - 1)) // 2
        for item, width in zip(row, wide, strict=True):
            found.centres[item] = left + width // 2
            found.widths[item] = width
            left += width + _GAP
    return found


def _draw_item(spec: GraphSpec, canvas: Canvas, item: int, centre: int, top: int) -> None:
    if item >= len(spec.nodes):
        for row in range(_BOX):
            canvas.put(top + row, centre, "│")
        return
    room = _width(spec, item) - 2
    left = centre - (room + 2) // 2
    canvas.put(top, left, f"┌{'─' * room}┐")
    canvas.put(top + 1, left, f"│{spec.nodes[item].name:^{room}}│")
    canvas.put(top + 2, left, f"│{agent_words(spec, item):^{room}}│")
    canvas.put(top + 3, left, f"└{'─' * room}┘")


def _conditions(spec: GraphSpec, marks: Marks) -> Iterator[str]:
    for link, mark in marks.items():
        source, target = spec.nodes[link.source].name, spec.nodes[link.target].name
        yield f"{mark} {source} → {target}  {_when(spec, link)}"


def _backward(spec: GraphSpec, layout: Layout) -> Iterator[str]:
    for link in layout.back:
        rounds = spec.nodes[link.target].rounds
        source, target = spec.nodes[link.source].name, spec.nodes[link.target].name
        told = f"↺ {source} goes back to {target}, {rounds} rounds at most"
        yield f"{told}  {_when(spec, link)}".rstrip()


def _when(spec: GraphSpec, link: Link) -> str:
    condition = condition_of(spec, link)
    return condition if condition in ("", "otherwise") else f"if {condition}"


def _listed(spec: GraphSpec, layout: Layout) -> Iterator[str]:
    """Each node with its agent and where it leads, by layers."""
    leaving: dict[int, list[Link]] = {}
    for link in (*layout.ways, *layout.back):
        leaving.setdefault(link.source, []).append(link)
    for number, row in enumerate(layout.layers, 1):
        for item in (item for item in row if item < len(spec.nodes)):
            yield from folded(f"{number} {spec.nodes[item].name} ({agent_words(spec, item)})")
            yield from _led_to(spec, leaving.get(item, []))


def _led_to(spec: GraphSpec, links: list[Link]) -> Iterator[str]:
    plain = [link for link in links if not (link.back or condition_of(spec, link))]
    if plain:
        names = ", ".join(spec.nodes[link.target].name for link in plain)
        yield from folded(f"→ {names}", indent="    ")
    for link in (link for link in links if link.back or condition_of(spec, link)):
        told = f"{'↺' if link.back else '→'} {spec.nodes[link.target].name}  {_when(spec, link)}"
        yield from folded(told.rstrip(), indent="    ")
