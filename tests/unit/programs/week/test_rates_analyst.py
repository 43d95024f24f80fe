"""The rates analyst, from request to result."""

from collections.abc import Sequence
from datetime import date

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    ViewKind,
)
from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    PolicyRates,
    RateDecision,
    RateDecisions,
)
from desk.contracts.markets import MarketSpec
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import Turn
from desk.programs.turns import builtin_turn
from desk.programs.week.builtin.rates_analyst import describe_decision
from desk.trust.prose import unbacked
from desk.trust.prose.references import render
from tests.support.builders import (
    answered,
    calendar,
    call,
    decision,
    decisions,
    failed,
    of_a_question,
    pair_market,
    policy_rates,
    rate_market,
    request,
)

WEEK = "2024-W31"
YEN = pair_market("USD/JPY")
RATES = call("central_banks", "get_policy_rate")
DECISIONS = call("central_banks", "get_rate_decisions")
CALENDAR = call("central_banks", "get_decision_calendar")
HIKE = decision("JP", "2024-07-31", "0.25", "20")
HOLD = decision("US", "2024-07-31", "5.375", "0")


def turn(market: MarketSpec, results: Sequence[ToolResult] = ()) -> Turn:
    return builtin_turn(request(TaskType.RESEARCH_RATES, market, WEEK, results=results))


def research(
    market: MarketSpec = YEN,
    *,
    rates: PolicyRates | None = None,
    decided: RateDecisions | None = None,
    scheduled: DecisionCalendar | None = None,
    by_question: bool = False,
) -> ResearchResult:
    results = [
        answered(RATES, rates or policy_rates(WEEK, US="5.375", JP="0.25")),
        answered(DECISIONS, decided or decisions(WEEK)),
        answered(CALENDAR, scheduled or calendar(WEEK)),
    ]
    shown = request(TaskType.RESEARCH_RATES, market, WEEK, results=results)
    delivered = builtin_turn(of_a_question(shown) if by_question else shown).result
    assert isinstance(delivered, ResearchResult)
    return delivered


def figures(result: ResearchResult) -> dict[str, str]:
    return {claim.claim_id: str(claim.value) for claim in result.claims}


def prose(result: ResearchResult, event: MarketEvent) -> str:
    return render(event.description, {claim.claim_id: claim for claim in result.claims})


def test_the_first_turn_asks_for_everything_at_once() -> None:
    calls = {asked.tool: asked for asked in turn(YEN).calls}
    assert calls["get_policy_rate"].arguments == {"areas": ["US", "JP"]}
    assert calls["get_rate_decisions"].arguments == {
        "areas": ["US", "JP"],
        "start": "2024-07-28",
        "end": "2024-08-06",
    }
    assert calls["get_decision_calendar"].arguments == {
        "areas": ["US", "JP"],
        "start": "2024-07-28",
        "end": "2024-09-16",
    }
    assert {asked.call_id for asked in calls.values()} == {
        f"USD/JPY/research_rates/{tool}" for tool in calls
    }


def test_an_area_asks_for_the_base_area_s_rate_but_not_for_its_news() -> None:
    calls = {asked.tool: asked.arguments["areas"] for asked in turn(rate_market("JP")).calls}
    assert calls["get_policy_rate"] == ["JP", "US"]
    assert calls["get_rate_decisions"] == calls["get_decision_calendar"] == ["JP"]
    base = {asked.tool: asked.arguments["areas"] for asked in turn(rate_market("US")).calls}
    assert base["get_policy_rate"] == ["US"]


def test_a_week_with_two_decisions_reads_as_a_strategist_would_write_it() -> None:
    result = research(decided=decisions(WEEK, HIKE, HOLD))
    hike, hold = result.events
    assert prose(result, hike) == "The Bank of JP raised its policy rate (+20 bp) to 0.25 %."
    assert prose(result, hold) == "The Bank of US left its policy rate unchanged at 5.375 %."
    assert (hike.impact, hold.impact) == (Impact.HIGH, Impact.MEDIUM)
    assert (hike.area, hike.currency_pair) == ("JP", "USD/JPY")
    assert figures(result) == {
        "US:policy_rate": "5.375",
        "JP:policy_rate": "0.25",
        "JP:decision_rate@2024-07-31": "0.25",
        "JP:decision_change@2024-07-31": "20",
        "US:decision_rate@2024-07-31": "5.375",
        "US:decision_change@2024-07-31": "0",
        "USD/JPY:differential": "512.5",
    }
    assert result.confidence == 0.95


def test_an_area_s_differential_is_against_the_base_area() -> None:
    result = research(rate_market("JP"), rates=policy_rates(WEEK, JP="0.25", US="5.375"))
    assert figures(result)["JP:differential"] == "-512.5"
    assert all(event.currency_pair is None for event in result.events)


def test_the_base_area_has_no_differential() -> None:
    result = research(rate_market("US"), rates=policy_rates(WEEK, US="5.375"))
    assert figures(result) == {"US:policy_rate": "5.375"}
    assert result.missing == ()


def test_a_decision_in_the_week_ahead_matters_more_than_a_later_one() -> None:
    days = (("JP", "2024-08-07"), ("US", "2024-09-12"))
    result = research(scheduled=calendar(WEEK, *days))
    near, far = result.events
    assert near.event_type is far.event_type is EventType.SCHEDULED_DECISION
    assert (near.impact, far.impact) == (Impact.MEDIUM, Impact.LOW)
    assert prose(result, near) == (
        "The Bank of JP is scheduled to decide on its policy rate on Wednesday, within a week of"
        " this report. The rate stands at 0.25 %."
    )
    assert "on 12 Sep 2024" in far.description


def test_an_answer_tells_each_day_by_its_date() -> None:
    scheduled = calendar(WEEK, ("US", "2024-07-31"), ("JP", "2024-08-07"))
    decided = decisions(WEEK, covered_until="2024-07-15")
    result = research(decided=decided, scheduled=scheduled, by_question=True)
    past, ahead = (prose(result, event) for event in result.events)
    assert past.startswith(
        "The Bank of US was scheduled to decide on its policy rate on 31 Jul 2024."
    )
    assert "is scheduled to decide on its policy rate on 7 Aug 2024. The rate" in ahead


def test_a_passed_day_without_an_outcome_is_told_and_missing() -> None:
    result = research(
        decided=decisions(WEEK, covered_until="2024-07-15"),
        scheduled=calendar(WEEK, ("US", "2024-07-31")),
    )
    (event,) = result.events
    assert event.event_date == date(2024, 7, 31)
    assert event.description.endswith("The outcome is not in the source yet.")
    assert result.missing == ("US: the outcome of Bank of US of 31 Jul 2024 is not in the source",)
    assert result.confidence == 0.85


def test_a_passed_day_that_the_source_covers_is_told_without_a_gap() -> None:
    result = research(scheduled=calendar(WEEK, ("US", "2024-07-31")))
    assert result.events[0].description.endswith("records no change.")
    assert result.missing == ()


def test_a_stale_rate_is_warned_about_and_no_longer_told_as_current() -> None:
    rates = policy_rates(WEEK, US="5.375", JP="0.25")
    (us, jp) = rates.rates
    old = jp.model_copy(update={"covered_until": date(2024, 6, 30), "stale": True})
    result = research(
        rates=rates.model_copy(update={"rates": (us, old)}),
        scheduled=calendar(WEEK, ("JP", "2024-08-07")),
    )
    assert result.warnings == (
        "JP: the policy rate is known up to 30 Jun 2024; a later change is not in it",
    )
    assert "was last known to be" in result.events[0].description
    assert {c.claim_id: c.as_of for c in result.claims}["JP:policy_rate"] == date(2024, 6, 30)
    assert result.confidence == 0.65


def test_an_area_without_a_rate_is_missing_with_its_reason() -> None:
    result = research(pair_market("USD/SGD"), rates=policy_rates(WEEK, US="5.375", SG=None))
    assert result.missing == ("SG: no policy rate: SG has no policy rate",)
    assert figures(result) == {"US:policy_rate": "5.375"}
    assert result.confidence == 0.75


def test_a_market_whose_own_rate_does_not_exist_has_the_least_confidence() -> None:
    result = research(rate_market("SG"), rates=policy_rates(WEEK, SG=None, US="5.375"))
    assert result.confidence == 0.1
    assert result.events == ()


def test_an_area_that_the_answer_leaves_out_is_missing() -> None:
    result = research(rates=policy_rates(WEEK, US="5.375"))
    assert result.missing == ("JP: no policy rate: not in the answer",)


def test_gaps_of_the_decisions_and_the_calendar_are_missing() -> None:
    result = research(
        decided=decisions(WEEK).model_copy(update={"missing": {"JP": "before the table"}}),
        scheduled=calendar(WEEK).model_copy(update={"missing": {"US": "no days"}}),
    )
    assert result.missing == (
        "JP: no decisions: before the table",
        "US: no decision calendar: no days",
    )


def test_a_decision_known_by_its_month_says_so_and_counts_for_less() -> None:
    inexact = decision("JP", "2024-07-31", "0.25", "20", precision=DatePrecision.MONTH)
    result = research(decided=decisions(WEEK, inexact))
    (event,) = result.events
    assert event.description.endswith("The source gives the month of the decision only.")
    assert event.confidence == result.confidence == 0.85


@pytest.mark.parametrize(
    ("decided", "text"),
    [
        (decision("US", "2024-09-18", "4.875", "-50", instrument="target range, midpoint"),
         "The Bank of US cut its target range ([[US:decision_change@2024-09-18]]) to a midpoint of"
         " [[US:decision_rate@2024-09-18]]."),
        (decision("NO", "2024-08-15", "4.50", "0", instrument="sight deposit rate (policy rate)"),
         "The Bank of NO left its sight deposit rate unchanged at"
         " [[NO:decision_rate@2024-08-15]]."),
        (decision("TH", "2024-10-16", "2.25", "-25", instrument="1-day repurchase rate"),
         "The Bank of TH cut its 1-day repurchase rate ([[TH:decision_change@2024-10-16]]) to"
         " [[TH:decision_rate@2024-10-16]]."),
        (decision("CN", "2024-07-22", "3.35", "-10", instrument="rate number 2"),
         "The Bank of CN cut its policy rate ([[CN:decision_change@2024-07-22]]) to"
         " [[CN:decision_rate@2024-07-22]]."),
        (decision("KR", "2024-10-11", "3.25", "-25", instrument="Bank of KR base rate"),
         "The Bank of KR cut its base rate ([[KR:decision_change@2024-10-11]]) to"
         " [[KR:decision_rate@2024-10-11]]."),
    ],
)  # fmt: skip
def test_an_instrument_is_named_as_prose_can_carry_it(decided: RateDecision, text: str) -> None:
    assert describe_decision(decided) == text


def test_no_event_holds_a_figure_of_its_own() -> None:
    result = research(
        decided=decisions(WEEK, HIKE),
        scheduled=calendar(WEEK, ("US", "2024-07-31"), ("US", "2024-08-07"), ("JP", "2024-09-12")),
    )
    assert len(result.events) == 4
    for event in result.events:
        assert not unbacked(event.description)


def test_every_successful_tool_result_is_a_source() -> None:
    result = research()
    assert [source.evidence_id for source in result.sources] == [
        "test/get_policy_rate",
        "test/get_rate_decisions",
        "test/get_decision_calendar",
    ]


@pytest.mark.parametrize("broken", [RATES, DECISIONS, CALENDAR], ids=lambda asked: asked.tool)
def test_any_tool_that_does_not_answer_ends_in_a_failure(broken: object) -> None:
    answers = {
        RATES.tool: answered(RATES, policy_rates(WEEK, US="5.375", JP="0.25")),
        DECISIONS.tool: answered(DECISIONS, decisions(WEEK)),
        CALENDAR.tool: answered(CALENDAR, calendar(WEEK)),
    }
    down = next(c for c in (RATES, DECISIONS, CALENDAR) if c == broken)
    answers[down.tool] = failed(down, ToolStatus.UNAVAILABLE, "the server is not running")
    answer = turn(YEN, list(answers.values()))
    assert answer.result is None
    assert answer.failure is not None
    assert answer.failure.error_type == FailureType.TOOL_UNAVAILABLE
    assert answer.failure.tool == down.tool
    assert "the server is not running" in answer.failure.error_message


def test_the_stance_of_a_bank_is_that_of_its_decision_in_the_window() -> None:
    result = research(decided=decisions(WEEK, HIKE, HOLD))
    views = {view.subject: view for view in result.views}
    assert {view.kind for view in result.views} == {ViewKind.STANCE}
    assert (views["JP"].leaning, views["US"].leaning) == (Leaning.UP, Leaning.NEUTRAL)
    assert views["JP"].claims == ("JP:decision_rate@2024-07-31", "JP:decision_change@2024-07-31")


def test_of_two_decisions_the_newer_one_is_the_stance() -> None:
    cut = decision("JP", "2024-08-02", "0.00", "-25")
    (view,) = research(decided=decisions(WEEK, HIKE, cut)).views
    assert view.leaning is Leaning.DOWN


def test_a_bank_that_decided_nothing_has_no_stance() -> None:
    assert research().views == ()


def test_a_source_has_an_origin_where_all_its_rows_have_one() -> None:
    listed = {source.tool: source.origin for source in research(rate_market("US")).sources}
    assert listed["get_policy_rate"] is None
    only = research(rate_market("US"), rates=policy_rates(WEEK, US="5.375"))
    assert only.sources[0].origin == "Bank of US"


def test_a_decision_is_told_as_the_how_manieth_in_a_row() -> None:
    earlier = tuple(
        decision("JP", day, rate, change)
        for day, rate, change in (
            ("2024-04-26", "0.10", "0"),
            ("2024-06-14", "0.15", "5"),
        )
    )
    answered_with = decisions(WEEK, HIKE).model_copy(update={"before": earlier})
    result = research(decided=answered_with)
    assert figures(result)["JP:rises_in_a_row@2024-07-31"] == "2"
    assert "its 2nd rise in a row." in prose(result, result.events[0])
    assert "JP:rises_in_a_row@2024-07-31" in result.events[0].claims


def test_no_count_is_claimed_where_the_source_does_not_reach_back_to_another_decision() -> None:
    earlier = (decision("JP", "2024-06-14", "0.15", "5"),)
    answered_with = decisions(WEEK, HIKE).model_copy(update={"before": earlier})
    assert not [name for name in figures(research(decided=answered_with)) if "in_a_row" in name]
    assert not [name for name in figures(research(decided=decisions(WEEK, HIKE))) if "row" in name]
