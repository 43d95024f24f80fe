"""Names that several processes must agree on: queues, workflows, agents, messages, ids.

Ids are also parsed here, next to the functions that make them.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple, Self, cast


class Queue(StrEnum):
    """Task queues. Each MCP server has one more, named by `source_queue`."""

    DESK = "desk"
    RESEARCH = "research"
    VALIDATION = "validation"


def source_queue(server: str) -> str:
    """The queue that carries the calls to one MCP server, with that server's rate limit."""
    return f"source.{server}"


class WorkflowType(StrEnum):
    """Workflow types as they are named in visibility."""

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


class ActivityName(StrEnum):
    """The names of activities by which histories are read."""

    TAKE_TURN = "take_turn"
    CALL_TOOL = "call_tool"
    REACH = "reach"
    PUBLISH_REPORT = "publish_report"
    TELL_LEARNING = "tell_learning"
    REMEMBER = "remember"


_REGISTRABLE: Final = re.compile(r"[a-z][a-z0-9_]{0,79}")
_OTHERS: Final[dict[tuple[type, str], "RegisteredName"]] = {}
_REGISTERED: Final[dict[type, dict[str, "RegisteredName"]]] = {}


class RegisteredName(StrEnum):
    """Names in stored and sent data that other packages can add to.

    The members are the desk's own names. Any other name of lower-case letters, digits and
    underscores is accepted when read, so that records stay readable after the package that added
    the name is removed. `known` returns the desk's own and the registered names.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str) or not _REGISTRABLE.fullmatch(value):
            return None
        other = str.__new__(cls, value)
        other._name_, other._value_ = value.upper(), value
        return cast(Self, _OTHERS.setdefault((cls, value), other))

    @classmethod
    def register(cls, name: str) -> Self:
        """Registers a name. The registry of `desk.agents` does so for the agents it finds.

        Raises:
            ValueError: the name is not valid.
        """
        member = cls(name)
        if member not in cls.__members__.values():
            _REGISTERED.setdefault(cls, {})[name] = member
        return member

    @classmethod
    def known(cls) -> tuple[Self, ...]:
        """Returns the desk's own names, then the registered ones."""
        registered = cast(Iterable[Self], _REGISTERED.get(cls, {}).values())
        return (*cls, *registered)


class AgentId(RegisteredName):
    """The agents. The desk's own are those of a week, a question, a swarm and a stock's episode."""

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

    `timeout`: no answer within the time limit. `unreachable`: no connection, or none within the
    time to open one. `reset`: the connection ended before the answer did. `malformed`: the response
    is not an answer. `server_error`: the server reports an internal failure or is busy.
    `too_large`: the response is over the size limit. `circuit_open`: the call was not made, because
    earlier ones failed. `misconfigured`: the server that `.mcp.json` names cannot be started, for
    example because its module does not exist.
    """

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    MALFORMED = "malformed"
    SERVER_ERROR = "server_error"
    TOO_LARGE = "too_large"
    CIRCUIT_OPEN = "circuit_open"
    MISCONFIGURED = "misconfigured"


QUESTION_RUN = "ask-"
"""The prefix of the workflow id of a question's run; the rest is a hash of the question."""

SWARM_RUN = "swarm-"
"""The prefix of a swarm's run; the rest is a hash of its objective."""

STOCK_RUN = "stock-"
"""The prefix of a stock's episode; the rest is its symbol and a hash of its request."""

SCHEDULE_ID = "weekly-research"
SCHEDULED_RUN_ID = "weekly"
LEARNING_SYSTEM_ID = "learning-system"
"""The id of the single workflow that holds a desk's record."""


def week_run_id(week: str, subset: str | None = None) -> str:
    """The workflow id of a week's run; a run of some of the markets has an id of its own."""
    return f"weekly-{week}" if subset is None else f"weekly-{week}-{subset}"


def market_run_id(run_id: str, market: str, rerun: int = 0) -> str:
    """The workflow id of one market within a run, and of its n-th rerun."""
    child = f"{run_id}/market/{market}"
    return child if rerun == 0 else f"{child}/rerun/{rerun}"


def reassignment_run_id(market_run: str, task_type: str) -> str:
    """The workflow id of the reassignment of a failed task."""
    return f"{market_run}/reassign/{task_type}"


def escalation_run_id(run_id: str, conflict_id: str) -> str:
    """The workflow id of a conflict that is escalated to a person."""
    return f"{run_id}/escalation/{conflict_id}"


def specialist_run_id(swarm_run: str, node: str) -> str:
    """Returns the workflow id of one specialist of a swarm, by its node, whose name includes its
    round."""
    return f"{swarm_run}/specialist/{node}"


def hypothesis_run_id(swarm_run: str, hypothesis_id: str) -> str:
    """The workflow id of a hypothesis that waits for its horizon."""
    return f"{swarm_run}/hypothesis/{hypothesis_id}"


def turn_activity_id(agent: str, task_type: str, turn: int, place: str = "") -> str:
    """Returns the activity id of an agent's turn on a task. `place` distinguishes tasks of one
    kind, such as those of a graph's nodes."""
    own = f"{agent}.{task_type}"
    return f"{own}.{place}.t{turn}" if place else f"{own}.t{turn}"


def call_activity_id(turn_activity: str, call: str) -> str:
    """Returns the activity id of a tool call that a turn requested."""
    return f"{turn_activity}.{call}"


def calls_activity_id(turn_activity: str, server: str, calls: int) -> str:
    """Returns the activity id of several calls of a turn that go to one server in one request."""
    return f"{turn_activity}.{calls}x.{server}"


class WorkflowIdParts(NamedTuple):
    """The parts of a workflow id: the run it belongs to, and its work there.

    `market` is the market it works on, `rerun` the number of the rerun (0 for the first time). Of
    the other fields at most one is set, besides `reassigned`: the task that is reassigned.
    """

    run: str
    market: str | None = None
    rerun: int = 0
    escalation: str | None = None
    specialist: str | None = None
    hypothesis: str | None = None
    reassigned: str | None = None

    @property
    def researches(self) -> bool:
        """Whether this is a market's own workflow and not one started by it."""
        return self.market is not None and self.escalation is None and self.reassigned is None


_WORKFLOW: Final = re.compile(
    r"(?P<run>[^/]+)"
    r"(?:/market/(?P<market>[A-Z]{3}/[A-Z]{3}|[^/]+)(?:/rerun/(?P<rerun>\d+))?)?"
    r"(?:/escalation/(?P<escalation>.+?)|/specialist/(?P<specialist>.+?)"
    r"|/hypothesis/(?P<hypothesis>.+?))?"
    r"(?:/reassign/(?P<reassigned>.+))?"
)


def workflow_id_parts(workflow_id: str) -> WorkflowIdParts:
    """Returns the parts of an id that a function above made. For any other id only the run is
    set."""
    found = _WORKFLOW.fullmatch(workflow_id)
    if found is None:
        return WorkflowIdParts(workflow_id.partition("/")[0])
    run, market, rerun, *child = found.groups()
    return WorkflowIdParts(run, market, int(rerun or 0), *child)


def without_reassignment(workflow_id: str) -> str:
    """For the id of a reassignment, the id of the workflow that started it; any other id
    unchanged."""
    reassigned = workflow_id_parts(workflow_id).reassigned
    return (
        workflow_id.removesuffix(reassignment_run_id("", reassigned)) if reassigned else workflow_id
    )


def id_within(workflow_id: str, run_id: str) -> str:
    """The part of a workflow's id after its run's id; empty for the run itself.

    Raises:
        ValueError: the workflow does not belong to the run.
    """
    if workflow_id == run_id:
        return ""
    within = workflow_id.removeprefix(f"{run_id}/")
    if within == workflow_id:
        raise ValueError(f"{workflow_id} is no workflow of the run {run_id}")
    return within


class ActivityIdParts(NamedTuple):
    """The parts of the id of an agent's activity: the agent, the task, the turn and the call.

    `agent` may be unknown to this version. `call` is None for the turn itself.
    """

    agent: str
    task_type: str
    place: str
    turn: int
    call: str | None = None

    @property
    def task(self) -> str:
        """The part of the id that all activities of the task share."""
        own = f"{self.agent}.{self.task_type}"
        return f"{own}.{self.place}" if self.place else own

    @property
    def turn_id(self) -> str:
        """The id of the turn's own activity."""
        return f"{self.task}.t{self.turn}"

    @property
    def calls(self) -> int:
        """The number of calls that the activity makes: none for a turn, several when they share a
        request."""
        if self.call is None:
            return 0
        together = _TOGETHER.match(self.call)
        return int(together[1]) if together else 1


_TOGETHER: Final = re.compile(r"(\d+)x\.")

_ACTIVITY: Final = re.compile(
    r"(?P<agent>[a-z]\w*)\.(?P<task_type>[a-z]\w*)(?:\.(?P<place>.+))?\.t(?P<turn>\d+)"
    r"(?:\.(?P<call>.+))?"
)


def activity_id_parts(activity_id: str) -> ActivityIdParts | None:
    """Returns the parts of an agent's activity id; None for an activity that belongs to no agent.

    The last part that looks like a turn is taken as the turn, because a node may be named `t1`.
    """
    found = _ACTIVITY.fullmatch(activity_id)
    if found is None:
        return None
    agent, task_type, place, turn, call = found.groups()
    return ActivityIdParts(agent, task_type, place or "", int(turn), call)


def agent_of(activity_id: str) -> AgentId:
    """Returns the agent that the activity belongs to; the product manager if the id names none."""
    name = activity_id.partition(".")[0]
    return AgentId(name) if name in AgentId.known() else AgentId.PRODUCT_MANAGER
