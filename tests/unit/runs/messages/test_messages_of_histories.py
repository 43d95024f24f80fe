"""Recorded histories as the messages of a desk."""

import json
import random
from functools import cache
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.findings.results import ResearchResult, Severity
from desk.contracts.names import AgentId
from desk.contracts.runs.messages import (
    AcceptanceStatus,
    AgentMessage,
    BroadcastContent,
    ErrorReportContent,
    Everyone,
    MessageType,
    ResearchResultContent,
    TaskAcceptanceContent,
    TaskAssignmentContent,
    TaskProgressContent,
    ValidationRequestContent,
    ValidationResultContent,
)
from desk.platform.temporal.conversion import data_converter
from desk.platform.temporal.history import RunHistory
from desk.runs.messages import WorkflowEvents, chosen, messages_of
from starters.monitoring.messages.command import lines_of
from starters.monitoring.messages.history import told_workflow
from starters.terminal.tables import WIDTH
from tests.replay.written import HISTORIES

NAMES = sorted(path.stem for path in HISTORIES.glob("*.json"))
T = MessageType


async def told_history(name: str, directory: Path, *, root: bool = False) -> WorkflowEvents:
    """A recorded history by its file's name; `directory` holds no large payloads."""
    history = recorded(name)
    begun = history.events[0].workflow_execution_started_event_attributes
    run_id, converter = begun.original_execution_run_id, data_converter(directory)
    read = RunHistory(history.workflow_id, run_id, history.events, converter)
    return await told_workflow(read, root=root)


@cache
def recorded(name: str) -> WorkflowHistory:
    """A history as it is in its file, which takes as long to read as all messages of it."""
    told = json.loads((HISTORIES / f"{name}.json").read_text(encoding="utf-8"))
    started = told["events"][0]["workflowExecutionStartedEventAttributes"]
    return WorkflowHistory.from_json(started["workflowId"], told)


async def read_messages(directory: Path, *names: str) -> list[AgentMessage]:
    return list(
        chosen(messages_of([await told_history(name, directory, root=True) for name in names]))
    )


def of_type(messages: list[AgentMessage], kind: MessageType) -> list[AgentMessage]:
    return [message for message in messages if message.type is kind]


async def test_a_market_is_told_in_the_order_of_the_protocol(tmp_path: Path) -> None:
    messages = await read_messages(tmp_path, "market")
    assert [message.type for message in messages] == [
        T.TASK_ASSIGNMENT,
        T.TASK_ACCEPTANCE,
        T.TASK_PROGRESS,
        T.RESEARCH_RESULT,
        T.VALIDATION_REQUEST,
        T.TASK_ACCEPTANCE,
        T.VALIDATION_RESULT,
        T.BROADCAST,
    ]
    assert [message.timestamp for message in messages] == sorted(m.timestamp for m in messages)


async def test_every_answer_names_what_it_answers(tmp_path: Path) -> None:
    messages = await read_messages(tmp_path, "market")
    asked, accepted, progress, result, request, taken, verdict, _ = messages
    assert {accepted.reply_to, progress.reply_to, result.reply_to} == {asked.message_id}
    assert {taken.reply_to, verdict.reply_to} == {request.message_id}
    assert asked.reply_to is None
    assert {m.correlation_id for m in (asked, accepted, progress, result)} == {
        "USD/JPY/research_fx"
    }
    assert {m.correlation_id for m in (request, taken, verdict)} == {"USD/JPY/validate"}


async def test_an_assignment_is_told_with_its_parties_its_priority_and_its_time(
    tmp_path: Path,
) -> None:
    asked, accepted, progress, *_ = await read_messages(tmp_path, "market")
    assert (asked.from_agent, asked.to_agent) == (
        AgentId.PRODUCT_MANAGER,
        AgentId.RESEARCH_AGENT_1,
    )
    assert isinstance(asked.content, TaskAssignmentContent)
    assert asked.priority == asked.content.assignment.priority
    left = (asked.content.assignment.deadline - asked.timestamp).total_seconds()
    assert asked.timeout == pytest.approx(left, abs=1)
    assert accepted.from_agent == AgentId.RESEARCH_AGENT_1
    assert isinstance(accepted.content, TaskAcceptanceContent)
    assert accepted.content.status is AcceptanceStatus.ACCEPTED
    assert accepted.content.worker is not None
    assert accepted.content.worker.endswith("@vm")
    assert accepted.timeout is None
    assert isinstance(progress.content, TaskProgressContent)
    assert (progress.content.turn, progress.content.tool_calls) == (1, 1)


async def test_what_is_delivered_is_what_is_validated(tmp_path: Path) -> None:
    messages = await read_messages(tmp_path, "market")
    result, request, verdict = messages[3], messages[4], messages[6]
    assert isinstance(result.content, ResearchResultContent)
    assert isinstance(request.content, ValidationRequestContent)
    assert isinstance(verdict.content, ValidationResultContent)
    found = result.content
    assert isinstance(found.result, ResearchResult)
    assert found.data_points_collected == len(found.result.claims) > 0
    assert found.execution_time_minutes == pytest.approx(
        (result.timestamp - messages[0].timestamp).total_seconds() / 60
    )
    assert request.content.research_results_to_validate == (found.result.result_id,)
    assert request.content.delivered_by == (result.message_id,)
    assert verdict.content.result.research_results == (found.result.result_id,)


async def test_the_same_histories_give_the_same_messages_in_whatever_order_they_came(
    tmp_path: Path,
) -> None:
    workflows = [await told_history(name, tmp_path, root=True) for name in NAMES]
    once = chosen(messages_of(workflows))
    random.Random(1).shuffle(workflows)
    assert chosen(messages_of(workflows)) == once
    ids = [message.message_id for message in once]
    assert len(ids) == len(set(ids)) > 60


async def test_every_recorded_message_validates_against_its_contract(tmp_path: Path) -> None:
    for message in await read_messages(tmp_path, *NAMES):
        assert AgentMessage.model_validate_json(message.model_dump_json()) == message


async def test_a_reassigned_task_says_who_failed_before(tmp_path: Path) -> None:
    messages = await read_messages(tmp_path, "market_with_reassignment", "reassignment")
    errors = of_type(messages, T.ERROR_REPORT)
    assert [error.from_agent for error in errors] == [AgentId.RESEARCH_AGENT_1]
    first, again = of_type(messages, T.TASK_ASSIGNMENT)
    assert isinstance(first.content, TaskAssignmentContent)
    assert isinstance(again.content, TaskAssignmentContent)
    assert (first.content.retry_count, first.content.reassigned_from) == (0, None)
    assert (again.content.retry_count, again.content.reassigned_from) == (
        1,
        AgentId.RESEARCH_AGENT_1,
    )
    assert again.to_agent == AgentId.RESEARCH_AGENT_2
    assert first.timestamp < errors[0].timestamp < again.timestamp
    assert isinstance(errors[0].content, ErrorReportContent)
    assert errors[0].content.final
    (request,) = of_type(messages, T.VALIDATION_REQUEST)
    (result,) = of_type(messages, T.RESEARCH_RESULT)
    assert isinstance(request.content, ValidationRequestContent)
    assert request.content.delivered_by == (result.message_id,)


async def test_a_dead_letter_is_the_last_error_report_of_its_task(tmp_path: Path) -> None:
    messages = [
        *chosen(
            messages_of(
                [
                    await told_history("market_with_dead_letter", tmp_path),
                    await told_history("dead_letter", tmp_path),
                ]
            )
        )
    ]
    errors = of_type(messages, T.ERROR_REPORT)
    assert [error.from_agent for error in errors] == [
        AgentId.RESEARCH_AGENT_1,
        AgentId.RESEARCH_AGENT_2,
        AgentId.RESEARCH_AGENT_2,
    ]
    letter = errors[-1].content
    assert isinstance(letter, ErrorReportContent)
    assert (letter.final, letter.error.impact) == (True, Severity.CRITICAL)
    assert letter.error.recovery_action == "dead letter"
    assert letter.related_task_id == "EUR/USD/research_fx"
    assert errors[-1].reply_to == of_type(messages, T.TASK_ASSIGNMENT)[0].message_id
    last = messages[-1].content
    assert isinstance(last, BroadcastContent)
    assert last.outcome is Outcome.DEAD_LETTERED


async def test_a_week_tells_everybody_where_it_stands_and_what_is_asked_again(
    tmp_path: Path,
) -> None:
    messages = await read_messages(tmp_path, "week_with_rerun")
    plan, *_ = of_type(messages, T.TASK_ASSIGNMENT)
    assert plan.to_agent == AgentId.PRODUCT_MANAGER
    assert plan.from_agent.endswith("@vm"), "whoever started the run"
    said = of_type(messages, T.BROADCAST)
    assert {message.to_agent for message in said} == {Everyone.BROADCAST}
    contents = [m.content for m in said if isinstance(m.content, BroadcastContent)]
    (asked,) = [content for content in contents if content.rerun is not None]
    assert (asked.market, asked.text) == ("JP", "JP is to be done again: recorded")
    assert [content.phase for content in contents if content.phase] == [
        Phase.PLANNING,
        Phase.RESEARCHING,
        Phase.PUBLISHING,
        Phase.OPEN_FOR_RERUNS,
        Phase.RESEARCHING,
        Phase.PUBLISHING,
        Phase.OPEN_FOR_RERUNS,
        Phase.CLOSED,
    ]
    assert [content.revision for content in contents if content.revision] == [1, 2]


async def test_a_market_that_waits_for_a_person_says_so_and_says_when_it_does_no_more(
    tmp_path: Path,
) -> None:
    said = of_type(await read_messages(tmp_path, "week_with_conflicts"), T.BROADCAST)
    texts = [m.content.text for m in said if isinstance(m.content, BroadcastContent)]
    case = "disputed/market/USD/JPY/escalation/USD/JPY/conflict/USD/JPY:last@2026-10-30"
    assert f"USD/JPY waits for a person: {case}" in texts
    assert "USD/JPY waits for nobody any more" in texts


async def test_one_market_of_a_run_is_told_alone(tmp_path: Path) -> None:
    entries = messages_of(
        [
            await told_history("week_with_conflicts", tmp_path),
            await told_history("market_with_conflict", tmp_path),
        ]
    )
    of_market = chosen(entries, market="USD/JPY")
    assert of_market
    assert len(of_market) < len(chosen(entries))
    assert {
        message.content.market
        for message in of_market
        if isinstance(message.content, BroadcastContent)
    } == {"USD/JPY"}
    results = chosen(entries, market="USD/JPY", kind=T.RESEARCH_RESULT)
    assert [message.type for message in results] == [T.RESEARCH_RESULT] * 2


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("name", NAMES)
async def test_the_lines_keep_to_their_width(name: str, tmp_path: Path) -> None:
    messages = await read_messages(tmp_path, name)
    lines = list(lines_of(messages))
    assert max(map(len, lines)) <= WIDTH
    assert f"{len(messages)} message" in "\n".join(lines)
