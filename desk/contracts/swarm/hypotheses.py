"""A swarm's hypotheses and their outcomes."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

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
from desk.contracts.findings.results import Leaning
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.swarm.plan import MOST_SUBAGENTS

MOST_HYPOTHESES = 12


class HypothesisKind(StrEnum):
    """What a hypothesis says: on which side of a level a market will be, or within which bounds."""

    DIRECTION = "direction"
    RANGE = "range"


class HeldView(Contract):
    """A specialist's leaning on a hypothesis' market, and its probability.

    It says that the last price known when the hypothesis is due is above its `level` (leaning up)
    or below it (down). `confidence` is that of the view. For a built-in specialist `probability`
    follows from it by the rule of `desk.programs.swarm.hypotheses`; for a model it is its `own`,
    and None when it gave none. `overruled_by` is the person who decided for another direction.
    """

    agent: AgentId
    leaning: Leaning
    confidence: Confidence
    probability: Confidence | None
    own: Annotated[bool, Field(exclude_if=is_empty)] = False
    overruled_by: Annotated[ShortText | None, Field(exclude_if=is_none)] = None


class Hypothesis(Contract):
    """A statement that can turn out wrong, with the leader's probability.

    A direction says that the market's last price known at `due` is above `level` (leaning up) or
    below it (down); a range says that it is from `low` to `high`, both included. All three figures
    are values of claims, named in `claims`. `statement` and `refuted_by` are prose with references.

    `views` are those of specialists on the market's direction over the same time: they wait for the
    same price and are scored with it, independently of the hypothesis itself.
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

    @property
    def reference(self) -> str:
        """Its name in prose, as in `[[USD/JPY:direction]]`, where its probability is printed. The
        id cannot be used in prose, because its day is added when it starts waiting."""
        return f"{self.market.market}:{self.kind}"


class HypothesisState(StrEnum):
    """The state of a hypothesis. `void`: there was no price to score it by for too long."""

    OPEN = "open"
    HELD = "held"
    REFUTED = "refuted"
    VOID = "void"


class ScoredHypothesis(Contract):
    """A hypothesis whose horizon has passed. `value` is the last price known when it was due.

    `score` is the Brier score: the squared distance of the probability from 1 when it held and from
    0 when it was refuted; None when it is void. `by` are the agents whose findings it rests on.
    `written_at` is when it was written, with what was known at `made_as_of`; None in records of
    earlier versions.
    """

    workflow_id: ShortText
    hypothesis: Hypothesis
    state: HypothesisState
    value: Figure | None = None
    value_on: date | None = None
    score: Annotated[float | None, Field(ge=0.0, le=1.0)] = None
    scored_at: Instant
    made_as_of: Instant
    written_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    by: Annotated[tuple[AgentId, ...], Field(max_length=10, exclude_if=is_empty)] = ()
    reason: Annotated[Text | None, Field(exclude_if=is_none)] = None
