"""Which tools the work of an agent rested on, as its findings themselves say."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from contracts.capabilities import Capability
from contracts.names import AgentId
from contracts.report import MarketOutcome
from contracts.results import EventType, MarketEvent
from contracts.tasks import ToolName
from contracts.tools import ToolStatus
from domain.capabilities import capability_of


def essential_tools(outcomes: Iterable[MarketOutcome]) -> Mapping[AgentId, Mapping[ToolName, int]]:
    """For each agent, the tools that it could not have done without, and how many of its claims,
    events and verdicts name an answer of them.

    What was asked and then not used is not among them.
    """
    found: defaultdict[AgentId, Counter[ToolName]] = defaultdict(Counter)
    for outcome in outcomes:
        answered = {
            result.evidence_id: ToolName(server=result.call.server, tool=result.call.tool)
            for result in outcome.evidence
            if result.status is ToolStatus.OK
        }
        for agent, evidence in _rested_on(outcome):
            found[agent].update({answered[name] for name in evidence if name in answered})
    return found


def _rested_on(outcome: MarketOutcome) -> Iterator[tuple[AgentId, Iterable[str]]]:
    """Each claim, event and verdict of a market by its agent, with the evidence that it names. A
    decision that is yet to come names none, and rests on the calendar."""
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


def _is_ahead(event: MarketEvent) -> bool:
    return event.event_type is EventType.SCHEDULED_DECISION
