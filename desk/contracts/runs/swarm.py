"""A swarm's run: the requests of the run and its children, the state carried over, and the
results."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import PositiveSpan, RunPolicy
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import Query, TaskAssignment
from desk.contracts.agents.tools import Tools
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.results import AgentError, ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.question.graph import MOST_OUTCOMES
from desk.contracts.runs.graph import NodeOutcome
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.swarm.hypotheses import Hypothesis, HypothesisState, ScoredHypothesis
from desk.contracts.swarm.plan import Complexity
from desk.contracts.swarm.record import MOST_ROUNDS, SwarmRound, TokenRecord
from desk.contracts.weeks import TimeWindow

Reads = Annotated[tuple[int, ...], Field(max_length=200)]
"""The characters of tool answers that an agent received in each turn."""


class SwarmCarried(Contract):
    """What a swarm carries from one round into the next, when it continues as new.

    `objective` is the refined one. `reads` are those of every specialist, by its node. `spent`
    counts against the budget, and `waited` is the time spent waiting for persons.
    """

    objective: Text
    rounds: Annotated[tuple[SwarmRound, ...], Field(max_length=MOST_ROUNDS)]
    outcomes: Annotated[tuple[NodeOutcome, ...], Field(max_length=MOST_OUTCOMES)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)] = ()
    reads: Annotated[dict[ShortText, Reads], Field(max_length=200)] = Field(default_factory=dict)
    memory: Annotated[Text | None, Field(exclude_if=is_none)] = None
    spent: Allowance = Allowance()
    waited: timedelta = timedelta(0)
    started_at: Instant
    as_of: Instant


class SwarmRequest(Contract):
    """The request that starts a swarm.

    `query` holds the objective. Without `complexity` the leader decides how complex it is.
    `markets` are those that the desk covers, with their digits. Without `as_of`, the as-of instant
    is the start of the run, or the end of `window`, the period that the objective is about.
    `answer_within` is how long a person may take to decide a conflict. Without `memory` nothing is
    recalled or stored; with `learn` the hypotheses are reported to the learning system.
    """

    query: Query
    policy: RunPolicy = RunPolicy()
    complexity: Annotated[Complexity | None, Field(exclude_if=is_none)] = None
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=200)] = ()
    as_of: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    window: Annotated[TimeWindow | None, Field(exclude_if=is_none)] = None
    time_zone: ShortText = "Europe/London"
    most_rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 2
    answer_within: PositiveSpan = timedelta(days=3)
    memory: bool = True
    learn: bool = True
    carried: Annotated[SwarmCarried | None, Field(exclude_if=is_none)] = None


class SpecialistRequest(Contract):
    """The request of a specialist's child workflow; its agent spends from `allowance`."""

    assignment: TaskAssignment
    policy: RunPolicy
    tools: Tools = ()
    allowance: Allowance = Allowance()


class SpecialistOutcome(Contract):
    """A specialist's findings, with only the evidence that they rest on.

    `spent` is what it used of its allowance, estimated when the exact figure is not known.
    """

    outcome: TaskOutcome
    reads: Reads = ()
    spent: Allowance = Allowance()


class SpecialistFailure(Contract):
    """The detail of the error with which a specialist's workflow ends."""

    error: AgentError
    usage: Usage = Usage()
    spent: Allowance = Allowance()


class SwarmResult(Contract):
    """The result of a swarm. `hypotheses` are the workflow ids of those that wait. `answered`:
    whether the objective was answered."""

    outcome: Outcome
    files: PublishedFiles
    summary: Text
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None
    rounds: int
    hypotheses: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    tokens: TokenRecord = TokenRecord()
    seconds: Annotated[float, Field(ge=0.0)]


class HypothesisRequest(Contract):
    """The request that starts the wait for a hypothesis' horizon. `swarm` is the run that made it.

    `written_at` is when that was, with the as-of instant `made_as_of`. Without it, the wait began
    when the hypothesis was written.
    """

    hypothesis: Hypothesis
    swarm: ShortText
    objective: Text
    made_as_of: Instant
    written_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    policy: RunPolicy = RunPolicy()
    memory: bool = True
    learn: bool = True
    by: Annotated[tuple[ShortText, ...], Field(max_length=10, exclude_if=is_empty)] = ()
    given_up_after: PositiveSpan = timedelta(days=30)


class HypothesisStatus(Contract):
    """The answer of the `hypothesis` query."""

    request: HypothesisRequest
    state: HypothesisState = HypothesisState.OPEN
    waits_for: Instant | None = None
    scored: ScoredHypothesis | None = None
    note: Text | None = None
