"""The servers under their earlier names: in a user's `.mcp.json`, and as commands."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from desk.platform.mcp.attribution import own_module
from desk.platform.settings.mcp_json import RENAMED, read_mcp_config
from tests.support.processes.homes import PROJECT


@pytest.mark.parametrize("earlier", RENAMED)
def test_an_entry_under_the_earlier_name_is_todays_server(earlier: str, tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    entries = {
        "run": {"command": "python", "args": ["-m", earlier, "--x"], "inProcess": earlier},
        "reached": {"url": "http://rates.internal:8901/mcp", "module": earlier},
        "another": {"command": "python", "args": ["-m", "somebody.else", earlier]},
    }
    file.write_text(json.dumps({"mcpServers": entries}))
    specs = read_mcp_config(file)
    assert specs["run"].args == ("-m", RENAMED[earlier], "--x")
    assert own_module(specs["run"]) == own_module(specs["reached"]) == RENAMED[earlier]
    assert specs["another"].args == ("-m", "somebody.else", earlier)


def test_every_earlier_name_still_runs_and_says_what_to_write_instead() -> None:
    for earlier in RENAMED:
        assert (PROJECT / f"{earlier.replace('.', '/')}.py").is_file()
    ran = subprocess.run(
        [sys.executable, "-m", "mcp_servers.ecb", "--help"],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        timeout=60,
        check=True,
    )
    assert "python -m mcp_servers.ecb is now python -m desk.sources.ecb.server" in ran.stderr
    assert "--refresh-every" in ran.stdout
