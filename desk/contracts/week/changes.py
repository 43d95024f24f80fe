"""The changes between two reports."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText, Text
from desk.contracts.findings.claims import ClaimId, Unit
from desk.contracts.weeks import IsoWeek


class ChangeKind(StrEnum):
    """What has changed about a market."""

    LEVEL = "level"
    RATE = "rate"
    STANCE = "stance"
    EVENT = "event"
    CONFIDENCE = "confidence"
    SOURCE = "source"
    COVERAGE = "coverage"


class Change(Contract):
    """One material difference. `prose` refers to the newer report's claims, `text` is printed.

    `before` and `after` are figures in `unit`, None when the kind has none.
    """

    kind: ChangeKind
    market: ShortText
    claim_id: ClaimId | None = None
    before: Figure | None = None
    after: Figure | None = None
    unit: Unit | None = None
    prose: Text
    text: Text


class Changes(Contract):
    """The differences from an earlier report.

    `against` is that report's week and `against_revision` its revision; both are None when there is
    no earlier report, and `note` says so. No entries with a report to compare with means "no
    material change", which is a valid finding.
    """

    against: IsoWeek | None = None
    against_revision: int | None = None
    entries: Annotated[tuple[Change, ...], Field(max_length=2_000)] = ()
    note: Text | None = None
