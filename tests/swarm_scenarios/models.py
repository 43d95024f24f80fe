"""Swarms of models, whose calls cost something: one that a budget stops, and a long one."""

import random
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any
from zlib import crc32

from pydantic import JsonValue

from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.swarm import SwarmResult
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.documents.answer.publishing import read_answer_file
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.support.models.spending import Spender, budgeted
from tests.support.processes.homes import home_settings
from tests.support.runs.desk import desk_workers
from tests.support.runs.scripted import ScriptedTools
from tests.support.swarms.runs import (
    ALL_FIVE,
    SERVERS,
    concluded,
    found,
    level_call,
    plan,
    refined,
    start_swarm,
    subagent,
    swarm,
    swarm_turn,
)
from workflows.swarm.swarm import NO_BUDGET

PRICE = Decimal("0.03")
BUDGET = "0.40"
ROUNDS = 5

TURNS = 20
ANSWER = 8_000
"""Characters of a tool's answer: twenty of them are some 40,000 tokens."""

GOAL_BYTES = 5_000_000
WORDS = ("yield", "carry", "fixing", "intervention", "auction", "tenor", "basis", "swap", "hawkish")


async def budget_stops(stage: Stage) -> Sight:
    """A leader that always wants to know more, on money that lasts for a round."""
    model = Spender(price=lambda _: PRICE, says=_never_satisfied, built_in=_never_satisfied)
    policy = budgeted(usd=BUDGET).policy
    result, report, _ = await _run(stage, "budget", model, policy, most_rounds=ROUNDS)
    rounds = report.swarm.rounds if report.swarm else ()
    faults = []
    if model.usd > Decimal(BUDGET):
        faults.append(f"it cost ${model.usd}, and at most ${BUDGET} was allowed")
    if not rounds or rounds[-1].stopped != NO_BUDGET or len(rounds) == ROUNDS:
        faults.append(f"it stopped after {len(rounds)} rounds: {rounds[-1].stopped or 'no reason'}")
    if report.usage.cost_usd != model.usd:
        faults.append(f"the report tells of ${report.usage.cost_usd}")
    words = (
        f"${model.usd} of ${BUDGET} in {len(model.calls)} calls; {result.rounds} of {ROUNDS} rounds"
        f": {rounds[-1].stopped}"
    )
    return Sight(words, tuple(faults), {"usd": float(model.usd), "calls": len(model.calls)})


async def long_histories(stage: Stage) -> Sight:
    """Five specialists of twenty turns each, whose tools answer at length."""
    model = Spender(price=lambda _: Decimal(0), says=_tireless, built_in=swarm_turn)
    limits = AgentLimits(max_turns=2 * TURNS, max_tokens=10**8)
    policy = budgeted(limits=limits).policy
    _, _, sizes = await _run(stage, "long", model, policy)
    turns = [len(model.of(subagent(agent).name)) for agent in ALL_FIVE]
    faults = []
    if turns != [TURNS] * len(ALL_FIVE):
        faults.append(f"the specialists took {turns} turns")
    if sum(sizes) >= GOAL_BYTES:
        faults.append(f"{sum(sizes):,} bytes")
    answers = sum(turns) * ANSWER / 1_000_000
    words = (
        f"{sum(turns)} turns in {len(sizes)} histories of {sum(sizes) / 1_000_000:.2f} MB in all,"
        f" the largest {max(sizes) / 1_000_000:.2f} MB, for {answers:.1f} MB of answers"
    )
    figures = {"bytes": sum(sizes), "largest": max(sizes), "turns": sum(turns)}
    return Sight(words, tuple(faults), figures)


async def _run(
    stage: Stage, name: str, model: Spender, policy: RunPolicy, **fields: Any
) -> tuple[SwarmResult, AnswerReport, list[int]]:
    """A swarm on a real server, with the model in place of Claude; and its histories' bytes."""
    directory = stage.place(name)
    settings = home_settings(directory)
    tools = ScriptedTools(_at_length, offered=dict.fromkeys(SERVERS, ()))
    request = swarm(policy=policy, memory=False, **fields)
    async with embedded_server(settings.home, settings.server):
        client = await connect(settings)
        async with desk_workers(client, directory, analyst=model, tools=tools, servers=SERVERS):
            result = await (await start_swarm(client, request)).result()
        sizes = [run.raw_info.history_size_bytes async for run in client.list_workflows()]
    report = read_answer_file(Path(result.files.json_file))
    assert report is not None
    return result, report, sizes


def _never_satisfied(request: TurnRequest) -> Turn:
    task = request.assignment
    if task.task_type is TaskType.CONCLUDE_SWARM:
        return Turn(result=concluded(request, further=refined()))
    return swarm_turn(request)


def _tireless(request: TurnRequest) -> Turn:
    task, taken = request.assignment, len(request.exchanges)
    if task.task_type is TaskType.PLAN_SWARM:
        five = tuple(subagent(agent, most_calls=TURNS) for agent in ALL_FIVE)
        return Turn(result=plan(request, *ALL_FIVE).model_copy(update={"subagents": five}))
    if task.task_type is TaskType.CONCLUDE_SWARM:
        return swarm_turn(request)
    if taken < TURNS - 1:
        call = level_call(request, f"call_{taken}")
        varied = call.model_copy(update={"arguments": {**call.arguments, "number": taken}})
        return Turn(calls=(varied,), said=({"type": "text", "text": _prose(taken, 600)},))
    return Turn(result=found(request))


def _at_length(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
    text = _prose(crc32(str(arguments).encode()), ANSWER)
    return ToolAnswer(content={"level": "100.00", "text": text})


def _prose(seed: int, length: int) -> str:
    """Text that packs about as well as prose does, another one for each seed."""
    chance = random.Random(seed)
    words = (f"{chance.choice(WORDS)}{chance.randrange(10_000)}" for _ in range(length // 6))
    return " ".join(words)[:length]


SCENARIOS = (
    Scenario(
        "budget",
        f"a leader that always wants to know more, ${PRICE} a call, at most ${BUDGET}",
        "stopped by the budget, nothing spent beyond it, a report of what there is",
        budget_stops,
    ),
    Scenario(
        "long",
        f"{len(ALL_FIVE)} specialists of {TURNS} turns each, {ANSWER:,} characters an answer",
        f"under {GOAL_BYTES / 1_000_000:.0f} MB in all histories",
        long_histories,
    ),
)
