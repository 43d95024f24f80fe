"""The checks of `desk doctor`: the server, sources, workers, and whether models answer."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from pydantic import SecretStr
from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError

from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.prices.fixings import covered_to
from desk.analytics.weeks import latest_complete_week, latest_covered_week
from desk.contracts.agents.budget import ModelPrice
from desk.contracts.agents.capabilities import SHIPPED
from desk.contracts.agents.config import RunConfig, ScheduleConfig
from desk.contracts.agents.model_calls import ModelCall
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.source_results import FixingCoverage
from desk.contracts.findings.sources import KeptFileState
from desk.documents.publishing.files import publish_folder
from desk.platform.mcp.attribution import attribution_of
from desk.platform.mcp.transports.targets import NoTarget, target_of
from desk.platform.models.abilities import Abilities
from desk.platform.models.model_calling import ModelFailed
from desk.platform.models.third_party import is_claude
from desk.platform.server.embedded import RETENTION, temporal_binary
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import (
    DEFAULTS,
    McpTransport,
    Settings,
    SettingsError,
    load_settings,
)
from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    lacks,
    present,
    read_mcp_config,
    servers_to_serve,
)
from desk.platform.settings.store import StoreSettings
from desk.platform.temporal.client import ServerUnreachable
from starters.runs.models import model_words
from starters.runs.week_choice import REFRESH
from starters.session import Desk, with_desk
from starters.sources.refresh import age_words, ages
from starters.sources.tools.fixing_coverage import held_fixings
from starters.sources.tools.offers import lacking_words
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import table_lines
from workers.health import queues_of, unpolled
from workers.hosting import Role
from workers.needed_sources import needed_sources


def ability_words(can: Abilities) -> Iterator[str]:
    """A sentence for each part of the protocol that matters to a run."""
    if can.structured:
        yield "it keeps to a JSON schema by itself"
    else:
        yield "it knows no JSON schema: the desk says the form in words, and looks for the JSON"
    if can.tools and can.tool_choice:
        yield "it asks tools, and can be told to stop asking"
    elif can.tools:
        yield "it asks tools; for its last answer they are taken away"
    else:
        yield "it asks no tools: it writes over what the desk has asked"
    if not can.caching:
        yield "it keeps nothing of what it has read: each turn reads all of it again"


def price_words(price: ModelPrice | None) -> str:
    """What a million tokens cost at most, or how to limit the model's spending without a known
    price."""
    if price is None:
        return (
            "its price is not known: a budget in dollars would stop it, so set one in tokens"
            " (--budget-tokens, or tokens under [budget] in desk.toml, without usd)"
        )
    read, written = price.read * 1_000_000, price.written * 1_000_000
    return f"a million tokens cost at most ${read:.2f} read and ${written:.2f} written"


PATIENCE_SECONDS: Final = 120.0
_SCHEMA: Final = {
    "type": "object",
    "properties": {"market": {"type": "string"}, "priority": {"type": "integer"}},
    "required": ["market", "priority"],
}


class ModelAsked(NamedTuple):
    """The outcome of a model call, in words."""

    model: str
    answers: bool
    words: str


async def model_checks(settings: Settings) -> list[ModelAsked]:
    """Calls each model once, in the form of the desk's own calls."""
    models = {entry.model for entry in settings.config.policy.agents if entry.model}
    wanted = sorted(models - {BUILTIN})
    key = settings.model_key
    if not wanted:
        words = (
            "all agents are built in; ANTHROPIC_API_KEY makes them Claude, and docs/models.md"
            " says how another model is used"
        )
        return [ModelAsked("none", True, words)]
    if key is None:
        words = "it cannot be asked: neither ANTHROPIC_API_KEY nor ANTHROPIC_BASE_URL is set"
        return [ModelAsked(model, False, words) for model in wanted]
    return [await _asked(settings, key, model) for model in wanted]


async def _asked(settings: Settings, key: SecretStr, model: str) -> ModelAsked:
    # The client takes a second to import, and only `--ask` calls a model.
    from desk.platform.models.claude import Claude

    endpoint = Claude(key, base_url=settings.anthropic_base_url, home=settings.home)
    call = ModelCall(
        model=model,
        system="You plan. Give the market that is named the priority that is named.",
        messages=(
            {"role": "user", "content": [{"type": "text", "text": "USD/JPY has priority 2."}]},
        ),
        schema_of_result=_SCHEMA,
        max_tokens=1_000,
    )
    try:
        found = await endpoint.abilities(model, timeout_seconds=PATIENCE_SECONDS)
        answer = await endpoint.ask(call, timeout_seconds=PATIENCE_SECONDS)
    except ModelFailed as failed:
        return ModelAsked(model, False, str(failed))
    finally:
        await endpoint.close()
    usage = found.usage.plus(answer.usage)
    formed = '"priority"' in answer.text
    told = [
        f"it answers{'' if formed else ', but not in the form asked for: expect built-in results'}"
    ]
    if not is_claude(model):
        told += ability_words(found.abilities)
    told += [price_words(endpoint.price(model, 1_000)), f"this check took {usage.tokens:,} tokens"]
    return ModelAsked(model, True, "; ".join(told))


EXAMPLE = "Example: desk doctor"

LEAST_PYTHON = (3, 11)
LITTLE_SPACE = 1024**3
NO_SPACE = 100 * 1024**2


AskModel = Annotated[
    bool,
    typer.Option("--ask", help="Ask each model once, and say what it can and costs. That is paid."),
]


def doctor(ask: AskModel = False) -> ExitStatus:
    """Check everything the desk needs, and say how to fix what is wrong.

    Exit status 1 if something keeps it from working. If no server is running, one is started for
    the checks.
    """
    return check_desk(ask=ask)


class Level(StrEnum):
    """How a check ended. Only `fail` keeps the desk from working."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    """What was checked, its state, and what to do if it is not ok."""

    name: str
    level: Level
    sentence: str


def local_checks(settings: Settings) -> Iterator[Check]:
    """All checks that need no server and build no source."""
    yield python_check(sys.version_info[:3])
    yield binary_check(settings)
    yield configuration_check(settings)
    yield base_area_check(settings.config)
    yield signing_check(settings)
    yield from source_checks(settings)
    yield writable_check("reports", settings.reports_dir)
    yield writable_check("home", settings.home)
    yield space_check(settings.home)
    if settings.store is not None:
        yield store_check(settings.store)


def store_check(store: StoreSettings) -> Check:
    """Checks that the bucket that machines share can be written and read."""
    where = f"s3://{'/'.join(part for part in (store.bucket, store.prefix) if part)}"
    try:
        from desk.platform.payloads.bucket import fault_of
    except ImportError:
        return Check("store", Level.FAIL, f"{where} needs what `make install-deliver` installs")
    fault = fault_of(store)
    if fault is None:
        return Check("store", Level.OK, f"{where} can be written and read")
    return Check("store", Level.FAIL, f"{where}: {fault}; see DESK_STORE and its keys")


def python_check(version: tuple[int, int, int]) -> Check:
    """Checks that the interpreter is recent enough."""
    text = ".".join(map(str, version))
    if version[:2] >= LEAST_PYTHON:
        return Check("python", Level.OK, text)
    return Check("python", Level.FAIL, f"{text}; 3.11 or newer is needed")


def binary_check(settings: Settings) -> Check:
    """Checks that the embedded server's program is installed, if it is used."""
    if settings.external:
        return Check("temporal", Level.OK, "a server of your own is configured")
    try:
        return Check("temporal", Level.OK, str(temporal_binary()))
    except ServerFailed as error:
        return Check("temporal", Level.FAIL, str(error))


def configuration_check(settings: Settings) -> Check:
    """Says who does the analysis. The configuration is valid, or it would not have been loaded."""
    count = len(settings.config.markets)
    where = f" of {settings.desk_config}" if settings.desk_config.parent == DEFAULTS else ""
    return Check("settings", Level.OK, f"{count} markets{where}; {model_words(settings.config)}")


def base_area_check(config: RunConfig) -> Check:
    """Checks that the base area of rates is one that the desk knows or researches."""
    area = config.policy.base_area
    researched = {each for market in config.markets for each in market.areas}
    if area in researched or area in CENTRAL_BANKS:
        return Check("base area", Level.OK, f"rates are compared with those of {area}")
    known = ", ".join(sorted(researched | set(CENTRAL_BANKS)))
    return Check(
        "base area",
        Level.FAIL,
        f"markets.base_area is '{area}', of which no central bank is known and no market is in "
        f"desk.toml: no rate could be compared with its; known: {known}",
    )


def signing_check(settings: Settings) -> Check:
    """Says with which key reports are signed. An unusable key is already rejected with the
    settings."""
    signer = settings.signer
    words = f"with the key {signer.fingerprint}" if signer else "reports are not signed"
    return Check("signature", Level.OK, words)


def source_checks(settings: Settings) -> Iterator[Check]:
    """Checks that `.mcp.json` is usable, that its servers can be started, and that it has the
    servers that agents need."""
    try:
        servers = read_mcp_config(settings.mcp_config)
    except McpConfigError as error:
        yield Check("sources", Level.FAIL, str(error))
        return
    yield from _connections(settings, servers)
    names = ", ".join(present(servers)) or "none"
    level = Level.OK if servers else Level.FAIL
    yield Check("sources", level, f"{names} ({settings.mcp_transport})")
    yield from _misnamed_sources(servers)
    for server, agents in needed_sources().items():
        if server not in servers:
            yield _missing_source(server, agents, settings.mcp_config)


LONGEST_AGE_DAYS = 7
"""How old the newest datum of a cached file may be before a week lacks some."""


def age_checks(settings: Settings, now: datetime) -> Iterator[Check]:
    """Says how old each source's cached data are, and whether they were fetched."""
    try:
        kept = list(ages(settings))
    except McpConfigError:
        # The fault in `.mcp.json` has already been reported.
        return
    lacking: dict[str, list[KeptFileState]] = {}
    for server, state in kept:
        if state.last_day is None:
            lacking.setdefault(server, []).append(state)
        else:
            yield age_check(server, state, state.last_day, now)
    for server, states in lacking.items():
        yield none_yet_check(server, states)


def none_yet_check(server: str, states: Sequence[KeptFileState]) -> Check:
    """Lists what a source has not fetched yet, and why if that was just tried."""
    failures = [" ".join(each.failure.split()) for each in states if each.failure]
    others = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
    why = f"; just now it failed: {failures[0]}{others}" if failures else ""
    what = "1 file" if len(states) == 1 else f"{len(states)} files"
    return Check(
        f"source {server}",
        Level.WARN,
        f"nothing fetched yet of {what}{why}; `{REFRESH}` names them",
    )


def age_check(server: str, state: KeptFileState, last_day: date, now: datetime) -> Check:
    """Checks whether a cached file reaches into the last week, and says when its provider was
    called."""
    name = f"source {server}"
    asked = (
        "never fetched" if state.looked is None else f"fetched {state.looked:%d %b %Y %H:%M} UTC"
    )
    if state.failure:
        asked += f"; just now it failed: {' '.join(state.failure.split())}"
    days = (now.date() - last_day).days
    text = f"{state.source}: to {last_day:%d %b %Y}, {age_words(days)} old, {asked}"
    if days <= LONGEST_AGE_DAYS:
        return Check(name, Level.OK, text.replace("today old", "today's"))
    return Check(name, Level.WARN, f"{text}; `{REFRESH}` gets newer ones")


def _connections(settings: Settings, servers: Mapping[str, McpServerSpec]) -> Iterator[Check]:
    """Checks that the variables of `.mcp.json` are set, and its programs installed. Shows commands
    as written: a substituted value may be a secret."""
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    try:
        served = servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process)
    except McpConfigError as error:
        # With the user's own server, the workers that need the variables may be elsewhere.
        yield Check("sources", Level.WARN if settings.external else Level.FAIL, str(error))
        return
    for name, spec in servers.items():
        package = lacks(spec)
        if package is not None:
            yield Check(f"source {name}", Level.OK, lacking_words(package))
        elif not spec.runs_here(in_process=in_process):
            yield _command_check(name, spec, served[name].command or "")


def built_checks(settings: Settings) -> Iterator[Check]:
    """Checks that the project's servers that run in this process can be built. This loads all of
    them."""
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    try:
        served = servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process)
    except McpConfigError:
        # The fault in `.mcp.json` has already been reported.
        return
    for name, spec in served.items():
        here = spec.runs_here(in_process=in_process)
        if here and (fault := _module_fault(settings, spec)) is not None:
            yield Check(f"source {name}", Level.FAIL, fault)


def _module_fault(settings: Settings, spec: McpServerSpec) -> str | None:
    """Returns why a server's module cannot serve in this process, or None if it can."""
    try:
        target_of(
            spec,
            in_process=True,
            project_dir=settings.project_dir,
            cache_dir=settings.cache_dir,
        )
    except NoTarget as fault:
        return str(fault)
    return None


def _misnamed_sources(servers: Mapping[str, McpServerSpec]) -> Iterator[Check]:
    """Warns about a server that has the name of one of the project's and is not recognised as
    it."""
    for name, spec in servers.items():
        by = attribution_of(name, spec)
        if name in SHIPPED and by is not None and spec.tier is None and spec.origin is None:
            yield Check(
                f"source {name}",
                Level.WARN,
                f"its answers count as {by.tier} and of the origin '{by.origin}': nothing says "
                "that it is the project's own; say module, or tier and origin, in its entry",
            )


def _missing_source(server: str, agents: Collection[str], mcp_config: Path) -> Check:
    return Check(
        f"source {server}",
        Level.WARN,
        f"{', '.join(agents)} cannot ask '{server}': {mcp_config} does not name it; "
        "add its entry as docs/sources.md has it",
    )


def _command_check(name: str, spec: McpServerSpec, command: str) -> Check:
    if spec.url:
        return Check(f"source {name}", Level.OK, spec.url)
    written = " ".join((spec.command or "", *spec.args))
    if shutil.which(command):
        return Check(f"source {name}", Level.OK, written)
    return Check(
        f"source {name}",
        Level.FAIL,
        f"its command '{spec.command}' is not on the PATH; install it or correct .mcp.json",
    )


def writable_check(name: str, directory: Path) -> Check:
    """Checks that a directory exists or can be created, and is writable."""
    try:
        publish_folder(directory)
    except OSError as error:
        return Check(name, Level.FAIL, f"{directory} cannot be made: {error.strerror}")
    if os.access(directory, os.W_OK):
        return Check(name, Level.OK, str(directory))
    return Check(name, Level.FAIL, f"{directory} is not writable; change its permissions")


def space_check(directory: Path) -> Check:
    """Checks that there is room for histories and reports."""
    there = next(f for f in (directory, *directory.parents) if f.exists())
    return free_space_check(shutil.disk_usage(there).free)


def free_space_check(free: int) -> Check:
    """Like `space_check`, for a number of bytes."""
    text = f"{free / 1024**3:.1f} GB free"
    if free < NO_SPACE:
        return Check("disk", Level.FAIL, f"{text}; free some: the server stops when it is full")
    if free < LITTLE_SPACE:
        return Check("disk", Level.WARN, f"{text}; a week takes a few megabytes")
    return Check("disk", Level.OK, text)


POLLER_PATIENCE = 20
"""Tries, a tenth of a second apart if the workers have just started."""


async def server_checks(desk: Desk) -> AsyncIterator[Check]:
    """All checks of a running server."""
    client, settings = desk.client, desk.settings
    where = client.service_client.config.target_host
    how = " (started for this check)" if desk.hosting else ""
    yield Check("server", Level.OK, f"{where}, namespace {client.namespace}{how}")
    yield await _attributes(client)
    yield await _retention(client)
    waiting = await _unpolled(desk)
    yield poller_check(waiting)
    if waiting:
        yield Check("data", Level.WARN, "not looked at: that takes workers")
        return
    if "ecb" not in present(read_mcp_config(settings.mcp_config)):
        yield Check("data", Level.FAIL, "no fixings: they are the source ecb's, see above")
        return
    held = await held_fixings(client, now := datetime.now(UTC))
    yield data_check(held, now, settings.config.schedule)


async def _attributes(client: Client) -> Check:
    try:
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as error:
        return Check("attributes", Level.WARN, f"the server does not list them: {error.message}")
    return attribute_check(listed.custom_attributes.keys())


def attribute_check(registered: Collection[str]) -> Check:
    """Checks that all search attributes are registered; without them a run hangs."""
    missing = [name for name in SearchAttribute if name not in registered]
    if not missing:
        return Check("attributes", Level.OK, ", ".join(SearchAttribute))
    command = f"`temporal operator search-attribute create {_creation_flags(missing)}`"
    return Check("attributes", Level.FAIL, f"missing: {', '.join(missing)}; {command}")


def _creation_flags(missing: Collection[SearchAttribute]) -> str:
    """Each name with its own type: of several names under one type the command adds only the
    first."""
    return " ".join(
        f"--name {name} --type {'Int' if name in INTEGER_ATTRIBUTES else 'Keyword'}"
        for name in missing
    )


async def _retention(client: Client) -> Check:
    from desk.platform.server.namespace import retention_of

    try:
        return retention_check(await retention_of(client), client.namespace)
    except RPCError as error:
        return Check("retention", Level.WARN, f"the server does not say: {error.message}")


def retention_check(kept: timedelta, namespace: str) -> Check:
    """Checks that closed runs are kept long enough for a rerun and for their dead letters."""
    text = f"closed runs are kept for {kept.days} days"
    if kept >= RETENTION:
        return Check("retention", Level.OK, text)
    return Check(
        "retention",
        Level.WARN,
        f"{text}, dead letters too; `temporal operator namespace update --namespace {namespace} "
        f"--retention {RETENTION.days}d`",
    )


async def _unpolled(desk: Desk) -> tuple[str, ...]:
    """Returns the queues that no worker polls."""
    waiting = queues_wanted(desk.settings.mcp_config)
    for _ in range(POLLER_PATIENCE):
        waiting = await unpolled(desk.client, None, waiting)
        if not waiting:
            break
        await asyncio.sleep(0.1 if desk.hosting else 0.01)
    return waiting


def queues_wanted(mcp_config: Path) -> tuple[str, ...]:
    """Returns the queues that need a worker. Omits servers whose package is not installed."""
    try:
        servers = list(present(read_mcp_config(mcp_config)))
    except McpConfigError:
        servers = []
    return tuple(queues_of(Role.ALL, servers))


def poller_check(unpolled: Collection[str]) -> Check:
    """Checks that every queue has a worker."""
    if not unpolled:
        return Check("workers", Level.OK, "every queue is polled")
    return Check(
        "workers",
        Level.FAIL,
        f"no worker polls {', '.join(unpolled)}; `desk up` or `desk worker all` starts them",
    )


def data_check(held: FixingCoverage | None, now: datetime, schedule: ScheduleConfig) -> Check:
    """Checks that the fixings reach the latest complete week."""
    if held is None:
        return Check("data", Level.FAIL, "the ECB source does not answer; see the workers' log")
    latest = latest_complete_week(now, schedule)
    covered = latest_covered_week(now, covered_to(held.last_day), schedule)
    text = f"fixings from {held.first_day} to {held.last_day}"
    if covered >= latest:
        return Check("data", Level.OK, text)
    return Check(
        "data",
        Level.WARN,
        f"{text}: {latest} is complete and not covered; `{REFRESH}` gets newer ones",
    )


DOCTOR_PATIENCE_SECONDS = 15.0
"""How long `desk doctor` waits for a server: it should report a problem, not wait until it
passes."""


def check_desk(*, ask: bool = False) -> ExitStatus:
    """Checks everything that the desk needs, and says what to do about each problem.

    Starts a server for the time of the checks if none runs. With `ask` calls each model that agents
    use once.
    """
    try:
        settings = load_settings()
    except SettingsError as error:
        return _print_checks([Check("settings", Level.FAIL, str(error))])
    checks = list(local_checks(settings))
    if ask:
        checks += [
            Check(f"model {asked.model}", Level.OK if asked.answers else Level.FAIL, asked.words)
            for asked in interruptible(model_checks(settings))
        ]
    if all(check.level is not Level.FAIL for check in checks):
        log_to_file(settings)
        checks += interruptible(_at_server(settings))
    else:
        checks.append(Check("server", Level.WARN, "not looked at until the above is mended"))
    return _print_checks(checks)


def _kept_checks(settings: Settings) -> list[Check]:
    return [*built_checks(settings), *age_checks(settings, datetime.now(UTC))]


async def _at_server(settings: Settings) -> list[Check]:
    async def work(desk: Desk) -> list[Check]:
        sources = await asyncio.to_thread(_kept_checks, settings)
        return [*sources, *[check async for check in server_checks(desk)]]

    try:
        return await with_desk(settings, work, patience=DOCTOR_PATIENCE_SECONDS)
    except (ServerUnreachable, ServerFailed) as error:
        return [
            Check("server", Level.FAIL, str(error)),
            Check(
                "workers",
                Level.WARN,
                "not looked at, nor what the sources keep: that takes a server",
            ),
        ]


def _print_checks(checks: Iterable[Check]) -> ExitStatus:
    told = list(checks)
    rows = ((check.level, check.name, check.sentence) for check in told)
    for row in table_lines(("", "", ""), rows):
        sys.stdout.write(f"{row}\n")
    failed = any(check.level is Level.FAIL for check in told)
    return ExitStatus.FAILED if failed else ExitStatus.COMPLETE
