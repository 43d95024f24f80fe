"""A worker process of one role that writes down every effect: `python -m ... ROLE`.

The real workers, with a line in `EFFECT_LOG` before and after each turn and each tool call, and a
pause in between that makes it likely that a kill finds them at work. Those that a test holds up
wait in between until they are let go, so that a kill is sure to find them.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from desk.platform.effects.journal import EffectJournal
from desk.platform.settings import load_settings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.processes.homes import PROJECT
from workers.hosting import Role, hosted

Kept = TypeVar("Kept", bound=BaseModel)

PAUSE_SECONDS = float(os.environ.get("EFFECT_PAUSE", "0.1"))


def note(stage: str, key: str) -> None:
    """One line, in one write, so that lines of several processes do not mix."""
    line = json.dumps({"stage": stage, "key": key, "pid": os.getpid()}) + "\n"
    handle = os.open(os.environ["EFFECT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


_READ: dict[Path, tuple[int, list[dict[str, Any]]]] = {}
"""How far each file was read, and what stood there."""


def read_notes(path: Path) -> list[dict[str, Any]]:
    """The lines so far, oldest first; one that is being written is not there yet. Whoever waits
    for a note looks a hundred times a second: what was read before is not read again."""
    place, notes = _READ.get(path, (0, []))
    size = path.stat().st_size if path.exists() else 0
    if size < place:
        place, notes = 0, []
    if size > place:
        with path.open("rb") as file:
            file.seek(place)
            whole, end, _ = file.read().rpartition(b"\n")
        notes = [*notes, *map(json.loads, whole.splitlines())]
        _READ[path] = (place + len(whole) + len(end), notes)
    return notes


async def all_ended(log: Path, processes: Collection[int] | None = None) -> None:
    """Wait until every effect that has begun, in these processes or in any, is done or given up."""
    while True:
        stages = Counter(
            each["stage"]
            for each in read_notes(log)
            if processes is None or each["pid"] in processes
        )
        if stages["started"] == stages["done"] + stages["given up"]:
            return
        await asyncio.sleep(0.01)


def hold_up(log: Path, words: str) -> None:
    """From now on, effects whose key holds the words begin and wait; those held up before go on."""
    written = log.with_suffix(".next")
    written.write_text(words)
    written.replace(_held(log))


def let_go(log: Path) -> None:
    """Nothing is held up any more."""
    _held(log).unlink(missing_ok=True)


def _held(log: Path) -> Path:
    return log.with_suffix(".held")


async def _wait_while_held(key: str) -> None:
    held = _held(Path(os.environ["EFFECT_LOG"]))
    with suppress(FileNotFoundError):
        while held.read_text() in key:
            await asyncio.sleep(0.02)


def count_effects() -> None:
    """Put the notes around every effect: done is what the journal has, or had to do without."""
    once = EffectJournal.once

    async def noted_once(
        journal: EffectJournal,
        key: str,
        effect: Callable[[], Awaitable[Kept]],
        kind: type[Kept],
        **how: bool,
    ) -> Kept:
        begun = False

        async def noted_effect() -> Kept:
            nonlocal begun
            begun = True
            note("started", key)
            await asyncio.sleep(PAUSE_SECONDS)
            await _wait_while_held(key)
            return await effect()

        ended = "given up"
        try:
            result = await once(journal, key, noted_effect, kind, **how)
            ended = "done"
        finally:
            if begun:
                note(ended, key)
        return result

    EffectJournal.once = noted_once  # type: ignore[method-assign, assignment]


async def work(role: Role) -> None:
    """Work until killed. Where the server is killed before the work has begun, it is begun again,
    as whoever watches over a desk's processes does."""
    settings = load_settings(PROJECT)
    while True:
        try:
            async with hosted(await connect(settings), settings, [role]):
                await asyncio.Event().wait()
        # The second is the SDK's, of a worker that asks about its namespace.
        except (ServerUnreachable, RuntimeError):
            await asyncio.sleep(0.05)


async def main(role: Role) -> None:
    """Work until killed, with notes."""
    count_effects()
    await work(role)


if __name__ == "__main__":
    asyncio.run(main(Role(sys.argv[1])))
