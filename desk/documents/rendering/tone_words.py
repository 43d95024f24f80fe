"""How the forms of a report put a tone in words. Titles and links are from outside: data."""

from collections.abc import Mapping
from typing import Final

from desk.analytics.figures import print_full_day
from desk.contracts.findings.results import JudgedBy, Leaning, Tone, ToneKind
from desk.documents.rendering.wording import share_words

CAUTION: Final[Mapping[JudgedBy, str]] = {
    JudgedBy.WORDS: "low confidence, by word list",
    JudgedBy.MODEL: "as a model read it",
}
WITHHELD: Final = "title withheld"
_LEANINGS: Final[Mapping[ToneKind, Mapping[Leaning, str]]] = {
    ToneKind.STATEMENT: {
        Leaning.UP: "hawkish",
        Leaning.DOWN: "dovish",
        Leaning.NEUTRAL: "neutral",
    },
    ToneKind.HEADLINE: {
        Leaning.UP: "positive",
        Leaning.DOWN: "negative",
        Leaning.NEUTRAL: "neutral",
    },
}
_UNNAMED: Final = "a publisher"


def leaning_words(tone: Tone) -> str:
    """`hawkish`, of a statement, or `positive`, of a headline."""
    return _LEANINGS[tone.kind].get(tone.leaning, "open")


def tone_words(tone: Tone) -> str:
    """`JP: statement by Bank of Japan, 18 Sep 2026, confidence 20 %`, for what a title follows."""
    publisher = tone.publisher or _UNNAMED
    by = (
        f"statement by {publisher}" if tone.kind is ToneKind.STATEMENT else f"headline, {publisher}"
    )
    day = print_full_day(tone.published_at.date())
    return f"{tone.subject}: {by}, {day}, confidence {share_words(tone.confidence)}"
