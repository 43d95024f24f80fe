"""The checks of `desk doctor` that need no server."""

import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desk.contracts.agents.capabilities import SHIPPED
from desk.documents.publishing.published_modes import publish_folder
from desk.platform.mcp.attribution import attribution_of
from desk.platform.mcp.config import (
    McpConfigError,
    McpServerSpec,
    read_mcp_config,
    servers_to_serve,
)
from desk.platform.server.embedded import temporal_binary
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import McpTransport, Settings
from starters.models import model_words
from workers.needed_sources import needed_sources

LEAST_PYTHON = (3, 11)
LITTLE_SPACE = 1024**3
NO_SPACE = 100 * 1024**2


class Level(StrEnum):
    """How a check ended. Only `fail` keeps the desk from working."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Check:
    """What was looked at, how it is, and what to do where it is not well."""

    name: str
    level: Level
    sentence: str


def local_checks(settings: Settings) -> Iterator[Check]:
    """Everything that can be told without a server."""
    yield python_check(sys.version_info[:3])
    yield binary_check(settings)
    yield configuration_check(settings)
    yield signing_check(settings)
    yield from source_checks(settings)
    yield writable_check("reports", settings.reports_dir)
    yield writable_check("home", settings.home)
    yield space_check(settings.home)


def python_check(version: tuple[int, int, int]) -> Check:
    """The interpreter is recent enough."""
    text = ".".join(map(str, version))
    if version[:2] >= LEAST_PYTHON:
        return Check("python", Level.OK, text)
    return Check("python", Level.FAIL, f"{text}; 3.11 or newer is needed: run `make install`")


def binary_check(settings: Settings) -> Check:
    """The embedded server's program is there, where it is wanted."""
    if settings.external:
        return Check("temporal", Level.OK, "a server of your own is configured")
    try:
        return Check("temporal", Level.OK, str(temporal_binary()))
    except ServerFailed as error:
        return Check("temporal", Level.FAIL, str(error))


def configuration_check(settings: Settings) -> Check:
    """The configuration is sound, or it would not have been loaded; and who does the analysis."""
    count = len(settings.config.markets)
    return Check("settings", Level.OK, f"{count} markets; {model_words(settings.config)}")


def signing_check(settings: Settings) -> Check:
    """Whose signature reports get. A key that cannot be used is no setting in the first place."""
    signer = settings.signer
    words = f"with the key {signer.fingerprint}" if signer else "reports are not signed"
    return Check("signature", Level.OK, words)


def source_checks(settings: Settings) -> Iterator[Check]:
    """`.mcp.json` is usable, what it starts can be started, and it names what agents need."""
    try:
        servers = read_mcp_config(settings.mcp_config)
    except McpConfigError as error:
        yield Check("sources", Level.FAIL, str(error))
        return
    yield from _connections(settings, servers)
    names = ", ".join(servers) or "none"
    level = Level.OK if servers else Level.FAIL
    yield Check("sources", level, f"{names} ({settings.mcp_transport})")
    yield from _unknown_under_a_known_name(servers)
    for server, agents in needed_sources().items():
        if server not in servers:
            yield _missing_source(server, agents, settings.mcp_config)


def _connections(settings: Settings, servers: Mapping[str, McpServerSpec]) -> Iterator[Check]:
    """The variables of `.mcp.json` are set, and the programs there. Shown as written: a value that
    is filled in may be a secret."""
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    try:
        served = servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process)
    except McpConfigError as error:
        # With a server of one's own, the workers that need the variables may be elsewhere.
        yield Check("sources", Level.WARN if settings.external else Level.FAIL, str(error))
        return
    for name, spec in servers.items():
        if not spec.runs_here(in_process=in_process):
            yield _command_check(name, spec, served[name].command or "")


def _unknown_under_a_known_name(servers: Mapping[str, McpServerSpec]) -> Iterator[Check]:
    """A server that has the name of one of the project's and is not known to be that."""
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
        f"{', '.join(agents)} will ask '{server}' in vain: {mcp_config} does not name it; "
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
    """A directory is there, or can be made, and can be written to."""
    try:
        publish_folder(directory)
    except OSError as error:
        return Check(name, Level.FAIL, f"{directory} cannot be made: {error.strerror}")
    if os.access(directory, os.W_OK):
        return Check(name, Level.OK, str(directory))
    return Check(name, Level.FAIL, f"{directory} is not writable; change its permissions")


def space_check(directory: Path) -> Check:
    """There is room for histories and reports."""
    there = next(f for f in (directory, *directory.parents) if f.exists())
    return free_space_check(shutil.disk_usage(there).free)


def free_space_check(free: int) -> Check:
    """As `space_check`, of a number of bytes."""
    text = f"{free / 1024**3:.1f} GB free"
    if free < NO_SPACE:
        return Check("disk", Level.FAIL, f"{text}; free some: the server stops when it is full")
    if free < LITTLE_SPACE:
        return Check("disk", Level.WARN, f"{text}; a week takes a few megabytes")
    return Check("disk", Level.OK, text)
