"""The configuration of a run. It is read once, from `desk.toml`, and kept in the run's history."""

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
    """When the weekly run starts. A week's as-of instant is the first start after the week's
    end."""

    weekday: Weekday = Weekday.MONDAY
    hour: Annotated[int, Field(ge=0, le=23)] = 7
    minute: Annotated[int, Field(ge=0, le=59)] = 0
    time_zone: ShortText = "Europe/London"
    catchup_window: PositiveSpan = timedelta(days=3)
    jitter: Annotated[timedelta, Field(ge=timedelta(0))] = timedelta(0)


class DeadlineConfig(Contract):
    """How long things may take.

    `week`: from the start of the run to the report, with whatever is there. `task`: one agent's
    task, reassignment included, for which a part is kept (`deadlines.TAKEOVER_SHARE`).
    `turn`, `tool_call`: one attempt at either. `tool_tries`: all attempts at one call of a tool
    together. `rerun`: a rerun market. `open_for_reruns`: from the first report until the run
    closes. `escalation`: how long a person may take to decide a conflict before the stated default
    holds, at most until shortly before the report is due;
    `reminder`: after how long a person is reminded.
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
"""Whose fixing a pair's level is, where `desk.toml` says nothing else. A run that was started
without `publishers` had none, and its conflicts stay as they were decided."""


class VotingConfig(Contract):
    """How a conflict is put to the vote.

    Nobody outvotes a figure's own publisher. `publishers` says who that is: `pairs` for the fixing
    that a pair's level is, and by its name any pair or area where another body publishes it than
    its central bank; where it is empty, everything is put to the vote. `bands` are those of the
    pairs that an authority keeps in one, by which their levels are compared.

    A position weighs its confidence times its source's tier times its agent's weight and its
    source's, which is 1 where nothing else is said. When the
    confidences spread by more than `widest_spread`, a person decides.
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
        """The weight of an agent's position at confidence 1, by agent, tier of the source and
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
    """What a complete week takes, and a recommendation.

    `coverage` is the share of markets that must be researched; `current` the share of prices,
    policy rates and decisions that must be current at the as-of instant. `recommended` is the
    confidence from which on a stock's report puts what is recommended into large type.
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
        """Temporal refuses a longest pause below the first; with such a setting a run would
        hang."""
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
    """The rules of a run: who works, how long, how often, and what counts as complete.

    `sources` are the MCP servers that `.mcp.json` names, so that a call to one that nobody serves
    is refused at once; empty when they are not known. `capabilities` are the routes that
    `desk.toml` gives in place of the usual ones. `unreachable` are those of the sources that could
    not be reached when the run was planned: they are offered to nobody. `together` are those that
    are asked several questions of a turn at once.
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
    colour: the dollar rising, or the other currency rising."""

    DOLLAR = "dollar"
    CURRENCY = "currency"


class ReportConfig(Contract):
    """How a report presents its figures."""

    up: Upward = Upward.DOLLAR


def _is_usual_report(report: ReportConfig) -> bool:
    return report == ReportConfig()


class HistoryConfig(Contract):
    """How long histories may get.

    A week that is open for reruns continues as new before its next rerun once its history has
    `most_events` events, or earlier if the server suggests it.
    """

    most_events: Annotated[int, Field(ge=1, le=5_000)] = 2_000


def _is_usual(history: HistoryConfig) -> bool:
    """The seal of a report that was published without this field holds as before."""
    return history == HistoryConfig()


MOST_MARKETS: Final = 200
"""Markets of one run: its report is still a page, and its workflow far from what Temporal bears."""


class RunConfig(Contract):
    """The configuration of a week's run: its markets, as-of instant, policy, limits of history and
    the presentation of its report."""

    markets: Annotated[tuple[MarketSpec, ...], Field(min_length=1, max_length=MOST_MARKETS)]
    schedule: ScheduleConfig = ScheduleConfig()
    policy: RunPolicy = RunPolicy()
    history: Annotated[HistoryConfig, Field(exclude_if=_is_usual)] = HistoryConfig()
    report: Annotated[ReportConfig, Field(exclude_if=_is_usual_report)] = ReportConfig()

    @property
    def market_names(self) -> tuple[MarketName, ...]:
        """The markets in their configured order."""
        return tuple(spec.market for spec in self.markets)
