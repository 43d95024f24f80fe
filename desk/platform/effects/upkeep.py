"""What the journal of effects holds that is past its time."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from desk.platform.effects.journal import KEPT_FOR, forget_old

PATIENCE_SECONDS = 10


class OldEffects(NamedTuple):
    """Results that no activity can ask for any more, and the bytes they take."""

    results: int
    size: int


def old_effects(path: Path) -> OldEffects:
    """The results that may go. The journal is read and not changed; none where there is none.

    Raises:
        sqlite3.Error: the file is damaged, or in use all the while.
    """
    if not path.exists():
        return OldEffects(0, 0)
    with closing(
        sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", PATIENCE_SECONDS, uri=True)
    ) as journal:
        row = journal.execute(
            "SELECT count(*), coalesce(sum(length(result) + length(key)), 0) FROM effects"
            " WHERE at < datetime('now', ?)",
            (KEPT_FOR,),
        ).fetchone()
    return OldEffects(int(row[0]), int(row[1]))


def forget_old_effects(path: Path) -> None:
    """Delete them; the space is used again by what the journal keeps next.

    Raises:
        sqlite3.Error: the file is damaged, or in use all the while.
    """
    with closing(sqlite3.connect(path, PATIENCE_SECONDS, isolation_level=None)) as journal:
        forget_old(journal)
