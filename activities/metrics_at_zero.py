"""Counters that stand at zero from a worker's start, so that a scrape finds them before anything
has happened."""

from collections.abc import Iterable
from itertools import product
from typing import Final

from temporalio.common import MetricMeter

from activities.metrics import (
    COUNTERS,
    UNAVAILABLE,
    Cache,
    RejectedBy,
    TaskOutcome,
    counted,
)
from desk.agents.roster import ROSTER, profile_in
from desk.agents.task_kinds import SPECIALIST_TASKS, STOCK_TASKS, TASK_OF
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.config import RunPolicy
from desk.contracts.names import AgentId, Queue

TASKS: Final[frozenset[tuple[AgentId, TaskType]]] = frozenset(
    {
        *TASK_OF.items(),
        *SPECIALIST_TASKS.items(),
        *STOCK_TASKS.values(),
        (AgentId.PRODUCT_MANAGER, TaskType.PLAN_WEEK),
        (AgentId.PRODUCT_MANAGER, TaskType.COMMENT_WEEK),
        (AgentId.RESEARCH_LEADER, TaskType.PLAN_SWARM),
        (AgentId.RESEARCH_LEADER, TaskType.CONCLUDE_SWARM),
        (AgentId.CONTROLLER_AGENT, TaskType.CHOOSE_ACTION),
    }
)
"""Who does which tasks, without those that are taken over."""


def begin_at_zero(
    meter: MetricMeter, policy: RunPolicy, queues: Iterable[Queue], *, calls_tools: bool
) -> None:
    """Have the counters at zero that a process counts on its `queues`, and those of the sources
    where it `calls_tools`. What an agent's model is, and which tools there are, the policy says."""
    own = set(queues)
    if Queue.DESK in own:
        _of_work(meter)
    if calls_tools:
        _of_tools(meter, policy)
    for agent in ROSTER:
        profile = profile_in(policy, agent)
        if profile.queue in own:
            for name in (name for name in COUNTERS if name.startswith("desk_model_")):
                counted(meter, name, 0, agent=agent, model=profile.model)
    caches = (Cache.PROMPT,) if own else ()
    for cache, result in product((Cache.JOURNAL, *caches), ("hit", "miss")):
        counted(meter, "desk_cache_lookups", 0, cache=cache, result=result)


def _of_work(meter: MetricMeter) -> None:
    for agent, task_type in sorted(TASKS):
        counted(meter, "desk_dead_letters", 0, agent=agent, task_type=task_type)
        for ended in TaskOutcome:
            counted(meter, "desk_tasks", 0, agent=agent, task_type=task_type, outcome=ended)
    for by in RejectedBy:
        counted(meter, "desk_figures_rejected", 0, by=by)
    for published in (Outcome.COMPLETE, Outcome.INCOMPLETE):
        counted(meter, "desk_reports", 0, outcome=published)


def _of_tools(meter: MetricMeter, policy: RunPolicy) -> None:
    tools = {tool for agent in ROSTER for tool in profile_in(policy, agent).tools}
    for tool in sorted(tools, key=lambda each: (each.server, each.tool)):
        for answered in (ToolStatus.OK, ToolStatus.REFUSED, UNAVAILABLE):
            counted(
                meter,
                "desk_tool_calls",
                0,
                server=tool.server,
                tool=tool.tool,
                outcome=str(answered),
            )
