"""An episode's run: its request, status and result."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.config import PositiveSpan, RunPolicy
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.base import (
    Contract,
    Figure,
    Instant,
    ShortText,
    Text,
    is_empty,
    is_none,
)
from desk.contracts.episode.actions import Charges, StockAction
from desk.contracts.episode.stock import (
    MOST_COST,
    MOST_STEPS,
    MOST_WEEKS,
    USUAL_COST,
    USUAL_WEEKS,
    Blackboard,
    EpisodeStep,
)
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.markets import StockSymbol


class StockRequest(Contract):
    """The request that starts an episode.

    With `steps`, those are taken in order; without, the controller chooses. Without `as_of`, the
    run's as-of instant is its start. `cost` is in percent of the price, for entering and again for
    leaving. An evaluation without a price is given up `given_up_after` its horizon. `charges` are
    the costs of actions, in units of the reward.
    """

    symbol: StockSymbol
    policy: RunPolicy = RunPolicy()
    steps: Annotated[tuple[StockAction, ...], Field(max_length=MOST_STEPS)] = ()
    most_steps: Annotated[int, Field(ge=1, le=MOST_STEPS)] = 20
    weeks: Annotated[int, Field(ge=1, le=MOST_WEEKS)] = USUAL_WEEKS
    cost: Annotated[Figure, Field(ge=0, le=MOST_COST)] = USUAL_COST
    as_of: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    time_zone: ShortText = "Europe/London"
    memory: bool = True
    learn: bool = True
    given_up_after: PositiveSpan = timedelta(days=30)
    charges: Annotated[Charges, Field(exclude_if=is_empty)] = Field(default_factory=dict)


class EpisodeStatus(Contract):
    """The answer of the `episode` query: the current blackboard, what the episode waits for, and
    the latest publication with its outcome."""

    request: StockRequest
    as_of: Instant
    board: Blackboard | None = None
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)] = ()
    waits_for: Instant | None = None
    published: PublishedFiles | None = None
    outcome: Outcome | None = None
    note: Text | None = None


class StockResult(Contract):
    """The result of an episode: the published files and the whole trajectory. `answered`: whether
    the report says anything about the stock."""

    outcome: Outcome
    files: PublishedFiles
    summary: Text
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None
    board: Blackboard
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)]
    seconds: Annotated[float, Field(ge=0.0)]
