"""The record of a swarm: its rounds, tokens, conflicts and hypotheses."""

from typing import Annotated

from pydantic import Field

from desk.contracts.base import (
    Contract,
    ShortText,
    Text,
    is_none,
)
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.swarm.hypotheses import MOST_HYPOTHESES, Hypothesis
from desk.contracts.swarm.plan import MOST_SUBAGENTS, Refinement, SwarmPlan

MOST_ROUNDS = 5


class TokenRecord(Contract):
    """The tokens that a swarm's agents read, and what a single agent doing all the work would have
    read.

    `read` counts the tool answers that its agents read, each again in every later turn of the agent
    that requested it; `alone` counts them for one agent with one context in which all turns follow
    each other. `leader` is the size of the findings shown to the leader, `raw` that of the answers
    themselves. All four are estimates at four characters a token; `used` is what models reported, 0
    without one.
    """

    read: Annotated[int, Field(ge=0)] = 0
    alone: Annotated[int, Field(ge=0)] = 0
    leader: Annotated[int, Field(ge=0)] = 0
    raw: Annotated[int, Field(ge=0)] = 0
    used: Annotated[int, Field(ge=0)] = 0


class SwarmRound(Contract):
    """One round as the report describes it. `recalled` are the memories shown to the leader, all at
    least as relevant as `recall_floor`; `refined` is the objective for another round, and `stopped`
    is why there was none."""

    number: Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
    objective: Text
    plan: SwarmPlan
    recalled: Annotated[tuple[ShortText, ...], Field(max_length=40)] = ()
    recall_floor: Annotated[float | None, Field(ge=0.0, le=1.0, exclude_if=is_none)] = None
    refined: Annotated[Refinement | None, Field(exclude_if=is_none)] = None
    stopped: Annotated[Text | None, Field(exclude_if=is_none)] = None


class SwarmRecord(Contract):
    """What a swarm adds to the results of its nodes."""

    rounds: Annotated[tuple[SwarmRound, ...], Field(min_length=1, max_length=MOST_ROUNDS)]
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=MOST_ROUNDS * MOST_SUBAGENTS)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)] = ()
    hypotheses: Annotated[tuple[Hypothesis, ...], Field(max_length=MOST_HYPOTHESES)] = ()
    tokens: TokenRecord = TokenRecord()
    memory: Annotated[Text | None, Field(exclude_if=is_none)] = None
    """Why the memory was not or could not be queried; None when it was."""
