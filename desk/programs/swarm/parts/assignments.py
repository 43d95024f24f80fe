"""The tasks that a swarm gives: to its leader, and to the specialists of a plan.

Light: the workflow uses it.
"""

from datetime import datetime
from typing import Final

from desk.contracts.agents.tasks import AgentLimits, Query, TaskAssignment, TaskType, ToolName
from desk.contracts.names import AgentId
from desk.contracts.swarm.run import SwarmRequest
from desk.contracts.swarm.swarm import SubagentSpec
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments.graph_assignments import week_before

LEADS_FIRST: Final = 1
SPECIALISES: Final = 2
"""Priorities: everybody waits for the leader."""


def leaders_task(
    task_id: str,
    kind: TaskType,
    request: SwarmRequest,
    objective: str,
    window: TimeWindow,
    *,
    deadline: datetime,
    tools: tuple[ToolName, ...],
    limits: AgentLimits,
) -> TaskAssignment:
    """What the leader is to do in a round."""
    return TaskAssignment(
        task_id=task_id,
        task_type=kind,
        agent=AgentId.RESEARCH_LEADER,
        week=week_before(window.end),
        window=window,
        deadline=deadline,
        priority=LEADS_FIRST,
        tools=tools,
        limits=limits,
        base_area=request.policy.base_area,
        query=Query(question=objective, parameters=request.query.parameters),
    )


def specialists_task(
    task_id: str,
    subagent: SubagentSpec,
    request: SwarmRequest,
    objective: str,
    window: TimeWindow,
    *,
    deadline: datetime,
    limits: AgentLimits,
) -> TaskAssignment:
    """What a specialist is to do, with the tools that the plan leaves it."""
    return TaskAssignment(
        task_id=task_id,
        task_type=subagent.task,
        agent=subagent.agent,
        week=week_before(window.end),
        market=subagent.market,
        window=window,
        deadline=deadline,
        priority=SPECIALISES,
        tools=subagent.tools,
        limits=limits.model_copy(update={"max_calls": subagent.most_calls}),
        base_area=request.policy.base_area,
        instructions=told(subagent),
        query=Query(question=objective, parameters=request.query.parameters),
    )


def told(subagent: SubagentSpec) -> str:
    """A specialist's part in prose, for a model."""
    return (
        f"Your objective: {subagent.objective}\n\n"
        f"What to deliver: {subagent.output_format}\n\n"
        f"What is not yours: {subagent.boundaries}\n\n"
        f"Ask your tools {subagent.least_calls} to {subagent.most_calls} times."
    )[:4_000]
