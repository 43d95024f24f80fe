"""Writes the servers' descriptions of their sources into a page: `python -m desk.sources`.

The page has places for it, between comments: the servers with licence and terms, the routes of the
capabilities, and the entries of `.mcp.json`. The rest of the page is written by hand.
"""

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from desk import sources
from desk.contracts.agents.capabilities import USUAL_ROUTES
from desk.contracts.findings.sources import NetworkUse, SourceDescription

PAGE = Path("docs/sources.md")
CONFIGURATION = Path(".mcp.json")

_NETWORK = {
    NetworkUse.NONE: "as with one",
    NetworkUse.REFRESHES: "by its copy",
    NetworkUse.LIVE: "not offered, or each answer says that it was not reached",
}


def descriptions() -> tuple[SourceDescription, ...]:
    """The source descriptions of all servers in this package, by name."""
    found = pkgutil.walk_packages(sources.__path__, f"{sources.__name__}.")
    modules = [
        importlib.import_module(each.name) for each in found if each.name.endswith(".server")
    ]
    found_descriptions: list[SourceDescription] = [module.DESCRIPTION for module in modules]
    return tuple(sorted(found_descriptions, key=lambda each: each.server))


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
    """Rewrites the page. Returns the exit status."""
    entries = json.loads(CONFIGURATION.read_text(encoding="utf-8"))["mcpServers"]
    page = written(PAGE.read_text(encoding="utf-8"), descriptions(), entries)
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
