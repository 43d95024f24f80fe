"""The assignments of a swarm's leader, and of a plan's specialists."""

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
"""What every specialist delivers. Models do not get this text, because the schema of their answer
says it."""

LEADS_FIRST: Final = 1
SPECIALISES: Final = 2
"""The specialists' priority. The leader's is higher, because all tasks of a round wait for it."""

BESIDE: Final = "beside"
"""The query parameter with the markets that a specialist compares its own with."""


def leaders_task(
    profile: AgentProfile,
    kind: TaskType,
    node: str,
    request: SwarmRequest,
    objective: str,
    window: TimeWindow,
    deadline: datetime,
) -> TaskAssignment:
    """Returns the leader's assignment in a round."""
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
    """Returns a specialist's assignment, with the tools that the plan allows."""
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
    """Returns the objective's parameters, with the markets that the specialist compares its own
    with."""
    beside = {BESIDE: ", ".join(subagent.beside)} if subagent.beside else {}
    return {**request.query.parameters, **beside}


def part_in_words(subagent: SubagentSpec) -> str:
    """Returns a specialist's task in prose, for a model."""
    form = "" if subagent.output_format == OUTPUT_FORMAT else subagent.output_format
    wanted = f"What to deliver: {form}\n\n" if form else ""
    return (
        f"Your objective: {subagent.objective}\n\n{wanted}What is not yours: {subagent.boundaries}"
    )[:4_000]
