"""Outcomes of policy-rate areas for tests of the report."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import EventType, Impact, MarketEvent, ResearchResult
from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    PolicyRate,
    PolicyRates,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
)
from desk.contracts.markets import MarketGroup
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.trust.claims.rate_claims import decision_claims, differential_claim, policy_rate_claims
from desk.trust.ledger.evidence import attributed
from tests.support.documents.report_outcomes import (
    AS_OF,
    BANKS,
    LAST_FIXING,
    WEEK,
    contribution,
    evidence,
    rate_spec,
    verdict,
)

BANK_NAMES = {
    "US": "Federal Reserve",
    "JP": "Bank of Japan",
    "GB": "Bank of England",
    "KR": "Bank of Korea",
}
BASE = PolicyRate(
    area="US",
    bank=BANK_NAMES["US"],
    instrument="midpoint of the target range",
    rate=Decimal("3.875"),
    low=Decimal("3.75"),
    high=Decimal("4.00"),
    since=date(2026, 9, 16),
    covered_until=LAST_FIXING,
)


def rate_outcome(
    area: str,
    rate: str,
    *,
    since: date,
    decided: tuple[date, str] | None = None,
    ahead: date | None = None,
    stale: bool = False,
) -> MarketOutcome:
    """The outcome of an area: its rate, a decision in the window and one ahead, and what the rate
    differs from that of the United States."""
    bank = BANK_NAMES[area]
    fact = PolicyRate(
        area=area,
        bank=bank,
        instrument="policy rate",
        rate=Decimal(rate),
        since=since,
        covered_until=date(2026, 8, 31) if stale else LAST_FIXING,
        stale=stale,
    )
    facts = (BASE,) if area == BASE.area else (fact, BASE)
    asked = tuple(each.area for each in facts)
    rates = evidence(
        area, "get_policy_rate", PolicyRates(as_of=AS_OF, source=BANKS, rates=facts), *asked
    )
    made = (_decision(area, *decided, rate),) if decided else ()
    decisions = evidence(
        area, "get_rate_decisions", RateDecisions(as_of=AS_OF, source=BANKS, decisions=made)
    )
    calendar = evidence(
        area,
        "get_decision_calendar",
        DecisionCalendar(as_of=AS_OF, source=BANKS, scheduled=_scheduled(area, bank, ahead)),
    )
    result = _result(area, facts, made, (rates, decisions, calendar), decided)
    return MarketOutcome(
        market=area,
        outcome=Outcome.RESEARCHED,
        results=(result,),
        validation=verdict(result),
        evidence=(rates, decisions, calendar),
        agents=(
            contribution(AgentId.RESEARCH_AGENT_2, TaskType.RESEARCH_RATES),
            contribution(AgentId.VALIDATOR, TaskType.VALIDATE),
        ),
    )


def _result(
    area: str,
    facts: tuple[PolicyRate, ...],
    made: tuple[RateDecision, ...],
    answers: tuple[ToolResult, ToolResult, ToolResult],
    decided: tuple[date, str] | None,
) -> ResearchResult:
    rates, decisions, _ = answers
    standing = policy_rate_claims(facts, AS_OF.date(), rates.evidence_id)
    differential = differential_claim(rate_spec(area, MarketGroup.G10), BASE.area, standing)
    return ResearchResult(
        result_id=f"{area}/rates",
        task_id=f"{WEEK}/{area}/research_rates",
        agent=AgentId.RESEARCH_AGENT_2,
        market=area,
        claims=(
            *standing,
            *decision_claims(made, decisions.evidence_id),
            *((differential,) if differential else ()),
        ),
        events=(decision_event(area, BANK_NAMES[area], *decided),) if decided else (),
        sources=tuple(attributed(found, BANKS) for found in answers),
        confidence=0.9,
    )


def decision_event(area: str, bank: str, day: date, change: str) -> MarketEvent:
    """A decision in the window, as the research describes it."""
    at = day.isoformat()
    held = Decimal(change).is_zero()
    words = (
        "left its policy rate"
        if held
        else f"moved its policy rate [[{area}:decision_change@{at}]],"
    )
    return MarketEvent(
        event_id=f"{area}:decision@{at}",
        event_type=EventType.RATE_DECISION,
        market=area,
        area=area,
        central_bank=bank,
        event_date=day,
        description=f"{bank} {words} at [[{area}:decision_rate@{at}]].",
        impact=Impact.MEDIUM if held else Impact.HIGH,
        claims=(f"{area}:decision_change@{at}", f"{area}:decision_rate@{at}"),
        confidence=0.95,
    )


def _decision(area: str, day: date, change: str, rate: str) -> RateDecision:
    return RateDecision(
        area=area,
        bank=BANK_NAMES[area],
        decided_on=day,
        precision=DatePrecision.DAY,
        known_from=datetime(day.year, day.month, day.day, 20, tzinfo=UTC),
        rate=Decimal(rate),
        change=Decimal(change),
        instrument="policy rate",
        source="the bank's announcement",
    )


def _scheduled(area: str, bank: str, ahead: date | None) -> tuple[ScheduledDecision, ...]:
    if ahead is None:
        return ()
    return (
        ScheduledDecision(
            area=area,
            bank=bank,
            day=ahead,
            announced_at_local=time(14, 0) if area == "US" else None,
            time_zone="America/New_York" if area == "US" else None,
            source="the bank's calendar",
        ),
    )
