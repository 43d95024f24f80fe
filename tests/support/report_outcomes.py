"""Outcomes of markets for tests of the report, with figures worked out from made-up fixings."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from statistics import mean, pstdev

from contracts.claims import Claim, Metric, Unit, claim_id
from contracts.markets import MarketGroup, MarketKind, MarketSpec
from contracts.names import AgentId
from contracts.report import Contribution, MarketOutcome
from contracts.results import (
    ConflictKind,
    ConflictRecord,
    EventType,
    Impact,
    MarketEvent,
    Position,
    ResearchResult,
    SuspectFixing,
    ValidationIssue,
    ValidationResult,
)
from contracts.search_attributes import Outcome
from contracts.source_results import (
    DecisionCalendar,
    History,
    PolicyRate,
    PolicyRates,
    Provenance,
    ScheduledDecision,
)
from contracts.tasks import TaskType
from contracts.tools import DataSource, SourceTier, ToolCall, ToolResult, ToolStatus
from contracts.weeks import TimeWindow

WEEK = "2026-W38"
AS_OF = datetime(2026, 9, 21, 6, 0, tzinfo=UTC)
WINDOW = TimeWindow(
    start=datetime(2026, 9, 12, 23, 0, tzinfo=UTC), end=AS_OF, time_zone="Europe/London"
)
STARTED_AT = datetime(2026, 9, 21, 6, 0, 0, tzinfo=UTC)
FINISHED_AT = datetime(2026, 9, 21, 6, 0, 7, 400_000, tzinfo=UTC)
LAST_FIXING = date(2026, 9, 18)
DAYS_A_WEEK = 5

ECB = Provenance(
    name="European Central Bank, euro reference rates",
    tier=SourceTier.AUTHORITATIVE,
    url="https://www.ecb.europa.eu/stats/eurofxref/",
)
BANKS = Provenance(
    name="Central banks' announcements, the desk's table of decisions",
    tier=SourceTier.PRIMARY,
    url="https://www.bis.org/statistics/cbpol.htm",
)
BANK_NAMES = {
    "US": "Federal Reserve",
    "JP": "Bank of Japan",
    "GB": "Bank of England",
    "KR": "Bank of Korea",
}


def weekdays_until(last: date, count: int) -> tuple[date, ...]:
    """The last `count` weekdays up to a day, oldest first."""
    days: list[date] = []
    day = last
    while len(days) < count:
        if day.weekday() < DAYS_A_WEEK:
            days.append(day)
        day -= timedelta(days=1)
    return tuple(reversed(days))


def made_up_history(market: str, level: float, digits: int, phase: float) -> History:
    """A year of smooth fixings around a level, different for each phase."""
    days = weekdays_until(LAST_FIXING, 262)
    quantum = Decimal(1).scaleb(-digits)
    values = tuple(
        Decimal(level * (1 + 0.03 * math.sin(i / 31 + phase) + 0.004 * math.sin(i * 1.7)))
        for i in range(len(days))
    )
    fixings = tuple(value.quantize(quantum) for value in values)
    return History(symbol=market, days=days, values=fixings, as_of=AS_OF, source=ECB)


def pair_spec(market: str, group: MarketGroup, *areas: str, digits: int = 4) -> MarketSpec:
    """A pair as the configuration describes it."""
    return MarketSpec(market=market, kind=MarketKind.PAIR, group=group, areas=areas, digits=digits)


def rate_spec(area: str, group: MarketGroup) -> MarketSpec:
    """A policy-rate area as the configuration describes it."""
    return MarketSpec(market=area, kind=MarketKind.POLICY_RATE, group=group, areas=(area,))


def evidence(
    market: str, tool: str, content: History | PolicyRates | DecisionCalendar
) -> ToolResult:
    """A tool's answer as evidence, with an id of its own."""
    call = ToolCall(
        call_id=f"{market}/{tool}",
        server="ecb" if isinstance(content, History) else "central_banks",
        tool=tool,
        arguments={"symbol": market} if isinstance(content, History) else {"areas": [market]},
    )
    answered = content.model_dump(mode="json")
    return ToolResult(call=call, status=ToolStatus.OK, content=answered, retrieved_at=STARTED_AT)


def source_of(result: ToolResult, provenance: Provenance) -> DataSource:
    """A source as a research result lists it."""
    return DataSource(
        server=result.call.server,
        tool=result.call.tool,
        arguments=result.call.arguments,
        name=provenance.name,
        tier=provenance.tier,
        url=provenance.url,
        retrieved_at=result.retrieved_at,
        evidence_id=result.evidence_id,
    )


def pair_claims(history: History, evidence_id: str, window: TimeWindow = WINDOW) -> list[Claim]:
    """The figures of a pair, worked out from its fixings."""
    values, days = history.values, history.days
    inside = [i for i, day in enumerate(days) if window.start.date() < day]
    before = inside[0] - 1
    moves = [float(values[i] / values[i - 5] - 1) for i in range(5, len(values), 5)]
    move = values[-1] / values[before] - 1
    z_score = (float(move) - mean(moves)) / (pstdev(moves) or 1)
    low, high = min(values), max(values)
    rows = (
        (Metric.LAST, values[-1], Unit.LEVEL, days[-1]),
        (Metric.PREVIOUS, values[before], Unit.LEVEL, days[before]),
        (Metric.MOVE, round(move * 100, 2), Unit.PERCENT, days[-1]),
        (Metric.WINDOW_HIGH, max(values[i] for i in inside), Unit.LEVEL, days[-1]),
        (Metric.WINDOW_LOW, min(values[i] for i in inside), Unit.LEVEL, days[-1]),
        (Metric.Z_SCORE, Decimal(f"{z_score:.1f}"), Unit.STANDARD_DEVIATIONS, days[-1]),
        (Metric.YEAR_HIGH, high, Unit.LEVEL, days[-1]),
        (Metric.YEAR_LOW, low, Unit.LEVEL, days[-1]),
        (
            Metric.RANGE_POSITION,
            round((values[-1] - low) / (high - low) * 100),
            Unit.PERCENT,
            days[-1],
        ),
    )
    return [
        Claim(
            claim_id=claim_id(history.symbol, metric),
            subject=history.symbol,
            metric=metric,
            value=Decimal(value),
            unit=unit,
            as_of=day,
            evidence=(evidence_id,),
            formula=None if metric in {Metric.LAST, Metric.PREVIOUS} else str(metric),
        )
        for metric, value, unit, day in rows
    ]


def contribution(agent: AgentId, task: TaskType, error: str | None = None) -> Contribution:
    """What became of an agent's task; with an error, it was not delivered."""
    return Contribution(
        agent=agent, task_type=task, delivered=error is None, turns=2, tool_calls=1, error=error
    )


def pair_outcome(
    history: History,
    *,
    outcome: Outcome = Outcome.RESEARCHED,
    missing: Sequence[str] = (),
    events: Sequence[MarketEvent] = (),
    suspects: Sequence[SuspectFixing] = (),
    warnings: Sequence[str] = (),
) -> MarketOutcome:
    """The outcome of a pair with its figures, one event about its move, and those given."""
    market = history.symbol
    found = evidence(market, "get_historical", history)
    move = MarketEvent(
        event_id=f"{market}:move",
        event_type=EventType.FX_MOVEMENT,
        market=market,
        currency_pair=market,
        event_date=history.days[-1],
        description=f"{market} moved [[{market}:move]] ([[{market}:z_score]]) over the window, "
        f"to [[{market}:last]].",
        impact=Impact.MEDIUM,
        claims=(f"{market}:move", f"{market}:z_score", f"{market}:last"),
        source_url=ECB.url,
        confidence=0.95,
    )
    result = ResearchResult(
        result_id=f"{market}/prices",
        task_id=f"{WEEK}/{market}/research_fx",
        agent=AgentId.RESEARCH_AGENT_1,
        market=market,
        claims=tuple(pair_claims(history, found.evidence_id)),
        events=(move, *events),
        sources=(source_of(found, ECB),),
        suspects=tuple(suspects),
        warnings=tuple(warnings),
        confidence=0.95,
    )
    lacking = missing[0] if missing else None
    return MarketOutcome(
        market=market,
        outcome=outcome,
        results=(result,),
        validation=verdict(result),
        evidence=(found,),
        agents=(
            contribution(AgentId.RESEARCH_AGENT_1, TaskType.RESEARCH_FX),
            contribution(AgentId.RESEARCH_AGENT_2, TaskType.RESEARCH_RATES, lacking),
            contribution(AgentId.VALIDATOR, TaskType.VALIDATE),
        ),
        missing=tuple(missing),
    )


def verdict(result: ResearchResult, *issues: ValidationIssue) -> ValidationResult:
    """A validation that verifies every event of a research result."""
    return ValidationResult(
        validation_id=f"{result.market}/verdict",
        task_id=f"{WEEK}/{result.market}/validate",
        agent=AgentId.VALIDATOR,
        market=result.market,
        research_results=(result.result_id,),
        issues=issues,
        verified_events=tuple(event.event_id for event in result.events),
        recommendation="Publish.",
        confidence=0.9,
    )


def rate_claim(area: str, metric: Metric, value: str, found: str, day: date | None = None) -> Claim:
    """A figure about a policy rate: a rate in percent a year, or a change in basis points."""
    rates = {Metric.POLICY_RATE, Metric.DECISION_RATE}
    return Claim(
        claim_id=claim_id(area, metric, day),
        subject=area,
        metric=metric,
        value=Decimal(value),
        unit=Unit.PERCENT_A_YEAR if metric in rates else Unit.BASIS_POINTS,
        as_of=day or LAST_FIXING,
        evidence=(found,),
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


def rate_outcome(
    area: str,
    bank: str,
    rate: str,
    *,
    since: date,
    differential: str | None = None,
    decided: tuple[date, str] | None = None,
    ahead: date | None = None,
    stale: bool = False,
    midpoint: bool = False,
) -> MarketOutcome:
    """The outcome of a policy-rate area: its rate, a decision in the window and one ahead."""
    fact = PolicyRate(
        area=area,
        bank=bank,
        instrument="policy rate",
        rate=Decimal(rate),
        low=Decimal(rate) - Decimal("0.125") if midpoint else None,
        high=Decimal(rate) + Decimal("0.125") if midpoint else None,
        since=since,
        covered_until=date(2026, 8, 31) if stale else LAST_FIXING,
        stale=stale,
    )
    rates = evidence(area, "get_policy_rate", PolicyRates(as_of=AS_OF, source=BANKS, rates=(fact,)))
    calendar = evidence(
        area,
        "get_decision_calendar",
        DecisionCalendar(as_of=AS_OF, source=BANKS, scheduled=_scheduled(area, bank, ahead)),
    )
    claims = [rate_claim(area, Metric.POLICY_RATE, rate, rates.evidence_id)]
    if differential is not None:
        claims.append(rate_claim(area, Metric.DIFFERENTIAL, differential, rates.evidence_id))
    if decided:
        day, change = decided
        claims.append(rate_claim(area, Metric.DECISION_RATE, rate, rates.evidence_id, day))
        claims.append(rate_claim(area, Metric.DECISION_CHANGE, change, rates.evidence_id, day))
    result = ResearchResult(
        result_id=f"{area}/rates",
        task_id=f"{WEEK}/{area}/research_rates",
        agent=AgentId.RESEARCH_AGENT_2,
        market=area,
        claims=tuple(claims),
        events=(decision_event(area, bank, *decided),) if decided else (),
        sources=(source_of(rates, BANKS), source_of(calendar, BANKS)),
        confidence=0.9,
    )
    return MarketOutcome(
        market=area,
        outcome=Outcome.RESEARCHED,
        results=(result,),
        validation=verdict(result),
        evidence=(rates, calendar),
        agents=(
            contribution(AgentId.RESEARCH_AGENT_2, TaskType.RESEARCH_RATES),
            contribution(AgentId.VALIDATOR, TaskType.VALIDATE),
        ),
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


def empty_outcome(market: str, outcome: Outcome, *missing: str, letter: str = "") -> MarketOutcome:
    """The outcome of a market with nothing to print, and why."""
    return MarketOutcome(
        market=market,
        outcome=outcome,
        missing=missing,
        dead_letters=(letter,) if letter else (),
        agents=(contribution(AgentId.RESEARCH_AGENT_1, TaskType.RESEARCH_FX, missing[0]),),
    )


def conflict(market: str, *, resolved: bool) -> ConflictRecord:
    """Two analysts who state different levels."""
    return ConflictRecord(
        conflict_id=f"{market}/level",
        market=market,
        kind=ConflictKind.LEVEL,
        positions=tuple(
            Position(
                agent=agent,
                claim_id=f"{market}:last",
                stated=stated,
                source=source,
                confidence=0.8,
            )
            for agent, stated, source in (
                (AgentId.RESEARCH_AGENT_1, "83.1200", ECB.name),
                (AgentId.RESEARCH_AGENT_2, "83.4500", "a newspaper"),
            )
        ),
        resolution=f"The authoritative source is taken: [[{market}:last]].",
        resolved=resolved,
    )
