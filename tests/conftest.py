"""Servers that tests share."""

import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from execnet import XSpec
from hypothesis import HealthCheck, settings
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.scheduler.protocol import Scheduling
from xdist.workermanage import WorkerController

from desk.platform.temporal.plugin import desk_plugin
from tests.standins.serving import Standins, serving
from tests.support.described_tools import describe_once
from tests.support.meaning import meaning, words_alone
from tests.support.processes.forks import fork_at
from tests.support.processes.imported import imported
from tests.support.processes.local_server import binary, local_server, started
from tests.support.processes.namespaces import Namespace, new_namespace
from tests.support.runs.desk import register_search_attributes
from workers.tuning import GC_THRESHOLDS

# How long an example takes is the machine's doing.
_patient = settings(deadline=None, derandomize=False, suppress_health_check=[HealthCheck.too_slow])
# Every run draws examples of its own, so that few in each come to many: to draw them is a tenth of
# the unit tests' time with twelve. Many at once: `pytest --hypothesis-profile thorough`.
settings.register_profile("desk", _patient, max_examples=12)
settings.register_profile("thorough", _patient, max_examples=1_000)
settings.load_profile("desk")

# A shell starts what it puts in the background with Ctrl-C ignored, and so would be whatever tests
# start from there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

words_alone()
describe_once()

# Servers of tests live for seconds: to look for garbage as seldom as this is a fifth of their work.
os.environ.setdefault("GOGC", "800")
# Of two processors one is enough for a server, as for the embedded one.
if os.cpu_count() == 2:
    os.environ.setdefault("GOMAXPROCS", "1")

LONGEST_FIRST = ("chaos", "integration", "workflow", "leak")
"""Folders with files of a minute. They go first, so that none of them is left alone at the end."""


WAITING = "tests/chaos/"
"""Files that wait for most of their time, for what was killed to be noticed."""

MOST_WAITING = 2
"""So many workers have such files at once. The others meanwhile have files that compute: where all
wait together, the processors are idle for half of the time."""

FORKING = "forking"
"""Under which the processes side by side are told where their forks come from."""

TOGETHER = ("tests/architecture/",)
"""Folders whose files go to one worker."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those of `LONGEST_FIRST` in that order, and the others as they were."""
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.nodeid.split("/")[1], len(places)))


class SideBySide(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """Files are handed out whole, and those that rest on the same trees of the code together; of
    those that wait, few at once."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give a worker the next file: one that does not wait, where enough others have one."""
        others = [work for other, work in self.assigned_work.items() if other is not node]
        if sum(map(_waits, others)) >= MOST_WAITING:
            computing = (file for file in self.workqueue if not file.startswith(WAITING))
            self.workqueue.move_to_end(next(computing, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        """What a test is handed out with."""
        file: str = super()._split_scope(nodeid)
        return str(Path(file).parent) if file.startswith(TOGETHER) else file


def _waits(work: Mapping[str, Mapping[str, bool]]) -> bool:
    """Whether one of the files that a worker has waits, and has tests that are not done."""
    return any(file.startswith(WAITING) and not all(done.values()) for file, done in work.items())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """What hands the tests out where files are asked for."""
    return SideBySide(config, log) if config.getvalue("dist") == "loadfile" else None


DESKS = pytest.StashKey[str]()
"""Where the forks of all processes side by side come from."""


def _runs_all(config: pytest.Config) -> bool:
    """Whether all tests are run."""
    return bool(config.args == config.getini("testpaths"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[XSpec]) -> None:
    """Where all tests are run, the processes side by side are forks of one that has imported them,
    and so are the processes of desks that they start."""
    if not _runs_all(config):
        return
    held = ExitStack()
    config.add_cleanup(held.close)
    process = held.enter_context(imported())
    for spec in specs:
        spec.python = process.python
    config.stash[DESKS] = process.desks


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """See `pytest_xdist_setupnodes`."""
    if desks := node.config.stash.get(DESKS, None):
        node.workerinput[FORKING] = desks


def pytest_configure(config: pytest.Config) -> None:
    """See `pytest_xdist_setupnodes`."""
    # Tests and what they import stay to the end: to look through them for garbage again and again,
    # as Python does by itself, is a quarter of the time in which they are collected.
    gc.set_threshold(100_000, 50, 100)
    if address := getattr(config, "workerinput", {}).get(FORKING):
        fork_at(address)


def pytest_collection_finish() -> None:
    """From here on garbage is looked for as in a process of the desk: what a killed worker leaves
    behind goes soon. With Python's own thresholds that is a fifteenth of the tests' time."""
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


@pytest.fixture
def with_meaning() -> Iterator[None]:
    """The model of meaning, which tests are without otherwise."""
    with meaning():
        yield


@pytest.fixture
def standins() -> Iterator[Standins]:
    """The stand-ins of all providers, well, on free ports of the test's own; `standins.fail("ecb",
    Failure.SLOW)` has one fail."""
    with serving() as found:
        yield found


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a terminal of 80 columns; `capsys` reads what is written there."""
    # Of the class: for the test itself pytest makes another stream than for what sets it up.
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
async def skipping(tmp_path: Path) -> AsyncIterator[WorkflowEnvironment]:
    """A server of the test's own, whose clock skips to the next timer."""
    plugin = desk_plugin(tmp_path / "payloads")
    environment = await started(
        lambda: WorkflowEnvironment.start_time_skipping(
            test_server_existing_path=binary("temporal-test-server"), plugins=[plugin]
        )
    )
    async with environment:
        await register_search_attributes(environment.client)
        yield environment


@pytest.fixture
def client(skipping: WorkflowEnvironment) -> Client:
    """A client of the time-skipping server."""
    return skipping.client


@pytest.fixture(scope="session")
async def shared_server() -> AsyncIterator[Client]:
    """A development server for all tests of this process: unlike the server whose clock skips it
    lists what it keeps, and closes children with their parent."""
    async with local_server() as client:
        yield client


@pytest.fixture
async def namespace(shared_server: Client) -> Namespace:
    """A namespace of the test's own."""
    return await new_namespace(shared_server)


@pytest.fixture
async def server(namespace: Namespace, tmp_path: Path) -> Client:
    """A client of a development server, in a namespace of the test's own."""
    return await namespace.client(tmp_path)
