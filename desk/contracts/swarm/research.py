"""A swarm's plan, what it ends with, and what it takes to be likely."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.base import (
    Confidence,
    Contract,
    Figure,
    Instant,
    ShortText,
    Text,
    is_empty,
    is_none,
)
from desk.contracts.findings.claims import ClaimId
from desk.contracts.findings.results import ConflictRecord, Leaning
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId

SUBAGENT_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"

SubagentName = Annotated[str, Field(pattern=SUBAGENT_PATTERN)]
"""The name of a specialist's work within a round: `technical`, `technical_2`."""

RESERVED_NAME = re.compile(r"^(plan|conclude)_\d+$|^r\d+_")
"""The leader's own nodes, and the specialists of later rounds."""

MOST_SUBAGENTS = 12
MOST_ROUNDS = 5
MOST_HYPOTHESES = 12


class Complexity(StrEnum):
    """How much an objective needs: one or two specialists, three or four, or five and more."""

    SIMPLE = "simple"
    MODERATE = "moderate"
    COMPLEX = "complex"


class SubagentSpec(Contract):
    """What one specialist is to find out, and what it leaves to others.

    `tools` are those of its list that it may use. It asks them at most `most_calls` times, which
    the loop holds it to; from `least_calls` on it has looked closely enough, which a model is told.
    """

    name: SubagentName
    agent: AgentId
    task: TaskType
    market: MarketSpec
    objective: Text
    output_format: Text
    boundaries: Text
    tools: Annotated[tuple[ToolName, ...], Field(min_length=1, max_length=40)]
    least_calls: Annotated[int, Field(ge=1, le=130)] = 3
    most_calls: Annotated[int, Field(ge=1, le=130)] = 10


class SwarmPlan(Contract):
    """The leader's plan of one round. It is stored before anybody begins to work.

    `follows` are the ids of the memories that it takes up. `strategy` is prose without figures.
    """

    kind: Literal["swarm_plan"] = "swarm_plan"
    task_id: ShortText
    agent: AgentId = AgentId.RESEARCH_LEADER
    complexity: Complexity
    strategy: Text
    subagents: Annotated[tuple[SubagentSpec, ...], Field(min_length=1, max_length=MOST_SUBAGENTS)]
    follows: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()

    @model_validator(mode="after")
    def _names_are_their_own(self) -> Self:
        """They become the names of nodes, beside those of the leader and of other rounds."""
        names = [subagent.name for subagent in self.subagents]
        taken = [name for name in names if RESERVED_NAME.match(name)]
        if taken or len(set(names)) < len(names):
            raise ValueError(f"names that are there twice, or the leader's: {names}")
        return self


class Refinement(Contract):
    """What the leader wants to know still, as the objective of another round, and why."""

    objective: Text
    reason: Text


class HypothesisKind(StrEnum):
    """What a hypothesis says: on which side of a level a market will be, or within which bounds."""

    DIRECTION = "direction"
    RANGE = "range"


class HeldView(Contract):
    """Which way a specialist leans on a hypothesis' market, and how likely that is taken to be.

    It says that the last price known when the hypothesis is due is above its `level` (leaning up)
    or below it (down). `confidence` is that of the view; `probability` follows from it by the rule
    of `desk.programs.swarm.hypotheses`.
    """

    agent: AgentId
    leaning: Leaning
    confidence: Confidence
    probability: Confidence


class Hypothesis(Contract):
    """Something that can turn out wrong, and how likely the leader takes it to be.

    A direction says that the market's last price known at `due` is above `level` (leaning up) or
    below it (down); a range that it is from `low` to `high`, both included. All three figures are
    values of claims, named in `claims`. `statement` and `refuted_by` are prose with references.

    `views` are those that specialists hold of the market's direction over the same time: they wait
    for the same price, and are scored with it, whatever the hypothesis itself says.
    """

    hypothesis_id: ShortText
    market: MarketSpec
    kind: HypothesisKind
    leaning: Leaning = Leaning.NEUTRAL
    level: Figure
    level_on: date
    low: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    high: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    weeks: Annotated[int, Field(ge=1, le=52)]
    due: Instant
    probability: Confidence
    statement: Text
    refuted_by: Text
    claims: Annotated[tuple[ClaimId, ...], Field(min_length=1, max_length=8)]
    views: Annotated[
        tuple[HeldView, ...], Field(max_length=MOST_SUBAGENTS, exclude_if=is_empty)
    ] = ()


class HypothesisState(StrEnum):
    """Where a hypothesis stands. `void`: there was no price to hold it against for too long."""

    OPEN = "open"
    HELD = "held"
    REFUTED = "refuted"
    VOID = "void"


class ScoredHypothesis(Contract):
    """A hypothesis whose horizon has passed. `value` is the last price known when it was due.

    `score` is the Brier score: the squared distance of the probability from 1 where it held and
    from 0 where it was refuted; None where it is void. `by` are the agents whose findings it rests
    on.
    """

    workflow_id: ShortText
    hypothesis: Hypothesis
    state: HypothesisState
    value: Figure | None = None
    value_on: date | None = None
    score: Annotated[float | None, Field(ge=0.0, le=1.0)] = None
    scored_at: Instant
    made_as_of: Instant
    by: Annotated[tuple[AgentId, ...], Field(max_length=10, exclude_if=is_empty)] = ()
    reason: Annotated[Text | None, Field(exclude_if=is_none)] = None


class TokenRecord(Contract):
    """What a swarm's agents read, and what one agent doing all of it would have.

    `read` counts the tools' answers that its agents read, each again in every later turn of the
    agent that asked; `alone` counts them for one agent with one context in which all turns follow
    each other. `leader` is what the leader was shown of the findings, `raw` the answers themselves.
    All four are estimates at four characters a token; `used` is what models told, 0 without one.
    """

    read: Annotated[int, Field(ge=0)] = 0
    alone: Annotated[int, Field(ge=0)] = 0
    leader: Annotated[int, Field(ge=0)] = 0
    raw: Annotated[int, Field(ge=0)] = 0
    used: Annotated[int, Field(ge=0)] = 0


class SwarmRound(Contract):
    """One round as the report tells of it. `recalled` are the memories that the leader was shown;
    `refined` is what it wanted to know still, and `stopped` why there was no further round."""

    number: Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
    objective: Text
    plan: SwarmPlan
    recalled: Annotated[tuple[ShortText, ...], Field(max_length=40)] = ()
    refined: Annotated[Refinement | None, Field(exclude_if=is_none)] = None
    stopped: Annotated[Text | None, Field(exclude_if=is_none)] = None


class SwarmRecord(Contract):
    """What a swarm adds to what its nodes brought."""

    rounds: Annotated[tuple[SwarmRound, ...], Field(min_length=1, max_length=MOST_ROUNDS)]
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=MOST_ROUNDS * MOST_SUBAGENTS)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)] = ()
    hypotheses: Annotated[tuple[Hypothesis, ...], Field(max_length=MOST_HYPOTHESES)] = ()
    tokens: TokenRecord = TokenRecord()
    memory: Annotated[Text | None, Field(exclude_if=is_none)] = None
    """Why memory was not asked, or could not be; None where it was."""
