"""Sentences that refer to figures, and their rendering.

Prose never holds a figure itself but a reference to its claim, so what is printed is what the
claim says.
"""

from collections.abc import Mapping
from typing import Final

from desk.contracts.findings.claims import Claim
from desk.contracts.week.report import Sentence
from desk.trust.prose.references import REFERENCE, pieces, references

__all__ = ["REFERENCE", "references"]

LONGEST_TEXT: Final = 4_000
"""The bound of `desk.contracts.base.Text`."""


class UnknownReferenceError(ValueError):
    """Prose refers to a figure that is not among the claims. `references` are the unknown ids."""

    def __init__(self, references: tuple[str, ...]) -> None:
        self.references = references
        super().__init__(f"no such claim: {', '.join(references)}")


def reference(claim: Claim) -> str:
    """What prose holds in place of a claim's figure."""
    return f"[[{claim.claim_id}]]"


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
    printed = (p if isinstance(p, str) else p.text for p in pieces(text, claims))
    return "".join(printed)


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
