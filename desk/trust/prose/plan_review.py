"""What is read of a swarm's plan before anybody works by it, for a report prints the plan."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.swarm.swarm import SwarmPlan
from desk.trust.prose.gate import without

STRATEGY: Final = "strategy"
LEFT_OUT: Final = "What stood here was dropped, because it held figures that are no claims."

_FIELDS: Final = ("objective", "output_format", "boundaries")


def plan_texts(plan: SwarmPlan) -> Iterator[tuple[str, str]]:
    """All prose of a plan, each text with its place."""
    yield STRATEGY, plan.strategy
    for subagent in plan.subagents:
        for field in _FIELDS:
            yield f"{subagent.name}, {field}", getattr(subagent, field)


def plan_without(plan: SwarmPlan, rejected: Collection[RejectedFigure]) -> SwarmPlan:
    """The plan without the sentences that were objected to."""
    left = {
        place: without(prose, [figure for figure in rejected if figure.place == place]) or LEFT_OUT
        for place, prose in plan_texts(plan)
    }
    return _with_texts(plan, left)


def _with_texts(plan: SwarmPlan, texts: Mapping[str, str]) -> SwarmPlan:
    subagents = tuple(
        subagent.model_copy(update={field: texts[f"{subagent.name}, {field}"] for field in _FIELDS})
        for subagent in plan.subagents
    )
    return plan.model_copy(update={"strategy": texts[STRATEGY], "subagents": subagents})
