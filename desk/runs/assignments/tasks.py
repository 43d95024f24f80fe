"""Makes the assignments of agents from what a program plans."""

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

WINDOW_LENGTH = timedelta(days=8)
"""The length of a question's window, the same as of a week's report."""


def window_before(as_of: datetime, time_zone: str) -> TimeWindow:
    """Returns the default window of a question: the days before its as-of instant."""
    return TimeWindow(start=as_of - WINDOW_LENGTH, end=as_of, time_zone=time_zone)


def week_before(as_of: datetime) -> IsoWeek:
    """Returns the week that an instant reports on. On a Monday it is the week that just ended."""
    return week_of((as_of - timedelta(days=1)).date())


def policy_at(node: NodeSpec, policy: RunPolicy) -> RunPolicy:
    """Returns the policy of a run with a node's own retries and fallback."""
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
    """Returns the entries of the state that a node is shown. A node that searches is shown only the
    results of the nodes directly before it, unless it names keys. Otherwise a history would grow
    with the square of its nodes."""
    if node.reads is not None or node.task not in FINDING_TASKS:
        return visible
    before = {each.name for each in graph.nodes if any(e.to == node.name for e in each.edges)}
    return tuple(entry for entry in visible if entry.node in before)


def place_of(node: str, round_: int) -> str:
    """Returns the name of a node's work within a run: the node's name, with the number of the round
    from the second on."""
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
    """Returns the assignment of a task to an agent, with the agent's tools and limits and the run's
    policy.

    `task_id` is unique within the run. A task outside of a week's research answers a `query`; its
    week is the one in which its window ends.
    """
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
    """Returns the id of a task on a market of a week."""
    return f"{market.market}/{task_type}"


def market_task(
    profile: AgentProfile, planned: PlannedTask, request: MarketRequest
) -> TaskAssignment:
    """Returns the assignment of a planned task on a market of a week."""
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
"""The share of its limit of turns that an agent gets, by effort."""


def effort_for(priority: int) -> Effort:
    """Returns the effort for a priority of the plan, from 1 (most thorough) to 5."""
    if priority <= 1:
        return Effort.HIGH
    return Effort.MEDIUM if priority <= 3 else Effort.LOW


def turns_for(effort: Effort, limits: AgentLimits) -> int:
    """Returns the number of turns of a model; at most the agent's limit."""
    return min(max(round(limits.max_turns * _TURNS[effort]), FEWEST_TURNS), limits.max_turns)
