"""What contradicts what between the specialists of a swarm: targets, and views in other words."""

import pytest

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    ConflictKind,
    ConflictRecord,
    Leaning,
    ResearchResult,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.conflicts.surviving_claims import surviving_claims
from tests.support.builders import claim, finding, source, view

TECHNICAL, PATTERN = AgentId.TECHNICAL_SPECIALIST, AgentId.PATTERN_SPECIALIST
MARKET, SENTIMENT = AgentId.MARKET_SPECIALIST, AgentId.SENTIMENT_SPECIALIST
SHARED: tuple[DataSource, ...] = (source("ECB"),)


def found(*results: ResearchResult, market: str = "USD/JPY") -> tuple[ConflictRecord, ...]:
    return detect_conflicts(market, results, VotingConfig())


def targeted(
    agent: AgentId,
    target: str,
    *more: Claim,
    last: str | None = "157.25",
    confidence: float = 0.7,
    leaning: Leaning | None = None,
) -> ResearchResult:
    stated = [claim("USD/JPY", Metric.TARGET, target), *more]
    if last is not None:
        stated.append(claim("USD/JPY", Metric.LAST, last))
    views = [view("USD/JPY", ViewKind.DIRECTION, leaning)] if leaning else []
    return finding(*stated, agent=agent, confidence=confidence, views=views, sources=SHARED)


def leans(agent: AgentId, subject: str, how: Leaning, confidence: float = 0.7) -> ResearchResult:
    held = view(subject, ViewKind.DIRECTION, how, confidence=confidence)
    return finding(agent=agent, views=[held], confidence=confidence)


def test_targets_further_apart_than_the_tolerance_on_one_side_are_a_conflict_of_level() -> None:
    (conflict,) = found(targeted(TECHNICAL, "160"), targeted(PATTERN, "164"))
    assert conflict.kind is ConflictKind.LEVEL
    assert conflict.conflict_id == "USD/JPY/conflict/USD/JPY:target@2026-10-30"


def test_targets_with_the_last_price_between_them_are_a_conflict_of_direction() -> None:
    (conflict,) = found(targeted(TECHNICAL, "154", confidence=0.8), targeted(PATTERN, "160"))
    assert (conflict.kind, conflict.chosen) == (ConflictKind.DIRECTION, "154")
    assert "Dissent: 160 (pattern_specialist" in conflict.resolution


def test_a_target_is_a_forecast_of_whoever_states_it_and_not_of_its_prices_publisher() -> None:
    published = claim("USD/JPY", Metric.LAST, "158")
    (conflict,) = found(targeted(TECHNICAL, "154"), targeted(PATTERN, "160"))
    (figures,) = found(targeted(TECHNICAL, "160"), targeted(PATTERN, "161", published, last=None))
    for position in conflict.positions:
        assert (position.tier, position.origin) == (SourceTier.DERIVED, None)
        assert position.source == "an extrapolation of its own from ECB table"
        assert position.weight == pytest.approx(0.7 * VotingConfig().tiers[SourceTier.DERIVED])
    assert {position.tier for position in figures.positions} == {SHARED[0].tier}


@pytest.mark.parametrize("other", ["160", "161", "162.9"])
def test_targets_within_the_tolerance_on_one_side_agree(other: str) -> None:
    assert found(targeted(TECHNICAL, "160"), targeted(PATTERN, other)) == ()


def test_near_targets_on_opposite_sides_of_the_last_price_are_opposed_views() -> None:
    (conflict,) = found(targeted(TECHNICAL, "158", confidence=0.8), targeted(PATTERN, "156.5"))
    assert conflict.kind is ConflictKind.DIRECTION
    assert [position.stated for position in conflict.positions] == ["down", "up"]
    assert {position.tier for position in conflict.positions} == {SourceTier.DERIVED}
    assert conflict.chosen == "up"


def test_a_target_next_to_the_last_price_is_on_neither_side() -> None:
    assert found(targeted(TECHNICAL, "157.3"), targeted(PATTERN, "156.5")) == ()


def test_a_result_that_leans_itself_is_not_taken_by_its_target() -> None:
    up, down = Leaning.UP, Leaning.DOWN
    assert (
        found(targeted(TECHNICAL, "158", leaning=up), targeted(PATTERN, "156.5", leaning=up)) == ()
    )
    assert (
        len(found(targeted(TECHNICAL, "158", leaning=up), targeted(PATTERN, "158", leaning=down)))
        == 1
    )


def test_the_last_price_may_be_another_results() -> None:
    (conflict,) = found(targeted(TECHNICAL, "154", last=None), targeted(PATTERN, "160"))
    assert conflict.kind is ConflictKind.DIRECTION


def test_the_target_that_was_chosen_stands_and_the_others_do_not() -> None:
    results = [targeted(TECHNICAL, "160", confidence=0.8), targeted(PATTERN, "164")]
    assert surviving_claims(results, found(*results))["USD/JPY:target"].value == 160


def test_specialists_of_one_series_are_heard_each() -> None:
    results = [
        targeted(TECHNICAL, "160", confidence=0.5),
        targeted(MARKET, "160.5", confidence=0.5),
        targeted(PATTERN, "165", confidence=0.7),
    ]
    (conflict,) = found(*results)
    assert conflict.chosen == "160"


def test_a_view_of_the_market_the_other_way_round_is_one_of_the_market() -> None:
    same = leans(TECHNICAL, "JPY/USD", Leaning.DOWN)
    assert found(same, leans(PATTERN, "USD/JPY", Leaning.UP)) == ()
    (conflict,) = found(same, leans(PATTERN, "USD/JPY", Leaning.DOWN, 0.6))
    assert conflict.conflict_id == "USD/JPY/conflict/USD/JPY:direction"
    assert conflict.chosen == "up"


def test_a_view_is_of_the_subject_that_its_writer_named_and_of_no_other() -> None:
    one = leans(TECHNICAL, "US", Leaning.UP)
    (conflict,) = found(one, leans(PATTERN, "US", Leaning.DOWN, 0.6))
    assert conflict.conflict_id == "USD/JPY/conflict/US:direction"
    assert found(one, leans(PATTERN, "yen", Leaning.DOWN)) == ()


def test_confidence_that_spreads_by_more_than_a_half_is_left_to_a_person() -> None:
    sure, unsure = (
        leans(TECHNICAL, "JPY/USD", Leaning.UP, 0.9),
        leans(PATTERN, "JPY/USD", Leaning.DOWN, 0.3),
    )
    (conflict,) = found(sure, unsure)
    assert not conflict.resolved
    assert conflict.spread == 0.6


def test_a_specialist_with_a_view_does_not_vote_by_its_target_as_well() -> None:
    neutral = view("USD/JPY", ViewKind.DIRECTION, Leaning.NEUTRAL, confidence=0.35)
    technical = finding(
        claim("USD/JPY", Metric.LAST, "157.25"),
        claim("USD/JPY", Metric.TARGET, "154.00"),
        agent=TECHNICAL,
        views=[neutral],
        sources=(source("ECB"),),
    )
    up = view("USD/JPY", ViewKind.DIRECTION, Leaning.UP, confidence=0.4)
    assert found(technical, finding(agent=AgentId.FUNDAMENTAL_SPECIALIST, views=[up])) == ()
