"""What of a market's fixings a question asks for: how far it moved, a level, a range, a high or low
or how far it is from these, whether one of them is beyond a number, the largest move, rise or fall
of a day, for how many days it went one way, or which of several did best or worst, rose or fell.

It is what has the nearest wording, in meaning and in words. It orders what is told and makes no
figure: where it says nothing, the facts are told in their usual order.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from desk.analytics.names.markets import group_called
from desk.analytics.names.mentions import currency_mentions, without_other_markets
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.periods import NUMBERS, READ
from desk.analytics.names.quotation import NUMBER, level_meant, numbers_in
from desk.analytics.names.subjects import (
    by_their_kinds,
    pairs_named,
    subjects_asked,
)
from desk.analytics.retrieval.alike import NamedWordings
from desk.analytics.retrieval.frames import without_frame
from desk.analytics.retrieval.full_text import stems
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import EVENT_READ, RANK, Query
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.weeks import TimeWindow
from desk.programs.question.builtin.kinds import (
    NOT_KNOWN,
    OF_A_BANK,
    OF_PRICES,
    QuestionKind,
    kind_of,
    likeliest,
)
from desk.programs.question.builtin.synthesis.markets.results import of_the_market, volatilities
from desk.programs.question.builtin.unread_words import UnreadWords, unread_words

if TYPE_CHECKING:
    from desk.analytics.retrieval.meaning import FindEmbeddingModel

FILE: Final = Path(__file__).with_name("aspects.npz")
ASPECTS: Final = NamedWordings(
    Path(__file__).with_name("aspects.toml"), FILE, words_count=1.0, floor=0.95, apart=0.02
)
"""How somebody may ask for each aspect, and for something else of a market."""


class Aspect(StrEnum):
    """What of a market's fixings, or of several markets', is asked for."""

    LEVEL = "level"
    HIGHEST = "highest"
    LOWEST = "lowest"
    RANGE = "range"
    FROM_HIGHEST = "from_highest"
    FROM_LOWEST = "from_lowest"
    AT_HIGHEST = "at_highest"
    AT_LOWEST = "at_lowest"
    MOVE = "move"
    LARGEST_DAY = "largest_day"
    LARGEST_RISE = "largest_rise"
    LARGEST_FALL = "largest_fall"
    EVER_ABOVE = "ever_above"
    EVER_BELOW = "ever_below"
    EVER_REACHED = "ever_reached"
    ALWAYS_ABOVE = "always_above"
    ALWAYS_BELOW = "always_below"
    IS_ABOVE = "is_above"
    IS_BELOW = "is_below"
    STREAK = "streak"
    WEEK_STREAK = "week_streak"
    LONGEST_RISE = "longest_rise"
    LONGEST_FALL = "longest_fall"
    LARGEST_WEEK = "largest_week"
    WEEK_RISE = "week_rise"
    WEEK_FALL = "week_fall"
    LARGEST_MONTH = "largest_month"
    MONTH_RISE = "month_rise"
    MONTH_FALL = "month_fall"
    DAYS_UP = "days_up"
    DAYS_DOWN = "days_down"
    DAYS_ABOVE = "days_above"
    DAYS_BELOW = "days_below"
    FIRST_ABOVE = "first_above"
    FIRST_BELOW = "first_below"
    LAST_ABOVE = "last_above"
    LAST_BELOW = "last_below"
    MEAN = "mean"
    VOLATILITY = "volatility"
    BAND = "band"
    BEST = "best"
    WORST = "worst"
    IS_BEST = "is_best"
    IS_WORST = "is_worst"
    ROSE_MORE = "rose_more"
    FELL_MORE = "fell_more"
    MOST_VOLATILE = "most_volatile"
    LEAST_VOLATILE = "least_volatile"
    MORE_VOLATILE = "more_volatile"
    LESS_VOLATILE = "less_volatile"
    WHICH_ROSE = "which_rose"
    WHICH_FELL = "which_fell"


EVER_BEYOND: Final = frozenset({Aspect.EVER_ABOVE, Aspect.EVER_BELOW, Aspect.EVER_REACHED})
LATEST_BEYOND: Final = frozenset({Aspect.LAST_ABOVE, Aspect.LAST_BELOW})
COUNTED_BEYOND: Final = LATEST_BEYOND | {
    *(Aspect.DAYS_ABOVE, Aspect.DAYS_BELOW, Aspect.FIRST_ABOVE, Aspect.FIRST_BELOW),
}
ALWAYS_BEYOND: Final = frozenset({Aspect.ALWAYS_ABOVE, Aspect.ALWAYS_BELOW})
_IS_BEYOND: Final = frozenset({Aspect.IS_ABOVE, Aspect.IS_BELOW})
BESIDE_A_NUMBER: Final = EVER_BEYOND | COUNTED_BEYOND | ALWAYS_BEYOND | _IS_BEYOND

_OF_ITS_VALUE: Final = {
    "ever_stronger": (Aspect.EVER_ABOVE, Aspect.EVER_BELOW),
    "ever_weaker": (Aspect.EVER_BELOW, Aspect.EVER_ABOVE),
    "always_stronger": (Aspect.ALWAYS_ABOVE, Aspect.ALWAYS_BELOW),
    "always_weaker": (Aspect.ALWAYS_BELOW, Aspect.ALWAYS_ABOVE),
    "is_stronger": (Aspect.IS_ABOVE, Aspect.IS_BELOW),
    "is_weaker": (Aspect.IS_BELOW, Aspect.IS_ABOVE),
    "days_stronger": (Aspect.DAYS_ABOVE, Aspect.DAYS_BELOW),
    "days_weaker": (Aspect.DAYS_BELOW, Aspect.DAYS_ABOVE),
    "first_stronger": (Aspect.FIRST_ABOVE, Aspect.FIRST_BELOW),
    "first_weaker": (Aspect.FIRST_BELOW, Aspect.FIRST_ABOVE),
    "last_stronger": (Aspect.LAST_ABOVE, Aspect.LAST_BELOW),
    "last_weaker": (Aspect.LAST_BELOW, Aspect.LAST_ABOVE),
}
"""What wordings on the value of a currency ask of its pair: where that is quoted in another one,
and where it is quoted in this one, which is weak where the pair is high."""

WHICH_WENT: Final = frozenset({Aspect.WHICH_ROSE, Aspect.WHICH_FELL})
OF_VOLATILITY: Final = frozenset(
    {Aspect.MOST_VOLATILE, Aspect.LEAST_VOLATILE, Aspect.MORE_VOLATILE, Aspect.LESS_VOLATILE}
)
AMONG_SEVERAL: Final = (
    WHICH_WENT
    | OF_VOLATILITY
    | {Aspect.BEST, Aspect.WORST, Aspect.IS_BEST, Aspect.IS_WORST}
    | {Aspect.ROSE_MORE, Aspect.FELL_MORE}
)

FROM_EXTREMES: Final = frozenset({Aspect.FROM_HIGHEST, Aspect.FROM_LOWEST})
"""How far a pair is from a high or low."""

OTHER: Final = "other"
"""The name of the wordings that ask for none of these."""

WRITTEN: Final = "written"
"""The name of those that ask what is written where a market is named as well."""

UNMEASURED: Final = "unmeasured"
"""The name of those that ask what no figure of a market's fixings answers."""

MOST_STRANGE: Final = 2
"""Words of what a question is about with which, unread, it may be of no market."""

OF_A_DAY: Final = frozenset({Aspect.LARGEST_DAY, Aspect.LARGEST_RISE, Aspect.LARGEST_FALL})
OF_A_WEEK: Final = frozenset({Aspect.LARGEST_WEEK, Aspect.WEEK_RISE, Aspect.WEEK_FALL})
OF_A_MONTH: Final = frozenset({Aspect.LARGEST_MONTH, Aspect.MONTH_RISE, Aspect.MONTH_FALL})
IN_A_ROW: Final = frozenset({Aspect.STREAK, Aspect.WEEK_STREAK})
_OF_MOVES: Final = (
    AMONG_SEVERAL
    | OF_A_DAY
    | OF_A_WEEK
    | OF_A_MONTH
    | IN_A_ROW
    | {Aspect.LONGEST_RISE, Aspect.LONGEST_FALL}
    | {Aspect.MOVE, Aspect.DAYS_UP, Aspect.DAYS_DOWN, Aspect.VOLATILITY}
)
_OF_MONEY: Final = frozenset({NamedAs.CURRENCY, NamedAs.COUNTRY})
_SMALL: Final = re.compile(
    rf"(?<![\w.,/&-])(?:[1-9]|1[0-2]|{'|'.join(NUMBERS)})(?![\w/-]|[.,]\d)", re.IGNORECASE
)
_CHANGE: Final = re.compile(
    rf"(?:{NUMBER.pattern})\s?(?:%|per ?cent\b|bps?\b|basis points?\b|pips?\b)", re.IGNORECASE
)
"""A number that is the size of a change, and so no level."""
_REPEATED: Final = re.compile(r"\b(?:the )?currency(?:[ /-](?:the )?currency)+\b")


class AskedOfMarket(NamedTuple):
    """The aspect that a question asks for, the numbers in it that name no days, as they are
    written, and whether it asks rather for what is written, or for a figure that is not
    measured. `how_many` is the first small number, in digits or in a word."""

    aspect: Aspect | None
    numbers: tuple[str, ...] = ()
    written: bool = False
    unmeasured: bool = False
    how_many: str = ""

    @property
    def several(self) -> int:
        """How many of the first or last of several it asks for."""
        written = self.how_many.casefold()
        return NUMBERS.index(written) + 1 if written in NUMBERS else int(written or 1)

    @property
    def read(self) -> frozenset[str]:
        """The stems of what was read of it: the words in which the aspect is asked for, and the
        numbers where it is beside one, or of the first few of several."""
        numbers = self.numbers if self.aspect in BESIDE_A_NUMBER | AMONG_SEVERAL else ()
        told = ASPECTS.wordings[self.aspect] if self.aspect else ()
        of_it = (self.how_many,) if self.aspect in AMONG_SEVERAL else ()
        return stems(" ".join((*told, *numbers, *of_it)))

    def level_of(self, last: Decimal) -> Decimal | None:
        """The one number that may be a level of a pair with this last fixing."""
        return level_meant(self.numbers, last)


class MarketQuestion(NamedTuple):
    """A question, the window that was measured for it, its kind, what it asks for, and what of it
    was not read. `likely` is the kind of a price that it may have where none is sure."""

    query: Query
    window: TimeWindow
    kind: QuestionKind | None
    asked: AskedOfMarket
    left: UnreadWords
    likely: QuestionKind | None = None

    @property
    def is_unsure(self) -> bool:
        """Whether it may ask of something else than its kind says."""
        return self.kind in NOT_KNOWN or self.left.matters(self.kind) or self._is_strange

    @property
    def is_unknown(self) -> bool:
        """Whether nothing that is measured may answer it, by the model of meaning."""
        kind = self.kind or self.likely
        strange = self._is_strange and not self.left.time
        return self.left.is_judged and (kind is None or kind in NOT_KNOWN or strange)

    @property
    def _is_strange(self) -> bool:
        """Whether more words of it than one were not read, and none of its aspects asked for: then
        a market may only be named in it. Of a first or last among several any word may say among
        which."""
        aspect, others = self.asked.aspect, self.left.others if self.is_of_prices else ()
        most = 1 if aspect in AMONG_SEVERAL else MOST_STRANGE
        told_apart = aspect is None or aspect in AMONG_SEVERAL
        return self.left.is_judged and told_apart and len(others) >= most

    @property
    def is_of_prices(self) -> bool:
        """Whether it asks what the price of a market did or is, which nothing written answers."""
        return self.kind in OF_PRICES


def market_question(
    query: Query, window: TimeWindow, research: Sequence[ResearchResult]
) -> MarketQuestion:
    """A question as it is asked of what was researched, by this worker's model of meaning."""
    find_meaning = WORKER_EMBEDDING_MODEL.get()
    kind = kind_of(query.question, find_meaning)
    pairs = {each.market for each in research if "/" in each.market}
    asked = asked_of_market(query, find_meaning, pairs)
    if kind in NOT_KNOWN | OF_A_BANK or (research and not pairs):
        asked = asked._replace(aspect=None)
    if asked.aspect is Aspect.BAND and not any(_in_a_band(research)):
        asked = asked._replace(aspect=None, unmeasured=True)
    if asked.aspect in OF_VOLATILITY and len(volatilities(query, research)) < 2:
        asked = asked._replace(aspect=None, unmeasured=True)
    levels = [*map(asked.level_of, _fixings(research))]
    if asked.aspect in BESIDE_A_NUMBER and levels and not any(levels):
        asked = asked._replace(aspect=None)
    if asked.written and kind in OF_PRICES:
        kind = None
    if asked.unmeasured and pairs:
        kind = QuestionKind.OTHER
    if asked.aspect:
        kind = QuestionKind.MOVE if asked.aspect in _OF_MOVES else QuestionKind.LEVEL
    left = unread_words(query, kind, asked.read)
    likely = None if kind or asked.written else likeliest(query.question, OF_PRICES, find_meaning)
    return MarketQuestion(query, window, kind, asked, left, likely)


def _fixings(research: Sequence[ResearchResult]) -> Iterator[Decimal]:
    """The last fixing of each pair."""
    return (claim.value for claim in of_the_market(research) if claim.metric is Metric.LAST)


def _in_a_band(research: Sequence[ResearchResult]) -> Iterator[Claim]:
    """The position of each pair in the band that an authority keeps it in."""
    return (claim for claim in of_the_market(research) if claim.metric is Metric.BAND_POSITION)


def alone_among(question: str, pairs: Collection[str]) -> str | None:
    """Of some pairs the only one, or that of the two currencies that a question names."""
    named = {each.code for each in currency_mentions(question)}
    return next((pair for pair in pairs if len(pairs) == 1 or {*pair.split("/")} == named), None)


def asked_of_market(
    query: Query, find_meaning: "FindEmbeddingModel", pairs: Collection[str]
) -> AskedOfMarket:
    """What a question asks of some pairs, by a model of meaning. No aspect where none is near
    enough or nearer than the others, and without a model."""
    compared, numbers = _compared(query)
    meaning = find_meaning()
    if meaning is None:
        return AskedOfMarket(None, numbers)
    one = not pairs or alone_among(query.question, pairs) is not None
    left_out = (
        () if numbers and one else BESIDE_A_NUMBER,
        () if len(pairs) != 1 else AMONG_SEVERAL,
    )
    among = [each for each in Aspect if not any(each in out for out in left_out)]
    of_value = _OF_ITS_VALUE if BESIDE_A_NUMBER & {*among} else {}
    besides = (OTHER, WRITTEN, UNMEASURED)
    near = ASPECTS.nearness(compared, (*among, *of_value, *besides), meaning)
    quoted = len(pairs) == 1 and is_quoted(query.question, *pairs)
    for name, aspects in of_value.items():
        near[aspects[quoted]] = max(near[aspects[quoted]], near.pop(name))
    aspect = _decided(near)
    written = ASPECTS.is_near(near[WRITTEN]) and near[WRITTEN] == max(near.values())
    how_many = _SMALL.search(_undated(query))
    unmeasured = ASPECTS.decided(near) == UNMEASURED
    return AskedOfMarket(aspect, numbers, written, unmeasured, how_many[0] if how_many else "")


def _decided(near: Mapping[str, float]) -> Aspect | None:
    """The aspect that is nearest. Where it is not sure on which side of a number, only whether that
    was reached is asked."""
    if decided := ASPECTS.decided(near):
        return Aspect(decided) if decided in {*Aspect} else None
    ever = ASPECTS.decided(near, EVER_BEYOND)
    return Aspect.EVER_REACHED if ever in EVER_BEYOND else None


def is_quoted(question: str, pair: str) -> bool:
    """Whether the currency that a question names first is the one that a pair is quoted in, which
    is high where the pair is low; of a pair that it names by both it is not."""
    named = [s.code for s in subjects_asked(question) if s.kind in _OF_MONEY]
    return bool(named) and named[0] == pair.partition("/")[2] and not pairs_named(question)


def _undated(query: Query) -> str:
    """A question with another word for its days."""
    question = without_other_markets(without_frame(query.question), "the currency")
    days = query.parameters.get(READ) or query.parameters.get(EVENT_READ)
    return question.replace(days, "then") if days else question


def _compared(query: Query) -> tuple[str, tuple[str, ...]]:
    """A question as it is compared, and its numbers."""
    dated = _undated(query)
    group = query.parameters.get(RANK, "")
    if group.isalnum():
        named = rf"(?:\b(?:in|of) (?:the )?)?{group_called(group).pattern}"
        dated = re.sub(named, "", dated, flags=re.IGNORECASE)
    levels = _CHANGE.sub("so much", dated)
    told = _REPEATED.sub("the currency", by_their_kinds(NUMBER.sub("the level", levels)))
    return told, numbers_in(levels)
