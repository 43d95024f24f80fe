"""Notes on policy rates: what several rows share is told once and marked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Final, NamedTuple

from desk.contracts.week.report import RateRow

SHARED_BY: Final = 2
"""Rows from which on a note stands below the table."""


class RateNotes(NamedTuple):
    """`shared` are the notes below the table by their marks. `marks` and `own` are of each area:
    the marks that its row carries, and what is told of it alone."""

    shared: Mapping[str, str]
    marks: Mapping[str, str]
    own: Mapping[str, str]


def noted_rates(rows: Sequence[RateRow]) -> RateNotes:
    """The notes of a table, each once."""
    parts = {row.area: row.remarks for row in rows}
    counts = Counter(part for each in parts.values() for part in each)
    shared = [part for part, count in counts.most_common() if count >= SHARED_BY]
    marked = dict(zip(shared, ascii_lowercase, strict=False))
    return RateNotes(
        shared={mark: part for part, mark in marked.items()},
        marks={
            area: " ".join(marked[part] for part in told if part in marked)
            for area, told in parts.items()
        },
        own={
            area: "; ".join(part for part in told if part not in marked)
            for area, told in parts.items()
        },
    )
