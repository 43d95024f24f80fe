"""What the figures of a blackboard say, by rules."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.units import UNITS
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import Finding, Leaning, ResearchResult
from desk.contracts.names import AgentId
from desk.programs.episode.actions import DATA, PART_METRICS, Pointer, pointers_of
from desk.programs.episode.insights import insights
from desk.programs.episode.wording import Topic, statement
from desk.trust.prose.gate import rejected_figures
from desk.trust.prose.prose_review import review
from desk.trust.prose.references import REFERENCE, references, render
from tests.unit.programs.episode.builtin.test_stock_board import (
    ADVANCED,
    BASIC,
    FOUND,
    FUNDAMENTALS,
    a_value,
)

UP, DOWN, NEUTRAL = Leaning.UP, Leaning.DOWN, Leaning.NEUTRAL
ALL = {metric: float(value) for action in DATA for metric, value in FOUND[action].items()}
LEVELS = frozenset(metric for metric in ALL if UNITS[metric] is Unit.LEVEL)

M = Metric


def said(topic: Topic, values: Mapping[Metric, float]) -> tuple[Leaning, float]:
    """What is said on a topic, with how much strength."""
    (found,) = (pointer for pointer in insights(values) if pointer.topic == topic)
    return found.leaning, found.strength


@st.composite
def some_figures(draw: st.DrawFn) -> dict[Metric, float]:
    """Figures of any parts, any of them lacking, and not always of one sense."""
    metrics = [metric for action in DATA for metric in PART_METRICS[action]]
    return {metric: float(draw(a_value(metric))) for metric in metrics if draw(st.booleans())}


CASES: list[tuple[Topic, dict[Metric, float], Leaning, float]] = [
    (Topic.TREND, {M.QUARTER_MOVE: 20, M.VOLATILITY: 40}, UP, 0.5),
    (Topic.TREND, {M.QUARTER_MOVE: -60, M.VOLATILITY: 40}, DOWN, 1.0),
    (Topic.TREND, {M.QUARTER_MOVE: -9, M.VOLATILITY: 40}, NEUTRAL, 0.55),
    (Topic.LONG_TREND, {M.LAST: 110, M.SMA_200: 100, M.ADX: 20}, UP, 0.4),
    (Topic.LONG_TREND, {M.LAST: 90, M.SMA_200: 100, M.VOLATILITY: 40}, DOWN, 0.25),
    (Topic.LONG_TREND, {M.LAST: 100, M.SMA_200: 100, M.ADX: 20}, NEUTRAL, 0.4),
    (Topic.AVERAGES, {M.SMA_50: 110, M.SMA_200: 100, M.VOLATILITY: 40}, UP, 0.25),
    (Topic.AVERAGES, {M.SMA_50: 90, M.SMA_200: 100, M.VOLATILITY: 5}, DOWN, 1.0),
    (Topic.MOMENTUM, {M.MACD_HISTOGRAM: -5, M.VOLATILITY: 40}, DOWN, 1.0),
    (Topic.MOMENTUM, {M.MACD_HISTOGRAM: 0, M.VOLATILITY: 40}, NEUTRAL, 0.0),
    (Topic.YEAR, {M.YEAR_MOVE: 40, M.VOLATILITY: 40}, UP, 0.5),
    (Topic.YEAR, {M.YEAR_MOVE: 10, M.VOLATILITY: 40}, NEUTRAL, 0.75),
    (Topic.PLACE, {M.LAST: 195, M.YEAR_LOW: 100, M.YEAR_HIGH: 200}, UP, 0.9),
    (Topic.PLACE, {M.LAST: 105, M.YEAR_LOW: 100, M.YEAR_HIGH: 200}, DOWN, 0.9),
    (Topic.PLACE, {M.LAST: 150, M.YEAR_LOW: 100, M.YEAR_HIGH: 200}, NEUTRAL, 1.0),
    (Topic.MONTH, {M.MONTH_MOVE: 40, M.VOLATILITY: 40}, DOWN, 0.866),
    (Topic.MONTH, {M.MONTH_MOVE: -40, M.VOLATILITY: 40}, UP, 0.866),
    (Topic.MONTH, {M.MONTH_MOVE: 0, M.VOLATILITY: 40}, NEUTRAL, 1.0),
    (Topic.STRETCH, {M.RSI: 80}, DOWN, 0.6),
    (Topic.STRETCH, {M.RSI: 20}, UP, 0.6),
    (Topic.STRETCH, {M.RSI: 70}, NEUTRAL, 0.0),
    (Topic.BANDS, {M.BOLLINGER_POSITION: 110}, DOWN, 0.6),
    (Topic.BANDS, {M.BOLLINGER_POSITION: -10}, UP, 0.6),
    (Topic.BANDS, {M.BOLLINGER_POSITION: 75}, NEUTRAL, 0.5),
    (Topic.STRENGTH, {M.ADX: 30, M.MONTH_MOVE: 3}, UP, 0.6),
    (Topic.STRENGTH, {M.ADX: 30, M.MONTH_MOVE: -3}, DOWN, 0.6),
    (Topic.STRENGTH, {M.ADX: 10, M.MONTH_MOVE: -3}, NEUTRAL, 0.6),
    (Topic.LINE, {M.TARGET: 200, M.EXPECTED_LOW: 50, M.EXPECTED_HIGH: 200}, UP, 0.5),
    (Topic.LINE, {M.TARGET: 25, M.EXPECTED_LOW: 50, M.EXPECTED_HIGH: 200}, DOWN, 1.0),
    (Topic.LINE, {M.TARGET: 100, M.EXPECTED_LOW: 50, M.EXPECTED_HIGH: 200}, NEUTRAL, 1.0),
    (Topic.NEWS_TONE, {M.NEWS_TONE: 50}, UP, 0.2),
    (Topic.NEWS_TONE, {M.NEWS_TONE: -100, M.NEWS_COUNT: 1}, DOWN, 0.08),
    (Topic.NEWS_TONE, {M.NEWS_TONE: 4, M.NEWS_COUNT: 9}, NEUTRAL, 0.4),
    (Topic.EARNINGS_MULTIPLE, {M.PRICE_TO_EARNINGS: 8}, UP, 0.5),
    (Topic.EARNINGS_MULTIPLE, {M.PRICE_TO_EARNINGS: 80}, DOWN, 0.5),
    (Topic.EARNINGS_MULTIPLE, {M.PRICE_TO_EARNINGS: 20}, NEUTRAL, 0.5),
    (Topic.BOOK_MULTIPLE, {M.PRICE_TO_BOOK: 1.5}, UP, 0.5),
    (Topic.BOOK_MULTIPLE, {M.PRICE_TO_BOOK: 6}, DOWN, 0.5),
    (Topic.GROWTH, {M.REVENUE_GROWTH: 25}, UP, 0.25),
    (Topic.GROWTH, {M.REVENUE_GROWTH: -80}, DOWN, 0.5),
    (Topic.EARNINGS, {M.EARNINGS_SURPRISE: -10}, DOWN, 0.25),
    (Topic.EARNINGS, {M.EARNINGS_SURPRISE: 0}, NEUTRAL, 0.0),
    (Topic.MARGIN, {M.NET_MARGIN: 30}, UP, 0.5),
    (Topic.MARGIN, {M.NET_MARGIN: 15}, UP, 0.25),
    (Topic.MARGIN, {M.NET_MARGIN: -3}, DOWN, 0.05),
    (Topic.MARGIN, {M.NET_MARGIN: 10}, NEUTRAL, 0.5),
    (Topic.DEBT, {M.DEBT_TO_EQUITY: 4}, DOWN, 0.5),
    (Topic.DEBT, {M.DEBT_TO_EQUITY: 1}, NEUTRAL, 0.5),
]


@pytest.mark.parametrize(("topic", "values", "leaning", "strength"), CASES)
def test_a_rule_says_what_it_is_written_to_say(
    topic: Topic, values: dict[Metric, float], leaning: Leaning, strength: float
) -> None:
    way, how_strongly = said(topic, values)
    assert way is leaning
    assert how_strongly == pytest.approx(strength)


@pytest.mark.parametrize(("target", "way"), [(40.0, "down"), (230.0, "up")])
def test_a_line_that_leads_out_of_the_expected_range_is_not_said_to_end_in_it(
    target: float, way: str
) -> None:
    values = {M.TARGET: target, M.EXPECTED_LOW: 50.0, M.EXPECTED_HIGH: 200.0}
    (pointer,) = insights(values)
    told = statement(pointer, "NVDA")
    assert f"leads {way}, to [[NVDA:target]]; the expected range is from" in told
    assert " in " not in told


def test_every_topic_is_spoken_of_once_and_in_order_where_nothing_is_lacking() -> None:
    assert [pointer.topic for pointer in insights(ALL)] == list(Topic)


def test_without_figures_nothing_is_said() -> None:
    assert insights({}) == ()


@pytest.mark.parametrize(
    "values",
    [
        {**ALL, M.VOLATILITY: 0.0},
        {**ALL, M.SMA_200: 0.0},
        {**ALL, M.YEAR_HIGH: 38.0},
        {**ALL, M.EXPECTED_LOW: 137.34},
        {**ALL, M.TARGET: -1.0},
        {**ALL, M.PRICE_TO_EARNINGS: -7.0},
        {**ALL, M.DEBT_TO_EQUITY: -3.0},
    ],
)
def test_a_figure_that_nothing_can_be_held_against_leaves_its_rules_silent(
    values: dict[Metric, float],
) -> None:
    topics = [pointer.topic for pointer in insights(values)]
    assert len(topics) < len(Topic)
    assert topics == [topic for topic in Topic if topic in topics]


@given(some_figures())
def test_insights_rest_on_figures_that_are_there_and_are_the_same_each_time(
    values: dict[Metric, float],
) -> None:
    found = insights(values)
    assert found == insights(dict(reversed(values.items())))
    for pointer in found:
        assert set(pointer.metrics) <= set(values)
        assert 0.0 <= pointer.strength <= 1.0
        assert pointer.leaning in {UP, DOWN, NEUTRAL}


@pytest.mark.parametrize("metric", ALL)
def test_what_a_figure_changes_rests_on_it(metric: Metric) -> None:
    before = set(insights(ALL))
    for other in (0.1, 30.0, -30.0):
        after = set(insights({**ALL, metric: ALL[metric] * other}))
        assert all(metric in pointer.metrics for pointer in before ^ after)
    # A count of patterns has no direction, and a week's move is no more than a figure.
    said_of_it = any(metric in pointer.metrics for pointer in before)
    assert said_of_it is (metric not in {M.MOVE, M.PATTERN_COUNT})


@given(some_figures(), st.data())
def test_a_rule_changes_only_with_the_figures_that_it_rests_on(
    values: dict[Metric, float], data: st.DataObject
) -> None:
    found = insights(values)
    gone = set(data.draw(st.lists(st.sampled_from(list(ALL)), max_size=6)))
    left = insights({metric: value for metric, value in values.items() if metric not in gone})
    assert [pointer for pointer in left if pointer in found] == [
        pointer for pointer in found if not gone & set(pointer.metrics)
    ]


@given(some_figures(), st.sampled_from((0.25, 0.5, 2.0, 4.0, 16.0)))
def test_a_split_changes_nothing(values: dict[Metric, float], ratio: float) -> None:
    split = {
        metric: value * ratio if metric in LEVELS else value for metric, value in values.items()
    }
    assert insights(split) == insights(values)


def test_a_split_of_ten_for_one_changes_nothing() -> None:
    split = {metric: v / 10 if metric in LEVELS else v for metric, v in ALL.items()}
    for before, after in zip(insights(ALL), insights(split), strict=True):
        assert after.leaning is before.leaning
        assert after.strength == pytest.approx(before.strength, abs=0.001)


def claims_of(values: Mapping[Metric, float]) -> dict[str, Claim]:
    found = {}
    for metric, value in values.items():
        name = claim_id("NVDA", metric)
        found[name] = Claim(
            claim_id=name,
            subject="NVDA",
            metric=metric,
            value=Decimal(str(value)),
            unit=UNITS[metric],
            as_of=date(2024, 6, 10),
            evidence=("e1",),
        )
    return found


def pointer_of(topic: str, leaning: Leaning) -> Pointer:
    """A pointer that rests on all figures, so that it may name any."""
    return Pointer(topic, leaning, 0.5, tuple(ALL))


@pytest.mark.parametrize("topic", Topic)
def test_a_topic_has_words_of_its_own_for_each_way(topic: Topic) -> None:
    words = {statement(pointer_of(topic, leaning), "NVDA") for leaning in (UP, DOWN, NEUTRAL)}
    assert len(words) == 3
    assert words.isdisjoint(statement(pointer_of("else", each), "NVDA") for each in Leaning)


@pytest.mark.parametrize("topic", [*Topic, "a model's own 3rd topic"])
@pytest.mark.parametrize("leaning", Leaning)
def test_words_hold_no_figure_and_pass_the_gate_as_they_are(topic: str, leaning: Leaning) -> None:
    month = ALL[Metric.MONTH_MOVE]
    claims = claims_of({**ALL, Metric.MONTH_MOVE: -month if leaning is DOWN else month})
    prose = statement(pointer_of(topic, leaning), "NVDA")
    bare = REFERENCE.sub("", prose)
    assert not any(sign.isdigit() or sign in "{}[]" for sign in bare)
    assert rejected_figures(prose, claims) == ()
    assert "[[" not in render(prose, claims)


@given(some_figures())
def test_words_refer_only_to_figures_that_the_insight_rests_on(values: dict[Metric, float]) -> None:
    for pointer in insights(values):
        rests_on = {claim_id("NVDA", metric) for metric in pointer.metrics}
        named = references(statement(pointer, "NVDA"))
        assert named
        assert set(named) <= rests_on


@given(some_figures())
def test_insights_come_back_from_an_agents_result_as_they_were(values: dict[Metric, float]) -> None:
    found = insights(values)
    result = ResearchResult(
        result_id="GENERATE_INSIGHT",
        task_id="GENERATE_INSIGHT",
        agent=AgentId.INSIGHT_AGENT,
        market="NVDA",
        claims=tuple(claims_of(values).values()),
        findings=tuple(
            Finding(
                topic=pointer.topic,
                statement=statement(pointer, "NVDA"),
                confidence=pointer.strength,
                claims=tuple(claim_id("NVDA", metric) for metric in pointer.metrics),
                leaning=pointer.leaning,
            )
            for pointer in found
        ),
        confidence=0.5,
    )
    assert review(result) == ()
    told = [pointer._replace(statement=statement(pointer, "NVDA")) for pointer in found]
    assert list(pointers_of(result)) == told


def test_words_print_as_a_sentence() -> None:
    claims = claims_of(ALL)
    printed = {p.topic: render(statement(p, "NVDA"), claims) for p in insights(ALL)}
    assert printed[Topic.STRETCH] == (
        "The price is overbought: its relative strength index is 73.1."
    )
    assert printed[Topic.PLACE] == "At 121.79 the price is near the high of its year, 122.44."
    assert set(ADVANCED) | set(FUNDAMENTALS) | set(BASIC) <= set(ALL)
