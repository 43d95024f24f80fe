"""A tape: what the outside world answered to a run of a week, to play the run again without it."""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from desk.contracts.agents.config import RunConfig
from desk.contracts.base import Contract, ShortText
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek, TimeWindow

TAPE_VERSION: Final = 1
"""The version of the format that this desk writes and plays."""

WorkflowPath = Annotated[str, Field(max_length=500)]
"""A workflow's id without that of the run: empty for the run itself, else `market/USD/JPY`."""


class Effect(StrEnum):
    """What a tape holds: what a run asks of others, by the name of the activity that asks.

    `revisions` is what had been published of the week before, which numbers the report's revision.
    `decision` is how a person, or the deadline in a person's place, decided a conflict. `advice` is
    what the desk's own record said. `judgement` is what the findings contradicted each other in.
    `reach` is whether a live source could be reached.
    """

    TURN = "take_turn"
    TOOL_CALL = "call_tool"
    TOOL_LISTING = "list_tools"
    REVISIONS = "read_revisions"
    DECISION = "decide_escalation"
    ADVICE = "ask_learning"
    JUDGEMENT = "judge_findings"
    REACH = "reach"


class TakeFailure(Contract):
    """How an effect failed for good: the error as the workflow saw it, and what caused it.

    `error_type` is None where the failure was the server's own, such as a timeout.
    """

    message: Annotated[str, Field(max_length=10_000)]
    error_type: ShortText | None = None
    details: Annotated[tuple[JsonValue, ...], Field(max_length=20)] = ()
    cause: "TakeFailure | None" = None


class Take(Contract):
    """One effect: where in the run it stands, what was asked, and what came of it.

    `asked` has a digest of each field of the request that was set, without what differs from run
    to run (`tape.digests_of`). `result` is the JSON that was returned, as it stood in
    history; it counts only where there is no `failure`.
    """

    workflow: WorkflowPath
    activity_id: ShortText
    effect: Effect
    asked: Annotated[dict[ShortText, ShortText], Field(max_length=100)]
    result: JsonValue = None
    failure: TakeFailure | None = None


class Tape(Contract):
    """A run of a whole week, or of a subset of its markets, up to its first publication.

    `window` ends at the as-of instant. `workflow_id` is the run's, `revision` what it published.
    `previous` is the report of the week before that the run's was compared with; None where there
    was none, or it could not be had when the tape was saved.
    """

    format: Literal["desk-tape"] = "desk-tape"
    version: Literal[1] = TAPE_VERSION
    week: IsoWeek
    window: TimeWindow
    config: RunConfig
    subset: ShortText | None = None
    workflow_id: ShortText
    revision: Annotated[int, Field(ge=1)]
    takes: Annotated[tuple[Take, ...], Field(max_length=200_000)]
    previous: ResearchReport | None = None

    @model_validator(mode="after")
    def _each_effect_once(self) -> Self:
        places = {(take.workflow, take.activity_id, take.effect) for take in self.takes}
        if len(places) < len(self.takes):
            raise ValueError("two takes stand at the same place")
        return self
