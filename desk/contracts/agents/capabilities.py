"""Capabilities (the kinds of question that agents ask) and the tools that answer them."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import Field, JsonValue, model_validator

from desk.contracts.base import Contract, ShortText, is_empty

ADDED_BY_THE_DESK: Final = "as_of"
"""The argument that the desk adds to every call. Neither agents nor routes may set it."""


REGISTERED_FOR: Final = "research-desk/capability"
"""The key in an MCP tool's `_meta` that names the capability the tool was made for."""


class Capability(StrEnum):
    """A kind of question, whichever source answers it."""

    QUOTE = "quote"
    HISTORY = "history"
    SYMBOL_SEARCH = "symbol_search"
    POLICY_RATE = "policy_rate"
    RATE_DECISIONS = "rate_decisions"
    DECISION_CALENDAR = "decision_calendar"
    MONTH_AVERAGES = "month_averages"
    MONTH_END_RATES = "month_end_rates"
    DAILY_RATES = "daily_rates"
    RECORDED_RATES = "recorded_rates"
    YIELDS = "yields"
    ASSETS = "assets"
    NEWS_SEARCH = "news_search"
    HEADLINES = "headlines"
    DATE_FILTER = "date_filter"
    BANK_NEWS = "bank_news"
    VERIFICATION = "verification"
    TICKET = "ticket"
    DOCUMENT = "document"
    PDF = "pdf"
    WEB_SEARCH = "web_search"
    SYMBOLS = "symbols"
    MARKET_DATA = "market_data"
    PRICE_HISTORY = "price_history"
    SECTORS = "sectors"
    INDICATORS = "indicators"
    CHART_PATTERNS = "chart_patterns"
    FUNDAMENTALS = "fundamentals"
    RATIOS = "ratios"
    EARNINGS = "earnings"
    QUARTERS = "quarters"
    NEWS_DIGEST = "news_digest"
    SENTIMENT = "sentiment"
    MENTIONS = "mentions"
    RATINGS = "ratings"
    PATTERN_MINING = "pattern_mining"
    SEASONALITY = "seasonality"
    PERFORMANCE = "performance"
    STANDING = "standing"
    CO_MOVEMENT = "co_movement"
    PEG_BAND = "peg_band"
    DECISION_RECORD = "decision_record"


class Route(Contract):
    """A tool that answers a capability.

    `names` maps the argument names of the desk's own tools to this tool's names. `fixed` are
    arguments added to every call. `answer` is for a tool that answers in its own format: for each
    field of the desk's format, a JMESPath expression that extracts it.
    """

    server: ShortText
    tool: ShortText
    names: Annotated[dict[ShortText, ShortText], Field(max_length=20)] = Field(default_factory=dict)
    fixed: Annotated[dict[ShortText, JsonValue], Field(max_length=20)] = Field(default_factory=dict)
    answer: Annotated[dict[ShortText, ShortText], Field(max_length=20, exclude_if=is_empty)] = (
        Field(default_factory=dict)
    )

    @model_validator(mode="after")
    def _the_desk_gives_the_instant(self) -> Self:
        if ADDED_BY_THE_DESK in {*self.names, *self.names.values(), *self.fixed}:
            raise ValueError(f"arguments other than {ADDED_BY_THE_DESK}, which the desk gives")
        return self


Routes = Annotated[tuple[Route, ...], Field(min_length=1, max_length=3)]
"""The tool to ask first, then its fallbacks in order."""


def _routes(*names: str) -> tuple[Route, ...]:
    pairs = (name.split(".") for name in names)
    return tuple(Route(server=server, tool=tool) for server, tool in pairs)


USUAL_ROUTES: Final[Mapping[Capability, tuple[Route, ...]]] = MappingProxyType(
    {
        Capability.QUOTE: _routes("ecb.get_quote", "yahoo_finance.get_quote"),
        Capability.HISTORY: _routes("ecb.get_historical", "yahoo_finance.get_historical"),
        Capability.SYMBOL_SEARCH: _routes("ecb.search_symbols", "yahoo_finance.search_symbols"),
        Capability.POLICY_RATE: _routes("central_banks.get_policy_rate"),
        Capability.RATE_DECISIONS: _routes("central_banks.get_rate_decisions"),
        Capability.DECISION_CALENDAR: _routes("central_banks.get_decision_calendar"),
        Capability.MONTH_AVERAGES: _routes("official_statistics.get_month_averages"),
        Capability.MONTH_END_RATES: _routes("official_statistics.get_month_end_rates"),
        Capability.DAILY_RATES: _routes("official_statistics.get_daily_rates"),
        Capability.RECORDED_RATES: _routes("official_statistics.get_recorded_rates"),
        Capability.YIELDS: _routes("cross_asset.get_yields"),
        Capability.ASSETS: _routes("cross_asset.get_asset"),
        Capability.NEWS_SEARCH: _routes("google_news.search_news", "reuters.get_market_news"),
        Capability.HEADLINES: (
            Route(server="reuters", tool="get_market_news", names={"topic": "query"}),
            *_routes("google_news.get_headlines"),
        ),
        Capability.DATE_FILTER: _routes("google_news.filter_by_date"),
        Capability.BANK_NEWS: _routes(
            "reuters.get_central_bank_news",
            "bank_feeds.get_central_bank_news",
            "central_banks.get_central_bank_news",
        ),
        Capability.VERIFICATION: _routes("reuters.verify_story"),
        Capability.TICKET: _routes("knowledge.fetch_ticket"),
        Capability.DOCUMENT: _routes("knowledge.get_doc"),
        Capability.PDF: _routes("knowledge.get_pdf"),
        Capability.WEB_SEARCH: _routes("knowledge.search_web"),
        Capability.SYMBOLS: _routes("analysis.find_symbols"),
        Capability.MARKET_DATA: _routes("analysis.market_data"),
        Capability.PRICE_HISTORY: _routes("analysis.price_history"),
        Capability.SECTORS: _routes("analysis.sector_analysis"),
        Capability.INDICATORS: _routes("analysis.indicator_calculator"),
        Capability.CHART_PATTERNS: _routes("analysis.pattern_detector"),
        Capability.FUNDAMENTALS: _routes("analysis.company_fundamentals"),
        Capability.RATIOS: _routes("analysis.ratio_calculator"),
        Capability.EARNINGS: _routes("analysis.earnings_analyzer"),
        Capability.QUARTERS: _routes("yahoo_finance.quarterly_accounts"),
        Capability.NEWS_DIGEST: _routes("sentiment.news_aggregator"),
        Capability.SENTIMENT: _routes("sentiment.sentiment_analyzer"),
        Capability.MENTIONS: _routes("social.get_mentions"),
        Capability.RATINGS: _routes("yahoo_finance.analyst_ratings"),
        Capability.PATTERN_MINING: _routes("analysis.pattern_miner"),
        Capability.SEASONALITY: _routes("analysis.seasonality_detector"),
        Capability.PERFORMANCE: _routes("analysis.performance"),
        Capability.STANDING: _routes("analysis.standing"),
        Capability.CO_MOVEMENT: _routes("analysis.co_movement"),
        Capability.PEG_BAND: _routes("analysis.peg_band"),
        Capability.DECISION_RECORD: _routes("analysis.decision_record"),
    }
)
"""The default routes, used where `desk.toml` does not set others; the most authoritative tool comes
first. A claim that no agent verified is checked against the ECB and the central banks, which the
validator asks in any case."""

USUAL_CAPABILITY: Final[Mapping[tuple[str, str], Capability]] = MappingProxyType(
    {
        (route.server, route.tool): capability
        for capability, routes in USUAL_ROUTES.items()
        for route in routes
    }
)
"""The default capability of a tool, by server and tool. For a tool with two capabilities this is
the later one; calls for the earlier one name it explicitly."""

SHIPPED: Final = frozenset(route.server for routes in USUAL_ROUTES.values() for route in routes)
"""The servers that ship with the desk, by their names in `.mcp.json`."""

INSTEAD: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {("central_banks", "get_central_bank_news"): "bank_feeds"}
)
"""Tools that are not routed to when `.mcp.json` names the server that provides them today."""

OWN_SOURCES: Final = frozenset(
    {"ecb", "central_banks", "official_statistics", "knowledge", "analysis", "sentiment"}
)
"""The servers that work without a network. The default for a run whose servers are not known."""

LIVE_SOURCES: Final = SHIPPED - OWN_SOURCES
"""The servers that fetch every answer. Their reachability is checked when a run is planned."""
