"""Cases for people: the list, one case with its evidence, a decision."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.escalations import (
    EscalationDecision,
    EscalationListing,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.findings.results import Position
from desk.documents.rendering.wording import one_line
from desk.runs.escalations import claims_at, evidence_at

LONGEST_ARGUMENTS = 160


def listing_lines(listed: EscalationListing, now: datetime) -> Iterator[str]:
    """A case in the list."""
    status = listed.status
    request = status.request
    yield f"{request.week}  {request.market}  {request.conflict.kind}  {_standing(status, now)}"
    yield f"  id       {listed.workflow_id}"
    for number, position in enumerate(request.conflict.positions, start=1):
        yield f"  {number}        {_held(position)}"


def case_lines(listed: EscalationListing, now: datetime) -> Iterator[str]:
    """A case with everything that is known about it."""
    status = listed.status
    request = status.request
    yield f"{request.week}  {request.market}  {request.conflict.kind}  {_standing(status, now)}"
    yield f"id       {listed.workflow_id}"
    yield f"case     {one_line(request.conflict.resolution)}"
    for number, position in enumerate(request.conflict.positions, start=1):
        yield ""
        yield f"{number}  {_held(position)}"
        yield f"   {_weight(position)}"
        for claim in claims_at(request, position):
            yield f"   claim     {_claim(claim)}"
        for result in evidence_at(request, position):
            yield f"   evidence  {_evidence(result)}"
    yield ""
    yield f"default  {default_of(status)}"
    yield f"deadline {request.deadline:%Y-%m-%d %H:%M:%S} UTC"
    if status.reminded:
        yield "reminded yes"
    if status.decision is not None:
        yield from decision_lines(status.decision)
    elif status.state is EscalationState.OPEN:
        yield f"answer   desk escalations resolve {listed.workflow_id} --choose N --by NAME"


def decision_lines(decision: EscalationDecision) -> Iterator[str]:
    """How a case ended."""
    conflict = decision.conflict
    at = f"{decision.decided_at:%Y-%m-%d %H:%M:%S} UTC"
    if decision.answer is None:
        who = f"nobody: {decision.note}" if decision.note else "nobody"
    else:
        who = one_line(decision.answer.by)
    yield f"decided  {at} by {who}"
    yield f"holds    {conflict.chosen or 'none: the figure is withheld'}"
    if decision.answer is not None and decision.answer.note:
        yield f"note     {one_line(decision.answer.note)}"


def position_list(status: EscalationStatus) -> str:
    """The positions of a case in one line, counted from 1."""
    positions = enumerate(status.request.conflict.positions, start=1)
    return "; ".join(f"{number}: {_held(position)}" for number, position in positions)


def default_of(status: EscalationStatus) -> str:
    """What holds when nobody answers."""
    place = status.request.default
    if place is None:
        return "none: the figure is withheld"
    return f"{place + 1}  {_held(status.request.conflict.positions[place])}"


def _standing(status: EscalationStatus, now: datetime) -> str:
    if status.decision is not None:
        conflict = status.decision.conflict
        return f"{status.state}: {conflict.chosen or 'withheld'}"
    if status.state is EscalationState.ENDED:
        return "ended from outside; the default holds"
    left = status.request.deadline - now
    if left <= timedelta(0):
        return "open, its deadline has passed"
    return f"open, {_span(left)} left" + (", reminded" if status.reminded else "")


def _held(position: Position) -> str:
    return f"{one_line(position.stated)}  {position.agent}, {one_line(position.source)}"


def _weight(position: Position) -> str:
    weight = "abstains" if position.abstains else f"weight {position.weight:.2f}"
    origin = f"origin {one_line(position.origin)}, " if position.origin else ""
    return f"{origin}{position.tier} source, confidence {position.confidence:.2f}, {weight}"


def _claim(claim: Claim) -> str:
    derived = f" = {claim.formula}" if claim.formula else ""
    inputs = f" of {', '.join(claim.inputs)}" if claim.inputs else ""
    return f"{claim.claim_id} {claim.value} {claim.unit} on {claim.as_of}{derived}{inputs}"


def _evidence(result: ToolResult) -> str:
    call = result.call
    arguments = json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)
    when = f", {result.retrieved_at:%Y-%m-%d %H:%M:%S} UTC" if result.retrieved_at else ""
    return one_line(f"{call.server}.{call.tool} {arguments[:LONGEST_ARGUMENTS]}{when}")


def _span(left: timedelta) -> str:
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"
