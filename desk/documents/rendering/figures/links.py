"""Renders figures in the page, each as a button that opens its trace.

The trace is an element with the `popover` attribute, which a browser opens for the button that
names it, without a script. Browsers that support `interestfor` also open it on hover; in others the
style sheet then shows the button's description.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

from markupsafe import Markup, escape

from desk.analytics.figures import print_claim
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.document import Document, MarketStatement
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import Sentence
from desk.documents.rendering.figures.traces import EvidenceTrace, Trace, Traces, published_by
from desk.documents.rendering.words.trust import status_words
from desk.documents.rendering.words.wording import one_line, typographic
from desk.trust.prose import Piece, pieces, references, render

MARKS: Final[Mapping[ClaimStatus, str]] = {
    ClaimStatus.VERIFIED: " sure",
    ClaimStatus.CONTESTED: " open",
}
"""The style of a figure by its verdict. A single source has the default style."""

LONGEST_BUTTON: Final = 16
"""The maximum length in characters of a figure that stays on one line, as a button does."""

_AROUND = re.compile(
    r"\(+<button [^>]*>[^<]*</button>[)\].,;:]*|<button [^>]*>[^<]*</button>[)\].,;:]+"
)
"""A button with the punctuation around it. The text inside of its tags is escaped."""


class FigureLinks:
    """The buttons of a page and the traces that they open.

    `cards` has one trace for each claim of the document, with the id of its element.
    """

    def __init__(self, document: Document) -> None:
        self._traces = Traces(document)
        self._ids = unique_anchors(self._traces.entries, "trace")
        self._made: dict[tuple[str, str], Markup] = {}

    @cached_property
    def cards(self) -> Mapping[str, Trace]:
        """The traces, made when a page first needs them."""
        return {self._ids[key]: self._traces.trace(key) for key in self._traces.entries}

    def of(self, name: str, printed: str, market: str | None = None) -> Markup:
        """Renders a printed figure as a button for its claim, or as plain text if there is no
        claim."""
        key = self._traces.key(name, market)
        if key is None or printed != self._printed(name, market):
            return escape(typographic(printed))
        return self._element(key, printed)

    def on(self, market: MarketStatement, metric: Metric) -> Markup | None:
        """Renders a market's own figure on a metric; None if there is none."""
        found = (c for c in market.claims if c.metric is metric and c.subject == market.market)
        claim = next(found, None)
        return self.claim(claim, market.market) if claim else None

    def claim(self, claim: Claim, market: str) -> Markup:
        """Renders a claim as a market's section states it."""
        return self.of(claim.claim_id, print_claim(claim), market)

    def verdict(self, claim: Claim, market: str) -> str:
        """Returns the verdict in the figure's trace, in a word or two."""
        key = self._traces.key(claim.claim_id, market)
        return status_words(None if key is None else self._traces.entries[key].verdict)

    def cell(self, subject: str, metric: Metric, printed: str) -> Markup:
        """Renders a cell of a table over all markets."""
        return self.of(claim_id(subject, metric), printed)

    def named(self, subject: str, metric: Metric) -> Markup | None:
        """Renders the document's figure on a metric of a subject; None if it has none."""
        key = self._traces.key(claim_id(subject, metric), None)
        if key is None:
            return None
        return self._element(key, print_claim(self._traces.entries[key].claim))

    def input(self, trace: Trace, market: str) -> Markup:
        """Renders an input of another figure, by name and value."""
        button = self.of(trace.claim.claim_id, trace.printed, market)
        return Markup(f"{escape(trace.name)} {button}")  # noqa: S704

    def sentence(self, said: Sentence, market: str | None = None) -> Markup:
        """Renders a printed sentence with buttons for its figures.

        If the prose does not give exactly the printed text, as when it was shortened, the text is
        used without buttons.
        """
        return self.prose(said.prose, said.text, market)

    def prose(self, prose: str, text: str, market: str | None = None) -> Markup:
        """The same for prose and text given separately."""
        return tied(self._pieced(prose, text, market, self._element))

    def heading(self, said: Sentence) -> Markup:
        """Renders a sentence in large letters. Its figures are links instead of buttons, because
        links can wrap like the words around them."""
        return Markup(self._pieced(said.prose, said.text, None, self._linked))  # noqa: S704

    def _pieced(
        self, prose: str, text: str, market: str | None, made: Callable[[str, str], Markup]
    ) -> str:
        """Returns escaped text, with elements for the figures."""
        keys = {name: self._traces.key(name, market) for name in references(prose)}
        claims = {n: self._traces.entries[key].claim for n, key in keys.items() if key}
        if len(claims) < len(keys) or render(prose, claims) != text:
            return escape(typographic(text))
        return "".join(_piece(piece, keys, made) for piece in pieces(prose, claims))

    def _linked(self, key: str, printed: str, style: str = "") -> Markup:
        """Renders a printed figure as a link to the trace of its claim."""
        mark, described = self._described(key)
        words, target = escape(typographic(printed)), self._ids[key]
        return Markup(  # noqa: S704
            f'<a class="f{style}{mark}" href="#{target}" aria-description="{described}">{words}</a>'
        )

    def figure(self, claim: Claim, printed: str, market: str) -> Markup:
        """Renders a claim in the form in which prose prints it."""
        key = self._traces.key(claim.claim_id, market)
        return escape(typographic(printed)) if key is None else self._element(key, printed)

    def _printed(self, name: str, market: str | None) -> str | None:
        key = self._traces.key(name, market)
        return None if key is None else print_claim(self._traces.entries[key].claim)

    def _element(self, key: str, printed: str) -> Markup:
        """Returns the cached button of a printed figure; a link if it is a phrase, which has to
        wrap."""
        made = self._made.get((key, printed))
        if made is None:
            of_words = len(printed) > LONGEST_BUTTON
            made = self._linked(key, printed, " phrase") if of_words else self._button(key, printed)
            self._made[key, printed] = made
        return made

    def _button(self, key: str, printed: str) -> Markup:
        mark, described = self._described(key)
        target = self._ids[key]
        return Markup(  # noqa: S704
            f'<button class="f{mark}" popovertarget="{target}" popovertargetaction="show" '
            f'interestfor="{target}" aria-description="{described}">'
            f"{escape(typographic(printed))}</button>"
        )

    def _described(self, key: str) -> tuple[str, Markup]:
        """Returns the style of a figure by its verdict, and its description in a line."""
        trace = self.cards[self._ids[key]]
        mark = MARKS.get(trace.verdict.status, "") if trace.verdict else ""
        return mark, escape(hint(trace))


def _piece(
    piece: Piece, keys: Mapping[str, str | None], made: Callable[[str, str], Markup]
) -> Markup:
    if isinstance(piece, str):
        return escape(typographic(piece))
    return made(keys[piece.name] or "", piece.text)


def tied(markup: str) -> Markup:
    """Returns sentences in which each button stays on one line with the punctuation around it.

    Browsers may otherwise break a line on either side of a button.
    """
    return Markup(_AROUND.sub(r'<span class="n">\g<0></span>', markup))  # noqa: S704


def hint(trace: Trace) -> str:
    """Describes a figure and its verdict, in a line."""
    sources = dict.fromkeys(line.source for line in trace.evidence if line.source)
    words = [f"{trace.name}, {status_words(trace.verdict)}"]
    if trace.formula:
        words.append(trace.formula.partition(":")[0])
    return one_line("; ".join((*words, *sources)))


def tier_words(evidence: EvidenceTrace | DataSource) -> str:
    """Returns words such as `authoritative, first published by the European Central Bank`."""
    tier = str(evidence.tier) if isinstance(evidence.tier, SourceTier) else "tier not recorded"
    return f"{tier}{published_by(evidence)}"


def unique_anchors(names: Iterable[str], prefix: str) -> dict[str, str]:
    """Returns a page-wide id for each name; names that would share one get a number."""
    taken: dict[str, int] = {}
    ids: dict[str, str] = {}
    for name in names:
        stem = f"{prefix}-{anchor(name)}"
        taken[stem] = taken.get(stem, 0) + 1
        ids[name] = stem if taken[stem] == 1 else f"{stem}--{taken[stem]}"
    return ids


def anchor(name: str) -> str:
    """Returns an id for the page, made from an identifier."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
