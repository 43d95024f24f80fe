"""How likely a pair is fixed higher in four weeks, against a second reckoning of it."""

import math
from datetime import date, timedelta
from decimal import Decimal
from statistics import NormalDist, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.prices.series import Fixing, Fixings, window_days
from desk.contracts.findings.results import Forecast, Leaning
from desk.contracts.weeks import monday_of
from desk.learning.forecasts.probability import FEWEST_WEEKS, carry_probability, forecast_of
from tests.support.builders import PAIRS, real_fixings, window

FRIDAY = date(2026, 10, 30)
FIRST = date(2026, 10, 25)
LEVELS = st.floats(50, 200).map(lambda level: round(level, 4))


def weekly(levels: list[float], last: date = FRIDAY) -> Fixings:
    """One fixing a week, the newest in the window."""
    days = reversed([last - timedelta(weeks=n) for n in range(len(levels))])
    return Fixings(tuple(map(Fixing, days, (Decimal(str(level)) for level in levels))))


def of(levels: list[float], leaning: Leaning = Leaning.NEUTRAL) -> Forecast | None:
    return forecast_of(weekly(levels), FIRST, leaning)


def probability(levels: list[float], leaning: Leaning = Leaning.NEUTRAL) -> float:
    made = of(levels, leaning)
    assert made is not None
    return made.probability


def rising(count: int = 57) -> list[float]:
    return [round(100 * 1.001**n + 0.001 * (n % 2), 4) for n in range(count)]


def by_iso_week(pair: str, week: str) -> list[float]:
    """The last fixings of the 56 weeks before a week, and of it."""
    closes: dict[tuple[int, int], float] = {}
    for day, value in real_fixings(pair):
        if day < monday_of(week) + timedelta(days=7):
            closes[day.isocalendar()[:2]] = float(value)
    return list(closes.values())[-57:]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("week", "leaning"), [("2026-W30", "up"), ("2024-W20", "down")])
def test_a_real_pair_comes_out_as_counted_by_hand(pair: str, week: str, leaning: str) -> None:
    closes, sign = by_iso_week(pair, week), 1 if leaning == "up" else -1
    like = [n for n in range(1, 53) if (closes[n] - closes[n - 1]) * sign > 0]
    risen = sum((closes[n + 4] > closes[n]) + (closes[n + 4] == closes[n]) / 2 for n in like)
    moves = [math.log(closes[n] / closes[n - 1]) for n in range(1, 57)]
    first, last = window_days(window(week))
    upto = Fixings(tuple(Fixing(*each) for each in real_fixings(pair) if each[0] < last))
    made = forecast_of(upto, first, Leaning(leaning))
    assert made is not None
    assert made.weeks == 4
    assert made.probability == pytest.approx((risen / 4 + 1) / (len(like) / 4 + 2), abs=0.0006)
    assert made.deviation == pytest.approx(2 * stdev(moves), abs=1e-6)


def test_what_always_rose_is_likely_to_and_never_sure() -> None:
    assert probability(rising()) == round((52 / 4 + 1) / (52 / 4 + 2), 3) == 0.933
    assert probability(rising()[::-1]) == 0.067


def test_only_weeks_that_moved_the_same_way_count() -> None:
    # A fall in every fifth week, and four weeks later the pair is where it was before it.
    levels = [100.0 + n % 5 for n in range(57)]
    assert probability(levels, Leaning.DOWN) > 0.5 > probability(levels, Leaning.UP)
    assert probability(levels, Leaning.DOWN) == round((10 / 4 + 1) / (10 / 4 + 2), 3)


def test_a_week_that_stood_still_moved_neither_way() -> None:
    # Still, up, down, and again: a rise is followed by a fall, a standstill by a rise.
    levels = [100.0 + (n % 3 == 2) for n in range(57)]
    assert probability(levels, Leaning.UP) == round(1 / (17 / 4 + 2), 3)


def test_weeks_without_a_like_one_are_even_odds() -> None:
    assert probability(rising(), Leaning.DOWN) == 0.5


def test_a_sequel_at_the_same_level_is_half_a_rise() -> None:
    levels = [100.0 + (n % 4 == 0) for n in range(57)]
    assert probability(levels) == 0.5


@pytest.mark.parametrize("leaning", [Leaning.UP, Leaning.DOWN, Leaning.NEUTRAL])
def test_a_short_history_gives_no_forecast(leaning: Leaning) -> None:
    enough = FEWEST_WEEKS + 4 + 1
    assert of(rising(enough), leaning) is not None
    assert of(rising(enough - 1), leaning) is None
    assert of([], leaning) is None


def test_a_week_without_a_fixing_ends_the_history() -> None:
    fixings = weekly(rising())
    cut = fixings.without({FRIDAY - timedelta(weeks=29)})
    assert forecast_of(fixings, FIRST, Leaning.UP) is not None
    assert forecast_of(cut, FIRST, Leaning.UP) is None


def test_no_forecast_without_a_fixing_in_the_window() -> None:
    assert forecast_of(weekly(rising(), FRIDAY - timedelta(days=7)), FIRST, Leaning.UP) is None


def test_a_pair_that_stands_still_has_no_forecast() -> None:
    assert of([7.46] * 57) is None


def test_a_level_that_is_none_gives_no_forecast() -> None:
    assert of([*rising(50), 0.0, *rising(6)]) is None


def test_who_abstains_forecasts_nothing() -> None:
    assert of(rising(), Leaning.ABSTAINS) is None


def test_what_is_older_than_the_history_that_is_asked_for_changes_nothing() -> None:
    assert of([55.0, 180.0, *rising()]) == of(rising())


@given(st.lists(LEVELS, min_size=31, max_size=57), st.sampled_from(list(Leaning)))
def test_a_forecast_is_never_sure_and_turns_with_the_pair(
    levels: list[float], leaning: Leaning
) -> None:
    made = of(levels, leaning)
    if made is None:
        assert leaning is Leaning.ABSTAINS or len(set(levels)) == 1
        return
    assert 0.06 < made.probability < 0.94
    mirrored = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}.get(leaning, leaning)
    turned = of([1 / level for level in levels], mirrored)
    assert turned is not None
    assert turned.probability == pytest.approx(1 - made.probability, abs=0.0011)
    assert turned.deviation == pytest.approx(made.deviation, abs=2e-6)


def test_carry_bets_on_the_currency_that_yields_more() -> None:
    # 262.5 basis points a year are 0.2019 percent in four weeks: a tenth of a deviation.
    assert carry_probability(Decimal("262.5"), 4, 0.02) == 0.54
    assert carry_probability(Decimal("-262.5"), 4, 0.02) == 0.46
    assert carry_probability(Decimal(0), 4, 0.02) == 0.5


@given(st.integers(-4_000, 4_000), st.floats(1e-6, 1.0), st.integers(1, 52))
def test_carry_is_the_normal_share_above_the_drift(
    differential: int, deviation: float, weeks: int
) -> None:
    found = carry_probability(differential, weeks, deviation)
    drift = differential / 10_000 * weeks / 52
    assert found == pytest.approx(NormalDist(sigma=deviation).cdf(drift), abs=0.00051)
    assert found + carry_probability(-differential, weeks, deviation) == pytest.approx(1, abs=1e-9)
