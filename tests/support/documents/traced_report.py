"""A small report put together by hand, with evidence, verdicts, a conflict and changes.

Two markets: USD/JPY, whose figures are read from a history and derived from it, and JP, whose
decision was contested. Its figures are few enough to be followed by eye.
"""

from datetime import UTC, date, datetime
from decimal import Decimal

from pydantic import JsonValue

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import (
    CallPlace,
    DataSource,
    SourceTier,
    ToolCall,
    ToolResult,
    ToolStatus,
)
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    EventType,
    Impact,
    Position,
)
from desk.contracts.findings.verdicts import (
    ClaimCheck,
    ClaimStatus,
    ClaimVerdict,
    CrossCheck,
    CrossCheckKind,
    DroppedSentence,
)
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.week.changes import Change, ChangeKind, Changes
from desk.contracts.week.report import (
    CalendarRow,
    Contribution,
    Coverage,
    MarketReport,
    Mover,
    RateRow,
    ReportedEvent,
    ResearchReport,
    Revision,
    RevisionKind,
    Sentence,
    Timings,
)
from desk.contracts.weeks import TimeWindow
from desk.trust.seals import content_hash, sealed

WEEK = "2026-W44"
AS_OF = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
ASKED_AT = datetime(2026, 11, 2, 7, 0, 3, tzinfo=UTC)
FRIDAY = date(2026, 10, 30)
DAYS = (date(2026, 10, 22), date(2026, 10, 23), date(2026, 10, 27), FRIDAY)
VALUES = ("156.20", "156.80", "158.06", "157.25")
DECIDED_ON = date(2026, 10, 29)
HISTORY, AVERAGES = "USD/JPY/research_fx/get_historical", "USD/JPY/validate/get_month_averages"
DECISIONS = "JP/research_rates/get_rate_decisions"
ECB_NAME = "ECB euro foreign exchange reference rates"
ECB_URL = "https://www.ecb.europa.eu/stats/"
MOVE = "USD/JPY:move"
CHANGE = f"JP:decision_change@{DECIDED_ON}"
WITHHELD = f"JP:decision_rate@{DECIDED_ON}"
CHANGES_THERE = 14


def evidence(call_id: str, server: str, content: JsonValue, **arguments: JsonValue) -> ToolResult:
    """A tool's answer with its place in Temporal's history."""
    market, _, tool = call_id.rpartition("/")
    return ToolResult(
        call=ToolCall(call_id=call_id, server=server, tool=tool, arguments=arguments),
        status=ToolStatus.OK,
        content=content,
        retrieved_at=ASKED_AT,
        content_hash=content_hash(content),
        place=CallPlace(
            workflow_id=f"weekly-{WEEK}/market/{market.rpartition('/')[0]}",
            run_id="0199-run-of-the-market",
            activity_id=tool,
            event_id=17,
        ),
    )


def all_evidence() -> tuple[ToolResult, ...]:
    """A history, the averages that it was checked with, and a decision."""
    ecb: JsonValue = {"name": ECB_NAME, "tier": "authoritative", "url": ECB_URL}
    history: JsonValue = {
        "as_of": AS_OF.isoformat(),
        "source": ecb,
        "symbol": "USD/JPY",
        "days": [day.isoformat() for day in DAYS],
        "values": list(VALUES),
    }
    averages: JsonValue = {
        "as_of": AS_OF.isoformat(),
        "source": {"name": "Federal Reserve H.10", "tier": "authoritative"},
        "symbol": "USD/JPY",
        "averages": [{"month": "2026-09", "value": "155.91", "known_from": "2026-10-05T20:15:00Z"}],
    }
    decisions: JsonValue = {
        "as_of": AS_OF.isoformat(),
        "source": {"name": "Table of decisions", "tier": "primary"},
        "decisions": [
            {
                "area": "JP",
                "bank": "Bank of Japan",
                "decided_on": DECIDED_ON.isoformat(),
                "precision": "day",
                "known_from": "2026-10-29T03:30:00Z",
                "rate": "1.25",
                "change": "25",
                "instrument": "uncollateralized overnight call rate",
                "source": "statement of the meeting",
                "origin": "Bank of Japan",
            }
        ],
    }
    return (
        evidence(HISTORY, "ecb", history, symbol="USD/JPY", start="2025-10-01"),
        evidence(AVERAGES, "official_statistics", averages, symbol="USD/JPY", end="2026-10"),
        evidence(DECISIONS, "central_banks", decisions, areas=["JP"]),
    )


def claim(
    subject: str,
    metric: Metric,
    value: str,
    unit: Unit,
    found: str,
    *,
    day: date | None = None,
    as_of: date = FRIDAY,
    formula: str | None = None,
    inputs: tuple[str, ...] = (),
) -> Claim:
    """A figure that rests on one answer."""
    return Claim(
        claim_id=claim_id(subject, metric, day),
        subject=subject,
        metric=metric,
        value=Decimal(value),
        unit=unit,
        as_of=day or as_of,
        evidence=(found,),
        formula=formula,
        inputs=inputs,
    )


def verdict(
    name: str, status: ClaimStatus, check: ClaimCheck, words: str, *used: str
) -> ClaimVerdict:
    """A verdict with what it rests on."""
    return ClaimVerdict(claim_id=name, status=status, decided_by=check, words=words, evidence=used)


def pair_section() -> MarketReport:
    """USD/JPY: two levels, a move of them, and a score over the series."""
    return MarketReport(
        market="USD/JPY",
        kind=MarketKind.PAIR,
        group=MarketGroup.G10,
        outcome=Outcome.RESEARCHED,
        claims=_pair_claims(),
        verdicts=_pair_verdicts(),
        events=_pair_events(),
        agents=(
            Contribution(
                agent=AgentId.RESEARCH_AGENT_1,
                task_type=TaskType.RESEARCH_RATES,
                delivered=True,
                reassigned_from=AgentId.RESEARCH_AGENT_2,
            ),
        ),
        dropped=(DroppedSentence(place="event USD/JPY/news", reason="a figure that is no claim"),),
        confidence=0.9,
        days=DAYS,
        values=tuple(map(Decimal, VALUES)),
    )


def _pair_claims() -> tuple[Claim, ...]:
    levels = (Unit.LEVEL, HISTORY)
    move = ("USD/JPY:previous", "USD/JPY:last")
    return (
        claim("USD/JPY", Metric.LAST, "157.25", *levels),
        claim("USD/JPY", Metric.PREVIOUS, "156.80", *levels, as_of=date(2026, 10, 23)),
        claim(
            *("USD/JPY", Metric.MOVE, "0.29", Unit.PERCENT, HISTORY),
            formula="percent_change",
            inputs=move,
        ),
        claim(
            *("USD/JPY", Metric.Z_SCORE, "0.2", Unit.STANDARD_DEVIATIONS, HISTORY),
            formula="z_score",
        ),
        claim("USD/JPY", Metric.WINDOW_LOW, "157.25", *levels, formula="lowest"),
        claim("JP", Metric.POLICY_RATE, "1.25", Unit.PERCENT_A_YEAR, DECISIONS),
    )


def _pair_verdicts() -> tuple[ClaimVerdict, ...]:
    return (
        verdict(
            *("USD/JPY:last", ClaimStatus.VERIFIED, ClaimCheck.SERIES),
            *("the last common month averages agree within 0.1 %", AVERAGES),
        ),
        verdict(
            *(MOVE, ClaimStatus.SINGLE_SOURCE, ClaimCheck.FORMULA),
            "it follows from its inputs, and no other origin was there to ask",
        ),
        verdict("USD/JPY:window_high", ClaimStatus.REJECTED, ClaimCheck.VALUE, "states 999.99"),
    )


def _pair_events() -> tuple[ReportedEvent, ...]:
    return (
        ReportedEvent(
            event_id="USD/JPY/fx_movement",
            event_type=EventType.FX_MOVEMENT,
            market="USD/JPY",
            currency_pair="USD/JPY",
            event_date=FRIDAY,
            description=f"USD/JPY rose over the week ([[{MOVE}]]) to [[USD/JPY:last]].",
            text="USD/JPY rose over the week (+0.29 %) to 157.25.",
            impact=Impact.LOW,
            claims=(MOVE, "USD/JPY:last"),
            source_url=ECB_URL,
            confidence=0.95,
            verified=True,
        ),
    )


def area_section() -> MarketReport:
    """JP: a rate, and a decision that two agents saw differently."""
    contested = verdict(
        *(CHANGE, ClaimStatus.CONTESTED, ClaimCheck.SECOND_SOURCE),
        "two origins state different changes",
    )
    return MarketReport(
        market="JP",
        kind=MarketKind.POLICY_RATE,
        group=MarketGroup.G10,
        outcome=Outcome.RESEARCHED,
        claims=(
            claim("JP", Metric.POLICY_RATE, "1.25", Unit.PERCENT_A_YEAR, DECISIONS),
            claim(
                *("JP", Metric.DECISION_CHANGE, "25", Unit.BASIS_POINTS, DECISIONS), day=DECIDED_ON
            ),
            claim(
                *("JP", Metric.DIFFERENTIAL, "-262.5", Unit.BASIS_POINTS, DECISIONS),
                formula="basis_point_difference",
                inputs=("JP:policy_rate", WITHHELD),
            ),
        ),
        verdicts=(contested,),
        confidence=0.8,
    )


def decided_conflict(by: DecidedBy = DecidedBy.PERSON) -> ConflictRecord:
    """Two parties who state different changes of one decision; the first holds."""
    stated = (("+25 bp", AgentId.RESEARCH_AGENT_1, 0.9, "Bank of Japan", SourceTier.PRIMARY),)
    against = (("0 bp", AgentId.RESEARCH_AGENT_2, 0.3, "a newspaper", SourceTier.SECONDARY),)
    return ConflictRecord(
        conflict_id="JP-decision",
        market="JP",
        kind=ConflictKind.DECISION,
        positions=tuple(
            Position(
                agent=agent,
                claim_id=CHANGE,
                stated=words,
                source=source,
                origin=source,
                tier=tier,
                confidence=confidence,
                weight=confidence,
            )
            for words, agent, confidence, source, tier in (*stated, *against)
        ),
        chosen="+25 bp",
        decided_by=by,
        decided_by_whom="A. Analyst" if by is DecidedBy.PERSON else None,
        spread=0.6,
        resolution="The statement of the meeting says so.",
        resolved=True,
    )


def sources() -> tuple[DataSource, ...]:
    """Who answered, as the report lists it."""
    ecb, _, bank = all_evidence()
    return (
        DataSource(
            server="ecb",
            tool="get_historical",
            arguments=ecb.call.arguments,
            name=ECB_NAME,
            tier=SourceTier.AUTHORITATIVE,
            origin="European Central Bank",
            url=ECB_URL,
            retrieved_at=ASKED_AT,
            evidence_id=HISTORY,
        ),
        DataSource(
            server="central_banks",
            tool="get_rate_decisions",
            arguments=bank.call.arguments,
            name="Table of decisions",
            tier=SourceTier.PRIMARY,
            retrieved_at=ASKED_AT,
            evidence_id=DECISIONS,
        ),
    )


def changes() -> Changes:
    """More changes than are shown at first."""
    move = Change(
        kind=ChangeKind.LEVEL,
        market="USD/JPY",
        claim_id="USD/JPY:last",
        before=Decimal("156.80"),
        after=Decimal("157.25"),
        unit=Unit.LEVEL,
        prose="USD/JPY is at [[USD/JPY:last]].",
        text="USD/JPY is at 157.25.",
    )
    others = tuple(
        Change(kind=ChangeKind.SOURCE, market="JP", prose=f"Source {sign}.", text=f"Source {sign}.")
        for sign in "abcdefghijklm"[: CHANGES_THERE - 1]
    )
    return Changes(against="2026-W43", against_revision=1, entries=(move, *others))


def markets() -> tuple[MarketSpec, ...]:
    """The two markets as they are configured."""
    group = MarketGroup.G10
    return (
        MarketSpec(market="USD/JPY", kind=MarketKind.PAIR, group=group, areas=("US", "JP")),
        MarketSpec(market="JP", kind=MarketKind.POLICY_RATE, group=group, areas=("JP",)),
    )


def traced_report(**changed: object) -> ResearchReport:
    """The report, sealed; `changed` replaces fields of it."""
    report = ResearchReport(
        week=WEEK,
        title=f"Asia and G10 currencies and policy rates, {WEEK}",
        as_of=AS_OF,
        window=TimeWindow(
            start=datetime(2026, 10, 25, tzinfo=UTC), end=AS_OF, time_zone="Europe/London"
        ),
        revision=1,
        revisions=(Revision(revision=1, kind=RevisionKind.FIRST, published_at=ASKED_AT),),
        outcome=Outcome.COMPLETE,
        changes=changes(),
        coverage=Coverage(expected=2, researched=2, threshold=0.9),
        summary=(
            Sentence(
                prose=f"G10: the most unusual move was USD/JPY [[{MOVE}]] to [[USD/JPY:last]].",
                text="G10: the most unusual move was USD/JPY +0.29 % to 157.25.",
            ),
        ),
        movers=_movers(),
        policy_rates=_rate_rows(),
        calendar=_calendar(),
        markets=(pair_section(), area_section()),
        conflicts=(decided_conflict(),),
        cross_checks=(
            CrossCheck(
                kind=CrossCheckKind.MOVE_WITHOUT_EVENT,
                subject="USD/JPY",
                prose=f"USD/JPY moved [[{MOVE}]] and no event explains it.",
                text="USD/JPY moved +0.29 % and no event explains it.",
                claims=(MOVE,),
            ),
        ),
        dead_letters=(),
        sources=sources(),
        evidence=all_evidence(),
        config=RunConfig(markets=markets()),
        timings=Timings(
            started_at=AS_OF,
            finished_at=ASKED_AT,
            seconds=3.0,
            workflow_id=f"weekly-{WEEK}",
            run_id="0199-run-of-the-week",
        ),
    )
    return sealed(report.model_copy(update=changed))


def _movers() -> tuple[Mover, ...]:
    return (
        Mover(
            market="USD/JPY",
            group=MarketGroup.G10,
            last=Decimal("157.25"),
            last_on=FRIDAY,
            move=Decimal("0.29"),
            z_score=Decimal("0.2"),
            window_low=Decimal("157.25"),
        ),
    )


def _rate_rows() -> tuple[RateRow, ...]:
    return (
        RateRow(
            area="JP",
            bank="Bank of Japan",
            group=MarketGroup.G10,
            rate=Decimal("1.25"),
            since=DECIDED_ON,
            differential=Decimal("-262.5"),
            stale=True,
        ),
    )


def _calendar() -> tuple[CalendarRow, ...]:
    return (
        CalendarRow(
            area="JP",
            bank="Bank of Japan",
            day=DECIDED_ON,
            outcome=Sentence(prose=f"raised ([[{CHANGE}]])", text="raised (+25 bp)"),
            ahead=False,
        ),
    )
