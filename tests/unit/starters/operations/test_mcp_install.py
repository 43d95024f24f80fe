"""`desk mcp install`: the desk's servers in the file of an assistant's client."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from desk.platform.settings import mcp_json
from starters.main import execute
from starters.operations.assistants.client_files import desktop_file
from starters.terminal.exit_status import ExitStatus
from tests.support.processes.homes import home_environment


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desk's folder with a source of its own, in which the commands are given."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    execute(["init", str(tmp_path)])
    file = tmp_path / ".mcp.json"
    written = json.loads(file.read_text())
    written["mcpServers"]["tracker"] = {"command": "python", "args": ["tracker.py"]}
    file.write_text(json.dumps(written))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def servers_of(file: Path) -> dict[str, Any]:
    servers: dict[str, Any] = json.loads(file.read_text())["mcpServers"]
    return servers


def test_a_desktop_client_needs_neither_the_folder_nor_the_environment(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "client" / "config.json"
    install = ["mcp", "install", "claude-desktop", "--file", str(file)]
    assert execute(install) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert f"Wrote {file}" in told
    assert "start it again" in told
    servers = servers_of(file)
    assert servers["ecb"] == {
        "command": sys.executable,
        "args": [
            *("-m", "desk.sources.ecb.server", "--cache-dir", str(folder / ".desk" / "cache")),
            *("--refresh-every", "3600", "--as-of-now"),
        ],
    }
    assert str(folder / "reports") in servers["knowledge"]["args"]
    assert servers["tracker"]["command"] == sys.executable
    assert servers["research_desk"]["args"] == ["mcp", "serve", "--folder", str(folder)]
    assert "${" not in file.read_text()


@pytest.mark.parametrize(
    ("client", "told"),
    [("claude-code", "Listed, and answers nothing yet"), ("claude-desktop", "Left out")],
)
def test_a_server_without_its_package_is_told_with_what_installs_it(
    client: str,
    told: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(mcp_json.NEEDS, "desk.sources.yahoo.server", "no_such_package")
    execute(["mcp", "install", client, "--print"])
    shown = capsys.readouterr()
    assert f"{told}: yahoo_finance needs the package no_such_package" in shown.err
    assert "yahoo_finance" not in shown.err.splitlines()[0]
    assert ("yahoo_finance" in json.loads(shown.out)["mcpServers"]) is (client == "claude-code")


def test_servers_and_settings_of_others_stay(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    other = {"command": "npx", "args": ["other"]}
    outdated = {"command": "/gone/python", "args": ["-m", "desk.sources.ecb.server"]}
    there = {"theme": "dark", "mcpServers": {"files": other, "social": other, "ecb": outdated}}
    file.write_text(json.dumps(there))
    install = ["mcp", "install", "claude-desktop", "--file", str(file)]
    execute(install)
    assert json.loads(file.read_text())["theme"] == "dark"
    servers = servers_of(file)
    assert (servers["files"], servers["social"]) == (other, other)
    assert servers["ecb"]["command"] == sys.executable
    assert "others have these names there: social; --force" in capsys.readouterr().out
    execute([*install, "--force"])
    assert servers_of(file)["social"]["command"] == sys.executable


def test_print_shows_the_file_and_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / ".mcp.json").read_text()
    capsys.readouterr()
    assert execute(["mcp", "install", "--print"]) == ExitStatus.COMPLETE
    assert "research_desk" in json.loads(capsys.readouterr().out)["mcpServers"]
    assert (folder / ".mcp.json").read_text() == before


def test_the_projects_own_file_is_what_the_desk_reads_as_well(folder: Path) -> None:
    file = folder / ".mcp.json"
    execute(["mcp", "install"])
    servers = servers_of(file)
    assert servers["ecb"]["inProcess"] == "desk.sources.ecb.server"
    assert servers["tracker"] == {"command": sys.executable, "args": ["tracker.py"]}
    once = file.read_text()
    execute(["mcp", "install"])
    assert file.read_text() == once


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}'])
def test_a_file_that_cannot_be_used_is_left_as_it_is(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    command = ["mcp", "install", "claude-desktop", "--file", str(file)]
    assert execute(command) == ExitStatus.FAILED
    assert "nothing is changed" in capsys.readouterr().err
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("system", "variables", "place"),
    [
        ("darwin", {}, "~/Library/Application Support/Claude/claude_desktop_config.json"),
        ("linux", {}, "~/.config/Claude/claude_desktop_config.json"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/Claude/claude_desktop_config.json"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_claude_desktop_has_its_file_where_the_system_keeps_such(
    system: str, variables: dict[str, str], place: str
) -> None:
    assert desktop_file(variables, system) == Path(place).expanduser()
