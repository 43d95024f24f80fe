"""What was asked of a model and may have been billed, written down before each request leaves.

An attempt at a turn may die between its request and its answer, and the next one cannot know what
was billed. So every attempt has a row here: nothing at first, what the call may cost at most when
it is about to be made, and what it did cost once its answer is there.
"""

import sqlite3
from contextlib import closing
from functools import reduce

from desk.contracts.agents.usage import Usage


class PaidCalls:
    """The attempts at paid turns, by the turn's key, in the journal's file.

    Raises:
        sqlite3.Error: the file cannot be written; a call that is not written down is not made.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, key: str, attempt: int) -> int:
        """An attempt is under way, and has asked nothing yet. Returns its row."""
        return self._add(key, attempt, Usage())

    def unseen(self, key: str, attempt: int) -> tuple[int, ...]:
        """The attempts before this one that are not known here: they were made on another machine,
        or ended before they could say anything."""
        with closing(
            self._connection.execute("SELECT attempt FROM paid WHERE key = ?", (key,))
        ) as rows:
            known = {int(row[0]) for row in rows}
        return tuple(number for number in range(1, attempt) if number not in known)

    def assume(self, key: str, attempt: int, bound: Usage) -> None:
        """An attempt that is not known here may have been billed so much."""
        self._add(key, attempt, bound)

    def settle(self, row: int, usage: Usage) -> None:
        """What the attempt took, or may have taken: durable, also against a loss of power, before
        this returns."""
        self._connection.execute("PRAGMA synchronous=FULL")
        try:
            self._connection.execute(
                "UPDATE paid SET usage = ? WHERE id = ?", (usage.model_dump_json(), row)
            )
        finally:
            self._connection.execute("PRAGMA synchronous=NORMAL")

    def total(self, key: str) -> Usage | None:
        """What all attempts at a turn took, or may have taken; None where there was none."""
        with closing(
            self._connection.execute("SELECT usage FROM paid WHERE key = ? ORDER BY id", (key,))
        ) as rows:
            found = [Usage.model_validate_json(usage) for (usage,) in rows]
        return reduce(Usage.plus, found) if found else None

    def _add(self, key: str, attempt: int, usage: Usage) -> int:
        row = (key, attempt, usage.model_dump_json())
        added = self._connection.execute(
            "INSERT INTO paid (key, attempt, usage) VALUES (?, ?, ?)", row
        )
        return added.lastrowid or 0
