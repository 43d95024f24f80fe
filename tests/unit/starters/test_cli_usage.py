"""The `desk` command called wrongly, and what it says without a server."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from desk.contracts.findings.document import PublishedFiles
from desk.programs.week.document.publishing import publish
from starters import main
from starters.main import app, execute
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.reports import sample_report
from tests.support.processes.command import DeskCommand
from tests.support.processes.homes import home_environment

COMMANDS = [
    *(["run"], ["up"], ["worker"], ["rerun"], ["status"], ["report"], ["doctor"]),
    *(["dead-letters"], ["dead-letters", "retry"], ["schedule"]),
    *(["schedule", name] for name in ("apply", "show", "pause", "resume", "trigger", "delete")),
    ["backfill"],
    *(["watch"], ["agents"], ["learn"], ["scorecard"]),
    *(["tools"], ["tools", "discover"]),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no server runs; nothing here may start one."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    shown = CliRunner().invoke(app, [*command, "--help"])
    assert shown.exit_code == 0
    assert re.search(rf"Example: desk.*{command[0]}", shown.output)


@pytest.mark.parametrize("name", main.COMMANDS)
def test_the_help_lists_a_command_by_the_line_with_which_its_own_help_begins(name: str) -> None:
    loaded = main.loaded(name)
    begins = (loaded.short_help or loaded.help or "").split("\n\n")[0]
    assert main.COMMANDS[name].line == " ".join(begins.split())


LOADED_BY_COMMANDS = """
import json, os, sys
from starters.main import execute, loaded

def say():
    print(json.dumps([*sys.modules]), flush=True)

if os.fork() == 0:
    execute(["--help"])
    say()
    os._exit(0)
os.wait()
loaded("status")
say()
for name in sys.argv[1:]:
    loaded(name)
say()
"""

COMPUTING = {"report", "archive", "audit", "cleanup", "swarm"}
"""Commands that render or verify documents, which takes what computes figures; and a swarm's, which
compares the meaning of an objective with those of forms."""


class LoadedByCommands(NamedTuple):
    """The modules that are loaded after each, and the words of the help."""

    help: set[str]
    status: set[str]
    computing_no_figure: set[str]
    words: str


@pytest.fixture(scope="module")
def loaded_by() -> LoadedByCommands:
    """What one process has loaded: a fork of it after the help, itself after the status, and then
    after all commands that compute no figure."""
    names = sorted(main.COMMANDS.keys() - COMPUTING)
    line = [sys.executable, "-c", LOADED_BY_COMMANDS, *names]
    ran = subprocess.run(line, capture_output=True, text=True, check=True)
    *words, by_help, by_status, by_the_rest = ran.stdout.splitlines()
    after_help, after_status, after_all = (
        set(json.loads(each)) for each in (by_help, by_status, by_the_rest)
    )
    return LoadedByCommands(after_help, after_status, after_all, "\n".join(words))


def test_help_loads_no_command_and_nothing_heavy(loaded_by: LoadedByCommands) -> None:
    heavy = {"pydantic", "numpy", "temporalio", "desk.contracts", "starters.session"}
    assert "dead-letters" in loaded_by.words
    assert "starters.main" in loaded_by.help
    assert not heavy & loaded_by.help


def test_garbage_is_looked_for_after_a_command_is_imported_and_not_meanwhile() -> None:
    asked = (
        "import gc; from starters.main import loaded\n"
        "looks = []; gc.callbacks.append(lambda phase, told: looks.append(phase))\n"
        "loaded('archive'); made = [[] for _ in range(5_000)]\n"
        "print(gc.get_freeze_count() > 50_000, gc.isenabled(), 2 <= len(looks) < 40)"
    )
    ran = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert ran.stdout == "True True True\n"


def test_commands_that_compute_no_figure_load_no_numpy(loaded_by: LoadedByCommands) -> None:
    assert "starters.weeks.run" in loaded_by.computing_no_figure
    assert not {"numpy", "jinja2", "matplotlib"} & loaded_by.computing_no_figure


def test_the_status_starts_without_what_draws_logs_and_judges(loaded_by: LoadedByCommands) -> None:
    drawing_logging_judging = {
        *("rich.console", "structlog", "pendulum", "babel", "temporalio.worker"),
        *("desk.trust.prose", "desk.agents.registry", "desk.runs"),
    }
    assert "starters.monitoring.status" in loaded_by.status
    assert not drawing_logging_judging & loaded_by.status


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--week", "2026-44"], "'2026-44' is not a week.*2026-W44"),
        (["run", "--week", "2026-W54"], "2026-W54"),
        (["run", "--week", "2099-W01"], "2099-W01 is not over.*latest complete week is"),
        (["run", "--markets", "USD/JPX"], "no market 'USD/JPX'; nearest: USD/JPY"),
        (["run", "--markets", " , "], "names no market"),
        (["run", "--out", "/dev/null/x"], "--out /dev/null/x: "),
        (["rerun", "USD/JPX", "--reason", "x"], "no market 'USD/JPX'; nearest: USD/JPY"),
        (["rerun", "USD/JPY", "--reason", " "], "--reason is empty"),
        (["rerun", "USD/JPY", "--reason", "y" * 1_001], "--reason has 1,001.*at most 1,000"),
        (["rerun", "USD/JPY"], "--reason"),
        (["rerun", "USD/JPY", "--week", "W44", "--reason", "x"], "'W44' is not a week"),
        (["status", "--week", "44"], "'44' is not a week"),
        (["watch", "--week", "44"], "'44' is not a week"),
        (["report", "--json", "--open"], "one of --open and --json at a time"),
        (["backfill", "--from", "2026-W10", "--to", "2026-W09"], "comes before"),
        (["backfill", "--from", "2026-W10", "--to", "2099-W09"], "is not over"),
        (["worker", "cook"], "'orchestrator', 'research', 'validation', 'sources', 'all'"),
        (["runn"], "No such command 'runn'"),
        (["run", "--weeks", "2026-W44"], "No such option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage_is_one_line_with_what_to_do_and_status_2(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert execute(arguments) == ExitStatus.USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(rf"desk: .*{says}.*\n", told.err)
    assert not (home / "home" / "temporal.db").exists()


def test_a_bad_setting_is_wrong_usage(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "loud")
    assert execute(["run"]) == ExitStatus.USAGE
    assert capsys.readouterr().err.startswith("desk: environment: LOG_LEVEL is 'loud'; allowed: ")


def test_a_home_that_cannot_be_made_is_wrong_usage(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_HOME", "/dev/null/desk")
    for command in (["run"], ["up"], ["status"]):
        assert execute(command) == ExitStatus.USAGE
        assert "/dev/null/desk cannot be made" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        (
            "no-such-host.invalid:7233",
            ExitStatus.FAILED,
            r"desk: no Temporal server answers at no-such-host\.invalid:7233 \((the name "
            r"no-such-host\.invalid cannot be resolved|no name server says where "
            r"no-such-host\.invalid is)\); check TEMPORAL_ADDRESS .*\n",
        ),
        (
            "localhost:abc",
            ExitStatus.USAGE,
            r"desk: the address of the Temporal server is 'localhost:abc' .*HOST:PORT.*\n",
        ),
    ],
)
def test_a_server_whose_address_leads_nowhere_is_one_line(
    tmp_path: Path, address: str, status: ExitStatus, says: str
) -> None:
    answer = DeskCommand(tmp_path, TEMPORAL_ADDRESS=address)("status")
    assert (answer.code, answer.out) == (status, "")
    assert re.fullmatch(says, answer.err)


def test_a_report_that_is_not_there_is_said_with_how_to_make_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["report", "--week", "2026-W44"]) == ExitStatus.FAILED
    assert "no report of 2026-W44; `desk run --week 2026-W44`" in capsys.readouterr().err


def published(home: Path) -> PublishedFiles:
    return publish(sample_report(), home / "reports")


def test_a_published_report_is_shown_without_a_server(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = published(home)
    assert execute(["report"]) == ExitStatus.COMPLETE
    shown = capsys.readouterr().out
    assert sample_report().week in shown
    assert files.html in shown
    assert execute(["report", "--json"]) == ExitStatus.COMPLETE
    assert capsys.readouterr().out == Path(files.json_file).read_text()
    assert execute(["report", "--revisions"]) == ExitStatus.COMPLETE
    assert len(capsys.readouterr().out.splitlines()) == len(sample_report().revisions)


def test_a_damaged_report_is_named_with_what_to_do(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = published(home)
    Path(files.json_file).write_text('{"week": "2026')
    assert execute(["report"]) == ExitStatus.FAILED
    told = capsys.readouterr()
    assert told.out == ""
    assert f"desk: {files.json_file} is damaged" in told.err


def test_an_unforeseen_error_is_one_line_unless_debugging(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr("starters.published.report.command.show_report", broken)
    assert execute(["report"]) == ExitStatus.FAILED
    assert capsys.readouterr().err == "desk: ZeroDivisionError: by zero; DESK_DEBUG=1 shows where\n"
    monkeypatch.setenv("DESK_DEBUG", "1")
    assert execute(["report"]) == ExitStatus.FAILED
    assert "Traceback" in capsys.readouterr().err
