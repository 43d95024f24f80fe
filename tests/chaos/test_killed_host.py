"""kill -9 of a `desk run` that hosts the server and all workers itself."""

import signal
from pathlib import Path

import psutil

from desk.platform.server.record import LAST_SEEN
from tests.chaos.test_killed_processes import repeated
from tests.support.processes.command import DeskCommand, answered, eventually
from tests.support.processes.counted_worker import hold_up, let_go, read_notes
from tests.support.processes.forks import forked_command

WEEK = "2026-W44"
MARKETS = "USD/JPY,USD/HKD,JP"
RUN = ("run", "--week", WEEK, "--markets", MARKETS)


COUNTED = "tests.support.processes.counted_desk"


def done(log: Path) -> int:
    return sum(note["stage"] == "done" for note in read_notes(log))


def phase_at_rest(desk: DeskCommand) -> str:
    """The phase that `desk status` says the run is in, for which it must start no server."""
    written = {
        path: path.stat().st_mtime_ns for path in (desk.directory / "home").glob("temporal.db*")
    }
    status = desk("status", "--json")
    assert status.code == 0, status.err
    assert {
        path: path.stat().st_mtime_ns for path in (desk.directory / "home").glob("temporal.db*")
    } == written
    return str(status.json["phase"])


def test_a_killed_run_goes_on_when_it_is_asked_for_again(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    out, said, log = (tmp_path / name for name in ("out.txt", "said.txt", "effects.log"))
    hold_up(log, "/market/USD/HKD/")
    counted = {**desk.variables, "EFFECT_LOG": str(log)}
    run = forked_command(RUN, counted, out, said, module=COUNTED)
    eventually(lambda: done(log) >= 8, "some of the research")
    (server,) = (
        child for child in psutil.Process(run.pid).children() if "temporal" in child.name()
    )
    run.send_signal(signal.SIGKILL)
    run.wait()
    server.wait(timeout=60)
    assert phase_at_rest(desk) in ("planning", "researching")

    (desk.directory / "home" / LAST_SEEN).unlink()
    before = read_notes(log)
    asked = forked_command(("status",), counted, out, said, module=COUNTED)
    assert asked.wait() == 0, said.read_text()
    assert "`desk up` goes on with the run" in out.read_text()
    assert read_notes(log) == before, "a command that reads does nothing of the run's work"

    let_go(log)
    again = answered((*RUN, "--json"), counted, module=COUNTED)
    assert again.code == 0, again.err
    assert (again.json["revision"], again.json["coverage"]["researched"]) == (1, 3)
    assert repeated(log) == []
    assert phase_at_rest(desk) == "open_for_reruns"
