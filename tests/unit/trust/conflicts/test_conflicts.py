"""Findings that cannot all be right."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import (
    Bounds,
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Leaning,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.markets import Band
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.programs.week.program import PROGRAM
from desk.trust.conflicts.bounds import TargetRange
from desk.trust.conflicts.detection import MOST_CONFLICTS, detect_conflicts, week_conflicts
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.conflicts.voting import decide, default_position
from tests.support.builders import claim, finding, source, view

ONE, TWO = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2
VOTING = VotingConfig()


def last(value: str, agent: AgentId = ONE, confidence: float = 0.9, **said: str) -> ResearchResult:
    stated = claim("USD/JPY", Metric.LAST, value, day=said.get("day", "2026-10-30"))
    sources = [source(said["origin"])] if "origin" in said else []
    return finding(stated, agent=agent, confidence=confidence, sources=sources)


def found(*results: ResearchResult, market: str = "USD/JPY") -> tuple[ConflictRecord, ...]:
    return detect_conflicts(market, results, VOTING)


def decided(area: str, change: str, agent: AgentId, day: str = "2026-10-29") -> ResearchResult:
    stated = claim(area, Metric.DECISION_CHANGE, change, Unit.BASIS_POINTS, day=day, dated=True)
    return finding(stated, agent=agent, market=area)


def test_two_levels_of_one_day_that_differ_are_a_conflict() -> None:
    (conflict,) = found(last("157.25"), last("151.10", TWO))
    assert conflict.kind is ConflictKind.LEVEL
    assert {position.stated for position in conflict.positions} == {"157.25", "151.1"}
    assert conflict.conflict_id == "USD/JPY/conflict/USD/JPY:last@2026-10-30"


@pytest.mark.parametrize("value", ["157.25", "157.250", "157.3", "157"])
def test_one_fixing_to_different_digits_is_no_conflict(value: str) -> None:
    assert found(last("157.25", origin="ECB"), last(value, TWO, origin="ECB")) == ()


def test_two_readings_of_one_fixing_agree_to_the_printed_digit_or_not_at_all() -> None:
    assert len(found(last("157.25", origin="ECB"), last("157.26", TWO, origin="ECB"))) == 1
    assert found(last("157.25", origin="ECB"), last("157.26", TWO, origin="Fed")) == ()


def test_levels_of_different_days_do_not_conflict() -> None:
    assert found(last("157.25"), last("151.1", TWO, day="2026-10-29")) == ()


def test_a_result_does_not_conflict_with_itself() -> None:
    twice = finding(
        claim("USD/JPY", Metric.LAST, "157.25"), claim("USD/JPY", Metric.LAST, "151.10")
    )
    assert found(twice) == ()


def test_moves_in_opposite_directions_conflict_although_they_are_close() -> None:
    up = finding(claim("USD/JPY", Metric.MOVE, "0.10", Unit.PERCENT), sources=[source("ECB")])
    down = claim("USD/JPY", Metric.MOVE, "-0.10", Unit.PERCENT)
    (conflict,) = found(up, finding(down, agent=TWO, sources=[source("Fed")]))
    assert conflict.kind is ConflictKind.DIRECTION


def test_moves_too_small_for_a_direction_do_not_oppose_each_other() -> None:
    up = finding(claim("USD/JPY", Metric.MOVE, "0.02", Unit.PERCENT))
    down = finding(claim("USD/JPY", Metric.MOVE, "-0.02", Unit.PERCENT), agent=TWO)
    assert found(up, down) == ()


@pytest.mark.parametrize(("one", "other"), [("25", "-25"), ("25", "0"), ("-25", "-50")])
def test_decisions_that_differ_conflict(one: str, other: str) -> None:
    (conflict,) = found(decided("JP", one, ONE), decided("JP", other, TWO), market="JP")
    assert conflict.kind is ConflictKind.DECISION


def test_one_decision_on_two_days_is_a_conflict_about_the_day() -> None:
    (conflict,) = found(
        decided("JP", "25", ONE), decided("JP", "25", TWO, "2026-10-30"), market="JP"
    )
    assert conflict.kind is ConflictKind.TIMING
    assert [p.stated for p in conflict.positions] == ["25 bp on 2026-10-29", "25 bp on 2026-10-30"]


def test_decisions_more_than_a_week_apart_are_two_decisions() -> None:
    assert (
        found(decided("JP", "25", ONE), decided("JP", "25", TWO, "2026-10-21"), market="JP") == ()
    )


def test_a_result_that_knows_both_days_contradicts_nobody() -> None:
    both = finding(
        *(c for day in ("2026-10-29", "2026-10-30") for c in decided("JP", "25", ONE, day).claims),
        market="JP",
    )
    assert found(both, decided("JP", "25", TWO, "2026-10-30"), market="JP") == ()


def leaning(agent: AgentId, how: Leaning, kind: ViewKind, **said: float) -> ResearchResult:
    return finding(agent=agent, views=[view("USD/JPY", kind, how, **said)])


@pytest.mark.parametrize("kind", list(ViewKind))
def test_views_that_lean_opposite_ways_conflict(kind: ViewKind) -> None:
    (conflict,) = found(leaning(ONE, Leaning.UP, kind), leaning(TWO, Leaning.DOWN, kind))
    assert conflict.kind.value == kind.value


@pytest.mark.parametrize("other", [Leaning.UP, Leaning.NEUTRAL, Leaning.ABSTAINS])
def test_a_neutral_view_or_an_abstention_is_no_conflict_by_itself(other: Leaning) -> None:
    kind = ViewKind.RECOMMENDATION
    assert found(leaning(ONE, Leaning.UP, kind), leaning(TWO, other, kind)) == ()


def test_a_view_of_the_reversed_pair_is_turned_round() -> None:
    reverse = finding(agent=TWO, views=[view("JPY/USD", ViewKind.DIRECTION, Leaning.DOWN)])
    assert found(leaning(ONE, Leaning.UP, ViewKind.DIRECTION), reverse) == ()
    assert len(found(leaning(ONE, Leaning.DOWN, ViewKind.DIRECTION), reverse)) == 1


def test_opposed_moves_and_the_views_that_rest_on_them_are_one_conflict() -> None:
    def price(agent: AgentId, move: str, how: Leaning) -> ResearchResult:
        stated = claim("USD/JPY", Metric.MOVE, move, Unit.PERCENT)
        held = view("USD/JPY", ViewKind.DIRECTION, how, stated.claim_id)
        return finding(stated, agent=agent, views=[held])

    (conflict,) = found(price(ONE, "1.2", Leaning.UP), price(TWO, "-1.2", Leaning.DOWN))
    assert conflict.positions[0].claim_id == "USD/JPY:move"


def test_an_abstention_is_listed_and_has_no_weight() -> None:
    kind = ViewKind.DIRECTION
    conflict = found(
        leaning(ONE, Leaning.UP, kind),
        leaning(TWO, Leaning.DOWN, kind, confidence=0.8),
        leaning(AgentId.VALIDATOR, Leaning.ABSTAINS, kind, confidence=0.1),
    )[0]
    (silent,) = (position for position in conflict.positions if position.abstains)
    assert silent.weight == 0
    assert conflict.spread == pytest.approx(0.1)
    assert conflict.chosen == "up"


def test_the_reversed_pair_is_no_conflict_when_its_level_is_the_reciprocal() -> None:
    reverse = finding(claim("JPY/USD", Metric.LAST, "0.0063593"), agent=TWO)
    assert found(last("157.25"), reverse) == ()
    wrong = finding(claim("JPY/USD", Metric.LAST, "0.0066"), agent=TWO)
    (conflict,) = found(last("157.25"), wrong)
    assert conflict.conflict_id == "USD/JPY/conflict/USD/JPY:last@2026-10-30"


def test_the_vote_goes_to_the_heavier_side_and_the_dissent_is_kept() -> None:
    (conflict,) = found(last("157.25", ONE, 0.9), last("151.1", TWO, 0.7))
    assert (conflict.chosen, conflict.decided_by) == ("157.25", DecidedBy.VOTE)
    assert conflict.resolved
    assert "Dissent: 151.1 (research_agent_2" in conflict.resolution


def test_confidence_that_spreads_too_far_needs_a_person() -> None:
    (settled,) = found(last("157.25", ONE, 0.9), last("151.1", TWO, 0.4))
    assert settled.resolved
    (open_one,) = found(last("157.25", ONE, 0.9), last("151.1", TWO, 0.39))
    assert not open_one.resolved
    assert open_one.chosen is None
    assert "a person must decide" in open_one.resolution


def test_sides_of_equal_weight_need_a_person() -> None:
    (conflict,) = found(last("157.25", ONE, 0.7), last("151.1", TWO, 0.7))
    assert not conflict.resolved
    assert default_position(conflict) is None


def test_an_authoritative_source_outweighs_a_secondary_one() -> None:
    stated = claim("USD/JPY", Metric.LAST, "151.1")
    blog = finding(stated, agent=TWO, sources=[source("blog", SourceTier.SECONDARY)])
    (conflict,) = found(last("157.25", ONE, 0.7, origin="ECB"), blog)
    assert conflict.chosen == "157.25"


def test_sources_of_one_origin_count_once() -> None:
    """Three copies of one wrong figure do not outvote two origins that agree."""
    copies = [
        last("151.1", agent, 0.9, origin="Wire").model_copy(update={"result_id": f"copy {agent}"})
        for agent in PROGRAM.agents
    ]
    right = [last("157.25", ONE, 0.8, origin="ECB"), last("157.25", TWO, 0.8, origin="Fed")]
    (conflict,) = found(*copies, *right)
    assert conflict.chosen == "157.25"


def test_an_origin_is_heard_on_one_side_only() -> None:
    """Who misread the ECB does not take the ECB's weight to another source's side."""
    copied = finding(
        claim("USD/JPY", Metric.LAST, "151.1"),
        agent=AgentId.VALIDATOR,
        sources=[source("wire", SourceTier.SECONDARY)],
    )
    (conflict,) = found(
        last("157.25", ONE, 0.9, origin="ECB"), last("151.1", TWO, 0.8, origin="ECB"), copied
    )
    assert conflict.chosen == "157.25"


def test_two_moderate_voices_outweigh_a_confident_one() -> None:
    (conflict,) = found(
        last("157.25", ONE, 0.9, origin="A"),
        last("151.1", TWO, 0.5, origin="B"),
        last("151.1", AgentId.VALIDATOR, 0.5, origin="C"),
    )
    assert conflict.chosen == "151.1"


def test_a_person_decides_for_a_position_or_for_none() -> None:
    (conflict,) = found(last("157.25", ONE, 0.9), last("151.1", TWO, 0.1))
    stated = [position.stated for position in conflict.positions]
    chosen = decide(conflict, stated.index("151.1"), DecidedBy.PERSON, "Ada")
    assert (chosen.chosen, chosen.decided_by_whom, chosen.resolved) == ("151.1", "Ada", True)
    assert "Dissent: 157.25" in chosen.resolution
    withheld = decide(conflict, None, DecidedBy.PERSON, "Ada")
    assert (withheld.chosen, withheld.resolved) == (None, True)
    assert "withheld" in withheld.resolution
    with pytest.raises(ValueError, match="no position 2"):
        decide(conflict, 2, DecidedBy.PERSON, "Ada")


def test_the_default_of_a_wide_spread_is_the_heaviest_position() -> None:
    (conflict,) = found(last("157.25", ONE, 0.9), last("151.1", TWO, 0.1))
    default = default_position(conflict)
    assert default is not None
    assert conflict.positions[default].stated == "157.25"


def test_what_stands_is_the_chosen_claim_and_nothing_where_a_figure_is_withheld() -> None:
    results = [last("151.1", TWO, 0.7), last("157.25", ONE, 0.9)]
    (conflict,) = detect_conflicts("USD/JPY", results, VOTING)
    assert surviving_claims(results, [])["USD/JPY:last"].value == Decimal("151.1")
    assert surviving_claims(results, [conflict])["USD/JPY:last"].value == Decimal("157.25")
    withheld = decide(conflict, None, DecidedBy.DEFAULT, None)
    assert surviving_claims(results, [withheld]) == {}


def test_a_derived_claim_falls_with_the_input_it_was_computed_from() -> None:
    def priced(value: str, move: str | None, agent: AgentId, confidence: float) -> ResearchResult:
        level = claim("USD/JPY", Metric.LAST, value)
        derived = (
            [claim("USD/JPY", Metric.MOVE, move, Unit.PERCENT, inputs=[level.claim_id])]
            if move
            else []
        )
        return finding(level, *derived, agent=agent, confidence=confidence)

    loser, winner = priced("151.1", "-3.0", ONE, 0.6), priced("157.25", None, TWO, 0.9)
    conflicts = found(loser, winner)
    assert set(surviving_claims([loser, winner], conflicts)) == {"USD/JPY:last"}
    winner = priced("157.25", "1.0", TWO, 0.9)
    standing = surviving_claims([loser, winner], found(loser, winner))
    assert standing["USD/JPY:move"].value == Decimal("1.0")


def test_a_lost_day_takes_its_claim_with_it() -> None:
    results = [decided("JP", "25", ONE), decided("JP", "25", TWO, "2026-10-30")]
    results[1] = results[1].model_copy(update={"confidence": 0.6})
    conflicts = detect_conflicts("JP", results, VOTING)
    assert set(surviving_claims(results, conflicts)) == {"JP:decision_change@2026-10-29"}


def outcome(market: str, rate: str) -> MarketOutcome:
    stated = claim("JP", Metric.POLICY_RATE, rate, Unit.PERCENT_A_YEAR)
    result = finding(stated, market=market, sources=[source("Bank of Japan")])
    return MarketOutcome(market=market, outcome=Outcome.RESEARCHED, results=(result,))


def test_one_claim_stated_differently_in_two_markets_is_a_conflict_of_the_week() -> None:
    assert week_conflicts([outcome("USD/JPY", "0.50"), outcome("JP", "0.50")], VOTING) == ()
    (conflict,) = week_conflicts([outcome("USD/JPY", "0.75"), outcome("JP", "0.50")], VOTING)
    assert (conflict.market, conflict.conflict_id) == ("JP", "week/conflict/JP:policy_rate")
    assert {position.stated for position in conflict.positions} == {
        "0.5 % a year",
        "0.75 % a year",
    }


def test_a_rounded_figure_hides_no_contradiction_of_the_same_figure_with_its_digits() -> None:
    def fixed(value: str, market: str) -> MarketOutcome:
        stated = claim("USD/JPY", Metric.LAST, value)
        result = finding(stated, market=market, sources=[source("European Central Bank")])
        return MarketOutcome(market=market, outcome=Outcome.RESEARCHED, results=(result,))

    rounded, finer = fixed("153.5", "EUR/JPY"), fixed("153.54", "GBP/JPY")
    assert week_conflicts([rounded, finer], VOTING) == ()
    assert len(week_conflicts([fixed("153.50", "USD/JPY"), rounded, finer], VOTING)) == 1


def test_no_more_conflicts_are_kept_than_an_outcome_holds_and_open_ones_go_first() -> None:
    areas = [f"{a}{b}" for a in "ABCDEFGH" for b in "ABCDEFGH"]
    sure = [decided(area, "25", ONE) for area in areas]
    unsure = [
        decided(area, "-25", TWO).model_copy(
            update={"confidence": 0.1 if area == "HH" else 0.8, "result_id": f"unsure {area}"}
        )
        for area in areas
    ]
    results = [r.model_copy(update={"result_id": f"{n}"}) for n, r in enumerate((*sure, *unsure))]
    conflicts = detect_conflicts("JP", results, VOTING)
    assert len(conflicts) == MOST_CONFLICTS
    assert any(not conflict.resolved for conflict in conflicts)


metrics = st.sampled_from([(Metric.LAST, Unit.LEVEL), (Metric.MOVE, Unit.PERCENT)])


@st.composite
def results(draw: st.DrawFn) -> list[ResearchResult]:
    return [
        finding(
            *draw(st.lists(claims(), max_size=3)),
            agent=draw(st.sampled_from(list(AgentId))),
            confidence=draw(st.sampled_from([0.2, 0.5, 0.8, 0.9])),
            sources=[source(draw(st.sampled_from(["ECB", "Fed"])))],
            views=draw(st.lists(views(), max_size=2)),
        ).model_copy(update={"result_id": f"r{number}"})
        for number in range(draw(st.integers(0, 5)))
    ]


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    metric, unit = draw(metrics)
    value = draw(st.sampled_from(["157.25", "157.3", "151.10", "-1.2", "0.0064", "15725"]))
    day = draw(st.sampled_from(["2026-10-29", "2026-10-30"]))
    return claim(
        "USD/JPY", metric, value.lstrip("-") if unit is Unit.LEVEL else value, unit, day=day
    )


def views() -> st.SearchStrategy[View]:
    return st.builds(
        view,
        st.sampled_from(["USD/JPY", "JPY/USD"]),
        st.sampled_from(list(ViewKind)),
        st.sampled_from(list(Leaning)),
    )


@given(results(), st.randoms(use_true_random=False))
def test_the_order_of_the_results_does_not_matter(
    delivered: Sequence[ResearchResult], random: Random
) -> None:
    shuffled = list(delivered)
    random.shuffle(shuffled)
    assert detect_conflicts("USD/JPY", delivered, VOTING) == detect_conflicts(
        "USD/JPY", shuffled, VOTING
    )


@given(results())
def test_every_conflict_has_two_sides_an_id_of_its_own_and_is_settled_or_left_to_a_person(
    delivered: Sequence[ResearchResult],
) -> None:
    conflicts = detect_conflicts("USD/JPY", delivered, VOTING)
    assert len({conflict.conflict_id for conflict in conflicts}) == len(conflicts)
    for conflict in conflicts:
        assert len({position.stated for position in conflict.positions}) > 1
        assert conflict.resolved is (conflict.chosen is not None)
        stated = [p.stated for p in conflict.positions if not p.abstains]
        assert conflict.chosen is None or conflict.chosen in stated


@given(results())
def test_what_stands_was_delivered_under_its_id(delivered: Sequence[ResearchResult]) -> None:
    known = [one for result in delivered for one in result.claims]
    conflicts = detect_conflicts("USD/JPY", delivered, VOTING)
    for name, standing in surviving_claims(delivered, conflicts).items():
        assert standing in known
        assert standing.claim_id == name


PUBLISHERS = VotingConfig(publishers={"pairs": "ECB"})


def outvoting() -> tuple[ResearchResult, ...]:
    """The ECB's own fixing, and three others that agree on something else."""
    agents = (TWO, AgentId.VALIDATOR, AgentId.MARKET_SPECIALIST)
    others = (
        last("151.10", agent, 1.0, origin=f"wire {number}") for number, agent in enumerate(agents)
    )
    return (last("157.25", confidence=0.3, origin="ECB"), *others)


def test_nobody_outvotes_a_figures_own_publisher() -> None:
    (conflict,) = detect_conflicts("USD/JPY", outvoting(), PUBLISHERS)
    assert (conflict.chosen, conflict.decided_by) == ("157.25", DecidedBy.PUBLISHER)
    assert "own publisher" in conflict.resolution
    assert conflict.resolution.count("151.1") == 3


def test_without_publishers_in_its_rules_a_run_decides_as_it_did() -> None:
    (conflict,) = found(*outvoting())
    assert conflict.chosen is None
    assert "publishes" not in conflict.positions[0].model_dump()


def test_two_readings_of_the_publisher_that_differ_are_put_to_the_vote() -> None:
    readings = last("157.25", origin="ECB"), last("157.26", TWO, 0.8, origin="ECB")
    (conflict,) = detect_conflicts("USD/JPY", readings, PUBLISHERS)
    assert conflict.decided_by is DecidedBy.VOTE


def test_the_default_of_what_a_person_is_asked_is_what_the_publisher_states() -> None:
    (conflict,) = detect_conflicts("USD/JPY", outvoting(), PUBLISHERS)
    place = default_position(conflict)
    assert place is not None
    assert conflict.positions[place].stated == "157.25"


def test_a_banks_own_decision_holds_against_whoever_tells_it_otherwise() -> None:
    own = finding(
        *decided("JP", "25", ONE).claims, sources=[source("Bank of Japan")], confidence=0.4
    )
    other = finding(*decided("JP", "-25", TWO).claims, agent=TWO, sources=[source("a wire")])
    (conflict,) = detect_conflicts("JP", (own, other), PUBLISHERS)
    assert (conflict.chosen, conflict.decided_by) == ("25 bp", DecidedBy.PUBLISHER)


BAND = Band(low=Decimal("7.75"), high=Decimal("7.85"), authority="the HKMA")


def hong_kong(value: str, agent: AgentId, origin: str) -> ResearchResult:
    stated = claim("USD/HKD", Metric.LAST, value)
    return finding(stated, agent=agent, market="USD/HKD", sources=[source(origin)])


def in_band(*values: str) -> tuple[ConflictRecord, ...]:
    told = zip(values, (ONE, TWO), ("ECB", "Fed"), strict=True)
    results = [hong_kong(*each) for each in told]
    return detect_conflicts("USD/HKD", results, VotingConfig(bands={"USD/HKD": BAND}))


def test_levels_at_two_places_of_a_band_are_a_conflict() -> None:
    (conflict,) = in_band("7.78", "7.85")
    assert conflict.bounds == Bounds(low=Decimal("7.75"), high=Decimal("7.85"))
    assert "Dissent" in conflict.resolution or not conflict.resolved
    assert in_band("7.7800", "7.7850") == ()


def rated(value: str, agent: AgentId) -> ResearchResult:
    stated = claim("US", Metric.POLICY_RATE, value, Unit.PERCENT_A_YEAR)
    return finding(stated, agent=agent, market="US")


RANGE = {"US": TargetRange(Bounds(low=Decimal("4.25"), high=Decimal("4.50")), date(2026, 9, 17))}


@pytest.mark.parametrize("end", ["4.25", "4.50"])
def test_the_midpoint_of_a_target_range_and_its_end_are_one_statement(end: str) -> None:
    results = rated("4.375", ONE), rated(end, TWO)
    assert detect_conflicts("US", results, VOTING, RANGE) == ()
    assert len(detect_conflicts("US", results, VOTING)) == 1


def test_a_rate_that_is_no_point_of_the_range_is_in_conflict_with_all_of_them() -> None:
    results = rated("4.375", ONE), rated("4.25", TWO), rated("4.40", AgentId.VALIDATOR)
    (conflict,) = detect_conflicts("US", results, VOTING, RANGE)
    assert conflict.resolved
    assert conflict.resolution.count("4.4 %") == 1


def test_a_range_says_nothing_of_the_days_before_it() -> None:
    before = {"US": RANGE["US"]._replace(since=date(2026, 11, 5))}
    assert len(detect_conflicts("US", (rated("4.375", ONE), rated("4.25", TWO)), VOTING, before))
