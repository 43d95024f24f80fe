"""What a fault is, what is seen of the desk while it happens, and how that is judged."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.faults.scene import Scene


class Program(StrEnum):
    """What a desk is asked for: `desk run`, `desk ask`, `desk swarm`, `desk stock`."""

    WEEK = "week"
    QUESTION = "question"
    SWARM = "swarm"
    EPISODE = "episode"


ALL: Final = tuple(Program)
WEEK_ONLY: Final = (Program.WEEK,)

NOISE: Final = ("Traceback (most recent call last)", "UserWarning", "RuntimeWarning")
"""What no fault may put on a user's terminal."""


class NotTried(Exception):
    """This machine does not let us have the fault; the message says what is missing."""


class Verdict(StrEnum):
    """What is said of a row. One that was not tried counts neither way, and is never a pass."""

    PASSED = "pass"
    FAILED = "FAIL"
    NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Seen:
    """What was seen of one program under one fault.

    `outcome` is the run's and the command's exit status. `again` is how many turns and calls were
    executed again although they had been completed, `same` whether `desk audit --same-as` finds the
    report identical to that of the undisturbed run; both are None where the fault is not about
    that. `told` is the line that the user was shown, `broken` what else was promised and not kept.
    """

    outcome: str
    again: int | None = None
    same: bool | None = None
    told: str = ""
    lost: str = ""
    broken: tuple[str, ...] = ()

    def and_(self, *broken: str, lost: str | None = None) -> "Seen":
        """The same, with more that was not kept."""
        more = replace(self, broken=(*self.broken, *broken))
        return more if lost is None else replace(more, lost=lost)

    def telling(self, told: str) -> "Seen":
        """The same, with another line that the user was shown."""
        return replace(self, told=told)


@dataclass(frozen=True)
class Judged:
    """A verdict with its reasons; a row that passed has none."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fault:
    """What is done to a desk, what must hold, for which programs, and how it is played."""

    name: str
    done: str
    promise: str
    play: "Callable[[Scene], Awaitable[Seen]]"
    programs: tuple[Program, ...] = ALL
    limit_seconds: float = 150.0


@dataclass(frozen=True)
class Row:
    """One program under one fault."""

    fault: Fault
    program: Program
    seen: Seen
    judged: Judged
    seconds: float = 0.0


def judge(seen: Seen, terminal: Sequence[str] = ()) -> Judged:
    """Whether everything was kept that is promised of every fault, and of this one.

    `terminal` is what the desk's processes wrote there.
    """
    reasons = tuple(_reasons(seen, terminal))
    return Judged(Verdict.FAILED if reasons else Verdict.PASSED, reasons)


def not_tried(reason: str) -> tuple[Seen, Judged]:
    """What a row says of a fault that could not be had."""
    return Seen(f"not tried: {reason}"), Judged(Verdict.NOT_TRIED, (reason,))


def failed(reason: str) -> tuple[Seen, Judged]:
    """What a row says of a fault whose play came to no end."""
    return Seen("no end"), Judged(Verdict.FAILED, (reason,))


def lost(seen: Seen) -> str:
    """What was lost, in words."""
    parts = [seen.lost] if seen.lost else []
    if seen.again is not None:
        parts.append("nothing done again" if not seen.again else f"{seen.again} done again")
    if seen.same is not None:
        parts.append("report identical" if seen.same else "another report")
    return ", ".join(parts) or "–"


def _reasons(seen: Seen, terminal: Sequence[str]) -> Iterator[str]:
    yield from seen.broken
    if seen.again:
        yield f"{seen.again} completed turns or calls were executed again"
    if seen.same is False:
        yield "the report is not that of the undisturbed run"
    for words in NOISE:
        times = sum(text.count(words) for text in terminal)
        if times:
            yield f"{words!r} stood on the terminal {times} times"
