"""The inter-agent messages: what they carry, refuse, and survive."""

import json
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.findings.results import AgentError, ResearchResult, ValidationResult
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.messages import (
    PRIORITY_LEVELS,
    AcceptanceStatus,
    AgentMessage,
    AgentStatus,
    BroadcastContent,
    ErrorReportContent,
    Everyone,
    HeartbeatContent,
    MessageContent,
    MessageType,
    PriorityName,
    ResearchResultContent,
    ResultStatus,
    SystemStatusContent,
    TaskAcceptanceContent,
    TaskAssignmentContent,
    TaskProgressContent,
    ValidationRequestContent,
    ValidationResultContent,
)
from desk.contracts.runs.week import RerunRequest
from desk.contracts.weeks import TimeWindow

NOW = datetime(2026, 11, 2, 7, 0, tzinfo=UTC)
WINDOW = TimeWindow(start=NOW - timedelta(days=8), end=NOW, time_zone="Europe/London")

ASSIGNMENT = TaskAssignment(
    task_id="USD/JPY/research_fx",
    task_type=TaskType.RESEARCH_FX,
    agent=AgentId.RESEARCH_AGENT_1,
    week="2026-W44",
    market=MarketSpec(market="USD/JPY", kind=MarketKind.PAIR, group=MarketGroup.G10),
    window=WINDOW,
    deadline=NOW + timedelta(minutes=10),
)
FINDING = ResearchResult(
    result_id="USD/JPY/research_fx/1",
    task_id=ASSIGNMENT.task_id,
    agent=AgentId.RESEARCH_AGENT_1,
    market="USD/JPY",
    confidence=0.9,
)
VERDICT = ValidationResult(
    validation_id="USD/JPY/validate/1",
    task_id="USD/JPY/validate",
    agent=AgentId.VALIDATOR,
    market="USD/JPY",
    research_results=(FINDING.result_id,),
    recommendation="Publish.",
    confidence=0.95,
)
FAILURE = AgentError(
    error_type="ToolUnavailable",
    error_message="ecb: connection closed",
    agent=AgentId.RESEARCH_AGENT_1,
)
CONTENTS: tuple[MessageContent, ...] = (
    TaskAssignmentContent(assignment=ASSIGNMENT),
    TaskAcceptanceContent(
        task_id=ASSIGNMENT.task_id, status=AcceptanceStatus.ACCEPTED, worker="research@host-1"
    ),
    TaskProgressContent(task_id=ASSIGNMENT.task_id, turn=1, max_turns=8, tool_calls=2),
    ResearchResultContent(
        result=FINDING,
        status=ResultStatus.COMPLETED,
        execution_time_minutes=0.02,
        data_points_collected=0,
    ),
    ValidationRequestContent(
        assignment=ASSIGNMENT.model_copy(update={"task_type": TaskType.VALIDATE}),
        research_results_to_validate=(FINDING.result_id,),
    ),
    ValidationResultContent(result=VERDICT, execution_time_minutes=0.01),
    ErrorReportContent(error=FAILURE, final=False, related_task_id=ASSIGNMENT.task_id),
    HeartbeatContent(activity_id="research_agent_1.research_fx.t1"),
    SystemStatusContent(worker="research@host-1", agent_status=AgentStatus.HEALTHY),
    BroadcastContent(
        text="USD/JPY is done again",
        phase=Phase.RESEARCHING,
        rerun=RerunRequest(market="USD/JPY", reason="corrected fixing"),
    ),
)


def message(content: MessageContent, **changes: object) -> AgentMessage:
    fields: dict[str, object] = {
        "message_id": "weekly-2026-W44/market/USD/JPY#12",
        "from": AgentId.PRODUCT_MANAGER,
        "to": AgentId.RESEARCH_AGENT_1,
        "type": content.kind,
        "timestamp": NOW,
        "content": content,
    }
    return AgentMessage.model_validate({**fields, **changes})


def wire(content: MessageContent) -> dict[str, object]:
    read: dict[str, object] = json.loads(message(content).model_dump_json())
    return read


@pytest.mark.parametrize("content", CONTENTS, ids=lambda c: str(c.kind))
def test_a_message_survives_the_wire(content: MessageContent) -> None:
    sent = message(content, reply_to="weekly-2026-W44#5", timeout=600)
    assert AgentMessage.model_validate_json(sent.model_dump_json()) == sent


def test_the_wire_has_the_names_of_the_specification() -> None:
    assert set(wire(CONTENTS[0])) == {
        "message_id",
        "from",
        "to",
        "type",
        "timestamp",
        "content",
        "priority",
        "reply_to",
        "correlation_id",
        "timeout",
    }


def test_every_type_has_one_content() -> None:
    kinds = [c.model_fields["kind"].default for c in get_args(get_args(MessageContent)[0])]
    assert sorted(kinds) == sorted(MessageType)
    assert [content.kind for content in CONTENTS] == list(MessageType)


@pytest.mark.parametrize("content", CONTENTS, ids=lambda c: str(c.kind))
def test_the_content_is_read_as_the_type_it_names(content: MessageContent) -> None:
    assert type(AgentMessage.model_validate(wire(content)).content) is type(content)


def test_a_message_cannot_carry_the_content_of_another_type() -> None:
    with pytest.raises(ValidationError, match="a heartbeat message cannot carry a task_progress"):
        message(CONTENTS[2], type=MessageType.HEARTBEAT)


def test_an_unknown_kind_of_content_is_refused() -> None:
    mail = {**wire(CONTENTS[7]), "content": {"kind": "gossip", "activity_id": "a"}}
    with pytest.raises(ValidationError, match="kind"):
        AgentMessage.model_validate(mail)


def test_a_recorded_message_may_hold_fields_that_are_no_longer_known() -> None:
    mail = wire(CONTENTS[2])
    content = mail["content"]
    assert isinstance(content, dict)
    older = {**mail, "routing": "file", "content": {**content, "percent": 50}}
    assert AgentMessage.model_validate(older) == message(CONTENTS[2])


def test_a_message_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        message(CONTENTS[0]).priority = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "level"),
    [("urgent", 1), ("high", 2), ("normal", 3), ("low", 4), ("background", 5)],
)
def test_a_priority_may_be_said_in_words(name: str, level: int) -> None:
    assert message(CONTENTS[0], priority=name).priority == level
    assert PRIORITY_LEVELS[PriorityName(name)] == level


def test_a_message_is_of_normal_priority_unless_said() -> None:
    assert message(CONTENTS[0]).priority == PRIORITY_LEVELS[PriorityName.NORMAL]


@given(st.integers().filter(lambda level: not 1 <= level <= 5))
def test_a_priority_outside_one_to_five_is_refused(level: int) -> None:
    with pytest.raises(ValidationError, match="priority"):
        message(CONTENTS[0], priority=level)


@pytest.mark.parametrize(
    "changes",
    [
        {"priority": "soon"},
        {"timeout": 0},
        {"timestamp": datetime(2026, 11, 2, 7, 0)},
        {"message_id": ""},
        {"message_id": "x" * 401},
        {"from": "nobody here"},
        {"to": "research@host-1"},
    ],
    ids=str,
)
def test_what_is_out_of_bounds_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        message(CONTENTS[0], **changes)


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        (CONTENTS[1], {"agent_capacity": 1.1}),
        (CONTENTS[1], {"worker": "a name without a host"}),
        (CONTENTS[2], {"turn": 0}),
        (CONTENTS[3], {"execution_time_minutes": -1}),
        (CONTENTS[4], {"research_results_to_validate": ["r"] * 9}),
        (CONTENTS[6], {"stack_trace": "x" * 4_001}),
        (CONTENTS[8], {"cpu_usage_percent": 101}),
        (CONTENTS[8], {"performance_metrics": {str(n): 1.0 for n in range(41)}}),
        (CONTENTS[9], {"phase": "lunch"}),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else str(value.kind),
)
def test_content_out_of_bounds_is_refused(
    content: MessageContent, changes: dict[str, object]
) -> None:
    with pytest.raises(ValidationError, match=next(iter(changes))):
        type(content).model_validate({**content.model_dump(mode="json"), **changes})


def test_what_is_said_to_all_goes_to_everyone() -> None:
    said = message(CONTENTS[9], **{"from": "analyst@desk", "to": "broadcast"})
    assert said.to_agent is Everyone.BROADCAST
    assert said.from_agent == "analyst@desk"


def test_an_agent_is_read_as_an_agent() -> None:
    assert message(CONTENTS[0]).from_agent is AgentId.PRODUCT_MANAGER
