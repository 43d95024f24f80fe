"""Topics by meaning: what is one thing, which side of it, and what stays apart."""

from itertools import permutations

import pytest

from desk.trust.conflicts.topics import Topic, alike, topic_named, topics

PAIR = "USD/JPY"


@pytest.mark.parametrize(
    ("words", "market", "turned"),
    [
        ("USD/JPY", PAIR, False),
        ("USDJPY", PAIR, False),
        ("usd-jpy", PAIR, False),
        ("USDJPY=X", PAIR, False),
        ("dollar", PAIR, False),
        ("the US dollar", PAIR, False),
        ("dollar against the yen", PAIR, False),
        ("dollar/yen exchange rate", PAIR, False),
        ("JPY/USD", PAIR, True),
        ("JPYUSD", PAIR, True),
        ("JPY", PAIR, True),
        ("yen", PAIR, True),
        ("The Japanese yen", PAIR, True),
        ("yen versus the dollar", PAIR, True),
        ("yen strength", PAIR, True),
        ("yen weakness", PAIR, False),
        ("dollar weakness", PAIR, True),
        ("Aussie", "AUD/USD", False),
        ("Australian dollar", "AUD/USD", False),
        ("dollar", "AUD/USD", True),
        ("sterling outlook", "GBP/USD", False),
        ("NVIDIA", "NVDA", False),
        ("Nvidia Corp. stock", "NVDA", False),
        ("NVDA shares", "NVDA", False),
        ("S&P 500", "^GSPC", False),
        ("XYZ price", "XYZ", False),
    ],
)
def test_words_for_a_market_are_the_market_turned_where_they_are_its_other_side(
    words: str, market: str, turned: bool
) -> None:
    assert topic_named(words, market) == Topic(market, turned)


@pytest.mark.parametrize("words", ["BoJ", "Bank of Japan", "BoJ policy rate", "Japanese policy"])
def test_a_bank_is_the_area_that_it_sets_the_rate_of(words: str) -> None:
    assert topic_named(words, PAIR) == Topic("JP")


@pytest.mark.parametrize(
    ("words", "market"),
    [
        ("yen carry trade", PAIR),
        ("yen volatility", PAIR),
        ("euro", PAIR),
        ("dollar and euro", PAIR),
        ("NZD", "AUD/USD"),
        ("AMD", "NVDA"),
        ("NVIDIA earnings", "NVDA"),
        ("IN THE END", PAIR),
    ],
)
def test_what_says_more_or_names_another_market_is_not_the_market(words: str, market: str) -> None:
    assert topic_named(words, market) is None


@pytest.mark.parametrize("words", ["EUR/USD", "IN", "JP"])
def test_another_pair_and_an_area_are_topics_of_their_own(words: str) -> None:
    assert topic_named(words, PAIR) == Topic(words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("carry trade", "yen carry trade"),
        ("carry trade", "Carry trades"),
        ("carry trade unwinding", "unwind of the carry trade"),
        ("interest rate differential", "yield spread"),
        ("news tone", "sentiment of the news"),
        ("month-end flows", "flows at the month end"),
        ("seasonality", "seasonal trend of the pair"),
        ("risk appetite", "appetite for risk"),
    ],
)
def test_topics_that_mean_one_thing_are_alike(one: str, other: str) -> None:
    assert alike(one, other, PAIR)
    assert alike(other, one, PAIR)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AUD", "NZD"),
        ("AUD carry trade", "NZD carry trade"),
        ("carry", "car sales"),
        ("carry trade", "terms of trade"),
        ("earnings growth", "revenue growth"),
        ("earnings momentum", "price momentum of banks"),
        ("us 10-year treasury yield", "us 2-year treasury yield"),
        ("implied volatility of options", "realised volatility of options"),
        ("volatility", "implied volatility"),
        ("risk appetite", "risk aversion"),
        ("BoJ bond purchases", "Fed bond purchases"),
        ("interest rates", "interest coverage"),
    ],
)
def test_topics_that_mean_two_things_stay_apart(one: str, other: str) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


def test_topics_are_grouped_whatever_their_order() -> None:
    written = (
        "carry trade",
        "yen carry trade",
        "JPY",
        "volatility",
        "implied volatility",
        "EUR/USD",
    )
    found = topics(written, PAIR)
    assert found["carry trade"] == found["yen carry trade"] == Topic("carry trade")
    assert found["JPY"] == Topic(PAIR, turned=True)
    assert len({topic.subject for topic in found.values()}) == 5
    assert all(topics(order, PAIR) == found for order in permutations(written))


def test_a_topic_can_stand_in_an_id() -> None:
    name = topics(["a/b\n[[c]] " * 40], PAIR).popitem()[1].subject
    assert len(name) <= 80
    assert not set(name) & set("/\n[]")
