"""What a run is configured with. Taken once from `desk.toml` and kept in the run's history."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from contracts.base import Contract, ShortText
from contracts.markets import AreaCode, MarketName, MarketSpec
from contracts.names import AgentId
from contracts.tasks import AgentLimits

PositiveSpan = Annotated[timedelta, Field(gt=timedelta(0))]


class Weekday(StrEnum):
    """Days a schedule can fire on."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


class ScheduleConfig(Contract):
    """When the weekly run starts. A week's as-of instant is the first such moment after it."""

    weekday: Weekday = Weekday.MONDAY
    hour: Annotated[int, Field(ge=0, le=23)] = 7
    minute: Annotated[int, Field(ge=0, le=59)] = 0
    time_zone: ShortText = "Europe/London"
    catchup_window: PositiveSpan = timedelta(days=3)
    jitter: Annotated[timedelta, Field(ge=timedelta(0))] = timedelta(0)


class DeadlineConfig(Contract):
    """How long things may take.

    `week`: from the start of the run to the report, with whatever is there. `task`: one agent's
    task, reassignment included. `turn`, `tool_call`: one attempt at either. `rerun`: a rerun
    market. `open_for_reruns`: from the first report until the run closes.
    """

    week: PositiveSpan = timedelta(minutes=30)
    task: PositiveSpan = timedelta(minutes=10)
    turn: PositiveSpan = timedelta(minutes=5)
    tool_call: PositiveSpan = timedelta(seconds=20)
    rerun: PositiveSpan = timedelta(minutes=15)
    open_for_reruns: PositiveSpan = timedelta(days=6)


class ThresholdConfig(Contract):
    """`coverage`: the share of markets that must be researched for a complete week."""

    coverage: Annotated[float, Field(ge=0.0, le=1.0)] = 0.9


class RetryConfig(Contract):
    """How activities are retried before a task counts as failed."""

    max_attempts: Annotated[int, Field(ge=1, le=20)] = 3
    first_pause: PositiveSpan = timedelta(milliseconds=200)
    longest_pause: PositiveSpan = timedelta(seconds=30)

    @model_validator(mode="after")
    def _pauses_grow(self) -> Self:
        """Temporal refuses a longest pause below the first, and a run would hang on it."""
        if self.longest_pause < self.first_pause:
            raise ValueError("longest_pause must not be shorter than first_pause")
        return self


class AgentConfig(Contract):
    """What `desk.toml` may change about an agent of the roster."""

    agent: AgentId
    model: ShortText | None = None
    fallback: AgentId | None = None
    limits: AgentLimits | None = None


class RunPolicy(Contract):
    """The rules of a run: who works, how long, how often, and what counts as complete."""

    agents: Annotated[tuple[AgentConfig, ...], Field(max_length=8)] = ()
    base_area: AreaCode = "US"
    deadlines: DeadlineConfig = DeadlineConfig()
    thresholds: ThresholdConfig = ThresholdConfig()
    retries: RetryConfig = RetryConfig()


class RunConfig(Contract):
    """Everything a run of a week is governed by: markets, as-of time and policy."""

    markets: Annotated[tuple[MarketSpec, ...], Field(min_length=1, max_length=200)]
    schedule: ScheduleConfig = ScheduleConfig()
    policy: RunPolicy = RunPolicy()

    @property
    def market_names(self) -> tuple[MarketName, ...]:
        """The markets in their configured order."""
        return tuple(spec.market for spec in self.markets)
