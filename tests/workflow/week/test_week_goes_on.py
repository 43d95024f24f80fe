"""A week's run continues as new between reruns, and nobody can tell by what comes of it."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from temporalio.client import Client, WorkflowHandle, WorkflowUpdateFailedError

from desk.contracts.agents.config import DeadlineConfig, HistoryConfig, RetryConfig, RunConfig
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.findings.escalations import EscalationAnswer
from desk.contracts.names import AgentId, Message, escalation_run_id, market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RerunReceipt, RerunRequest, WeekRequest, WeekResult, WeekStatus
from desk.contracts.week.delivery import DeliveryState
from desk.contracts.week.report import MOST_REVISIONS
from starters.runs.watching import wait_until_published
from starters.runs.week_results import last_result
from starters.runs.week_runs import known_run
from starters.weeks.rerun import signal_rerun
from tests.support.models.spending import MODEL, SOURCES, Spender, budgeted, model_desk
from tests.support.outside.receivers import Reply, room
from tests.support.replaying import replayer
from tests.support.runs.chains import chain_of, continuing
from tests.support.runs.desk import WEEK, desk_config, desk_workers, pair, policy_rate, start_week
from tests.support.runs.scripted import Disagreement, ScriptedAnalyst, ScriptedTools, gives_up
from tests.workflow.week.test_week_deliveries import wanted
from tests.workflow.week.test_week_learning import HOURLY, Untold, learned_by

RUN = week_run_id(WEEK)
MARKETS = ("USD/JPY", "JP")
EVENTS_OF_A_RERUN = 60
"""More than a rerun of one market and what is begun with it leave in the week's history."""

Week = WorkflowHandle[Any, WeekResult]
numbers = count()


async def ask(week: Week, market: str, reason: str) -> None:
    await week.signal(Message.RERUN_MARKET, RerunRequest(market=market, reason=reason))


async def status_of(client: Client) -> WeekStatus:
    handle = client.get_workflow_handle(RUN)
    status: WeekStatus = await handle.query(Message.STATUS, result_type=WeekStatus)
    return status


async def published(client: Client, revision: int) -> WeekStatus:
    """The status once a revision is out."""
    while (status := await status_of(client)).revision < revision:
        await asyncio.sleep(0.02)
    return status


class Unseen:
    """Shows nobody how far a run is."""

    def update(self, status: WeekStatus) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


def told(result: WeekResult) -> object:
    """What a week came to, without when and in which run."""
    return _lasting(result.model_dump(mode="json", exclude={"files"}))


def differing(one: object, other: object, path: str = "") -> Iterator[str]:
    """Where two results differ, for whoever reads that they do."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from differing(one.get(key), other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (mine, its) in enumerate(zip(one, other, strict=True)):
            yield from differing(mine, its, f"{path}.{place}")
    elif one != other:
        yield f"{path}: {one!r} and {other!r}"[:300]


def _lasting(value: object) -> object:
    if isinstance(value, dict):
        return {key: _lasting(part) for key, part in value.items() if key not in _OF_THE_MOMENT}
    return [_lasting(part) for part in value] if isinstance(value, list) else value


_OF_THE_MOMENT = frozenset(
    {"published_at", "started_at", "run_id", "retrieved_at", "seconds", "took"}
)


@settings(max_examples=1, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    asked=st.lists(st.sampled_from(MARKETS), min_size=2, max_size=5),
    most_events=st.sampled_from((1, 60, 90)),
    failing=st.sets(st.tuples(st.sampled_from(MARKETS), st.integers(2, 5)), max_size=2),
)
async def test_a_week_comes_to_the_same_with_and_without_continuing(
    client: Client,
    tmp_path: Path,
    asked: list[str],
    most_events: int,
    failing: set[tuple[str, int]],
) -> None:
    async def result_of(config: RunConfig) -> WeekResult:
        taken: Counter[str] = Counter()

        def sometimes(request: TurnRequest) -> Turn | None:
            task = request.assignment
            if task.agent is not AgentId.RESEARCH_AGENT_1 or task.market is None:
                return None
            market = task.market.market
            taken[market] += 1
            return gives_up(request) if (market, taken[market]) in failing else None

        folder = tmp_path / str(next(numbers))
        spender = Spender(price=lambda _: Decimal("0.02"), says=sometimes)
        async with model_desk(client, folder, spender):
            week = await start_week(client, config)
            for number, market in enumerate(asked):
                await ask(week, market, f"correction {number}")
            return await week.result()

    config = budgeted(pair("USD/JPY"), policy_rate("JP"), usd="2", planner=MODEL)
    whole = await result_of(continuing(config, most_events=5_000))
    assert len(await chain_of(client, RUN)) == 1
    in_a_row = await result_of(continuing(config, most_events=most_events))
    if most_events == 1:
        assert len(await chain_of(client, RUN)) == len(asked)
    differences = tuple(differing(told(in_a_row), told(whole)))
    assert not differences


async def test_however_often_a_market_is_rerun_each_history_is_short(
    client: Client, tmp_path: Path
) -> None:
    most, reruns = 60, 9
    config = continuing(desk_config(policy_rate("JP")), most_events=most)
    async with desk_workers(client, tmp_path):
        week = await start_week(client, config)
        for number in range(reruns):
            await ask(week, "JP", f"correction {number}")
        result = await week.result()
    assert [line.reason for line in result.record.revisions[1:]] == [
        f"correction {number}" for number in range(reruns)
    ]
    assert [line.revision for line in result.record.revisions] == list(range(1, reruns + 2))
    chain = await chain_of(client, RUN)
    # Whoever asks leaves three events besides, in the run that is open.
    assert max(len(h.events) for h in chain[1:]) < most + EVENTS_OF_A_RERUN
    assert 2 < len(chain) < reruns
    again = replayer(tmp_path / "payloads")
    for history in chain:
        await again.replay_workflow(history)


async def test_a_run_that_was_long_before_the_change_replays_as_it_was(
    client: Client, tmp_path: Path
) -> None:
    """Of the history, the bound alone is changed: the run did not continue as new, and does not."""
    async with desk_workers(client, tmp_path):
        config = continuing(desk_config(policy_rate("JP")), most_events=5_000)
        week = await start_week(client, config)
        for number in range(3):
            await ask(week, "JP", f"number {number}")
        await week.result()
    (history,) = await chain_of(client, RUN)
    given = history.events[0].workflow_execution_started_event_attributes.input
    (request,) = await client.data_converter.decode(given.payloads, [WeekRequest])
    short = request.model_copy(update={"config": continuing(config)})
    assert short.config.history.most_events < len(history.events)
    given.payloads[0].CopyFrom((await client.data_converter.encode([short]))[0])
    again = replayer(tmp_path / "payloads")
    replayed = await again.replay_workflow(history, raise_on_replay_failure=False)
    assert replayed.replay_failure is None


async def test_the_servers_own_suggestion_is_followed(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the bound is needed where the server finds a history long by its bytes."""
    assert HistoryConfig().most_events < 5_000
    monkeypatch.setattr("temporalio.workflow.Info.is_continue_as_new_suggested", lambda _: True)
    async with desk_workers(client, tmp_path):
        week = await start_week(client, desk_config(policy_rate("JP")))
        await ask(week, "JP", "one")
        await ask(week, "JP", "two")
        await week.result()
    assert len(await chain_of(client, RUN)) == 2


async def test_nothing_that_is_asked_while_it_continues_is_lost(
    server: Client, tmp_path: Path
) -> None:
    """Signals, updates and queries come at every moment; each receipt names its revision."""
    asked = [(MARKETS[n % 2], f"number {n}") for n in range(6)]

    async def receipt(market: str, reason: str) -> RerunReceipt:
        given: RerunReceipt = await server.get_workflow_handle(RUN).execute_update(
            Message.REQUEST_RERUN,
            RerunRequest(market=market, reason=reason),
            result_type=RerunReceipt,
        )
        return given

    async with desk_workers(server, tmp_path):
        week = await start_week(server, continuing(desk_config(open_for_seconds=1)))
        receipts: dict[str, RerunReceipt] = {}
        for number, (market, reason) in enumerate(asked):
            if number % 3:
                receipts[reason] = await receipt(market, reason)
            else:
                await ask(server.get_workflow_handle(RUN), market, reason)
            await asyncio.sleep(0.04 * (number % 4))
            assert {line.market for line in (await status_of(server)).markets} == set(MARKETS)
        result = await week.result()
    revisions = result.record.revisions
    assert [line.revision for line in revisions] == list(range(1, len(asked) + 2))
    assert [(line.market, line.reason) for line in revisions[1:]] == asked
    for reason, one in receipts.items():
        assert revisions[one.revision - 1].reason == reason
        assert one.workflow_id == market_run_id(RUN, one.market, one.revision)
        child = await server.get_workflow_handle(one.workflow_id).describe()
        assert child.parent_id == RUN
    assert len(await chain_of(server, RUN)) > 1


async def test_what_stands_in_the_status_stands_there_after_it(
    server: Client, tmp_path: Path
) -> None:
    """Deadlines are the same instants; what was published and spent stays told."""
    spender = Spender(price=lambda _: Decimal("0.05"))
    config = continuing(budgeted(pair("USD/JPY"), usd="3"))
    async with model_desk(server, tmp_path, spender):
        await start_week(server, config)
        before = await published(server, 1)
        for number in range(3):
            await ask(server.get_workflow_handle(RUN), "USD/JPY", f"number {number}")
            after = await published(server, 2 + number)
            assert after.usage.cost_usd == spender.usd
    assert len(await chain_of(server, RUN)) == 3
    assert (after.deadline, after.closes_at, after.started_at, after.budget) == (
        before.deadline,
        before.closes_at,
        before.started_at,
        before.budget,
    )
    assert after.seconds is not None
    last, earlier = after.revisions[-1], after.revisions[-2]
    took = timedelta(seconds=after.seconds)
    assert timedelta(0) < took <= last.published_at - earlier.published_at + timedelta(seconds=1)
    assert after.files is not None and after.phase in (Phase.OPEN_FOR_RERUNS, Phase.PUBLISHING)


async def test_the_budget_ends_for_all_runs_together(client: Client, tmp_path: Path) -> None:
    spender = Spender(price=lambda _: Decimal("0.04"))
    config = continuing(budgeted(pair("USD/JPY"), usd="0.5"))
    async with model_desk(client, tmp_path, spender):
        week = await start_week(client, config)
        for number in range(8):
            await ask(week, "USD/JPY", f"number {number}")
        result = await week.result()
    assert Decimal("0.2") < spender.usd <= Decimal("0.5")
    assert len(result.record.revisions) == 9


async def test_a_run_that_was_closed_continues_as_new_as_well(
    client: Client, tmp_path: Path
) -> None:
    config = continuing(desk_config(policy_rate("JP"), open_for_seconds=1))
    async with desk_workers(client, tmp_path):
        closed = await (await start_week(client, config)).result()
        week = await start_week(client, config, resume=closed.record)
        for number in range(3):
            await ask(week, "JP", f"number {number}")
        result = await week.result()
    assert [line.revision for line in result.record.revisions] == [1, 2, 3, 4]
    assert len(await chain_of(client, RUN)) == 3


async def test_a_week_takes_as_many_reruns_as_its_report_can_name(
    client: Client, tmp_path: Path
) -> None:
    config = desk_config(policy_rate("JP"), open_for_seconds=1)
    async with desk_workers(client, tmp_path):
        closed = (await (await start_week(client, config)).result()).record
    (first,) = closed.revisions
    revisions = [first.model_copy(update={"revision": n}) for n in range(1, MOST_REVISIONS - 1)]
    record = closed.model_copy(update={"revisions": tuple(revisions)})
    week = await start_week(client, config, resume=record)
    # While no worker runs: both are there before the run has done anything.
    await ask(week, "JP", "the last")
    await ask(week, "JP", "one too many")
    async with desk_workers(client, tmp_path):
        await status_of(client)  # Else the update would be taken before the signals.
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await week.execute_update(Message.REQUEST_RERUN, RerunRequest(market="JP"))
        result = await week.result()
    assert str(MOST_REVISIONS - 1) in str(refused.value.cause)
    assert len(result.record.revisions) == MOST_REVISIONS - 1
    assert result.record.revisions[-1].reason == "the last"


async def test_a_person_decides_in_the_run_after(server: Client, tmp_path: Path) -> None:
    """The case of a rerun is opened, answered and told as in a run of its own."""
    analyst = ScriptedAnalyst(Disagreement(("USD/JPY",)))
    deadlines = DeadlineConfig(
        open_for_reruns=timedelta(seconds=1), escalation=timedelta(seconds=5)
    )
    config = continuing(desk_config(pair("USD/JPY"), deadlines=deadlines))
    case = escalation_run_id(
        market_run_id(RUN, "USD/JPY", 3), "USD/JPY/conflict/USD/JPY:last@2026-10-30"
    )
    async with desk_workers(server, tmp_path, analyst=analyst):
        week = await start_week(server, config)
        await ask(week, "USD/JPY", "by default")
        await ask(week, "USD/JPY", "by a person")
        while case not in (await status_of(server)).escalations:
            await asyncio.sleep(0.02)
        await server.get_workflow_handle(case).execute_update(
            Message.RESOLVE_ESCALATION, EscalationAnswer(position=1, by="anna")
        )
        result = await week.result()
    (conflict,) = result.record.outcomes[0].conflicts
    assert conflict.decided_by_whom == "anna"
    assert len(await chain_of(server, RUN)) == 2


async def test_a_delivery_that_is_under_way_goes_on_and_is_made_once(
    client: Client, tmp_path: Path
) -> None:
    """The room is away for longer than the run waits, and takes each revision once after that."""
    pause = RetryConfig(
        max_attempts=20, first_pause=timedelta(minutes=5), longest_pause=timedelta(minutes=10)
    )
    with room(*[Reply(503)] * 4) as there:
        deliveries = wanted(
            told=there,
            retries=pause,
            attempt=timedelta(seconds=20),
            deadline=timedelta(hours=20),
        )
        async with desk_workers(client, tmp_path, secrets={"SLACK_WEBHOOK_URL": there.url}):
            week = await start_week(
                client, continuing(desk_config(policy_rate("JP"))), deliveries=deliveries
            )
            for number in range(3):
                await ask(week, "JP", f"number {number}")
            result = await week.result()
    assert len(await chain_of(client, RUN)) == 3
    assert [(line.revision, line.state) for line in result.deliveries] == [
        (revision, DeliveryState.DELIVERED) for revision in (1, 2, 3, 4)
    ]
    assert len(there.posted) == 4


async def test_a_delivery_ends_when_it_would_have_ended(server: Client, tmp_path: Path) -> None:
    with room(*[Reply(503)] * 2_000) as there:
        deliveries = wanted(
            told=there,
            retries=RetryConfig(max_attempts=20, longest_pause=timedelta(seconds=1)),
            attempt=timedelta(seconds=1),
            deadline=timedelta(seconds=12),
        )
        async with desk_workers(server, tmp_path, secrets={"SLACK_WEBHOOK_URL": there.url}):
            week = await start_week(
                server,
                continuing(desk_config(policy_rate("JP"), open_for_seconds=6)),
                deliveries=deliveries,
            )
            first = await published(server, 1)
            due = [line.due for line in first.deliveries]
            await ask(week, "JP", "one")
            await ask(week, "JP", "two")
            later = await published(server, 3)
            assert [line.due for line in later.deliveries if line.revision == 1] == due
            result = await week.result()
    assert {line.state for line in result.deliveries} == {DeliveryState.FAILED}
    assert all(line.due is None for line in result.deliveries)


async def test_a_lesson_that_nobody_could_be_told_is_told_by_a_later_run(
    client: Client, tmp_path: Path
) -> None:
    untold = Untold(tries=30)
    config = continuing(desk_config(policy_rate("JP"), retries=HOURLY))
    async with desk_workers(client, tmp_path, learning=untold):
        week = await start_week(client, config, learn=True)
        for number in range(3):
            await ask(week, "JP", f"number {number}")
        await week.result()
        (learned,) = (await learned_by(client)).weeks
    assert learned.week == WEEK and untold.tries > 30
    assert len(await chain_of(client, RUN)) == 3


async def test_the_tools_that_models_are_told_of_stay_the_same(
    client: Client, tmp_path: Path
) -> None:
    """The sources are asked once for what they offer, and not by each run in a row."""
    spec = ToolSpec(server="ecb", tool="get_quote", description="A fixing.", input_schema={})
    offered = {"ecb": (spec,), **dict.fromkeys(SOURCES[1:], ())}
    listed: list[str] = []

    def listing(server: str, tool: str, arguments: object) -> None:
        if tool == "tools/list":
            listed.append(server)

    spender, shown = Spender(), []

    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.agent is AgentId.RESEARCH_AGENT_1:
            shown.append(tuple(tool.tool for tool in request.tools))
        return await spender(request)

    tools = ScriptedTools(listing, offered=offered)
    config = continuing(budgeted(pair("USD/JPY"), usd="3"))
    async with desk_workers(client, tmp_path, analyst=analyst, tools=tools):
        week = await start_week(client, config)
        await ask(week, "USD/JPY", "one")
        await ask(week, "USD/JPY", "two")
        await week.result()
    assert len(await chain_of(client, RUN)) == 2
    assert sorted(listed) == sorted(SOURCES)
    assert set(shown) == {("get_quote",)}


class Gate:
    """Takes ordinary turns, and from one on waits until it is open."""

    def __init__(self, turns: int) -> None:
        self.opened, self._turns, self._taken = asyncio.Event(), turns, 0
        self._analyst = ScriptedAnalyst()

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn."""
        self._taken += 1
        if self._taken > self._turns:
            await self.opened.wait()
        return await self._analyst(request)


async def test_a_rerun_is_asked_of_the_run_that_is_open_by_then(
    server: Client, tmp_path: Path
) -> None:
    """A command looks the run up, and asks when it has continued as new."""
    config = continuing(desk_config(policy_rate("JP"), open_for_seconds=30))
    async with desk_workers(server, tmp_path):
        week = await start_week(server, config)
        await published(server, 1)
        found = await known_run(server, RUN)
        await ask(week, "JP", "one")
        await ask(week, "JP", "two")
        await published(server, 3)
        assert (await known_run(server, RUN)).run_id != found.run_id
        rerun = RerunRequest(market="JP", reason="three")
        asked = await signal_rerun(server, found, WEEK, rerun)
        shown = await wait_until_published(asked, WEEK, Unseen(), after=3, market="JP")
    assert shown.revision == 4
    assert len(await chain_of(server, RUN)) == 3


async def test_what_was_published_before_a_run_in_a_row_was_ended_is_not_lost(
    server: Client, tmp_path: Path
) -> None:
    """The run that continues another is terminated before it has published anything."""
    gate = Gate(turns=1 + 3 + 3)
    config = continuing(desk_config(policy_rate("JP"), open_for_seconds=30))
    async with desk_workers(server, tmp_path, analyst=gate):
        week = await start_week(server, config)
        await ask(week, "JP", "one")
        await ask(week, "JP", "two")
        while len(await chain_of(server, RUN)) < 2:
            await asyncio.sleep(0.05)
        await server.get_workflow_handle(RUN).terminate()
        gate.opened.set()
        found = await known_run(server, RUN)
        last = await last_result(found, WEEK)
        assert [line.reason for line in last.record.revisions] == [None, "one"]
        await signal_rerun(server, found, WEEK, RerunRequest(market="JP", reason="three"))
        status = await published(server, 3)
    assert [line.reason for line in status.revisions] == [None, "one", "three"]
