"""A pair's week in figures, against figures computed apart from the code."""

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.figures import day_of, level_step, print_claim
from desk.analytics.prices.price_view import Break, PriceView, Side, months_before, view_prices
from desk.analytics.prices.series import Fixing, Fixings, window_days
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.weeks import monday_of
from desk.trust.claims.price_claims import position_in_band, price_claims
from desk.trust.claims.recompute import recompute
from desk.trust.prose.references import Form, printed
from tests.support.builders import (
    HKD_BAND,
    PAIRS,
    pair_market,
    real_fixings,
    real_history,
    window,
)

FIRST = date(2026, 10, 25)
LAST = date(2026, 11, 2)


def view_of(pair: str, week: str) -> PriceView:
    view = view_prices(Fixings.of(real_history(pair, week)), *window_days(window(week)))
    assert view is not None
    return view


def claims_of(pair: str, week: str, digits: int = 4) -> dict[Metric, Claim]:
    claims = price_claims(view_of(pair, week), pair_market(pair, digits=digits), "evidence")
    return {claim.metric: claim for claim in claims}


def week_end_levels(pair: str, week: str) -> list[float]:
    """The last fixing of each of the 53 weeks before a week, and of the week itself."""
    closes: dict[tuple[int, int], float] = {}
    for day, value in real_fixings(pair):
        if day < monday_of(week) + timedelta(days=7):
            closes[day.isocalendar()[:2]] = float(value)
    return list(closes.values())[-54:]


def made_up(levels: list[float], last: date = date(2026, 10, 30)) -> Fixings:
    days = [last - timedelta(days=n) for n in range(3 * len(levels))]
    weekdays = [day for day in days if day.weekday() < 5][: len(levels)]
    rounded = (Decimal(str(round(level, 4))) for level in levels)
    return Fixings(tuple(map(Fixing, reversed(weekdays), rounded)))


def wave(count: int = 290) -> list[float]:
    return [100 + np.sin(n / 9) + 0.2 * (n % 3) for n in range(count)]


def test_the_dollar_against_the_yen_in_week_44_of_2026() -> None:
    claims = claims_of("USD/JPY", "2026-W44", digits=2)
    assert claims[Metric.PREVIOUS].value == Decimal("156.80")
    assert claims[Metric.PREVIOUS].as_of == date(2026, 10, 23)
    assert claims[Metric.LAST].value == Decimal("157.25")
    assert claims[Metric.LAST].as_of == date(2026, 10, 30)
    assert claims[Metric.MOVE].value == Decimal("0.29")
    assert claims[Metric.WINDOW_HIGH].value == Decimal("158.06")
    assert claims[Metric.WINDOW_HIGH].as_of == date(2026, 10, 29)


def test_the_end_of_the_swiss_floor_is_the_largest_move_of_its_year() -> None:
    claims = claims_of("USD/CHF", "2015-W03")
    assert claims[Metric.MOVE].value == Decimal("-14.04")
    assert claims[Metric.Z_SCORE].value < -18
    view = view_of("USD/CHF", "2015-W03")
    assert view.suspects == ()
    assert view.breaks == (Break(Side.LOW, 3, Fixing(date(2015, 1, 16), view.last.value)),)


@pytest.mark.parametrize("week", ["2026-W44", "2015-W03", "2022-W44", "2016-W25", "2024-W31"])
@pytest.mark.parametrize("pair", ["EUR/USD", "USD/JPY", "USD/CHF", "GBP/USD", "USD/KRW"])
def test_a_real_week_agrees_with_numpy(pair: str, week: str) -> None:
    view = view_of(pair, week)
    levels = week_end_levels(pair, week)
    moves = np.diff(np.log(levels))
    expected = (moves[-1] - moves[:-1].mean()) / moves[:-1].std(ddof=1)
    assert len(moves) == 53
    assert view.z_score == pytest.approx(expected)
    start, end = window_days(window(week))
    within = [float(value) for day, value in real_fixings(pair) if start <= day < end]
    assert float(view.window_high.value) == max(within)
    assert float(view.window_low.value) == min(within)
    assert view.previous is not None
    assert float(view.previous.value) == levels[-2]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_52_week_range_of_every_pair_holds_its_last_fixing(pair: str) -> None:
    view = view_of(pair, "2026-W44")
    year = [v for d, v in real_fixings(pair) if date(2025, 11, 1) <= d <= date(2026, 10, 30)]
    assert view.year_high is not None
    assert view.year_low is not None
    assert (view.year_low.value, view.year_high.value) == (min(year), max(year))
    position = claims_of(pair, "2026-W44", digits=6)[Metric.RANGE_POSITION].value
    share = (view.last.value - min(year)) / (max(year) - min(year)) * 100
    assert position == share.quantize(Decimal("0.1"))
    assert 0 <= position <= 100


@pytest.mark.parametrize(
    ("day", "week"), [(date(2009, 3, 26), "2009-W13"), (date(2013, 4, 2), "2013-W14")]
)
def test_the_bad_hong_kong_fixings_are_left_out_of_every_figure(day: date, week: str) -> None:
    view = view_of("USD/HKD", week)
    assert [fixing.day for fixing in view.suspects] == [day]
    used = (view.last, view.previous, view.window_low, view.window_high, view.year_low)
    assert all(fixing and fixing.day != day for fixing in used)
    assert view.window_low.value > view.suspects[0].value
    assert not view.unconfirmed_last


def test_a_break_names_the_longest_span_it_clears() -> None:
    levels = wave()
    levels[-3:] = [108.0, 110.0, 109.0]
    view = view_prices(made_up(levels), FIRST, LAST)
    assert view is not None
    assert [(b.side, b.months) for b in view.breaks] == [(Side.HIGH, 12)]


def test_a_level_seen_two_months_ago_breaks_the_month_s_extreme_only() -> None:
    levels = [100 + 0.05 * (n % 2) for n in range(290)]
    levels[-50:-47] = [101.0, 101.0, 101.0]
    levels[-1] = 100.9
    view = view_prices(made_up(levels), FIRST, LAST)
    assert view is not None
    assert [(b.side, b.months) for b in view.breaks] == [(Side.HIGH, 1)]


def test_a_fixing_breaks_as_much_in_a_month_as_in_a_week() -> None:
    history = Fixings.of(real_history("USD/THB", "2026-W44"))
    month = view_prices(history, date(2026, 10, 1), LAST)
    assert month is not None
    assert month.breaks == view_of("USD/THB", "2026-W44").breaks != ()


def test_too_little_history_leaves_figures_out_instead_of_guessing() -> None:
    view = view_prices(made_up(wave(40)), FIRST, LAST)
    assert view is not None
    assert view.z_score is None
    assert view.year_high is view.year_low is None
    assert all(broken.months == 1 for broken in view.breaks)
    found = {claim.metric for claim in price_claims(view, pair_market(), "evidence")}
    assert not found & {Metric.Z_SCORE, Metric.RANGE_POSITION, Metric.YEAR_HIGH}


def test_a_fixing_of_long_ago_is_no_previous_level() -> None:
    series = made_up(wave())
    gap = series.without({f.day for f in series.items if date(2026, 10, 5) < f.day < FIRST})
    view = view_prices(gap, FIRST, LAST)
    assert view is not None
    assert view.previous is None
    assert view.z_score is None


def test_a_window_without_fixings_has_no_view() -> None:
    assert view_prices(made_up(wave(), last=date(2026, 10, 23)), FIRST, LAST) is None
    assert view_prices(Fixings(()), FIRST, LAST) is None


def test_a_week_that_stops_on_its_tuesday_ends_early() -> None:
    early = view_prices(made_up(wave(), last=date(2026, 10, 27)), FIRST, LAST)
    whole = view_prices(made_up(wave()), FIRST, LAST)
    assert early is not None
    assert whole is not None
    assert early.early_last
    assert not whole.early_last


def test_derived_claims_follow_from_the_printed_figures() -> None:
    for pair in PAIRS:
        claims = {c.claim_id: c for c in claims_of(pair, "2026-W44").values()}
        derived = [c for c in claims.values() if c.inputs]
        assert {c.metric for c in derived} >= {Metric.MOVE, Metric.RANGE_POSITION}
        for claim in derived:
            assert recompute(claim, claims, HKD_BAND) == claim.value


def test_every_claim_rests_on_evidence_and_has_its_unit() -> None:
    units = {metric: claim.unit for metric, claim in claims_of("USD/JPY", "2026-W44").items()}
    assert units[Metric.MOVE] is units[Metric.RANGE_POSITION] is Unit.PERCENT
    assert units[Metric.Z_SCORE] is Unit.STANDARD_DEVIATIONS
    assert units[Metric.STREAK] is Unit.DAYS
    assert units[Metric.LAST] is Unit.LEVEL
    for claim in claims_of("USD/HKD", "2026-W44").values():
        assert claim.evidence == ("evidence",)


def test_a_pegged_pair_has_a_band_position_and_no_z_score() -> None:
    claims = claims_of("USD/HKD", "2026-W44")
    assert Metric.Z_SCORE not in claims
    assert claims[Metric.BAND_POSITION].value == Decimal("95.7")
    assert claims[Metric.BAND_POSITION].inputs == ("USD/HKD:last",)
    assert position_in_band(Decimal("7.80"), HKD_BAND) == 50


@pytest.mark.parametrize(
    ("level", "digits", "step"),
    [
        ("157.25", 2, "0.01"),
        ("0.6543", 4, "0.0001"),
        ("0.00636", 4, "0.000001"),
        ("16200", 0, "1"),
    ],
)
def test_a_printed_level_keeps_four_significant_digits(level: str, digits: int, step: str) -> None:
    assert level_step(Decimal(level), digits) == Decimal(step)


def test_a_month_before_its_last_day_is_a_shorter_month_s_last_day() -> None:
    assert months_before(date(2026, 3, 31), 1) == date(2026, 2, 28)
    assert months_before(date(2024, 2, 29), 12) == date(2023, 2, 28)


@given(st.lists(st.floats(-0.03, 0.03), min_size=285, max_size=285), st.sampled_from([0.01, 90.0]))
def test_figures_without_a_level_do_not_depend_on_the_scale(
    moves: list[float], scale: float
) -> None:
    levels = 100 * np.exp(np.cumsum(moves))
    plain = made_up(list(levels))
    scaled = Fixings(tuple(Fixing(day, value * Decimal(scale)) for day, value in plain.items))
    one, other = view_prices(plain, FIRST, LAST), view_prices(scaled, FIRST, LAST)
    assert one is not None
    assert other is not None
    assert one.z_score == pytest.approx(other.z_score)
    assert one.streak == other.streak
    assert [(b.side, b.months) for b in one.breaks] == [(b.side, b.months) for b in other.breaks]
    assert [f.day for f in one.suspects] == [f.day for f in other.suspects]


def test_the_day_since_which_a_level_is_the_highest_is_that_of_the_newest_one_as_high() -> None:
    levels = wave()
    series = made_up([*levels[:-1], max(levels[-60:-1])])
    view = view_prices(series, series.items[-5].day, series.items[-1].day)
    assert view is not None
    higher = [each for each in series.items[:-1] if each.value >= series.items[-1].value]
    assert view.higher_before == higher[-1]
    claims = {c.metric: c for c in price_claims(view, pair_market("USD/CHF"), "e")}
    since = claims.get(Metric.HIGHEST_SINCE)
    assert (since is None) is (higher[-1].day > months_before(view.last.day, 1))


def test_since_when_it_is_the_lowest_is_a_claim_printed_as_a_day() -> None:
    claim = claims_of("USD/JPY", "2025-W15", digits=2)[Metric.LOWEST_SINCE]
    fixings = [each for each in real_fixings("USD/JPY") if each[0] < claim.as_of]
    last = dict(real_fixings("USD/JPY"))[claim.as_of]
    assert day_of(claim.value) == max(day for day, value in fixings if value <= last)
    assert print_claim(claim) == "30 Sep 2024"
    assert printed(claim, Form.PLAIN) == "lowest since 30 Sep 2024"


def test_a_level_that_the_whole_history_does_not_reach_has_no_day_since_which() -> None:
    claims = claims_of("USD/CHF", "2025-W15")
    assert claims[Metric.LAST].value == claims[Metric.YEAR_LOW].value
    assert Metric.LOWEST_SINCE not in claims


def test_the_largest_day_is_the_step_that_brought_most_of_the_move() -> None:
    claim = claims_of("USD/CHF", "2025-W15")[Metric.LARGEST_DAY]
    week = [each for each in real_fixings("USD/CHF") if date(2025, 4, 4) <= each[0] <= claim.as_of]
    steps = {day: value - before for (_, before), (day, value) in pairwise(week)}
    assert min(steps, key=lambda day: steps[day]) == claim.as_of
    share = steps[claim.as_of] / (week[-1][1] - week[0][1])
    assert print_claim(claim) == f"{share:.0%}".replace("%", " %")
    assert printed(claim, Form.DAY) == "Fri 11 Apr"


def test_a_week_that_went_back_and_forth_has_no_largest_day() -> None:
    assert Metric.LARGEST_DAY not in claims_of("GBP/USD", "2025-W15")


def test_the_edges_of_a_band_are_claims() -> None:
    view = view_of("USD/HKD", "2025-W15")
    claims = price_claims(view, pair_market("USD/HKD"), "evidence")
    edges = [c.value for c in claims if c.metric in (Metric.BAND_LOW, Metric.BAND_HIGH)]
    assert edges == [HKD_BAND.low, HKD_BAND.high]
    assert Metric.BAND_LOW not in claims_of("USD/CHF", "2025-W15")
