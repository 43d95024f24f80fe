"""Where on a tape an effect stands, and how what is asked is told from what was asked."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from desk.contracts.agents.tape import Effect, Take
from desk.trust.ledger.seal import content_hash

DIGITS: Final = 16
"""Of a SHA-256. A field is compared with itself, so that no two fields can be mistaken."""

_RESULT: Final = dict.fromkeys(
    ("retrieved_at", "place", "took", "kept", "cost_usd", "besides"), True
)
_OF_THE_RUN: Final[Mapping[Effect, Any]] = {
    Effect.TURN: {
        # What side-by-side agents may still spend hangs on which of them is done first.
        "allowance": True,
        "assignment": {"deadline"},
        "exchanges": {"__all__": {"results": {"__all__": _RESULT}}},
        "evidence": {"__all__": _RESULT},
    },
    # How patiently a source is asked changes nothing of what is asked.
    Effect.TOOL_CALL: {"within": True},
    Effect.ADVICE: {"asked_at": True},
    # The findings follow from turns and answers that are on the tape themselves.
    Effect.JUDGEMENT: {"outcomes": True},
    Effect.DECISION: {
        "remind_at": True,
        "deadline": True,
        "evidence": {"__all__": _RESULT},
    },
}
"""What of a request differs between two runs that ask the same: instants, runs, allowances."""


class Place(NamedTuple):
    """What a take is found by."""

    workflow: str
    activity_id: str
    effect: Effect

    def __str__(self) -> str:
        """`take_turn research_agent_1.research_fx.t1 of market/USD/JPY`."""
        return f"{self.effect} {self.activity_id} of {self.workflow or 'the run'}"


def place_of(take: Take) -> Place:
    """Where a take stands."""
    return Place(take.workflow, take.activity_id, take.effect)


def path_within(workflow_id: str, run_id: str) -> str:
    """A workflow's id without that of the run that it belongs to.

    Raises:
        ValueError: it does not belong to the run.
    """
    if workflow_id == run_id:
        return ""
    path = workflow_id.removeprefix(f"{run_id}/")
    if path == workflow_id:
        raise ValueError(f"{workflow_id} is no workflow of the run {run_id}")
    return path


def digests_of(effect: Effect, request: BaseModel | str) -> dict[str, str]:
    """A digest of each field of a request, without what is the run's own.

    A field that has its default is left out, so that a request that later gains a field is still
    the same request.
    """
    if not isinstance(request, BaseModel):
        return {"request": content_hash(request)[:DIGITS]}
    fields = request.model_dump(mode="json", exclude_defaults=True, exclude=_OF_THE_RUN.get(effect))
    return {name: content_hash(value)[:DIGITS] for name, value in fields.items()}


def differing(recorded: Mapping[str, str], asked: Mapping[str, str]) -> tuple[str, ...]:
    """The fields in which two requests differ, by their digests."""
    names = sorted({*recorded, *asked})
    return tuple(name for name in names if recorded.get(name) != asked.get(name))
