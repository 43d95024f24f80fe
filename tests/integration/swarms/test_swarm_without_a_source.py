"""A swarm whose source of prices does not even start."""

import json
import re
from pathlib import Path

from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import PROJECT

OBJECTIVE = "Is USD/JPY overbought, and what drives it?"


def test_it_ends_in_a_report_of_what_could_not_be_researched(tmp_path: Path) -> None:
    sources = json.loads((PROJECT / ".mcp.json").read_text())
    sources["mcpServers"]["analysis"] = {"command": "false"}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps(sources))
    desk = DeskCommand(tmp_path, DESK_MCP_CONFIG=str(config))
    told = desk("swarm", OBJECTIVE, "--as-of", "2026-10-30", "--no-memory")
    assert told.code == 3, told.err
    assert "plan_1 (research leader) failed" in told.out
    assert "MCP server analysis cannot be opened" in told.out
    found = re.search(r"Report +(\S+)", told.out)
    assert found is not None, told.out
    page = Path(found[1])
    assert "MCP server analysis cannot be opened" in page.read_text()
    audited = desk("audit", str(page.with_suffix(".json")))
    assert audited.code == 0, audited.out
