"""What a week may spend, across its markets, its retries and its reruns."""

import asyncio
from datetime import timedelta
from decimal import ROUND_DOWN, Decimal
from itertools import count
from pathlib import Path

import pytest
from temporalio.client import Client

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import AgentId, Message, market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunRequest, WeekResult, WeekStatus
from desk.contracts.week.report import Contribution, ResearchReport
from desk.platform.models.model_calling import ModelFailed
from desk.programs.week.document.json_form import from_json
from desk.runs.assignments.budget import CENT_OF_A_CENT, UNRESERVED_SHARE
from tests.support.models.spending import (
    CHEAPER,
    MODEL,
    TOKENS,
    Spender,
    budgeted,
    model_desk,
    task_of,
)
from tests.support.replaying import replayer
from tests.support.runs.desk import WEEK, pair, policy_rate, start_week
from tests.support.runs.scripted import Script, gives_up, price_call
from tests.support.sleepy import LateOnPairs

PATIENT = AgentLimits(max_turns=60, max_tokens=1_000_000)
MARKETS = (pair("USD/JPY", priority=1), pair("EUR/USD", priority=3), policy_rate("JP"))


def report_of(result: WeekResult) -> ResearchReport:
    return from_json(Path(result.files.json_file).read_text())


def research_of(result: WeekResult, market: str = "USD/JPY") -> Contribution:
    """The line of the first research agent on a market."""
    outcome = next(o for o in result.record.outcomes if o.market == market)
    return next(line for line in outcome.agents if line.task_type is TaskType.RESEARCH_FX)


def first_part_of(left: Decimal) -> Decimal:
    """Of half of what is left, the part of the first of two agents; the validator wants one too."""
    return (left / 2 / 3).quantize(CENT_OF_A_CENT, ROUND_DOWN)


def keeps_asking(request: TurnRequest) -> Turn:
    """A tool call with each turn, and where none may be asked for, an answer of no use."""
    number = len(request.exchanges)
    if request.last:
        return Turn(said=("hm",), feedback=f"not the result, {len(request.feedback or '')}")
    call = price_call(request)
    return Turn(calls=(call.model_copy(update={"call_id": f"{call.call_id}-{number}"}),))


@pytest.mark.parametrize("usd", ["0.05", "0.4", "1.3", "20"])
async def test_calls_side_by_side_never_put_more_at_stake_than_the_budget(
    client: Client, tmp_path: Path, usd: str
) -> None:
    prices = count(1)
    spender = Spender(
        price=lambda _: Decimal(next(prices) % 7 + 1) / 100,
        says=lambda r: keeps_asking(r) if task_of(r) == "USD/JPY/research_fx" else None,
    )
    config = budgeted(*MARKETS, usd=usd, planner=MODEL)
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, config)).result()
    assert spender.usd <= spender.most_at_stake <= Decimal(usd)
    assert report_of(result).usage.cost_usd == spender.usd
    assert result.outcome is Outcome.COMPLETE


async def test_a_turn_that_asks_is_a_cost_of_what_it_asks_for(
    client: Client, tmp_path: Path
) -> None:
    def two_calls(request: TurnRequest) -> Turn | None:
        if len(request.exchanges) != 1 or task_of(request) != "USD/JPY/research_fx":
            return None
        call = price_call(request)
        names = (f"{call.call_id}-{more}" for more in ("again", "once_more"))
        return Turn(calls=tuple(call.model_copy(update={"call_id": name}) for name in names))

    spender = Spender(price=lambda _: Decimal("0.03"), says=two_calls)
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, budgeted(pair("USD/JPY")))).result()
    (outcome,) = result.record.outcomes
    costs = [e.cost_usd for e in outcome.evidence if "research_fx" in e.call.call_id]
    assert costs == [None, Decimal("0.015"), Decimal("0.015")], "the desk's own question is free"
    assert all(answer.cost_usd is None for answer in report_of(result).evidence)


async def test_tokens_are_a_budget_too(client: Client, tmp_path: Path) -> None:
    spender = Spender(says=lambda r: None if r.last else keeps_asking(r))
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, budgeted(*MARKETS, tokens=30 * TOKENS))).result()
    assert 0 < len(spender.calls) * TOKENS <= 30 * TOKENS
    assert report_of(result).usage.tokens == len(spender.calls) * TOKENS


async def test_a_market_whose_calls_cost_more_than_they_could_is_not_asked_again(
    client: Client, tmp_path: Path
) -> None:
    spender = Spender(dearer=5, says=keeps_asking)
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, budgeted(pair("USD/JPY"), usd="1"))).result()
    in_flight = {task for call in spender.calls if (task := call.task)}
    assert len(spender.calls) == len(in_flight) <= 2
    assert "budget is used up" in (research_of(result).remark or "")


async def test_work_degrades_in_order_and_the_report_tells_each_step(
    client: Client, tmp_path: Path
) -> None:
    numbers = count()

    def no_result(request: TurnRequest) -> Turn | None:
        if task_of(request) != "USD/JPY/research_fx":
            return None
        return Turn(said=("hm",), feedback=f"no result, for the {next(numbers)}th time")

    spender = Spender(
        price=lambda r: Decimal("0.05" if r.model == MODEL else "0.015"), says=no_result
    )
    config = budgeted(pair("USD/JPY", priority=1), usd="1", limits=PATIENT)
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, config)).result()
    steps = list(dict.fromkeys((c.model, c.last) for c in spender.of("USD/JPY/research_fx")))
    assert steps == [(MODEL, False), (MODEL, True), (CHEAPER, True)]
    line = research_of(result)
    told = ("fewer turns", "a cheaper model", "the built-in analyst delivered instead")
    places = [(line.remark or "").find(words) for words in told]
    assert -1 not in places, line.remark
    assert places == sorted(places)
    assert line.delivered
    assert result.outcome is Outcome.COMPLETE
    for printed in (Path(result.files.markdown), Path(result.files.html)):
        assert all(words in printed.read_text() for words in told)


async def test_without_money_no_model_is_asked_and_the_week_is_complete(
    client: Client, tmp_path: Path
) -> None:
    spender = Spender()
    async with model_desk(client, tmp_path, spender):
        config = budgeted(*MARKETS, usd="0", planner=MODEL)
        result = await (await start_week(client, config)).result()
    assert spender.calls == []
    assert result.outcome is Outcome.COMPLETE
    assert result.record.planning is not None
    for line in (result.record.planning, research_of(result)):
        assert "the built-in analyst delivered instead" in (line.remark or "")


async def test_a_plan_that_no_model_makes_is_the_built_in_one(
    client: Client, tmp_path: Path
) -> None:
    def no_planner(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.PLAN_WEEK:
            raise ModelFailed("the key is refused", again=False)
        return None

    spender = Spender(says=no_planner)
    config = budgeted(pair("USD/JPY"), usd="5", planner=MODEL)
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, config)).result()
    assert result.record.planning is not None
    assert "the key is refused" in (result.record.planning.remark or "")
    assert result.record.planning.usage.model == BUILTIN
    assert result.outcome is Outcome.COMPLETE


async def test_a_turn_that_is_tried_again_is_paid_for_once(client: Client, tmp_path: Path) -> None:
    attempts = count()

    def busy_at_first(request: TurnRequest) -> Turn | None:
        if task_of(request) == "USD/JPY/research_fx" and next(attempts) < 2:
            raise ModelFailed("overloaded", again=True)
        return None

    spender = Spender(says=busy_at_first)
    config = budgeted(pair("USD/JPY"), usd="1")
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, config)).result()
    assert next(attempts) == 3
    assert len(spender.of("USD/JPY/research_fx")) == 1
    assert research_of(result).usage.cost_usd == Decimal("0.03")
    (validation,) = spender.of("USD/JPY/validate")
    assert validation.allowed.usd == (Decimal("0.9") - 2 * Decimal("0.03")) / 2


async def test_what_failed_and_what_was_handed_on_is_in_the_sum(
    client: Client, tmp_path: Path
) -> None:
    def cannot(request: TurnRequest) -> Turn | None:
        nobody = task_of(request) == "EUR/USD/research_fx"
        first = request.assignment.agent is AgentId.RESEARCH_AGENT_1
        return gives_up(request) if nobody or first else None

    spender = Spender(says=cannot, built_in=lambda r: cannot(r) if r.exchanges else None)
    config = budgeted(pair("USD/JPY"), pair("EUR/USD"), usd="5")
    async with model_desk(client, tmp_path, spender):
        result = await (await start_week(client, config)).result()
    handed_on, lost = research_of(result), research_of(result, "EUR/USD")
    assert handed_on.reassigned_from is AgentId.RESEARCH_AGENT_1
    assert (handed_on.delivered, lost.delivered) == (True, False)
    assert (handed_on.usage.cost_usd, lost.usage.cost_usd) == (Decimal("0.06"), Decimal("0.06"))
    assert report_of(result).usage.cost_usd == spender.usd


class SideBySide(Spender):
    """On rates the agent begins when another has taken over on prices, who waits for it in turn."""

    def __init__(self, cannot: Script) -> None:
        price = Decimal("0.5")
        super().__init__(
            lambda _: price, cannot, built_in=lambda r: cannot(r) if r.exchanges else None
        )
        self.taken_over, self.asked = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn, when it is time for it."""
        kind, first = request.assignment.task_type, not request.exchanges
        if kind is TaskType.RESEARCH_RATES and first:
            await self.taken_over.wait()
        elif kind is TaskType.RESEARCH_RATES:
            self.asked.set()
        elif kind is TaskType.RESEARCH_FX and request.assignment.agent is AgentId.RESEARCH_AGENT_2:
            self.taken_over.set()
            if not first:
                await self.asked.wait()
        return await super().__call__(request)


async def test_an_agent_whose_colleague_is_replaced_goes_on_with_its_model(
    client: Client, tmp_path: Path
) -> None:
    def first_agent_cannot(request: TurnRequest) -> Turn | None:
        first = request.assignment.agent is AgentId.RESEARCH_AGENT_1
        return gives_up(request) if first else None

    spender = SideBySide(first_agent_cannot)
    async with model_desk(client, tmp_path, spender):
        config = budgeted(pair("USD/JPY"), usd="5")
        result = await (await start_week(client, config)).result()
    lines = {line.task_type: line for line in result.record.outcomes[0].agents}
    assert lines[TaskType.RESEARCH_FX].reassigned_from is AgentId.RESEARCH_AGENT_1
    assert lines[TaskType.RESEARCH_RATES].remark is None
    assert [call.model for call in spender.of("USD/JPY/research_rates")] == [MODEL]


async def test_a_market_that_is_ended_late_has_spent_its_part(
    client: Client, tmp_path: Path
) -> None:
    spender = Spender()
    config = budgeted(pair("USD/JPY"), policy_rate("JP"), usd="1", planner=MODEL)
    async with model_desk(client, tmp_path, spender, market_research=LateOnPairs):
        result = await (await start_week(client, config)).result()
    late, _ = result.record.outcomes
    assert late.missing == ("not finished by its deadline",)
    (commented,) = spender.of(f"{WEEK}/comment")
    before = spender.usd - commented.usd
    part = (1 - spender.calls[0].usd) * (1 - UNRESERVED_SHARE) / 2
    assert commented.allowed.usd == 1 - before - part


async def test_a_rerun_goes_on_with_what_is_left(client: Client, tmp_path: Path) -> None:
    spender = Spender()
    config = budgeted(pair("USD/JPY"), usd="1")
    async with model_desk(client, tmp_path, spender):
        handle = await start_week(client, config)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="again"))
        result = await handle.result()
        status = await handle.query(Message.STATUS, result_type=WeekStatus)
    before, again = spender.calls[:3], spender.calls[3:]
    assert len(again) == 3
    left = 1 - sum((call.usd for call in before), Decimal(0))
    # Agents side by side share what is left as they come; the validator asks when both are done.
    *research, judged = again
    assert all((call.allowed.usd or 0) <= first_part_of(left) for call in research)
    assert judged.allowed.usd == (left / 2 - sum(call.usd for call in research)) / 2
    assert status.usage.cost_usd == spender.usd, "what was replaced has been paid for too"
    assert report_of(result).usage.cost_usd == spender.usd


async def test_a_resumed_run_goes_on_with_what_is_left(client: Client, tmp_path: Path) -> None:
    spender = Spender(price=lambda _: Decimal("0.1"))
    config = budgeted(pair("USD/JPY"), usd="1", open_for=timedelta(hours=1))
    async with model_desk(client, tmp_path, spender):
        record = (await (await start_week(client, config)).result()).record
        for _ in range(3):
            first = len(spender.calls)
            left = 1 - spender.usd
            handle = await start_week(client, config, resume=record)
            await handle.signal(Message.RERUN_MARKET, RerunRequest(market="USD/JPY", reason="x"))
            record = (await handle.result()).record
            again = [c.allowed.usd or 0 for c in spender.calls[first:] if "research" in c.task]
            assert max(again, default=0) <= first_part_of(left)
    assert spender.usd <= 1


async def test_a_week_with_a_budget_replays(client: Client, tmp_path: Path) -> None:
    spender = Spender(
        price=lambda r: Decimal("0.05" if r.model == MODEL else "0.02"),
        says=lambda r: keeps_asking(r) if not r.last else None,
    )
    config = budgeted(*MARKETS, usd="0.9", planner=MODEL)
    async with model_desk(client, tmp_path, spender):
        handle = await start_week(client, config)
        await handle.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="recorded"))
        await handle.result()
    assert CHEAPER in {call.model for call in spender.calls}
    again = replayer(tmp_path / "payloads")
    run = week_run_id(WEEK)
    for workflow_id in (run, *(market_run_id(run, spec.market) for spec in MARKETS)):
        history = await client.get_workflow_handle(workflow_id).fetch_history()
        await again.replay_workflow(history)
