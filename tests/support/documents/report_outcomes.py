"""Outcomes of pairs for tests of the report, with the figures that follow from made-up fixings."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from pydantic import JsonValue

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import CallPlace, SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    SuspectFixing,
    ValidationIssue,
    ValidationResult,
    View,
    ViewKind,
)
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    History,
    MonthAverage,
    MonthAverages,
    PolicyRates,
    Provenance,
    RateDecisions,
    SourceResult,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.price_claims import price_claims
from desk.trust.ledger.evidence import attributed
from desk.trust.seals import content_hash

WEEK = "2026-W38"
AS_OF = datetime(2026, 9, 21, 6, 0, tzinfo=UTC)
WINDOW = TimeWindow(
    start=datetime(2026, 9, 12, 23, 0, tzinfo=UTC), end=AS_OF, time_zone="Europe/London"
)
STARTED_AT = datetime(2026, 9, 21, 6, 0, 0, tzinfo=UTC)
FINISHED_AT = datetime(2026, 9, 21, 6, 0, 7, 400_000, tzinfo=UTC)
LAST_FIXING = date(2026, 9, 18)
DAYS_A_WEEK = 5
A_YEAR = 262
HISTORY = 290
"""Weekdays: enough for the 52 weeks before the window that a score is taken against."""

ECB = Provenance(
    name="European Central Bank, euro reference rates",
    tier=SourceTier.AUTHORITATIVE,
    origin="European Central Bank",
    url="https://www.ecb.europa.eu/stats/eurofxref/",
)
BANKS = Provenance(
    name="Central banks' announcements, the desk's table of decisions",
    tier=SourceTier.PRIMARY,
    url="https://www.bis.org/statistics/cbpol.htm",
)
BOARD = Provenance(
    name="Foreign exchange rates, H.10",
    tier=SourceTier.AUTHORITATIVE,
    origin="Federal Reserve Board",
    url="https://www.federalreserve.gov/releases/h10/",
)
PRESS = Provenance(name="a newspaper", tier=SourceTier.SECONDARY)
SERVERS: dict[type[object], str] = {
    History: "ecb",
    MonthAverages: "official_statistics",
    PolicyRates: "central_banks",
    RateDecisions: "central_banks",
    DecisionCalendar: "central_banks",
    dict: "newswire",
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
    """Fifty-eight weeks of smooth fixings around a level, different for each phase."""
    days = weekdays_until(LAST_FIXING, HISTORY)
    quantum = Decimal(1).scaleb(-digits)
    fixings = tuple(
        Decimal(level * (1 + 0.03 * math.sin(i / 31 + phase) + 0.004 * math.sin(i * 1.7)))
        for i in range(A_YEAR - HISTORY, A_YEAR)
    )
    values = tuple(value.quantize(quantum) for value in fixings)
    return History(symbol=market, days=days, values=values, as_of=AS_OF, source=ECB)


def with_leap(history: History, day: date) -> History:
    """The history with a fixing that leaps by a fifth and comes straight back."""
    values = tuple(
        (value * Decimal("1.2")).quantize(value) if fixed_on == day else value
        for fixed_on, value in zip(history.days, history.values, strict=True)
    )
    return history.model_copy(update={"values": values})


def pair_spec(market: str, group: MarketGroup, *areas: str, digits: int = 4) -> MarketSpec:
    """A pair as the configuration describes it."""
    return MarketSpec(market=market, kind=MarketKind.PAIR, group=group, areas=areas, digits=digits)


def rate_spec(area: str, group: MarketGroup) -> MarketSpec:
    """A policy-rate area as the configuration describes it."""
    return MarketSpec(market=area, kind=MarketKind.POLICY_RATE, group=group, areas=(area,))


def evidence(
    market: str, tool: str, content: SourceResult | dict[str, JsonValue], *areas: str
) -> ToolResult:
    """A tool's answer as evidence, with an id and a place of its own."""
    prices = isinstance(content, History | MonthAverages)
    answered = content.model_dump(mode="json") if isinstance(content, SourceResult) else content
    return ToolResult(
        call=ToolCall(
            call_id=f"{market}/{tool}",
            server=SERVERS[type(content)],
            tool=tool,
            arguments={"symbol": market} if prices else {"areas": [*(areas or (market,))]},
        ),
        status=ToolStatus.OK,
        content=answered,
        retrieved_at=STARTED_AT,
        content_hash=content_hash(answered),
        place=CallPlace(
            workflow_id=f"weekly-{WEEK}/market/{market}",
            run_id="run-1",
            activity_id=f"agent.t1.{tool}",
        ),
    )


def pair_claims(
    history: History, evidence_id: str, window: TimeWindow = WINDOW
) -> tuple[Claim, ...]:
    """The figures of a pair, as they follow from its fixings."""
    digits = -int(history.values[-1].as_tuple().exponent)
    spec = pair_spec(history.symbol, MarketGroup.G10, digits=digits)
    view = view_prices(Fixings.of(history), *window_days(window))
    return price_claims(view, spec, evidence_id) if view else ()


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
    suspects: Sequence[SuspectFixing] = (),
    warnings: Sequence[str] = (),
) -> MarketOutcome:
    """The outcome of a pair with its figures and one event about its move."""
    market = history.symbol
    found = evidence(market, "get_historical", history)
    result = ResearchResult(
        result_id=f"{market}/prices",
        task_id=f"{WEEK}/{market}/research_fx",
        agent=AgentId.RESEARCH_AGENT_1,
        market=market,
        claims=pair_claims(history, found.evidence_id),
        events=(_move(history),),
        views=(direction(market, Leaning.DOWN),),
        sources=(attributed(found, ECB),),
        suspects=tuple(suspects),
        warnings=tuple(warnings),
        confidence=0.95,
    )
    lacking = missing[0] if missing else None
    compared = month_averages(market, history)
    return MarketOutcome(
        market=market,
        outcome=outcome,
        results=(result,),
        validation=verdict(result, compared=compared),
        evidence=(found, compared),
        agents=(
            contribution(AgentId.RESEARCH_AGENT_1, TaskType.RESEARCH_FX),
            contribution(AgentId.RESEARCH_AGENT_2, TaskType.RESEARCH_RATES, lacking),
            contribution(AgentId.VALIDATOR, TaskType.VALIDATE),
        ),
        missing=tuple(missing),
    )


def _move(history: History) -> MarketEvent:
    market = history.symbol
    return MarketEvent(
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


def direction(market: str, leaning: Leaning, confidence: float = 0.9) -> View:
    """An agent's view of where a pair is going, on the strength of its move."""
    return View(
        subject=market,
        kind=ViewKind.DIRECTION,
        leaning=leaning,
        confidence=confidence,
        claims=(f"{market}:move",),
    )


def month_averages(market: str, history: History) -> ToolResult:
    """What the validator asked a source of another origin."""
    average = MonthAverage(month="2026-08", value=history.values[-20], known_from=AS_OF)
    answer = MonthAverages(symbol=market, as_of=AS_OF, source=BOARD, averages=(average,))
    return evidence(market, "get_month_averages", answer)


def in_the_press(outcome: MarketOutcome, level: str) -> MarketOutcome:
    """The outcome with a second analyst's result, who read another level in a newspaper."""
    market = outcome.market
    found = evidence(market, "search_news", {"text": f"{market} was seen at {level}."})
    claim = Claim(
        claim_id=claim_id(market, Metric.LAST),
        subject=market,
        metric=Metric.LAST,
        value=Decimal(level),
        unit=Unit.LEVEL,
        as_of=LAST_FIXING,
        evidence=(found.evidence_id,),
    )
    read = ResearchResult(
        result_id=f"{market}/press",
        task_id=f"{WEEK}/{market}/research_rates",
        agent=AgentId.RESEARCH_AGENT_2,
        market=market,
        claims=(claim,),
        sources=(attributed(found, PRESS),),
        confidence=0.6,
    )
    return outcome.model_copy(
        update={"results": (*outcome.results, read), "evidence": (*outcome.evidence, found)}
    )


def verdict(
    result: ResearchResult, *issues: ValidationIssue, compared: ToolResult | None = None
) -> ValidationResult:
    """A validation that verifies every event of a research result.

    `last` and what was read from the same series is confirmed by what it was compared with.
    """
    return ValidationResult(
        validation_id=f"{result.market}/verdict",
        task_id=f"{WEEK}/{result.market}/validate",
        agent=AgentId.VALIDATOR,
        market=result.market,
        research_results=(result.result_id,),
        verdicts=tuple(_claim_verdict(claim, compared) for claim in result.claims),
        issues=issues,
        verified_events=tuple(event.event_id for event in result.events),
        authoritative_sources=(attributed(compared, BOARD),) if compared else (),
        recommendation="Publish.",
        confidence=0.9,
    )


def _claim_verdict(claim: Claim, compared: ToolResult | None) -> ClaimVerdict:
    if compared is None:
        return ClaimVerdict(
            claim_id=claim.claim_id,
            status=ClaimStatus.SINGLE_SOURCE,
            decided_by=ClaimCheck.EVIDENCE,
            words="It follows from its evidence, and no other source was there to ask.",
        )
    return ClaimVerdict(
        claim_id=claim.claim_id,
        status=ClaimStatus.VERIFIED,
        decided_by=ClaimCheck.SERIES,
        words="The series agrees with that of the Federal Reserve Board.",
        origins=("European Central Bank", "Federal Reserve Board"),
        evidence=(compared.evidence_id,),
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
