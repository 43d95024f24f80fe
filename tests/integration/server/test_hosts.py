"""What a process that hosts a desk, or works for one, does when something is in its way."""

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import timedelta
from pathlib import Path

import psutil
import pytest

import starters.main
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import ServerSettings
from tests.faults.fault import NOISE, Program
from tests.faults.programs import ASKED, USUAL
from tests.support.models.model_week import KEY
from tests.support.models.weak_endpoint import Request, weak_endpoint
from tests.support.processes.command import PATIENCE_SECONDS, DeskCommand, eventually
from tests.support.processes.forks import Fork, forked_command
from tests.support.processes.homes import PROJECT, free_port
from tests.support.scenarios.fleet import Effects
from workers.orchestrator import ORCHESTRATOR_TUNING
from workers.tuning import TUNING

INTERRUPTED = 130
COUNTED = "tests.support.processes.counted_desk"
SOME = ("run", "--markets", "USD/JPY,EUR/USD,GBP/USD,AUD/USD,US,JP,XM,GB")
"""A week that takes long enough for its server to go away in it."""

AT_ONCE_SECONDS = 4.0
"""Shorter than workers are given for what they hold."""


@contextmanager
def started(
    desk: DeskCommand,
    *words: str,
    said: str = "process.err",
    module: str = "starters.main",
    **variables: str,
) -> Iterator[Fork]:
    """A command at work; what it says is in a file."""
    err = desk.directory / said
    given = {**desk.variables, **variables}
    process = forked_command(words, given, err.with_suffix(".out"), err, module=module)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_ctrl_c_twice_stops_a_hosting_run_at_once_and_leaves_no_process(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    with started(desk, "run") as process:
        said = tmp_path / "process.err"
        eventually(lambda: "planning" in said.read_text(), "a run at work")
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(AT_ONCE_SECONDS) == INTERRUPTED
    assert below and not psutil.wait_procs(below, AT_ONCE_SECONDS)[1]
    assert "comes back to it" in said.read_text()


STUBBORN = """
import asyncio
from starters.terminal.interrupts import interruptible

async def stubborn() -> None:
    print("at work", flush=True)
    while True:
        try:
            # As a desk's loop, this one wakes often: a signal that comes just before a loop begins
            # to wait is seen when it wakes again.
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            print("cancelled", flush=True)

try:
    interruptible(stubborn())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_what_swallows_its_cancellation_does_not_outlive_a_second_ctrl_c() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as process:
        assert process.stdout is not None
        try:
            for said in ("at work", "cancelled", "interrupted"):
                assert process.stdout.readline().strip() == said
                process.send_signal(signal.SIGINT)
        finally:
            process.kill()


@asynccontextmanager
async def server_at(address: str, home: Path) -> AsyncIterator[None]:
    """A Temporal server of the user's own."""
    server = ServerSettings(port=int(address.rpartition(":")[2]), ui_port=free_port())
    async with embedded_server(home, server):
        yield


async def heard(said: Path, words: str) -> str:
    """What is in a file once it has the words."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while words not in said.read_text():
            await asyncio.sleep(0.05)
    return said.read_text()


async def test_a_worker_waits_for_its_server_and_a_run_for_one_that_goes_away(
    tmp_path: Path,
) -> None:
    desk = DeskCommand(tmp_path)
    at, home = {"TEMPORAL_ADDRESS": desk.address}, tmp_path / "server"
    worker_said, run_said = tmp_path / "worker.err", tmp_path / "run.err"
    with started(desk, "worker", "all", said=worker_said.name, **at), ExitStack() as running:
        await heard(worker_said, "waiting for it")
        async with server_at(desk.address, home):
            words = await heard(worker_said, "worker all at")
            process = running.enter_context(started(desk, *SOME, said=run_said.name, **at))
            await heard(run_said, "researching")
        await heard(run_said, "waiting for it")
        async with server_at(desk.address, home):
            code = await asyncio.to_thread(process.wait, PATIENCE_SECONDS)
    assert (words.count("waiting for it"), words.count("answers again")) == (1, 1)
    assert code == 0, run_said.read_text()
    assert "answers again" in run_said.read_text()


def test_a_worker_gives_up_when_it_is_told_to(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    command = ("worker", "all", "--give-up-after", "3")
    with started(desk, *command, TEMPORAL_ADDRESS=desk.address) as process:
        assert process.wait(PATIENCE_SECONDS) == 1
    waits, gives_up = (tmp_path / "process.err").read_text().splitlines()
    assert "waiting for it" in waits
    assert f"at {desk.address} has been away for" in gives_up


def test_runs_that_are_cancelled_leave_no_traceback_at_their_worker(tmp_path: Path) -> None:
    log = tmp_path / "effects.log"
    noted = {"EFFECT_LOG": str(log), "EFFECT_PAUSE": "0.3"}
    desk = DeskCommand(tmp_path, **noted, DESK_CONFIG=str(USUAL.written(tmp_path)))
    running = 'ExecutionStatus = "Running" AND ParentWorkflowId IS NULL'
    cancel = ("workflow", "cancel", "--query", running, "--reason", "a test", "--yes")
    up_said, said = tmp_path / "up.err", tmp_path / "asked.err"
    with started(desk, "up", said=up_said.name, module=COUNTED) as up:
        eventually(lambda: "workers" in up_said.read_text(), "desk up")
        for program in (Program.WEEK, Program.QUESTION):
            before = Effects(log).begun()
            with started(desk, *ASKED[program].line, said=said.name) as asked:
                eventually(
                    lambda least=before + 3: Effects(log).begun() >= least, "its first effects"
                )
                assert desk.temporal(*cancel).code == 0
                asked.wait(PATIENCE_SECONDS)
            assert "(Workflow cancelled)" in said.read_text()
        up.send_signal(signal.SIGINT)
        assert up.wait(PATIENCE_SECONDS) == 0
    told = up_said.read_text()
    assert "stopping" in told
    assert not any(words in told for words in NOISE), told


def main() -> None:
    """The command, whose workers have no time for what they are at when they are stopped."""
    for tuning in (TUNING, ORCHESTRATOR_TUNING):
        tuning["graceful_shutdown_timeout"] = timedelta(milliseconds=50)
    starters.main.main()


class HeldModel:
    """A model that answers the first question once it was asked the second, and the second when it
    is told to. Its answers are of no use, so that the desk answers by itself."""

    first, second = "What became of DESK-101?", "What became of DESK-102?"

    def __init__(self) -> None:
        self.asked_second, self.answers_second = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> str:
        """What it says, in time."""
        if self.second in json.dumps(request):
            self.asked_second.set()
            self.answers_second.wait(PATIENCE_SECONDS)
        else:
            self.asked_second.wait(PATIENCE_SECONDS)
        return "I do not know."


def test_a_host_that_is_done_finishes_the_model_call_of_another_command(tmp_path: Path) -> None:
    model = HeldModel()
    said = {question: tmp_path / f"{question[-2]}.err" for question in (model.first, model.second)}
    with weak_endpoint(model, refuses=()) as endpoint, ExitStack() as running:
        desk = DeskCommand(tmp_path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=endpoint.url)

        def asked(question: str) -> Fork:
            words = ("ask", question, "--graph", "tickets")
            name = said[question].name
            return running.enter_context(started(desk, *words, said=name, module=__name__))

        host = asked(model.first)
        eventually(lambda: endpoint.asked, "the first question is before the model")
        other = asked(model.second)
        eventually(
            lambda: "finishing" in said[model.first].read_text() or host.poll() is not None,
            "the first command is done",
        )
        answer = said[model.first].with_suffix(".out").read_text()
        model.answers_second.set()
        codes = [process.wait(PATIENCE_SECONDS) for process in (host, other)]
        calls = Counter(json.dumps(request) for request in endpoint.asked)
    assert codes == [0, 0], {path: path.read_text() for path in said.values()}
    assert "DESK-101" in answer
    assert set(calls.values()) == {1}
    assert "lost" not in said[model.second].with_suffix(".out").read_text()


@pytest.mark.parametrize("host", ["up", "ask"])
def test_a_host_that_is_interrupted_finishes_its_model_call(tmp_path: Path, host: str) -> None:
    model = HeldModel()
    asking = ("ask", model.second, "--graph", "tickets")
    with weak_endpoint(model, refuses=()) as endpoint, ExitStack() as running:
        desk = DeskCommand(tmp_path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=endpoint.url)
        said = tmp_path / f"{host}.err"
        hosting = running.enter_context(
            started(desk, *(asking if host == "ask" else ("up",)), said=said.name, module=__name__)
        )
        asked = hosting
        if host == "up":
            eventually(lambda: "workers" in said.read_text(), "it works")
            asked = running.enter_context(started(desk, *asking, said="asked.err", module=__name__))
        eventually(model.asked_second.is_set, "the question is before the model")
        hosting.send_signal(signal.SIGINT)
        eventually(
            lambda: "finishing a model call" in said.read_text() or hosting.poll() is not None,
            "it says what it waits for",
        )
        model.answers_second.set()
        assert hosting.wait(PATIENCE_SECONDS) == (0 if host == "up" else INTERRUPTED)
        code = asked.wait(PATIENCE_SECONDS) if host == "up" else desk(*asking).code
        calls = Counter(json.dumps(request) for request in endpoint.asked)
    assert "finishing a model call" in said.read_text()
    assert code == 0
    assert set(calls.values()) == {1}
