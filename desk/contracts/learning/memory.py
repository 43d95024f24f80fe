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

    `memory_id` is unique: a second entry of the same id replaces the first. `as_of` is when it
    became known; queries of an earlier instant do not find it. `objective` is what was researched,
    `text` the entry in plain words (data, not instructions). `figures` counts the figures that its
    findings rest on; None if they were not counted.
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
    """What is asked of the memory: what comes nearest to `text` in meaning, and what was known by
    `as_of` and no later.

    Entries about one of the `markets` go before others. Those of the run `besides` are left out,
    and not those of an earlier run of its name, which knew the world at an earlier instant.
    """

    text: Annotated[str, Field(max_length=8_000)]
    markets: Annotated[tuple[MarketName, ...], Field(max_length=20)] = ()
    kinds: Annotated[tuple[MemoryKind, ...], Field(max_length=4, exclude_if=is_empty)] = ()
    as_of: Instant
    besides: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    most: Annotated[int, Field(ge=1, le=40)] = 8


RELEVANCE_FLOOR: Final = 0.5
"""What is less relevant is not recalled."""


class Recalled(Contract):
    """A memory and how near it comes, from 0 to 1: `score` compares those of one answer with each
    other, `relevance` says whether it is about what was asked, by itself (`RELEVANCE_FLOOR`)."""

    entry: MemoryEntry
    score: Annotated[float, Field(ge=0.0, le=1.0)]
    relevance: Annotated[float | None, Field(ge=0.0, le=1.0, exclude_if=is_none)] = None


class MemoryAnswer(Contract):
    """What was recalled, nearest first. `missing` says why nothing could be asked, or what part of
    the memory was lost; the run that asked goes on without."""

    recalled: Annotated[tuple[Recalled, ...], Field(max_length=40)] = ()
    missing: Text | None = None


class Remembered(Contract):
    """The result of storing entries: how many are stored now, or why none is."""

    stored: Annotated[int, Field(ge=0)] = 0
    missing: Text | None = None
