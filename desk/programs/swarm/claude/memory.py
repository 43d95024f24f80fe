"""What is remembered of earlier research, as a model is shown it: quoted text, and no orders."""

from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.turns import TurnRequest

MOST_QUOTED: Final = 32_000
"""Characters of all memories together: some 8,000 tokens."""

LONGEST_QUOTED: Final = 4_000


def told_memories(request: TurnRequest) -> list[JsonValue]:
    """The memories that were recalled, nearest first, each with its id and the instant at which it
    was known. One of a later instant than the task's is left out."""
    return list(_told(request))


def _told(request: TurnRequest) -> Iterator[JsonValue]:
    known = [
        recalled.entry
        for recalled in request.recalled
        if recalled.entry.as_of <= request.assignment.window.end
    ]
    room = min(LONGEST_QUOTED, MOST_QUOTED // max(1, len(known)))
    for entry in known:
        yield {
            "memory_id": entry.memory_id,
            "kind": entry.kind,
            "known_as_of": entry.as_of.isoformat(),
            "markets": list(entry.markets),
            "was_for": _clipped(entry.objective, room),
            "quoted": _clipped(entry.text, room),
        }


def _clipped(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room]} … cut off: {len(text)} characters in all"
