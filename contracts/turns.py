"""One turn of the agent loop: what the agent is shown and what it answers."""

from decimal import Decimal
from typing import Annotated, Final, Self

from pydantic import Field, JsonValue, model_validator

from contracts.base import Contract, Figure, ShortText, Text
from contracts.config import VotingConfig
from contracts.markets import MarketSpec
from contracts.plan import WeekPlan
from contracts.results import AgentError, ResearchResult, ValidationResult
from contracts.tasks import TaskAssignment
from contracts.tools import MAX_CALLS_A_TURN, ToolCall, ToolResult
from contracts.verdicts import RejectedFigure

BUILTIN: Final = "builtin"
"""The model of an analyst that needs none."""

AgentResult = Annotated[WeekPlan | ResearchResult | ValidationResult, Field(discriminator="kind")]


class Exchange(Contract):
    """The tool calls of one turn and what came back, in the order of the calls."""

    results: Annotated[tuple[ToolResult, ...], Field(max_length=MAX_CALLS_A_TURN)]


class TurnRequest(Contract):
    """Everything an agent knows when it takes a turn.

    `findings` are the research results that a validator is to check and `evidence` the tool
    results they rest on; `markets` are those that the product manager is to plan for. They are
    empty for the others. `rejected` are the figures in the prose of the agent's last result that
    are no claims: it may deliver again, without them or with references in their place. `draft`
    is what a model said when it delivered that result, as its content blocks, and `objection` why
    what it said is no result. `voting` says how a conflict between findings is settled. `model`
    names who takes the turn.
    """

    assignment: TaskAssignment
    exchanges: Annotated[tuple[Exchange, ...], Field(max_length=200)] = ()
    findings: Annotated[tuple[ResearchResult, ...], Field(max_length=8)] = ()
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=100)] = ()
    rejected: Annotated[tuple[RejectedFigure, ...], Field(max_length=100)] = ()
    draft: Annotated[tuple[JsonValue, ...], Field(max_length=100)] = ()
    objection: Text | None = None
    model: ShortText = BUILTIN
    voting: VotingConfig = VotingConfig()
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=200)] = ()

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """All tool results so far, oldest first."""
        return tuple(result for exchange in self.exchanges for result in exchange.results)


class Usage(Contract):
    """What turns cost. The built-in analysts cost nothing.

    `input_tokens` are all that were read, `cache_read_tokens` and `cache_write_tokens` those of
    them that came from the prompt cache or went into it. `cost_usd` is the money that is known;
    of `unpriced_calls` the price is not known.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Figure = Decimal(0)
    unpriced_calls: int = 0
    model: ShortText = BUILTIN

    @property
    def tokens(self) -> int:
        """All tokens, read and written."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        """The sum, under the other's model name."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            cost_usd=self.cost_usd + other.cost_usd,
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
            model=other.model,
        )


class Turn(Contract):
    """What an agent answers: tool calls, or its result, or why it cannot do the task.

    `said` is a model's answer as its content blocks; `objection` says why it holds no result that
    can be read, and the agent may answer again.
    """

    calls: Annotated[tuple[ToolCall, ...], Field(max_length=MAX_CALLS_A_TURN)] = ()
    result: AgentResult | None = None
    failure: AgentError | None = None
    said: Annotated[tuple[JsonValue, ...], Field(max_length=100)] = ()
    objection: Text | None = None
    note: Text | None = None
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _calls_have_names_of_their_own(self) -> Self:
        """A call is an activity, and two activities of a workflow cannot share an id."""
        ids = [call.call_id.rsplit("/", 1)[-1] for call in self.calls]
        if len(set(ids)) < len(ids):
            raise ValueError(f"two calls of a turn have the same id: {ids}")
        return self
