"""The memory of past research: its entries, and the queries that search it."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.markets import MarketName


class MemoryKind(StrEnum):
    """The kinds of entries: plans, findings, hypotheses and their outcomes."""

    PLAN = "plan"
    FINDINGS = "findings"
    HYPOTHESIS = "hypothesis"
    OUTCOME = "outcome"


class MemoryEntry(Contract):
    """One entry of the memory.

    `memory_id` is unique: a second entry with the same id replaces the first. `as_of` is when it
    became known; queries of an earlier instant do not find it. `objective` is the objective of the
    research, `text` the entry in plain words (data, not instructions). `figures` counts the figures
    that its findings rest on; None if they were not counted.
    """

    memory_id: ShortText
    kind: MemoryKind
    objective: Text
    markets: Annotated[tuple[MarketName, ...], Field(max_length=20)] = ()
    as_of: Instant
    text: Annotated[str, Field(max_length=20_000)]
    workflow_id: ShortText
    figures: Annotated[int | None, Field(ge=0, exclude_if=is_none)] = None

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the entry has content. Findings without a figure only say that nothing was
        found."""
        return self.kind is not MemoryKind.FINDINGS or self.figures != 0


class MemoryEntries(Contract):
    """The entries that a run stores."""

    entries: Annotated[tuple[MemoryEntry, ...], Field(max_length=100)]


class MemoryQuery(Contract):
    """A query of the memory: the entries nearest to `text` in meaning, of those known by `as_of`.

    Entries about one of the `markets` come first. Entries of the run `besides` are excluded, but
    not those of an earlier run of the same name, whose as-of instant was earlier.
    """

    text: Annotated[str, Field(max_length=8_000)]
    markets: Annotated[tuple[MarketName, ...], Field(max_length=20)] = ()
    kinds: Annotated[tuple[MemoryKind, ...], Field(max_length=4, exclude_if=is_empty)] = ()
    as_of: Instant
    besides: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    most: Annotated[int, Field(ge=1, le=40)] = 8


RELEVANCE_FLOOR: Final = 0.5
"""The relevance below which an entry is not recalled."""


class Recalled(Contract):
    """A memory and its relevance, from 0 to 1: `score` compares the entries of one answer with each
    other; `relevance` is absolute and says whether the entry is about the query
    (`RELEVANCE_FLOOR`)."""

    entry: MemoryEntry
    score: Annotated[float, Field(ge=0.0, le=1.0)]
    relevance: Annotated[float | None, Field(ge=0.0, le=1.0, exclude_if=is_none)] = None


class MemoryAnswer(Contract):
    """The recalled entries, most relevant first. `missing` says why the memory could not be
    queried, or which part of it was lost; the run continues without it."""

    recalled: Annotated[tuple[Recalled, ...], Field(max_length=40)] = ()
    missing: Text | None = None


class Remembered(Contract):
    """The result of storing entries: how many are stored now, or why none is."""

    stored: Annotated[int, Field(ge=0)] = 0
    missing: Text | None = None
