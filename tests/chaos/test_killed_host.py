"""kill -9 of a `desk run` that hosts the server and all workers itself."""

import signal
from pathlib import Path

import psutil

from desk.programs.week.document.json_form import apart_from_the_run, from_json
from tests.support.command import DeskCommand, eventually
from tests.support.forks import forked_command

WEEK = "2026-W44"


def report_of(directory: Path) -> str:
    path = directory / "reports" / "weekly" / f"{WEEK}-asia-g10-fx.json"
    return apart_from_the_run(from_json(path.read_text()))


def test_a_killed_run_goes_on_when_it_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "killed").mkdir()
    (tmp_path / "undisturbed").mkdir()
    desk = DeskCommand(tmp_path / "killed")
    out, said = tmp_path / "out.txt", tmp_path / "said.txt"
    run = forked_command(["run", "--week", WEEK], desk.variables, out, said)
    eventually(lambda: "researching" in said.read_text(), "the start of the research")
    (server,) = (
        child for child in psutil.Process(run.pid).children() if "temporal" in child.name()
    )
    run.send_signal(signal.SIGKILL)
    run.wait()
    server.wait(timeout=60)
    again = desk("run", "--week", WEEK, "--json")
    assert again.code == 0, again.err
    assert again.json["revision"] == 1

    other = DeskCommand(tmp_path / "undisturbed")
    assert other("run", "--week", WEEK).code == 0
    assert report_of(tmp_path / "killed") == report_of(tmp_path / "undisturbed")
