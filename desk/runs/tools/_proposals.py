"""Proposes which capability a tool could serve, by its server's description of it.

A person decides about a proposal. Nothing that the server says is trusted, and no tool is called.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.agents.capabilities import USUAL_ROUTES, Capability, Route
from desk.contracts.agents.tools import ToolSpec

LEAST_LIKENESS: Final = 0.45

_READ_OF_A_DESCRIPTION: Final = 1_000
_WORD: Final = re.compile(r"[a-z]+")

_WORDS: Final[Mapping[Capability, frozenset[str]]] = MappingProxyType(
    {
        capability: frozenset(words.split())
        for capability, words in {
            Capability.QUOTE: "quote price last current latest rate ticker",
            Capability.HISTORY: "history historical prices daily series ohlc range",
            Capability.SYMBOL_SEARCH: "symbol symbols search ticker lookup find pairs",
            Capability.POLICY_RATE: "policy interest rate cash target central bank",
            Capability.RATE_DECISIONS: "decision decisions rate change meeting central bank",
            Capability.DECISION_CALENDAR: "calendar schedule meeting dates decision upcoming",
            Capability.MONTH_AVERAGES: "month monthly average averages exchange",
            Capability.MONTH_END_RATES: "month monthly end rates policy",
            Capability.RECORDED_RATES: "recorded policy rates banks series",
            Capability.YIELDS: "government bond yields treasury two-year ten-year",
            Capability.ASSETS: "asset oil stocks dollar index",
            Capability.DAILY_RATES: "daily rates fixings exchange days",
            Capability.NEWS_SEARCH: "news search articles keyword keywords query",
            Capability.HEADLINES: "headlines top news market latest topic trending",
            Capability.DATE_FILTER: "news date dates filter between period",
            Capability.BANK_NEWS: "central bank news press releases speeches statements",
            Capability.VERIFICATION: "verify verification story check confirm fact",
            Capability.TICKET: "ticket tickets issue fetch jira tracker status assignee",
            Capability.DOCUMENT: "document doc page read text markdown content wiki",
            Capability.PDF: "pdf file pages text extract",
            Capability.WEB_SEARCH: "search web pages documents find results",
            Capability.SYMBOLS: "markets symbols tickers named text",
            Capability.MARKET_DATA: "market price moves volatility range",
            Capability.PRICE_HISTORY: "price history daily ohlc",
            Capability.SECTORS: "sector group peers relative",
            Capability.INDICATORS: "technical indicators rsi macd",
            Capability.CHART_PATTERNS: "candlestick chart patterns",
            Capability.FUNDAMENTALS: "company accounts balance income",
            Capability.RATIOS: "ratios valuation earnings book",
            Capability.EARNINGS: "earnings revenue surprise",
            Capability.QUARTERS: "company quarter quarterly accounts",
            Capability.NEWS_DIGEST: "news digest stories",
            Capability.SENTIMENT: "sentiment tone news",
            Capability.MENTIONS: "mentions social posts reach",
            Capability.RATINGS: "analyst analysts ratings upgrades downgrades",
            Capability.PATTERN_MINING: "historical patterns analogues anomaly",
            Capability.SEASONALITY: "seasonality month season",
            Capability.PERFORMANCE: "performance forward return reward benchmark",
            Capability.STANDING: "percentile rank own past drawdown",
            Capability.CO_MOVEMENT: "correlation beta two markets together",
            Capability.PEG_BAND: "peg band floor cap edges authority",
            Capability.DECISION_RECORD: "decisions meetings bank followed hold cut",
        }.items()
    }
)
"""Words that the descriptions of such tools contain."""

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
    question of the desk has, so that they would have to be fixed in the configuration."""

    capability: Capability
    route: Route
    likeness: float
    unfilled: tuple[str, ...]


def proposals(offered: Iterable[ToolSpec]) -> tuple[Proposal, ...]:
    """For each capability the likeliest tool, if one is likely, in the order of the capabilities. A
    tool is proposed only for the capability that it is most like."""
    best: dict[Capability, Proposal] = {}
    for spec in offered:
        found = max((_proposal(spec, each) for each in Capability), key=lambda p: p.likeness)
        held = best.get(found.capability)
        likelier = held is None or found.likeness > held.likeness
        if found.likeness >= LEAST_LIKENESS and likelier:
            best[found.capability] = found
    return tuple(best[capability] for capability in Capability if capability in best)


def arguments_of(spec: ToolSpec) -> tuple[str, ...]:
    """The names of a tool's arguments, from its schema."""
    properties = spec.input_schema.get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()


def required_by(spec: ToolSpec) -> tuple[str, ...]:
    """The names of a tool's required arguments."""
    required = spec.input_schema.get("required")
    return tuple(n for n in required if isinstance(n, str)) if isinstance(required, list) else ()


def _proposal(spec: ToolSpec, capability: Capability) -> Proposal:
    names = _names(capability, arguments_of(spec))
    likeness = (
        0.5 * _likeness_of_name(spec.tool, capability)
        + 0.25 * _likeness_of_words(spec, capability)
        + 0.25 * len(names) / len(_ARGUMENTS[capability])
    )
    return Proposal(
        capability,
        Route(
            server=spec.server,
            tool=spec.tool,
            names={ours: theirs for ours, theirs in names.items() if ours != theirs},
        ),
        round(likeness, 2),
        tuple(name for name in required_by(spec) if name not in names.values()),
    )


def _likeness_of_name(name: str, capability: Capability) -> float:
    """The likeness to the nearest of the capability's known names."""
    known = {route.tool for route in USUAL_ROUTES[capability]} | {capability.value}
    return max(SequenceMatcher(None, _plain(name), _plain(other)).ratio() for other in known)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").removeprefix("get_")


def _likeness_of_words(spec: ToolSpec, capability: Capability) -> float:
    """How many of the words for such tools its description contains, of at most four."""
    told = f"{spec.tool} {spec.description[:_READ_OF_A_DESCRIPTION]}".lower()
    shared = _WORDS[capability].intersection(_WORD.findall(told.replace("_", " ")))
    return min(len(shared), 4) / 4


def _names(capability: Capability, taken: tuple[str, ...]) -> dict[str, str]:
    """The tool's names for the arguments that the desk gives, where it has them."""
    found: dict[str, str] = {}
    for ours in _ARGUMENTS[capability]:
        theirs = next((n for n in (ours, *_OTHER_NAMES.get(ours, ())) if n in taken), None)
        if theirs is not None and theirs not in found.values():
            found[ours] = theirs
    return found
