"""Gathers what others published about a market, each story once. The desk's own tables are not
news.

Text from outside is sanitised and treated as data: instructions in it are not followed.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from statistics import fmean
from typing import Protocol

from mcp.server.mcpserver.exceptions import ToolError

from desk.analytics.names.subjects import (
    currencies_named,
    named_subjects,
    namings,
)
from desk.analytics.news.headline_polarity import polarity_of
from desk.analytics.news.stance_words import MOST_CONFIDENCE, TextLeaning, stance_of
from desk.analytics.technical.measures import NotInstalled
from desk.contracts.findings.results import Leaning
from desk.contracts.findings.source_results import (
    NewsItem,
    NewsItems,
    Provenance,
)
from desk.sources.analysis.symbols import COMPANIES, name_of_pair
from desk.sources.central_banks.facts.policy import PolicyFacts
from desk.sources.central_banks.facts.tables import DamagedTable
from desk.sources.knowledge.documents import Corpus, Kind, WrittenText, version_at
from desk.sources.knowledge.files import DamagedCorpus
from desk.sources.knowledge.text import passages
from desk.sources.news.banks.feeds import BankNews
from desk.sources.news.items import LONGEST_HEADLINE
from desk.sources.news.server import GoogleNewsTools
from desk.sources.news.text import plain_text
from desk.sources.serving.market_symbol import areas_of, is_pair

CORPUS = "Web page of the knowledge corpus"
NOT_LIVE = (
    "The banks' own news feeds and the news of publishers are not read: this server was started "
    "without --live, which lets it read them over the network."
)
NO_COMPANIES = (
    "There is no news of companies here: this server was started without --live, which lets it "
    "read the news of publishers over the network."
)
NO_HEADLINES = "No headlines on {symbol} are generated: no package has prices of it."
LONGEST_SUMMARY = 1_000
USUAL_DAYS = 14
"""How far back news is gathered by default."""

_TENTH = Decimal("0.1")

_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Story:
    """An item, and the area of the central bank if it is that bank's statement."""

    item: NewsItem
    area: str | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """Stories of a market, newest first, and remarks on what could not be read.

    Without `read` nothing was found because no source with news of the market was read. `source` is
    the common source of all stories, if they have one.
    """

    stories: tuple[Story, ...]
    missing: tuple[str, ...]
    read: bool = True
    source: Provenance | None = None

    @property
    def count(self) -> Decimal | None:
        """The number of stories. None if nothing could be read."""
        return Decimal(len(self.stories)) if self.read else None

    def mean(self, symbol: str) -> float | None:
        """The mean tone for the market, from -100 to 100. None if no story has a tone."""
        tones = [tone_of(story, symbol) for story in self.stories]
        return None if all(tone is None for tone in tones) else mean_tone(tones)

    def tone(self, symbol: str) -> Decimal | None:
        """The mean tone, rounded to a tenth."""
        mean = self.mean(symbol)
        # Rounding to zero must leave no sign.
        return None if mean is None else Decimal(mean).quantize(_TENTH) + 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A market, and the window of days before an instant."""

    symbol: str
    as_of: datetime
    days: int

    @property
    def start(self) -> datetime:
        """The beginning of the window; its end is the as-of instant. Both are included."""
        return self.as_of - timedelta(days=self.days)

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas of its central banks, as far as the desk knows them."""
        return tuple(area for area in areas_of(self.symbol) if area is not None)


@dataclass(frozen=True, slots=True)
class LiveNews:
    """The live sources: the banks' own feeds, and Google News."""

    banks: BankNews
    publishers: GoogleNewsTools


class CompanyHeadlines(Protocol):
    """A source of headlines on companies without a network."""

    source: Provenance

    def headlines(self, symbol: str, start: datetime, end: datetime) -> Sequence[NewsItem] | None:
        """The headlines published between two instants, both included. None for a stock without
        any.

        Raises:
            NotInstalled: a package that they are generated from is not installed.
        """
        ...


class Newsroom:
    """Gathers stories from all available sources."""

    def __init__(
        self,
        facts: Callable[[datetime], PolicyFacts],
        corpus: Callable[[], Corpus],
        live: LiveNews | None = None,
        companies: CompanyHeadlines | None = None,
    ) -> None:
        """`facts` returns the tables as of an instant, `corpus` the corpus. Without `live` nothing
        is fetched. `companies` provides headlines on stocks instead."""
        self._facts = facts
        self._corpus = corpus
        self._live = live
        self._companies = companies

    def gather(self, asked: Asked) -> Gathered:
        """What was published about a market in the days before the instant, newest first.

        Raises:
            ToolError: it is not a market, or the tables or the corpus are damaged.
        """
        if not asked.areas and not is_pair(asked.symbol) and self._live is None:
            return gather_companies(self._companies, asked)
        try:
            facts, corpus = self._facts(asked.as_of), self._corpus()
        except (DamagedTable, DamagedCorpus) as error:
            raise ToolError(str(error)) from error
        stories = [*_pages(corpus, asked)]
        missing: list[str] = []
        if self._live is None:
            missing.append(NOT_LIVE)
        else:
            for fetched, remark in _fetched(self._live, facts, asked):
                stories += fetched
                missing += [remark] if remark else []
        read = self._live is not None or bool(stories)
        return Gathered(without_duplicates(stories), tuple(missing), read=read)


def gather_companies(companies: CompanyHeadlines | None, asked: Asked) -> Gathered:
    """The headlines on a stock, if there are any without a network."""
    if companies is None:
        return Gathered((), (NO_COMPANIES,), read=False)
    try:
        found = companies.headlines(asked.symbol, asked.start, asked.as_of)
    except NotInstalled as error:
        return Gathered((), (f"{error}.",), read=False)
    if found is None:
        return Gathered((), (NO_HEADLINES.format(symbol=asked.symbol),), read=False)
    return Gathered(without_duplicates(Story(item) for item in found), (), source=companies.source)


def without_duplicates(stories: Iterable[Story]) -> tuple[Story, ...]:
    """Each story once by its title, in its first version, the newest first."""
    first: dict[str, Story] = {}
    for story in sorted(stories, key=lambda each: each.item.published_at):
        first.setdefault(_normalized_title(story.item.headline, story.item.publisher), story)
    return tuple(sorted(first.values(), key=lambda each: each.item.published_at, reverse=True))


@lru_cache(maxsize=4096)
def _normalized_title(headline: str, publisher: str) -> str:
    """A title without case, punctuation and the publisher's name at its end."""
    title = unicodedata.normalize("NFKC", headline).casefold()
    title = title.removesuffix(f" - {publisher.casefold()}")
    return " ".join(_SIGNS.sub(" ", title).split()) or title


def _pages(corpus: Corpus, asked: Asked) -> Iterator[Story]:
    """Web pages that were published within the window and name the market."""
    for versions in corpus.texts.values():
        page = version_at(versions, asked.as_of)
        if page is None or page.kind is not Kind.WEB or page.since < asked.start:
            continue
        named = _naming(page, asked)
        if named is not None:
            item = NewsItem(
                headline=plain_text(page.title, LONGEST_HEADLINE) or page.url,
                publisher=CORPUS,
                published_at=page.since,
                url=page.url,
                summary=plain_text(named, LONGEST_SUMMARY) or None,
            )
            yield Story(item)


def _naming(page: WrittenText, asked: Asked) -> str | None:
    """The first passage of a page that names the market. If only the title names it, the first
    passage."""
    parts = list(passages(page.markdown))
    for part in parts:
        if _names(part, asked):
            return part
    return "".join(parts[:1]) if _names(page.title, asked) else None


def _names(text: str, asked: Asked) -> bool:
    company = COMPANIES.get(asked.symbol)
    spoken = rf"\b(?:{re.escape(asked.symbol)}" + (f"|{company.spoken})" if company else ")")
    if not asked.areas and not is_pair(asked.symbol):
        return re.search(spoken, text) is not None
    subjects = (asked.symbol, *_banks(asked))
    return bool(named_subjects(text, subjects, namings(text)))


def _banks(asked: Asked) -> Sequence[str]:
    # The dollar is one side of most pairs, and a page about America is not about all of them.
    return [area for area in asked.areas if area != "US" or not is_pair(asked.symbol)]


def _fetched(
    live: LiveNews, facts: PolicyFacts, asked: Asked
) -> Iterator[tuple[list[Story], str | None]]:
    """The items of each live source. A source that cannot be asked costs only its own news."""
    names = {bank.bank: code for code, bank in facts.areas.items()}
    if asked.areas:
        news = _asked(lambda: live.banks.of(asked.areas, facts.areas, asked.as_of, asked.days))
        yield [Story(item, names.get(item.publisher)) for item in news.items], news.missing
    query = _query(facts, asked)
    news = _asked(lambda: live.publishers.search_news(query, asked.as_of, asked.days))
    yield [Story(item) for item in news.items], news.missing


@dataclass(frozen=True, slots=True)
class _Refused:
    """Replaces an answer if the source refused."""

    missing: str
    items: tuple[NewsItem, ...] = ()


def _asked(ask: Callable[[], NewsItems]) -> NewsItems | _Refused:
    try:
        return ask()
    except ToolError as error:
        return _Refused(str(error))


def _query(facts: PolicyFacts, asked: Asked) -> str:
    """The query for the search of publishers."""
    symbol = asked.symbol
    if is_pair(symbol):
        names = " ".join(f'"{name}"' for name in name_of_pair(symbol).split(" / "))
        return f'"{symbol}" OR ({names})'
    if asked.areas:
        return f'"{facts.areas[symbol].bank}"' if symbol in facts.areas else f'"{symbol}"'
    company = COMPANIES.get(symbol)
    return f'"{company.name}" stock' if company else f'"{symbol}" stock'


_SIDES = {Leaning.UP: 1, Leaning.DOWN: -1}


def tone_of(story: Story, symbol: str) -> float | None:
    """The tone of a story for a market. None if it contains no listed word, or if it is unclear
    which side of a pair it is about."""
    if story.area is not None:
        judged = stance_of(f"{story.item.headline}. {story.item.summary or ''}")
        return _signed(judged, _side_of_area(story.area, symbol))
    if is_pair(symbol) or not areas_of(symbol):
        return _tone_of_headline(story.item.headline, symbol)
    return _signed(stance_of(story.item.headline), 1)


@lru_cache(maxsize=4096)
def _tone_of_headline(headline: str, symbol: str) -> float | None:
    return _signed(polarity_of(headline), _side_of_headline(headline, symbol))


def mean_tone(tones: Sequence[float | None]) -> float:
    """The mean in percent of the maximum. A story without a tone counts as even."""
    return 100 * fmean([tone or 0.0 for tone in tones])


def _signed(judged: TextLeaning, side: int) -> float | None:
    if judged.leaning is Leaning.ABSTAINS or side == 0:
        return None
    share = min(1.0, judged.confidence / MOST_CONFIDENCE)
    # An even story has no direction, and minus zero would look like one.
    return round(_SIDES.get(judged.leaning, 0) * side * share, 2) or 0.0


def _side_of_area(area: str, symbol: str) -> int:
    if not is_pair(symbol):
        return 1
    base, quote = areas_of(symbol)
    return 1 if area == base else -1 if area == quote else 0


def _side_of_headline(headline: str, symbol: str) -> int:
    """1 for a headline about a stock, a pair or its first side, -1 for its second side."""
    if not is_pair(symbol):
        return 1
    named = namings(headline)
    if any(each.subject == symbol for each in named):
        return 1
    base, quote = symbol.split("/")
    spoken = {base, quote}.intersection(currencies_named(headline))
    if len(spoken) == 1:
        return 1 if base in spoken else -1
    first, second = areas_of(symbol)
    areas = named_subjects(headline, filter(None, (first, second)), named)
    if spoken or len(areas) != 1:
        return 0
    return 1 if first in areas else -1
