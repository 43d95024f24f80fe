"""The prose of an answer: its references, and how they are printed.

`[[q1]]` refers to words of a source and is printed as those words in quotation marks, followed by
the source and the place in it. If the preceding quotation on the same line is from the same place,
the place is not repeated. `[[USD/JPY:move]]` refers to a claim and is printed as its figure, and
`[[USD/JPY:direction]]` to a swarm's hypothesis, printed as its probability; `[[asked:160]]` to a
figure of the question, printed as that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from desk.analytics.names.shortening import shortened
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.question.knowledge import Quotation
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.documents.rendering.words.wording import CONTROLS
from desk.trust.prose import (
    UNSUPPORTED,
    Form,
    UnknownReferenceError,
    found_in,
    printed,
    references,
    rejected_figures,
    split_sentences,
    without,
)

LONGEST_SOURCE: Final = 120
"""The maximum length in characters of a source's name after a quotation."""

_ACTED_ON: Final = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,32};)")
"""Characters that Markdown interprets within a line."""

_LEADS_OUT: Final = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])(?=[(\[:])")
"""Places where an agent's prose would become HTML or a link. An answer only links to its
sources."""

_UNSEEN: Final = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the order of others."""


class Known(NamedTuple):
    """What the prose of an answer may refer to, by id. `odds` are printed probabilities, and
    `asked` the printed figures of the question."""

    claims: Mapping[str, Claim]
    quotations: Mapping[str, Quotation]
    odds: Mapping[str, str] = MappingProxyType({})
    asked: Mapping[str, str] = MappingProxyType({})

    def has(self, name: str) -> bool:
        """Returns whether a reference is known."""
        return name in self.claims or name in self.others

    @property
    def others(self) -> frozenset[str]:
        """The references that are known besides claims."""
        return frozenset((*self.quotations, *self.odds, *self.asked))


def odds_of(hypotheses: Iterable[Hypothesis]) -> dict[str, str]:
    """Returns the printed probabilities of hypotheses, by the references to them."""
    return {each.reference: f"{each.probability:.0%}".replace("%", " %") for each in hypotheses}


class Quoted(NamedTuple):
    """A quotation in prose. `attribution` is what is printed after its words."""

    quotation: Quotation
    attribution: str | None


class Figure(NamedTuple):
    """A claim in prose, in the form in which it is printed."""

    claim: Claim
    text: str


Piece: TypeAlias = str | Figure | Quoted


class PrintableProse(NamedTuple):
    """A printable text, and the sentences that were left out of it."""

    prose: str
    dropped: tuple[DroppedSentence, ...]


def pieces(prose: str, known: Known) -> Iterator[Piece]:
    """Yields the text in order: literal text, claims, and quotations.

    Raises:
        UnknownReferenceError: a reference is unknown.
    """
    unknown = tuple(dict.fromkeys(name for name in references(prose) if not known.has(name)))
    if unknown:
        raise UnknownReferenceError(unknown)
    end, before = 0, None
    for found in found_in(prose):
        between = prose[end : found.start]
        if between:
            yield between
        before = None if "\n" in between else before
        end = found.end
        claim = known.claims.get(found.name)
        if claim is not None:
            form = found.form or Form.PLAIN
            yield Figure(claim, printed(claim, form, prose[: found.start]))
            continue
        if (text := known.odds.get(found.name) or known.asked.get(found.name)) is not None:
            yield text
            continue
        quotation = known.quotations[found.name]
        attribution = attribution_of(quotation)
        yield Quoted(quotation, None if attribution == before else attribution)
        before = attribution
    if end < len(prose):
        yield prose[end:]


def render_answer(prose: str, known: Known) -> str:
    """Returns the printed text, in Markdown. A source's words are escaped.

    Raises:
        UnknownReferenceError: a reference is unknown; nothing is rendered then.
    """
    return "".join(_printed(piece) for piece in pieces(prose, known))


def render_plain(prose: str, known: Known) -> str:
    """Returns the printed text, for a place that interprets no markup.

    Raises:
        UnknownReferenceError: a reference is unknown; nothing is rendered then.
    """
    return "".join(_plain(piece) for piece in pieces(prose, known))


def attribution_of(quotation: Quotation) -> str | None:
    """Returns an attribution such as `Settlement policy, page 3`; None if the quoted words are the
    source's name."""
    source = shortened(shown_words(quotation.source), LONGEST_SOURCE)
    if source == shown_words(quotation.text):
        return None
    place = shown_words(quotation.place or "")
    return f"{source}, {place}" if place else source


def shown_words(text: str) -> str:
    """Returns a source's words on one line, letter by letter, without invisible characters."""
    return " ".join(CONTROLS.sub(" ", _UNSEEN.sub("", text)).split())


def harmless(words: str) -> str:
    """Returns the words escaped, so that Markdown prints them unchanged."""
    return _ACTED_ON.sub(lambda found: f"\\{found[0]}", words)


def printable_prose(prose: str, known: Known, place: str) -> PrintableProse:
    """Returns the text without control characters, and without sentences that contain a typed
    figure or a reference that is unknown or does not fit. What is left is read again: a sentence
    that was left out may have named what the next one is about."""
    visible = CONTROLS.sub("", _UNSEEN.sub("", prose.replace("\r\n", "\n")))
    kept = visible
    while rejected := rejected_figures(kept, known.claims, others=known.others, place=place):
        left = without(kept, rejected)
        if left == kept:
            break
        kept = left
    gone = len(split_sentences(visible)) - len(split_sentences(kept)) if kept != visible else 0
    return PrintableProse(
        kept, tuple(DroppedSentence(place=place[:200], reason=UNSUPPORTED) for _ in range(gone))
    )


def plain_if_known(prose: str, known: Known) -> str:
    """Returns the text for a place without markup, without the sentences that may not be printed;
    empty if it cannot be rendered.

    It never raises: workflows call it for the memory, and a run must not fail because a later
    version judges a sentence differently.
    """
    try:
        return render_plain(printable_prose(prose, known, "memory").prose, known)
    except UnknownReferenceError:
        return ""


def _printed(piece: Piece) -> str:
    if isinstance(piece, Quoted):
        behind = f" ({harmless(piece.attribution)})" if piece.attribution else ""
        return f"“{harmless(shown_words(piece.quotation.text))}”{behind}"
    return _LEADS_OUT.sub(r"\\\g<0>", piece) if isinstance(piece, str) else _plain(piece)


def _plain(piece: Piece) -> str:
    match piece:
        case Figure():
            return piece.text
        case Quoted():
            behind = f" ({piece.attribution})" if piece.attribution else ""
            return f"“{shown_words(piece.quotation.text)}”{behind}"
        case _:
            return piece
