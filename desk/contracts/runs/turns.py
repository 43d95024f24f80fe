"""One turn of the agent loop: the agent's input and its answer."""

from typing import Annotated, Final, Self

from pydantic import AliasChoices, ConfigDict, Field, JsonValue, model_validator

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy, VotingConfig
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import (
    MAX_CALLS_A_TURN,
    MOST_EVIDENCE,
    MOST_LOST,
    Openings,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.base import Contract, ShortText, Text, is_empty, is_none
from desk.contracts.episode.stock import ActionChoice, Blackboard
from desk.contracts.findings.results import (
    AgentError,
    Commentary,
    ConflictRecord,
    ResearchResult,
    ValidationResult,
)
from desk.contracts.findings.verdicts import FactCheck, RejectedFigure
from desk.contracts.learning.lessons import Recommendation
from desk.contracts.learning.memory import Recalled
from desk.contracts.markets import MarketSpec
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    Synthesis,
    TicketsFound,
    WebSearched,
)
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.swarm.plan import Complexity, SwarmPlan
from desk.contracts.week.plan import WeekPlan

AgentResult = Annotated[
    WeekPlan
    | ResearchResult
    | ValidationResult
    | Commentary
    | TicketsFound
    | DocumentsRead
    | PdfsRead
    | WebSearched
    | QuestionPlan
    | Synthesis
    | FactCheck
    | SwarmPlan
    | ActionChoice,
    Field(discriminator="kind"),
]

Said = Annotated[tuple[JsonValue, ...], Field(max_length=100)]
"""A model's output, as its content blocks."""

Feedback = Annotated[
    Text | None,
    Field(
        validation_alias=AliasChoices("objection", "feedback"),
        serialization_alias="objection",
        exclude_if=is_none,
    ),
]
"""Why a model's answer holds no readable result, in words for the model. Named `objection` in
histories and tapes."""


MOST_REJECTED: Final = 100
"""The maximum number of rejected figures reported to an agent at once; the first ones are
reported."""


ShownMarkets = Annotated[tuple[MarketSpec, ...], Field(max_length=200, exclude_if=is_empty)]
ShownConflicts = Annotated[tuple[ConflictRecord, ...], Field(max_length=200, exclude_if=is_empty)]
ShownMemories = Annotated[tuple[Recalled, ...], Field(max_length=40, exclude_if=is_empty)]


def _is_usual(voting: VotingConfig) -> bool:
    return voting == VotingConfig()


class Exchange(Contract):
    """The tool calls of one turn and their results, in the order of the calls.

    `said` is the model's output that requested them; empty for the calls that the desk makes by
    itself.
    """

    results: Annotated[tuple[ToolResult, ...], Field(max_length=MAX_CALLS_A_TURN)]
    said: Said = ()


class StateEntry(Contract):
    """The result of one node of a graph, or the reason why there is none.

    `key` is its name in the graph's state. `round` counts from 1, in a cycle. `lost` are the tools
    that did not answer the node, each once: its result rests on less than it requested.
    """

    key: ShortText
    node: ShortText
    round: int = 1
    result: AgentResult | None = None
    error: Annotated[Text | None, Field(exclude_if=is_none)] = None
    lost: Annotated[tuple[ShortText, ...], Field(max_length=MOST_LOST, exclude_if=is_empty)] = ()


class TurnContext(Contract):
    """What an agent of any program is shown in addition to its assignment.

    `findings` are the research results to check or comment on, `evidence` are the tool results that
    they rest on, and `state` is what the preceding nodes of a graph delivered.
    """

    findings: Annotated[tuple[ResearchResult, ...], Field(max_length=800, exclude_if=is_empty)] = ()
    evidence: Annotated[
        tuple[ToolResult, ...], Field(max_length=MOST_EVIDENCE, exclude_if=is_empty)
    ] = ()
    state: Annotated[tuple[StateEntry, ...], Field(max_length=1_000, exclude_if=is_empty)] = ()


class WeekContext(TurnContext):
    """What an agent of a week is shown in addition.

    The product manager plans for `markets`, with the available `capabilities` and the `advice` of
    the desk's own record. `policy` are the rules of the run, set when other tasks follow from the
    result: the turn then also returns their first calls.
    """

    markets: ShownMarkets = ()
    capabilities: Annotated[tuple[Capability, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    advice: Annotated[tuple[Recommendation, ...], Field(max_length=50, exclude_if=is_empty)] = ()
    policy: Annotated[RunPolicy | None, Field(exclude_if=is_none)] = None


class QuestionContext(TurnContext):
    """What whoever plans a question is shown besides: the `markets` that there are."""

    markets: ShownMarkets = ()


class SwarmContext(TurnContext):
    """What the leader of a swarm is shown in addition: the available `markets`, the `recalled`
    memories, the required `complexity`, and the `conflicts` between the findings with their
    decisions."""

    markets: ShownMarkets = ()
    recalled: ShownMemories = ()
    complexity: Annotated[Complexity | None, Field(exclude_if=is_none)] = None
    conflicts: ShownConflicts = ()


class EpisodeContext(TurnContext):
    """What an agent of a stock's episode is shown in addition: the current `board`, the `recalled`
    memories, and the `conflicts` between the results with their decisions."""

    recalled: ShownMemories = ()
    conflicts: ShownConflicts = ()
    board: Annotated[Blackboard | None, Field(exclude_if=is_none)] = None


class _OfTask(Contract):
    """The field that comes first in a payload."""

    assignment: TaskAssignment


class TurnRequest(WeekContext, SwarmContext, EpisodeContext, _OfTask):
    """Everything an agent knows when it takes a turn: its assignment, the context of its program,
    and the conversation so far. The contexts of other programs are empty.

    `text` is the written result that a fact check reads. `exchanges` are its calls so far.
    `rejected` are the figures in the prose of its last result that are not claims: it may deliver
    again, without them or with references in their place. `draft` is the model's output that
    delivered that result, as content blocks, and `feedback` is why the output is not a result.
    `voting` are the rules for conflicts between findings. `model` takes the turn; `tools` are
    described to a model, and `allowance` is the limit of its call's cost. With `last` it must
    deliver now and may make no more calls.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    text: Annotated[AgentResult | None, Field(exclude_if=is_none)] = None
    exchanges: Annotated[tuple[Exchange, ...], Field(max_length=200, exclude_if=is_empty)] = ()
    rejected: Annotated[
        tuple[RejectedFigure, ...], Field(max_length=MOST_REJECTED, exclude_if=is_empty)
    ] = ()
    draft: Annotated[Said, Field(exclude_if=is_empty)] = ()
    feedback: Feedback = None
    model: ShortText = BUILTIN
    voting: Annotated[VotingConfig, Field(exclude_if=_is_usual)] = VotingConfig()
    tools: Annotated[tuple[ToolSpec, ...], Field(max_length=200, exclude_if=is_empty)] = ()
    allowance: Allowance = Allowance()
    last: bool = False

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """All tool results so far, oldest first."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)


class Turn(Contract):
    """An agent's answer: tool calls, its result, or why it cannot do the task.

    A result comes back `judged`: `rejected` are the figures in its prose that are not claims, and
    `without` is the result without the sentences that hold them. A result from a worker of an
    earlier version is not judged. A fact check's are those of the text that it read: the sentences
    objected to, and the text without them, None if nothing is left of it.

    `openings` are the first calls of the tasks that follow, as far as the result determines them.
    `said` is a model's output as its content blocks. If it holds no readable result, `feedback`
    tells the model why, `fault` describes it for readers in the desk's own words, and the agent may
    answer again. `over_budget` says why no model was called; with `cut_off` it was called, and its
    answer never arrived.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    calls: Annotated[
        tuple[ToolCall, ...], Field(max_length=MAX_CALLS_A_TURN, exclude_if=is_empty)
    ] = ()
    result: Annotated[AgentResult | None, Field(exclude_if=is_none)] = None
    judged: Annotated[bool, Field(exclude_if=is_empty)] = False
    rejected: Annotated[
        tuple[RejectedFigure, ...], Field(max_length=MOST_REJECTED, exclude_if=is_empty)
    ] = ()
    without: Annotated[AgentResult | None, Field(exclude_if=is_none)] = None
    openings: Annotated[Openings, Field(exclude_if=is_empty)] = Field(default_factory=dict)
    failure: Annotated[AgentError | None, Field(exclude_if=is_none)] = None
    said: Annotated[Said, Field(exclude_if=is_empty)] = ()
    feedback: Feedback = None
    fault: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    over_budget: Annotated[Text | None, Field(exclude_if=is_none)] = None
    cut_off: Annotated[bool, Field(exclude_if=is_empty)] = False
    note: Annotated[Text | None, Field(exclude_if=is_none)] = None
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _calls_have_names_of_their_own(self) -> Self:
        """Rejects duplicate ids: a call is an activity, and two activities of a workflow cannot
        share an id."""
        ids = [call.call_id.rsplit("/", 1)[-1] for call in self.calls]
        if len(set(ids)) < len(ids):
            raise ValueError(f"two calls of a turn have the same id: {ids}")
        return self
