"""Graphs that are made for a question: of the markets that it names, or that a model plans."""

from collections.abc import Sequence
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, NodeSpec

RANKING: Final = "ranking"
"""The graph that measures several pairs, and ranks them."""

PLANNED: Final = "planned"
"""The graph that a model plans for a question."""

MOST_VALIDATED: Final = 4
"""Of how many markets at most a planned graph has each validated: of more, as of a ranking, the
figures are told side by side."""

_PRICES: Final = AgentId.RESEARCH_AGENT_1, TaskType.RESEARCH_FX
_RATES: Final = AgentId.RESEARCH_AGENT_2, TaskType.RESEARCH_RATES

_PLAN: Final = "planQuestion"
_SEARCH: Final = "searchContext"
_PUT_TOGETHER: Final = "synthesis"


def ranking_graph(markets: Sequence[MarketSpec]) -> GraphSpec:
    """The graph that searches news and measures every market, side by side."""
    measured = tuple(researched(spec, _PUT_TOGETHER) for spec in markets)
    search = NodeSpec(
        name=_SEARCH,
        agent=AgentId.SEARCH_AGENT,
        task=TaskType.SEARCH_WEB,
        fork=tuple(Edge(to=node.name) for node in measured),
    )
    return GraphSpec(
        name=RANKING,
        description="Pairs, ranked by what their currencies did against the dollar.",
        nodes=(search, *measured, _answer()),
    )


def researched(market: MarketSpec, onward: str) -> NodeSpec:
    """The node that researches a market and leads on to another."""
    agent, task = _PRICES if market.kind is MarketKind.PAIR else _RATES
    name = f"research{_name_of(market)}"
    return NodeSpec(name=name, agent=agent, task=task, market=market, next=(Edge(to=onward),))


def to_be_planned(spec: GraphSpec) -> GraphSpec:
    """The graph with a node before it that plans another in its place, or lets it go on."""
    plan = NodeSpec(
        name=_PLAN,
        agent=AgentId.PRODUCT_MANAGER,
        task=TaskType.PLAN_QUESTION,
        next=(Edge(to=spec.nodes[0].name),),
    )
    return spec.model_copy(update={"nodes": (plan, *spec.nodes)})


def planned_graph(markets: Sequence[MarketSpec], *, searched: bool = True) -> GraphSpec:
    """The graph that researches every market side by side and, if what is written is `searched`,
    that as well; a few markets are validated, each by itself."""
    validated = [_validated(spec) for spec in markets] if len(markets) <= MOST_VALIDATED else []
    onward = [node.name for node in validated] or [_PUT_TOGETHER] * len(markets)
    measured = [researched(spec, to) for spec, to in zip(markets, onward, strict=True)]
    search = NodeSpec(
        name=_SEARCH,
        agent=AgentId.SEARCH_AGENT,
        task=TaskType.SEARCH_WEB,
        next=(Edge(to=_PUT_TOGETHER),),
    )
    first = (*([search] if searched else ()), *measured)
    plan = NodeSpec(
        name=_PLAN,
        agent=AgentId.PRODUCT_MANAGER,
        task=TaskType.PLAN_QUESTION,
        fork=tuple(Edge(to=node.name) for node in first),
    )
    return GraphSpec(
        name=PLANNED,
        description="The markets that a model names for a question.",
        nodes=(plan, *first, *validated, _answer()),
    )


def _validated(market: MarketSpec) -> NodeSpec:
    return NodeSpec(
        name=f"validate{_name_of(market)}",
        agent=AgentId.VALIDATOR,
        task=TaskType.VALIDATE,
        market=market,
        reads=(f"research{_name_of(market)}",),
        next=(Edge(to=_PUT_TOGETHER),),
    )


def _answer() -> NodeSpec:
    return NodeSpec(name=_PUT_TOGETHER, agent=AgentId.SYNTHESIS_AGENT, task=TaskType.SYNTHESISE)


def _name_of(market: MarketSpec) -> str:
    return market.market.replace("/", "")
