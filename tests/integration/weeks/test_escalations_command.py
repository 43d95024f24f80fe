"""`desk escalations` where nobody is asked anything, where there is no server, and where there are
many cases."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationState,
)
from desk.contracts.names import Message, Queue
from starters.operations import escalations
from starters.operations.escalations import (
    NOBODY_ANSWERS,
    NobodyAnswers,
    all_cases,
    decide_case,
    leave_answer,
    one_case,
)
from starters.terminal.exit_status import CommandError, UsageError
from tests.support.processes.command import DeskCommand
from tests.support.runs.cases import case
from workers.tuning import TUNING
from workflows.escalation import EscalationWorkflow


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        yield command


def test_a_desk_at_rest_asks_nobody(desk: DeskCommand) -> None:
    listed = desk("escalations", "list")
    assert (listed.code, listed.out) == (0, "no open conflicts\n")
    assert desk("escalations", "list", "--all", "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "weekly-2026-W44"), "no case 'weekly-2026-W44'"),
        (("resolve", "weekly-2026-W44", "--choose", "1", "--by", "anna"), "no case"),
        (("resolve", "weekly-2026-W44", "--choose", "1", "--by", " "), "--by is empty"),
        (("resolve", "weekly-2026-W44"), "--choose"),
        (
            ("resolve", "weekly-2026-W44", "--choose", "1", "--note", "n" * 5_000),
            "--note has 5,000 characters; at most 1,000",
        ),
    ],
)
def test_what_cannot_be_decided_is_told_in_a_sentence(
    desk: DeskCommand, arguments: tuple[str, ...], told: str
) -> None:
    answer = desk("escalations", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err and "Traceback" not in answer.err


def test_without_a_server_it_says_what_to_do(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:9")
    answer = desk("escalations", "list")
    assert answer.code == 1
    assert "TEMPORAL_ADDRESS" in answer.err


@asynccontextmanager
async def worker(client: Client) -> AsyncIterator[None]:
    async with Worker(client, task_queue=Queue.DESK, workflows=[EscalationWorkflow], **TUNING):
        yield


async def put(
    client: Client, workflow_id: str, queue: str = Queue.DESK
) -> WorkflowHandle[Any, EscalationDecision]:
    request = case(datetime.now(UTC))
    return await client.start_workflow(
        EscalationWorkflow.run, request, id=workflow_id, task_queue=queue
    )


async def decide(client: Client, workflow_id: str) -> EscalationDecision:
    handle = await put(client, workflow_id)
    answer = EscalationAnswer(position=1, by="anna", note="misread")
    await handle.execute_update(Message.RESOLVE_ESCALATION, answer)
    return await handle.result()


async def listed_as(client: Client, **expected: int) -> None:
    """Until visibility, which follows the histories by some time, has so many runs in each state.

    What is asked is that each has come, and not that no other is left: a run that visibility has
    not heard of is in no state at all.
    """
    for state, number in expected.items():
        query = f'ExecutionStatus = "{state.capitalize()}"'
        while (await client.count_workflows(query)).count < number:
            await asyncio.sleep(0.05)


async def test_decided_cases_are_read_without_a_worker(server: Client) -> None:
    async with worker(server):
        decisions = [await decide(server, f"w/escalation/{number}") for number in range(20)]
    await listed_as(server, completed=20)
    listed = await all_cases(server, every=True)
    assert (len(listed.read), listed.silent) == (20, [])
    shown = (await one_case(server, "w/escalation/7")).status
    assert (shown.state, shown.decision) == (EscalationState.ANSWERED, decisions[7])
    assert (await one_case(server, "w/escalation/19")).status.request.conflict.positions


async def test_a_command_reads_cases_at_a_server_without_waiting_for_workers(
    server: Client, tmp_path: Path
) -> None:
    address = server.service_client.config.target_host
    desk = DeskCommand(tmp_path, TEMPORAL_ADDRESS=address, TEMPORAL_NAMESPACE=server.namespace)
    shown = await asyncio.to_thread(desk, "escalations", "show", "weekly-1999-W01")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("desk: no case 'weekly-1999-W01'")


async def test_an_open_case_is_read_and_answered_without_a_worker(server: Client) -> None:
    handle = await put(server, "w/escalation/open")
    await listed_as(server, running=1)
    assert [each.workflow_id for each in (await all_cases(server, every=False)).read] == [handle.id]
    listed = await one_case(server, handle.id)
    assert (listed.status.state, listed.status.decision) == (EscalationState.OPEN, None)
    answer = EscalationAnswer(position=1, by="anna", note="misread")
    with pytest.raises(NobodyAnswers, match="no worker answers"):
        await decide_case(server, listed, answer, within=0.5)
    await leave_answer(server, listed, answer)
    async with worker(server):
        decision = await handle.result()
    assert decision.answer == answer
    with pytest.raises(CommandError, match="by anna"):
        await leave_answer(server, listed, answer)


async def test_a_case_that_nobody_answers_for_costs_its_own_line_only(
    server: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(escalations, "ANSWER_SECONDS", 1.0)
    async with worker(server):
        await decide(server, "w/USD/JPY/escalation/decided")
        await put(server, "w/USD/JPY/rerun/escalation/open")
        await (await put(server, "w/EUR/USD/escalation/silent", "nobody")).terminate()
        await listed_as(server, completed=1, running=1, terminated=1)
        listed = await all_cases(server, every=True)
        assert [each.workflow_id.rpartition("/")[2] for each in listed.read] == ["open", "decided"]
        assert listed.silent == [f"w/EUR/USD/escalation/silent: {NOBODY_ANSWERS}"]
        for written in ("w/USD/JPY/rerun/escalation/open", "w/USD/JPY"):
            assert (await one_case(server, written)).status.state is EscalationState.OPEN
        with pytest.raises(CommandError, match="no worker answers"):
            await one_case(server, "w/EUR")
        with pytest.raises(UsageError, match="no case 'elsewhere'"):
            await one_case(server, "elsewhere")
