"""Proposes which capability a tool could serve.

A server can name the capability in the tool's registration. Otherwise the names of the tool and of
its arguments are compared with those of known tools; the description is not read. A person decides
about a proposal, and no tool is called.
"""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability, Route
from desk.contracts.agents.tools import ToolSpec

LEAST_LIKENESS: Final = 0.65

_TOOLS_ELSEWHERE: Final[Mapping[Capability, tuple[str, ...]]] = MappingProxyType(
    {
        Capability.QUOTE: ("get_stock_price", "get_price", "get_exchange_rate", "latest_rate"),
        Capability.HISTORY: ("get_historical_prices", "get_time_series", "get_daily_prices"),
        Capability.SYMBOL_SEARCH: ("search_ticker", "symbol_lookup", "find_symbol"),
        Capability.POLICY_RATE: ("get_interest_rate", "get_central_bank_rate"),
        Capability.DECISION_CALENDAR: ("get_economic_calendar", "get_meeting_dates"),
        Capability.YIELDS: ("get_treasury_yields", "get_bond_yields"),
        Capability.NEWS_SEARCH: ("get_news_by_keyword", "search_articles"),
        Capability.HEADLINES: ("get_top_news", "get_latest_news"),
        Capability.TICKET: ("get_issue", "get_ticket"),
        Capability.DOCUMENT: ("get_page", "read_document"),
        Capability.PDF: ("read_pdf",),
        Capability.WEB_SEARCH: ("web_search",),
    }
)
"""Names of such tools on third-party servers."""

_ARGUMENTS: Final[Mapping[Capability, tuple[str, ...]]] = MappingProxyType(
    {
        Capability.QUOTE: ("symbol",),
        Capability.HISTORY: ("symbol", "start", "end"),
        Capability.SYMBOL_SEARCH: ("query",),
        Capability.POLICY_RATE: ("areas",),
        Capability.RATE_DECISIONS: ("areas", "start", "end"),
        Capability.DECISION_CALENDAR: ("areas", "start", "end"),
        Capability.MONTH_AVERAGES: ("symbol", "start", "end"),
        Capability.MONTH_END_RATES: ("areas", "start", "end"),
        Capability.YIELDS: ("areas", "start", "end"),
        Capability.ASSETS: ("name", "start", "end"),
        Capability.DAILY_RATES: ("symbol", "days"),
        Capability.RECORDED_RATES: ("areas",),
        Capability.NEWS_SEARCH: ("query", "days"),
        Capability.HEADLINES: ("topic", "days"),
        Capability.DATE_FILTER: ("query", "start", "end"),
        Capability.BANK_NEWS: ("areas", "days"),
        Capability.VERIFICATION: ("headline",),
        Capability.TICKET: ("ticket_id",),
        Capability.DOCUMENT: ("doc_id",),
        Capability.PDF: ("url",),
        Capability.WEB_SEARCH: ("query",),
        Capability.SYMBOLS: ("query",),
        Capability.MARKET_DATA: ("symbol",),
        Capability.PRICE_HISTORY: ("symbol", "start", "end"),
        Capability.SECTORS: ("symbol",),
        Capability.INDICATORS: ("symbol",),
        Capability.CHART_PATTERNS: ("symbol",),
        Capability.FUNDAMENTALS: ("symbol",),
        Capability.RATIOS: ("symbol",),
        Capability.EARNINGS: ("symbol",),
        Capability.QUARTERS: ("symbol",),
        Capability.NEWS_DIGEST: ("symbol", "days"),
        Capability.SENTIMENT: ("symbol", "days"),
        Capability.MENTIONS: ("symbol", "days"),
        Capability.RATINGS: ("symbol", "days"),
        Capability.PATTERN_MINING: ("symbol",),
        Capability.SEASONALITY: ("symbol",),
        Capability.PERFORMANCE: ("symbol", "made_at", "position", "cost"),
        Capability.STANDING: ("symbol", "since"),
        Capability.CO_MOVEMENT: ("symbol", "other"),
        Capability.PEG_BAND: ("symbol",),
        Capability.DECISION_RECORD: ("symbol",),
    }
)
"""The arguments of the desk's own tools."""

_OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "symbol": ("ticker", "pair", "currency_pair", "instrument", "ric", "code"),
        "start": ("start_date", "from", "from_date", "since", "date_from", "begin"),
        "end": ("end_date", "to", "to_date", "until", "date_to"),
        "query": ("q", "keyword", "keywords", "search", "search_term", "text", "term"),
        "areas": ("countries", "country", "banks", "regions"),
        "days": ("period", "lookback", "days_back", "max_days"),
        "topic": ("category", "section", "subject"),
        "headline": ("title", "story", "claim", "query"),
    }
)
"""Other names for these arguments. The first one that a tool takes is used."""


class Proposal(NamedTuple):
    """A tool for a capability. `likeness` is from 0 to 1. `unfilled` are required arguments that no
    question of the desk provides, so that the configuration would have to fix them."""

    capability: Capability
    route: Route
    likeness: float
    unfilled: tuple[str, ...]


def proposals(offered: Iterable[ToolSpec]) -> tuple[Proposal, ...]:
    """Returns for each capability the likeliest tool, if one is likely, in the order of the
    capabilities. A tool is proposed only for the capability that it is most like."""
    best: dict[Capability, Proposal] = {}
    for spec in offered:
        found = max((_proposal(spec, each) for each in Capability), key=lambda p: p.likeness)
        held = best.get(found.capability)
        likelier = held is None or found.likeness > held.likeness
        if found.likeness >= LEAST_LIKENESS and likelier:
            best[found.capability] = found
    return tuple(best[capability] for capability in Capability if capability in best)


def arguments_of(spec: ToolSpec) -> tuple[str, ...]:
    """Returns the names of a tool's arguments, from its schema."""
    properties = spec.input_schema.get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()


def required_by(spec: ToolSpec) -> tuple[str, ...]:
    """Returns the names of a tool's required arguments."""
    required = spec.input_schema.get("required")
    return tuple(n for n in required if isinstance(n, str)) if isinstance(required, list) else ()


def _proposal(spec: ToolSpec, capability: Capability) -> Proposal:
    names = _names(capability, arguments_of(spec))
    return Proposal(
        capability,
        Route(
            server=spec.server,
            tool=spec.tool,
            names={ours: theirs for ours, theirs in names.items() if ours != theirs},
        ),
        round(_likeness(spec, capability, names), 2),
        tuple(name for name in required_by(spec) if name not in names.values()),
    )


def _likeness(spec: ToolSpec, capability: Capability, names: Mapping[str, str]) -> float:
    """Returns 1 for the capability that the tool's registration names, and 0 for every other.
    Without one, two thirds are the likeness of the tool's name, one third the share of the desk's
    arguments that it takes."""
    if spec.capability is not None:
        return float(spec.capability is capability)
    return (
        2 * _likeness_of_name(spec.tool, capability) + len(names) / len(_ARGUMENTS[capability])
    ) / 3


def _likeness_of_name(name: str, capability: Capability) -> float:
    """Returns the likeness to the nearest of the capability's known names."""
    usual = (route.tool for route in USUAL_ROUTES[capability])
    known = {capability.value, *usual, *_TOOLS_ELSEWHERE.get(capability, ())}
    return max(SequenceMatcher(None, _plain(name), _plain(other)).ratio() for other in known)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").removeprefix("get_")


def _names(capability: Capability, taken: tuple[str, ...]) -> dict[str, str]:
    """Returns the tool's names for the arguments that the desk provides, where it has them."""
    found: dict[str, str] = {}
    for ours in _ARGUMENTS[capability]:
        theirs = next((n for n in (ours, *_OTHER_NAMES.get(ours, ())) if n in taken), None)
        if theirs is not None and theirs not in found.values():
            found[ours] = theirs
    return found
