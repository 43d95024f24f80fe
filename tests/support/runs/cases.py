"""A case for a person, made by hand."""

from datetime import datetime, timedelta

from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.escalations import EscalationRequest
from desk.contracts.findings.results import ConflictKind, ConflictRecord, Position
from desk.contracts.names import AgentId
from tests.support.builders import claim

WORKFLOW_ID = "weekly-2026-W44/market/USD/JPY/escalation/USD/JPY/conflict/USD/JPY:last"


def open_conflict() -> ConflictRecord:
    """Two agents on the last fixing of USD/JPY: one sure, with the central bank; one not."""
    return ConflictRecord(
        conflict_id="USD/JPY/conflict/USD/JPY:last",
        market="USD/JPY",
        kind=ConflictKind.LEVEL,
        positions=(
            Position(
                agent=AgentId.RESEARCH_AGENT_1,
                claim_id="USD/JPY:last",
                stated="157.25",
                source="ECB euro reference rates",
                origin="European Central Bank",
                tier=SourceTier.AUTHORITATIVE,
                confidence=0.9,
                weight=0.9,
            ),
            Position(
                agent=AgentId.RESEARCH_AGENT_2,
                claim_id="USD/JPY:last",
                stated="151.1",
                source="A | newspaper",
                tier=SourceTier.SECONDARY,
                confidence=0.2,
                weight=0.1,
            ),
        ),
        spread=0.7,
        resolution="The confidences lie too far apart for a vote: a person must decide.",
        resolved=False,
    )


def case(now: datetime, *, default: int | None = 0, minutes: int = 20) -> EscalationRequest:
    """The case, open for some minutes, with a reminder half way."""
    quote = ToolCall(
        call_id="test/evidence", server="ecb", tool="get_quote", arguments={"symbol": "USD/JPY"}
    )
    return EscalationRequest(
        week="2026-W44",
        market="USD/JPY",
        conflict=open_conflict(),
        claims=(claim("USD/JPY", Metric.LAST, "157.25"), claim("USD/JPY", Metric.LAST, "151.10")),
        evidence=(
            ToolResult(
                call=quote,
                status=ToolStatus.OK,
                content={"value": "157.25"},
                retrieved_at=now,
            ),
        ),
        default=default,
        remind_at=now + timedelta(minutes=minutes) / 2,
        deadline=now + timedelta(minutes=minutes),
    )
