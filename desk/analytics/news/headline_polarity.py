"""Classifies a headline as good or bad news, by the word list of vaderSentiment.

The list was made for posts on social media and knows no markets: it rates a cut as bad news and a
hike as neither. So its results have low confidence (`MOST_CONFIDENCE`) and say nothing about a
price or a rate.
"""

import unicodedata
from functools import cache, lru_cache
from typing import Final, Protocol

from desk.analytics.news.stance_words import MOST_CONFIDENCE, NO_LEANING, TextLeaning
from desk.contracts.findings.results import Leaning

LONGEST_READ: Final = 500
"""The characters of a headline that are read."""

NEUTRAL_BELOW: Final = 0.05
"""The score from which the list's authors call a text positive or negative."""

_LEAST: Final = 0.05
_UNREAD: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "So", "Sk"})


class _Scorer(Protocol):
    def polarity_scores(self, text: str) -> dict[str, float]: ...


@lru_cache(maxsize=4096)
def polarity_of(headline: str) -> TextLeaning:
    """Up for a headline of good news, down for bad news, neutral for both.

    Abstains if it contains no listed word. Ignores symbols and emoji.
    """
    scores = _scorer().polarity_scores(_words(headline))
    score, listed = scores["compound"], scores["pos"] or scores["neg"]
    if abs(score) < NEUTRAL_BELOW:
        return TextLeaning(Leaning.NEUTRAL, _LEAST) if listed else NO_LEANING
    sure = max(_LEAST, round(MOST_CONFIDENCE * abs(score), 2))
    return TextLeaning(Leaning.UP if score > 0 else Leaning.DOWN, sure)


def _words(headline: str) -> str:
    return "".join(
        " " if unicodedata.category(sign) in _UNREAD else sign for sign in headline[:LONGEST_READ]
    )


@cache
def _scorer() -> _Scorer:
    # Imported only when news is classified: the list takes 30 ms to load.
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    scorer: _Scorer = SentimentIntensityAnalyzer()
    return scorer
