"""What the insights into a stock come to, and how sure that is."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.programs.episode import insights as rules_of_insights
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS, Pointer
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.insights import insights
from desk.programs.episode.recommendation import (
    LEAST_KNOWN,
    REACH,
    SURENESS,
    WEIGHTS,
    known,
    recommend,
)
from desk.programs.episode.wording import Topic
from desk.programs.swarm.balance import LEANS
from tests.support.processes.homes import PROJECT
from tests.unit.programs.episode.builtin.test_stock_board import DAY, FOUND, after, board
from tests.unit.programs.episode.builtin.test_stock_insights import some_figures

UP, DOWN, NEUTRAL = Leaning.UP, Leaning.DOWN, Leaning.NEUTRAL
TECHNICAL = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)

leanings = st.sampled_from(Leaning)
strengths = st.floats(0, 1).map(lambda strength: round(strength, 3))
pointers = st.lists(
    st.builds(Pointer, st.sampled_from("abcdef"), leanings, strengths, st.just(())), max_size=12
)


def pointing(*ways: tuple[Leaning, float]) -> list[Pointer]:
    return [
        Pointer(f"topic {n}", leaning, strength, ()) for n, (leaning, strength) in enumerate(ways)
    ]


def with_figures(values: dict[Metric, float]) -> StockBoard:
    on = board()
    for action in DATA:
        on.write_part(action, values, DAY)
    return on


@pytest.mark.parametrize(
    ("ways", "action"),
    [
        ([(UP, LEANS)], Recommended.BUY),
        ([(UP, LEANS - 0.001)], Recommended.HOLD),
        ([(DOWN, LEANS)], Recommended.SELL),
        ([(UP, 0.9), (DOWN, 0.9)], Recommended.HOLD),
        ([(UP, 0.9), (NEUTRAL, 0.1), (NEUTRAL, 1.0)], Recommended.BUY),
        ([(NEUTRAL, 0.4)], Recommended.HOLD),
        ([(UP, 0.0)], Recommended.ABSTAIN),
        ([(Leaning.ABSTAINS, 1.0)], Recommended.ABSTAIN),
        ([], Recommended.ABSTAIN),
    ],
)
def test_insights_come_to_an_action_by_their_balance(
    ways: list[tuple[Leaning, float]], action: Recommended
) -> None:
    assert recommend(pointing(*ways), after(*DATA)).action is action


def test_the_reasons_are_topics_the_strongest_first_and_each_once() -> None:
    found = [
        Pointer("trend", UP, 0.6, ()),
        Pointer("bands", DOWN, 0.2, ()),
        Pointer("momentum", UP, 0.9, ()),
        Pointer("trend", UP, 0.5, ()),
        Pointer("stretch", NEUTRAL, 0.4, ()),
        Pointer("month", DOWN, 0.0, ()),
    ]
    bought = recommend(found, after(*DATA))
    assert bought.action is Recommended.BUY
    assert bought.reasons_for == ("momentum", "trend")
    assert bought.reasons_against == ("bands",)


def test_a_hold_has_for_it_what_points_nowhere_and_an_abstention_has_no_reasons() -> None:
    torn = pointing((UP, 0.5), (DOWN, 0.5), (NEUTRAL, 0.3))
    held = recommend(torn, after(*DATA))
    assert held.action is Recommended.HOLD
    assert held.reasons_for == ("topic 2",)
    assert held.reasons_against == ("topic 0", "topic 1")
    abstained = recommend(torn, after(StockAction.FETCH_NEWS))
    assert abstained.action is Recommended.ABSTAIN
    assert (abstained.reasons_for, abstained.reasons_against) == ((), ())


def test_too_little_is_known_without_a_technical_part() -> None:
    up = pointing((UP, 1.0))
    others = [action for action in DATA if action not in TECHNICAL]
    assert recommend(up, after(StockAction.FETCH_FUNDAMENTALS)).action is Recommended.ABSTAIN
    assert recommend(up, after(*others)).action is Recommended.BUY
    for technical in TECHNICAL:
        assert recommend(up, after(technical)).action is Recommended.BUY
    assert min(WEIGHTS[technical] for technical in TECHNICAL) > LEAST_KNOWN


def test_prices_alone_are_enough_to_buy_with_less_confidence() -> None:
    offline = board()
    for action in DATA:
        offline.write_part(action, FOUND[action] if action in TECHNICAL else {}, DAY)
    found = insights(offline.values)
    bought = recommend(found, offline)
    assert bought.action is Recommended.BUY
    assert 0 < bought.confidence < recommend(found, after(*DATA)).confidence
    assert known(offline.values) == 0.6


def test_a_part_that_was_not_fetched_is_as_one_that_lacks_everything() -> None:
    lacking = after(*TECHNICAL)
    lacking.write_part(StockAction.FETCH_NEWS, {}, DAY)
    up = pointing((UP, 0.7))
    assert recommend(up, lacking) == recommend(up, after(*TECHNICAL))


def test_the_parts_weigh_one_together() -> None:
    assert set(WEIGHTS) == set(DATA)
    assert known(after(*DATA).values) == pytest.approx(sum(WEIGHTS.values())) == 1
    assert known({}) == 0


def test_the_document_gives_the_numbers_of_the_code() -> None:
    text = (PROJECT / "docs" / "stock.md").read_text(encoding="utf-8")
    for action, weight in WEIGHTS.items():
        assert f"`{PART_FIELDS[action]}` {weight}" in text
    assert f"below {LEAST_KNOWN} the agent abstains" in text
    assert f"buy from {LEANS}, sell from -{LEANS}" in text
    assert f"{SURENESS} times a share" in text
    assert f"0.5 + {REACH} x balance x what is known" in text
    rules = " ".join(str(rules_of_insights.__doc__).split())
    for topic in Topic:
        assert re.search(rf"{topic}[:,]", rules), topic


@given(pointers, some_figures())
def test_a_recommendation_stays_within_its_bounds_and_has_the_sign_of_its_balance(
    found: Sequence[Pointer], values: dict[Metric, float]
) -> None:
    chosen = recommend(found, with_figures(values))
    assert 0.5 - REACH <= chosen.probability <= 0.5 + REACH
    assert 0 <= chosen.confidence <= 0.8
    if chosen.action is Recommended.BUY:
        assert chosen.probability > 0.5
    elif chosen.action is Recommended.SELL:
        assert chosen.probability < 0.5
    elif chosen.action is Recommended.ABSTAIN:
        assert chosen.probability == 0.5


_TURNED = {UP: DOWN, DOWN: UP}
_OTHER_SIDE = {Recommended.BUY: Recommended.SELL, Recommended.SELL: Recommended.BUY}


@given(pointers, some_figures())
def test_the_opposite_insights_come_to_the_opposite(
    found: Sequence[Pointer], values: dict[Metric, float]
) -> None:
    on = with_figures(values)
    turned = [p._replace(leaning=_TURNED.get(p.leaning, p.leaning)) for p in found]
    one, other = recommend(found, on), recommend(turned, on)
    assert other.action is _OTHER_SIDE.get(one.action, one.action)
    assert other.confidence == one.confidence
    assert other.probability == pytest.approx(1 - one.probability)


@given(pointers, st.lists(st.sampled_from(DATA), unique=True), st.data())
def test_confidence_falls_with_every_part_that_is_lacking(
    found: Sequence[Pointer], had: list[StockAction], data: st.DataObject
) -> None:
    on = board()
    for action in had:
        on.write_part(action, FOUND[action], DAY)
    before = recommend(found, on)
    for action in data.draw(st.permutations(had)):
        on.write_part(action, {}, DAY)
        lessened = recommend(found, on)
        assert lessened.confidence < before.confidence
        assert abs(lessened.probability - 0.5) <= abs(before.probability - 0.5)
        before = lessened
    assert before.confidence == 0


@given(pointers, some_figures(), st.data())
def test_confidence_never_rises_when_a_figure_is_lost(
    found: Sequence[Pointer], values: dict[Metric, float], data: st.DataObject
) -> None:
    metrics = [metric for action in DATA for metric in PART_METRICS[action]]
    lost = data.draw(st.sampled_from(metrics))
    left = {metric: value for metric, value in values.items() if metric is not lost}
    without = recommend(found, with_figures(left))
    assert without.confidence <= recommend(found, with_figures(values)).confidence
