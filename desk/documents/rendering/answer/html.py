"""An answer as one self-contained HTML file: no script, no network, light and dark, for print."""

from collections.abc import Mapping
from functools import cache, cached_property
from html import escape as escaped
from typing import Final, NamedTuple

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.question.answers import AnswerReport, NodeReport
from desk.contracts.question.graph import GraphSpec, NodeState
from desk.contracts.question.knowledge import Quotation
from desk.documents.answer.evidence import Library, Passage
from desk.documents.answer.prose import (
    Figure,
    Known,
    Piece,
    Quoted,
    attribution_of,
    pieces,
    render_answer,
)
from desk.documents.answer.prose import shown_words as shown
from desk.documents.pages.rendering_version import rendering_mark
from desk.documents.parts import Part, all_parts, parts_of
from desk.documents.rendering import trust_words, wording
from desk.documents.rendering.answer import conflicts
from desk.documents.rendering.answer import words as answer_words
from desk.documents.rendering.figures.links import FigureLinks, tied
from desk.documents.rendering.report.html import page_environment
from desk.documents.rendering.wording import one_line
from desk.documents.tool_results import is_carried
from desk.trust.prose import UnknownReferenceError

_OPEN, _CLOSE = "\ue000", "\ue001"
"""What stands for a reference while the prose around it is rendered."""

LONGEST_END: Final = 16
"""Characters of a quotation that are kept together with its number."""

_LEAST_HEADING: Final = 4
"""The level of the highest heading within a section."""


class QuotationCard(NamedTuple):
    """A quotation with all that there is to know of its source. `number` is that of its button."""

    id: str
    number: int
    quotation: Quotation
    passage: Passage | None
    result: ToolResult | None
    source: DataSource | None
    carried: bool


class AnswerLinks:
    """The prose of an answer as HTML, and the cards that its buttons open."""

    def __init__(self, answer: AnswerReport) -> None:
        self._answer = answer
        self._known = Known(
            {claim.claim_id: claim for claim in answer.claims},
            {quotation.quotation_id: quotation for quotation in answer.quotations},
        )
        self.market = next(iter(answer.specs), None)
        self.figures = FigureLinks(answer)
        self._markdown = _prose_renderer()

    @property
    def _place(self) -> str:
        return self.market.market if self.market else ""

    @cached_property
    def cards(self) -> Mapping[str, QuotationCard]:
        """The cards by the id of their quotation."""
        answer, library = self._answer, Library(self._answer.evidence)
        sources = {source.evidence_id: source for source in answer.sources}
        cards: dict[str, QuotationCard] = {}
        for number, quotation in enumerate(answer.quotations, start=1):
            result = library.results.get(quotation.evidence_id)
            cards[quotation.quotation_id] = QuotationCard(
                id=f"quotation-{number}",
                number=number,
                quotation=quotation,
                passage=library.passage(quotation.text, quotation.evidence_id),
                result=result,
                source=sources.get(quotation.evidence_id),
                carried=result is not None and is_carried(result),
            )
        return cards

    def prose(self, prose: str, printed: str) -> Markup:
        """A text with its quotations and figures as buttons.

        The printed text is what counts: where the prose does not come to exactly that, it stands
        alone.
        """
        try:
            if render_answer(prose, self._known) != printed:
                return Markup("<p>{}</p>").format(printed)
        except UnknownReferenceError:
            return Markup("<p>{}</p>").format(printed)
        buttons: list[Markup] = []
        parts: list[str] = []
        for piece in pieces(prose, self._known):
            if isinstance(piece, str):
                parts.append(piece.replace(_OPEN, "").replace(_CLOSE, ""))
                continue
            parts.append(f"{_OPEN}{len(buttons)}{_CLOSE}")
            buttons.append(self._button(piece))
        rendered = self._markdown.render("".join(parts))
        for number, button in enumerate(buttons):
            rendered = rendered.replace(f"{_OPEN}{number}{_CLOSE}", button)
        return tied(rendered)

    @property
    def claims(self) -> Mapping[str, Claim]:
        """The claims by id."""
        return self._known.claims

    def said(self, prose: str) -> Markup:
        """A text of which nothing else is printed, with its figures as buttons; as it stands where
        it refers to nothing."""
        try:
            return self.prose(prose, render_answer(prose, self._known))
        except UnknownReferenceError:
            return Markup("<p>{}</p>").format(prose)

    def claim(self, claim: Claim) -> Markup:
        """A figure as the button of its trace."""
        return self.figures.claim(claim, self._place)

    def _figure(self, figure: Figure) -> Markup:
        return self.figures.figure(figure.claim, figure.text, self._place)

    def number(self, card: QuotationCard) -> Markup:
        """The number of a quotation as the button of its card."""
        hint = one_line(attribution_of(card.quotation) or card.quotation.source)
        return Markup(
            '<button class="f cite" popovertarget="{}" popovertargetaction="show" '
            'interestfor="{}" aria-label="Source {}" aria-description="{}">{}</button>'
        ).format(card.id, card.id, card.number, hint, card.number)

    def _button(self, piece: Piece) -> Markup:
        if isinstance(piece, Figure):
            return self._figure(piece)
        if not isinstance(piece, Quoted):
            return escape(piece)
        card = self.cards[piece.quotation.quotation_id]
        behind = Markup(" ({})").format(piece.attribution) if piece.attribution else ""
        head, tail = _parted(shown(piece.quotation.text))
        said = Markup('<span class="said">{}</span>').format
        tied = Markup('<span class="n">{}{}</span>').format(said(f"{tail}”"), self.number(card))
        return Markup("{}{}{}").format(said(f"“{head}"), tied, behind)


def _parted(words: str) -> tuple[str, str]:
    """Words and their end, which a browser is to keep on one line with the number behind it."""
    blank = words.rfind(" ")
    at = max(blank + 1, len(words) - LONGEST_END)
    return words[:at], words[at:]


def _prose_renderer() -> MarkdownIt:
    """Markdown without HTML, links and pictures: an answer links to its sources and nowhere else.

    Headings are below those of the page.
    """
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    renderer.disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])

    def lower(state: object) -> None:
        for token in getattr(state, "tokens", ()):
            if token.type in {"heading_open", "heading_close"}:
                token.tag = f"h{min(6, int(token.tag[1]) + _LEAST_HEADING - 1)}"

    renderer.core.ruler.push("lower_headings", lower)
    return renderer


MOST_DRAWN: Final = 40
"""A larger graph is told by its table alone."""

MARKS: Final[Mapping[NodeState, str]] = {
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "–",
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
}

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN = 138, 32, 16, 30, 8
_LONGEST_NAME = 16


class _Box(NamedTuple):
    x: float
    y: float

    @property
    def top(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y + _HEIGHT


def graph_picture(graph: GraphSpec, nodes: Mapping[str, NodeReport]) -> str:
    """The graph as an `<svg>` element in the page's colours; empty for one too large to be drawn.

    Edges with a condition are dashed; an edge that leads back is drawn at the side.
    """
    if len(graph.nodes) > MOST_DRAWN:
        return ""
    rows = _rows(graph)
    widest = max(len(row) for row in rows)
    width = 2 * _MARGIN + widest * (_WIDTH + _ACROSS) - _ACROSS + 14
    height = 2 * _MARGIN + len(rows) * (_HEIGHT + _DOWN) - _DOWN
    boxes = _boxes(rows, width - 14)
    drawn = [*_edges(graph, boxes), *(_node(name, box, nodes) for name, box in boxes.items())]
    label = f"The graph {graph.name}: {len(graph.nodes)} nodes"
    return (
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escaped(label)}">{"".join(drawn)}</svg>'
    )


def _rows(graph: GraphSpec) -> list[list[str]]:
    """The names by how far from the start they are at most, along edges that do not lead back."""
    onward = _onward(graph)
    depth = {node.name: 0 for node in graph.nodes}
    for _ in graph.nodes:
        for name, targets in onward.items():
            for target in targets:
                depth[target] = max(depth[target], depth[name] + 1)
    rows: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
    for name, at in depth.items():
        rows[at].append(name)
    return [row for row in rows if row]


def _onward(graph: GraphSpec) -> dict[str, tuple[str, ...]]:
    """Where each node leads, without the edges that close a cycle."""
    known = {node.name: node for node in graph.nodes}
    onward: dict[str, list[str]] = {name: [] for name in known}
    done: set[str] = set()
    for start in known:
        stack: list[tuple[str, int]] = [(start, 0)] if start not in done else []
        while stack:
            name, at = stack.pop()
            edges = known[name].edges
            if at >= len(edges):
                done.add(name)
                continue
            stack.append((name, at + 1))
            to = edges[at].to
            if to not in known or any(to == above for above, _ in stack):
                continue
            onward[name].append(to)
            if to not in done:
                stack.append((to, 0))
    return {name: tuple(targets) for name, targets in onward.items()}


def _boxes(rows: list[list[str]], width: float) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    for number, row in enumerate(rows):
        taken = len(row) * (_WIDTH + _ACROSS) - _ACROSS
        left = (width - taken) / 2
        for at, name in enumerate(row):
            boxes[name] = _Box(left + at * (_WIDTH + _ACROSS), _MARGIN + number * (_HEIGHT + _DOWN))
    return boxes


def _edges(graph: GraphSpec, boxes: Mapping[str, _Box]) -> list[str]:
    drawn = []
    for node in graph.nodes:
        for edge in node.edges:
            if edge.to in boxes:
                kind = " when" if edge.when else ""
                path = _path(boxes[node.name], boxes[edge.to])
                drawn.append(f'<path class="edge{kind}" d="{path}"/>')
    return drawn


def _path(start: _Box, end: _Box) -> str:
    if end.y > start.y:
        (x, y), (to_x, to_y) = start.bottom, end.top
        turn, half = to_y - _DOWN, _DOWN / 2
        curve = f"C{x:g} {turn + half:g} {to_x:g} {to_y - half:g} {to_x:g} {to_y:g}"
        return f"M{x:g} {y:g}L{x:g} {turn:g}{curve}"
    x, y, to_x, to_y = start.x + _WIDTH, start.y + _HEIGHT / 2, end.x + _WIDTH, end.y + _HEIGHT / 2
    out = max(x, to_x) + 12
    return f"M{x:g} {y:g}C{out:g} {y:g} {out:g} {to_y:g} {to_x:g} {to_y:g}"


def _node(name: str, box: _Box, nodes: Mapping[str, NodeReport]) -> str:
    report = nodes.get(name)
    state = report.state if report else NodeState.WAITING
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    told = f"{name}: {state}"
    return (
        f'<g class="{state}"><title>{escaped(told)}</title>'
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="4"/>'
        f'<text x="{box.x + 10:g}" y="{box.y + 20.5:g}">{MARKS[state]}</text>'
        f'<text x="{box.x + 26:g}" y="{box.y + 20.5:g}">{escaped(short)}</text></g>'
    )


TEMPLATE: Final = "answer.html.j2"
MISSING: Final = "answer_missing.html.j2"
LONG_QUESTION: Final = 120
"""Characters from which on a question is no headline."""


def render_answer_html(answer: AnswerReport) -> str:
    """The answer's HTML form. The same answer always gives the same page.

    Text of agents and sources is data: it is escaped, only http and https addresses of sources
    become links. Every quotation and every figure opens the source it stands in.
    """
    links = AnswerLinks(answer)
    parts = parts_of(answer)
    pages = [part.page(answer) for part in parts]
    body = [template for page in pages for template in page.body]
    picture = graph_picture(answer.graph, {line.node: line for line in answer.nodes})
    return wording.printable(
        page_templates()
        .get_template(TEMPLATE)
        .render(
            {name: value for page in pages for name, value in page.names.items()},
            answer=answer,
            links=links,
            figures=links.figures,
            long=len(answer.question) > LONG_QUESTION,
            picture=Markup(picture),  # noqa: S704
            told=answer_words,
            disputes=conflicts,
            heads=[page.head for page in pages if page.head],
            body=body,
            sections=[link for page in pages for link in page.links],
            missing_below=MISSING not in body,
            nothing_missing=next((part.nothing_missing for part in parts), Part.nothing_missing),
            mark=rendering_mark(),
            words=wording,
            trust=trust_words,
            statuses=ClaimStatus,
        )
    )


@cache
def page_templates() -> Environment:
    """That of every page, with the templates that programs bring."""
    common = page_environment()
    brought = (PackageLoader(part.templates) for part in all_parts() if part.templates)
    loaders: list[BaseLoader] = [*((common.loader,) if common.loader else ()), *brought]
    return common.overlay(loader=ChoiceLoader(loaders))
