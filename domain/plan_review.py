"""What is read of a swarm's plan before anybody works by it: its prose states no figures.

A report prints the plan. Light: the agent loop calls this in the workflow.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from contracts.claims import Claim
from contracts.swarm import SwarmPlan
from contracts.verdicts import RejectedFigure
from domain.figure_gate import drop_sentences, read_prose

STRATEGY: Final = "strategy"
LEFT_OUT: Final = "What stood here was dropped, because it held figures that are no claims."

_FIELDS: Final = ("objective", "output_format", "boundaries")


class ReadPlan(NamedTuple):
    """A plan with its figures bound to claims, and those that are none."""

    result: SwarmPlan
    rejected: tuple[RejectedFigure, ...]


def review_plan(plan: SwarmPlan, claims: Mapping[str, Claim]) -> ReadPlan:
    """Reads all prose of a plan for figures; known are the claims of earlier rounds."""
    rejected: list[RejectedFigure] = []
    read: dict[str, str] = {}
    for place, prose in _texts(plan):
        bound = read_prose(prose, claims, place=place)
        read[place] = bound.prose
        rejected += bound.rejected
    return ReadPlan(_with_texts(plan, read), tuple(rejected))


def plan_without(plan: SwarmPlan, rejected: Collection[RejectedFigure]) -> SwarmPlan:
    """The plan without the sentences that hold the rejected figures."""
    left = {
        place: drop_sentences(prose, [figure for figure in rejected if figure.place == place])
        or LEFT_OUT
        for place, prose in _texts(plan)
    }
    return _with_texts(plan, left)


def _texts(plan: SwarmPlan) -> Iterator[tuple[str, str]]:
    yield STRATEGY, plan.strategy
    for subagent in plan.subagents:
        for field in _FIELDS:
            yield f"{subagent.name}, {field}", getattr(subagent, field)


def _with_texts(plan: SwarmPlan, texts: Mapping[str, str]) -> SwarmPlan:
    subagents = tuple(
        subagent.model_copy(update={field: texts[f"{subagent.name}, {field}"] for field in _FIELDS})
        for subagent in plan.subagents
    )
    return plan.model_copy(update={"strategy": texts[STRATEGY], "subagents": subagents})
