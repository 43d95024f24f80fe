"""Prose with references in place of figures, and the gate that enforces them."""

from desk.trust.prose.gate import rejected_figures, unbacked, without
from desk.trust.prose.printable import printable, quotable
from desk.trust.prose.prose_review import (
    Text,
    commentary_texts,
    rejected_in,
    review,
    without_rejected,
)
from desk.trust.prose.quotations import occurs_in, texts_in
from desk.trust.prose.reference_faults import faults, has_its_day
from desk.trust.prose.references import (
    LONGEST_TEXT,
    REFERENCE,
    Form,
    Piece,
    UnknownReferenceError,
    clip,
    found_in,
    is_about,
    is_about_finding,
    is_change,
    moves,
    pieces,
    printed,
    reference,
    references,
    render,
    sentence,
    side_before,
    unknown_references,
)
from desk.trust.prose.sentences import split_sentences
from desk.trust.prose.synthesis_review import NOTHING_LEFT, UNSUPPORTED, claims_in

__all__ = [
    "LONGEST_TEXT",
    "NOTHING_LEFT",
    "REFERENCE",
    "UNSUPPORTED",
    "Form",
    "Piece",
    "Text",
    "UnknownReferenceError",
    "claims_in",
    "clip",
    "commentary_texts",
    "faults",
    "found_in",
    "has_its_day",
    "is_about",
    "is_about_finding",
    "is_change",
    "moves",
    "occurs_in",
    "pieces",
    "printable",
    "printed",
    "quotable",
    "reference",
    "references",
    "rejected_figures",
    "rejected_in",
    "render",
    "review",
    "sentence",
    "side_before",
    "split_sentences",
    "texts_in",
    "unbacked",
    "unknown_references",
    "without",
    "without_rejected",
]
