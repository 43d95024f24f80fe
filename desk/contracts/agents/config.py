"""The configuration of a run. It is read once, from `desk.toml`, and stored in the run's
history."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.capabilities import Capability, Routes
from desk.contracts.agents.tasks import AgentLimits
from desk.contracts.agents.tools import SourceTier, UnreachableSource
from desk.contracts.base import Contract, ShortText, is_empty
from desk.contracts.markets import AreaCode, Band, MarketName, MarketSpec, PairSymbol
from desk.contracts.names import AgentId

PositiveSpan = Annotated[timedelta, Field(gt=timedelta(0))]
Weight = Annotated[float, Field(ge=0.0, le=10.0)]


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
    """When the weekly run starts. A week's as-of instant is the first scheduled start after the
    week ends."""

    weekday: Weekday = Weekday.MONDAY
    hour: Annotated[int, Field(ge=0, le=23)] = 7
    minute: Annotated[int, Field(ge=0, le=59)] = 0
    time_zone: ShortText = "Europe/London"
    catchup_window: PositiveSpan = timedelta(days=3)
    jitter: Annotated[timedelta, Field(ge=timedelta(0))] = timedelta(0)


class DeadlineConfig(Contract):
    """The time limits of a run.

    `week`: from the start of the run to the report, which is published with what is available by
    then. `task`: one agent's task including its reassignment, for which a share of the time is
    reserved (`deadlines.TAKEOVER_SHARE`). `turn`, `tool_call`: one attempt at either. `tool_tries`:
    all attempts at one tool call together. `rerun`: the rerun of a market. `open_for_reruns`: from
    the first report until the run closes. `escalation`: how long a person may take to decide a
    conflict before the stated default applies, at most until shortly before the report is due;
    `reminder`: the time after which the person is reminded.
    """

    week: PositiveSpan = timedelta(minutes=30)
    task: PositiveSpan = timedelta(minutes=10)
    turn: PositiveSpan = timedelta(minutes=5)
    tool_call: PositiveSpan = timedelta(seconds=20)
    tool_tries: PositiveSpan = timedelta(minutes=1)
    rerun: PositiveSpan = timedelta(minutes=15)
    open_for_reruns: PositiveSpan = timedelta(days=6)
    escalation: PositiveSpan = timedelta(minutes=20)
    reminder: PositiveSpan = timedelta(minutes=10)


PAIRS: Final = "pairs"
USUAL_PUBLISHERS: Final[Mapping[str, str]] = {PAIRS: "European Central Bank"}
"""The default publisher of the fixing that gives a pair's level, where `desk.toml` sets none. A run
that was started without `publishers` had none, and its conflicts stay as they were decided."""


class VotingConfig(Contract):
    """How a vote settles a conflict.

    No vote overrules a figure's own publisher. `publishers` names it: under `pairs` the publisher
    of the fixing that gives a pair's level, and by its name any pair or area whose publisher is not
    its central bank. When it is empty, every conflict is voted on. `bands` are the bands within
    which authorities keep pairs; levels of those pairs are compared by them.

    A position's weight is its confidence times the weights of its source's tier, its agent and its
    source, which default to 1. When the confidences spread by more than `widest_spread`, a person
    decides.
    """

    widest_spread: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5
    tiers: dict[SourceTier, Weight] = Field(
        default_factory=lambda: {
            SourceTier.AUTHORITATIVE: 1.0,
            SourceTier.PRIMARY: 0.8,
            SourceTier.SECONDARY: 0.5,
            SourceTier.DERIVED: 0.3,
        }
    )
    agents: dict[AgentId, Weight] = Field(default_factory=dict)
    sources: Annotated[dict[ShortText, Weight], Field(exclude_if=is_empty)] = Field(
        default_factory=dict
    )
    publishers: Annotated[dict[ShortText, ShortText], Field(exclude_if=is_empty)] = Field(
        default_factory=dict
    )
    bands: Annotated[dict[PairSymbol, Band], Field(exclude_if=is_empty)] = Field(
        default_factory=dict
    )

    def weight_of(self, agent: AgentId, tier: SourceTier, server: str | None = None) -> float:
        """Returns the weight of an agent's position at confidence 1, given the source's tier and
        server."""
        of_source = self.sources.get(server, 1.0) if server is not None else 1.0
        return self.tiers.get(tier, 0.0) * self.agents.get(agent, 1.0) * of_source


class MaterialityConfig(Contract):
    """The smallest differences from the previous report that count as material: `level` in percent,
    `rate` in basis points, `confidence` in percentage points."""

    level: Annotated[float, Field(gt=0.0)] = 1.0
    rate: Annotated[float, Field(gt=0.0)] = 1.0
    confidence: Annotated[float, Field(gt=0.0, le=1.0)] = 0.15


class ThresholdConfig(Contract):
    """The thresholds for a complete week and for a highlighted recommendation.

    `coverage` is the share of markets that must be researched; `current` is the share of prices,
    policy rates and decisions that must be current at the as-of instant. `recommended` is the
    minimum confidence for a stock's report to print its recommendation in large type.
    """

    coverage: Annotated[float, Field(ge=0.0, le=1.0)] = 0.9
    current: Annotated[float, Field(ge=0.0, le=1.0, exclude_if=is_empty)] = 0.0
    recommended: Annotated[float, Field(ge=0.0, le=1.0, exclude_if=is_empty)] = 0.0


class RetryConfig(Contract):
    """How activities are retried before a task counts as failed."""

    max_attempts: Annotated[int, Field(ge=1, le=20)] = 3
    first_pause: PositiveSpan = timedelta(milliseconds=200)
    longest_pause: PositiveSpan = timedelta(seconds=30)

    @model_validator(mode="after")
    def _pauses_grow(self) -> Self:
        """Rejects a longest pause below the first: Temporal refuses it, and the run would hang."""
        if self.longest_pause < self.first_pause:
            raise ValueError("longest_pause must not be shorter than first_pause")
        return self


class AgentConfig(Contract):
    """The settings of an agent that `desk.toml` may change."""

    agent: AgentId
    model: ShortText | None = None
    fallback: AgentId | None = None
    limits: AgentLimits | None = None


class RunPolicy(Contract):
    """The rules of a run: its agents, time limits, retries, and what counts as complete.

    `sources` are the MCP servers in `.mcp.json`, so that a call to any other server is refused at
    once; empty when they are not known. `capabilities` are the routes from `desk.toml` that replace
    the default ones. `unreachable` are the sources that could not be reached when the run was
    planned; they are not offered to any agent. `together` are the sources that receive several
    calls of a turn in one request.
    """

    agents: Annotated[tuple[AgentConfig, ...], Field(max_length=50)] = ()
    sources: Annotated[tuple[ShortText, ...], Field(max_length=50)] = ()
    unreachable: Annotated[
        tuple[UnreachableSource, ...], Field(max_length=50, exclude_if=is_empty)
    ] = ()
    together: Annotated[tuple[ShortText, ...], Field(max_length=50, exclude_if=is_empty)] = ()
    capabilities: dict[Capability, Routes] = Field(default_factory=dict)
    base_area: AreaCode = "US"
    deadlines: DeadlineConfig = DeadlineConfig()
    budget: BudgetConfig = BudgetConfig()
    thresholds: ThresholdConfig = ThresholdConfig()
    retries: RetryConfig = RetryConfig()
    voting: VotingConfig = VotingConfig()
    materiality: MaterialityConfig = MaterialityConfig()


class Upward(StrEnum):
    """Which direction of a pair with the dollar is drawn upward, on the right and in the first
    colour: a rising dollar or a rising other currency."""

    DOLLAR = "dollar"
    CURRENCY = "currency"


class ReportConfig(Contract):
    """How a report presents its figures."""

    up: Upward = Upward.DOLLAR


def _is_usual_report(report: ReportConfig) -> bool:
    return report == ReportConfig()


class HistoryConfig(Contract):
    """The limits on the length of histories.

    A week that is open for reruns continues as new before its next rerun once its history has
    `most_events` events, or earlier if the server suggests it.
    """

    most_events: Annotated[int, Field(ge=1, le=5_000)] = 2_000


def _is_usual(history: HistoryConfig) -> bool:
    """Keeps the default out of the JSON, so that the seal of a report published without this field
    stays valid."""
    return history == HistoryConfig()


MOST_MARKETS: Final = 200
"""The limit on the markets of a run: its report still fits a page, and its workflow stays well
below Temporal's limits."""


class RunConfig(Contract):
    """The configuration of a week's run: its markets, schedule, policy, history limits and report
    presentation."""

    markets: Annotated[tuple[MarketSpec, ...], Field(min_length=1, max_length=MOST_MARKETS)]
    schedule: ScheduleConfig = ScheduleConfig()
    policy: RunPolicy = RunPolicy()
    history: Annotated[HistoryConfig, Field(exclude_if=_is_usual)] = HistoryConfig()
    report: Annotated[ReportConfig, Field(exclude_if=_is_usual_report)] = ReportConfig()

    @property
    def market_names(self) -> tuple[MarketName, ...]:
        """The markets in their configured order."""
        return tuple(spec.market for spec in self.markets)
