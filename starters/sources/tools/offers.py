"""What the servers of `.mcp.json` offer, called from this process and not through the workers."""

import asyncio
import time
from collections.abc import Mapping

from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.agents.tools import Attribution, ToolSpec
from desk.contracts.base import Contract, ShortText, Text
from desk.platform.mcp.tool_calling import ToolUnreachable
from desk.platform.settings import McpTransport, Settings
from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    lacks,
    read_mcp_config,
    servers_to_serve,
)
from starters.terminal.exit_status import UsageError

PATIENCE_SECONDS = 20.0
"""A server over stdio takes a second or two to start; others may take longer."""


class Offer(Contract):
    """The tools that a server offers, and how long it took to list them; or why it could not be
    called. `attribution` is the publisher of its answers by `.mcp.json`, for a third-party
    server."""

    server: ShortText
    seconds: float | None = None
    tools: tuple[ToolSpec, ...] = ()
    error: Text | None = None
    attribution: Attribution | None = None


async def offers(settings: Settings, only: str | None = None) -> tuple[Offer, ...]:
    """Lists what each server offers, or only the named one, in the file's order. Calls all servers
    concurrently.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
        UsageError: the named server is not in `.mcp.json`.
    """
    from desk.platform.mcp.attribution import attribution_of
    from desk.platform.mcp.pool import McpPool
    from desk.platform.mcp.redaction import configured_secrets

    named = read_mcp_config(settings.mcp_config)
    if only is not None and only not in named:
        raise UsageError(f"no server '{only}' in {settings.mcp_config}; named: {', '.join(named)}")
    wanted = tuple(named) if only is None else (only,)
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

        return tuple(await asyncio.gather(*map(offer_of, wanted)))


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
