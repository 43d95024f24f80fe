"""Servers that tests share."""

import gc
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from desk.platform.temporal.client import desk_plugin
from tests.support.desk import register_search_attributes
from tests.support.meaning import meaning, words_alone
from tests.support.standins import standins as standins

# How long an example takes is the machine's doing.
settings.register_profile("desk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("desk")

# A shell starts what it puts in the background with Ctrl-C ignored, and so would be whatever tests
# start from there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

words_alone()

# Tests and what they import stay to the end: to look through them for garbage again and again, as
# Python does by itself, is a quarter of the time in which they are collected.
_USUAL = gc.get_threshold()
gc.set_threshold(100_000, 50, 100)


OF_DESKS = ("chaos", "integration", "workflow", "leak")
"""Folders with files of a minute, which wait for most of it. They begin first, in this order."""

LAST_OF_DESKS = 0.85
"""The part of the other files by which all of those have begun: none is left alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that wait between files that compute, so that no processor waits with the former."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    waiting = [name for name in files if _place(name) < len(OF_DESKS)]
    computing = [name for name in files if _place(name) == len(OF_DESKS)]
    due = {name: at / max(len(computing), 1) for at, name in enumerate(computing)}
    apart = LAST_OF_DESKS / max(len(waiting), 1)
    due |= {name: at * apart for at, name in enumerate(sorted(waiting, key=_place))}
    items[:] = [item for name in sorted(files, key=due.__getitem__) for item in files[name]]


def _place(file: str) -> int:
    """Of a file's folder among those of desks; behind them all for the others."""
    folder = file.split("/")[1]
    return OF_DESKS.index(folder) if folder in OF_DESKS else len(OF_DESKS)


def pytest_collection_finish() -> None:
    """From here on as usual: what a killed worker leaves behind goes before the next test."""
    gc.freeze()
    gc.set_threshold(*_USUAL)


@pytest.fixture
def with_meaning() -> Iterator[None]:
    """The model of meaning, which tests are without otherwise."""
    with meaning():
        yield


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a terminal of 80 columns; `capsys` reads what is written there."""
    # Of the class: for the test itself pytest makes another stream than for what sets it up.
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _stream: True)
    monkeypatch.setenv("COLUMNS", "80")


def binary(name: str) -> str:
    """A program that the virtual environment brings."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed: run `make install-dev`")
    return found


@pytest.fixture
async def skipping(tmp_path: Path) -> AsyncIterator[WorkflowEnvironment]:
    """A server of the test's own, whose clock skips to the next timer."""
    environment = await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=binary("temporal-test-server"),
        plugins=[desk_plugin(tmp_path / "payloads")],
    )
    async with environment:
        await register_search_attributes(environment.client)
        yield environment


@pytest.fixture
def client(skipping: WorkflowEnvironment) -> Client:
    """A client of the time-skipping server."""
    return skipping.client


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Client]:
    """A client of a development server of the test's own: unlike the one whose clock skips it lists
    what it keeps, and closes children with their parent."""
    environment = await WorkflowEnvironment.start_local(
        dev_server_existing_path=binary("temporal"), plugins=[desk_plugin(tmp_path / "payloads")]
    )
    async with environment:
        await register_search_attributes(environment.client)
        yield environment.client
