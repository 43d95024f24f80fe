"""Reads `desk.toml`, what the desk covers and by which rules, into the contracts.

Some of its keys have an environment variable that takes precedence: `VARIABLES`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticKnownError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from desk.analytics.names.nearest import suggestion
from desk.contracts.agents.budget import BudgetConfig
from desk.contracts.agents.capabilities import Capability, Route, Routes
from desk.contracts.agents.config import (
    MOST_MARKETS,
    USUAL_PUBLISHERS,
    AgentConfig,
    DeadlineConfig,
    HistoryConfig,
    MaterialityConfig,
    ReportConfig,
    RetryConfig,
    RunConfig,
    RunPolicy,
    ScheduleConfig,
    ThresholdConfig,
    VotingConfig,
)
from desk.contracts.agents.tasks import FEWEST_TURNS, AgentLimits
from desk.contracts.base import Contract, ShortText
from desk.contracts.episode.actions import Charges
from desk.contracts.markets import AreaCode, Band, MarketGroup, MarketKind, MarketSpec, PairSymbol
from desk.contracts.names import AgentId
from desk.contracts.week.delivery import Deliveries
from desk.platform.files import read_text_file
from desk.platform.settings.errors import (
    ENVIRONMENT,
    SettingsError,
    settings_error,
    unparsable_message,
)
from desk.platform.settings.model import (
    MemorySettings,
    ServerSettings,
    ServeSettings,
    SettingsTable,
)

VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "DESK_SERVER_PORT": ("server", "port"),
    "DESK_UI_PORT": ("server", "ui_port"),
    "DESK_MEMORY": ("memory", "store"),
    "MAX_RETRY_ATTEMPTS": ("retries", "max_attempts"),
    "DESK_BUDGET_USD": ("budget", "usd"),
    "DESK_BUDGET_TOKENS": ("budget", "tokens"),
}
"""The variables that take precedence over `desk.toml`, each with its table and key there."""

MISSING: Final = "missing"
"""A field that every answer has: the reason why nothing was found."""

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|minutes?|hours?|days?)")
_UNITS = {"ms": "milliseconds", "millisecond": "milliseconds", "s": "seconds"}


def _spans(section: object) -> object:
    """Parses the durations of a section, such as `30 minutes`. Leaves other values unchanged."""
    if not isinstance(section, dict):
        return section
    return {key: span(value) for key, value in section.items()}


def span(value: object) -> object:
    """Parses a duration such as `20 s` or `6 days`. Returns anything else unchanged, for
    validation."""
    found = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return value
    unit = _UNITS.get(found[2], found[2])
    return timedelta(**{unit if unit.endswith("s") else f"{unit}s": float(found[1])})


def _delivery_spans(section: object) -> object:
    """Parses the durations of the deliveries and of their retries."""
    read = _spans(section)
    if isinstance(read, dict) and "retries" in read:
        return {**read, "retries": _spans(read["retries"])}
    return read


def _with_default_votes(section: object) -> object:
    """Adds the default weight of every tier that the section omits, because an omitted tier would
    weigh nothing, and the default publishers."""
    if not isinstance(section, dict):
        return section
    usual: dict[str, Mapping[Any, Any]] = {
        "tiers": VotingConfig().tiers,
        "publishers": USUAL_PUBLISHERS,
    }
    given = {name: section.get(name, {}) for name in usual}
    tables = {n: {**usual[n], **g} for n, g in given.items() if isinstance(g, dict)}
    return {**section, **tables}


class _Pair(SettingsTable):
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


class _PolicyRate(SettingsTable):
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


class _Markets(SettingsTable):
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
        if len(names) > MOST_MARKETS:
            raise ValueError(
                f"at most {MOST_MARKETS} markets, and {len(names)} stand there: a desk of their "
                "own takes the others"
            )
        return self

    def specs(self) -> tuple[MarketSpec, ...]:
        rates = (entry.spec() for entry in self.policy_rates)
        return (*(entry.spec() for entry in self.pairs), *rates)


def _known(agent: AgentId) -> AgentId:
    """Checks that a package provides the agent. A name on the wire may be of an agent that is
    gone."""
    if agent not in AgentId.known():
        expected = ", ".join(f"'{each}'" for each in AgentId.known())
        raise PydanticKnownError("enum", {"expected": expected})
    return agent


_KnownAgent = Annotated[AgentId, AfterValidator(_known)]


class _Agent(SettingsTable):
    model: ShortText | None = None
    fallback: _KnownAgent | None = None
    limits: AgentLimits | None = None


def _expanded_routes(routes: object) -> object:
    """Converts routes written as `server.tool` to tables. Leaves the others unchanged."""
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


class _DeskFile(SettingsTable):
    """The tables of `desk.toml`."""

    markets: _Markets
    schedule: Annotated[ScheduleConfig, BeforeValidator(_spans)] = ScheduleConfig()
    deadlines: Annotated[DeadlineConfig, BeforeValidator(_spans)] = DeadlineConfig()
    thresholds: ThresholdConfig = ThresholdConfig()
    retries: Annotated[RetryConfig, BeforeValidator(_spans)] = RetryConfig()
    voting: Annotated[VotingConfig, BeforeValidator(_with_default_votes)] = VotingConfig(
        publishers=dict(USUAL_PUBLISHERS)
    )
    materiality: MaterialityConfig = MaterialityConfig()
    budget: BudgetConfig = BudgetConfig()
    history: HistoryConfig = HistoryConfig()
    charges: Charges = Field(default_factory=dict)
    report: ReportConfig = ReportConfig()
    capabilities: dict[Capability, Annotated[Routes, BeforeValidator(_expanded_routes)]] = Field(
        default_factory=dict
    )
    agents: dict[_KnownAgent, _Agent] = Field(default_factory=dict)
    server: ServerSettings = ServerSettings()
    memory: MemorySettings = MemorySettings()
    serve: ServeSettings = ServeSettings()
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
            report=self.report,
        )

    def _bands(self) -> dict[PairSymbol, Band]:
        return {entry.pair: entry.band for entry in self.markets.pairs if entry.band is not None}


class DeskConfig(SettingsTable):
    """The contents of `desk.toml`: the configuration of a run, where the server and `desk serve`
    listen, where the memory is, the channels by which reports are delivered, if any, and what the
    actions of an episode cost."""

    run: RunConfig
    charges: Charges = Field(default_factory=dict)
    server: ServerSettings
    memory: MemorySettings
    serve: ServeSettings
    deliveries: Deliveries | None = None


def read_desk_file(path: Path, variables: Mapping[str, str] = MappingProxyType({})) -> DeskConfig:
    """Reads `desk.toml`. `variables` take precedence over its keys.

    Raises:
        SettingsError: the file is missing, is not TOML, or has an unknown key or an invalid value;
            or a variable has an invalid value.
    """
    read = _validated(path, {name: variables[name] for name in VARIABLES if name in variables})
    _check_ports(read.server)
    _check_time_zone(path, read.schedule.time_zone)
    _check_fallbacks(path, read.agents)
    _check_turns(path, read.agents)
    _check_answers(path, read.capabilities)
    _check_voters(path, read.voting)
    wanted = read.deliveries if read.deliveries and read.deliveries.channels else None
    return DeskConfig(
        run=read.run_config(),
        charges=read.charges,
        server=read.server,
        memory=read.memory,
        serve=read.serve,
        deliveries=wanted,
    )


class _Tables(BaseSettings):
    """The unparsed tables of `desk.toml`, each key from the first source that has it."""

    model_config = SettingsConfigDict(extra="allow")


class _TomlSource(TomlConfigSettingsSource):
    """The file as a settings source. It must exist and have a bounded size."""

    def _read_files(self, files: Any, deep_merge: bool = False) -> dict[str, Any]:
        return _toml(Path(files))


def _toml(path: Path) -> dict[str, Any]:
    text = ""
    try:
        return tomllib.loads(text := read_text_file(path))
    except FileNotFoundError:
        raise SettingsError(
            f"{path} is missing: it lists the markets; run from the project's folder, or set "
            "DESK_CONFIG to the file, relative to the current folder"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        at_end = str(error).endswith("(at end of document)")
        unended = _unended(text) if at_end else None
        raise SettingsError(unparsable_message(path, "TOML", str(error), unended)) from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None


def _unended(text: str) -> int:
    """The line where an unterminated construct begins: the text before it can be parsed."""
    lines = text.splitlines()
    return next(n + 1 for n in reversed(range(len(lines))) if _is_toml("\n".join(lines[:n])))


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _validated(path: Path, given: Mapping[str, str]) -> _DeskFile:
    instead: dict[str, Any] = {}
    for name, value in given.items():
        table, key = VARIABLES[name]
        instead.setdefault(table, {})[key] = value
    sources = (InitSettingsSource(_Tables, instead), _TomlSource(_Tables, path))
    tables = _Tables(_build_sources=(sources, {})).model_extra
    try:
        # `forbid` also applies to the nested contracts, which otherwise tolerate unknown fields.
        return _DeskFile.model_validate(tables, extra="forbid")
    except ValidationError as error:
        named = {VARIABLES[name]: (ENVIRONMENT, name) for name in given}
        raise settings_error(path.name, _DeskFile, error, named) from None


def _check_ports(server: ServerSettings) -> None:
    if server.port == server.ui_port:
        raise SettingsError(
            f"server.port and server.ui_port are both {server.port}; allowed: two different ports "
            "(desk.toml, or DESK_SERVER_PORT and DESK_UI_PORT)"
        )


def _check_time_zone(path: Path, name: str) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        hint = suggestion(name, available_timezones())
        raise SettingsError(
            f"{path.name}: schedule.time_zone is '{name}'; allowed: an IANA time zone "
            f"such as Europe/London{hint}"
        ) from None


def _check_voters(path: Path, voting: VotingConfig) -> None:
    known = AgentId.known()
    for agent in voting.agents:
        if agent not in known:
            raise SettingsError(
                f"{path.name}: voting.agents.{agent} is of no agent; allowed: {', '.join(known)}"
                f"{suggestion(agent, known)}"
            )


def _check_fallbacks(path: Path, agents: dict[AgentId, _Agent]) -> None:
    for agent, entry in agents.items():
        if entry.fallback is agent:
            others = ", ".join(other for other in AgentId.known() if other is not agent)
            raise SettingsError(
                f"{path.name}: agents.{agent}.fallback is '{agent}', the agent itself; "
                f"allowed: {others}"
            )


def _check_turns(path: Path, agents: dict[AgentId, _Agent]) -> None:
    """Checks that each agent has enough turns for any of its tasks."""
    for agent, entry in agents.items():
        if entry.limits is not None and entry.limits.max_turns < FEWEST_TURNS:
            raise SettingsError(
                f"{path.name}: agents.{agent}.limits.max_turns is {entry.limits.max_turns}; "
                f"at least {FEWEST_TURNS}: the desk's questions, an answer and one correction"
            )


def _check_answers(path: Path, capabilities: Mapping[Capability, tuple[Route, ...]]) -> None:
    """Checks the expressions by which routes map an answer's fields."""
    for capability, routes in capabilities.items():
        for number, route in enumerate(routes, start=1):
            if route.answer:
                key = f"{path.name}: capabilities.{capability}[{number}].answer"
                _check_answer(key, capability, route.answer)


def _forms() -> Mapping[Capability, type[Contract]]:
    """The answers that third-party tools may give in their own format."""
    # Few desks have such routes, and importing these takes a quarter of the time to read settings.
    from desk.contracts.question import knowledge

    return {
        Capability.TICKET: knowledge.TicketAnswer,
        Capability.DOCUMENT: knowledge.DocumentAnswer,
        Capability.PDF: knowledge.PdfAnswer,
        Capability.WEB_SEARCH: knowledge.SearchAnswer,
    }


def _check_answer(key: str, capability: Capability, answer: Mapping[str, str]) -> None:
    forms = _forms()
    form = forms.get(capability)
    if form is None:
        raise SettingsError(
            f"{key} is not read: allowed for {', '.join(forms)}; the others answer in the "
            "desk's own form"
        )
    known = sorted({*form.model_fields, MISSING})
    for field, expression in answer.items():
        if field not in known:
            hint = suggestion(field, known)
            file, _, place = key.partition(": ")
            raise SettingsError(
                f"{file}: unknown key '{place}.{field}'; known: {', '.join(known)}{hint}"
            )
        fault = _fault(expression)
        if fault:
            raise SettingsError(
                f"{key}.{field} is '{expression}'; allowed: a JMESPath expression; {fault}"
            )


def _fault(expression: str) -> str | None:
    """What is wrong with an expression, and at which character, counted from 1. None if nothing
    is."""
    # Most files have no expressions, and are read without importing the library.
    import jmespath
    from jmespath.exceptions import EmptyExpressionError, LexerError, ParseError
    from jmespath.functions import Functions

    try:
        parsed = jmespath.compile(expression).parsed
    except EmptyExpressionError:
        return "it is empty"
    except LexerError as error:
        return f"at character {error.lexer_position + 1}: a sign that has no meaning there"
    except ParseError as error:
        what = f"'{error.token_value}'" if error.token_value else "its end"
        return f"at character {error.lex_position + 1}: {what} cannot stand there"
    unknown = next(
        (name for name in _functions(parsed) if name not in Functions.FUNCTION_TABLE), None
    )
    if unknown is None:
        return None
    return f"at character {expression.index(unknown) + 1}: there is no function {unknown}"


def _functions(node: Mapping[str, Any]) -> Iterator[str]:
    """The functions that an expression calls."""
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        yield from _functions(child)
