"""Makes a case for a person from a conflict, and checks the answer."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationRequest,
)
from desk.contracts.findings.results import ConflictRecord, Position
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import IsoWeek
from desk.runs.assignments import answer_due, reminder_due
from desk.trust.conflicts import default_position, state, state_on

MOST_CLAIMS: Final = 16
MOST_EVIDENCE: Final = 16
"""A case contains what its positions rest on; the rest is in the market's history."""


class CaseContext(NamedTuple):
    """The run that asks, and until when an answer is useful."""

    week: IsoWeek
    deadlines: DeadlineConfig
    report_due: datetime
    urgency: int


class _AgentClaim(NamedTuple):
    agent: AgentId
    claim: Claim


def case_of(
    conflict: ConflictRecord,
    outcomes: Sequence[MarketOutcome],
    asking: CaseContext,
    now: datetime,
) -> EscalationRequest | None:
    """Returns the request to a person to decide a conflict; None if there is no time to ask."""
    deadline = answer_due(now, asking.deadlines.escalation, asking.report_due)
    if deadline <= now:
        return None
    claims = tuple(_claims_of(conflict, outcomes))[:MOST_CLAIMS]
    return EscalationRequest(
        week=asking.week,
        market=conflict.market,
        conflict=conflict,
        claims=claims,
        evidence=tuple(_evidence_of(claims, outcomes))[:MOST_EVIDENCE],
        default=default_position(conflict),
        remind_at=reminder_due(now, asking.deadlines.reminder, deadline),
        deadline=deadline,
    )


def claims_at(request: EscalationRequest, position: Position) -> tuple[Claim, ...]:
    """Returns the claim of a position, or every candidate if that is ambiguous."""
    claiming = (p for p in request.conflict.positions if p.claim_id is not None)
    for holder, claim in zip(claiming, request.claims, strict=False):
        if holder == position and _is_stated_in(position, claim):
            return (claim,)
    return tuple(claim for claim in request.claims if _is_stated_in(position, claim))


def evidence_at(request: EscalationRequest, position: Position) -> tuple[ToolResult, ...]:
    """Returns the tool results that a position's claim rests on, through the claims it is derived
    from."""
    wanted = set(_rests_on(claims_at(request, position), request.claims))
    return tuple(result for result in request.evidence if result.evidence_id in wanted)


def refusal(request: EscalationRequest, answer: EscalationAnswer) -> str | None:
    """Returns why an answer cannot be accepted, with a list of the positions; None if it can."""
    if not answer.by.strip():
        return f"an answer says in `by` who gives it; {_choices(request)}"
    if answer.position is None or 0 <= answer.position < len(request.conflict.positions):
        return None
    return f"there is no position {answer.position}; {_choices(request)}"


def decided_already(decision: EscalationDecision) -> str:
    """Says why a decided case accepts no answer: who decided, when, and what to do instead."""
    at = f"{decision.decided_at:%Y-%m-%d %H:%M:%S} UTC"
    holds = decision.conflict.chosen or "no figure"
    if decision.answer is None:
        return (
            f"the default has held since {at} ({holds}); "
            f"`desk rerun {decision.conflict.market}` researches the market and asks again"
        )
    return f"decided already by {decision.answer.by} at {at}: {holds} holds"


def words_of(position: Position) -> str:
    """Describes a position briefly: its figure, its agent and its source."""
    return f"{position.stated} ({position.agent}, {position.source})"


def _choices(request: EscalationRequest) -> str:
    listed = ", ".join(
        f"{place} = {words_of(position)}"
        for place, position in enumerate(request.conflict.positions)
    )
    return f"the positions, counted from 0, are {listed}; null withholds the figure"


def _claims_of(conflict: ConflictRecord, outcomes: Sequence[MarketOutcome]) -> Iterator[Claim]:
    """Yields the claim of each position, in their order, then those that they are derived from."""
    known = [stand for outcome in outcomes for stand in _agent_claims(outcome)]
    inputs: list[str] = []
    for position in conflict.positions:
        held = [stand for stand in known if _is_stated_in(position, stand.claim)]
        own = next((s for s in held if s.agent is position.agent), held[0] if held else None)
        if own is not None:
            inputs += own.claim.inputs
            yield own.claim
    yield from dict.fromkeys(s.claim for s in known if s.claim.claim_id in inputs)


def _evidence_of(
    claims: Sequence[Claim], outcomes: Sequence[MarketOutcome]
) -> Iterator[ToolResult]:
    wanted = set(_rests_on(claims, claims))
    seen: set[str] = set()
    for outcome in outcomes:
        for result in outcome.evidence:
            if result.evidence_id in wanted and result.evidence_id not in seen:
                seen.add(result.evidence_id)
                yield result


def _agent_claims(outcome: MarketOutcome) -> Iterator[_AgentClaim]:
    for result in outcome.results:
        yield from (_AgentClaim(result.agent, claim) for claim in result.claims)
    if outcome.validation is not None:
        checks = outcome.validation.checks
        yield from (_AgentClaim(outcome.validation.agent, claim) for claim in checks)


def _rests_on(claims: Iterable[Claim], known: Iterable[Claim]) -> Iterator[str]:
    inputs = {name for claim in claims for name in claim.inputs}
    for claim in (*claims, *(claim for claim in known if claim.claim_id in inputs)):
        yield from claim.evidence


def _is_stated_in(position: Position, claim: Claim) -> bool:
    return position.claim_id == claim.claim_id and position.stated in (
        state(claim.value, claim.unit),
        state_on(claim),
    )
