"""Which headlines are near to one another, and what is searched for."""

import re

import pytest

from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.reuters.searches import (
    HeadlineSimilarity,
    banks_query,
    story_queries,
    words_query,
)
from desk.sources.reuters.server import NEAR_ENOUGH

BANKS = read_facts().areas
END = " AND Source:RTRS AND Language:LEN"


def share(claim: str, told: str) -> float:
    return HeadlineSimilarity(claim, tuple(BANKS.values())).share(told)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Bank of Japan lifts rates to 0.75%", "BOJ raises rates to 0.75%"),
        ("BOJ raises rates to 0.75%", "UPDATE 3-Bank of Japan hikes rates to 0.750%, eyes wages"),
        ("UPDATE 2-BOJ raises rates", "Japan's BOJ raised its rate"),
        ("U.S. Federal Reserve holds rates", "Fed keeps US rates unchanged"),
        ("Yen slides past 155 per dollar", "Japan's yen slips past 155 per dollar"),
        ("Japan exports rose 1,200 bln yen", "Exports from Japan rise 1200 bln yen"),
        ("Yen Slides Past 155 Per Dollar", "Yen slides past 155 as dollar firms"),
        ("BOJ does not raise rates", "BOJ decides not to raise rates"),
    ],
)
def test_headlines_that_tell_the_same_are_near(claim: str, told: str) -> None:
    assert share(claim, told) >= NEAR_ENOUGH


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("BOJ raises rates to 0.75%", "BOJ raises rates to 0.50%"),
        ("BOJ raises rates to 0.75%", "BOJ raises rates"),
        ("BOJ raises rates to 0.75%", "BOJ cuts rates to 0.75%"),
        ("BOJ raises rates to 0.75%", "Fed raises rates to 0.75%"),
        ("BOJ raises rates", "BOJ does not raise rates"),
        ("BOJ raises rates", "BOJ keeps rates unchanged"),
        ("Yen falls to 155 per dollar", "Won falls to 155 per dollar"),
        ("Japan inflation rises to 3%", "Korea inflation rises to 3%"),
        ("BOJ's Ueda sees rates rising", "BOJ's Himino sees rates rising"),
        ("Fed And ECB Hold Rates", "ECB holds rates"),
        ("Yen falls on weak wages data", "Yen rises on strong wages data"),
        ("Yen falls on weak wages data", "Yen"),
        ("Yen falls on weak wages data", ""),
    ],
)
def test_headlines_that_tell_something_else_are_not(claim: str, told: str) -> None:
    assert share(claim, told) < NEAR_ENOUGH


def test_the_share_is_that_of_the_words_of_the_claim() -> None:
    assert share("Yen falls on weak wages", "Yen falls on weak wages, exports and much else") == 1
    assert share("Yen falls on weak wages", "Yen falls on weak exports") == 0.75


@pytest.mark.parametrize("odd", ["1.2.3.4 5,6,7", "٣٫٥ yen", "½ ² x", "9" * 500, "'' -- //"])
def test_odd_figures_and_marks_are_read(odd: str) -> None:
    assert 0 <= share(f"Yen {odd}", odd) <= 1


@pytest.mark.parametrize(
    ("words", "search"),
    [
        ("usd/jpy", '(R:JPY= OR "USD/JPY")'),
        ("EUR/USD", '(R:EUR= OR "EUR/USD")'),
        ("EUR/JPY", '(R:EURJPY= OR "EUR/JPY")'),
        ("yen", '"yen" AND searchIn:FullStory'),
        ("Norges Bank", '"Norges" AND "Bank" AND searchIn:FullStory'),
        (
            "BOJ and the Federal Reserve",
            '("Bank of Japan" OR "BoJ") AND ("Federal Reserve" OR "Fed") AND searchIn:FullStory',
        ),
        ("bi fed", '"bi" AND "fed" AND searchIn:FullStory'),
        ("USD/JPY outlook", '"USD/JPY" AND "outlook" AND searchIn:FullStory'),
    ],
)
def test_words_are_searched_for_as_text(words: str, search: str) -> None:
    assert words_query(words, BANKS) == search + END


@pytest.mark.parametrize(
    "words", ['yen") OR ("x', "Source:BSW yen", "NOT yen", "yen last 5 days", "yen) OR (Topic:ALL"]
)
def test_nothing_of_the_words_is_read_as_part_of_the_language(words: str) -> None:
    search = (words_query(words, BANKS) or "").removesuffix(END)
    terms = re.findall(r'"[^"]*"', search)
    assert terms and '"' not in re.sub(r'"[^"]*"', "", search)
    grammar = re.sub(r'"[^"]*"', "TERM", search)
    alternative = r"TERM(?: AND TERM)* AND searchIn:FullStory"
    assert re.fullmatch(rf"{alternative}|\(\({alternative}\)(?: OR \({alternative}\))+\)", grammar)


def test_a_long_headline_is_looked_for_by_its_first_words() -> None:
    narrow, broad = story_queries(" ".join(f"word{'x' * n}" for n in range(40)), BANKS)
    assert (narrow.count('"'), broad.count('"')) == (24, 24)


def test_every_bank_of_the_tables_can_be_named() -> None:
    search = banks_query(BANKS.values())
    for bank in BANKS.values():
        assert f'"{bank.bank}"' in search
        assert share(f"{bank.bank} meets today", f"{bank.short_name} meets today") == 1
