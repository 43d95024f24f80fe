"""What the shell and a newcomer ask of `desk`: its version, its groups, completion."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desk.programs.week.document.publishing import publish
from starters.main import COMMANDS, Panel, execute
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.reports import sample_report
from tests.support.processes.homes import PROJECT, home_environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a published week in which no server runs."""
    publish(sample_report(), tmp_path / "reports")
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def offered(
    home: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], set[str]]:
    """What the shell is offered after a command line, by the way in which bash asks."""

    def ask(line: str) -> set[str]:
        monkeypatch.setattr("sys.argv", ["desk"])
        monkeypatch.setenv("_DESK_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        with pytest.raises(SystemExit):
            execute([])
        return set(capsys.readouterr().out.split())

    return ask


def test_the_version_names_the_desk_python_and_temporal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert execute(["--version"]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert re.fullmatch(
        r"research-desk \d\S+, Python 3\.\S+, Temporal SDK 1\.\S+, temporal .*Server 1\..*\n", told
    )


def test_the_help_has_every_command_in_the_group_of_what_people_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert execute(["--help"]) == ExitStatus.COMPLETE
    shown = capsys.readouterr().out
    places = [shown.index(f" {panel} ─") for panel in Panel]
    assert places == sorted(places)
    for name, command in COMMANDS.items():
        place = re.search(rf"^│ {name} ", shown, re.MULTILINE)
        assert place is not None
        assert (
            max(p for p in places if p < place.start()) == places[list(Panel).index(command.panel)]
        )
    first = [name for name, command in COMMANDS.items() if command.panel is Panel.FIRST]
    assert first == ["run", "report", "audit", "ask", "doctor"]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("desk re", {"report", "rerun", "refresh"}),
        ("desk report --week 20", {sample_report().week}),
        ("desk audit 20", {sample_report().week}),
        ("desk run --markets USD/JPY,EUR", {"USD/JPY,EUR/USD"}),
        ("desk rerun EUR", {"EUR/USD"}),
        ("desk ask --graph ti", {"tickets"}),
        ("desk swarm --about overb", {"overbought"}),
    ],
)
def test_the_shell_is_offered_what_fits(
    offered: Callable[[str], set[str]], line: str, wanted: set[str]
) -> None:
    assert offered(line) == wanted


def test_the_shell_is_offered_nothing_where_the_settings_cannot_be_read(
    offered: Callable[[str], set[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "desk.toml"
    broken.write_text("[markets")
    monkeypatch.setenv("DESK_CONFIG", str(broken))
    assert offered("desk report --week 20") == set()


def test_ctrl_c_while_the_command_is_imported_leaves_without_a_traceback(tmp_path: Path) -> None:
    interrupting = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport nothing_here\n"
    (tmp_path / "typer.py").write_text(interrupting)
    done = subprocess.run(
        (sys.executable, "-c", "from starters.terminal.entry import main\nmain()"),
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (ExitStatus.INTERRUPTED, "", "")
