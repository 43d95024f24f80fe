"""Two statements of one quantity in the same terms."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.comparison.normalise import (
    Artefact,
    Comparable,
    Difference,
    Incomparable,
    StatedFigure,
    normalise,
)
from desk.analytics.comparison.tolerances import Quantity, tolerance_of
from desk.contracts.findings.claims import Metric, Unit

DAY = date(2026, 10, 30)
ECB, FED = "European Central Bank", "Federal Reserve Board"


def level(value: str, pair: str = "USD/JPY", origin: str | None = ECB) -> StatedFigure:
    return StatedFigure(pair, Metric.LAST, Decimal(value), Unit.LEVEL, DAY, origin)


def rate(
    value: str, instrument: str | None = None, unit: Unit = Unit.PERCENT_A_YEAR, day: date = DAY
) -> StatedFigure:
    return StatedFigure("US", Metric.POLICY_RATE, Decimal(value), unit, day, FED, instrument)


def change(value: str, unit: Unit = Unit.BASIS_POINTS) -> StatedFigure:
    return StatedFigure("US", Metric.DECISION_CHANGE, Decimal(value), unit, DAY)


def move(value: str, unit: Unit = Unit.PERCENT, origin: str = ECB) -> StatedFigure:
    return StatedFigure("USD/JPY", Metric.MOVE, Decimal(value), unit, DAY, origin)


@pytest.mark.parametrize(
    ("one", "other", "artefacts"),
    [
        (level("157.25"), level("157.25"), set()),
        (level("157.25"), level("157.3"), {Artefact.ROUNDING}),
        (level("157.25"), level("0.0063593", "JPY/USD"), {Artefact.DIRECTION}),
        (level("157.25"), level("0.0064"), {Artefact.DIRECTION}),
        (level("9.0512", "USD/KRW"), level("905.12", "USD/KRW"), {Artefact.SCALE}),
        (level("16350", "USD/IDR"), level("16.35", "USD/IDR"), {Artefact.SCALE}),
        (level("157.25"), level("157.90", origin=FED), {Artefact.FIXING_HOUR}),
        (rate("0.25"), rate("25", unit=Unit.BASIS_POINTS), {Artefact.UNIT}),
        (rate("4.375"), rate("4.38"), set()),
        (rate("4.375"), rate("0.04375"), {Artefact.SCALE}),
        (change("25"), change("0.25", Unit.PERCENT), {Artefact.UNIT}),
        (change("25"), change("0.25"), {Artefact.SCALE}),
        (move("-3.64"), move("-364", Unit.BASIS_POINTS), {Artefact.UNIT}),
        (move("-3.64"), move("-3.6"), set()),
    ],
)
def test_an_artefact_is_resolved_and_named(
    one: StatedFigure, other: StatedFigure, artefacts: set[Artefact]
) -> None:
    for pair in (normalise(one, other), normalise(other, one)):
        assert isinstance(pair, Comparable)
        assert pair.agree
        assert artefacts <= set(pair.artefacts) <= artefacts | {Artefact.ROUNDING}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (level("157.25"), level("157.26")),
        (level("157.25"), level("160")),
        (level("157.25"), level("159.00", origin=FED)),
        (level("157.25"), level("0.0066", "JPY/USD")),
        (level("1.0834", "EUR/USD"), level("108.34", "EUR/USD")),
        (level("1.02", "EUR/USD"), level("0.98", "EUR/USD")),
        (rate("4"), rate("4.25")),
        (change("25"), change("0")),
        (change("25"), change("-25")),
        (move("0.60"), move("-0.30", origin=FED)),
        (move("3.64"), move("-3.64")),
    ],
    ids=lambda stated: f"{stated.value} {stated.subject}",
)
def test_what_no_artefact_explains_is_a_contradiction(
    one: StatedFigure, other: StatedFigure
) -> None:
    for pair in (normalise(one, other), normalise(other, one)):
        assert isinstance(pair, Comparable)
        assert not pair.agree


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (level("157.25"), level("1.08", "EUR/USD"), Difference.SUBJECT),
        (level("157.25"), move("1"), Difference.METRIC),
        (rate("2", "deposit facility rate"), rate("2.15", "main refinancing rate"),
         Difference.INSTRUMENT),
        (rate("4.25"), rate("4.5", day=date(2026, 9, 30)), Difference.DAY),
        (rate("4.25"), rate("4.25", unit=Unit.LEVEL), Difference.UNIT),
        (
            StatedFigure("USD/JPY", Metric.STREAK, Decimal(3), Unit.DAYS, DAY, ECB),
            StatedFigure("USD/JPY", Metric.STREAK, Decimal(-1), Unit.DAYS, DAY, FED),
            Difference.SERIES,
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_says_why(
    one: StatedFigure, other: StatedFigure, reason: Difference
) -> None:
    for result in (normalise(one, other), normalise(other, one)):
        assert isinstance(result, Incomparable)
        assert result.reason is reason
        assert result.words


def test_a_bound_and_the_midpoint_of_one_range_are_told_from_each_other() -> None:
    midpoint = StatedFigure(
        "US", Metric.POLICY_RATE, Decimal("4.125"), Unit.PERCENT_A_YEAR, DAY, FED,
        "federal funds target range, midpoint", low=Decimal("4.00"), high=Decimal("4.25"),
    )  # fmt: skip
    upper = rate("4.25", "federal funds target range, upper bound")
    pair = normalise(midpoint, upper)
    assert isinstance(pair, Comparable)
    assert (pair.agree, pair.artefacts) == (True, (Artefact.TARGET_RANGE,))
    raised = normalise(midpoint, rate("4.50", "upper bound"))
    assert isinstance(raised, Comparable)
    assert not raised.agree


def test_a_rate_that_stood_already_is_the_rate_of_the_earlier_day_too() -> None:
    now = StatedFigure(
        "US", Metric.POLICY_RATE, Decimal("4.25"), Unit.PERCENT_A_YEAR, DAY, since=date(2026, 9, 1)
    )
    pair = normalise(now, rate("4.25", day=date(2026, 9, 30)))
    assert isinstance(pair, Comparable)
    assert pair.artefacts == (Artefact.AS_OF,)
    assert isinstance(normalise(now, rate("4.5", day=date(2026, 8, 31))), Incomparable)


def test_the_pair_s_own_deviation_takes_the_place_of_the_flat_share() -> None:
    calm, wild = Decimal("0.03"), Decimal("0.8")
    one, other = level("7.8200", "USD/HKD"), level("7.8300", "USD/HKD", FED)
    for deviation, agree in ((None, True), (calm, False), (wild, True)):
        pair = normalise(one, other, deviation)
        assert isinstance(pair, Comparable)
        assert pair.agree is agree


def test_every_metric_has_a_tolerance() -> None:
    for metric in Metric:
        assert tolerance_of(metric, same_fixing=True).quantity in Quantity
    assert tolerance_of(Metric.LAST, same_fixing=True).size == 0


values = st.decimals("0.0001", "20000", places=4)


@given(values, values, st.sampled_from(["USD/JPY", "JPY/USD"]), st.sampled_from([ECB, FED]))
def test_which_statement_comes_first_does_not_matter(
    one: Decimal, other: Decimal, pair: str, origin: str
) -> None:
    first, second = level(str(one)), level(str(other), pair, origin)
    there, back = normalise(first, second), normalise(second, first)
    assert isinstance(there, Comparable)
    assert isinstance(back, Comparable)
    assert there.agree is back.agree


@given(st.decimals("0.001", "20000", places=5).filter(bool))
def test_a_level_always_agrees_with_its_own_reciprocal(value: Decimal) -> None:
    stated = f"{value:.6g}"
    reverse = f"{1 / Decimal(stated):.6g}"
    pair = normalise(level(stated), level(reverse, "JPY/USD"))
    assert isinstance(pair, Comparable)
    assert pair.agree
