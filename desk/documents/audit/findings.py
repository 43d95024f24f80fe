"""The findings of an audit, and the comparisons that all of its parts use."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from desk.contracts.base import Contract


class AuditFinding(NamedTuple):
    """Something in a document that does not follow from the rest of it: its place, and an
    explanation."""

    where: str
    words: str


def differing(where: str, printed: Contract, expected: Contract) -> Iterator[AuditFinding]:
    """Yields the fields in which a part of a document differs from what it should be."""
    for name in type(printed).model_fields:
        one, two = getattr(printed, name), getattr(expected, name)
        if one != two:
            yield AuditFinding(where, f"{name} is {_short(one)}, and should be {_short(two)}")


def compared(
    where: str, printed: Sequence[Contract], expected: Sequence[Contract]
) -> Iterator[AuditFinding]:
    """Yields the rows of a table that differ from what they should be."""
    if len(printed) != len(expected):
        words = f"it has {len(printed)} rows, and should have {len(expected)}"
        yield AuditFinding(where, words)
    for number, (one, two) in enumerate(zip(printed, expected, strict=False), start=1):
        yield from differing(f"{where}, row {number}", one, two)


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else f"{text[:199]}…"
