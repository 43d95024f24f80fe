"""A task of a run: its outcome, and the request to reassign it."""

from typing import Annotated

from pydantic import Field

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import MOST_EVIDENCE, Openings, ToolResult, Tools
from desk.contracts.base import Contract, is_empty, is_none
from desk.contracts.episode.stock import Blackboard
from desk.contracts.findings.results import AgentError, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import AgentResult, StateEntry
from desk.contracts.week.report import (
    Contribution,
)


class ReassignmentRequest(Contract):
    """A task that failed with one agent, to be done by another, which is shown the same input."""

    assignment: TaskAssignment
    tried: Annotated[tuple[AgentId, ...], Field(min_length=1, max_length=8)]
    errors: Annotated[tuple[AgentError, ...], Field(min_length=1, max_length=8)]
    findings: Annotated[tuple[ResearchResult, ...], Field(max_length=800)] = ()
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=MOST_EVIDENCE)] = ()
    state: Annotated[tuple[StateEntry, ...], Field(max_length=1_000, exclude_if=is_empty)] = ()
    board: Annotated[Blackboard | None, Field(exclude_if=is_none)] = None
    policy: RunPolicy
    tools: Tools = ()
    allowance: Allowance = Allowance()


class TaskOutcome(Contract):
    """The result of the agent loop, the evidence behind it and what it cost. `judged` results come
    from a turn that was judged by the activity that took it; `openings` are those of that turn."""

    result: AgentResult
    judged: Annotated[bool, Field(exclude_if=is_empty)] = False
    openings: Annotated[Openings, Field(exclude_if=is_empty)] = Field(default_factory=dict)
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=MOST_EVIDENCE)]
    contribution: Contribution
