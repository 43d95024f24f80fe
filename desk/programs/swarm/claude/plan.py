"""The leader of a swarm as a model: which specialist researches what, on which market.

The model chooses specialists and markets, and writes what each should find out and leave to others.
The desk decides what is a market, how often a specialist may call its tools, and which tools it may
use.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field, JsonValue, StringConstraints, WithJsonSchema

from desk.agents.capabilities import tools_for
from desk.agents.program import ModelTask
from desk.agents.roster import ROSTER
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.base import Contract, ShortText
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import AgentResult, SwarmContext, TurnRequest
from desk.contracts.swarm.plan import MOST_SUBAGENTS, Complexity, SubagentSpec, SwarmPlan
from desk.programs.claude.answers import schema_of
from desk.programs.claude.findings import checked, nearest_to
from desk.programs.claude.fitting import not_on_offer, why_unfit
from desk.programs.claude.prompts import prompt
from desk.programs.swarm.builtin.plan import BOUNDS
from desk.programs.swarm.claude.material import (
    findings_for_model,
    markets_known,
    measured_by,
    memories_for_model,
    objective_for_model,
    surviving_claims_for_model,
    symbols_found,
)
from desk.programs.swarm.run.assignments import OUTPUT_FORMAT
from desk.programs.swarm.tasks import SPECIALIST_TASKS, SPECIALITIES

LONGEST_BRIEF: Final = 800
LONGEST_STRATEGY: Final = 1_500

Brief = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_BRIEF)
]


def _specialist(agent: AgentId) -> AgentId:
    if agent not in SPECIALITIES:
        raise ValueError(f"this is no specialist: name one of {', '.join(SPECIALITIES)}")
    return agent


Specialist = Annotated[
    AgentId,
    AfterValidator(_specialist),
    WithJsonSchema({"enum": list(map(str, SPECIALITIES)), "title": "Agent", "type": "string"}),
]


class ProposedSubagent(Contract):
    """A specialist's task. Without `tools` it has its whole list."""

    agent: Specialist
    market: ShortText
    objective: Brief
    output_format: Brief | None = None
    boundaries: Brief
    tools: Annotated[tuple[ShortText, ...], Field(max_length=40)] = ()


class ProposedSwarmPlan(Contract):
    """The form of the model's answer."""

    complexity: Complexity
    strategy: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_STRATEGY)
    ]
    subagents: Annotated[
        tuple[ProposedSubagent, ...], Field(min_length=1, max_length=MOST_SUBAGENTS)
    ]
    follows: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Returns the objective, the available markets and specialists, and what is known, as JSON."""
    task = request.assignment
    return json.dumps(
        {
            **objective_for_model(request),
            **_decided_by(request),
            "as_of": task.window.end.isoformat(),
            "effort": request.complexity or "choose",
            "efforts": _efforts_for_model(),
            "markets_found": symbols_found(request),
            "markets_of_the_desk": _markets_for_model(request),
            "specialists": _specialists_for_model(request),
            "earlier_rounds": findings_for_model(request),
            "claims": surviving_claims_for_model(request),
            "recalled": memories_for_model(request),
            "plan_of_the_desk": _plan_for_model(base),
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> SwarmPlan:
    """Returns the plan, with markets, names, tools and numbers of calls by the desk's rules.

    Raises:
        ValidationError: the answer does not match its schema, or names another agent.
        ValueError: it has more or fewer specialists than its effort allows, two of them do the
            same, or it names an unknown market, tool, memory or claim.
    """
    if not isinstance(base, SwarmPlan):
        raise ValueError("there is no plan to write over")
    proposed, known = ProposedSwarmPlan.model_validate_json(text), markets_known(request)
    return checked(_faults(request, proposed, known), lambda: _plan(request, proposed, known))


def _plan(
    request: TurnRequest, proposed: ProposedSwarmPlan, known: Mapping[str, MarketSpec]
) -> SwarmPlan:
    """Builds the plan. Leaves a task on an unknown market in, so that its other faults are reported
    as well."""
    bounds, first = BOUNDS[proposed.complexity], next(iter(known.values()), None)
    return SwarmPlan(
        task_id=request.assignment.task_id,
        complexity=proposed.complexity,
        strategy=proposed.strategy,
        subagents=tuple(
            SubagentSpec(
                name=name,
                agent=line.agent,
                task=SPECIALIST_TASKS[line.agent],
                market=market,
                objective=line.objective,
                output_format=line.output_format or OUTPUT_FORMAT,
                boundaries=line.boundaries,
                tools=_tools(line, market),
                least_calls=bounds.least_calls,
                most_calls=bounds.most_calls,
            )
            for name, line in zip(_names(proposed.subagents), proposed.subagents, strict=True)
            if (market := known.get(line.market, first)) is not None
        ),
        follows=tuple(dict.fromkeys(proposed.follows)),
    )


def _decided_by(request: TurnRequest) -> dict[str, JsonValue]:
    """Returns the specialist with the figure that decides. Only in the first round: later the
    figure is known."""
    return {"decided_by": None} if request.state else {"measured_by": measured_by(request)}


def _markets_for_model(context: SwarmContext) -> dict[str, JsonValue]:
    """Returns the symbols of the desk's own markets, by their kind."""
    told: dict[str, list[JsonValue]] = {}
    for market in context.markets:
        told.setdefault(market.kind, []).append(market.market)
    return {**told}


def _efforts_for_model() -> dict[str, JsonValue]:
    return {
        complexity: {
            "specialists": f"{bounds.least} to {bounds.most}",
            "calls_of_tools_each": f"{bounds.least_calls} to {bounds.most_calls}",
        }
        for complexity, bounds in BOUNDS.items()
    }


def _specialists_for_model(request: TurnRequest) -> list[JsonValue]:
    """Returns the specialists, each with the tools that can have data on any of the markets."""
    known = markets_known(request)
    found = [
        known[str(each["symbol"])] for each in symbols_found(request) if isinstance(each, dict)
    ]
    markets = found or list(known.values())
    return [
        {
            "agent": agent,
            "is_for": SPECIALITIES[agent].field,
            "looks_at": SPECIALITIES[agent].looks_at,
            "tools": [
                _written(tool)
                for tool in ROSTER[agent].tools
                if any(_why_unfit(request, tool, market) is None for market in markets)
            ],
        }
        for agent in SPECIALIST_TASKS
    ]


def _plan_for_model(base: AgentResult | None) -> JsonValue:
    """Returns the desk's own plan by rule, as an example of the schema."""
    if not isinstance(base, SwarmPlan):
        return None
    return {
        "complexity": base.complexity,
        "subagents": [
            {"agent": spec.agent, "market": spec.market.market, "objective": spec.objective}
            for spec in base.subagents
        ],
    }


def _faults(
    request: TurnRequest, proposed: ProposedSwarmPlan, known: Mapping[str, MarketSpec]
) -> Iterator[str]:
    """Yields what is wrong and where, without the model's words, which could end up in a report."""
    yield from _of_effort(request, proposed)
    pairs = [(line.agent, line.market) for line in proposed.subagents]
    for place, line in enumerate(proposed.subagents):
        first = pairs.index(pairs[place])
        if first < place:
            yield (
                f"subagents.{place}: the same specialist on the same market as subagents.{first}:"
                " make one of the two, or give one another market"
            )
        if line.market not in known:
            yield (
                f"subagents.{place}.market: there is no such market: name one of those found, or"
                f" look it up; {nearest_to(line.market, known)}"
            )
        yield from (
            f"subagents.{place}.tools.{number}: {fault}"
            for number, fault in _tool_faults(request, line, known.get(line.market))
        )
    recalled = [memory.entry.memory_id for memory in request.recalled]
    for place, name in enumerate(proposed.follows):
        if name not in recalled:
            yield (
                f"follows.{place}: no memory of that id was recalled; {nearest_to(name, recalled)}"
            )


def _tool_faults(
    request: TurnRequest, line: ProposedSubagent, market: MarketSpec | None
) -> Iterator[tuple[int, str]]:
    """Yields each tool that a specialist is not offered on a market, by its place, with the nearest
    ones that it is offered."""
    every = {_written(tool): tool for tool in ROSTER[line.agent].tools}
    why = {name: _why_unfit(request, tool, market) for name, tool in every.items()}
    reasons = {name: reason for name, reason in why.items() if reason is not None}
    offered = every.keys() - reasons.keys()
    for number, name in enumerate(line.tools):
        if name not in offered:
            yield number, not_on_offer(name, offered, reasons)


def _why_unfit(request: TurnRequest, tool: ToolName, market: MarketSpec | None) -> str | None:
    return why_unfit(tool.server, tool.tool, market, request.assignment.window.end)


def _of_effort(context: SwarmContext, proposed: ProposedSwarmPlan) -> Iterator[str]:
    """Checks the effort of a round: the run's in the first one, at most that in later ones."""
    held, own = context.complexity, proposed.complexity
    efforts = list(Complexity)
    less = held is not None and efforts.index(own) < efforts.index(held)
    if held is not None and own is not held and not (less and context.state):
        yield f"complexity: this run must be {held}"
    meant = own if held is None or (less and context.state) else held
    bounds, count = BOUNDS[meant], len(proposed.subagents)
    if not bounds.least <= count <= bounds.most:
        yield (
            f"subagents: there are {count}, and a {meant} objective has {bounds.least} to"
            f" {bounds.most}"
        )


def _names(lines: Iterable[ProposedSubagent]) -> Iterator[str]:
    """Names the tasks: `technical`, and `technical_2` for the second of its kind."""
    counted: dict[AgentId, int] = {}
    for line in lines:
        number = counted[line.agent] = counted.get(line.agent, 0) + 1
        kind = SPECIALITIES[line.agent].name
        yield kind if number == 1 else f"{kind}_{number}"


def _tools(line: ProposedSubagent, market: MarketSpec) -> tuple[ToolName, ...]:
    """Returns the tools of the specialist's list that the model names, and those that the desk asks
    on such a market; the whole list if the model names none."""
    own = ROSTER[line.agent].tools
    if not line.tools:
        return own
    usual = set(tools_for(SPECIALITIES[line.agent].capabilities(market.kind), RunPolicy()))
    return tuple(tool for tool in own if _written(tool) in line.tools or tool in usual)


def _written(tool: ToolName) -> str:
    return f"{tool.server}.{tool.tool}"


def _schema(request: TurnRequest) -> dict[str, JsonValue]:
    """Returns the schema. It has no field for memories if there are none."""
    schema = schema_of(ProposedSwarmPlan)
    if not memories_for_model(request):
        schema["properties"].pop("follows")
    return schema


TASK: Final = ModelTask(
    (prompt("swarm_plan"),), ProposedSwarmPlan, material, result, schema=_schema
)
