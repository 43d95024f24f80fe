"""The price analyst, from request to result."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

import pytest

from desk.contracts.agents.tasks import Query, TaskType
from desk.contracts.agents.tools import SourceTier, ToolResult, ToolStatus
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import EventType, Impact, Leaning, ResearchResult, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.turns import Turn
from desk.programs.turns import builtin_turn
from desk.programs.week.builtin.price_analyst import verb
from desk.trust.prose.references import render
from tests.support.builders import (
    PAIRS,
    answered,
    call,
    failed,
    history,
    of_a_question,
    pair_market,
    real_fixings,
    real_history,
    request,
    window,
)

HISTORICAL = call("ecb", "get_historical", symbol="USD/JPY")


def turn(market: MarketSpec, week: str, results: Sequence[ToolResult] = ()) -> Turn:
    return builtin_turn(request(TaskType.RESEARCH_FX, market, week, results=results))


def research(pair: str, week: str, answer: History | None = None) -> ResearchResult:
    result = answered(HISTORICAL, answer or real_history(pair, week))
    delivered = turn(pair_market(pair), week, [result]).result
    assert isinstance(delivered, ResearchResult)
    return delivered


def prose(result: ResearchResult) -> str:
    (event,) = result.events
    return render(event.description, {claim.claim_id: claim for claim in result.claims})


def test_the_first_turn_asks_for_56_weeks_before_the_window() -> None:
    (asked,) = turn(pair_market("USD/JPY"), "2026-W44").calls
    assert asked.call_id == "USD/JPY/research_fx/get_historical"
    assert (asked.server, asked.tool) == ("ecb", "get_historical")
    assert asked.arguments == {"symbol": "USD/JPY", "start": "2025-09-28", "end": "2026-11-02"}


def test_a_real_week_reads_as_a_strategist_would_write_it() -> None:
    result = research("USD/JPY", "2026-W44")
    assert prose(result) == (
        "USD/JPY rose over the week (+0.29 %), from 156.8030 to 157.2500."
        " Its fixings ranged from 157.2500 on Friday to 158.0590 on Thursday."
        " Against the 52 weeks before it is an ordinary move (+0.2 σ)."
    )
    assert not {Metric.FROM_HIGH, Metric.FROM_LOW} & {claim.metric for claim in result.claims}
    assert result.events[0].impact is Impact.LOW
    assert result.confidence == 0.95
    assert result.missing == result.warnings == ()
    assert result.suspects == ()


def test_an_answer_tells_the_days_of_a_week_by_their_dates() -> None:
    found = answered(HISTORICAL, real_history("USD/JPY", "2026-W44"))
    shown = request(TaskType.RESEARCH_FX, pair_market("USD/JPY"), "2026-W44", results=[found])
    result = builtin_turn(of_a_question(shown)).result
    assert isinstance(result, ResearchResult)
    assert "from 157.2500 on 30 Oct 2026 to 158.0590 on 29 Oct 2026." in prose(result)


def test_a_month_is_a_period_told_by_its_dates_and_held_against_no_week() -> None:
    answer = real_history("GBP/USD", "2026-W40")
    asked = request(
        TaskType.RESEARCH_FX,
        pair_market("GBP/USD"),
        "2026-W40",
        results=[answered(HISTORICAL, answer)],
    )
    month = asked.assignment.window.model_copy(
        update={"start": asked.assignment.window.end - timedelta(days=30)}
    )
    assignment = asked.assignment.model_copy(update={"window": month})
    result = builtin_turn(asked.model_copy(update={"assignment": assignment})).result
    assert isinstance(result, ResearchResult)
    said = prose(result)
    assert "over the period" in said and "week" not in said
    assert "on 9 Sep 2026" in said
    values = {claim.metric: claim.value for claim in result.claims}
    for metric, end in (
        (Metric.FROM_HIGH, Metric.WINDOW_HIGH),
        (Metric.FROM_LOW, Metric.WINDOW_LOW),
    ):
        away = (values[Metric.LAST] / values[end] - 1) * 100
        assert abs(values[metric] - away) < Decimal("0.006")
    assert f"is the lowest of them, {-values[Metric.FROM_HIGH]} % below the highest." in said
    assert Metric.Z_SCORE not in {claim.metric for claim in result.claims}
    assert result.missing == ()


def test_the_end_of_the_swiss_floor_is_told_as_an_exceptional_fall() -> None:
    result = research("USD/CHF", "2015-W03")
    assert result.events[0].impact is Impact.HIGH
    assert "USD/CHF fell sharply over the week (-14.04 %)" in prose(result)
    assert "was the lowest since 8 May 2014" in prose(result)


def test_the_yen_s_fall_to_a_24_year_low_ends_as_a_high_in_the_pair() -> None:
    result = research("USD/JPY", "2022-W42")
    assert "was the highest in more than twelve months" in prose(result)
    assert result.events[0].impact is Impact.HIGH


def test_a_streak_is_counted_without_a_sign() -> None:
    assert "It has fallen for 13 days in a row." in prose(research("USD/CNY", "2026-W44"))


def test_a_pegged_pair_is_told_by_its_band_and_not_by_a_z_score() -> None:
    result = research("USD/HKD", "2026-W44")
    assert "close to the upper edge, 7.85, of the band kept by the HKMA (95.7 %)" in prose(result)
    assert "σ" not in prose(result)
    assert result.events[0].impact is Impact.MEDIUM
    assert result.missing == ()


def test_a_spike_that_reverts_is_no_event() -> None:
    result = research("USD/HKD", "2009-W13")
    (suspect,) = result.suspects
    assert (suspect.day, suspect.value) == (date(2009, 3, 26), "7.68568")
    assert all(event.event_date != suspect.day for event in result.events)
    assert min(c.value for c in result.claims if c.metric is Metric.WINDOW_LOW) > Decimal("7.74")
    assert result.confidence == 0.85


@pytest.mark.parametrize("pair", PAIRS)
def test_every_pair_has_one_event_whose_prose_holds_no_figure_of_its_own(pair: str) -> None:
    result = research(pair, "2026-W44")
    (event,) = result.events
    assert event.event_type is EventType.FX_MOVEMENT
    assert f"[[{pair}:move]]" in event.description
    bare = re.sub(r"\[\[[^\]]*\]\]|52-week|52 weeks", "", event.description)
    assert not re.search(r"\d", bare)
    assert set(event.claims) == {claim.claim_id for claim in result.claims}


def test_every_claim_rests_on_the_one_source_that_is_listed() -> None:
    result = research("EUR/USD", "2026-W44")
    (source,) = result.sources
    assert source.evidence_id == HISTORICAL.call_id
    assert (source.name, source.url) == ("ECB", "https://www.ecb.europa.eu/")
    assert source.retrieved_at == window("2026-W44").end
    assert all(claim.evidence == (source.evidence_id,) for claim in result.claims)


def test_the_same_request_always_gives_the_same_result() -> None:
    assert research("GBP/USD", "2016-W25") == research("GBP/USD", "2016-W25")


def test_a_pair_the_source_does_not_have_is_missing_and_no_failure() -> None:
    answer = history("USD/TWD", [], window("2026-W44").end)
    result = research("USD/TWD", "2026-W44", answer)
    assert result.missing == ("USD/TWD: nothing in the range",)
    assert result.claims == ()
    assert result.events == ()
    assert result.confidence == 0.1


def test_a_window_without_fixings_is_missing_with_the_last_day_known() -> None:
    end = window("2026-W44").end
    old = [f for f in real_fixings("USD/JPY") if date(2025, 10, 1) < f[0] < date(2026, 10, 20)]
    result = research("USD/JPY", "2026-W44", history("USD/JPY", old, end))
    assert result.missing == (
        "USD/JPY: no usable fixing in the window; the last one is of 19 Oct 2026",
    )
    assert result.ends_on == date(2026, 10, 19)
    assert result.claims == ()


def of_a_question_in_a_week_without_fixings(**parameters: str) -> ResearchResult:
    old = [f for f in real_fixings("USD/JPY") if date(2025, 8, 1) < f[0] < date(2026, 10, 20)]
    answer = answered(HISTORICAL, history("USD/JPY", old, window("2026-W44").end))
    asked = request(TaskType.RESEARCH_FX, pair_market(), "2026-W44", results=[answer])
    query = Query(question="Is it cheap?", parameters=parameters)
    assignment = asked.assignment.model_copy(update={"query": query})
    result = builtin_turn(asked.model_copy(update={"assignment": assignment})).result
    assert isinstance(result, ResearchResult)
    assert result.ends_on == date(2026, 10, 19)
    return result


def test_a_question_whose_days_have_no_fixing_is_told_the_day_to_ask_as_of() -> None:
    result = of_a_question_in_a_week_without_fixings(period_read="this week")
    (line,) = result.missing
    assert line.endswith("is of 19 Oct 2026; --as-of 2026-10-19 answers as of then")
    levels = {Metric.LAST, Metric.YEAR_HIGH, Metric.YEAR_LOW, Metric.RANGE_POSITION}
    assert {claim.metric for claim in result.claims} == levels


def test_a_question_of_now_is_told_the_newest_fixing_and_that_it_is_old() -> None:
    result = of_a_question_in_a_week_without_fixings()
    last = next(claim for claim in result.claims if claim.metric is Metric.LAST)
    assert last.as_of == date(2026, 10, 19)
    (line,) = result.missing
    assert line.endswith("told is the newest, of 19 Oct 2026")


def test_a_short_history_says_which_figures_it_cannot_give() -> None:
    end = window("2026-W44").end
    short = [f for f in real_fixings("USD/JPY") if f[0] >= date(2026, 7, 1)]
    result = research("USD/JPY", "2026-W44", history("USD/JPY", short, end))
    assert [reason.partition(",")[0] for reason in result.missing] == [
        "USD/JPY: no 52-week range",
        "USD/JPY: no z-score",
    ]
    assert len(result.events) == 1
    assert result.confidence == 0.8


def test_without_a_level_before_the_window_there_is_no_move_and_no_event() -> None:
    end = window("2026-W44").end
    new = [f for f in real_fixings("USD/JPY") if f[0] >= date(2026, 10, 26)]
    result = research("USD/JPY", "2026-W44", history("USD/JPY", new, end))
    assert result.events == ()
    assert result.missing[0].startswith("USD/JPY: no move")
    assert any(claim.metric is Metric.LAST for claim in result.claims)


def test_a_leap_on_the_last_day_is_warned_about() -> None:
    answer = real_history("USD/JPY", "2026-W44")
    leap = answer.model_copy(
        update={"values": (*answer.values[:-1], answer.values[-1] * Decimal("1.1"))}
    )
    result = research("USD/JPY", "2026-W44", leap)
    assert "cannot be told from an error" in result.warnings[0]
    assert result.suspects == ()
    assert len(result.events) == 1


def test_a_week_that_ends_early_is_warned_about() -> None:
    answer = real_history("USD/JPY", "2026-W44")
    until_tuesday = answer.model_copy(
        update={"days": answer.days[:-3], "values": answer.values[:-3]}
    )
    result = research("USD/JPY", "2026-W44", until_tuesday)
    assert result.warnings == ("USD/JPY: the last fixing is of 27 Oct 2026, early in the window",)


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (ToolStatus.UNAVAILABLE, FailureType.TOOL_UNAVAILABLE),
        (ToolStatus.REFUSED, FailureType.TOOL_REFUSED),
    ],
)
def test_a_tool_that_does_not_answer_ends_in_a_failure_that_can_be_reassigned(
    status: ToolStatus, failure: FailureType
) -> None:
    result = failed(HISTORICAL, status, "the ECB server is not running")
    answer = turn(pair_market("USD/JPY"), "2026-W44", [result])
    assert answer.result is None
    assert answer.failure is not None
    assert answer.failure.error_type == failure
    assert answer.failure.agent is AgentId.RESEARCH_AGENT_1
    assert answer.failure.tool == "get_historical"
    assert answer.failure.error_message == (
        "get_historical for USD/JPY in 2026-W44: the ECB server is not running"
    )


def test_an_answer_of_another_shape_is_a_failure() -> None:
    result = failed(HISTORICAL, ToolStatus.OK, "").model_copy(update={"content": {"x": 1}})
    answer = turn(pair_market("USD/JPY"), "2026-W44", [result])
    assert answer.failure is not None
    assert answer.failure.error_type == FailureType.TURN_FAILED


@pytest.mark.parametrize(
    "answer",
    [
        real_history("EUR/USD", "2026-W44"),
        history("USD/JPY", [(date(2026, 10, 29), Decimal(0))], window("2026-W44").end),
        history(
            "USD/JPY",
            [(date(2026, 10, 29), Decimal(1)), (date(2026, 10, 29), Decimal(2))],
            window("2026-W44").end,
        ),
    ],
    ids=["another pair", "a level of zero", "a day twice"],
)
def test_an_answer_that_cannot_be_right_is_a_failure(answer: History) -> None:
    refused = turn(pair_market("USD/JPY"), "2026-W44", [answered(HISTORICAL, answer)])
    assert refused.failure is not None
    assert refused.failure.error_type == FailureType.TURN_FAILED


def test_results_of_another_tool_do_not_stand_in_for_the_history() -> None:
    other = answered(call("ecb", "get_quote"), real_history("USD/JPY", "2026-W44"))
    answer = turn(pair_market("USD/JPY"), "2026-W44", [other])
    assert answer.failure is not None
    assert "there is no result of it" in answer.failure.error_message


def test_a_task_without_a_market_is_refused() -> None:
    answer = builtin_turn(request(TaskType.RESEARCH_FX, None))
    assert answer.failure is not None
    assert answer.failure.error_type == FailureType.UNUSABLE_REQUEST


@pytest.mark.parametrize(
    ("move", "score", "pegged", "said"),
    [
        ("1.00", "1.9", False, "rose"),
        ("-1.00", "-1.9", False, "fell"),
        ("3.00", "2.0", False, "rose sharply"),
        ("-3.00", "-2.0", False, "fell sharply"),
        ("0.09", "2.5", False, "was little changed"),
        ("0.09", None, True, "rose"),
        ("-0.01", None, True, "was little changed"),
    ],
)
def test_the_verb_follows_the_size_of_the_move(
    move: str, score: str | None, said: str, *, pegged: bool
) -> None:
    z_score = Decimal(score) if score else None
    assert verb(Decimal(move), z_score, pegged=pegged) == said


def test_a_window_in_another_zone_is_counted_in_its_own_days() -> None:
    base = request(TaskType.RESEARCH_FX, pair_market("USD/JPY"))
    shifted = base.assignment.window.model_copy(
        update={
            "start": base.assignment.window.start - timedelta(hours=9),
            "time_zone": "Asia/Tokyo",
        }
    )
    assignment = base.assignment.model_copy(update={"window": shifted})
    (asked,) = builtin_turn(base.model_copy(update={"assignment": assignment})).calls
    assert asked.arguments["start"] == "2025-09-28"


@pytest.mark.parametrize(
    ("pair", "week", "leaning"),
    [
        ("USD/JPY", "2026-W44", Leaning.UP),
        ("USD/CHF", "2015-W03", Leaning.DOWN),
        ("USD/HKD", "2026-W42", Leaning.NEUTRAL),
    ],
)
def test_the_view_of_a_pair_is_the_direction_of_its_printed_move(
    pair: str, week: str, leaning: Leaning
) -> None:
    result = research(pair, week)
    (view,) = result.views
    assert (view.kind, view.subject, view.leaning) == (ViewKind.DIRECTION, pair, leaning)
    assert view.claims == (f"{pair}:move",)
    assert view.confidence == result.confidence


def test_without_a_move_there_is_no_view() -> None:
    answer = real_history("USD/JPY", "2026-W44")
    cut = answer.model_copy(update={"days": answer.days[-3:], "values": answer.values[-3:]})
    assert research("USD/JPY", "2026-W44", cut).views == ()


def test_the_view_says_how_likely_the_pair_is_higher_in_four_weeks() -> None:
    (view,) = research("USD/JPY", "2026-W44").views
    assert view.forecast is not None
    assert view.forecast.weeks == 4
    assert 0.1 < view.forecast.probability < 0.9
    assert 0.01 < view.forecast.deviation < 0.06


def test_a_suspect_fixing_has_no_part_in_the_forecast() -> None:
    answer = real_history("USD/HKD", "2026-W44")
    # A Friday long past, at two percent from what it was.
    place = answer.days.index(date(2026, 5, 15))
    spiked = list(answer.values)
    spiked[place] = (spiked[place] * Decimal("0.98")).quantize(spiked[place])
    leapt = answer.model_copy(update={"values": tuple(spiked)})
    result = research("USD/HKD", "2026-W44", leapt)
    assert [suspect.day for suspect in result.suspects] == [date(2026, 5, 15)]
    gone = answer.model_copy(
        update={
            "days": answer.days[:place] + answer.days[place + 1 :],
            "values": answer.values[:place] + answer.values[place + 1 :],
        }
    )
    expected = research("USD/HKD", "2026-W44", gone).views[0].forecast
    assert expected is not None
    assert result.views[0].forecast == expected


def test_a_short_history_gives_a_view_without_a_forecast() -> None:
    end = window("2026-W44").end
    short = [f for f in real_fixings("USD/JPY") if f[0] >= date(2026, 7, 1)]
    (view,) = research("USD/JPY", "2026-W44", history("USD/JPY", short, end)).views
    assert view.forecast is None


def test_the_source_is_listed_with_who_first_published_it() -> None:
    (listed,) = research("USD/JPY", "2026-W44").sources
    assert listed.origin == "European Central Bank"


def test_a_history_of_a_secondary_source_in_anothers_place_is_told_and_trusted_less() -> None:
    answer = real_history("USD/JPY", "2026-W44")
    ordinary = research("USD/JPY", "2026-W44", answer)
    by = answer.source.model_copy(update={"name": "Yahoo", "tier": SourceTier.SECONDARY})
    elsewhere = call("yahoo_finance", "get_historical", symbol="USD/JPY")
    stood_in = answered(elsewhere, answer.model_copy(update={"source": by})).model_copy(
        update={"in_place_of": "ecb.get_historical: it is down"}
    )
    result = turn(pair_market("USD/JPY"), "2026-W44", [stood_in]).result
    assert isinstance(result, ResearchResult)
    assert {c.claim_id: c.value for c in result.claims} == {
        c.claim_id: c.value for c in ordinary.claims
    }
    assert result.confidence == pytest.approx(ordinary.confidence - 0.1)
    assert [source.tier for source in result.sources] == [SourceTier.SECONDARY]
    assert set(result.warnings) - set(ordinary.warnings) == {
        "USD/JPY: history: yahoo_finance answered in place of a source that could not"
    }
