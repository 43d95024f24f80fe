"""Findings that cannot all be right."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.claims import Metric, Unit
from contracts.names import AgentId
from contracts.results import ConflictKind, ConflictRecord, Position, ResearchResult
from domain.conflicts import detect_conflicts, settle
from tests.support.builders import claim, finding

ONE, TWO = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2


def last(value: str, day: str = "2026-10-30") -> ResearchResult:
    return finding(claim("USD/JPY", Metric.LAST, value, day=day))


def other_last(value: str, day: str = "2026-10-30", confidence: float = 0.7) -> ResearchResult:
    stated = claim("USD/JPY", Metric.LAST, value, day=day)
    return finding(stated, agent=TWO, confidence=confidence)


def conflict(*stated: tuple[str, float]) -> ConflictRecord:
    positions = (
        Position(
            agent=ONE, claim_id="USD/JPY:last", stated=value, source="ECB", confidence=confidence
        )
        for value, confidence in stated
    )
    return ConflictRecord(
        conflict_id="c",
        market="USD/JPY",
        kind=ConflictKind.LEVEL,
        positions=tuple(positions),
        resolution="not settled yet",
        resolved=False,
    )


def test_two_levels_of_one_day_that_differ_are_a_conflict() -> None:
    (found,) = detect_conflicts("USD/JPY", [last("157.25"), other_last("151.10")])
    assert found.kind is ConflictKind.LEVEL
    assert {position.stated for position in found.positions} == {"157.25 level", "151.1 level"}
    assert found.conflict_id == "USD/JPY/conflict/USD/JPY:last@2026-10-30"


@pytest.mark.parametrize("value", ["157.25", "157.250", "157.40"])
def test_levels_within_a_tenth_of_a_percent_agree(value: str) -> None:
    assert detect_conflicts("USD/JPY", [last("157.25"), other_last(value)]) == ()


def test_levels_more_than_a_tenth_of_a_percent_apart_do_not_agree() -> None:
    assert len(detect_conflicts("USD/JPY", [last("157.25"), other_last("157.41")])) == 1


def test_levels_of_different_days_do_not_conflict() -> None:
    assert detect_conflicts("USD/JPY", [last("157.25"), other_last("151.1", "2026-10-29")]) == ()


def test_a_result_does_not_conflict_with_itself() -> None:
    twice = finding(
        claim("USD/JPY", Metric.LAST, "157.25"), claim("USD/JPY", Metric.LAST, "151.10")
    )
    assert detect_conflicts("USD/JPY", [twice]) == ()


def test_moves_in_opposite_directions_conflict_however_small_they_are() -> None:
    up = finding(claim("USD/JPY", Metric.MOVE, "0.02", Unit.PERCENT))
    down = finding(claim("USD/JPY", Metric.MOVE, "-0.02", Unit.PERCENT), agent=TWO)
    (found,) = detect_conflicts("USD/JPY", [up, down])
    assert found.kind is ConflictKind.DIRECTION


def test_decisions_that_differ_in_size_conflict() -> None:
    def cut(size: str, agent: AgentId) -> ResearchResult:
        change = claim("JP", Metric.DECISION_CHANGE, size, Unit.BASIS_POINTS, dated=True)
        return finding(change, agent=agent)

    (found,) = detect_conflicts("JP", [cut("-25", ONE), cut("-50", TWO)])
    assert found.kind is ConflictKind.DECISION


def test_one_figure_in_two_units_is_a_conflict() -> None:
    percent = finding(claim("JP", Metric.DIFFERENTIAL, "25", Unit.PERCENT))
    points = finding(claim("JP", Metric.DIFFERENTIAL, "25", Unit.BASIS_POINTS), agent=TWO)
    assert len(detect_conflicts("JP", [percent, points])) == 1


values = st.lists(st.sampled_from(["157.25", "157.30", "151.10", "140.00"]), max_size=4)


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_the_results_does_not_matter(stated: list[str], random: object) -> None:
    results = [
        last(value).model_copy(update={"result_id": f"r{n}", "confidence": 0.5 + n / 10})
        for n, value in enumerate(stated)
    ]
    shuffled = list(results)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert detect_conflicts("USD/JPY", results) == detect_conflicts("USD/JPY", shuffled)


@given(st.decimals("100", "200", places=2), st.decimals("100", "200", places=2))
def test_two_levels_conflict_exactly_when_they_are_too_far_apart(
    one: Decimal, other: Decimal
) -> None:
    apart = abs(one - other) > min(one, other) / 1000
    found = detect_conflicts("USD/JPY", [last(str(one)), other_last(str(other))])
    assert bool(found) is apart


def test_a_conflict_is_settled_for_the_value_with_more_confidence() -> None:
    settled = settle(conflict(("157.25", 0.9), ("151.10", 0.5)))
    assert settled.resolved
    assert settled.resolution.startswith("157.25")


def test_two_moderate_voices_outweigh_a_confident_one() -> None:
    settled = settle(conflict(("157.25", 0.9), ("151.10", 0.5), ("151.10", 0.5)))
    assert settled.resolution.startswith("151.10")


def test_confidence_that_spreads_too_far_needs_a_person() -> None:
    assert settle(conflict(("157.25", 0.9), ("151.10", 0.4))).resolved
    settled = settle(conflict(("157.25", 0.9), ("151.10", 0.39)))
    assert not settled.resolved
    assert "needs a person" in settled.resolution


def test_positions_of_equal_weight_need_a_person() -> None:
    assert not settle(conflict(("157.25", 0.7), ("151.10", 0.7))).resolved


def test_a_detected_conflict_comes_settled_where_it_can_be() -> None:
    (found,) = detect_conflicts("USD/JPY", [last("157.25"), other_last("151.10")])
    assert found.resolved
    (open_one,) = detect_conflicts(
        "USD/JPY", [last("157.25"), other_last("151.10", confidence=0.2)]
    )
    assert not open_one.resolved
