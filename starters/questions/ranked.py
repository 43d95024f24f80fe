"""A question that ranks pairs: of a group, by `--rank` or by naming it and a period, or those that
it names beside a period."""

import re
from collections.abc import Sequence
from typing import Final

from babel.lists import format_list

from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.nearest import meant
from desk.analytics.names.periods import names_period
from desk.contracts.agents.tasks import TaskType
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, NodeSpec
from starters.terminal.exit_status import UsageError

RANKING: Final = "ranking"
"""The graph that measures each of some pairs, and ranks them."""

ALL_PAIRS: Final = "All of the desk's currencies"
"""What is ranked where a question is about the dollar alone."""

_SEARCH: Final = "searchContext"
_PUT_TOGETHER: Final = "synthesis"


def group_given(written: str, markets: Sequence[MarketSpec]) -> str:
    """The group of the desk's pairs that a name stands for.

    Raises:
        UsageError: there is none.
    """
    groups = _groups(markets)
    found = next((name for name in groups if name.casefold() == written.strip().casefold()), None)
    if found is None:
        raise UsageError(
            f"--rank is {written!r}; there are {', '.join(groups)}{meant(written, groups)}"
        )
    return found


def group_named(question: str, markets: Sequence[MarketSpec]) -> str | None:
    """The group that a question names beside a period, by its name or a word that it begins, such
    as Asian; None else."""
    if not names_period(question):
        return None
    named = (
        name
        for name in _groups(markets)
        if re.search(rf"\b{re.escape(name)}[a-z]?\b", question, re.IGNORECASE)
    )
    return next(named, None)


def pairs_of(group: str, markets: Sequence[MarketSpec]) -> tuple[str, ...]:
    """The pairs of a group."""
    return tuple(spec.market for spec in _pairs(markets) if spec.group == group)


def dollar_pairs(markets: Sequence[MarketSpec]) -> tuple[str, ...]:
    """All pairs that have the dollar."""
    return tuple(spec.market for spec in _pairs(markets) if DOLLAR in spec.market.split("/"))


def currencies_of(pairs: Sequence[str]) -> str | None:
    """What pairs that are all against the dollar are called together, by their other currencies;
    None of others."""
    if not all(DOLLAR in pair.split("/") for pair in pairs):
        return None
    codes = [code for pair in pairs for code in pair.split("/") if code != DOLLAR]
    return format_list(codes, locale="en_GB")


def ranking_graph(ranked: Sequence[str], markets: Sequence[MarketSpec]) -> GraphSpec:
    """What is written is looked for, then every pair that is ranked is measured, side by side."""
    pairs = [spec for spec in _pairs(markets) if spec.market in ranked]
    onward = (Edge(to=_PUT_TOGETHER),)
    measured = tuple(
        NodeSpec(
            name=f"research{spec.market.replace('/', '')}",
            agent=AgentId.RESEARCH_AGENT_1,
            task=TaskType.RESEARCH_FX,
            market=spec,
            next=onward,
        )
        for spec in pairs
    )
    search = NodeSpec(
        name=_SEARCH,
        agent=AgentId.SEARCH_AGENT,
        task=TaskType.SEARCH_WEB,
        fork=tuple(Edge(to=node.name) for node in measured),
    )
    answer = NodeSpec(name=_PUT_TOGETHER, agent=AgentId.SYNTHESIS_AGENT, task=TaskType.SYNTHESISE)
    return GraphSpec(
        name=RANKING,
        description="Pairs, ranked by what their currencies did against the dollar.",
        nodes=(search, *measured, answer),
    )


def _pairs(markets: Sequence[MarketSpec]) -> list[MarketSpec]:
    return [spec for spec in markets if spec.kind is MarketKind.PAIR]


def _groups(markets: Sequence[MarketSpec]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{spec.group}" for spec in _pairs(markets)))
