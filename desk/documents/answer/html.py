"""Renders an answer as one self-contained HTML file: no script, no network, light and dark,
printable."""

from collections.abc import Mapping
from functools import cached_property
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Quotation
from desk.documents.answer import words as answer_words
from desk.documents.answer.evidence import Library, Passage
from desk.documents.answer.parts import Part, parts_of
from desk.documents.evidence import is_carried
from desk.documents.rendering import conflict_words
from desk.documents.rendering.drawing.graph import graph_in_page
from desk.documents.rendering.figures.links import FigureLinks, tied
from desk.documents.rendering.pages import render_page
from desk.documents.rendering.words.prose import (
    Figure,
    Known,
    Piece,
    Quoted,
    attribution_of,
    odds_of,
    pieces,
    render_answer,
)
from desk.documents.rendering.words.prose import shown_words as shown
from desk.documents.rendering.words.wording import one_line
from desk.trust.prose import UnknownReferenceError, asked_in

_OPEN, _CLOSE = "\ue000", "\ue001"
"""The placeholder for a reference while the prose around it is rendered."""

LONGEST_END: Final = 16
"""The maximum length in characters of a quotation's end that stays on one line with its number."""

_LEAST_HEADING: Final = 4
"""The level of the highest heading inside of a section."""


class QuotationCard(NamedTuple):
    """A quotation with everything about its source. `number` is that of its button."""

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
            odds_of(answer.swarm.hypotheses if answer.swarm else ()),
            asked_in(answer.question),
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
        """Renders a text with buttons for its quotations and figures.

        If the prose does not give exactly the printed text, the printed text is used without
        buttons.
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
        """Renders a text that is only printed here, with buttons for its figures. Without
        references it is unchanged."""
        try:
            return self.prose(prose, render_answer(prose, self._known))
        except UnknownReferenceError:
            return Markup("<p>{}</p>").format(prose)

    def claim(self, claim: Claim) -> Markup:
        """Renders a figure as the button of its trace."""
        return self.figures.claim(claim, self._place)

    def _figure(self, figure: Figure) -> Markup:
        return self.figures.figure(figure.claim, figure.text, self._place)

    def number(self, card: QuotationCard) -> Markup:
        """Renders the number of a quotation as the button of its card."""
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
    """Splits words from their end, which a browser must keep on one line with the following
    number."""
    blank = words.rfind(" ")
    at = max(blank + 1, len(words) - LONGEST_END)
    return words[:at], words[at:]


def _prose_renderer() -> MarkdownIt:
    """Returns a Markdown renderer without HTML, links and pictures: an answer only links to its
    sources.

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


MISSING: Final = "answer_missing.html.j2"
LONG_QUESTION: Final = 120
"""The length in characters from which on a question is too long for a headline."""


def render_answer_html(answer: AnswerReport) -> str:
    """Returns the answer's HTML form. The same answer always gives the same page.

    Every quotation and every figure opens its source.
    """
    links = AnswerLinks(answer)
    parts = parts_of(answer)
    pages = [part.page(answer) for part in parts]
    body = [template for page in pages for template in page.body]
    picture = graph_in_page(answer.graph, {line.node: line for line in answer.nodes})
    names = {
        **{name: value for page in pages for name, value in page.names.items()},
        "answer": answer,
        "links": links,
        "long": len(answer.question) > LONG_QUESTION,
        "picture": Markup(picture),  # noqa: S704
        "told": answer_words,
        "disputes": conflict_words,
        "heads": [page.head for page in pages if page.head],
        "body": body,
        "sections": [link for page in pages for link in page.links],
        "missing_below": MISSING not in body,
        "nothing_missing": next((part.nothing_missing for part in parts), Part.nothing_missing),
    }
    packages = tuple(part.templates for part in parts if part.templates)
    return render_page("answer.html.j2", packages, links.figures, names)
