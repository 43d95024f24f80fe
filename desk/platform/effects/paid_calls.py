"""Records requests to models before they are sent, because each may be billed.

An attempt at a turn may die between its request and the answer, and the next attempt cannot know
what was billed. So every attempt has a row here. The row starts empty; before the call is sent it
gets the most that the call may cost; afterwards it gets the actual cost and the answer. If the
attempt dies before its turn is stored, the next attempt reads the answer from the row.
"""

import sqlite3
from contextlib import closing
from functools import reduce

from pydantic import ValidationError

from desk.contracts.agents.model_calls import ModelAnswer
from desk.contracts.agents.usage import Usage


class PaidCalls:
    """The attempts at paid turns, by the turn's key, in the journal's file.

    Raises:
        sqlite3.Error: the file cannot be written. A call that cannot be recorded is not made.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, key: str, attempt: int) -> int:
        """Records that an attempt has started and has sent nothing yet. Returns its row."""
        return self._add(key, attempt, Usage())

    def unseen(self, key: str, attempt: int) -> tuple[int, ...]:
        """Returns the earlier attempts without a row: they ran on another machine, or died before
        they could write one."""
        with closing(
            self._connection.execute("SELECT attempt FROM paid WHERE key = ?", (key,))
        ) as rows:
            known = {int(row[0]) for row in rows}
        return tuple(number for number in range(1, attempt) if number not in known)

    def assume(self, key: str, attempt: int, bound: Usage) -> None:
        """Records the most that an attempt without a row may have been billed."""
        self._add(key, attempt, bound)

    def settle(self, row: int, usage: Usage, answer: ModelAnswer | None = None) -> None:
        """Records what an attempt cost, or may have cost, and its answer. The row is on disk, safe
        from a loss of power, before this returns."""
        stored_answer = None if answer is None else answer.model_dump_json()
        self._connection.execute("PRAGMA synchronous=FULL")
        try:
            self._connection.execute(
                "UPDATE paid SET usage = ?, answer = ? WHERE id = ?",
                (usage.model_dump_json(), stored_answer, row),
            )
        finally:
            self._connection.execute("PRAGMA synchronous=NORMAL")

    def answer(self, key: str) -> ModelAnswer | None:
        """Returns the answer of an earlier attempt at a turn. None if there is none, or it is
        unreadable."""
        with closing(
            self._connection.execute(
                "SELECT answer FROM paid WHERE key = ? AND answer IS NOT NULL ORDER BY id DESC",
                (key,),
            )
        ) as rows:
            row = rows.fetchone()
        try:
            return None if row is None else ModelAnswer.model_validate_json(row[0])
        except ValidationError:
            return None

    def total(self, key: str) -> Usage | None:
        """What all attempts at a turn cost or may have cost. None if there was no attempt."""
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
