"""A `.mcp.json` in which every server of the desk asks the stand-ins."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.standins.provider import providers
from tests.standins.serving import Standins
from tests.support.processes.homes import PROJECT


def configuration(standins: Standins) -> dict[str, Any]:
    """The entries of the project's own `.mcp.json`, each with the addresses of the stand-ins of
    its providers. A server that is not in there is left out."""
    told: dict[str, Any] = json.loads((PROJECT / ".mcp.json").read_text(encoding="utf-8"))
    servers: dict[str, dict[str, Any]] = told["mcpServers"]
    given: dict[str, tuple[str, ...]] = {}
    for provider in providers().values():
        for server, args in provider.arguments(standins.address(provider.name)).items():
            given[server] = (*given.get(server, ()), *args)
    for server, args in given.items():
        if server in servers:
            entry = servers[server]
            entry["args"] = [*_without(entry.get("args", []), args), *args]
    return told


def write_configuration(standins: Standins, folder: Path) -> Path:
    """Write it as `mcp.json` into a folder; gives its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mcp.json"
    path.write_text(json.dumps(configuration(standins), indent=2) + "\n", encoding="utf-8")
    return path


def variables(standins: Standins, home: Path) -> Mapping[str, str]:
    """The variables with which `desk` asks the stand-ins and keeps what they say apart from what is
    known: the configuration, a home and a folder of reports of their own."""
    return {
        "DESK_MCP_CONFIG": str(write_configuration(standins, home)),
        "DESK_HOME": str(home),
        "DESK_REPORTS": str(home / "reports"),
    }


def _without(args: list[str], replaced: tuple[str, ...]) -> list[str]:
    """Arguments without those of the same names, and their values."""
    names = {each for each in replaced if each.startswith("--")}
    kept: list[str] = []
    skips = False
    for each in args:
        if skips and not each.startswith("--"):
            continue
        skips = each in names
        if not skips:
            kept.append(each)
    return kept
