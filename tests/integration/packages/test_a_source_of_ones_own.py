"""A source that the tree does not know, added as docs/extending.md says: a file and two entries."""

import json
import sys
from pathlib import Path

from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import PROJECT

SERVER = '''
from mcp.server import MCPServer

server = MCPServer("tracker", log_level="CRITICAL")


@server.tool()
def find_case(case: str, as_of: str) -> dict[str, str]:
    """One case of the tracker as it stood at an instant."""
    return {"number": case, "state": "Waiting for the dealer", "title": "A confirmation is missing"}


server.run()
'''
ROUTE = """
[[capabilities.ticket]]
server = "tracker"
tool = "find_case"
names = { ticket_id = "case" }
answer = { id = "number", status = "state", summary = "title" }
"""


def with_a_tracker(folder: Path) -> DeskCommand:
    """A desk that has one source more than the tree: no file of the tree is another."""
    program = folder / "tracker.py"
    program.write_text(SERVER)
    sources = json.loads((PROJECT / ".mcp.json").read_text())
    sources["mcpServers"]["tracker"] = {
        "command": sys.executable,
        "args": [str(program)],
        "tier": "primary",
        "origin": "The back office",
    }
    (folder / "mcp.json").write_text(json.dumps(sources))
    (folder / "desk.toml").write_text((PROJECT / "desk.toml").read_text() + ROUTE)
    return DeskCommand(
        folder,
        DESK_MCP_CONFIG=str(folder / "mcp.json"),
        DESK_CONFIG=str(folder / "desk.toml"),
    )


def test_a_question_is_answered_from_a_source_that_was_added_by_configuration(
    tmp_path: Path,
) -> None:
    desk = with_a_tracker(tmp_path)
    question = ("ask", "What is the status of CASE-7?", "--graph", "tickets")
    done = desk(*question, "--param", "ticket=CASE-7", "--json")
    assert done.code == 0, done.err
    (quoted,) = [q for q in done.json["quotations"] if q["text"] == "Waiting for the dealer"]
    evidence = {each["call"]["call_id"]: each for each in done.json["evidence"]}
    assert evidence[quoted["evidence_id"]]["call"]["server"] == "tracker"
    attribution = evidence[quoted["evidence_id"]]["attribution"]
    assert attribution == {"tier": "primary", "origin": "The back office"}
    (path,) = (tmp_path / "reports").rglob("*.json")
    assert desk("audit", str(path)).code == 0
