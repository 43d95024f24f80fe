"""The sentence that a number stands in, and whom it names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from domain.subject_names import Naming, named_subjects, namings

_COMPARED: Final = re.compile(
    r"\b(?:unlike|like|than|versus|vs\.?|against|following|after|before|ahead\sof|compared\s(?:with|to)"
    r"|despite|\w*performed|\w*performing|beating|with)\s(?:the\s|that\sof\s|those\sof\s)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a number stands: the text, the bounds of its sentence, and whom it names."""

    text: str
    start: int
    end: int
    namings: tuple[Naming, ...]
    named: frozenset[str]


def place_in(text: str, start: int, end: int, subjects: Iterable[str]) -> Place:
    """A sentence as a place for numbers, read for the subjects that it names."""
    sentence = text[start:end]
    found = namings(sentence)
    named = named_subjects(sentence, subjects, found)
    return Place(text, start, end, tuple(Naming(n.subject, start + n.start) for n in found), named)


def is_compared(naming: Naming, place: Place) -> bool:
    """Whether a subject is named only to compare another with it: `unlike the ECB`."""
    return (
        _COMPARED.search(place.text[max(place.start, naming.start - 24) : naming.start]) is not None
    )
