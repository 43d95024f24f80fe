"""A week's record for tests of the report.

Eleven markets: three G10 pairs, four Asian ones and four policy-rate areas; one pair is partial,
one is dead-lettered and one has no source.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

from desk.contracts.agents.config import RunConfig, VotingConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.results import (
    EventType,
    Impact,
    MarketEvent,
    Severity,
    SuspectFixing,
    ValidationIssue,
)
from desk.contracts.markets import MarketGroup
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.plan import WeekPlan
from desk.contracts.week.report import MarketOutcome, ResearchReport, Revision, RevisionKind
from desk.programs.week.document.compile_report import compile_report
from desk.trust.conflicts.detection import detect_conflicts
from tests.support.documents.rate_outcomes import rate_outcome
from tests.support.documents.report_outcomes import (
    FINISHED_AT,
    LAST_FIXING,
    STARTED_AT,
    WEEK,
    WINDOW,
    empty_outcome,
    in_the_press,
    made_up_history,
    pair_outcome,
    pair_spec,
    rate_spec,
    verdict,
    with_leap,
)


def sample_config() -> RunConfig:
    """Eleven markets, USD/TWD among them, which no source has."""
    g10, asia = MarketGroup.G10, MarketGroup.ASIA
    return RunConfig(
        markets=(
            pair_spec("EUR/USD", g10, "XM", "US"),
            pair_spec("USD/JPY", g10, "US", "JP", digits=2),
            pair_spec("GBP/USD", g10, "GB", "US"),
            pair_spec("USD/HKD", asia, "US", "HK"),
            pair_spec("USD/KRW", asia, "US", "KR", digits=2),
            pair_spec("USD/INR", asia, "US", "IN"),
            pair_spec("USD/TWD", asia, "US"),
            rate_spec("US", g10),
            rate_spec("JP", g10),
            rate_spec("GB", g10),
            rate_spec("KR", asia),
        )
    )


@cache
def sample_outcomes() -> tuple[MarketOutcome, ...]:
    """The outcomes of the sample's markets, in an order that is not the configured one."""
    indian = in_the_press(pair_outcome(made_up_history("USD/INR", 83.1, 4, 0.4)), "86.5000")
    leap = date(2026, 4, 2)
    pegged = with_leap(made_up_history("USD/HKD", 7.81, 4, 3.3), leap)
    suspect = SuspectFixing(
        day=leap, value=f"{pegged.values[pegged.days.index(leap)]}", reason="reverted the next day"
    )
    partial = "the central bank's calendar could not be reached"
    return (
        rate_outcome(
            "US",
            "3.875",
            since=date(2026, 9, 16),
            decided=(date(2026, 9, 16), "25"),
            ahead=date(2026, 10, 28),
        ),
        rate_outcome(
            "JP",
            "1.25",
            since=date(2026, 9, 18),
            decided=(date(2026, 9, 18), "25"),
            ahead=date(2026, 10, 30),
        ),
        rate_outcome("GB", "3.75", since=date(2025, 12, 18), decided=(date(2026, 9, 17), "0")),
        rate_outcome("KR", "2.75", since=date(2026, 7, 16), ahead=date(2026, 9, 29), stale=True),
        pair_outcome(made_up_history("EUR/USD", 1.14, 4, 0.0)),
        pair_outcome(made_up_history("USD/JPY", 148.2, 2, 1.9)),
        pair_outcome(
            made_up_history("GBP/USD", 1.33, 4, 2.6), outcome=Outcome.PARTIAL, missing=(partial,)
        ),
        pair_outcome(pegged, suspects=(suspect,), warnings=("judged by its place in the band",)),
        empty_outcome(
            "USD/KRW",
            Outcome.DEAD_LETTERED,
            "the source answered 503 to every attempt",
            letter=f"weekly-{WEEK}/market/USD/KRW/reassign/research_fx",
        ),
        with_conflicts(indian),
        empty_outcome("USD/TWD", Outcome.MISSING, "no configured source has USD/TWD"),
    )


def with_conflicts(outcome: MarketOutcome) -> MarketOutcome:
    """The outcome with what its results contradict each other in, put to the vote."""
    found = detect_conflicts(outcome.market, outcome.results, VotingConfig())
    return outcome.model_copy(update={"conflicts": found})


def sample_record(outcomes: Sequence[MarketOutcome] | None = None) -> WeekRecord:
    """The record of the sample week, in its second revision: USD/JPY was redone."""
    return WeekRecord(
        week=WEEK,
        window=WINDOW,
        plan=WeekPlan(task_id=f"{WEEK}/plan", week=WEEK, markets=()),
        outcomes=tuple(sample_outcomes() if outcomes is None else outcomes),
        revisions=(
            Revision(revision=1, kind=RevisionKind.FIRST, published_at=FINISHED_AT),
            Revision(
                revision=2,
                kind=RevisionKind.RERUN,
                published_at=FINISHED_AT + timedelta(minutes=40),
                market="USD/JPY",
                reason="the Friday fixing was corrected",
            ),
        ),
        started_at=STARTED_AT,
    )


def sample_report(
    record: WeekRecord | None = None, config: RunConfig | None = None
) -> ResearchReport:
    """The sample's report, compiled."""
    if record is None and config is None:
        return _plain_report()
    return _compiled(record or sample_record(), config or sample_config())


@cache
def _plain_report() -> ResearchReport:
    return _compiled(sample_record(), sample_config())


def _compiled(record: WeekRecord, config: RunConfig) -> ResearchReport:
    return compile_report(
        record,
        config,
        finished_at=FINISHED_AT,
        workflow_id=f"weekly-{WEEK}",
        run_id="run-1",
        previous=None,
    )


def with_event(outcome: MarketOutcome, event: MarketEvent) -> MarketOutcome:
    """The outcome with one event more in its first result."""
    first, *others = outcome.results
    longer = first.model_copy(update={"events": (*first.events, event)})
    return outcome.model_copy(update={"results": (longer, *others)})


def report_telling(description: str) -> ResearchReport:
    """The sample with one more event of EUR/USD, which links to a script."""
    told = MarketEvent(
        event_id="x",
        event_type=EventType.ECONOMIC_DATA,
        market="EUR/USD",
        event_date=LAST_FIXING,
        description=description,
        impact=Impact.LOW,
        source_url="javascript:alert(3)",
    )
    outcomes = sample_outcomes()
    return sample_report(
        sample_record([with_event(m, told) if m.market == "EUR/USD" else m for m in outcomes])
    )


def with_issue(outcome: MarketOutcome, description: str) -> MarketOutcome:
    """The outcome with an objection of the validator."""
    issue = ValidationIssue(
        issue_type="sources",
        severity=Severity.MEDIUM,
        description=description,
        recommendation="Look again.",
        confidence=0.7,
    )
    return outcome.model_copy(update={"validation": verdict(outcome.results[0], issue)})
