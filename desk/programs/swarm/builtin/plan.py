"""The plan of a round of research, by rule: which specialist researches which market.

| complexity | specialists | calls of tools each |
| --- | --- | --- |
| simple | one or two | 3 to 10 |
| moderate | three or four | 10 to 15 |
| complex | five and more, at most twelve | 15 to 20 |

The ranges of the first two are those of the swarm's design; it gives none for the third, and the
desk continues in the same step. If its form is known, an objective gets the specialists that have
the form's figures, on each of its markets, and the complexity that follows from their number. Any
other gets three or four specialists on one market, and more on several.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.agents.capabilities import tools_for
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.plan import MOST_SUBAGENTS, Complexity, SubagentSpec, SwarmPlan
from desk.programs.swarm.findings import delivered_on
from desk.programs.swarm.objectives.form import ObjectiveForm
from desk.programs.swarm.run.assignments import OUTPUT_FORMAT
from desk.programs.swarm.tasks import (
    SPECIALIST_TASKS,
    SPECIALISTS,
    SPECIALITIES,
)
from desk.trust.prose import clip


class PlanLimits(NamedTuple):
    """The number of specialists in a plan, and how often each may call its tools."""

    least: int
    most: int
    least_calls: int
    most_calls: int


BOUNDS: Final[Mapping[Complexity, PlanLimits]] = MappingProxyType(
    {
        Complexity.SIMPLE: PlanLimits(1, 2, 3, 10),
        Complexity.MODERATE: PlanLimits(3, 4, 10, 15),
        Complexity.COMPLEX: PlanLimits(5, MOST_SUBAGENTS, 15, 20),
    }
)

ON_FURTHER_MARKETS: Final = (AgentId.MARKET_SPECIALIST, AgentId.TECHNICAL_SPECIALIST)
"""The specialists for every market but the first of a complex objective, which is mainly about the
first."""

READS_PRICES: Final = frozenset(
    {AgentId.MARKET_SPECIALIST, AgentId.TECHNICAL_SPECIALIST, AgentId.PATTERN_SPECIALIST}
)

Chosen = tuple[AgentId, MarketSpec]
Tools = Mapping[AgentId, Sequence[ToolName]]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a plan is made from: the objective, the markets that it names, the tools of each
    specialist, the requested complexity, the results of earlier rounds, the form of the objective,
    and the nearest forms if it has none."""

    objective: str
    markets: tuple[MarketSpec, ...]
    tools: Tools
    complexity: Complexity | None = None
    state: tuple[StateEntry, ...] = ()
    form: ObjectiveForm | None = None
    nearest: tuple[ObjectiveForm, ...] = ()

    @property
    def follows_up(self) -> bool:
        """Whether there was an earlier round."""
        return any(isinstance(entry.result, SwarmPlan) for entry in self.state)


def plan_swarm(task_id: str, ground: Ground, follows: Sequence[str] = ()) -> SwarmPlan:
    """Plans a round. The same ground always gives the same plan.

    A later round only asks for what its objective needs. Its complexity follows from the number of
    specialists.
    """
    if not ground.markets:
        raise ValueError("a plan needs a market")
    chosen = _follow_up(ground) if ground.follows_up else _first_round(ground)
    complexity = _size(chosen) if ground.follows_up else _complexity(ground)
    return SwarmPlan(
        task_id=task_id,
        complexity=complexity,
        strategy=_strategy(chosen, follows_up=ground.follows_up, recalls=bool(follows)),
        subagents=_subagents(ground, chosen, BOUNDS[complexity]),
        follows=tuple(follows),
    )


def _complexity(ground: Ground) -> Complexity:
    """Returns the complexity of an objective: by the number of specialists that its form needs, or
    higher for several markets."""
    if ground.complexity is not None:
        return ground.complexity
    if ground.form is not None:
        return _size(_for_the_form(ground, ground.form))
    return Complexity.COMPLEX if len(ground.markets) > 1 else Complexity.MODERATE


def _size(chosen: Sequence[Chosen]) -> Complexity:
    return next(c for c in Complexity if len(chosen) <= BOUNDS[c].most)


def _first_round(ground: Ground) -> tuple[Chosen, ...]:
    complexity = _complexity(ground)
    if ground.form is not None:
        wanted = _for_the_form(ground, ground.form)
        more = ((agent, ground.markets[0]) for agent in _in_order(ground))
        least, most = BOUNDS[complexity][:2]
        every = tuple(dict.fromkeys((*wanted, *more)))
        return every[: min(most, max(least, len(wanted)))]
    order = _in_order(ground)
    first, *others = ground.markets
    match complexity:
        case Complexity.SIMPLE:
            chosen = _simple(ground, order)
        case Complexity.MODERATE:
            on_first, most = BOUNDS[Complexity.MODERATE][:2]
            chosen = [(agent, first) for agent in order[:on_first]]
            chosen += [(order[0], market) for market in others][: most - on_first]
        case Complexity.COMPLEX:
            chosen = [(agent, first) for agent in order]
            chosen += [(agent, market) for market in others for agent in ON_FURTHER_MARKETS]
            chosen = chosen[:MOST_SUBAGENTS]
    return tuple(chosen)


def _simple(ground: Ground, order: Sequence[AgentId]) -> list[Chosen]:
    """Returns one specialist on each of two markets. On a single market returns two, one of which
    reads prices: there may be no rates, accounts or news."""
    if len(ground.markets) > 1:
        return [(order[0], market) for market in ground.markets[:2]]
    market, *_ = ground.markets
    pair = order[:2] if READS_PRICES.intersection(order[:2]) else (order[0], SPECIALISTS[0])
    return [(agent, market) for agent in pair]


def _for_the_form(ground: Ground, form: ObjectiveForm) -> tuple[Chosen, ...]:
    """Returns the specialists with the form's figures, the first of them on every market before the
    next; then specialists of third-party packages that name the form, on the first market."""
    every = [(agent, market) for agent in form.agents for market in ground.markets]
    every += [(agent, ground.markets[0]) for agent in _joining(form)]
    return tuple(every[:MOST_SUBAGENTS])


def _joining(form: ObjectiveForm) -> tuple[AgentId, ...]:
    return tuple(agent for agent, own in SPECIALITIES.items() if form.name in own.forms)


def _in_order(ground: Ground) -> tuple[AgentId, ...]:
    """Returns all specialists, those with figures of the nearest forms first."""
    near = (agent for form in ground.nearest for agent in (*form.agents, *_joining(form)))
    return tuple(dict.fromkeys((*near, *SPECIALISTS)))


def _follow_up(ground: Ground) -> tuple[Chosen, ...]:
    """Returns the specialists that the leader asked for, or else all, on its markets: those that
    have not delivered there yet. If all have, they are asked again."""
    done = delivered_on(ground.state)
    named = _asked_for(ground.state) or SPECIALISTS
    wanted = [(agent, market) for market in ground.markets for agent in named]
    fresh = [(agent, market) for agent, market in wanted if (agent, market.market) not in done]
    most = BOUNDS[ground.complexity].most if ground.complexity else MOST_SUBAGENTS
    return tuple(fresh or wanted)[:most]


def _asked_for(state: Sequence[StateEntry]) -> tuple[AgentId, ...]:
    """Returns the specialists that the last conclusion asked for."""
    made = [entry.result for entry in state if isinstance(entry.result, Synthesis)]
    further = made[-1].further if made else None
    return further.agents if further is not None else ()


def _subagents(
    ground: Ground, chosen: Sequence[Chosen], bounds: PlanLimits
) -> tuple[SubagentSpec, ...]:
    names = _names(chosen)
    return tuple(
        SubagentSpec(
            name=names[agent, market.market],
            agent=agent,
            task=SPECIALIST_TASKS[agent],
            market=market,
            objective=_objective(agent, market),
            output_format=OUTPUT_FORMAT,
            boundaries=_boundaries(agent, market, chosen, names),
            tools=_tools(ground, agent, market, chosen),
            beside=_beside(ground, market),
            least_calls=bounds.least_calls,
            most_calls=bounds.most_calls,
        )
        for agent, market in chosen
    )


def _names(chosen: Sequence[Chosen]) -> dict[tuple[AgentId, str], str]:
    """Names the specialists: `technical`, and `technical_2` for the second of its kind."""
    names: dict[tuple[AgentId, str], str] = {}
    for agent, market in chosen:
        before = sum(1 for other, _ in names if other is agent)
        kind = SPECIALITIES[agent].name
        names[agent, market.market] = f"{kind}_{before + 1}" if before else kind
    return names


def _objective(agent: AgentId, market: MarketSpec) -> str:
    return f"Find out for {market.market} {SPECIALITIES[agent].task_on(market.kind)}."


def _boundaries(
    agent: AgentId,
    market: MarketSpec,
    chosen: Sequence[Chosen],
    names: Mapping[tuple[AgentId, str], str],
) -> str:
    """Says what is left to the other specialists, by name, so that no two do the same."""
    own = f"Stay with {_field(agent, market)}."
    others = [
        f"{_field(other, where)} is the work of {names[other, where.market]}"
        for other, where in chosen
        if (other, where.market) != (agent, market.market)
    ]
    if not others:
        return f"{own} Nobody else is at work in this round."
    return clip(f"{own} Leave the rest to the others: {'; '.join(others)}.")


def _field(agent: AgentId, market: MarketSpec) -> str:
    return f"{SPECIALITIES[agent].field_on(market.kind)} on {market.market}"


def _beside(ground: Ground, market: MarketSpec) -> tuple[str, ...]:
    """Returns the markets that the form compares a market with, if it takes several."""
    if ground.form is None or ground.form.fewest < 2:
        return ()
    return tuple(each.market for each in ground.markets if each != market)


def _tools(
    ground: Ground, agent: AgentId, market: MarketSpec, chosen: Sequence[Chosen]
) -> tuple[ToolName, ...]:
    """Returns the specialist's tools that this market needs, and those that the form of the
    objective needs; the whole list if it has none of these. The market specialist leaves policy
    rates to the fundamental specialist if there is one."""
    capabilities = SPECIALITIES[agent].capabilities(market.kind)
    fundamental = AgentId.FUNDAMENTAL_SPECIALIST
    if agent is AgentId.MARKET_SPECIALIST and (fundamental, market) in chosen:
        capabilities = tuple(each for each in capabilities if each is not Capability.POLICY_RATE)
    asked_besides = ground.form.asks if ground.form is not None else ()
    needed = set(tools_for((*capabilities, *asked_besides), RunPolicy()))
    own = tuple(ground.tools[agent])
    return tuple(tool for tool in own if tool in needed) or own


def _strategy(chosen: Sequence[Chosen], *, follows_up: bool, recalls: bool) -> str:
    markets = tuple(dict.fromkeys(market.market for _, market in chosen))
    parts = [
        "Ask again where the round before left a question open."
        if follows_up
        else "Look at each side of the question apart, and at all of them at once."
    ]
    for name in markets:
        fields = [
            SPECIALITIES[agent].field_on(market.kind)
            for agent, market in chosen
            if market.market == name
        ]
        parts.append(f"On {name}: {'; '.join(fields)}.")
    if recalls:
        parts.append("Earlier research on these markets is at hand, and is taken up.")
    parts.append("What contradicts is put to the vote before anything is concluded.")
    return clip(" ".join(parts))
