"""What the servers of `.mcp.json` offer, called from this process and not through the workers."""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import desk
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.agents.tools import Attribution, ToolSpec
from desk.contracts.base import Contract, ShortText, Text
from desk.platform.mcp.attribution import attribution_of
from desk.platform.mcp.tool_calling import ToolUnreachable
from desk.platform.settings import DEFAULTS, McpTransport, Settings
from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    lacks,
    read_mcp_config,
    servers_to_serve,
)
from starters.operations.assistants.entries import AS_OF_NOW
from starters.terminal.exit_status import UsageError

PATIENCE_SECONDS = 20.0
"""A server over stdio takes a second or two to start; others may take longer."""

OFFERED_TOOLS: Final = Path(desk.__file__).parent / "sources" / "offered_tools.json"
"""The names of the tools of the desk's own servers. `python -m desk.sources` writes it."""


class Offer(Contract):
    """The tools that a server offers, and how long it took to list them; or why it could not be
    called. A `built_in` server was not called. `attribution` is the publisher of its answers by
    `.mcp.json`, for a third-party server."""

    server: ShortText
    seconds: float | None = None
    tools: tuple[ToolSpec, ...] = ()
    error: Text | None = None
    built_in: bool = False
    attribution: Attribution | None = None


async def offers(settings: Settings, only: str | None = None) -> tuple[Offer, ...]:
    """Lists what each server offers, in the file's order, or asks only the named one.

    The desk's own servers that run in its process as they are by default are not started: their
    tools are listed in a file of the package. All others are asked concurrently.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
        UsageError: the named server is not in `.mcp.json`.
    """
    named = read_mcp_config(settings.mcp_config)
    if only is not None and only not in named:
        raise UsageError(f"no server '{only}' in {settings.mcp_config}; named: {', '.join(named)}")
    found = {} if only is not None else dict(_built_in(settings, named))
    wanted = tuple(named) if only is None else (only,)
    if asked := [server for server in wanted if server not in found]:
        found |= await _asked(settings, named, asked)
    return tuple(found[server] for server in wanted)


def _built_in(
    settings: Settings, named: Mapping[str, McpServerSpec]
) -> Iterator[tuple[str, Offer]]:
    """The offers of the desk's own servers that run in its process with their default arguments."""
    listed: dict[str, list[str]] = json.loads(OFFERED_TOOLS.read_text(encoding="utf-8"))
    usual = {
        spec.in_process: _arguments(spec)
        for spec in read_mcp_config(DEFAULTS / ".mcp.json").values()
    }
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    for server, spec in named.items():
        unchanged = usual.get(spec.in_process) == _arguments(spec)
        if not spec.runs_here(in_process=in_process) or not unchanged or lacks(spec) is not None:
            continue
        if (tools := listed.get(spec.in_process or "")) is not None:
            specs = tuple(ToolSpec(server=server, tool=tool) for tool in tools)
            by = attribution_of(server, spec)
            yield server, Offer(server=server, built_in=True, tools=specs, attribution=by)


def _arguments(spec: McpServerSpec) -> tuple[str, ...]:
    """A server's own arguments, without the one that `desk init` adds for assistants."""
    return tuple(word for word in spec.module_args if word != AS_OF_NOW)


async def _asked(
    settings: Settings, named: Mapping[str, McpServerSpec], wanted: Sequence[str]
) -> Mapping[str, Offer]:
    """Asks servers for their tools."""
    # Slow to import, and the desk's own servers are not asked.
    from desk.platform.mcp.pool import McpPool
    from desk.platform.mcp.redaction import configured_secrets

    servable, complaint = _servable(settings, named)
    async with McpPool(
        servable,
        in_process=settings.mcp_transport is McpTransport.IN_PROCESS,
        project_dir=settings.project_dir,
        cache_dir=settings.cache_dir,
        secrets=configured_secrets(settings),
    ) as pool:

        async def offer_of(server: str) -> Offer:
            offer = Offer(server=server, attribution=attribution_of(server, named[server]))
            if server not in servable:
                package = lacks(named[server])
                why = complaint if package is None else lacking_words(package)
                return offer.model_copy(update={"error": why})
            began = time.monotonic()
            try:
                tools = await pool.tools(server, timeout_seconds=PATIENCE_SECONDS)
            except ToolUnreachable as error:
                return offer.model_copy(update={"error": str(error)[:4_000]})
            took = round(time.monotonic() - began, 3)
            return offer.model_copy(update={"tools": tools, "seconds": took})

        offered = await asyncio.gather(*map(offer_of, wanted))
    return {offer.server: offer for offer in offered}


def lacking_words(package: str) -> str:
    """Says why one of the desk's sources is not available, and how to install it."""
    return f"not here: it needs {package}; run {install_words(Extra.LIVE)}"


def _servable(
    settings: Settings, named: Mapping[str, McpServerSpec]
) -> tuple[Mapping[str, McpServerSpec], str | None]:
    """Returns the servers that can be called, and why the others cannot: a variable is not set."""
    in_process = settings.mcp_transport is McpTransport.IN_PROCESS
    try:
        served = servers_to_serve(settings.mcp_config, settings.variables, in_process=in_process)
    except McpConfigError as error:
        own = {name: spec for name, spec in named.items() if spec.runs_here(in_process=in_process)}
        return own, str(error)
    return served, None
