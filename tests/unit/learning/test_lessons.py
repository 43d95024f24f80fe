"""What a run tells the learning system: forecasts, troubles, and what became of whose work."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import (
    AskedBesides,
    CallPlace,
    SourceOutage,
    ToolCall,
    ToolResult,
    ToolStatus,
)
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Forecast,
    Leaning,
    Position,
    View,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.learning.lessons import Lesson, SourceRecord, Trouble, TroubleKind
from desk.contracts.names import AgentId, CallFault
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.learning.forecasts.probability import carry_probability
from desk.learning.lessons.week_lesson import MOST_TROUBLES, lesson_of, source_records
from tests.support.documents.report_outcomes import AS_OF, WEEK, made_up_history, pair_outcome
from tests.support.documents.reports import sample_config, sample_record

RUN = f"weekly-{WEEK}"
DONE_AT = datetime(2026, 9, 21, 6, 5, tzinfo=UTC)
DUE = datetime(2026, 10, 19, 6, 0, tzinfo=UTC)
"""The as-of instant of the week four weeks later: still summer time in London."""

RESEARCHERS = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2

FORECAST = Forecast(probability=0.62, weeks=4, deviation=0.03)


def lesson(*outcomes: MarketOutcome, whole: bool = True, **record: Any) -> Lesson:
    told = sample_record(outcomes or None).model_copy(update=record)
    return lesson_of(told, sample_config(), workflow_id=RUN, whole=whole, told_at=DONE_AT)


def a_pair(market: str = "USD/JPY", **update: Any) -> MarketOutcome:
    """A pair whose analyst has a forecast."""
    outcome = pair_outcome(made_up_history(market, 148.2, 2, 1.9))
    (result,) = outcome.results
    views = tuple(view.model_copy(update={"forecast": FORECAST}) for view in result.views)
    forecasting = result.model_copy(update={"views": views})
    return outcome.model_copy(update={"results": (forecasting,), **update})


def with_claim(outcome: MarketOutcome, claim: Claim) -> MarketOutcome:
    (result,) = outcome.results
    more = result.model_copy(update={"claims": (*result.claims, claim)})
    return outcome.model_copy(update={"results": (more,)})


def with_verdict(
    outcome: MarketOutcome,
    metric: Metric,
    status: ClaimStatus,
    decided_by: ClaimCheck = ClaimCheck.VALUE,
) -> MarketOutcome:
    """The outcome with another verdict on a claim."""
    assert outcome.validation is not None
    wanted = claim_id(outcome.market, metric)
    verdict = ClaimVerdict(
        claim_id=wanted, status=status, decided_by=decided_by, words="looked at again"
    )
    others = [one for one in outcome.validation.verdicts if one.claim_id != wanted]
    validation = outcome.validation.model_copy(update={"verdicts": (*others, verdict)})
    return outcome.model_copy(update={"validation": validation})


def records_of(outcome: MarketOutcome) -> dict[str, SourceRecord]:
    """By server, what became of what it said."""
    return {record.server: record for record in lesson(outcome).sources}


def asked(status: ToolStatus, *, agent: str = "research_agent_2", **fields: Any) -> ToolResult:
    """A call of the news that an agent made."""
    place = CallPlace(workflow_id=RUN, run_id="1", activity_id=f"{agent}.research_rates.t1.news")
    call = ToolCall(call_id="USD/JPY/news", server="google_news", tool="search_news")
    return ToolResult.model_validate({"call": call, "status": status, "place": place, **fields})


def test_a_forecast_is_due_when_its_horizon_has_passed() -> None:
    (made,) = lesson(a_pair()).forecasts
    claims = {claim.claim_id: claim for claim in a_pair().results[0].claims}
    level = claims["USD/JPY:last"]
    assert (made.market, made.agent, made.week) == ("USD/JPY", AgentId.RESEARCH_AGENT_1, WEEK)
    assert (made.due, made.probability) == (DUE, FORECAST.probability)
    assert (made.level, made.level_on, made.server) == (level.value, level.as_of, "ecb")
    assert made.carry is None


def test_the_carry_of_a_forecast_is_by_the_differential_of_the_pair() -> None:
    differential = Claim(
        claim_id=claim_id("USD/JPY", Metric.DIFFERENTIAL),
        subject="USD/JPY",
        metric=Metric.DIFFERENTIAL,
        value=Decimal("262.5"),
        unit=Unit.BASIS_POINTS,
        as_of=AS_OF.date(),
    )
    outcome = with_claim(a_pair(), differential)
    (made,) = lesson(outcome).forecasts
    assert made.carry == carry_probability(Decimal("262.5"), 4, FORECAST.deviation)
    (other,) = lesson(with_verdict(outcome, Metric.DIFFERENTIAL, ClaimStatus.REJECTED)).forecasts
    assert other.carry is None


def test_a_rejected_level_starts_no_forecast() -> None:
    assert lesson(with_verdict(a_pair(), Metric.LAST, ClaimStatus.REJECTED)).forecasts == ()


@pytest.mark.parametrize(
    ("decided", "overruled"),
    [
        ({"chosen": "up", "decided_by": DecidedBy.PERSON, "decided_by_whom": "anna"}, "anna"),
        ({"chosen": "down", "decided_by": DecidedBy.PERSON, "decided_by_whom": "anna"}, None),
        ({"chosen": "up", "decided_by": DecidedBy.VOTE}, None),
    ],
)
@pytest.mark.parametrize("over", [ConflictKind.DIRECTION, ConflictKind.LEVEL])
def test_a_forecast_whose_direction_or_level_a_person_overruled_says_by_whom(
    over: ConflictKind, decided: dict[str, Any], overruled: str | None
) -> None:
    claim = "USD/JPY:last" if over is ConflictKind.LEVEL else None
    conflict = ConflictRecord(
        conflict_id="USD/JPY/conflict",
        market="USD/JPY",
        kind=over,
        positions=tuple(
            Position(agent=agent, stated=stated, claim_id=claim, source="a source", confidence=0.5)
            for agent, stated in zip(RESEARCHERS, ("down", "up"), strict=True)
        ),
        resolution="decided",
        resolved=True,
        **decided,
    )
    (leaning,) = (view.leaning for view in a_pair().results[0].views)
    (made,) = lesson(a_pair(conflicts=(conflict,))).forecasts
    assert leaning is Leaning.DOWN
    assert made.overruled_by == overruled


def test_a_run_of_some_markets_makes_no_forecast() -> None:
    told = lesson(a_pair(), whole=False)
    assert (told.whole, told.forecasts) == (False, ())


def test_a_view_without_a_forecast_makes_none() -> None:
    assert lesson(pair_outcome(made_up_history("USD/JPY", 148.2, 2, 1.9))).forecasts == ()


def test_a_lesson_says_whose_week_it_is_and_what_there_was() -> None:
    told = lesson()
    assert (told.workflow_id, told.week, told.as_of, told.told_at) == (RUN, WEEK, AS_OF, DONE_AT)
    assert (told.expected, told.researched) == (11, 9)


def trouble(**fields: Any) -> Trouble:
    given = {
        "market": "USD/JPY",
        "agent": AgentId.RESEARCH_AGENT_2,
        "server": "google_news",
        "tool": "search_news",
        "at": DONE_AT,
        **fields,
    }
    return Trouble.model_validate(given)


def test_a_source_that_was_away_or_refused_is_a_trouble() -> None:
    away = asked(ToolStatus.UNAVAILABLE, error="it did not answer")
    refused = asked(ToolStatus.REFUSED, error="no such topic", retrieved_at=AS_OF)
    told = lesson(a_pair(agents=(), evidence=(*a_pair().evidence, away, refused)))
    assert told.troubles == (
        trouble(kind=TroubleKind.TOOL_UNAVAILABLE, words="it did not answer"),
        trouble(kind=TroubleKind.TOOL_REFUSED, words="no such topic", at=AS_OF),
    )


def test_a_trouble_says_by_its_type_why_there_was_no_answer() -> None:
    """Of a call that was not made: what its source failed by before."""
    besides = AskedBesides(
        server="newswire", tool="search", status=ToolStatus.UNAVAILABLE, fault=CallFault.RESET
    )
    late = asked(ToolStatus.UNAVAILABLE, error="late", fault=CallFault.TIMEOUT, besides=(besides,))
    not_made = asked(ToolStatus.UNAVAILABLE, error="not asked", fault=CallFault.CIRCUIT_OPEN)
    outage = SourceOutage(
        server="google_news", since=AS_OF, fault=CallFault.TIMEOUT, calls_not_made=1
    )
    line = Contribution(
        agent=AgentId.RESEARCH_AGENT_2,
        task_type=TaskType.RESEARCH_FX,
        delivered=True,
        outages=(outage,),
    )
    found = lesson(a_pair(agents=(line,), evidence=(*a_pair().evidence, late, not_made))).troubles
    assert [each.fault for each in found] == [
        CallFault.TIMEOUT,
        CallFault.RESET,
        CallFault.TIMEOUT,
    ]


def test_so_is_one_that_another_stood_in_for() -> None:
    besides = (
        AskedBesides(
            server="reuters", tool="get_market_news", status=ToolStatus.UNAVAILABLE, words="away"
        ),
        AskedBesides(server="newswire", tool="search", status=ToolStatus.OK, words="nothing"),
    )
    answer = asked(ToolStatus.OK, content={"items": []}, besides=besides)
    (found,) = lesson(a_pair(agents=(), evidence=(*a_pair().evidence, answer))).troubles
    assert (found.server, found.tool, found.words) == ("reuters", "get_market_news", "away")


def test_what_has_nothing_or_was_never_asked_is_no_trouble() -> None:
    nothing = asked(ToolStatus.OK, content={"missing": "no news", "items": []})
    nobody = asked(ToolStatus.UNAVAILABLE, error="no source is configured", place=None)
    evidence = (*a_pair().evidence, nothing, nobody)
    assert lesson(a_pair(agents=(), evidence=evidence)).troubles == ()


def line(agent: AgentId, task: TaskType, **fields: Any) -> Contribution:
    given = {"agent": agent, "task_type": task, "delivered": True, "turns": 2, **fields}
    return Contribution.model_validate(given)


def test_what_was_not_delivered_as_planned_is_a_trouble() -> None:
    one, two = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2
    agents = (
        line(two, TaskType.RESEARCH_FX, reassigned_from=one),
        line(two, TaskType.RESEARCH_RATES, delivered=False, error="nobody could"),
        line(AgentId.VALIDATOR, TaskType.VALIDATE, remark="the built-in analyst delivered"),
    )
    letters = (f"{RUN}/market/USD/JPY/reassign/research_rates",)
    told = lesson(a_pair(agents=agents, dead_letters=letters))
    assert [(t.kind, t.agent) for t in told.troubles] == [
        (TroubleKind.NOT_DELIVERED, one),
        (TroubleKind.DEAD_LETTERED, two),
        (TroubleKind.LESSER_WAY, AgentId.VALIDATOR),
    ]
    records = {record.agent: record for record in told.agents}
    assert (records[one].tasks, records[one].delivered, records[one].reassigned) == (1, 0, 1)
    assert (records[two].tasks, records[two].delivered, records[two].turns) == (2, 1, 4)


def test_the_desks_own_work_counts_for_the_product_manager() -> None:
    planning = line(
        AgentId.PRODUCT_MANAGER,
        TaskType.PLAN_WEEK,
        remark="a cheaper model went on",
        usage=Usage(cost_usd=Decimal("0.12")),
    )
    told = lesson(a_pair(agents=()), planning=planning)
    (record,) = told.agents
    assert (record.tasks, record.cost_usd) == (1, Decimal("0.12"))
    assert [(t.kind, t.market) for t in told.troubles] == [(TroubleKind.LESSER_WAY, None)]


def test_of_many_troubles_the_rest_is_counted() -> None:
    away = asked(ToolStatus.UNAVAILABLE, error="away")
    told = lesson(a_pair(agents=(), evidence=(*a_pair().evidence, *[away] * 250)))
    assert (len(told.troubles), told.more_troubles) == (MOST_TROUBLES, 50)


@pytest.mark.parametrize(
    ("status", "decided_by", "counts"),
    [
        (ClaimStatus.VERIFIED, ClaimCheck.SECOND_SOURCE, (1, 0, 0)),
        (ClaimStatus.SINGLE_SOURCE, ClaimCheck.SERIES, (0, 0, 0)),
        (ClaimStatus.CONTESTED, ClaimCheck.SERIES, (0, 0, 0)),
        (ClaimStatus.REJECTED, ClaimCheck.VALUE, (0, 0, 1)),
        (ClaimStatus.SINGLE_SOURCE, ClaimCheck.VALUE, (0, 0, 0)),
    ],
)
def test_a_source_has_a_record_of_what_became_of_its_claims(
    status: ClaimStatus, decided_by: ClaimCheck, counts: tuple[int, int, int]
) -> None:
    before = records_of(a_pair())["ecb"]
    after = records_of(with_verdict(a_pair(), Metric.LAST, status, decided_by))["ecb"]
    # The sample verifies every claim; this is what one of them in another light adds.
    found = (after.verified - before.verified + 1, after.contested, after.rejected)
    assert found == counts


def test_a_run_of_an_earlier_version_still_counts_a_series_that_agrees() -> None:
    """Or else its history would replay with another lesson."""
    pair = with_verdict(a_pair(), Metric.LAST, ClaimStatus.SINGLE_SOURCE, ClaimCheck.SERIES)
    counted = {
        by_series: next(
            each.verified
            for each in source_records([pair], by_series=by_series)
            if each.server == "ecb"
        )
        for by_series in (True, False)
    }
    assert counted[True] == counted[False] + 1


def test_who_bears_a_claim_out_is_borne_out_by_it() -> None:
    """Or else a source that only bears witness would be known by its conflicts alone."""
    found = records_of(a_pair())
    assert found["ecb"].verified == found["official_statistics"].verified


def test_a_lesson_does_not_count_the_verdicts_on_derived_claims() -> None:
    plain = records_of(a_pair())
    for status in (ClaimStatus.CONTESTED, ClaimStatus.REJECTED, ClaimStatus.SINGLE_SOURCE):
        assert records_of(with_verdict(a_pair(), Metric.MOVE, status)) == plain


def disputed(**decision: Any) -> MarketOutcome:
    """A pair whose level a newswire states differently; the vote is for the central bank's."""
    (outcome,) = (each for each in sample_record().outcomes if each.market == "USD/INR")
    (conflict,) = outcome.conflicts
    assert [position.server for position in conflict.positions] == ["ecb", "newswire"]
    decided = conflict.model_copy(update=decision)
    contested = with_verdict(outcome, Metric.LAST, ClaimStatus.CONTESTED)
    return contested.model_copy(update={"conflicts": (decided,)})


@pytest.mark.parametrize(("holds", "loses"), [("ecb", "newswire"), ("newswire", "ecb")])
def test_a_contested_claim_counts_as_its_conflict_was_decided(holds: str, loses: str) -> None:
    (conflict,) = disputed().conflicts
    chosen = next(each.stated for each in conflict.positions if each.server == holds)
    undecided = records_of(disputed(chosen=None, resolved=False))
    found = records_of(disputed(chosen=chosen, resolved=True))
    for server, adds in ((holds, {"verified": 1}), (loses, {"contested": 1})):
        before = undecided.get(server, SourceRecord(server=server))
        counted = {field: getattr(before, field) + more for field, more in adds.items()}
        assert found[server] == before.model_copy(update=counted)


@pytest.mark.parametrize("resolved", [False, True], ids=["open", "withheld"])
def test_a_conflict_without_a_decision_counts_for_nobody(resolved: bool) -> None:
    found = records_of(disputed(chosen=None, resolved=resolved))
    assert [each.contested for each in found.values()] == [0] * len(found)
    assert "newswire" not in found
    assert found["ecb"].verified == records_of(disputed())["ecb"].verified - 1


def test_a_source_on_both_sides_counts_for_neither() -> None:
    (conflict,) = disputed().conflicts
    one_server = tuple(p.model_copy(update={"server": "ecb"}) for p in conflict.positions)
    assert records_of(disputed(positions=one_server)) == records_of(disputed(chosen=None))


def test_views_that_are_no_forecast_of_the_pair_are_passed_over() -> None:
    outcome = a_pair()
    (result,) = outcome.results
    other = View.model_validate({**dict(result.views[0]), "subject": "EUR/USD"})
    moved = result.model_copy(update={"views": (other,)})
    assert lesson(outcome.model_copy(update={"results": (moved,)})).forecasts == ()


def test_a_whole_week_is_told_in_few_words() -> None:
    markets = [f"USD/A{chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(38)]
    record: WeekRecord = sample_record([a_pair(market) for market in markets])
    told = lesson_of(record, sample_config(), workflow_id=RUN, whole=True, told_at=DONE_AT)
    assert len(told.forecasts) == 38
    assert len(told.model_dump_json()) < 20_000
