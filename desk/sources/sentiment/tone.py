"""How stories sound for a market, by lists of words: from -1 to 1, up for the market.

A central bank's statement is read for its stance, a publisher's headline for its polarity. What
is good for the second currency of a pair is bad for the pair.
"""

from collections.abc import Sequence
from statistics import fmean

from desk.analytics.names.subjects import currencies_named, named_subjects, namings
from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.news.stance_words import MOST_CONFIDENCE, Judgement, stance_of
from desk.contracts.findings.results import Leaning
from desk.sources.sentiment.stories import Story, as_spoken
from desk.sources.serving.market_symbol import areas_of, is_pair

_SIDES = {Leaning.UP: 1, Leaning.DOWN: -1}


def tone_of(story: Story, symbol: str) -> float | None:
    """How a story sounds for a market; None where no listed word is in it, or nobody can tell
    which side of a pair it is about."""
    if story.area is not None:
        judged = stance_of(f"{story.item.headline}. {story.item.summary or ''}")
        side = _side_of_area(story.area, symbol)
    elif is_pair(symbol) or not areas_of(symbol):
        judged = polarity_of(story.item.headline)
        side = _side_of_headline(story.item.headline, symbol)
    else:
        judged, side = stance_of(story.item.headline), 1
    if judged.leaning is Leaning.ABSTAINS or side == 0:
        return None
    return _signed(judged, side)


def mean_tone(tones: Sequence[float | None]) -> float:
    """The mean in percent of the most there can be; what says nothing counts as even."""
    return 100 * fmean(tone or 0.0 for tone in tones)


def _signed(judged: Judgement, side: int) -> float:
    share = min(1.0, judged.confidence / MOST_CONFIDENCE)
    # An even story has no side, and minus zero would look like one.
    return round(_SIDES.get(judged.leaning, 0) * side * share, 2) or 0.0


def _side_of_area(area: str, symbol: str) -> int:
    if not is_pair(symbol):
        return 1
    base, quote = areas_of(symbol)
    return 1 if area == base else -1 if area == quote else 0


def _side_of_headline(headline: str, symbol: str) -> int:
    """1 for what a headline tells of a stock, a pair or its first side, -1 of its second side."""
    text = as_spoken(headline)
    named = namings(text)
    if not is_pair(symbol) or any(each.subject == symbol for each in named):
        return 1
    base, quote = symbol.split("/")
    spoken = {base, quote}.intersection(currencies_named(text))
    if len(spoken) == 1:
        return 1 if base in spoken else -1
    first, second = areas_of(symbol)
    areas = named_subjects(text, filter(None, (first, second)), named)
    if spoken or len(areas) != 1:
        return 0
    return 1 if first in areas else -1
