"""`desk.toml`: what the desk covers and by which rules, read into the contracts."""

import re
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.capabilities import Capability, Routes
from desk.contracts.agents.tasks import AgentLimits
from desk.contracts.base import ShortText
from desk.contracts.config import (
    USUAL_PUBLISHERS,
    AgentConfig,
    DeadlineConfig,
    HistoryConfig,
    MaterialityConfig,
    RetryConfig,
    RunConfig,
    RunPolicy,
    ScheduleConfig,
    ThresholdConfig,
    VotingConfig,
)
from desk.contracts.markets import AreaCode, Band, MarketGroup, MarketKind, MarketSpec, PairSymbol
from desk.contracts.names import AgentId
from desk.contracts.week.delivery import Deliveries
from desk.platform.config.route_answers import RouteAnswerError, check_answers
from desk.platform.config.settings_error import SettingsError, nearest, refusal
from desk.platform.files import read_text_file

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|minutes?|hours?|days?)")
_MEMORY_STORE = re.compile(r"embedded|chroma:\S.*|chroma\+https?://[^\s/]+:\d{1,5}/?")
_UNITS = {"ms": "milliseconds", "millisecond": "milliseconds", "s": "seconds"}


def _spans(section: object) -> object:
    """The section with durations such as `30 minutes` read; what is no duration is left alone."""
    if not isinstance(section, dict):
        return section
    return {key: span(value) for key, value in section.items()}


def span(value: object) -> object:
    """The length of time that a text such as `20 s` or `6 days` writes; anything else as it is, for
    whoever validates it."""
    found = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return value
    unit = _UNITS.get(found[2], found[2])
    return timedelta(**{unit if unit.endswith("s") else f"{unit}s": float(found[1])})


def _delivery_spans(section: object) -> object:
    """The same for the deliveries, with those of their retries."""
    read = _spans(section)
    if isinstance(read, dict) and "retries" in read:
        return {**read, "retries": _spans(read["retries"])}
    return read


def _usual_votes(section: object) -> object:
    """The section with the usual weight of every tier that it does not name, because one that is
    left out would weigh nothing, and with the usual publishers."""
    if not isinstance(section, dict):
        return section
    usual: dict[str, Mapping[Any, Any]] = {
        "tiers": VotingConfig().tiers,
        "publishers": USUAL_PUBLISHERS,
    }
    given = {name: section.get(name, {}) for name in usual}
    tables = {n: {**usual[n], **g} for n, g in given.items() if isinstance(g, dict)}
    return {**section, **tables}


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(_Section):
    """Where the embedded Temporal server listens."""

    ip: ShortText = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 7233
    ui_port: Annotated[int, Field(ge=1, le=65_535)] = 8233

    @property
    def address(self) -> str:
        """`ip:port`, as Temporal clients take it."""
        return f"{self.ip}:{self.port}"

    @property
    def ui_url(self) -> str:
        """The address of the Temporal UI, without a slash at its end."""
        return f"http://{self.ip}:{self.ui_port}"


def _known_store(store: str) -> str:
    if _MEMORY_STORE.fullmatch(store) is None:
        raise ValueError("embedded, chroma:FOLDER or chroma+http://HOST:PORT")
    return store


MemoryPlace = Annotated[ShortText, AfterValidator(_known_store)]
"""`embedded` is a file of the memory's own under the desk's home; `chroma:FOLDER` and
`chroma+http://HOST:PORT` are a folder and a server of Chroma's."""


class MemorySettings(_Section):
    """Where the desk's memory is."""

    store: MemoryPlace = "embedded"


class _Pair(_Section):
    pair: PairSymbol
    group: MarketGroup
    areas: tuple[AreaCode, AreaCode]
    digits: Annotated[int, Field(ge=0, le=8)] = 4
    band: Band | None = None
    priority: Annotated[int, Field(ge=1, le=5)] = 3

    def spec(self) -> MarketSpec:
        return MarketSpec(
            market=self.pair, kind=MarketKind.PAIR, **self.model_dump(exclude={"pair"})
        )


class _PolicyRate(_Section):
    area: AreaCode
    group: MarketGroup
    priority: Annotated[int, Field(ge=1, le=5)] = 3

    def spec(self) -> MarketSpec:
        return MarketSpec(
            market=self.area,
            kind=MarketKind.POLICY_RATE,
            group=self.group,
            areas=(self.area,),
            priority=self.priority,
        )


class _Markets(_Section):
    pairs: tuple[_Pair, ...] = ()
    policy_rates: tuple[_PolicyRate, ...] = ()
    base_area: AreaCode = "US"

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        names = [spec.market for spec in self.specs()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"each market once, and {', '.join(twice)} stands there twice")
        if not names:
            raise ValueError("at least one pair or policy rate")
        return self

    def specs(self) -> tuple[MarketSpec, ...]:
        rates = (entry.spec() for entry in self.policy_rates)
        return (*(entry.spec() for entry in self.pairs), *rates)


class _Agent(_Section):
    model: ShortText | None = None
    fallback: AgentId | None = None
    limits: AgentLimits | None = None


def _written_out(routes: object) -> object:
    """The routes with each that is written `server.tool` as a table; the others are left alone."""
    if not isinstance(routes, list):
        return routes
    return [_route(entry) for entry in routes]


def _route(entry: object) -> object:
    server, dot, tool = entry.partition(".") if isinstance(entry, str) else ("", "", "")
    if not isinstance(entry, str):
        return entry
    if not (server and dot and tool):
        raise ValueError("a tool such as ecb.get_quote, with its server before the dot")
    return {"server": server, "tool": tool}


class _DeskFile(_Section):
    markets: _Markets
    schedule: Annotated[ScheduleConfig, BeforeValidator(_spans)] = ScheduleConfig()
    deadlines: Annotated[DeadlineConfig, BeforeValidator(_spans)] = DeadlineConfig()
    thresholds: ThresholdConfig = ThresholdConfig()
    retries: Annotated[RetryConfig, BeforeValidator(_spans)] = RetryConfig()
    voting: Annotated[VotingConfig, BeforeValidator(_usual_votes)] = VotingConfig(
        publishers=dict(USUAL_PUBLISHERS)
    )
    materiality: MaterialityConfig = MaterialityConfig()
    budget: BudgetConfig = BudgetConfig()
    history: HistoryConfig = HistoryConfig()
    capabilities: dict[Capability, Annotated[Routes, BeforeValidator(_written_out)]] = Field(
        default_factory=dict
    )
    agents: dict[AgentId, _Agent] = Field(default_factory=dict)
    server: ServerSettings = ServerSettings()
    memory: MemorySettings = MemorySettings()
    deliveries: Annotated[Deliveries | None, BeforeValidator(_delivery_spans)] = None

    def run_config(self) -> RunConfig:
        policy = RunPolicy(
            agents=tuple(
                AgentConfig(agent=agent, **entry.model_dump())
                for agent, entry in self.agents.items()
            ),
            capabilities=self.capabilities,
            base_area=self.markets.base_area,
            deadlines=self.deadlines,
            thresholds=self.thresholds,
            retries=self.retries,
            voting=self.voting.model_copy(update={"bands": self._bands()}),
            materiality=self.materiality,
            budget=self.budget,
        )
        return RunConfig(
            markets=self.markets.specs(),
            schedule=self.schedule,
            policy=policy,
            history=self.history,
        )

    def _bands(self) -> dict[PairSymbol, Band]:
        return {entry.pair: entry.band for entry in self.markets.pairs if entry.band is not None}


class DeskConfig(_Section):
    """What `desk.toml` says: the configuration of a run, where the server listens, where the
    memory is, and by which channels reports are delivered, if any."""

    run: RunConfig
    server: ServerSettings
    memory: MemorySettings
    deliveries: Deliveries | None = None


def read_desk_file(path: Path) -> DeskConfig:
    """The contents of `desk.toml`.

    Raises:
        SettingsError: the file is missing, is no TOML, has an unknown key or a value that is not
            allowed.
    """
    read = _validated(path, _toml(path))
    _check_time_zone(path, read.schedule.time_zone)
    _check_fallbacks(path, read.agents)
    _check_routes(path, read.capabilities)
    wanted = read.deliveries if read.deliveries and read.deliveries.channels else None
    return DeskConfig(
        run=read.run_config(), server=read.server, memory=read.memory, deliveries=wanted
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text_file(path))
    except FileNotFoundError:
        raise SettingsError(
            f"{path} is missing: it lists the markets; run from the project's folder "
            "or set DESK_CONFIG to the file"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is no usable TOML: {error}") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None


def _validated(path: Path, contents: dict[str, Any]) -> _DeskFile:
    try:
        # `forbid` reaches the contracts inside, which by themselves tolerate unknown fields.
        return _DeskFile.model_validate(contents, extra="forbid")
    except ValidationError as error:
        raise refusal(path.name, _DeskFile, error) from None


def _check_time_zone(path: Path, name: str) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        hint = nearest(name, available_timezones())
        raise SettingsError(
            f"{path.name}: schedule.time_zone is '{name}'; allowed: an IANA time zone "
            f"such as Europe/London{hint}"
        ) from None


def _check_routes(path: Path, capabilities: Mapping[Capability, Routes]) -> None:
    try:
        check_answers(capabilities)
    except RouteAnswerError as error:
        raise SettingsError(f"{path.name}: {error}") from None


def _check_fallbacks(path: Path, agents: dict[AgentId, _Agent]) -> None:
    for agent, entry in agents.items():
        if entry.fallback is agent:
            others = ", ".join(other for other in AgentId if other is not agent)
            raise SettingsError(
                f"{path.name}: agents.{agent}.fallback is '{agent}', the agent itself; "
                f"allowed: {others}"
            )
