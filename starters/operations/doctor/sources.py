"""Checks of the sources in `.mcp.json`, and of how old their files are."""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from desk.contracts.agents.capabilities import SHIPPED
from desk.contracts.findings.sources import KeptFileState
from desk.platform.mcp.attribution import attribution_of
from desk.platform.mcp.transports.targets import NoTarget, target_of
from desk.platform.settings import McpTransport, Settings
from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    lacks,
    present,
    read_mcp_config,
    servers_to_serve,
)
from starters.operations.doctor.check import Check, Level
from starters.runs.week_choice import REFRESH
from starters.sources.refresh import age_words, ages
from starters.sources.tools.offers import lacking_words
from workers.needed_sources import needed_sources

LONGEST_AGE_DAYS = 7
"""How old the newest datum of a cached file may be before a week lacks some."""


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
