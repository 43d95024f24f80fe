"""Whether a swarm's leader wants to know more, and of whom. Light: workflows use it.

By rule it does once, after the first round, where

- a conflict on a market's direction had to be decided, or its views balance each other, and there
  is a specialist who has not been asked about that market, or
- fewer than half of those who were asked have brought a figure: those that failed are asked again,
  or where none failed those who were not asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from desk.contracts.agents.turns import StateEntry
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.swarm.swarm import Refinement, SwarmPlan
from desk.programs.swarm.balance import Balance
from desk.programs.swarm.plan import heard_on, planned_as
from desk.programs.swarm.scope import SPECIALISTS

ENOUGH: Final = 0.5
"""The share of the specialists asked that must have delivered."""

_ASKS_FOR: Final = {
    AgentId.MARKET_SPECIALIST: "market conditions",
    AgentId.TECHNICAL_SPECIALIST: "technicals",
    AgentId.FUNDAMENTAL_SPECIALIST: "fundamentals",
    AgentId.SENTIMENT_SPECIALIST: "sentiment",
    AgentId.PATTERN_SPECIALIST: "patterns",
}
"""By these words a plan knows whom an objective asks for."""


def refinement(state: Sequence[StateEntry], balances: Mapping[str, Balance]) -> Refinement | None:
    """The objective of another round, or None where there is to be none."""
    plans = [entry.result for entry in state if isinstance(entry.result, SwarmPlan)]
    if len(plans) != 1:
        return None
    return _undelivered(plans[0], state) or _unsettled(state, balances)


def _undelivered(plan: SwarmPlan, state: Sequence[StateEntry]) -> Refinement | None:
    heard = heard_on(state)
    asked = {(each.agent, each.market.market) for each in plan.subagents}
    if len(asked & heard) >= ENOUGH * len(asked):
        return None
    failed = {
        (spec.agent, spec.market.market)
        for node, spec in planned_as(state).items()
        if any(entry.node == node and entry.error for entry in state)
    }
    unasked = {(agent, market) for _, market in asked for agent in SPECIALISTS} - asked
    wanted = failed or unasked
    if not wanted:
        return None
    markets = _in_order(market for _, market in wanted)
    return Refinement(
        objective=(
            f"Find out about {_listed(markets)} what is missing still:"
            f" {_fields(agent for agent, _ in wanted)}."
        ),
        reason="Most of the specialists have brought no figure.",
    )


def _unsettled(state: Sequence[StateEntry], balances: Mapping[str, Balance]) -> Refinement | None:
    heard = heard_on(state)
    left = {
        name: [agent for agent in SPECIALISTS if (agent, name) not in heard]
        for name, balance in balances.items()
        if balance.conflict is not None or balance.is_close
    }
    markets = _in_order(name for name, agents in left.items() if agents)
    if not markets:
        return None
    agents = {agent for name in markets for agent in left[name]}
    return Refinement(
        objective=(
            f"Settle which way {_listed(markets)} leans with what has not been looked at yet:"
            f" {_fields(agents)}."
        ),
        reason=f"The specialists do not agree on the direction of {_listed(markets)}.",
    )


def _fields(agents: Iterable[AgentId]) -> str:
    wanted = set(agents)
    return _listed([_ASKS_FOR[agent] for agent in SPECIALISTS if agent in wanted])


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names)))


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def delivered(state: Iterable[StateEntry]) -> bool:
    """Whether anybody has brought a figure."""
    return any(isinstance(e.result, ResearchResult) and e.result.claims for e in state)
