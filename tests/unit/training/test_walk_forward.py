"""The built-in recommender walked forward: what is measured, how surely, and what is said of it."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import USUAL_COST, Recommended
from desk.contracts.findings.claims import Metric
from desk.programs.episode.actions import ORDER
from desk.programs.episode.encoding import Observation
from desk.training import policies
from desk.training.charges import USUAL_CHARGES
from desk.training.company_figures import Facts
from desk.training.example import __main__ as example
from desk.training.example.trial import (
    Chooser,
    HeldOutEpisode,
    PolicyResults,
    Training,
    choosers,
    held_out_episodes,
    held_out_symbols,
    play,
    split_day,
    training_days,
)
from desk.training.policies import ACTIONS
from desk.training.stock_env import StockResearchEnv
from desk.training.tables import StockTable, stock_table
from desk.training.vector_env import Mask, Numbers, StockResearchVectorEnv
from desk.training.walk_forward.intervals import bootstrapped
from desk.training.walk_forward.records import (
    BUILT_IN,
    MadeRecommendation,
    PerformanceRow,
    WalkForward,
)
from desk.training.walk_forward.table import WIDTH, interval_notes, lines
from desk.training.walk_forward.walk import NoDates, places, summarised, walk_forward

SYMBOLS = ("^GSPC", "NFLX")
FRIDAY = datetime(2020, 1, 3, 22, tzinfo=UTC)


@cache
def tables() -> Mapping[str, StockTable]:
    return {symbol: stock_table(symbol) for symbol in SYMBOLS}


@cache
def walked() -> WalkForward:
    return walk_forward(tables=tables())


def named(rows: tuple[PerformanceRow, ...], of: str) -> PerformanceRow:
    return next(row for row in rows if row.of == of)


def made(
    period: int = 0, recommended: Recommended = Recommended.BUY, move: str = "2.00", **fields: str
) -> MadeRecommendation:
    """A recommendation of NVDA that was said to be more likely right than not."""
    figures = {Metric.ENTRY: "100.00", Metric.EXIT: f"{100 + Decimal(move)}", **fields}
    as_of = FRIDAY + timedelta(weeks=4 * period)
    return MadeRecommendation(
        policy=BUILT_IN,
        symbol="NVDA",
        period=period,
        as_of=as_of,
        entry_on=as_of.date() + timedelta(days=3),
        exit_on=as_of.date() + timedelta(weeks=4),
        recommended=recommended,
        probability=0.6,
        figures={Metric.FORWARD_MOVE: Decimal(move)}
        | {Metric(name): Decimal(value) for name, value in figures.items()},
    )


def added_up(*recommendations: MadeRecommendation) -> WalkForward:
    return summarised(recommendations, 4, Decimal("0.10"), 0)


def test_a_row_counts_what_was_recommended_and_what_was_right() -> None:
    found = added_up(
        made(0, Recommended.BUY, "2.00"),
        made(1, Recommended.BUY, "-1.00"),
        made(2, Recommended.SELL, "-3.00"),
        made(3, Recommended.SELL, "0.00"),
        made(4, Recommended.HOLD, "5.00"),
        made(5, Recommended.ABSTAIN, "-5.00"),
    ).policies[0]
    assert dict(found.kinds) == {
        Recommended.BUY: 2,
        Recommended.HOLD: 1,
        Recommended.SELL: 2,
        Recommended.ABSTAIN: 1,
    }
    assert (found.made, found.right, found.decided) == (6, 2, 3)


def test_a_mean_is_over_those_that_have_the_figure() -> None:
    found = added_up(made(0), made(1, reward="0.50", over_cash="1.00")).policies[0]
    reward = found.means[Metric.REWARD]
    assert reward is not None
    assert (reward.mean, reward.count) == (0.5, 1)
    assert found.means[Metric.OVER_HOLDING] is None


def test_probabilities_are_scored_beside_a_half_and_the_base_rate() -> None:
    found = added_up(made(0, move="1"), made(1, move="2"), made(2, move="3"), made(3, move="-4"))
    row = found.scorecard.rows[0]
    assert (row.scored, row.hits) == (4, 3)
    assert row.brier == pytest.approx(0.21)
    assert row.random_walk == 0.25
    assert found.base_rate == 0.75
    assert found.base_rate_brier == pytest.approx(0.1875)
    assert found.better_than_half is not None
    assert found.better_than_half.mean == pytest.approx(0.04)


def test_every_recommendation_is_of_what_the_environment_recommends_there() -> None:
    env = StockResearchEnv(tables=tables())
    kinds = dict.fromkeys(Recommended, 0)
    table = tables()["NFLX"]
    for place in places(table, 4):
        env.reset(options={"symbol": "NFLX", "as_of": table.days[place.at]})
        for action in ORDER:
            env.step(ACTIONS.index(action))
        board = env.board
        assert board.evaluation is not None and board.recommendation is not None
        if place.resolved:
            assert board.evaluation.figures
            kinds[board.recommendation] += 1
    assert dict(named(walked().by_symbol, "NFLX").kinds) == kinds


def test_horizons_do_not_overlap() -> None:
    table = tables()["^GSPC"]
    ends = date.min
    for place in places(table, 4):
        _, days = table.evaluation(place.at, 1, 4, Decimal("0.10"))
        if days:
            assert table.days[place.at] >= ends
            assert days[Metric.ENTRY] > table.days[place.at]
            ends = days[Metric.EXIT]


def test_every_policy_is_measured_on_the_same_dates() -> None:
    assert len({row.made for row in walked().policies}) == 1
    assert [row.of for row in walked().policies] == [
        BUILT_IN,
        "holding",
        "cash",
        "random",
        "averages",
    ]
    moves = {row.means[Metric.FORWARD_MOVE] for row in walked().policies}
    assert len(moves) == 1


def test_gains_are_of_the_same_dates_for_every_policy() -> None:
    """Cash has a reward of 0 without a volatility, and is no further dates' mean for it."""
    counts = {
        mean.count
        for row in walked().policies
        for metric in (Metric.OVER_CASH, Metric.OVER_HOLDING, Metric.REWARD)
        if (mean := row.means[metric]) is not None
    }
    (rated,) = counts
    assert 0 < rated < walked().policies[0].made


def test_what_an_interval_is_of_and_why_there_is_none_is_told() -> None:
    told = next(interval_notes(4, ()))
    assert "Student's t over 6 to 10 groups of dates in a row" in told
    assert "None with under 12 dates, which are too few" in told


def test_a_walk_over_a_year_of_weeks_prints_no_interval_without_a_width() -> None:
    printed = [
        line for line in lines(walk_forward("tsla", weeks=1)) if line.startswith(("  20", "  TSLA"))
    ]
    assert printed
    widths = re.findall(r"\((\S+)\.\.(\S+)\)", "\n".join(printed))
    assert widths
    assert all(low != high for low, high in widths)


def test_a_count_of_one_is_told_in_the_singular() -> None:
    found = added_up(made())
    text = " ".join(" ".join(lines(replace(found, weeks=1, unresolved=1))).split())
    assert "every week, cost" in text
    assert "1 symbol: NVDA" in text
    assert "one horizon of 1 week," in text
    assert "1 recommendation had no price soon after it" in text
    assert not re.search(r"\b1 (weeks|symbols|recommendations)\b", text)


def test_what_cannot_be_held_is_told_where_it_was_walked() -> None:
    text = " ".join(interval_notes(4, ("^GSPC", "NFLX", "XAUUSD=X")))
    assert "^GSPC and XAUUSD=X cannot be held as such" in text
    assert "cannot be held" not in " ".join(interval_notes(4, ("NFLX",)))


def test_holding_is_told_to_be_bought_anew_at_each_date() -> None:
    assert "`holding` buys anew at each date" in " ".join(lines(walked()))


def test_holding_is_what_is_compared_with_and_cash_earns_nothing_over_cash() -> None:
    holding, cash = named(walked().policies, "holding"), named(walked().policies, "cash")
    for row, metric in ((holding, Metric.OVER_HOLDING), (cash, Metric.OVER_CASH)):
        mean = row.means[metric]
        assert mean is not None
        assert (mean.mean, mean.low, mean.high) == (0, 0, 0)


def test_a_cost_takes_twice_itself_from_every_position_and_nothing_from_cash() -> None:
    free = walk_forward(cost=Decimal(0), tables=tables())
    dear = walk_forward(cost=Decimal(1), tables=tables())
    for policy, taken in (("holding", 2.0), ("cash", 0.0)):
        means = [named(each.policies, policy).means[Metric.OVER_CASH] for each in (free, dear)]
        assert means[0] is not None and means[1] is not None
        assert means[0].mean - means[1].mean == pytest.approx(taken)


def test_the_same_seed_measures_the_same_and_another_another_chance() -> None:
    assert walk_forward(tables=tables()) == walked()
    other = walk_forward(tables=tables(), seed=2)
    assert named(other.policies, "random").kinds != named(walked().policies, "random").kinds
    assert named(other.policies, BUILT_IN).kinds == named(walked().policies, BUILT_IN).kinds


def test_a_walk_keeps_to_the_years_that_are_given() -> None:
    found = walk_forward(first_year=2018, last_year=2019, tables=tables())
    assert {row.of for row in found.by_year} == {"2018", "2019"}
    assert found.first.year == 2018 and found.last.year == 2019
    with pytest.raises(NoDates, match="the prices are of 2015 to 20"):
        walk_forward(first_year=2031, tables=tables())


@pytest.mark.parametrize("year", [0, 1969, 2101, 20100])
def test_a_year_that_no_walk_can_have_is_told_with_those_that_one_can(year: int) -> None:
    with pytest.raises(ValueError, match=f"a year is 1970 to 2100, not {year}"):
        walk_forward(first_year=year, tables=tables())
    with pytest.raises(ValueError, match=f"a year is 1970 to 2100, not {year}"):
        walk_forward(last_year=year, tables=tables())


def test_a_symbol_alone_is_read_as_one_in_any_case() -> None:
    assert walk_forward(" nflx ", tables=tables()).symbols == ("NFLX",)
    with pytest.raises(ValueError, match="42 is no symbol of a stock"):
        walk_forward([42], tables=tables())  # type: ignore[list-item]


@pytest.mark.parametrize("fields", [{"weeks": 0}, {"weeks": 53}, {"cost": Decimal(-1)}])
def test_a_walk_that_cannot_be_is_told(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="weeks are 1 to 52"):
        walk_forward(tables=tables(), **fields)


def test_rows_by_year_and_by_symbol_add_up_to_all() -> None:
    found = walked()
    for rows in (found.by_year, found.by_symbol):
        assert sum(row.made for row in rows) == found.policies[0].made


def test_dates_whose_series_ends_before_the_horizon_are_left_out_and_counted() -> None:
    last = max(place.at for place in places(tables()["NFLX"], 4) if place.resolved)
    days = tables()["NFLX"].days
    assert days[last] + timedelta(weeks=4) <= days[-1]
    left_out = [p for table in tables().values() for p in places(table, 4) if not p.resolved]
    assert walked().unresolved == len(left_out) == 2


def test_the_tables_fit_a_terminal_and_say_what_they_are_not() -> None:
    printed = list(lines(walked()))
    assert max(map(len, printed)) <= WIDTH
    text = " ".join(" ".join(printed).split())
    assert "cost 0.10 % each way" in text
    assert "no promise, and no advice" in text
    assert "profit" not in text


@pytest.mark.parametrize(
    ("short", "long", "held"),
    [
        (2.0, 1.0, Recommended.BUY),
        (1.0, 2.0, Recommended.HOLD),
        (1.0, None, Recommended.HOLD),
    ],
)
def test_averages_are_long_only_while_the_shorter_is_above(
    short: float, long: float | None, held: Recommended
) -> None:
    known = {Metric.SMA_50: short} | ({} if long is None else {Metric.SMA_200: long})
    assert policies.moving_averages("NVDA", 1, known) is held


def test_nothing_of_the_training_reaches_into_the_dates_it_is_tried_on() -> None:
    split = split_day(tables().values(), 4)
    env = StockResearchEnv(tables=tables(), last=split)
    drawn = [datetime.fromisoformat(env.reset(seed=s)[1]["as_of"]).date() for s in range(50)]
    assert max(drawn) + timedelta(weeks=4) <= split
    later = held_out_episodes(tables().values(), 4, USUAL_COST, split + timedelta(days=1))
    assert min(each.day for each in later) > split


def test_training_begins_with_the_first_reward_and_leaves_out_what_has_none() -> None:
    early = {name: stock_table(name) for name in ("XAUUSD=X", "FB", "GOOG")}
    split = date(2012, 8, 6)
    days = training_days(early.values(), 4, Decimal("0.10"), split)
    assert days.symbols == ("XAUUSD=X", "GOOG")
    assert days.first == date(1999, 2, 22)
    assert 0.95 < days.rewarded / days.days < 1
    env = StockResearchEnv(days.symbols, first=days.first, last=split, tables=early)
    assert sum(has_a_reward(env, seed) for seed in range(100)) >= 95


def test_training_without_any_reward_is_told() -> None:
    with pytest.raises(ValueError, match="no day whose 4 weeks are over by 1990-01-01"):
        training_days([stock_table("XAUUSD=X")], 4, Decimal("0.10"), date(1990, 1, 1))


def test_what_is_trained_on_is_told_as_it_is() -> None:
    days = Training(("NFLX",), date(2018, 5, 8), days=1_234, rewarded=1_200)
    told = example.lead(days, date(2019, 3, 1), ("^GSPC",), 4, Facts.GENERATED)
    text = " ".join(" ".join(told).split())
    assert "trained on 1 symbol: NFLX 1,234 days from 2018-05-08" in text
    assert "whose 4 weeks are over by 2019-03-01 34 of them have no reward" in text
    assert "facts of companies: generated; never seen: ^GSPC" in text
    assert "nothing about markets" in text


def test_a_policy_that_never_evaluates_pays_and_earns_nothing() -> None:
    found = trial(date(2020, 1, 1), {"idle": idle})["idle"]
    assert not found.evaluated.any()
    assert set(found.steps) == {20}
    assert found.rewards == pytest.approx(-20 * USUAL_CHARGES[StockAction.FETCH_NEWS])


def test_policies_are_tried_on_the_same_dates_less_what_they_were_charged() -> None:
    found = trial(date(2020, 1, 1), choosers(1))
    usual = found["in order"]
    assert usual.evaluated.all()
    assert found["random"].evaluated.mean() > 0.5
    rewards = []
    for each in episodes(date(2020, 1, 1)):
        env = StockResearchEnv(tables=tables())
        env.reset(options={"symbol": each.symbol, "as_of": each.day})
        rewards.append(sum(env.step(action)[1] for action in ORDER) - sum(USUAL_CHARGES.values()))
    assert usual.rewards == pytest.approx(rewards)
    assert found["no news"].rewards == pytest.approx(
        [reward + USUAL_CHARGES[StockAction.FETCH_NEWS] for reward in rewards]
    )


def test_what_came_of_the_training_is_told_either_way() -> None:
    found = trial(date(2018, 3, 1), {example.TRAINED: idle, **choosers(1)})
    printed = list(example.result_lines("later dates", episodes(date(2018, 3, 1)), found, seed=1))
    assert max(map(len, printed)) <= WIDTH
    verdicts = [line for line in printed if line.endswith((" random", " in order", " holding"))]
    assert len(verdicts) == 3


def test_no_stock_that_is_held_out_is_trained_on() -> None:
    assert held_out_symbols(["NVDA", "AAPL", "AMZN", "IBM", "FB", "GOOG"]) == ("AMZN", "NVDA")


def test_a_bootstrap_holds_the_true_mean_about_as_often_as_it_says() -> None:
    held = 0
    for seed in range(100):
        chance = np.random.default_rng(seed)
        common = np.repeat(chance.normal(0.3, 1, 60), 4)
        figures = (common + chance.normal(0, 1, 240)).tolist()
        found = bootstrapped(np.repeat(np.arange(60), 4).tolist(), figures, seed)
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 0.3 <= found.high
    assert 85 <= held <= 100
    few = bootstrapped([1, 2], [0.0, 1.0], 1)
    assert few is not None
    assert (few.mean, few.low) == (0.5, None)


def test_without_what_trains_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(SystemExit, match="make install-train"):
        example.main(["--seconds", "1"])
    assert capsys.readouterr().out == ""


def idle(seen: Observation, masks: Mask, step: int) -> Numbers:
    return np.zeros(len(masks), np.int64)


def episodes(first: date) -> list[HeldOutEpisode]:
    return list(held_out_episodes(tables().values(), 4, USUAL_COST, first))


def trial(first: date, chosen: Mapping[str, Chooser]) -> dict[str, PolicyResults]:
    env = StockResearchVectorEnv(16, tables=tables(), charges=USUAL_CHARGES)
    return {name: play(env, episodes(first), choose) for name, choose in chosen.items()}


def has_a_reward(env: StockResearchEnv, seed: int) -> bool:
    env.reset(seed=seed)
    told = [env.step(ACTIONS.index(action))[4] for action in ORDER]
    return "without_reward" not in told[-1]
