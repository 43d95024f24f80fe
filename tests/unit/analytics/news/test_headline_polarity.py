"""The polarity of headlines by vaderSentiment."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.news.stance_words import MOST_CONFIDENCE, NO_LEANING
from desk.contracts.findings.results import Leaning
from tests.support.processes.homes import PROJECT


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


def test_the_word_lists_are_read_only_where_news_is_judged() -> None:
    """So that a worker starts no slower for them, and opens no way to the network."""
    script = (
        "import sys, desk.programs.turns;"
        "print('desk.programs.week.document.sections.tone' in sys.modules);"
        "import desk.programs.week.document.audit.report;"
        "import desk.programs.week.document.compile_report;"
        "print('vaderSentiment' in sys.modules);"
        "from desk.analytics.news.headline_polarity import polarity_of; polarity_of('bad');"
        "print('requests' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", "False", "False"]
