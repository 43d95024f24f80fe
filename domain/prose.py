"""Sentences that refer to figures, and their rendering.

A reference is a claim's id in double square brackets, such as `[[USD/JPY:move]]`. Prose never
holds the figure itself, so what is printed is what the claim says.
"""

import re
from collections.abc import Mapping
from typing import Final

from contracts.claims import Claim
from contracts.report import Sentence
from domain.figures import print_claim

REFERENCE: Final = re.compile(r"\[\[([^\[\]]*)\]\]")
LONGEST_TEXT: Final = 4_000
"""The bound of `contracts.base.Text`."""


class UnknownReferenceError(ValueError):
    """Prose refers to a figure that is not among the claims. `references` are the unknown ids."""

    def __init__(self, references: tuple[str, ...]) -> None:
        self.references = references
        super().__init__(f"no such claim: {', '.join(references)}")


def reference(claim: Claim) -> str:
    """What prose holds in place of a claim's figure."""
    return f"[[{claim.claim_id}]]"


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


def sentence(prose: str, claims: Mapping[str, Claim]) -> Sentence:
    """A sentence of the report: the prose, and the text that it prints.

    Raises:
        UnknownReferenceError: a reference is not among the claims.
    """
    kept = clip(prose)
    return Sentence(prose=kept, text=clip(render(kept, claims)))


def clip(text: str, limit: int = LONGEST_TEXT) -> str:
    """The text, or as much of it as a report holds with an ellipsis at the end.

    A reference is never cut in two.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    if kept.rfind("[[") > kept.rfind("]]"):
        kept = kept[: kept.rfind("[[")]
    return f"{kept.rstrip('[')}…"
