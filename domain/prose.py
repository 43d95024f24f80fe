"""Sentences that refer to figures, and their rendering.

A reference is a claim's id in double square brackets, such as `[[USD/JPY:move]]`. Prose never
holds the figure itself, so what is printed is what the claim says.
"""

import re
from collections.abc import Mapping
from typing import Final

from contracts.claims import Claim
from domain.figures import print_claim

REFERENCE: Final = re.compile(r"\[\[([^\[\]]*)\]\]")
LONGEST_TEXT: Final = 4_000
"""The bound of `contracts.base.Text`."""


class UnknownReferenceError(ValueError):
    """Prose refers to a figure that is not among the claims. `references` are the unknown ids."""

    def __init__(self, references: tuple[str, ...]) -> None:
        self.references = references
        super().__init__(f"no such claim: {', '.join(references)}")


def references(text: str) -> tuple[str, ...]:
    """The claim ids that a text refers to, in order, as written."""
    return tuple(match.group(1).strip() for match in REFERENCE.finditer(text))


def unknown_references(text: str, claims: Mapping[str, Claim]) -> tuple[str, ...]:
    """The references of a text that stand for no claim, each once."""
    return tuple(dict.fromkeys(ref for ref in references(text) if ref not in claims))


def render(text: str, claims: Mapping[str, Claim]) -> str:
    """The text with every reference replaced by its printed figure.

    Raises:
        UnknownReferenceError: a reference is not among the claims; nothing is rendered then.
    """
    unknown = unknown_references(text, claims)
    if unknown:
        raise UnknownReferenceError(unknown)
    return REFERENCE.sub(lambda match: print_claim(claims[match.group(1).strip()]), text)


def render_what_is_known(text: str, claims: Mapping[str, Claim]) -> str:
    """As `render`, but an unknown reference becomes the words `[no such figure: ...]`.

    For remarks about the work, which must reach the reader even when they are faulty.
    """

    def printed(match: re.Match[str]) -> str:
        reference = match.group(1).strip()
        claim = claims.get(reference)
        return print_claim(claim) if claim else f"[no such figure: {reference}]"

    return REFERENCE.sub(printed, text)


def clip(text: str, limit: int = LONGEST_TEXT) -> str:
    """The text, or as much of it as a report holds with an ellipsis at the end."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
