"""A tape: the recorded answers of the outside world to a week's run, which replay the run without
it."""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from desk.contracts.agents.config import RunConfig
from desk.contracts.base import Contract, ShortText
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek, TimeWindow

TAPE_VERSION: Final = 1
"""The version of the format that this desk writes and replays."""

WorkflowPath = Annotated[str, Field(max_length=500)]
"""A workflow's id without that of the run: empty for the run itself, otherwise as in
`market/USD/JPY`."""


class Effect(StrEnum):
    """The kinds of recorded answers, by the name of the activity that requests them.

    `revisions` are the earlier publications of the week, which determine the number of the report's
    revision. `decision` is how a person, or the deadline in place of a person, decided a conflict.
    `advice` is the advice of the desk's own record. `judgement` is the conflicts between findings.
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
    """How an effect failed after all retries: the error as the workflow saw it, and its cause.

    `error_type` is None when the failure was the server's own, such as a timeout.
    """

    message: Annotated[str, Field(max_length=10_000)]
    error_type: ShortText | None = None
    details: Annotated[tuple[JsonValue, ...], Field(max_length=20)] = ()
    cause: "TakeFailure | None" = None


class Take(Contract):
    """One recorded effect: its position in the run, its request and its result.

    `asked` has a digest of each field that was set in the request, except those that differ from
    run to run (`tape.digests_of`). `result` is the returned JSON, as in history; it is valid only
    without a `failure`.
    """

    workflow: WorkflowPath
    activity_id: ShortText
    effect: Effect
    asked: Annotated[dict[ShortText, ShortText], Field(max_length=100)]
    result: JsonValue = None
    failure: TakeFailure | None = None


class Tape(Contract):
    """A run of a whole week, or of a subset of its markets, up to its first publication.

    `window` ends at the as-of instant. `workflow_id` is the run's, `revision` is the one it
    published. `previous` is the report of the week before, with which the run's report was
    compared; None when there was none or it was not available when the tape was saved.
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
