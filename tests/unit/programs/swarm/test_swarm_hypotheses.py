"""What a swarm's leader takes to be likely."""

from datetime import timedelta

import pytest

from desk.contracts.agents.config import VotingConfig
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    ConflictKind,
    Leaning,
    Position,
    ResearchResult,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisKind
from desk.programs.swarm.balance import Balance, WeightedView, balance_of
from desk.programs.swarm.hypotheses import EVEN, hypotheses_on, probability_of
from desk.trust.conflicts.detection import own_judgement
from desk.trust.conflicts.positions import view_position
from desk.trust.conflicts.voting import new_conflict
from desk.trust.prose.references import render
from tests.support.builders import claim, finding, pair_market, source, view, window

YEN = pair_market("USD/JPY", digits=2)
AS_OF = window("2026-W44").end
LAST = claim("USD/JPY", Metric.LAST, "153.20")
LOW = claim("USD/JPY", Metric.EXPECTED_LOW, "149.10")
HIGH = claim("USD/JPY", Metric.EXPECTED_HIGH, "157.40")
AGENTS = (
    AgentId.MARKET_SPECIALIST,
    AgentId.TECHNICAL_SPECIALIST,
    AgentId.FUNDAMENTAL_SPECIALIST,
)


def balance(*views: tuple[Leaning, float]) -> Balance:
    """The balance of views, each of another specialist."""
    results: list[ResearchResult] = [
        finding(
            LAST,
            agent=agent,
            sources=(source(f"publisher {agent}"),),
            views=(
                view("USD/JPY", ViewKind.DIRECTION, leaning, LAST.claim_id, confidence=confidence),
            ),
        )
        for agent, (leaning, confidence) in zip(AGENTS, views, strict=False)
    ]
    return balance_of("USD/JPY", results, (), VotingConfig())


def made(found: Balance, *claims: Claim) -> dict[HypothesisKind, Hypothesis]:
    standing = {each.claim_id: each for each in claims}
    made_of = hypotheses_on((YEN,), {"USD/JPY": found}, standing, AS_OF)
    return {each.kind: each for each in made_of}


def test_a_direction_is_against_the_last_price_and_due_in_four_weeks() -> None:
    direction = made(balance((Leaning.DOWN, 0.8)), LAST)[HypothesisKind.DIRECTION]
    assert (direction.level, direction.level_on) == (LAST.value, LAST.as_of)
    assert (direction.leaning, direction.weeks) == (Leaning.DOWN, 4)
    assert direction.due == AS_OF + timedelta(weeks=4)
    known = {LAST.claim_id: LAST}
    assert render(direction.statement, known) == (
        "Four weeks on, the last known price of USD/JPY is below 153.20."
    )
    assert render(direction.refuted_by, known) == (
        "The last price of USD/JPY known by then is at or above 153.20."
    )


def test_a_range_holds_two_times_in_three_by_construction() -> None:
    found = made(balance((Leaning.NEUTRAL, 0.5)), LAST, LOW, HIGH)
    assert list(found) == [HypothesisKind.RANGE]
    only = found[HypothesisKind.RANGE]
    assert (only.low, only.high, only.probability) == (LOW.value, HIGH.value, 0.68)
    assert only.claims == (LAST.claim_id, LOW.claim_id, HIGH.claim_id)


def test_where_the_views_balance_no_direction_is_taken_up() -> None:
    even = balance((Leaning.UP, 0.6), (Leaning.DOWN, 0.6))
    assert even.is_close
    assert made(even, LAST) == {}


@pytest.mark.parametrize("views", [(), ((Leaning.ABSTAINS, 0.5),)])
def test_without_a_view_no_direction_is_taken_up(views: tuple[tuple[Leaning, float], ...]) -> None:
    assert made(balance(*views), LAST) == {}


def test_without_a_last_price_that_stands_there_is_nothing_to_hold_it_against() -> None:
    assert made(balance((Leaning.UP, 0.8)), LOW, HIGH) == {}


def test_the_more_of_the_weight_is_on_a_side_the_likelier_it_is_within_bounds() -> None:
    whole = balance((Leaning.UP, 0.9), (Leaning.UP, 0.9))
    most = balance((Leaning.UP, 0.9), (Leaning.DOWN, 0.3))
    hedged = balance((Leaning.UP, 0.9), (Leaning.NEUTRAL, 0.9))
    assert probability_of(whole, Leaning.UP) == 0.75
    assert probability_of(whole, Leaning.DOWN) == 0.35
    assert 0.5 < probability_of(most, Leaning.UP) < 0.75
    # A neutral view abstains: it takes nothing from those who take a side.
    alone = balance((Leaning.UP, 0.9))
    assert probability_of(hedged, Leaning.UP) == probability_of(alone, Leaning.UP)
    assert (hedged.net, hedged.sureness, hedged.is_close) == (1.0, 0.9, False)


def test_unsure_views_make_a_direction_less_likely() -> None:
    sure, unsure = balance((Leaning.UP, 0.8)), balance((Leaning.UP, 0.4))
    assert probability_of(sure, Leaning.UP) == 0.74
    assert probability_of(unsure, Leaning.UP) == 0.62


def test_each_hypothesis_has_an_id_that_a_workflow_can_be_named_by() -> None:
    found = made(balance((Leaning.UP, 0.8)), LAST, LOW, HIGH)
    assert [each.hypothesis_id for each in found.values()] == ["usd-jpy-direction", "usd-jpy-range"]


def test_a_range_that_does_not_hold_the_last_price_is_none() -> None:
    above = claim("USD/JPY", Metric.EXPECTED_LOW, "154.00")
    assert made(balance(), LAST, above, HIGH) == {}


def test_a_side_that_is_hardly_likelier_than_the_other_is_not_taken_up() -> None:
    nearly = balance((Leaning.UP, 0.6), (Leaning.DOWN, 0.4))
    assert nearly.leaning is Leaning.UP
    assert probability_of(nearly, Leaning.UP) > 0.5 + EVEN
    unsure = balance((Leaning.UP, 0.25), (Leaning.DOWN, 0.18))
    assert unsure.leaning is Leaning.UP
    assert probability_of(unsure, Leaning.UP) <= 0.5 + EVEN
    assert made(unsure, LAST) == {}


def test_a_vote_s_own_positions_make_the_side_that_it_chose_the_likelier_one() -> None:
    views = balance((Leaning.UP, 0.42), (Leaning.NEUTRAL, 0.36), (Leaning.NEUTRAL, 0.42))
    held = [*map(_position, views.voices), _target(AGENTS[1], 0.57), _target(AGENTS[2], 0.69)]
    conflict = new_conflict("c", "USD/JPY", ConflictKind.DIRECTION, held, VotingConfig())
    voted = views._replace(conflict=conflict)
    direction = made(voted, LAST)[HypothesisKind.DIRECTION]
    assert (direction.leaning, conflict.chosen) == (Leaning.DOWN, Leaning.DOWN)
    assert direction.probability > 0.5


def _position(voice: WeightedView) -> Position:
    return own_judgement(view_position(voice.result, voice.view, VotingConfig()))


def _target(agent: AgentId, confidence: float) -> Position:
    """The vote of a specialist's target, whose view leans neither way."""
    result = finding(LAST, agent=agent, sources=(source(f"publisher {agent}"),))
    held = view("USD/JPY", ViewKind.DIRECTION, Leaning.DOWN, LAST.claim_id, confidence=confidence)
    return own_judgement(view_position(result, held, VotingConfig()))
