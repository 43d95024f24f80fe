"""The tasks that a swarm gives: to its leader, and to the specialists of a plan."""

from datetime import datetime
from typing import Final

from desk.agents.program import AgentProfile
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.runs.swarm import SwarmRequest
from desk.contracts.swarm.plan import SubagentSpec
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments import assignment_of

OUTPUT_FORMAT: Final = (
    "Findings, each with its topic, a statement with references to claims in place of figures, its"
    " confidence and the claims that it rests on. A view of the direction over the next four weeks"
    " and what to do about it, with a confidence. What in the findings speaks against each other,"
    " what follows from them, and what was looked for and not found."
)
"""What every specialist delivers, and no model is told of: the form of its answer says it."""

LEADS_FIRST: Final = 1
SPECIALISES: Final = 2
"""Priorities: everybody waits for the leader."""

BESIDE: Final = "beside"
"""The parameter of a specialist's query that names the markets beside its own."""


def leaders_task(
    profile: AgentProfile,
    kind: TaskType,
    node: str,
    request: SwarmRequest,
    objective: str,
    window: TimeWindow,
    deadline: datetime,
) -> TaskAssignment:
    """What the leader is to do in a round."""
    return assignment_of(
        profile,
        request.policy,
        kind,
        node,
        window,
        deadline,
        priority=LEADS_FIRST,
        query=Query(question=objective, parameters=request.query.parameters),
    )


def specialists_task(
    profile: AgentProfile,
    subagent: SubagentSpec,
    node: str,
    request: SwarmRequest,
    objective: str,
    window: TimeWindow,
    deadline: datetime,
) -> TaskAssignment:
    """What a specialist is to do, with the tools that the plan leaves it."""
    limits = profile.limits.model_copy(update={"max_calls": subagent.most_calls})
    return assignment_of(
        profile.model_copy(update={"tools": subagent.tools, "limits": limits}),
        request.policy,
        subagent.task,
        node,
        window,
        deadline,
        market=subagent.market,
        priority=SPECIALISES,
        query=Query(question=objective, parameters=_parameters(request, subagent)),
        instructions=part_in_words(subagent),
    )


def _parameters(request: SwarmRequest, subagent: SubagentSpec) -> dict[str, str]:
    """Those of the objective, with the markets that are held against the specialist's own."""
    beside = {BESIDE: ", ".join(subagent.beside)} if subagent.beside else {}
    return {**request.query.parameters, **beside}


def part_in_words(subagent: SubagentSpec) -> str:
    """A specialist's part in prose, for a model."""
    form = "" if subagent.output_format == OUTPUT_FORMAT else subagent.output_format
    wanted = f"What to deliver: {form}\n\n" if form else ""
    return (
        f"Your objective: {subagent.objective}\n\n{wanted}What is not yours: {subagent.boundaries}"
    )[:4_000]
