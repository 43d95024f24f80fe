"""The agents' use of their tools: calls, answers, times, costs, and citations."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import fsum
from typing import Final

from desk.agents.answer_form import unreachable_since
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolResult, ToolStatus, capability_of
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.learning.lessons import ToolUse
from desk.contracts.names import AgentId, agent_of
from desk.contracts.week.report import MarketOutcome

Key = tuple[AgentId, str, str]
"""An agent, a server, and a tool of the server."""

_DIGITS: Final = 3
"""Decimal places of seconds: milliseconds."""

_SMALLEST: Final = Decimal("1e-9")
"""Dollars to which a share of a turn's cost is rounded."""


def sharing_cost(results: Sequence[ToolResult], cost: Decimal) -> tuple[ToolResult, ...]:
    """Returns the answers to one turn's calls, each with an equal share of the turn's cost."""
    if not results or not cost:
        return tuple(results)
    share = (cost / len(results)).quantize(_SMALLEST)
    return tuple(result.model_copy(update={"cost_usd": share}) for result in results)


def tool_uses(outcomes: Iterable[MarketOutcome]) -> tuple[ToolUse, ...]:
    """Returns the use of each tool in a run, by the agent that asked, sorted.

    Only calls that reached a source count, and each source that was asked counts. A call is cited
    if a claim, an event or a verdict of the agent names its answer. The cost of asking is
    attributed to the source whose answer was used.
    """
    return summed(use for outcome in outcomes for use in _uses_of(outcome))


def summed(uses: Iterable[ToolUse]) -> tuple[ToolUse, ...]:
    """Returns one use for each agent and tool, sorted. The order of the input does not matter."""
    found: defaultdict[Key, list[ToolUse]] = defaultdict(list)
    for use in uses:
        found[key_of(use)].append(use)
    return tuple(_sum(found[key]) for key in sorted(found))


def key_of(use: ToolUse) -> Key:
    """Returns the agent and tool of a use."""
    return use.agent, use.server, use.tool


def rested_on(outcome: MarketOutcome) -> Iterator[tuple[AgentId, Iterable[str]]]:
    """Yields each claim, event and verdict of a market by its agent, with the evidence that it
    names. A scheduled decision also rests on the decision calendars."""
    calendars = tuple(
        answer.evidence_id
        for answer in outcome.evidence
        if capability_of(answer.call) is Capability.DECISION_CALENDAR
    )
    for result in outcome.results:
        yield from ((result.agent, claim.evidence) for claim in result.claims)
        yield from ((result.agent, event.evidence) for event in result.events)
        yield from ((result.agent, calendars) for event in result.events if _is_ahead(event))
    validation = outcome.validation
    if validation is not None:
        yield from ((validation.agent, check.evidence) for check in validation.checks)
        yield from ((validation.agent, verdict.evidence) for verdict in validation.verdicts)


def _uses_of(outcome: MarketOutcome) -> Iterator[ToolUse]:
    cited = {(agent, name) for agent, names in rested_on(outcome) for name in names}
    for result in outcome.evidence:
        if result.place is None:
            continue
        agent = agent_of(result.place.activity_id)
        yield _use(agent, result, cited=(agent, result.evidence_id) in cited)
        for other in result.besides:
            yield counted_use(agent, other.server, other.tool, other.status, other.took)


def _use(agent: AgentId, result: ToolResult, *, cited: bool) -> ToolUse:
    call, status = result.call, status_for_learning(result)
    use = counted_use(agent, call.server, call.tool, status, result.took)
    rests = cited and status is ToolStatus.OK
    cost = result.cost_usd or Decimal(0)
    return use.model_copy(update={"kept": int(result.kept), "cited": int(rests), "cost_usd": cost})


def status_for_learning(result: ToolResult) -> ToolStatus:
    """Returns the status of a call for its caller: an empty answer because the source's upstream
    was unreachable counts as unavailable."""
    since, _ = unreachable_since(result.content)
    return result.status if since is None else ToolStatus.UNAVAILABLE


def counted_use(
    agent: AgentId, server: str, tool: str, status: ToolStatus, took: float | None
) -> ToolUse:
    """Returns the use that one call amounts to, by its status."""
    return ToolUse(
        agent=agent,
        server=server,
        tool=tool,
        calls=1,
        failed=int(status is ToolStatus.UNAVAILABLE),
        refused=int(status is ToolStatus.REFUSED),
        timed=int(took is not None),
        seconds=took or 0.0,
    )


def _sum(uses: list[ToolUse]) -> ToolUse:
    first = uses[0]
    return ToolUse(
        agent=first.agent,
        server=first.server,
        tool=first.tool,
        calls=sum(use.calls for use in uses),
        failed=sum(use.failed for use in uses),
        refused=sum(use.refused for use in uses),
        retried=sum(use.retried for use in uses),
        kept=sum(use.kept for use in uses),
        cited=sum(use.cited for use in uses),
        timed=sum(use.timed for use in uses),
        # Summed exactly before rounding, so that the order of the terms does not matter.
        seconds=round(fsum(use.seconds for use in uses), _DIGITS),
        cost_usd=sum((use.cost_usd for use in uses), Decimal(0)),
    )


def _is_ahead(event: MarketEvent) -> bool:
    return event.event_type is EventType.SCHEDULED_DECISION
