"""The held set: sixty entries in the desk's words, and what might be asked of them later.

One decision was made by the questions that were `tried`, none by those that were `held` back.
"""

from datetime import UTC, date, datetime, time
from enum import StrEnum
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from desk.contracts.learning.memory import MemoryEntry, MemoryKind

HELD = Path(__file__).with_name("held.yaml")


class Shared(StrEnum):
    """How many words a question shares with what it is about."""

    MANY = "many"
    FEW = "few"


class HeldEntry(BaseModel):
    """An entry as the file has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: MemoryKind
    markets: tuple[str, ...]
    as_of: date
    objective: str
    text: str

    def entry(self) -> MemoryEntry:
        """As a memory keeps it."""
        return MemoryEntry(
            memory_id=self.id,
            kind=self.kind,
            objective=self.objective,
            markets=self.markets,
            as_of=datetime.combine(self.as_of, time(7), UTC),
            text=self.text,
            workflow_id=f"swarm-{self.objective}",
        )


class HeldQuestion(BaseModel):
    """A question with the ids of the entries that answer it, any of which is right."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: str
    right: tuple[str, ...]
    words: Shared


class HeldSet(BaseModel):
    """All of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entries: tuple[HeldEntry, ...]
    tried: tuple[HeldQuestion, ...]
    held: tuple[HeldQuestion, ...]


def held_set() -> HeldSet:
    """What stands in the file."""
    return HeldSet.model_validate(yaml.safe_load(HELD.read_text(encoding="utf-8")))
