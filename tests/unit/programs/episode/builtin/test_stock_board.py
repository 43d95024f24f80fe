"""The blackboard of a stock's episode, written by whatever order of actions."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.units import UNITS
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import MOST_STEPS, Blackboard, Recommended, StockRecommendation
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import Finding, Leaning, ResearchResult
from desk.contracts.names import AgentId
from desk.programs.episode.actions import (
    DATA,
    ORDER,
    PART_FIELDS,
    PART_METRICS,
    Pointer,
    pointers_of,
    values_of,
    why_not,
)
from desk.programs.episode.blackboard import MOST_INSIGHTS, NotNow, StockBoard, Values
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import recommend

AS_OF = datetime(2024, 6, 10, 22, tzinfo=UTC)
DAY = date(2024, 6, 10)
FRIDAY = date(2024, 6, 7)

Figures = Mapping[Metric, Decimal]

BASIC = {
    Metric.LAST: Decimal("121.79"),
    Metric.MOVE: Decimal("5.97"),
    Metric.MONTH_MOVE: Decimal("35.50"),
    Metric.QUARTER_MOVE: Decimal("39.16"),
    Metric.YEAR_MOVE: Decimal("214.21"),
    Metric.YEAR_HIGH: Decimal("122.44"),
    Metric.YEAR_LOW: Decimal("38.00"),
    Metric.VOLATILITY: Decimal("51.70"),
    Metric.RSI: Decimal("73.1"),
    Metric.SMA_50: Decimal("94.20"),
    Metric.SMA_200: Decimal("63.45"),
}
ADVANCED = {
    Metric.MACD_HISTOGRAM: Decimal("0.90"),
    Metric.ADX: Decimal("36.0"),
    Metric.BOLLINGER_POSITION: Decimal("92.10"),
    Metric.TARGET: Decimal("129.00"),
    Metric.PATTERN_COUNT: Decimal(7),
    Metric.EXPECTED_LOW: Decimal("108.00"),
    Metric.EXPECTED_HIGH: Decimal("137.34"),
}
FUNDAMENTALS = {
    Metric.PRICE_TO_EARNINGS: Decimal("71.20"),
    Metric.PRICE_TO_BOOK: Decimal("60.90"),
    Metric.NET_MARGIN: Decimal("48.85"),
    Metric.DEBT_TO_EQUITY: Decimal("0.26"),
    Metric.REVENUE_GROWTH: Decimal("125.85"),
    Metric.EARNINGS_SURPRISE: Decimal("9.50"),
}
FOUND: Mapping[StockAction, Figures] = {
    StockAction.FETCH_NEWS: {Metric.NEWS_COUNT: Decimal(6)},
    StockAction.FETCH_FUNDAMENTALS: FUNDAMENTALS,
    StockAction.FETCH_SENTIMENT: {Metric.NEWS_TONE: Decimal("21.5")},
    StockAction.RUN_TA_BASIC: BASIC,
    StockAction.RUN_TA_ADVANCED: ADVANCED,
    StockAction.EVALUATE_PERFORMANCE: {
        Metric.ENTRY: Decimal("121.79"),
        Metric.EXIT: Decimal("128.20"),
        Metric.FORWARD_MOVE: Decimal("5.26"),
        Metric.REWARD: Decimal("0.32"),
    },
}
"""What each action could find."""


def board(weeks: int = 4) -> StockBoard:
    return StockBoard("NVDA", AS_OF, weeks)


def take(on: StockBoard, action: StockAction, found: Values | None = None) -> None:
    """Carry out an action as an episode does."""
    figures = FOUND.get(action, {}) if found is None else found
    if action in DATA:
        on.write_part(action, figures, DAY)
    elif action is StockAction.GENERATE_INSIGHT:
        on.write_insights(insights(on.values))
    elif action is StockAction.GENERATE_RECOMMENDATION:
        on.write_recommendation(recommend(on.pointers, on))
    else:
        on.write_evaluation(figures, DAY)


def after(*actions: StockAction) -> StockBoard:
    on = board()
    for action in actions:
        take(on, action)
    return on


def a_value(metric: Metric) -> st.SearchStrategy[Decimal]:
    """A figure as a tool prints it."""
    low, high = {
        Unit.LEVEL: ("0.01", "5000"),
        Unit.INDEX: ("0", "100"),
        Unit.COUNT: ("0", "90"),
        Unit.RATIO: ("-5", "300"),
    }.get(UNITS[metric], ("-99", "900"))
    return st.decimals(low, high, places=2)


@st.composite
def figures(draw: st.DrawFn, action: StockAction) -> dict[Metric, Decimal]:
    """What an action finds: any of its figures, and any of them lacking."""
    metrics = PART_METRICS.get(action, ())
    return {metric: draw(a_value(metric)) for metric in metrics if draw(st.booleans())}


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[StockAction, dict[Metric, Decimal]]]:
    """Actions in any order, with the whole of the fixed order among them or not, each with what it
    finds."""
    some = st.lists(st.sampled_from(StockAction), max_size=8)
    chosen = [*draw(some), *draw(st.sampled_from([(), ORDER[:-1], ORDER])), *draw(some)]
    return [(action, draw(figures(action))) for action in chosen]


def test_every_field_is_there_from_the_start() -> None:
    told = board(weeks=8).snapshot()
    assert (told.symbol, told.as_of, told.weeks) == ("NVDA", AS_OF, 8)
    assert told == Blackboard(symbol="NVDA", as_of=AS_OF, weeks=8)


def test_an_episode_in_the_fixed_order_fills_every_part() -> None:
    told = after(*ORDER).snapshot()
    assert told.taken == ORDER
    assert all(getattr(told, PART_FIELDS[action]) for action in ORDER)
    assert told.ta_basic_data is not None
    assert {f.metric: f.value for f in told.ta_basic_data.figures} == BASIC
    assert told.ta_basic_data.lacking == ()
    assert told.evaluation is not None
    assert told.evaluation.reward == Decimal("0.32")
    assert told.evaluation.lacking == (
        Metric.CASH_MOVE,
        Metric.RISK,
        Metric.OVER_CASH,
        Metric.OVER_HOLDING,
    )


def test_a_part_that_found_nothing_lacks_all_its_figures() -> None:
    on = board()
    on.write_part(StockAction.FETCH_FUNDAMENTALS, {}, DAY)
    part = on.snapshot().fundamentals_data
    assert part is not None
    assert part.figures == ()
    assert part.lacking == tuple(FUNDAMENTALS)
    assert StockAction.FETCH_FUNDAMENTALS in on.lacking_parts


@pytest.mark.parametrize("no_number", [nan, inf, -inf, Decimal("NaN"), Decimal("Infinity")])
def test_what_is_no_finite_number_is_lacking(no_number: float) -> None:
    on = board()
    on.write_part(StockAction.RUN_TA_BASIC, {**BASIC, Metric.RSI: no_number}, DAY)
    part = on.snapshot().ta_basic_data
    assert part is not None
    assert part.lacking == (Metric.RSI,)
    assert Metric.RSI not in on.values


def test_a_figure_without_a_day_is_lacking() -> None:
    on = board()
    days: dict[Metric, date] = dict.fromkeys(BASIC, FRIDAY)
    del days[Metric.MOVE]
    on.write_part(StockAction.RUN_TA_BASIC, BASIC, days)
    part = on.snapshot().ta_basic_data
    assert part is not None
    assert part.lacking == (Metric.MOVE,)
    assert {figure.as_of for figure in part.figures} == {FRIDAY}


def test_a_part_takes_only_figures_that_belong_to_it() -> None:
    on = board()
    on.write_part(StockAction.FETCH_SENTIMENT, {**FOUND[StockAction.FETCH_SENTIMENT], **BASIC}, DAY)
    assert set(on.values) == {Metric.NEWS_TONE}


def test_a_repeated_action_writes_its_part_anew() -> None:
    on = after(StockAction.RUN_TA_BASIC, StockAction.FETCH_NEWS)
    on.write_part(StockAction.RUN_TA_BASIC, {Metric.RSI: 40.0}, DAY)
    assert on.values == {Metric.RSI: 40.0, Metric.NEWS_COUNT: 6.0}
    part = on.snapshot().ta_basic_data
    assert part is not None
    assert [figure.value for figure in part.figures] == [Decimal("40.0")]


def test_only_actions_with_data_write_a_part() -> None:
    with pytest.raises(ValueError, match="GENERATE_INSIGHT"):
        board().write_part(StockAction.GENERATE_INSIGHT, {}, DAY)


def test_an_action_that_makes_no_sense_says_why_and_changes_nothing() -> None:
    on = after(StockAction.FETCH_NEWS)
    before = on.snapshot()
    chosen = StockRecommendation(action=Recommended.BUY, confidence=1.0, probability=0.6)
    with pytest.raises(NotNow, match="GENERATE_RECOMMENDATION: no insights"):
        on.write_recommendation(chosen)
    assert on.snapshot() == before


def test_the_reward_is_that_of_the_evaluation() -> None:
    assert after(*ORDER[:-1]).reward is None
    assert after(*ORDER).reward == Decimal("0.32")
    without = after(*ORDER[:-1])
    without.write_evaluation({Metric.ENTRY: 121.79, Metric.EXIT: 128.2}, DAY)
    assert without.reward is None
    told = without.snapshot().evaluation
    assert told is not None
    assert told.reward is None


def test_the_evaluation_is_no_figure_that_an_insight_could_read() -> None:
    assert after(*ORDER).values == after(*ORDER[:-1]).values


def test_more_insights_than_a_blackboard_holds_are_cut() -> None:
    on = after(StockAction.FETCH_NEWS)
    many = [Pointer(f"topic {n}", Leaning.UP, 0.5, tuple(Metric)) for n in range(60)]
    on.write_insights(many)
    assert len(on.snapshot().insights) == MOST_INSIGHTS


@given(steps())
def test_floats_and_decimals_give_the_same_blackboard(
    taken: list[tuple[StockAction, dict[Metric, Decimal]]],
) -> None:
    exact, binary = board(), board()
    for action, found in taken:
        if why_not(exact, action) is None:
            take(exact, action, found)
            take(binary, action, {metric: float(value) for metric, value in found.items()})
    assert exact.snapshot() == binary.snapshot()
    assert exact.values == binary.values


_OWN = {action: {field, "taken"} for action, field in PART_FIELDS.items()} | {
    StockAction.GENERATE_RECOMMENDATION: {
        "recommendation",
        "confidence",
        "probability",
        "reasons_for",
        "reasons_against",
        "taken",
    }
}


@given(steps())
def test_an_action_writes_its_own_part_only_or_is_refused(
    taken: list[tuple[StockAction, dict[Metric, Decimal]]],
) -> None:
    on = board()
    for action, found in taken:
        before = on.snapshot()
        reason = why_not(on, action)
        if reason is not None:
            with pytest.raises(NotNow) as refused:
                take(on, action, found)
            assert (refused.value.action, refused.value.reason) == (action, reason)
            assert on.snapshot() == before
            continue
        take(on, action, found)
        told = on.snapshot()
        assert told.taken == (*before.taken, action)
        others = set(Blackboard.model_fields) - _OWN[action]
        assert {name for name in others if getattr(told, name) != getattr(before, name)} == set()
        assert getattr(told, PART_FIELDS[action]) is not None


@given(steps())
def test_a_blackboard_that_was_told_can_be_read_back_and_written_on(
    taken: list[tuple[StockAction, dict[Metric, Decimal]]],
) -> None:
    on = board()
    for action, found in taken:
        back = StockBoard.read_back(Blackboard.model_validate_json(on.snapshot().model_dump_json()))
        assert back.snapshot() == on.snapshot()
        assert back.values == on.values
        assert back.lacking_parts == on.lacking_parts
        assert back.reward == on.reward
        if why_not(on, action) is None:
            take(on, action, found)
            take(back, action, found)
            assert back.snapshot() == on.snapshot()


def test_a_blackboard_takes_no_more_steps_than_it_can_tell() -> None:
    on = after(*[StockAction.FETCH_NEWS] * MOST_STEPS)
    with pytest.raises(NotNow, match="as many steps"):
        take(on, StockAction.FETCH_NEWS)
    assert len(on.snapshot().taken) == MOST_STEPS


def _claim(name: str, metric: Metric, value: str) -> Claim:
    return Claim(
        claim_id=name,
        subject=name.partition(":")[0],
        metric=metric,
        value=Decimal(value),
        unit=UNITS[metric],
        as_of=FRIDAY,
    )


def test_the_figures_of_a_part_are_its_own_claims_each_the_first() -> None:
    claims = (
        _claim("AAPL:rsi", Metric.RSI, "30.0"),
        _claim("NVDA:rsi", Metric.RSI, "73.1"),
        _claim("NVDA:rsi", Metric.RSI, "55.5"),
        _claim("NVDA:last@2024-05-31", Metric.LAST, "109.63"),
        _claim("NVDA:adx", Metric.ADX, "36.0"),
    )
    values, days = values_of(claims, StockAction.RUN_TA_BASIC, "NVDA")
    assert values == {Metric.RSI: Decimal("73.1")}
    assert days == {Metric.RSI: FRIDAY}
    assert values_of(claims, StockAction.GENERATE_INSIGHT, "NVDA") == ({}, {})


def test_insights_are_the_findings_that_point_somewhere() -> None:
    finding = Finding(
        topic="stretch",
        statement="It is overbought ([[NVDA:rsi]]).",
        confidence=0.46,
        claims=("NVDA:rsi", "AAPL:adx", "NVDA:rsi", "NVDA:made_up"),
        leaning=Leaning.DOWN,
    )
    result = ResearchResult(
        result_id="r",
        task_id="GENERATE_INSIGHT",
        agent=AgentId.INSIGHT_AGENT,
        market="NVDA",
        findings=(finding, finding.model_copy(update={"leaning": None})),
        confidence=0.5,
    )
    assert pointers_of(result) == (
        Pointer("stretch", Leaning.DOWN, 0.46, (Metric.RSI,), "It is overbought ([[NVDA:rsi]])."),
    )
