"""What is counted in a soak, what of it is a fault, and its tables."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.faults.fault import NOISE
from tests.faults.place import Ended

MEGABYTE: Final = 1_000_000
MOST_BYTES: Final = 300 * MEGABYTE
"""No role's worker may take more, however long it works."""

SHOWN: Final = 12


class Tally:
    """Runs, kills, faults and memory so far."""

    def __init__(self) -> None:
        self.again: Sequence[str] = ()
        self._began = time.monotonic()
        self._started: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()
        self._kills: Counter[str] = Counter()
        self._faults: list[str] = []
        self._memory: list[tuple[float, Mapping[str, int]]] = []

    def started(self, kind: str) -> None:
        """A run was asked for."""
        self._started[kind] += 1

    def ended(self, kind: str, ended: Ended) -> None:
        """Its command ended with its outcome."""
        self._ended[kind] += 1
        for words in NOISE:
            if words in ended.err:
                self.fault(f"{kind}: {words!r} stood on the terminal")

    def killed(self, victim: str) -> None:
        """A process was killed."""
        self._kills[victim] += 1

    def fault(self, words: str) -> None:
        """Something that must not be."""
        self._faults.append(words)

    def remember(self, memory: Mapping[str, int]) -> None:
        """How much memory each role takes now, in bytes."""
        self._memory.append((time.monotonic() - self._began, memory))

    def faults(self) -> list[str]:
        """All that must not be; nothing where the soak has passed."""
        stuck = {kind: self._started[kind] - self._ended[kind] for kind in self._started}
        return [
            *self._faults,
            *(f"{many} of kind {kind} did not end" for kind, many in stuck.items() if many),
            *(f"{key} was completed and executed again" for key in self.again),
            *(
                f"the worker of role {role} takes {taken / MEGABYTE:.0f} MB"
                for role, taken in self._last().items()
                if taken > MOST_BYTES
            ),
            *(
                f"the worker of role {role} has ended, and nobody killed it"
                for role, taken in self._last().items()
                if not taken
            ),
        ]

    def progress(self) -> str:
        """A line on how far it is."""
        minutes = (time.monotonic() - self._began) / 60
        runs, kills = self._ended.total(), self._kills.total()
        memory = ", ".join(f"{role} {taken / MEGABYTE:.0f}" for role, taken in self._last().items())
        return (
            f"{minutes:5.1f} min  {runs} runs ended, {kills} kills, {len(self._faults)} faults;"
            f" MB: {memory}"
        )

    def runs_table(self) -> Table:
        """Runs by kind and kills by victim."""
        table = Table("what", "asked for", "ended", title="Runs and kills")
        for kind, asked in sorted(self._started.items()):
            table.add_row(kind, str(asked), str(self._ended[kind]))
        for victim, times in sorted(self._kills.items()):
            table.add_row(f"kill -9: {victim}", str(times), "")
        return table

    def memory_table(self) -> Table:
        """Memory by role at each look, in megabytes."""
        titles = [f"{seconds / 60:.0f} min" for seconds, _ in self._memory]
        limit = f"at most {MOST_BYTES / MEGABYTE:.0f} MB"
        table = Table("role", *titles, title=f"Memory of the workers that stay ({limit})")
        for role in self._last():
            table.add_row(role, *(f"{taken[role] / MEGABYTE:.0f}" for _, taken in self._memory))
        return table

    def _last(self) -> Mapping[str, int]:
        return self._memory[-1][1] if self._memory else {}


def show(tally: Tally, minutes: float, seed: int) -> None:
    """Print the tables and what is wrong."""
    console, faults = Console(width=120), tally.faults()
    console.print(tally.runs_table())
    console.print(tally.memory_table())
    for fault in faults[:SHOWN]:
        console.print(fault, markup=False)
    if len(faults) > SHOWN:
        console.print(f"and {len(faults) - SHOWN} more")
    verdict = "nothing stuck, nothing lost" if not faults else f"{len(faults)} faults"
    console.print(f"{minutes:g} minutes, seed {seed}: {verdict}")
