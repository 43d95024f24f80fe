"""From what a program plans to the tasks that its agents are given."""

from datetime import datetime, timedelta
from typing import Final

from desk.agents.program import AgentProfile
from desk.contracts.agents.config import AgentConfig, RunPolicy
from desk.contracts.agents.tasks import (
    FEWEST_TURNS,
    AgentLimits,
    Effort,
    Query,
    TaskAssignment,
    TaskType,
)
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import GraphSpec, NodeSpec
from desk.contracts.runs.turns import StateEntry
from desk.contracts.runs.week import MarketRequest
from desk.contracts.week.plan import PlannedTask
from desk.contracts.weeks import IsoWeek, TimeWindow, week_of

VALIDATION = PlannedTask(task_type=TaskType.VALIDATE, agent=AgentId.VALIDATOR)

FINDING_TASKS = frozenset(
    {
        TaskType.FETCH_TICKETS,
        TaskType.READ_DOCUMENTS,
        TaskType.READ_PDFS,
        TaskType.SEARCH_WEB,
    }
)
USUAL_PRIORITY = 3
"""Priorities run from 1, the most urgent, to 5."""

LOOKS_BACK = timedelta(days=8)
"""As far as a week's report does."""


def window_before(as_of: datetime, time_zone: str) -> TimeWindow:
    """What a question looks at: the days before its as-of instant."""
    return TimeWindow(start=as_of - LOOKS_BACK, end=as_of, time_zone=time_zone)


def week_before(as_of: datetime) -> IsoWeek:
    """The week that an instant reports on; on a Monday the week that has just ended."""
    return week_of((as_of - timedelta(days=1)).date())


def policy_at(node: NodeSpec, policy: RunPolicy) -> RunPolicy:
    """The rules of a run with a node's own retries and fallback."""
    changed = {} if node.retries is None else {"retries": node.retries}
    if node.fallback is None:
        return policy.model_copy(update=changed)
    own = next((e for e in policy.agents if e.agent == node.agent), AgentConfig(agent=node.agent))
    others = tuple(entry for entry in policy.agents if entry.agent != node.agent)
    agents = (*others, own.model_copy(update={"fallback": node.fallback}))
    return policy.model_copy(update={**changed, "agents": agents})


def shown_to(
    node: NodeSpec, graph: GraphSpec, visible: tuple[StateEntry, ...]
) -> tuple[StateEntry, ...]:
    """What of the state a node is shown. One that looks for something is shown what the nodes right
    before it brought, unless it names keys: with all that there is, a history would grow with the
    square of its nodes."""
    if node.reads is not None or node.task not in FINDING_TASKS:
        return visible
    before = {each.name for each in graph.nodes if any(e.to == node.name for e in each.edges)}
    return tuple(entry for entry in visible if entry.node in before)


def place_of(node: str, round_: int) -> str:
    """What distinguishes a node's work in a run: the node's name, and its round from the second one
    on."""
    return node if round_ == 1 else f"{node}.{round_}"


def assignment_of(
    profile: AgentProfile,
    policy: RunPolicy,
    task_type: TaskType,
    task_id: str,
    window: TimeWindow,
    deadline: datetime,
    *,
    week: IsoWeek | None = None,
    market: MarketSpec | None = None,
    priority: int = USUAL_PRIORITY,
    query: Query | None = None,
    instructions: str | None = None,
) -> TaskAssignment:
    """A task for an agent, with its tools and limits and by the rules of its run. `task_id` is
    unique within the run. A task that is no part of a week's research answers a `query`; its week
    is the one that its window ends in."""
    return TaskAssignment(
        task_id=task_id,
        task_type=task_type,
        agent=profile.agent,
        week=week or week_before(window.end),
        market=market,
        window=window,
        deadline=deadline,
        priority=priority,
        tools=profile.tools,
        limits=profile.limits,
        base_area=policy.base_area,
        instructions=instructions,
        query=query,
    )


def market_task_id(market: MarketSpec, task_type: TaskType) -> str:
    """The id of a task of a week's market."""
    return f"{market.market}/{task_type}"


def market_task(
    profile: AgentProfile, planned: PlannedTask, request: MarketRequest
) -> TaskAssignment:
    """A planned task of a week's market."""
    return assignment_of(
        profile,
        request.policy,
        planned.task_type,
        market_task_id(request.market, planned.task_type),
        request.window,
        request.deadline,
        week=request.week,
        market=request.market,
        priority=1 if request.rerun else request.plan.priority,
        instructions=planned.instructions or request.plan.instructions,
    )


_TURNS: Final = {Effort.LOW: 0.5, Effort.MEDIUM: 0.75, Effort.HIGH: 1.0}
"""The part of its turns that an agent has."""


def effort_for(priority: int) -> Effort:
    """The effort for a priority of the plan, which runs from 1 (most thoroughly) to 5."""
    if priority <= 1:
        return Effort.HIGH
    return Effort.MEDIUM if priority <= 3 else Effort.LOW


def turns_for(effort: Effort, limits: AgentLimits) -> int:
    """How many turns a model has; never more than the agent's limit."""
    return min(max(round(limits.max_turns * _TURNS[effort]), FEWEST_TURNS), limits.max_turns)
