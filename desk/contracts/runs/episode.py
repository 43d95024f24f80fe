"""An episode's run: what starts it, what can be asked of it, what it returns."""

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
    """What starts an episode.

    With `steps` those are taken in their order; without, the controller chooses. Without `as_of`
    the run knows the world at its start. `cost` is in percent of the price for entering and again
    for leaving. An evaluation whose price is not there `given_up_after` its horizon is given up.
    `charges` are what actions cost of the reward.
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
    """The answer of the `episode` query: the blackboard as it stands, what it waits for, and what
    was published so far, with its outcome."""

    request: StockRequest
    as_of: Instant
    board: Blackboard | None = None
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)] = ()
    waits_for: Instant | None = None
    published: PublishedFiles | None = None
    outcome: Outcome | None = None
    note: Text | None = None


class StockResult(Contract):
    """What an episode returns: what was published, and the whole trajectory. `answered`: whether
    anything is said on the stock."""

    outcome: Outcome
    files: PublishedFiles
    summary: Text
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None
    board: Blackboard
    steps: Annotated[tuple[EpisodeStep, ...], Field(max_length=MOST_STEPS)]
    seconds: Annotated[float, Field(ge=0.0)]
