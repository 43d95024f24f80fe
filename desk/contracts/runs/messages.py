"""A run's history in the form of messages between agents. No message is sent.

The work itself is carried by Temporal's events: scheduled, started, heartbeat, completed, failed,
signal. These models present a run's history as the messages of a desk. docs/contracts.md defines
which event becomes which message.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.findings.results import AgentError, ResearchResult, ValidationResult
from desk.contracts.markets import MarketName
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    Synthesis,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.week import RerunRequest

Identity = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=200)]
"""A Temporal identity such as `sources@host-1`: a worker that is not an agent, or the sender of a
signal."""

MessageId = Annotated[str, Field(min_length=1, max_length=400)]

Share = Annotated[float, Field(ge=0.0, le=100.0)]
"""A percentage of a whole."""

Minutes = Annotated[float, Field(ge=0.0)]

Count = Annotated[int, Field(ge=0)]


class MessageType(StrEnum):
    """The type of a message; each has its own content."""

    TASK_ASSIGNMENT = "task_assignment"
    TASK_ACCEPTANCE = "task_acceptance"
    TASK_PROGRESS = "task_progress"
    RESEARCH_RESULT = "research_result"
    VALIDATION_REQUEST = "validation_request"
    VALIDATION_RESULT = "validation_result"
    ERROR_REPORT = "error_report"
    HEARTBEAT = "heartbeat"
    SYSTEM_STATUS = "system_status"
    BROADCAST = "broadcast"


class Everyone(StrEnum):
    """The addressee of messages to all."""

    BROADCAST = "broadcast"


class PriorityName(StrEnum):
    """The names of the five levels of priority."""

    URGENT = "urgent"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"
    BACKGROUND = "background"


PRIORITY_LEVELS: Final[Mapping[PriorityName, int]] = MappingProxyType(
    {name: level for level, name in enumerate(PriorityName, start=1)}
)
"""`urgent` is 1 and `background` is 5, because Temporal takes the lowest number first."""


def _in_numbers(given: object) -> object:
    """Converts a priority's name to its level; leaves any other value to validation."""
    if isinstance(given, str) and given in frozenset(PriorityName):
        return PRIORITY_LEVELS[PriorityName(given)]
    return given


Priority = Annotated[int, Field(ge=1, le=5), BeforeValidator(_in_numbers)]
"""1 to 5, with 1 served first. Also parsed from the names in `PriorityName`."""


class TaskAssignmentContent(Contract):
    """A task is given to an agent. `retry_count`: how many agents have failed at it before."""

    kind: Literal[MessageType.TASK_ASSIGNMENT] = MessageType.TASK_ASSIGNMENT
    assignment: TaskAssignment
    retry_count: Annotated[int, Field(ge=0, le=8)] = 0
    reassigned_from: AgentId | None = None


class AcceptanceStatus(StrEnum):
    """What happened to an assignment when it reached its queue."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    QUEUED = "queued"


class TaskAcceptanceContent(Contract):
    """A worker took a task, or no worker could.

    `estimated_completion` is the task's deadline, the only estimate that is certain.
    """

    kind: Literal[MessageType.TASK_ACCEPTANCE] = MessageType.TASK_ACCEPTANCE
    task_id: ShortText
    status: AcceptanceStatus
    worker: Identity | None = None
    estimated_completion: Instant | None = None
    agent_capacity: Annotated[float | None, Field(ge=0.0, le=1.0, exclude_if=is_none)] = None
    """The share of the worker's activity slots in use. The server only reports the current value,
    so it is set for a task in flight and omitted for one that was accepted earlier."""
    rejection_reason: Text | None = None


class TaskProgressContent(Contract):
    """An agent's progress: its turns, the maximum of turns, and its tool calls."""

    kind: Literal[MessageType.TASK_PROGRESS] = MessageType.TASK_PROGRESS
    task_id: ShortText
    turn: Annotated[int, Field(ge=1, le=200)]
    max_turns: Annotated[int, Field(ge=1, le=200)]
    tool_calls: Count = 0
    note: Text | None = None


class ResultStatus(StrEnum):
    """How complete a delivered result is."""

    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"


class ResearchResultContent(Contract):
    """An agent delivers its findings: seed 002 calls this a task's result.

    `data_points_collected` counts the claims, or the tickets, documents, files, hits or quotations.
    `data_freshness_hours` is the age of the newest claim's day at the as-of instant; None without
    claims.
    """

    kind: Literal[MessageType.RESEARCH_RESULT] = MessageType.RESEARCH_RESULT
    result: Annotated[
        ResearchResult | TicketsFound | DocumentsRead | PdfsRead | WebSearched | Synthesis,
        Field(discriminator="kind"),
    ]
    status: ResultStatus
    execution_time_minutes: Minutes
    data_points_collected: Count
    data_freshness_hours: Annotated[float, Field(ge=0.0)] | None = None


class ValidationRequestContent(Contract):
    """The validator receives research results to check.

    `delivered_by` are the messages that delivered them, as far as they are in the history.
    """

    kind: Literal[MessageType.VALIDATION_REQUEST] = MessageType.VALIDATION_REQUEST
    assignment: TaskAssignment
    research_results_to_validate: Annotated[tuple[ShortText, ...], Field(max_length=8)]
    delivered_by: Annotated[tuple[MessageId, ...], Field(max_length=8)] = ()


class ValidationResultContent(Contract):
    """The validator's verdict."""

    kind: Literal[MessageType.VALIDATION_RESULT] = MessageType.VALIDATION_RESULT
    result: ValidationResult
    execution_time_minutes: Minutes


class ErrorReportContent(Contract):
    """Something failed. `final`: the agent is not retried, and another must take over or the work
    is not done."""

    kind: Literal[MessageType.ERROR_REPORT] = MessageType.ERROR_REPORT
    error: AgentError
    final: bool
    attempt: Annotated[int, Field(ge=1)] = 1
    related_task_id: ShortText | None = None
    stack_trace: Text | None = None


class HeartbeatContent(Contract):
    """An activity is still running."""

    kind: Literal[MessageType.HEARTBEAT] = MessageType.HEARTBEAT
    activity_id: ShortText
    attempt: Annotated[int, Field(ge=1)] = 1
    task_id: ShortText | None = None


class AgentStatus(StrEnum):
    """The health of a worker."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    ERROR = "error"
    OFFLINE = "offline"


class SystemStatusContent(Contract):
    """The state of a worker, as it reports it to Temporal.

    CPU and memory are percentages of its host. Counts are since the worker started. Values that the
    server does not report are None.
    """

    kind: Literal[MessageType.SYSTEM_STATUS] = MessageType.SYSTEM_STATUS
    worker: Identity
    agent_status: AgentStatus
    queues: Annotated[tuple[ShortText, ...], Field(max_length=40)] = ()
    cpu_usage_percent: Share | None = None
    memory_usage_percent: Share | None = None
    active_tasks: Count | None = None
    completed_tasks: Count | None = None
    failed_tasks: Count | None = None
    last_seen: Instant | None = None
    performance_metrics: Annotated[dict[ShortText, float], Field(max_length=40)] = Field(
        default_factory=dict
    )


class BroadcastContent(Contract):
    """A message to everyone in a run: a new phase, the outcome of a market or of the week, the
    plan, or a rerun of a market. Without `market` it is about the whole run."""

    kind: Literal[MessageType.BROADCAST] = MessageType.BROADCAST
    text: Text
    market: MarketName | None = None
    phase: Phase | None = None
    outcome: Outcome | None = None
    revision: Annotated[int, Field(ge=1)] | None = None
    rerun: RerunRequest | None = None


MessageContent = Annotated[
    TaskAssignmentContent
    | TaskAcceptanceContent
    | TaskProgressContent
    | ResearchResultContent
    | ValidationRequestContent
    | ValidationResultContent
    | ErrorReportContent
    | HeartbeatContent
    | SystemStatusContent
    | BroadcastContent,
    Field(discriminator="kind"),
]


class AgentMessage(Contract):
    """One message of a run.

    `message_id` is made from the workflow, the run and the event behind it, so that reading a
    history twice gives the same ids. `reply_to` is the message it answers; `correlation_id` is
    shared by all messages about one task. `timeout` is in seconds, from `timestamp`.
    """

    model_config = ConfigDict(
        validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )

    message_id: MessageId
    from_agent: AgentId | Identity = Field(alias="from")
    to_agent: Annotated[Everyone | AgentId, Field(union_mode="left_to_right")] = Field(alias="to")
    type: MessageType
    timestamp: Instant
    content: MessageContent
    priority: Priority = PRIORITY_LEVELS[PriorityName.NORMAL]
    reply_to: Annotated[str, Field(max_length=400)] | None = None
    correlation_id: ShortText | None = None
    timeout: Annotated[float, Field(gt=0.0)] | None = None

    @model_validator(mode="after")
    def _is_what_it_says(self) -> Self:
        if self.content.kind != self.type:
            raise ValueError(f"a {self.type} message cannot carry a {self.content.kind}")
        return self
