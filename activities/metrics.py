"""The metrics of the desk, recorded on the meter of the current workflow or activity.

A workflow's meter records nothing during replay. Names and labels are those of docs/operations.md.
A worker sets its counters to zero when it starts, and a counter starts at zero with the first task,
so that the first increase shows in a scrape.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import StrEnum
from itertools import product
from time import monotonic
from typing import Final

from temporalio import activity, workflow
from temporalio.common import MetricMeter
from temporalio.exceptions import is_cancelled_exception

from desk.agents.registry import TASKS
from desk.agents.roster import ROSTER, profile_in
from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolStatus
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.names import AgentId, Queue
from desk.contracts.week.report import ResearchReport
from desk.runs.assignments import taken_by

UNAVAILABLE: Final = "unavailable"
"""The outcome of a tool call whose server gave no answer. The other outcomes are those of
`ToolStatus`."""

COUNTERS: Final = {
    "desk_tasks": "Tasks that an agent has ended",
    "desk_dead_letters": "Tasks that failed with everybody who could have done them",
    "desk_figures_rejected": "Figures that were not let into a report",
    "desk_tool_calls": "Calls of a tool, by what became of them",
    "desk_cache_lookups": "Answers looked for before they are asked for",
    "desk_reports": "Published revisions",
    "desk_model_calls": "Calls of a model",
    "desk_model_input_tokens": "Tokens read",
    "desk_model_output_tokens": "Tokens written",
    "desk_model_cache_read_tokens": "Tokens read from the prompt cache",
    "desk_model_cost_microusd": "Cost in millionths of a US dollar",
    "desk_model_unpriced_calls": "Calls of unknown price",
    "desk_model_lost_calls": "Calls whose answer was lost, which may be billed",
    "desk_model_calls_over_budget": "Calls that were not made for want of money",
}
"""Every counter, with its description."""

_DONE_BY: Final = frozenset((kind.agent.agent, name) for name, kind in TASKS.items())
"""The tasks of each agent, without those that it takes over from others."""


class TaskEnd(StrEnum):
    """The possible outcomes of a task."""

    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RejectedBy(StrEnum):
    """Who rejected a figure: the gate for an agent's `prose`, or the `checks` of its claims by the
    validator and the report."""

    PROSE = "prose"
    CHECKS = "checks"


class Cache(StrEnum):
    """A cache that can save a call."""

    JOURNAL = "effect_journal"
    PROMPT = "prompt"


@contextmanager
def measured_task(agent: AgentId, task_type: TaskType) -> Iterator[None]:
    """In a workflow: counts the task that runs in the block, and measures how long it takes."""
    _dead_letters(agent, task_type, 0)
    _rejected(RejectedBy.PROSE, 0)
    began = workflow.now()
    try:
        yield
    except GeneratorExit:
        # The worker evicts the workflow. Its task continues elsewhere, and has not ended.
        raise
    except BaseException as error:
        failed = isinstance(error, Exception) and not is_cancelled_exception(error)
        outcome = TaskEnd.FAILED if failed else TaskEnd.CANCELLED
        _ended(agent, task_type, outcome, workflow.now() - began)
        raise
    _ended(agent, task_type, TaskEnd.DELIVERED, workflow.now() - began)


def count_dead_letter(agent: AgentId, task_type: TaskType) -> None:
    """In a workflow: counts a task that failed with every agent."""
    _dead_letters(agent, task_type, 1)


def count_unstated(figures: int) -> None:
    """In a workflow: counts the figures in an agent's text that are not claims."""
    _rejected(RejectedBy.PROSE, figures)


class CallMeasure:
    """A tool call in progress: when it began, its status, and how long it took."""

    def __init__(self) -> None:
        self._began = monotonic()
        self.outcome = UNAVAILABLE
        self.seconds: float | None = None

    def answered(self, status: ToolStatus) -> float:
        """Records the answer's status. Returns the seconds until the answer."""
        self.outcome = status.value
        return self.ended()

    def ended(self) -> float:
        """Returns the seconds until the call ended, measured at the first call of this method."""
        if self.seconds is None:
            self.seconds = monotonic() - self._began
        return self.seconds


@contextmanager
def measured_call(call: ToolCall) -> Iterator[CallMeasure]:
    """In an activity: counts the call made in the block. The block records the answer; without one
    the call counts as unavailable."""
    measure = CallMeasure()
    try:
        yield measure
    finally:
        labels = {"server": call.server, "tool": call.tool}
        meter = activity.metric_meter()
        counted(meter, "desk_tool_calls", 1, **labels, outcome=measure.outcome)
        meter.with_additional_attributes(labels).create_histogram_timedelta(
            "desk_tool_call_seconds", "From a call of a tool to its answer", "duration"
        ).record(timedelta(seconds=measure.ended()))


def count_lookup(cache: Cache, *, hit: bool) -> None:
    """In an activity: counts a lookup in a cache."""
    for result, seen in (("hit", hit), ("miss", not hit)):
        meter = activity.metric_meter()
        counted(meter, "desk_cache_lookups", int(seen), cache=cache, result=result)


def count_model_call(agent: AgentId, usage: Usage) -> None:
    """In an activity: counts a call of a model and its cost."""
    meter = activity.metric_meter()
    for name, amount in (
        ("calls", 1),
        ("input_tokens", usage.input_tokens),
        ("output_tokens", usage.output_tokens),
        ("cache_read_tokens", usage.cache_read_tokens),
        ("cost_microusd", int(usage.cost_usd * 1_000_000)),
        ("unpriced_calls", usage.unpriced_calls),
    ):
        counted(meter, f"desk_model_{name}", amount, agent=agent, model=usage.model)
    count_over_budget(agent, usage.model, 0)
    count_lost_call(agent, usage.model, 0)
    count_lookup(Cache.PROMPT, hit=usage.cache_read_tokens > 0)


def count_lost_call(agent: AgentId, model: str, calls: int = 1) -> None:
    """In an activity: counts a call whose answer was lost, so that it may be billed."""
    counted(activity.metric_meter(), "desk_model_lost_calls", calls, agent=agent, model=model)


def count_over_budget(agent: AgentId, model: str, calls: int = 1) -> None:
    """In an activity: counts a call of a model that was not made because the budget did not allow
    it."""
    meter = activity.metric_meter()
    counted(meter, "desk_model_calls_over_budget", calls, agent=agent, model=model)


def note_report(report: ResearchReport, spent: Usage, *, newest: bool) -> None:
    """In an activity: counts a published report and the figures that its checks rejected. `newest`
    means that it covers all markets and the newest week; then it also sets the gauges."""
    for known in (Outcome.COMPLETE, Outcome.INCOMPLETE):
        this_one = int(known is report.outcome)
        counted(activity.metric_meter(), "desk_reports", this_one, outcome=known)
    anew = (market for market in report.markets if market.revised_in == report.revision)
    verdicts = (verdict for market in anew for verdict in market.verdicts)
    _rejected(RejectedBy.CHECKS, sum(v.status is ClaimStatus.REJECTED for v in verdicts))
    if newest:
        _gauge(report, spent)


def used(spent: Usage, budget: BudgetConfig) -> float:
    """Returns the share of the budget that was spent, by money or tokens, whichever is larger; 0
    without a limit."""
    taken_of = taken_by(spent)
    shares = [
        float(taken or 0) / float(limit) if limit else float((taken or 0) > 0)
        for taken, limit in ((taken_of.usd, budget.usd), (taken_of.tokens, budget.tokens))
        if limit is not None
    ]
    return max(shares, default=0.0)


def counted(meter: MetricMeter, name: str, amount: int, **labels: str) -> None:
    """Adds to one of the `COUNTERS`, under its labels."""
    label_values = {label: str(value) for label, value in labels.items()}
    meter.with_additional_attributes(label_values).create_counter(name, COUNTERS[name]).add(amount)


def begin_at_zero(
    meter: MetricMeter, policy: RunPolicy, queues: Iterable[Queue], *, calls_tools: bool
) -> None:
    """Sets to zero the counters of a process that polls these `queues`, and those of the sources if
    it `calls_tools`. The policy determines which models and tools there are."""
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


def _ended(agent: AgentId, task_type: TaskType, outcome: TaskEnd, took: timedelta) -> None:
    labels = {"agent": agent.value, "task_type": task_type.value}
    meter = workflow.metric_meter()
    counted(meter, "desk_tasks", 1, **labels, outcome=outcome)
    meter.with_additional_attributes(labels).create_histogram_timedelta(
        "desk_task_seconds", "From a task's first turn to its result", "duration"
    ).record(took)


def _gauge(report: ResearchReport, spent: Usage) -> None:
    meter, coverage = activity.metric_meter(), report.coverage
    for name, words, value in (
        ("coverage", "Researched markets as a share of those expected", coverage.share),
        ("coverage_threshold", "Coverage below it makes a report incomplete", coverage.threshold),
        (
            "budget_used",
            "What models took, as a share of the budget",
            used(spent, report.config.policy.budget),
        ),
    ):
        meter.create_gauge_float(f"desk_report_{name}_ratio", words).set(value)


def _rejected(by: RejectedBy, figures: int) -> None:
    meter = activity.metric_meter() if activity.in_activity() else workflow.metric_meter()
    counted(meter, "desk_figures_rejected", figures, by=by)


def _dead_letters(agent: AgentId, task_type: TaskType, letters: int) -> None:
    meter = workflow.metric_meter()
    counted(meter, "desk_dead_letters", letters, agent=agent, task_type=task_type)


def _of_work(meter: MetricMeter) -> None:
    for agent, task_type in sorted(_DONE_BY):
        counted(meter, "desk_dead_letters", 0, agent=agent, task_type=task_type)
        for ended in TaskEnd:
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
