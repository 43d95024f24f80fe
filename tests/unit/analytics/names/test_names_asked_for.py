"""What people mean who write a name: currencies by any name, and slips for known names."""

import pytest

from desk.analytics.names.aliases import ALSO_CALLED, UNITS
from desk.analytics.names.nearest import nearest, suggestion
from desk.analytics.names.quotation import numbers_in
from desk.analytics.names.subjects import (
    by_their_kinds,
    currency_asked_for,
    subjects_asked,
)


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("why is the Australian dollar strong?", "AUD"),
        ("is the dollar weak against the yen", "USD"),
        ("eur against usd", "EUR"),
        ("what moved the loonie", "CAD"),
        ("how is the norwegian krone", "NOK"),
        ("two pounds for a rupee", "GBP"),
        ("Hong Kong dollar outlook", "HKD"),
        ("what of USD/JPY", None),
        ("what drives us stocks", None),
    ],
)
def test_a_question_asks_for_the_currency_that_it_names_first(
    text: str, currency: str | None
) -> None:
    assert currency_asked_for(text) == currency


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("who set the rate higher, canberra or wellington?",
         ["seat of the central bank AUD", "seat of the central bank NZD"]),
        ("how did bunds and gilts do versus treasuries?",
         ["government bonds EUR", "government bonds GBP", "government bonds USD"]),
        ("jgbs, the 10-year Bund", ["government bonds JPY", "government bonds EUR"]),
        ("is the us curve steeper than the uk's", ["country USD", "country GBP"]),
        ("does the treasury owe us oats", []),
        ("spread between us and japanese two years", ["country USD", "country JPY"]),
        ("Tell us the Swiss rate", ["country CHF"]),
        ("nokkie and stokkie", ["currency NOK", "currency SEK"]),
        ("where is euro stockie", ["currency EUR", "currency SEK"]),
        ("the ninja and the yuppy",
         ["currency USD", "currency JPY", "currency EUR"]),
        ("when did the old lady cut", ["bank GBP"]),
    ],
)  # fmt: skip
def test_banks_and_bonds_are_named_as_markets_name_them(text: str, subjects: list[str]) -> None:
    assert [f"{subject.kind} {subject.code}" for subject in subjects_asked(text)] == subjects


def test_a_name_counts_as_what_it_is() -> None:
    asked = "is the Swiss rate, or the ECB's, above what EUR/USD and gilts say of the yen?"
    assert by_their_kinds(asked) == (
        "is the country rate, or the central bank's, above what currency and government bonds say"
        " of the currency?"
    )


def test_every_unit_is_a_word_of_its_own() -> None:
    words = [word for words in (*UNITS.values(), *ALSO_CALLED.values()) for word in words]
    assert all(word == word.strip() and word for word in words)


def test_a_slip_is_answered_with_the_names_that_are_close() -> None:
    known = ["USD/JPY", "EUR/USD", "JP"]
    assert nearest("usdjyp", known, 1) == ("USD/JPY",)
    assert nearest("???", known, 2) == ("USD/JPY", "EUR/USD")
    assert suggestion("usd-jpy", known) == "; did you mean USD/JPY?"
    assert suggestion("nothing like it", known) == ""


@pytest.mark.parametrize("words", ["up more than 1% since", "did it fall 1.25 % in a day", "10%"])
def test_a_percentage_is_not_a_level(words: str) -> None:
    assert numbers_in(words) == ()
    assert numbers_in(f"{words} and above 160.5") == ("160.5",)
