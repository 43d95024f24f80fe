"""Names that more than one process must agree on: queues, workflows, agents, messages, ids."""

from enum import StrEnum


class Queue(StrEnum):
    """Task queues. Each MCP server has one more, named by `source_queue`."""

    DESK = "desk"
    RESEARCH = "research"
    VALIDATION = "validation"


def source_queue(server: str) -> str:
    """The queue that carries the calls to one MCP server, with that server's rate limit."""
    return f"source.{server}"


class WorkflowType(StrEnum):
    """Workflow types as they stand in visibility."""

    WEEKLY_RESEARCH = "WeeklyResearchWorkflow"
    MARKET_RESEARCH = "MarketResearchWorkflow"
    REASSIGNMENT = "ReassignmentWorkflow"
    TOOL_CALL = "ToolCallWorkflow"
    ESCALATION = "EscalationWorkflow"
    LEARNING_SYSTEM = "LearningSystemWorkflow"
    RESEARCH_GRAPH = "ResearchGraphWorkflow"
    RESEARCH_SWARM = "ResearchSwarmWorkflow"
    SPECIALIST = "SpecialistWorkflow"
    HYPOTHESIS = "HypothesisWorkflow"
    STOCK_RESEARCH = "StockResearchWorkflow"


class AgentId(StrEnum):
    """The desk's agents: those of a week, of a question, of a swarm, and of a stock's episode."""

    PRODUCT_MANAGER = "product_manager"
    RESEARCH_AGENT_1 = "research_agent_1"
    RESEARCH_AGENT_2 = "research_agent_2"
    VALIDATOR = "validator_agent"
    JIRA_AGENT = "jira_agent"
    DOC_AGENT = "doc_agent"
    PDF_AGENT = "pdf_agent"
    SEARCH_AGENT = "search_agent"
    SYNTHESIS_AGENT = "synthesis_agent"
    RESEARCH_LEADER = "research_leader"
    MARKET_SPECIALIST = "market_specialist"
    TECHNICAL_SPECIALIST = "technical_specialist"
    FUNDAMENTAL_SPECIALIST = "fundamental_specialist"
    SENTIMENT_SPECIALIST = "sentiment_specialist"
    PATTERN_SPECIALIST = "pattern_specialist"
    RESERVE_SPECIALIST = "reserve_specialist"
    CONTROLLER_AGENT = "controller_agent"
    STOCK_RESEARCH_AGENT = "stock_research_agent"
    TA_AGENT = "ta_agent"
    INSIGHT_AGENT = "insight_agent"
    RECOMMENDATION_AGENT = "recommendation_agent"
    EVALUATOR_AGENT = "evaluator_agent"


class Message(StrEnum):
    """Signals, updates and queries of the weekly run, of a market, and of an escalation."""

    RERUN_MARKET = "rerun_market"
    REQUEST_RERUN = "request_rerun"
    STATUS = "status"
    SPENT = "spent"
    NOTE_WAITING = "note_waiting"
    RESOLVE_ESCALATION = "resolve_escalation"
    ANSWER_ESCALATION = "answer_escalation"
    ESCALATION = "escalation"
    LEARN = "learn"
    ADVISE = "advise"
    LEARNED = "learned"
    LEARN_HYPOTHESIS = "learn_hypothesis"
    HYPOTHESIS = "hypothesis"
    EPISODE = "episode"


class FailureType(StrEnum):
    """The `type` of every application error that crosses a Temporal boundary."""

    TOOL_UNAVAILABLE = "ToolUnavailable"
    TOOL_REFUSED = "ToolRefused"
    TURN_FAILED = "TurnFailed"
    CALL_CUT_OFF = "CallCutOff"
    TASK_FAILED = "AgentTaskFailed"
    DEAD_LETTERED = "DeadLettered"
    PUBLISHING_FAILED = "PublishingFailed"
    DELIVERY_FAILED = "DeliveryFailed"
    UNUSABLE_REQUEST = "UnusableRequest"
    TAPE_MISMATCH = "TapeMismatch"


class CallFault(StrEnum):
    """Why a tool call got no answer: the first detail of a `ToolUnavailable`.

    `timeout`: not within its time. `unreachable`: no connection, or none in the time to open one.
    `reset`: the connection ended before the answer did. `malformed`: what came is no answer.
    `server_error`: the server says that it failed by itself, or is busy. `too_large`: more than is
    read. `circuit_open`: the call was not made, because those before it failed.
    """

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    MALFORMED = "malformed"
    SERVER_ERROR = "server_error"
    TOO_LARGE = "too_large"
    CIRCUIT_OPEN = "circuit_open"


QUESTION_RUN = "ask-"
"""How the workflow id of a question's run begins; the rest is a hash of the question."""

SWARM_RUN = "swarm-"
"""The same of a swarm's run; the rest is a hash of its objective."""

STOCK_RUN = "stock-"
"""The same of a stock's episode; the rest is its symbol and a hash of what was asked of it."""

SCHEDULE_ID = "weekly-research"
SCHEDULED_RUN_ID = "weekly"
LEARNING_SYSTEM_ID = "learning-system"
"""The one entity that keeps a desk's record."""


def week_run_id(week: str, subset: str | None = None) -> str:
    """The workflow id of a week's run; a run of some of the markets has an id of its own."""
    return f"weekly-{week}" if subset is None else f"weekly-{week}-{subset}"


def market_run_id(run_id: str, market: str, rerun: int = 0) -> str:
    """The workflow id of one market within a run, and of its n-th rerun."""
    child = f"{run_id}/market/{market}"
    return child if rerun == 0 else f"{child}/rerun/{rerun}"


def reassignment_run_id(market_run: str, task_type: str) -> str:
    """The workflow id of the search for somebody else to do a failed task."""
    return f"{market_run}/reassign/{task_type}"


def escalation_run_id(run_id: str, conflict_id: str) -> str:
    """The workflow id of a conflict that a person is asked to decide."""
    return f"{run_id}/escalation/{conflict_id}"


def specialist_run_id(swarm_run: str, node: str) -> str:
    """The workflow id of one specialist of a swarm, by its node, whose name has its round."""
    return f"{swarm_run}/specialist/{node}"


def hypothesis_run_id(swarm_run: str, hypothesis_id: str) -> str:
    """The workflow id of a hypothesis that waits for its horizon."""
    return f"{swarm_run}/hypothesis/{hypothesis_id}"
