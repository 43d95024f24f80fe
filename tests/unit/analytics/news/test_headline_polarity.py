"""The polarity of headlines by vaderSentiment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.news.stance_words import MOST_CONFIDENCE, NO_LEANING
from desk.contracts.findings.results import Leaning


@pytest.mark.parametrize(
    ("headline", "leaning"),
    [
        ("Stocks crash as recession fear grows", Leaning.DOWN),
        ("Strong growth delights investors", Leaning.UP),
        ("Bank of Japan publishes minutes", Leaning.ABSTAINS),
        ("\U0001f600\U0001f600\U0001f600", Leaning.ABSTAINS),
        ("", Leaning.ABSTAINS),
    ],
)
def test_a_headline_sounds_good_bad_or_of_nothing(headline: str, leaning: Leaning) -> None:
    assert polarity_of(headline).leaning is leaning


def test_a_headline_without_a_listed_word_says_nothing() -> None:
    assert polarity_of("Minutes of the meeting") == NO_LEANING


@given(st.text())
def test_any_headline_has_a_judgement_of_low_confidence(headline: str) -> None:
    leaning, confidence = polarity_of(headline)
    assert 0 <= confidence <= MOST_CONFIDENCE
    assert (confidence == 0) is (leaning is Leaning.ABSTAINS)
