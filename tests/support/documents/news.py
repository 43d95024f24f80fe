"""Answers of news tools for tests: central banks' own items, and headlines of publishers."""

from datetime import UTC, datetime

from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance
from tests.support.builders import answered

AS_OF = datetime(2026, 9, 21, 6, tzinfo=UTC)
FEEDS = Provenance(name="News feeds of central banks", tier=SourceTier.AUTHORITATIVE)
GOOGLE = Provenance(name="Google News", tier=SourceTier.SECONDARY, url="https://news.google.com")
JAPAN, FED = "Bank of Japan", "Federal Reserve"
LINK = "https://www.boj.or.jp/statement"


def item(
    headline: str,
    publisher: str = "The Wire",
    *,
    url: str | None = LINK,
    summary: str | None = None,
    day: int = 18,
    hour: int = 3,
) -> NewsItem:
    """An item of a day in September 2026, in the week whose report is of the 21st."""
    return NewsItem(
        headline=headline,
        publisher=publisher,
        published_at=datetime(2026, 9, day, hour, tzinfo=UTC),
        url=url,
        summary=summary,
    )


def statement(headline: str, publisher: str = JAPAN, **fields: object) -> NewsItem:
    """An item as a bank's own feed has it."""
    return item(headline, publisher, **fields)  # type: ignore[arg-type]


def bank_news(*items: NewsItem, name: str = "test/banks", as_of: datetime = AS_OF) -> ToolResult:
    """What `get_central_bank_news` returned."""
    call = ToolCall(call_id=name, server="central_banks", tool="get_central_bank_news")
    return answered(call, NewsItems(as_of=as_of, source=FEEDS, items=items))


def headlines(*items: NewsItem, name: str = "test/search", as_of: datetime = AS_OF) -> ToolResult:
    """What `search_news` returned."""
    call = ToolCall(call_id=name, server="google_news", tool="search_news")
    return answered(call, NewsItems(as_of=as_of, source=GOOGLE, items=items, query="yen"))
