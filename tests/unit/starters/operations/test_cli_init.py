"""`desk init`: the configuration of a folder, written for editing."""

import json
import stat
import sys
from pathlib import Path

import pytest

from desk.platform.settings import DEFAULTS, load_settings
from desk.platform.settings.mcp_json import read_mcp_config
from starters.main import execute
from starters.terminal.exit_status import ExitStatus

NAMES = ("desk.toml", ".env", ".mcp.json")


def test_three_files_are_written_and_what_comes_next_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new"
    assert execute(["init", str(folder)]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    for name in NAMES:
        assert f"Wrote  {folder / name}" in told
    assert f"Next: cd {folder}; `desk doctor`" in told
    assert stat.S_IMODE((folder / ".env").stat().st_mode) & 0o077 == 0
    assert [
        line for line in (folder / ".env").read_text().splitlines() if line[:1] not in "#"
    ] == []


def test_a_desk_with_the_written_files_is_the_one_without(tmp_path: Path) -> None:
    execute(["init", str(tmp_path)])
    ours, usual = load_settings(tmp_path, {}), load_settings(DEFAULTS, {})
    assert ours.desk_config == tmp_path / "desk.toml"
    assert ours.mcp_config == tmp_path / ".mcp.json"
    assert ours.config == usual.config


def test_a_client_starts_the_servers_by_the_interpreter_and_as_of_now(tmp_path: Path) -> None:
    execute(["init", str(tmp_path)])
    servers = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    itself = servers.pop("research_desk")
    assert itself["args"] == ["mcp", "serve", "--folder", str(tmp_path)]
    assert Path(itself["command"]).is_absolute()
    assert servers.keys() == read_mcp_config(DEFAULTS / ".mcp.json").keys()
    assert {entry["command"] for entry in servers.values()} == {sys.executable}
    assert {entry["args"][-1] for entry in servers.values()} == {"--as-of-now"}


def test_what_is_there_is_left_alone_unless_it_is_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=mine\n")
    execute(["init", str(tmp_path)])
    assert (tmp_path / ".env").read_text() == "ANTHROPIC_API_KEY=mine\n"
    assert f"Kept   {tmp_path / '.env'}" in capsys.readouterr().out
    execute(["init", str(tmp_path), "--force"])
    assert "mine" not in (tmp_path / ".env").read_text()
    assert (tmp_path / ".env.old").read_text() == "ANTHROPIC_API_KEY=mine\n"


def test_a_folder_that_cannot_be_made_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["init", "/dev/null/desk"]) == ExitStatus.FAILED
    assert capsys.readouterr().err == "desk: /dev/null/desk: Not a directory\n"
