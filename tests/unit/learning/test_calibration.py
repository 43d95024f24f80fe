"""How forecasts are scored, and what a record is worth in a vote."""

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.learning.lessons import (
    WEIGHT_BOUNDS,
    MadeForecast,
    RecordWeight,
    Scorecard,
    ScoredForecast,
    ScoreRow,
    SourceRecord,
    WeightOf,
)
from desk.contracts.names import AgentId
from desk.contracts.weeks import monday_of, week_of
from desk.learning.calibration import (
    ALL,
    agent_weights,
    monitor,
    outcome,
    score,
    scorecard,
    sign_test,
    source_weights,
)

NOW = datetime(2026, 11, 2, 7, tzinfo=UTC)
DAY = timedelta(days=1)


def week_before(count: int) -> str:
    return week_of(date(2026, 9, 28) - timedelta(weeks=count))


def made(probability: float = 0.6, weeks_ago: int = 0, **fields: Any) -> MadeForecast:
    week = week_before(weeks_ago)
    due = datetime.combine(monday_of(week), datetime.min.time(), UTC) + timedelta(days=35, hours=7)
    given_fields = {
        "market": "USD/JPY",
        "agent": AgentId.RESEARCH_AGENT_1,
        "level": Decimal("150.0000"),
        "level_on": due.date() - timedelta(days=31),
        "server": "ecb",
        **fields,
    }
    return MadeForecast(week=week, due=due, probability=probability, **given_fields)


def came(probability: float, value: str = "151", **fields: Any) -> ScoredForecast:
    forecast = made(probability, **fields)
    return ScoredForecast(
        made=forecast, value=Decimal(value), value_on=forecast.due.date() - 3 * DAY
    )


def card(*scored: ScoredForecast) -> Scorecard:
    return scorecard(scored, (), NOW)


def row(*scored: ScoredForecast) -> ScoreRow:
    found = card(*scored).rows[0]
    assert found.of == ALL
    return found


SCORED = st.lists(
    st.builds(
        came,
        st.floats(0, 1),
        st.sampled_from(["149", "150", "151.5"]),
        market=st.sampled_from(["USD/JPY", "EUR/USD", "AUD/USD"]),
        agent=st.sampled_from([AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2]),
        weeks_ago=st.integers(0, 40),
        carry=st.none() | st.floats(0, 1),
    )
    | st.builds(lambda probability: ScoredForecast(made=made(probability)), st.floats(0, 1)),
    max_size=60,
)
RECORDS = st.lists(
    st.builds(
        SourceRecord,
        server=st.sampled_from(["ecb", "yahoo_finance", "reuters"]),
        verified=st.integers(0, 3_000),
        contested=st.integers(0, 3_000),
        rejected=st.integers(0, 3_000),
    ),
    max_size=12,
)


# A forecast is scored by the last fixing known when it was due.


def test_a_forecast_is_scored_by_the_fixing_known_when_it_was_due() -> None:
    forecast = made()
    day = forecast.due.date() - 3 * DAY
    scored = score(forecast, Decimal("151"), day)
    assert (scored.made, scored.value, scored.value_on) == (forecast, Decimal("151"), day)


@pytest.mark.parametrize("days", [1, 0, -16, -31, -40])
def test_a_fixing_too_new_or_too_old_voids_it(days: int) -> None:
    """It is due in the morning, before that day's fixing; its level is 31 days older."""
    forecast = made()
    scored = score(forecast, Decimal("151"), forecast.due.date() + days * DAY)
    assert scored == ScoredForecast(made=forecast)


@pytest.mark.parametrize("days", [-1, -15])
def test_a_fixing_of_the_fourteen_days_before_counts(days: int) -> None:
    forecast = made()
    scored = score(forecast, Decimal("151"), forecast.due.date() + days * DAY)
    assert scored.value is not None


def test_the_level_itself_is_no_outcome() -> None:
    forecast = made(level_on=made().due.date() - 3 * DAY)
    assert score(forecast, Decimal("151"), forecast.level_on).value is None


def test_a_forecast_without_a_fixing_is_void() -> None:
    assert score(made(), None, None).value is None
    with pytest.raises(ValueError, match="void"):
        outcome(score(made(), None, None))


def test_a_value_is_read_to_the_last_digit_of_the_level() -> None:
    assert outcome(came(0.6, "150.00004")) == 0.5
    assert outcome(came(0.6, "150.00006")) == 1
    assert outcome(came(0.6, "149.99994")) == 0
    assert outcome(came(0.6, "150")) == 0.5


# The scorecard.


def test_the_brier_score_is_that_of_a_worked_example() -> None:
    found = row(came(0.7), came(0.7, "149"), came(0.4, "149"), came(0.5))
    assert found.brier == pytest.approx((0.09 + 0.49 + 0.16 + 0.25) / 4)
    assert (found.scored, found.hits, found.decided, found.random_walk) == (4, 2, 3, 0.25)


def test_the_same_level_is_half_an_outcome_and_no_hit() -> None:
    found = row(came(0.7, "150"), came(0.3, "149"))
    assert found.brier == pytest.approx((0.04 + 0.09) / 2)
    assert found.random_walk == pytest.approx(0.125)
    assert (found.hits, found.decided) == (1, 1)


def test_carry_is_measured_where_there_was_one() -> None:
    found = row(came(0.7, carry=0.6), came(0.7, "149"), came(0.2, "149", carry=0.6))
    assert (found.scored, found.carried, found.carry_hits) == (3, 2, 1)
    assert found.carry == pytest.approx((0.16 + 0.36) / 2)
    assert found.brier_carried == pytest.approx((0.09 + 0.04) / 2)
    bare = row(came(0.7))
    assert (bare.carried, bare.carry, bare.brier_carried) == (0, None, None)


def test_void_and_open_forecasts_are_counted_apart() -> None:
    waiting = [made(), made(), made(weeks_ago=-1)]
    found = scorecard([came(0.7), score(made(), None, None)], waiting, NOW)
    assert (found.open, found.overdue, found.void, found.rows[0].scored) == (3, 2, 1, 1)
    assert found.as_of == NOW


def test_nothing_scored_is_a_card_without_rows() -> None:
    assert card() == Scorecard(as_of=NOW, open=0)


def test_there_is_a_row_of_all_of_each_agent_and_of_each_market() -> None:
    found = card(
        came(0.7, market="USD/JPY"),
        came(0.9, market="AUD/USD", agent=AgentId.RESEARCH_AGENT_2),
        came(0.4, market="AUD/USD"),
    )
    assert [(each.of, each.scored) for each in found.rows] == [
        (ALL, 3),
        (AgentId.RESEARCH_AGENT_1, 2),
        (AgentId.RESEARCH_AGENT_2, 1),
        ("AUD/USD", 2),
        ("USD/JPY", 1),
    ]


def test_a_probability_belongs_to_the_tenth_that_begins_with_it() -> None:
    edges = [n / 10 for n in range(11)]
    bins = card(*map(came, edges)).bins
    assert [(found.low, found.count) for found in bins] == [
        *((n / 10, 1) for n in range(9)),
        (0.9, 2),
    ]
    assert [found.mean for found in bins] == pytest.approx([*edges[:9], 0.95])


def test_a_bin_tells_how_often_it_came_so() -> None:
    (found,) = card(came(0.62), came(0.66), came(0.64, "149"), came(0.68, "150")).bins
    assert (found.count, found.rose) == (4, 2)
    assert found.mean == pytest.approx(0.65)


@given(SCORED, st.randoms(use_true_random=False))
def test_no_order_matters_and_all_stays_in_bounds(
    scored: list[ScoredForecast], chance: random.Random
) -> None:
    shuffled = chance.sample(scored, len(scored))
    assert card(*scored) == card(*shuffled)
    assert agent_weights(scored) == agent_weights(shuffled)
    counted = [each for each in scored if each.value is not None]
    found = card(*scored)
    assert found.void == len(scored) - len(counted)
    assert sum(each.count for each in found.bins) == len(counted)
    for each in found.rows:
        assert each.hits <= each.decided <= each.scored
        assert each.random_walk <= 0.25


# A one-sided stance.


def saying(up: int, down: int, *weeks_ago: int) -> list[MadeForecast]:
    """So many that say up and down, in each of some weeks."""
    return [
        made(probability, ago) for ago in weeks_ago for probability in [0.6] * up + [0.4] * down
    ]


def test_the_sign_test_is_the_exact_binomial_one() -> None:
    assert sign_test(6, 0) == 2 / 64
    assert sign_test(5, 0) == 2 / 32
    assert sign_test(9, 1) == pytest.approx(2 * 11 / 1024)
    assert sign_test(1, 9) == sign_test(9, 1)
    assert sign_test(3, 3) == 1.0
    assert sign_test(0, 0) == 1.0


def test_twelve_weeks_of_one_opinion_are_one_sided() -> None:
    found = monitor([*saying(15, 4, *range(10)), *saying(4, 15, 10, 11)])
    assert (found.forecasts, found.up) == (228, 158)
    assert found.one_sided == (
        "158 of the last 228 forecasts say up: more than half of them in 10 weeks, fewer in 2, "
        "which chance would bring about with probability 0.039"
    )


def test_a_fall_seen_everywhere_is_told_as_such() -> None:
    found = monitor(saying(0, 20, *range(6)))
    assert found.one_sided is not None
    assert "120 of the last 120 forecasts say down" in found.one_sided
    assert "0.031" in found.one_sided


def test_many_forecasts_of_one_week_are_one_opinion() -> None:
    assert monitor(saying(300, 0, 0)).one_sided is None
    assert monitor(saying(20, 0, *range(5))).one_sided is None


def test_opinions_that_change_from_week_to_week_are_not_one_sided() -> None:
    found = monitor([*saying(19, 0, 0, 2, 4), *saying(0, 19, 1, 3, 5)])
    assert (found.forecasts, found.up, found.one_sided) == (114, 57, None)


def test_a_week_divided_in_itself_has_no_opinion() -> None:
    assert monitor([*saying(20, 0, *range(5)), *saying(10, 10, 5)]).one_sided is None
    assert monitor([*saying(20, 0, *range(6)), *saying(10, 10, 6)]).one_sided is not None


def test_only_the_newest_weeks_are_looked_at() -> None:
    old, new = saying(19, 0, *range(12, 30)), saying(0, 19, *range(12))
    assert monitor(old + new) == monitor(new)
    assert (monitor(new).forecasts, monitor(new).up) == (228, 0)


def test_a_desk_of_one_pair_is_looked_at_over_a_hundred_weeks() -> None:
    assert monitor(saying(1, 0, *range(130))).forecasts == 100


def test_even_odds_take_no_side() -> None:
    assert monitor([made(0.5)] * 500).forecasts == 0


def test_what_is_still_open_is_an_opinion_already() -> None:
    found = scorecard((), saying(20, 0, *range(6)), NOW).monitor
    assert found.forecasts == 120 and found.one_sided is not None


# The weight of an agent.


def record(count: int, probability: float, right: float) -> list[ScoredForecast]:
    """So many forecasts, one a week, of which such a share came true."""
    rose = int(count * right)
    return [came(probability, "151" if n < rose else "149", weeks_ago=n) for n in range(count)]


def weight_of(forecasts: list[ScoredForecast]) -> RecordWeight:
    (found,) = agent_weights(forecasts)
    return found


def test_a_record_worse_than_a_coin_weighs_less_and_says_why() -> None:
    found = weight_of(record(480, 0.6, 0.5))
    # Skill -0.04, of which 120 / 170 is believed, twice.
    assert found.factor == 0.94
    assert (found.voice, found.name) == (WeightOf.AGENT, AgentId.RESEARCH_AGENT_1)
    assert found.outcomes == 480
    assert (
        found.reason == "Brier 0.260 against 0.250 of a coin over 480 forecasts of 480 weeks: 0.94"
    )


def test_a_record_better_than_a_coin_weighs_more() -> None:
    assert weight_of(record(480, 0.7, 0.7)).factor == 1.23


def test_a_clear_skill_is_seen_after_two_years() -> None:
    assert weight_of(record(104, 0.7, 0.7)).factor == 1.1


def test_who_flips_a_coin_over_the_dollar_hardly_moves_however_many_pairs_follow_it() -> None:
    """Nineteen pairs go the way of one dollar, and are said to; each forecast spans four weeks."""
    chance = random.Random(1973)
    factors = [weight_of(coin_flips(chance, weeks=104, pairs=19)).factor for _ in range(100)]
    assert sum(0.9 <= factor <= 1.1 for factor in factors) >= 98


def coin_flips(chance: random.Random, *, weeks: int, pairs: int) -> list[ScoredForecast]:
    path = [0.0]
    while len(path) < weeks + 4:
        path.append(path[-1] + chance.gauss(0, 1))
    said: list[ScoredForecast] = []
    for week in range(weeks):
        value = "151" if path[week + 4] > path[week] else "149"
        flipped = came(chance.choice([0.4, 0.6]), value, weeks_ago=weeks - week)
        said.extend([flipped] * pairs)
    return said


def test_a_longer_record_is_believed_more() -> None:
    factors = [weight_of(record(count, 0.7, 0.7)).factor for count in (30, 80, 160, 400)]
    assert factors == sorted(set(factors))


def test_an_agent_no_better_than_a_coin_keeps_its_weight() -> None:
    assert weight_of(record(400, 0.5, 0.5)).factor == 1.0


def test_forecasts_of_few_weeks_change_nothing_however_many() -> None:
    many = [came(1.0, "149", weeks_ago=n % 25) for n in range(400)]
    found = weight_of(many)
    assert (found.factor, found.outcomes) == (1.0, 400)
    assert found.reason.endswith("over 400 forecasts of 25 weeks, of 26 needed: 1.00")
    assert weight_of([*many, came(1.0, "149", weeks_ago=25)]).factor < 1


def test_more_forecasts_of_the_same_weeks_are_believed_no_more() -> None:
    once = record(104, 0.7, 0.7)
    assert weight_of(once * 19).factor == weight_of(once).factor


def test_a_record_never_silences_or_crowns() -> None:
    assert weight_of(record(4_000, 1.0, 0.0)).factor == WEIGHT_BOUNDS[0]
    assert weight_of(record(4_000, 1.0, 1.0)).factor == WEIGHT_BOUNDS[1]


def test_void_forecasts_are_no_record() -> None:
    assert agent_weights([score(made(), None, None)] * 100) == ()


def test_a_market_that_never_moved_says_nothing_of_skill() -> None:
    assert weight_of([came(0.9, "150", weeks_ago=n) for n in range(60)]).factor == 1.0


# The weight of a source.


def test_a_source_is_weighed_against_the_mean_of_all() -> None:
    sound = SourceRecord(server="ecb", verified=980, contested=20)
    poor = SourceRecord(server="yahoo_finance", verified=120, contested=60, rejected=20)
    ecb, yahoo = source_weights([poor, sound])
    assert (ecb.name, ecb.factor, ecb.outcomes) == ("ecb", 1.05, 1000)
    assert (yahoo.name, yahoo.factor, yahoo.outcomes) == ("yahoo_finance", 0.84, 200)
    assert yahoo.voice is WeightOf.SOURCE
    assert yahoo.reason == (
        "120 of 200 claims borne out by another origin, 60.0% against 91.7% of all sources: 0.84"
    )


def test_a_source_alone_keeps_its_weight() -> None:
    (only,) = source_weights([SourceRecord(server="ecb", verified=10, contested=990)])
    assert only.factor == 1.0


def test_few_claims_change_nothing() -> None:
    sound = SourceRecord(server="ecb", verified=1_000)
    few = source_weights([sound, SourceRecord(server="reuters", rejected=49)])[1]
    assert (few.factor, few.outcomes) == (1.0, 49)
    assert "of 50 claims needed" in few.reason
    assert source_weights([sound, SourceRecord(server="reuters", rejected=50)])[1].factor < 1


def test_a_source_without_verdicts_is_not_weighed() -> None:
    assert source_weights([SourceRecord(server="ecb")]) == ()
    assert source_weights([]) == ()


@given(RECORDS, st.randoms(use_true_random=False))
def test_source_weights_are_bounded_and_of_no_order(
    records: list[SourceRecord], chance: random.Random
) -> None:
    found = source_weights(records)
    assert found == source_weights(chance.sample(records, len(records)))
    low, high = WEIGHT_BOUNDS
    assert all(low <= weight.factor <= high for weight in found)
    assert [weight.name for weight in found] == sorted({weight.name for weight in found})
