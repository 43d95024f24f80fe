"""What `desk memory rebuild` does."""

import sys
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from desk.contracts.base import Contract, Text
from desk.platform.memory import MemoryStore, MemoryUnusable, memory_store
from desk.platform.settings import load_settings
from starters.learning.memory.history import Remembrance, remembrance
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import folded

AT_A_TIME = 100
"""Entries: what is stored stays stored where the next hundred cannot be."""


class Rebuilt(Contract):
    """The result of `desk memory rebuild`; its `--json` is this model. `told` entries stood in the
    histories of `runs`, and `kept` are in the memory now."""

    runs: int
    told: int
    kept: int
    unreadable: Annotated[tuple[Text, ...], Field(max_length=10_000)] = ()
    lost: Text | None = None


def rebuild(*, as_json: bool) -> ExitStatus:
    """Put what histories hold into the memory, and print what became of it.

    Exit status 3 where a history could not be read.

    Raises:
        CommandError: the memory cannot be told.
    """
    settings = load_settings()
    log_to_file(settings)

    async def work(desk: Desk) -> Remembrance:
        return await remembrance(desk.client)

    found = interruptible(with_desk(settings, work, server_only=True))
    try:
        done = rebuilt(memory_store(settings), found)
    except MemoryUnusable as error:
        raise CommandError(str(error)) from error
    text = done.model_dump_json(indent=2) if as_json else "\n".join(rebuilt_lines(done))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.INCOMPLETE if done.unreadable else ExitStatus.COMPLETE


def rebuilt(store: MemoryStore, found: Remembrance) -> Rebuilt:
    """The store with what was found in it. Nothing that it has is deleted, for it may have what no
    history holds any more.

    Raises:
        MemoryUnusable: it cannot be told.
    """
    entries = sorted(found.entries.values(), key=lambda entry: (entry.as_of, entry.memory_id))
    lost = store.lost()
    for start in range(0, len(entries), AT_A_TIME):
        store.put(entries[start : start + AT_A_TIME])
    if not found.unreadable:
        store.restored()
    return Rebuilt(
        runs=found.runs,
        told=len(entries),
        kept=len(store.entries()),
        unreadable=tuple(found.unreadable),
        lost=lost,
    )


def rebuilt_lines(done: Rebuilt) -> Iterator[str]:
    """The result for people, in at most 80 columns."""
    if done.lost is not None:
        yield from folded(done.lost)
    yield f"{done.told} entries in the histories of {done.runs} runs; {done.kept} are remembered"
    for reason in done.unreadable:
        yield from folded(f"not read: {reason}")
