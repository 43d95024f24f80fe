"""MCP server `reuters`: Reuters news from LSEG's Data Platform, for holders of an account."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance, StoryCheck
from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.sources.central_banks.facts.policy import FACTS_DIR, Area, read_facts
from desk.sources.central_banks.facts.tables import DamagedTable, ReadOnce
from desk.sources.news.fetch import FeedRefused, FeedUnusable
from desk.sources.news.items import (
    LONGEST_HEADLINE,
    LONGEST_NAME,
    DatedEntry,
    Days,
    Window,
    published_instant,
    select,
)
from desk.sources.news.text import plain_text
from desk.sources.reuters.access import NoAccess, access_from
from desk.sources.reuters.exchange import Patience
from desk.sources.reuters.platform import PAGE, REUTERS_CODE, LsegNews
from desk.sources.reuters.searches import (
    FEWEST_WORDS,
    HeadlineSimilarity,
    banks_query,
    markets_query,
    story_queries,
    words_query,
)
from desk.sources.serving.arguments import Areas, AsOf, DeskServer, require_areas
from desk.sources.serving.command_line import READS_THE_WEB, argument_parser, log_to_stderr, run
from desk.sources.serving.kept_answers import KeptNotes
from desk.sources.serving.reachability import Reach, add_reach_tool

REUTERS = "Reuters"
SOURCE = Provenance(
    name="Reuters, by way of LSEG",
    tier=SourceTier.AUTHORITATIVE,
    origin=REUTERS,
    url="https://www.lseg.com/en/data-analytics/financial-data/financial-news-coverage",
)
NEAR_ENOUGH = 0.6
"""The share of a headline's words from which another counts as the same story."""

MOST_NEAR = 20
LONGEST_SUMMARY = 1_000
LONGEST_REMARK = 4_000
UNNAMED = "publisher not named"
NOTHING: Mapping[str, str] = MappingProxyType({})

Words = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="words that a story must all have, or a pair such as `USD/JPY`",
    ),
]
Headline = Annotated[
    str, Field(min_length=1, max_length=500, description="the headline to be verified")
]


class ReutersTools:
    """The tools of the server. Each answers only with what was published by `as_of`."""

    def __init__(self, news: LsegNews | NoAccess, facts_dir: Path = FACTS_DIR) -> None:
        """`news` is LSEG's, or the reason why it cannot be asked. `facts_dir` has the names of the
        banks."""
        self._news = news
        self._facts = ReadOnce(partial(read_facts, facts_dir))

    def get_market_news(self, as_of: AsOf, query: Words | None = None, days: Days = 7) -> NewsItems:
        """Reuters headlines from the days before as_of, newest first, at most 100.

        For stories with all the words, or on a pair; by default on currencies and central banks.
        `missing` says why there are none, or what was omitted.
        """
        window = _last_days(as_of, days)
        if query is None:
            return self._items(markets_query(), window, "currencies and central banks")
        words = plain_text(query, LONGEST_NAME)
        search = words_query(words, self._banks())
        if search is None:
            raise ToolError("the query has no words; name what to look for, such as Bank of Japan")
        return self._items(search, window, words)

    def get_central_bank_news(self, areas: Areas, as_of: AsOf, days: Days = 7) -> NewsItems:
        """Reuters headlines that name the areas' central banks, from the days before as_of.

        Newest first, at most 100: Reuters reports about the banks, not their own releases.
        """
        require_areas(areas)
        banks, window = self._banks(), _last_days(as_of, days)
        unknown = [code for code in dict.fromkeys(areas) if code not in banks]
        remarks = [f"{code}: its central bank is not known here." for code in unknown]
        asked = [banks[code] for code in dict.fromkeys(areas) if code in banks]
        if not asked:
            return _answer(window, None, missing=_joined(remarks))
        return self._items(banks_query(asked), window, None, remarks)

    def verify_story(self, headline: Headline, as_of: AsOf, days: Days = 7) -> StoryCheck:
        """Whether Reuters had a headline like this one in the days before as_of.

        Compared by words and figures, not by meaning: `carried` false means that no headline was
        similar enough, not that the story is untrue. The most similar item comes with the opening
        of its story.
        """
        words, banks = plain_text(headline, LONGEST_HEADLINE), self._banks()
        likeness = HeadlineSimilarity(words, tuple(banks.values()))
        if not likeness.enough:
            raise ToolError(f"give the whole headline: at least {FEWEST_WORDS} words of its own")
        return self._verified(words, likeness, story_queries(words, banks), _last_days(as_of, days))

    def _items(
        self, search: str, window: Window, label: str | None, remarks: Sequence[str] = ()
    ) -> NewsItems:
        news = self._asked()
        try:
            found = _found(news, search, window, news.patience())
        except FeedRefused as error:
            raise _refused(error) from error
        except FeedUnusable as error:
            return _answer(window, label, missing=_joined((*remarks, _unread(error))))
        none = () if found.items else (f"Reuters has nothing from {window.start} to {window.end}.",)
        return _answer(window, label, found.items, _joined((*remarks, *none, *found.notes)))

    def _verified(
        self, headline: str, likeness: HeadlineSimilarity, searches: Iterable[str], window: Window
    ) -> StoryCheck:
        news = self._asked()
        patience, compared = news.patience(), list[str]()
        try:
            for search in searches:
                found = _found(news, search, window, patience)
                near = _nearest(likeness, found.items)
                if near:
                    first, remark = _opened(news, near[0], window, patience)
                    return _check(headline, window, True, (first, *near[1:]), remark)
                compared = [f"No headline of Reuters from {window.start} to {window.end} is near."]
                compared += found.notes
        except FeedRefused as error:
            raise _refused(error) from error
        except FeedUnusable as error:
            return _check(headline, window, None, missing=_unread(error))
        return _check(headline, window, False, missing=_joined(compared))

    def _asked(self) -> LsegNews:
        if isinstance(self._news, NoAccess):
            raise ToolError(str(self._news))
        return self._news

    def _banks(self) -> Mapping[str, Area]:
        self._asked()
        try:
            return self._facts.current().areas
        except DamagedTable as error:
            raise ToolError(str(error)) from error


class _Found(NamedTuple):
    items: tuple[NewsItem, ...]
    notes: tuple[str, ...]


def _last_days(as_of: datetime, days: int) -> Window:
    return Window(as_of - timedelta(days=days), as_of, as_of)


def _found(news: LsegNews, search: str, window: Window, patience: Patience) -> _Found:
    """Reuters' own headlines among the results of a search."""
    page = news.headlines(search, window.start, window.end, patience)
    selected = select(page.entries, window, _item)
    own = tuple(item for item in selected.items if item.publisher == REUTERS)
    notes = list(selected.notes)
    if others := len(selected.items) - len(own):
        notes.append(f"{others} of other publishers left out.")
    if page.more:
        notes.append(f"There are more than the {PAGE} newest, which were looked at.")
    return _Found(own, tuple(notes))


def _item(found: DatedEntry) -> NewsItem | None:
    entry = found.entry
    headline = plain_text(entry.title, LONGEST_HEADLINE)
    if not headline:
        return None
    code, story_id = plain_text(entry.source, LONGEST_NAME), plain_text(entry.identifier, 201)
    return NewsItem(
        headline=headline,
        publisher=REUTERS if code == REUTERS_CODE else code or UNNAMED,
        published_at=found.published_at,
        story_id=story_id if 0 < len(story_id) <= LONGEST_NAME else None,
    )


def _nearest(likeness: HeadlineSimilarity, items: Iterable[NewsItem]) -> tuple[NewsItem, ...]:
    shares = [(likeness.share(item.headline), item) for item in items]
    near = [(share, item) for share, item in shares if share >= NEAR_ENOUGH]
    ranked = sorted(near, key=lambda one: one[0], reverse=True)
    return tuple(item for _, item in ranked[:MOST_NEAR])


def _opened(
    news: LsegNews, item: NewsItem, window: Window, patience: Patience
) -> tuple[NewsItem, str | None]:
    """An item with the beginning of its story, or with the reason why that is missing."""
    try:
        story = news.story(item.story_id or "", patience)
    except (FeedRefused, FeedUnusable) as error:
        return item, f"The text of the story could not be read: {error}."
    written = published_instant(story.version_created, None)
    if written is None:
        return item, "The text of the story has no readable date and is left out."
    if written > window.as_of:
        return item, None
    summary = plain_text(story.words, LONGEST_SUMMARY) or None
    return item.model_copy(update={"summary": summary}), None


def _refused(error: FeedRefused) -> ToolError:
    return ToolError(f"LSEG refused to answer: {error}")


def _unread(error: FeedUnusable) -> str:
    return f"LSEG could not be read: {error}."


def _joined(remarks: Sequence[str]) -> str | None:
    return " ".join(remarks)[:LONGEST_REMARK] or None


def _answer(
    window: Window,
    query: str | None,
    items: tuple[NewsItem, ...] = (),
    missing: str | None = None,
) -> NewsItems:
    return NewsItems(as_of=window.as_of, source=SOURCE, query=query, items=items, missing=missing)


def _check(
    headline: str,
    window: Window,
    carried: bool | None,
    items: tuple[NewsItem, ...] = (),
    missing: str | None = None,
) -> StoryCheck:
    return StoryCheck(
        as_of=window.as_of,
        source=SOURCE,
        headline=headline,
        carried=carried,
        items=items,
        missing=missing,
    )


def _present() -> datetime:
    return datetime.now(UTC)


DESCRIPTION = SourceDescription(
    server="reuters",
    gives="News of Reuters about markets and central banks, and whether a story was carried.",
    origin="Reuters",
    tiers=(SourceTier.AUTHORITATIVE,),
    licence="The licence of the account at LSEG.",
    terms="Whether its headlines may stand in a report that others read is for that "
    "licence to say.",
    publication="A story counts as known from the instant that LSEG gives it.",
    network=NetworkUse.LIVE,
)


def build_server(
    cache_dir: Path | None = None,
    *,
    refresh_every: timedelta | None = None,
    variables: Mapping[str, str] = NOTHING,
    offline: bool = False,
    now: Callable[[], datetime] = _present,
) -> MCPServer:
    """The server, for use in this process or to be run.

    `variables` contain the credentials; without them every tool refuses and names them. Answers are
    cached in memory, for ten minutes; `cache_dir` records whether LSEG could be reached. With
    `offline` it counts as unreachable. `refresh_every` is accepted, as by every server of the desk,
    and not used.
    """
    del refresh_every
    tools = ReutersTools(_news_of(variables, now))
    server = DeskServer(
        "reuters",
        instructions="Reuters news. It is what Reuters reported, under LSEG's licence.",
        log_level="WARNING",
        extensions=[KeptNotes()],
    )
    for tool in (tools.get_market_news, tools.get_central_bank_news, tools.verify_story):
        server.add_tool(tool, annotations=READS_THE_WEB, structured_output=True)
    add_reach_tool(server, _reach(variables, cache_dir, offline=offline))
    return server


def _reach(variables: Mapping[str, str], cache_dir: Path | None, *, offline: bool) -> Reach:
    """Without credentials nothing of LSEG's can be reached, so there is nothing to probe."""
    try:
        return Reach("reuters", (access_from(variables).url,), cache_dir, offline=offline)
    except NoAccess as lacking:
        return Reach("reuters", (), lacks=str(lacking))


def _news_of(variables: Mapping[str, str], now: Callable[[], datetime]) -> LsegNews | NoAccess:
    try:
        return LsegNews(access_from(variables), now=now)
    except NoAccess as lacking:
        return lacking


def from_arguments(
    args: Sequence[str], *, cache_dir: Path | None, refresh_every: timedelta | None
) -> MCPServer:
    """The server as configured in its entry in `.mcp.json`, for use in this process: without
    credentials, which only a separate process has."""
    _parser().parse_args(args)
    return build_server(cache_dir, refresh_every=refresh_every)


def main(argv: list[str] | None = None) -> int:
    """Runs the server as the command line says, with credentials from the environment. Returns the
    exit status."""
    arguments = _parser().parse_args(argv)
    log_to_stderr()
    cache_dir, offline = arguments.cache_dir, arguments.offline
    return run(build_server(cache_dir, variables=os.environ, offline=offline), arguments)


def _parser() -> argparse.ArgumentParser:
    return argument_parser("desk.sources.reuters.server", "Reuters news from LSEG.")


if __name__ == "__main__":
    sys.exit(main())
