"""Writes what the servers say of themselves: `python -m desk.sources`.

Their descriptions go into a page, and the names of their tools into a file that `desk tools` reads
in place of starting them. The page has places for it, between comments: the servers with licence
and terms, the routes of the capabilities, and the entries of `.mcp.json`. The rest of the page is
written by hand.
"""

import asyncio
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

from mcp import Client

from desk import sources
from desk.contracts.agents.capabilities import USUAL_ROUTES
from desk.contracts.findings.sources import NetworkUse, SourceDescription

PAGE = Path("docs/sources.md")
CONFIGURATION = Path(".mcp.json")
OFFERED = Path("desk/sources/offered_tools.json")

_NETWORK = {
    NetworkUse.NONE: "as with one",
    NetworkUse.REFRESHES: "by its copy",
    NetworkUse.LIVE: "not offered, or each answer says that it was not reached",
}


def servers() -> Iterator[ModuleType]:
    """The modules of all servers in this package."""
    for each in pkgutil.walk_packages(sources.__path__, f"{sources.__name__}."):
        if each.name.endswith(".server"):
            yield importlib.import_module(each.name)


def descriptions() -> tuple[SourceDescription, ...]:
    """The source descriptions of all servers in this package, by name."""
    found: list[SourceDescription] = [module.DESCRIPTION for module in servers()]
    return tuple(sorted(found, key=lambda each: each.server))


async def offered_tools(entries: Mapping[str, Mapping[str, object]]) -> str:
    """The names of the tools of each server of the entries that can run in the desk's own process,
    as JSON by its module."""
    asked = {entry.get("inProcess") for entry in entries.values()}
    found: dict[str, list[str]] = {}
    for module in servers():
        if module.__name__ in asked:
            async with Client(module.build_server()) as client:
                listed = await client.list_tools()
            found[module.__name__] = sorted(tool.name for tool in listed.tools)
    return json.dumps(found, indent=2) + "\n"


def written(
    page: str, each_description: Iterable[SourceDescription], entries: Mapping[str, object]
) -> str:
    """The page with all places filled in.

    Raises:
        ValueError: the page lacks one of them.
    """
    parts = {
        "servers": _servers(each_description, entries),
        "routes": _routes(),
        "entries": _entries(entries),
    }
    for place, lines in parts.items():
        page = _filled(page, place, "\n".join(lines))
    return page


def _filled(page: str, place: str, text: str) -> str:
    begin, end = f"<!-- {place}: python -m desk.sources -->", f"<!-- end of {place} -->"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the page has no place between {begin} and {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def _servers(
    each_description: Iterable[SourceDescription], entries: Mapping[str, object]
) -> Iterator[str]:
    yield "| server | gives | origin, tier | licence and terms | known from | without a network |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for each in each_description:
        name = f"`{each.server}`" + ("" if each.server in entries else " (not in `.mcp.json`)")
        extra = f" Needs `make install-{each.extra}`." if each.extra else ""
        terms = f" ([terms]({each.terms_url}))" if each.terms_url else ""
        cells = (
            name,
            f"{each.gives}{extra}",
            f"{each.origin}; {' or '.join(each.tiers)}",
            f"{each.licence} {each.terms}{terms}",
            each.publication,
            _NETWORK[each.network],
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _routes() -> Iterator[str]:
    """The default routes, with capabilities that use the same servers in one row."""
    asked: dict[tuple[str, ...], list[str]] = {}
    for capability, routes in USUAL_ROUTES.items():
        asked.setdefault(tuple(route.server for route in routes), []).append(capability)
    yield "| capability | who is asked, and who in its place |"
    yield "| --- | --- |"
    for servers, capabilities in asked.items():
        named = ", ".join(f"`{each}`" for each in capabilities)
        yield f"| {named} | {', then '.join(f'`{each}`' for each in servers)} |"


def _entries(entries: Mapping[str, object]) -> Iterator[str]:
    yield "```"
    for server, entry in entries.items():
        yield f'"{server}": {json.dumps(entry)}'
    yield "```"


def main() -> int:
    """Rewrites the page and the file. Returns the exit status."""
    entries = json.loads(CONFIGURATION.read_text(encoding="utf-8"))["mcpServers"]
    page = written(PAGE.read_text(encoding="utf-8"), descriptions(), entries)
    PAGE.write_text(page, encoding="utf-8")
    OFFERED.write_text(asyncio.run(offered_tools(entries)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
