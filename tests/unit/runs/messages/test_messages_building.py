"""What a history can hold besides the usual: failures, lost tasks, drafts, work under way."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import (
    AgentError,
    DeadLetter,
    Recovery,
    ResearchResult,
    Severity,
)
from desk.contracts.names import AgentId, CallFault
from desk.contracts.runs.messages import (
    AcceptanceStatus,
    AgentMessage,
    AgentStatus,
    ErrorReportContent,
    Everyone,
    HeartbeatContent,
    MessageType,
    ResultStatus,
    SystemStatusContent,
    TaskAcceptanceContent,
    TaskAssignmentContent,
    TaskProgressContent,
)
from desk.contracts.weeks import TimeWindow
from desk.runs.messages import (
    ActivityAsked,
    ActivityTaken,
    AttemptFailure,
    Failed,
    Lost,
    MessageEvent,
    Pending,
    Reassigned,
    ReassignedTask,
    TurnAnswer,
    TurnAnswered,
    TurnAsked,
    WorkerSeen,
    WorkerState,
    WorkflowEvents,
    chosen,
    messages_of,
    turn_of,
)
from desk.runs.messages.contents import freshness_of, is_identity, status_of
from tests.support.builders import claim

NOW = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
PLACE = "research_agent_1.research_fx"
ASSIGNMENT = TaskAssignment(
    task_id="USD/JPY/research_fx",
    task_type=TaskType.RESEARCH_FX,
    agent=AgentId.RESEARCH_AGENT_1,
    week="2026-W44",
    window=TimeWindow(start=NOW - timedelta(days=8), end=NOW, time_zone="Europe/London"),
    deadline=NOW + timedelta(minutes=10),
    priority=2,
)
RESULT = ResearchResult(
    result_id="USD/JPY/research_fx/1",
    task_id=ASSIGNMENT.task_id,
    agent=AgentId.RESEARCH_AGENT_1,
    market="USD/JPY",
    confidence=0.9,
)
FAULT = AttemptFailure("TurnFailed", "the model did not answer", "a trace")
LEVEL = claim("USD/JPY", Metric.LAST, "157.25")
LIMIT = AgentError(
    error_type="turn limit", error_message="no result", agent=AgentId.RESEARCH_AGENT_1
)


def at(number: int) -> datetime:
    return NOW + timedelta(seconds=number)


def asked(number: int, turn: int = 1, call: str = "", queue: str = "research") -> ActivityAsked:
    return ActivityAsked(
        number,
        at(number),
        activity_id=f"{PLACE}.t{turn}{call}",
        queue=queue,
        timeout=60.0,
        task=TurnAsked(assignment=ASSIGNMENT) if turn == 1 and not call else None,
    )


def taken(number: int, of: int, **more: Any) -> ActivityTaken:
    return ActivityTaken(number, at(number), asked=of, worker="research@host-1", **more)


def answered(number: int, of: int, *calls: JsonValue, **turn: Any) -> TurnAnswered:
    return TurnAnswered(number, at(number), asked=of, turn=TurnAnswer(calls=calls, **turn))


def told_of(*events: MessageEvent, pending: tuple[Pending, ...] = ()) -> list[AgentMessage]:
    workflow = WorkflowEvents("w/market/USD/JPY", "run", events, pending=pending)
    return list(chosen(messages_of([workflow])))


def types(messages: list[AgentMessage]) -> list[str]:
    return [message.type.value for message in messages]


def test_a_draft_that_another_turn_replaces_is_progress() -> None:
    messages = told_of(
        asked(1),
        answered(3, 1, result=RESULT),
        asked(4, turn=2),
        answered(6, 4, result=RESULT),
    )
    assert types(messages) == ["task_assignment", "task_progress", "research_result"]
    draft = messages[1].content
    assert isinstance(draft, TaskProgressContent)
    assert draft.note == "a research that another turn replaces"


def test_a_draft_is_delivered_where_the_turn_after_it_fails() -> None:
    messages = told_of(
        asked(1),
        answered(3, 1, result=RESULT),
        asked(4, turn=2),
        Failed(6, at(6), asked=4, fault=FAULT),
    )
    assert types(messages) == ["task_assignment", "research_result", "error_report"]


def test_calls_are_counted_over_the_turns() -> None:
    messages = told_of(
        asked(1), answered(3, 1, "a", "b"), asked(4, turn=2), answered(6, 4, "c"), asked(7, turn=3)
    )
    counts = [m.content.tool_calls for m in messages if isinstance(m.content, TaskProgressContent)]
    assert counts == [2, 3]


def test_an_attempt_that_was_tried_again_is_an_error_that_is_not_final() -> None:
    messages = told_of(asked(1), taken(2, 1, attempt=2, before=FAULT))
    assert types(messages) == ["task_assignment", "task_acceptance", "error_report"]
    report = messages[2].content
    assert isinstance(report, ErrorReportContent)
    assert (report.attempt, report.final, report.stack_trace) == (1, False, "a trace")
    assert messages[2].message_id == "w/market/USD/JPY/run#2.attempt-1"


@pytest.mark.parametrize("goes_on", [True, False], ids=["another turn", "nothing"])
def test_an_error_is_final_where_the_agent_is_not_asked_again(goes_on: bool) -> None:
    events = [asked(1), Failed(3, at(3), asked=1, fault=FAULT), asked(4, turn=2)]
    report = told_of(*events[: 3 if goes_on else 2])[1].content
    assert isinstance(report, ErrorReportContent)
    assert report.final is not goes_on


def test_a_task_that_nobody_took_is_rejected_with_the_reason() -> None:
    messages = told_of(asked(1), Failed(3, at(3), asked=1, fault=FAULT, taken=False))
    assert types(messages) == ["task_assignment", "task_acceptance"]
    refused = messages[1].content
    assert isinstance(refused, TaskAcceptanceContent)
    assert refused.status is AcceptanceStatus.REJECTED
    assert "the model did not answer" in (refused.rejection_reason or "")


@pytest.mark.parametrize("reported", [True, False])
def test_a_limit_that_was_met_is_reported_when_the_task_is_handed_on(reported: bool) -> None:
    ended = Failed(3, at(3), asked=1, fault=FAULT) if reported else answered(3, 1, "a")
    handed = ReassignedTask(assignment=ASSIGNMENT, tried=(ASSIGNMENT.agent,), errors=(LIMIT,))
    messages = told_of(asked(1), ended, Reassigned(4, at(4), handed))
    errors = [m for m in messages if isinstance(m.content, ErrorReportContent)]
    assert len(errors) == 1, "one report, whoever made it"
    assert errors[0].reply_to == messages[0].message_id
    assert errors[0].message_id.endswith("#3" if reported else "#4")


def test_each_agent_that_is_asked_in_turn_is_told_who_failed_before_it() -> None:
    handed = ReassignedTask(
        assignment=ASSIGNMENT, tried=(AgentId.RESEARCH_AGENT_1,), errors=(LIMIT,)
    )
    asks = tuple(
        ActivityAsked(
            number,
            at(number),
            activity_id=f"{agent}.research_fx.t1",
            queue="research",
            task=TurnAsked(assignment=ASSIGNMENT.model_copy(update={"agent": agent})),
        )
        for number, agent in ((1, AgentId.RESEARCH_AGENT_2), (4, AgentId.VALIDATOR))
    )
    workflow = WorkflowEvents("w/market/JP/reassign/research_fx", "run", asks, handed=handed)
    contents = [message.content for message in chosen(messages_of([workflow]))]
    assert [
        (content.retry_count, content.reassigned_from)
        for content in contents
        if isinstance(content, TaskAssignmentContent)
    ] == [(1, AgentId.RESEARCH_AGENT_1), (2, AgentId.RESEARCH_AGENT_2)]


def test_a_delivery_that_failed_for_good_is_final() -> None:
    sending = ActivityAsked(1, at(1), activity_id="deliver.mail.r1", queue="desk")
    (message,) = told_of(sending, Failed(3, at(3), asked=1, fault=FAULT))
    assert isinstance(message.content, ErrorReportContent)
    assert message.content.final
    assert message.from_agent == AgentId.PRODUCT_MANAGER


def test_a_tool_that_failed_is_reported_by_the_agent_that_asked_for_it() -> None:
    messages = told_of(
        asked(1),
        answered(3, 1, "a"),
        asked(4, call=".get_quote", queue="source.ecb"),
        Failed(6, at(6), asked=4, fault=FAULT),
    )
    report = messages[-1].content
    assert isinstance(report, ErrorReportContent)
    assert (report.error.tool, report.error.agent) == ("ecb", AgentId.RESEARCH_AGENT_1)
    assert report.related_task_id == ASSIGNMENT.task_id
    assert not report.final


CALL = asked(4, call=".get_quote", queue="source.ecb")
LETTER = DeadLetter(
    assignment=ASSIGNMENT, tried=(ASSIGNMENT.agent,), errors=(LIMIT,), week=ASSIGNMENT.week
)
HANDED = ReassignedTask(assignment=ASSIGNMENT, tried=(ASSIGNMENT.agent,), errors=(LIMIT,))


@pytest.mark.parametrize(
    ("events", "recovery", "impact"),
    [
        ((CALL, taken(5, 4, attempt=2, before=FAULT)), Recovery.ANOTHER_TRY, Severity.LOW),
        ((CALL, Failed(5, at(5), asked=4, fault=FAULT)), Recovery.WITHOUT_IT, Severity.MEDIUM),
        (
            (Failed(5, at(5), asked=1, fault=FAULT), asked(6, turn=2)),
            Recovery.ANOTHER_TURN,
            Severity.MEDIUM,
        ),
        (
            (answered(5, 1, failure=LIMIT), Reassigned(6, at(6), HANDED)),
            Recovery.REASSIGNMENT,
            Severity.HIGH,
        ),
        ((Reassigned(5, at(5), HANDED),), Recovery.REASSIGNMENT, Severity.HIGH),
        ((answered(5, 1, failure=LIMIT),), Recovery.NONE, Severity.HIGH),
        ((Lost(5, at(5), FAULT, "child", LETTER),), Recovery.DEAD_LETTER, Severity.CRITICAL),
        ((Lost(5, at(5), FAULT, "child"),), Recovery.NONE, Severity.HIGH),
        ((Lost(5, at(5), FAULT),), Recovery.NONE, Severity.CRITICAL),
    ],
)
def test_an_error_is_told_with_its_time_its_place_and_what_was_done(
    events: tuple[MessageEvent, ...], recovery: Recovery, impact: Severity
) -> None:
    messages = told_of(asked(1), *events)
    (report,) = (m.content for m in messages if isinstance(m.content, ErrorReportContent))
    error = report.error
    assert (error.recovery_action, error.impact) == (recovery, impact)
    assert error.occurred_at == at(5)
    assert (error.context["workflow_id"], error.context["event_id"]) == ("w/market/USD/JPY", 5)


def test_who_took_over_and_could_not_either_leaves_a_dead_letter() -> None:
    events = (asked(1), answered(5, 1, failure=LIMIT))
    workflow = WorkflowEvents("w/market/JP/reassign/research_fx", "run", events, handed=HANDED)
    (report,) = (
        message.content
        for message in chosen(messages_of([workflow]))
        if isinstance(message.content, ErrorReportContent)
    )
    assert report.error.recovery_action == Recovery.DEAD_LETTER
    assert report.error.impact is Severity.CRITICAL


def test_a_call_without_an_answer_is_told_with_its_activity_and_its_type() -> None:
    late = FAULT._replace(call=CallFault.TIMEOUT)
    report = told_of(asked(1), CALL, Failed(5, at(5), asked=4, fault=late))[-1].content
    assert isinstance(report, ErrorReportContent)
    assert report.error.context["call_fault"] == "timeout"
    assert report.error.context["activity_id"] == CALL.activity_id
    assert report.error.context["task_queue"] == "source.ecb"


def test_a_task_is_accepted_with_what_its_worker_has_in_use_as_long_as_that_is_known() -> None:
    at_work = Pending(f"{PLACE}.t1", 1, "research@host-1", at(2))
    workflow = WorkflowEvents("w/market/USD/JPY", "run", (asked(1),), pending=(at_work,))
    worker = WorkerSeen("research@host-1", WorkerState.RUNNING, NOW, in_use=0.25)
    for known, share in (((worker,), 0.25), ((), None)):
        (accepted,) = (
            message.content
            for message in chosen(messages_of([workflow], known))
            if isinstance(message.content, TaskAcceptanceContent)
        )
        assert accepted.agent_capacity == share


def test_a_run_that_ended_without_a_result_tells_everybody() -> None:
    (message,) = told_of(Lost(1, at(1), AttemptFailure("AgentTaskFailed", "no plan")))
    assert (message.from_agent, message.to_agent) == (
        AgentId.PRODUCT_MANAGER,
        Everyone.BROADCAST,
    )
    assert message.type is MessageType.ERROR_REPORT


def test_work_under_way_beats_and_a_task_in_its_queue_waits() -> None:
    at_work = Pending(f"{PLACE}.t1", 2, "research@host-1", at(2), at(5), at(1), FAULT)
    messages = told_of(asked(1), pending=(at_work,))
    assert types(messages) == ["task_assignment", "error_report", "task_acceptance", "heartbeat"]
    beat = messages[3]
    assert isinstance(beat.content, HeartbeatContent)
    assert (beat.timestamp, beat.content.attempt) == (at(5), 2)
    assert beat.reply_to == messages[0].message_id
    queued = told_of(asked(1), pending=(Pending(f"{PLACE}.t1"),))[1].content
    assert isinstance(queued, TaskAcceptanceContent)
    assert (queued.status, queued.worker) == (AcceptanceStatus.QUEUED, None)


def test_what_was_asked_for_since_the_history_was_read_is_left_out() -> None:
    assert types(told_of(asked(1), pending=(Pending(f"{PLACE}.t9"),))) == ["task_assignment"]


@pytest.mark.parametrize(
    ("state", "silent", "status"),
    [
        (WorkerState.RUNNING, False, AgentStatus.HEALTHY),
        (WorkerState.STOPPING, False, AgentStatus.DEGRADED),
        (WorkerState.STOPPED, False, AgentStatus.OFFLINE),
        (WorkerState.RUNNING, True, AgentStatus.OFFLINE),
    ],
)
def test_a_worker_tells_how_it_is(state: WorkerState, silent: bool, status: AgentStatus) -> None:
    worker = WorkerSeen("research@host-1", state, NOW, silent, ("research",), cpu=130.0, active=2)
    (message,) = chosen(messages_of([], [worker]))
    content = message.content
    assert isinstance(content, SystemStatusContent)
    assert (content.agent_status, content.cpu_usage_percent, content.active_tasks) == (
        status,
        100.0,
        2,
    )
    assert AgentMessage.model_validate_json(message.model_dump_json()) == message


def test_a_result_is_as_complete_as_what_was_missing_leaves_it() -> None:
    found = RESULT.model_copy(update={"claims": (LEVEL,)})
    lacking = {"missing": ("no fixing",)}
    assert status_of(RESULT) is ResultStatus.COMPLETED
    assert status_of(found.model_copy(update=lacking)) is ResultStatus.PARTIAL
    assert status_of(RESULT.model_copy(update=lacking)) is ResultStatus.FAILED


@pytest.mark.parametrize(
    ("day", "hours"), [(date(2026, 11, 1), 31.0), (date(2026, 11, 2), 7.0), (date(2026, 11, 9), 0)]
)
def test_freshness_counts_from_the_newest_day(day: date, hours: float) -> None:
    older = LEVEL.model_copy(update={"as_of": min(day, date(2026, 10, 1))})
    newest = LEVEL.model_copy(update={"as_of": day})
    found = RESULT.model_copy(update={"claims": (newest, older)})
    assert freshness_of(found, NOW) == hours
    assert freshness_of(RESULT, NOW) is None


def test_a_turn_is_told_from_the_calls_it_makes() -> None:
    turn = turn_of("product_manager.comment_week.r2.t13")
    assert turn == ("product_manager.comment_week.r2", AgentId.PRODUCT_MANAGER, 13)
    assert turn_of(f"{PLACE}.t1.get_quote") is None
    assert turn_of("publish.r1") is None


@pytest.mark.parametrize(
    ("name", "fits"),
    [("4711@host-1", True), ("history-service", False), ("a b@host", False), ("a@b@c", False)],
)
def test_an_identity_names_a_process_and_its_host(name: str, fits: bool) -> None:
    assert is_identity(name) is fits
