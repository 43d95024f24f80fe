"""Numbers as people write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.number_reading import Measure, Sign, WrittenNumber, plain, read_numbers


def read(text: str) -> tuple[WrittenNumber, ...]:
    return read_numbers(plain(text))


@pytest.mark.parametrize(
    ("written", "value", "measure"),
    [
        ("1,309.22", "1309.22", Measure.BARE),
        ("1'309.22", "1309.22", Measure.BARE),
        ("1’309.22", "1309.22", Measure.BARE),
        ("1 309,22", "1309.22", Measure.BARE),
        ("1\u00a0309.22", "1309.22", Measure.BARE),
        ("1\u202f309,22", "1309.22", Measure.BARE),
        ("1.309,22", "1309.22", Measure.BARE),
        ("16 250", "16250", Measure.BARE),
        ("16\u2009250", "16250", Measure.BARE),
        ("0,25 %", "0.25", Measure.PERCENT),
        ("1,0832", "1.0832", Measure.BARE),
        (".25 %", "0.25", Measure.PERCENT),
        ("１５７．２５", "157.25", Measure.BARE),
        ("٤٫٥ %", "4.5", Measure.PERCENT),
        ("¥157", "157", Measure.BARE),
        ("157円", "157", Measure.BARE),
        ("US$1.25", "1.25", Measure.BARE),
        ("1.25 million", "1250000", Measure.BARE),
        ("1.5bn", "1500000000", Measure.BARE),
        ("300k", "300000", Measure.BARE),
        ("5 trillion yen", "5000000000000", Measure.BARE),
        ("4¼ %", "4.25", Measure.PERCENT),
        ("4 1/4 %", "4.25", Measure.PERCENT),
        ("4-1/4 percent", "4.25", Measure.PERCENT),
        ("1/4 point", "0.25", Measure.POINTS),
        ("½ %", "0.5", Measure.PERCENT),
        ("25 bp", "25", Measure.BASIS_POINTS),
        ("25bps", "25", Measure.BASIS_POINTS),
        ("25-basis-point", "25", Measure.BASIS_POINTS),
        ("0.5 percentage points", "0.5", Measure.POINTS),
        ("0.5 % points", "0.5", Measure.POINTS),
        ("0.25-point", "0.25", Measure.POINTS),
        ("40 points", "40", Measure.OTHER),
        ("30 pips", "30", Measure.OTHER),
        ("4.5 per cent", "4.5", Measure.PERCENT),
        ("2.1 σ", "2.1", Measure.DEVIATIONS),
        ("2.1-sigma", "2.1", Measure.DEVIATIONS),
        ("2.1 standard deviations", "2.1", Measure.DEVIATIONS),
        ("z-score of 2.1", "2.1", Measure.DEVIATIONS),
        ("5 straight days", "5", Measure.DAYS),
        ("a quarter point", "0.25", Measure.POINTS),
        ("three quarters of a percentage point", "0.75", Measure.POINTS),
        ("half a percent", "0.5", Measure.PERCENT),
        ("three percent", "3", Measure.PERCENT),
        ("one and a half percent", "1.5", Measure.PERCENT),
        ("one point two five percent", "1.25", Measure.PERCENT),
        ("twenty-five basis points", "25", Measure.BASIS_POINTS),
        ("one hundred and fifty-seven yen", "157", Measure.BARE),
        ("five trillion yen", "5000000000000", Measure.BARE),
        ("six straight sessions", "6", Measure.DAYS),
        ("a 9th straight day", "9", Measure.DAYS),
        ("a ninth straight session", "9", Measure.DAYS),
        ("97th percentile", "97", Measure.OTHER),
        ("cut by fifty", "50", Measure.BASIS_POINTS),
        ("hiked rates by 25", "25", Measure.BASIS_POINTS),
        ("cut 1/4", "0.25", Measure.POINTS),
        ("two fifty-basis-point cuts", "50", Measure.BASIS_POINTS),
        ("a full percentage point", "1", Measure.POINTS),
        ("cut by a full point", "1", Measure.POINTS),
        ("three big figures", "3", Measure.OTHER),
    ],
)
def test_a_number_is_read_with_its_unit(written: str, value: str, measure: Measure) -> None:
    (number,) = read(f"It was {written} then.")
    assert (number.value, number.measure) == (Decimal(value), measure)


@pytest.mark.parametrize(
    ("written", "sign"),
    [
        ("-1.2 %", Sign.MINUS),
        ("−1.2 %", Sign.MINUS),
        ("minus 1.2 %", Sign.MINUS),
        ("negative 1.2 %", Sign.MINUS),
        ("(1.2) %", Sign.EITHER),
        ("(1.2)", Sign.EITHER),
        ("+1.2 %", Sign.PLUS),
        ("plus 1.2 %", Sign.PLUS),
        ("1.2 %", Sign.NONE),
    ],
)
def test_a_sign_is_read_as_it_is_written(written: str, sign: Sign) -> None:
    (number,) = read(f"The move was {written}")
    assert (number.sign, number.value) == (sign, Decimal("1.2"))


@pytest.mark.parametrize(
    ("written", "values", "measure"),
    [
        ("0.25-0.50 %", ["0.25", "0.50"], Measure.PERCENT),
        ("0.25–0.50 %", ["0.25", "0.50"], Measure.PERCENT),
        ("between 4.25 % and 4.5 %", ["4.25", "4.5"], Measure.PERCENT),
        ("between 4.25 and 4.5 %", ["4.25", "4.5"], Measure.PERCENT),
        ("25 to 50 bp", ["25", "50"], Measure.BASIS_POINTS),
        ("1.5-2.0", ["1.5", "2.0"], Measure.BARE),
        ("1.5～2.0 %", ["1.5", "2.0"], Measure.PERCENT),
        ("1.5〜2.0 %", ["1.5", "2.0"], Measure.PERCENT),
        ("1.5 - 2.0", ["1.5", "2.0"], Measure.BARE),
        ("1.5 -2.0", ["1.5", "2.0"], Measure.BARE),
        ("5-6 trillion", ["5000000000000", "6000000000000"], Measure.BARE),
    ],
)
def test_a_range_is_two_numbers_of_one_unit(
    written: str, values: list[str], measure: Measure
) -> None:
    first, second = read(written)
    assert [first.value, second.value] == [Decimal(value) for value in values]
    assert first.measure is second.measure is measure
    assert first.sign is second.sign is Sign.NONE
    assert first.linked


def test_a_level_beside_a_change_is_no_range() -> None:
    level, change = read("closed at 157.25 - 0.3 % lower")
    assert (level.measure, change.measure) == (Measure.BARE, Measure.PERCENT)


@pytest.mark.parametrize(
    "text",
    [
        "At one point two officials spoke.",
        "At one point the yen recovered.",
        "Two points stand out.",
        "A third point to note is the calendar.",
        "Data for the quarter point to a slowdown.",
        "The quarter points to a slowdown.",
        "The units of currency for one dollar.",
        "One euro buys less.",
        "A handful of policymakers dissented.",
        "The turning point came late.",
        "No one expected it; one hundred economists were asked.",
        "A percentage of the move was undone.",
        "Staff was cut by fifty people.",
        "The ninth session of the year.",
    ],
)
def test_words_that_only_sound_like_figures_are_none(text: str) -> None:
    assert read(text) == ()


def test_a_number_of_more_digits_than_a_figure_has_no_value() -> None:
    (number,) = read("9" * 40)
    assert number.value is None


@pytest.mark.parametrize(
    "spoken", ["one fifty-eight yen", "one fifty basis points", "nineteen fifty won"]
)
def test_what_may_be_read_two_ways_has_no_value(spoken: str) -> None:
    (number,) = read(f"It is {spoken}.")
    assert number.value is None


def test_a_band_of_error_has_no_value() -> None:
    (number,) = read("±2 %")
    assert number.value is None


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert len(plain(text)) == len(text)
    for number in read(text):
        assert 0 <= number.written_at <= number.digits_at < number.end <= len(text)


@given(st.text(alphabet="0123456789.,'-−–+()%/ \u00a0½¼abp$¥σxk", max_size=200))
def test_any_run_of_digits_and_signs_can_be_read(text: str) -> None:
    numbers = read(text)
    assert [n.digits_at for n in numbers] == sorted({n.digits_at for n in numbers})


@given(st.integers(0, 10**12), st.integers(0, 6))
def test_what_is_printed_with_separators_is_read_back(whole: int, decimals: int) -> None:
    value = Decimal(whole).scaleb(-decimals)
    (number,) = read(f"{value:,f}")
    assert number.value == value


@given(st.characters(categories=["Nd"]))
def test_digits_of_every_script_are_digits(digit: str) -> None:
    (number,) = read(f"at {digit}{digit} then")
    assert number.value is not None
