"""The result of an evaluation's task: its checks, and what it cost."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText, Text, is_none

SHOWN: Final = 3
"""Quotations that a reader is expected to look at."""


class Suite(StrEnum):
    """What is evaluated: one of the desk's programs."""

    WEEK = "week"
    ASK = "ask"
    SWARM = "swarm"
    STOCK = "stock"


class Verdict(StrEnum):
    """What a check found.

    `right`: what was expected was said. `near`: it stands there, and not in the first place.
    `wrong`: something else was said. `refused`: nothing was said although there is an answer.
    `rightly_refused`: nothing was said, and there is no answer. `invented`: something was said, and
    there is no answer. `scored`: a forecast, which counts by its Brier score and not as right or
    wrong. `failed`: the run ended without a document.
    """

    RIGHT = "right"
    NEAR = "near"
    WRONG = "wrong"
    REFUSED = "refused"
    RIGHTLY_REFUSED = "rightly_refused"
    INVENTED = "invented"
    SCORED = "scored"
    FAILED = "failed"

    @property
    def correct(self) -> bool:
        """Whether the verdict counts as correct in the accuracy."""
        return self in (Verdict.RIGHT, Verdict.RIGHTLY_REFUSED)


class TaskCheck(Contract):
    """One thing that is compared with what is known.

    `kind` is what such checks are counted by. `place` is of an answer in quotations: from which
    one on, counted from 1, it stands there whole. `probability` and `outcome` are of a forecast.
    """

    check_id: ShortText
    kind: ShortText
    verdict: Verdict
    expected: Text = ""
    said: Text = ""
    place: Annotated[int | None, Field(exclude_if=is_none)] = None
    probability: Annotated[float | None, Field(exclude_if=is_none)] = None
    outcome: Annotated[float | None, Field(exclude_if=is_none)] = None


class Work(Contract):
    """What a run took, from its history.

    `turns` are those of all agents, `model_turns` those that a model took. Of these the desk sent
    `objected` back, and `mended` of them were followed by an answer that stands. `dropped` are the
    sentences that were left out of the document.
    """

    turns: int = 0
    model_turns: int = 0
    objected: int = 0
    mended: int = 0
    tool_calls: int = 0
    dropped: int = 0
    tokens: int = 0
    cost_usd: Figure = Decimal(0)
    unpriced_calls: int = 0
    seconds: float = 0.0

    def plus(self, other: "Work") -> "Work":
        """The sum."""
        return Work(
            turns=self.turns + other.turns,
            model_turns=self.model_turns + other.model_turns,
            objected=self.objected + other.objected,
            mended=self.mended + other.mended,
            tool_calls=self.tool_calls + other.tool_calls,
            dropped=self.dropped + other.dropped,
            tokens=self.tokens + other.tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
            seconds=self.seconds + other.seconds,
        )


class TaskScore(Contract):
    """What a task came to.

    `asked` is what was asked, in a line; `error` says why there is no document.
    """

    task_id: ShortText
    suite: Suite
    asked: Text
    checks: Annotated[tuple[TaskCheck, ...], Field(max_length=200)]
    work: Work = Work()
    error: Annotated[Text | None, Field(exclude_if=is_none)] = None
