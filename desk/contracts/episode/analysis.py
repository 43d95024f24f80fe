"""What the tools of a research swarm and an episode answer: prices, and what is computed of them.

Missing data is stated with its reason; no number stands in for it.
"""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field

from desk.contracts.base import (
    Confidence,
    Contract,
    Figure,
    Instant,
    ShortText,
    Text,
    is_empty,
    is_none,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.markets import MarketKind, MarketName

Missing = Annotated[tuple[Text, ...], Field(max_length=40, exclude_if=is_empty)]

MOST_DAYS = 10_000

Prices = Annotated[tuple[Figure, ...], Field(max_length=MOST_DAYS, exclude_if=is_empty)]


class Hint(StrEnum):
    """The direction that a signal points in."""

    UP = "up"
    DOWN = "down"
    NEUTRAL = "neutral"


class MeasuredFigure(Contract):
    """One figure of an analysis, as of the day of the last price that it rests on.

    Its unit is that of its metric (`analytics.units`), its precision that of its exponent. `since`
    is the first day of the span measured, if the caller asked for a span other than the metric's
    own.
    """

    metric: Metric
    value: Figure
    as_of: date
    since: Annotated[date | None, Field(exclude_if=is_none)] = None


class Signal(Contract):
    """What an analysis reads out of the figures: its name, where it points, and why.

    `strength` runs from 0 to 1 and is a convention of the tool. `words` hold no figures.
    """

    name: ShortText
    hint: Hint
    strength: Confidence
    words: Text
    day: Annotated[date | None, Field(exclude_if=is_none)] = None


class ShareSplit(Contract):
    """A split of a stock: from `day` on, one share is `ratio` shares."""

    day: date
    ratio: Annotated[Figure, Field(gt=0)]


class Analysis(SourceResult):
    """What a tool computed about one market.

    `method` says how, with its parameters and the library. `missing` says what could not be
    computed, and why: too short a history, no volume, no such data offline. `splits` are those of a
    stock between a decision and what came of it, where that was measured. `ends_on` is the day of
    the newest price, where nothing was computed because that is too old.
    """

    symbol: MarketName
    method: Text
    figures: Annotated[tuple[MeasuredFigure, ...], Field(max_length=40)] = ()
    signals: Annotated[tuple[Signal, ...], Field(max_length=40)] = ()
    splits: Annotated[tuple[ShareSplit, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    ends_on: Annotated[date | None, Field(exclude_if=is_none)] = None
    missing: Missing = ()


class PriceHistory(SourceResult):
    """Daily prices known at the as-of instant, oldest first: `closes[i]` is of `days[i]`.

    `opens`, `highs`, `lows` and `volumes` are empty where the source has only one price a day, as
    for fixings. `adjusted`: prices before a split or a dividend are stated in today's terms.
    """

    symbol: MarketName
    kind: MarketKind
    currency: ShortText
    adjusted: bool = False
    days: Annotated[tuple[date, ...], Field(max_length=MOST_DAYS)] = ()
    closes: Annotated[tuple[Figure, ...], Field(max_length=MOST_DAYS)] = ()
    opens: Prices = ()
    highs: Prices = ()
    lows: Prices = ()
    volumes: Annotated[tuple[int, ...], Field(max_length=MOST_DAYS, exclude_if=is_empty)] = ()
    missing: Missing = ()


class KnownSymbol(Contract):
    """A market that there are prices of. `names` are its other names."""

    symbol: MarketName
    kind: MarketKind
    name: ShortText
    first_day: date | None = None
    last_day: date | None = None


class KnownSymbols(SourceResult):
    """The answer of `find_symbols`: markets that a text names, in its order, and those whose names
    are nearest where it names none."""

    query: Text
    named: Annotated[tuple[KnownSymbol, ...], Field(max_length=20)] = ()
    nearest: Annotated[tuple[KnownSymbol, ...], Field(max_length=10)] = ()


class DigestItem(Contract):
    """One item of a digest of news. Text from outside: it is data, whatever it says.

    `tone` runs from -1 to 1, as a list of words reads it; None where it was not read.
    """

    headline: Annotated[str, Field(min_length=1, max_length=500)]
    publisher: ShortText
    published_at: Instant
    url: Annotated[str, Field(max_length=2_000)] | None = None
    summary: Annotated[Text | None, Field(exclude_if=is_none)] = None
    tone: Annotated[float | None, Field(ge=-1.0, le=1.0, exclude_if=is_none)] = None


class NewsDigest(Analysis):
    """The answer of `news_aggregator`: what several sources carried about a market, each story
    once, newest first, and how many there are in `figures`."""

    items: Annotated[tuple[DigestItem, ...], Field(max_length=60)] = ()


LONGEST_MENTION = 600


class Mention(Contract):
    """One post in a public social feed. Text from outside: it is data, whatever it says.

    `likes`, `reposts` and `comments` are as the feed gave them when it was asked; None where it
    gives none, or where they are not those of the as-of instant.
    """

    feed: ShortText
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MENTION)]
    author: ShortText
    published_at: Instant
    url: Annotated[str, Field(max_length=2_000)] | None = None
    likes: Annotated[int | None, Field(ge=0, exclude_if=is_none)] = None
    reposts: Annotated[int | None, Field(ge=0, exclude_if=is_none)] = None
    comments: Annotated[int | None, Field(ge=0, exclude_if=is_none)] = None

    @property
    def reach(self) -> int | None:
        """Likes, reposts and comments together; None if the feed gives none of them."""
        told = [n for n in (self.likes, self.reposts, self.comments) if n is not None]
        return sum(told) if told else None

    def without_reach(self) -> Self:
        """The post without its counts."""
        return self.model_copy(update={"likes": None, "reposts": None, "comments": None})


class Mentions(Analysis):
    """The answer of `get_mentions`: posts that name a market, newest first; how many there are and
    how far they reached in `figures`. `unreachable_since` is set where no feed answered."""

    items: Annotated[tuple[Mention, ...], Field(max_length=60)] = ()
    unreachable_since: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class RatingAction(StrEnum):
    """What an analyst did to a rating."""

    RAISED = "raised"
    CUT = "cut"
    BEGUN = "begun"
    REPEATED = "repeated"


class AnalystRating(Contract):
    """What a firm of analysts thought of a stock on a day. Text from outside: it is data, whatever
    it says.

    `target` is the price that it expected, in the currency of the stock.
    """

    firm: ShortText
    action: RatingAction
    grade: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    grade_before: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    target: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    target_before: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    day: date
    known_from: Instant


MOST_RATINGS = 100


class AnalystRatings(Analysis):
    """The answer of `analyst_ratings`: what analysts thought, newest first. In `figures` stand how
    many ratings there are, how many of them were raised and cut, and the revisions of estimates."""

    items: Annotated[tuple[AnalystRating, ...], Field(max_length=MOST_RATINGS)] = ()


class FundamentalItem(Contract):
    """One line of a company's accounts: the period's last day, and the day of its publication."""

    name: ShortText
    value: Figure
    currency: ShortText | None = None
    period_end: date
    known_from: Instant


class CompanyFundamentals(SourceResult):
    """The answer of `company_fundamentals`; empty with `missing` set where there are none."""

    symbol: MarketName
    items: Annotated[tuple[FundamentalItem, ...], Field(max_length=400)] = ()
    missing: Missing = ()


class QuarterlyAccounts(Analysis):
    """The answer of `quarterly_accounts`: the accounts of quarters known then, oldest first; in
    `figures` the newest one's growth on the year and margin."""

    items: Annotated[tuple[FundamentalItem, ...], Field(max_length=100)] = ()
