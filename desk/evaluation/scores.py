"""The result of an evaluation's task: its checks, and its cost."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText, Text, is_none

SHOWN: Final = 3
"""How many quotations a reader is expected to look at."""


class Suite(StrEnum):
    """The evaluated program of the desk."""

    WEEK = "week"
    ASK = "ask"
    SWARM = "swarm"
    STOCK = "stock"


class Verdict(StrEnum):
    """The result of a check.

    `right`: the expected answer was given. `near`: it is there, but not in the first place.
    `wrong`: another answer was given. `refused`: no answer was given although there is one.
    `rightly_refused`: no answer was given, and there is none. `invented`: an answer was given
    although there is none. `scored`: a forecast, which counts by its Brier score and not as right
    or wrong. `failed`: the run ended without a document.
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
    """One comparison of an answer with what is known.

    `kind` groups the checks in the table. `place` applies to an answer in quotations: the number of
    the quotation, counted from 1, with which the answer is complete. `probability` and `outcome`
    apply to a forecast.
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

    `turns` counts the turns of all agents, `model_turns` those that a model took. Of these the desk
    sent `objected` back, and `mended` of them were followed by an accepted answer. `dropped` counts
    the sentences that were omitted from the document.
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
        """Returns the sum."""
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
    """The result of a task.

    `asked` is the task in one line; `error` says why there is no document.
    """

    task_id: ShortText
    suite: Suite
    asked: Text
    checks: Annotated[tuple[TaskCheck, ...], Field(max_length=200)]
    work: Work = Work()
    error: Annotated[Text | None, Field(exclude_if=is_none)] = None
