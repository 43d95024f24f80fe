"""The memory in Chroma: a folder, and a server that goes away, each as the library has it."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.memory import MemoryActivities
from desk.contracts.learning.memory import MemoryEntries, MemoryKind
from desk.platform.memory.chroma import ChromaFolder, ChromaMemory, ChromaServer
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.memory.store import MemoryAway, MemoryUnusable
from tests.memory.chroma_packages import chroma_environment, importable
from tests.memory.remembered import SameWords, asked, entry, ids
from tests.support.processes.homes import await_port, free_port

pytestmark = [
    pytest.mark.others,
    # What the library says of its own future is nothing that the desk can mend.
    pytest.mark.filterwarnings("ignore"),
]

ENTRIES = (
    entry("yen", "Carry positions were closed and the yen rose."),
    entry("ore", "Metal prices carry the Aussie.", markets=("AUD/USD",), day=1, run="swarm-2"),
    entry("plan", "Ask about havens.", kind=MemoryKind.PLAN, markets=("USD/CHF", "NVDA"), day=2),
    entry("long", "Rates and carry. " * 1_100, objective="  a long one ", markets=(), day=3),
)


@pytest.fixture(scope="module")
def environment() -> Path:
    environment = chroma_environment()
    importable(environment)
    return environment


@contextmanager
def serving(environment: Path, folder: Path, port: int) -> Iterator[None]:
    """A server of Chroma's, until the block ends."""
    command = [environment / "bin" / "chroma", "run", "--path", folder, "--port", str(port)]
    with (folder.with_suffix(".log")).open("wb") as log:
        server = subprocess.Popen(
            [str(word) for word in command], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            await_port(server, port, 60)
            yield
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(params=["a folder", "a server"])
def store(
    request: pytest.FixtureRequest, environment: Path, tmp_path: Path
) -> Iterator[ChromaMemory]:
    if request.param == "a folder":
        yield ChromaMemory(ChromaFolder(tmp_path / "chroma"), SameWords)
        return
    port = free_port()
    with serving(environment, tmp_path / "chroma", port):
        yield ChromaMemory(ChromaServer(f"http://127.0.0.1:{port}"), SameWords)


def test_what_was_put_comes_back_as_it_was(store: ChromaMemory) -> None:
    assert store.entries() == ()
    assert store.put(ENTRIES) == store.put(ENTRIES) == len(ENTRIES)
    assert store.entries() == ENTRIES
    store.put([entry("yen", "The latter holds.")])
    assert store.entries() == (entry("yen", "The latter holds."), *ENTRIES[1:])
    store.clear()
    assert store.entries() == ()


def test_what_came_later_or_is_not_asked_for_does_not_come_back(store: ChromaMemory) -> None:
    store.put(ENTRIES)
    question = "carry and havens"
    assert set(ids(store.search(asked(question)))) == {"yen", "ore", "plan", "long"}
    assert set(ids(store.search(asked(question, day=1)))) == {"yen", "ore"}
    assert ids(store.search(asked(question, day=0))) == ["yen"]
    assert ids(store.search(asked(question, day=-1))) == []
    assert ids(store.search(asked(question, kinds=("plan",)))) == ["plan"]
    assert ids(store.search(asked(question, day=0, besides="swarm-1"))) == []
    assert ids(store.search(asked(question, markets=("NVDA",))))[0] == "plan"
    assert len(store.search(asked(question, most=2))) == 2


def test_it_finds_what_the_embedded_memory_finds(store: ChromaMemory, tmp_path: Path) -> None:
    embedded = EmbeddedMemory(tmp_path / "memory.db", SameWords)
    for one in (store, embedded):
        one.put(ENTRIES)
    for question in ("metal", "havens for carry", "nothing of the kind", "usdchf", ""):
        for day in (0, 1, 365):
            query = asked(question, day=day)
            assert ids(store.search(query)) == ids(embedded.search(query))


def test_more_than_a_page_is_kept_and_found(store: ChromaMemory) -> None:
    many = [entry(f"{n:04}", f"carry {n}", day=n % 300, run=f"run-{n}") for n in range(1_203)]
    store.put(many)
    assert len(store.entries()) == len(many)
    assert "1077" in ids(store.search(asked("1077", most=3)))


async def test_a_server_that_is_away_is_told_of_and_the_run_goes_on(
    environment: Path, tmp_path: Path
) -> None:
    port = free_port()
    store = ChromaMemory(ChromaServer(f"http://127.0.0.1:{port}"), SameWords)
    activities = MemoryActivities(store)
    with serving(environment, tmp_path / "chroma", port):
        store.put(ENTRIES)
    with pytest.raises(MemoryAway, match=f"Chroma server at http://127.0.0.1:{port} is away"):
        store.put(ENTRIES)
    answer = await ActivityEnvironment().run(activities.recall_memory, asked("carry"))
    assert answer.recalled == ()
    assert answer.missing is not None and "is away" in answer.missing
    with serving(environment, tmp_path / "chroma", port):
        answer = await ActivityEnvironment().run(activities.recall_memory, asked("carry"))
        told = MemoryEntries(entries=(entry("new"),))
        remembered = await ActivityEnvironment().run(activities.remember, told)
    assert (len(answer.recalled), answer.missing, remembered.stored) == (4, None, 1)


@pytest.mark.usefixtures("environment")
def test_a_server_that_was_never_there_is_told_of() -> None:
    with pytest.raises(MemoryAway, match="is away"):
        ChromaMemory(ChromaServer(f"http://127.0.0.1:{free_port()}"), SameWords).search(asked("x"))


def random_bytes(folder: Path) -> None:
    file = folder / "chroma.sqlite3"
    file.write_bytes(os.urandom(file.stat().st_size))


def cut_in_half(folder: Path) -> None:
    file = folder / "chroma.sqlite3"
    os.truncate(file, file.stat().st_size // 2)


def no_database(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_text("what was remembered, in words\n" * 500)


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    "damage", [random_bytes, cut_in_half, no_database], ids=lambda damage: damage.__name__
)
def test_a_damaged_folder_is_set_aside_and_a_new_one_begun(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = tmp_path / "chroma"
    ChromaMemory(ChromaFolder(folder), SameWords).put(ENTRIES)
    damage(folder)
    left = (folder / "chroma.sqlite3").read_bytes()
    store = ChromaMemory(ChromaFolder(folder), SameWords)
    store.put([entry("new")])
    assert ids(store.search(asked("carry"))) == ["new"]
    assert (tmp_path / "chroma.damaged-1" / "chroma.sqlite3").read_bytes() == left
    lost = store.lost()
    assert lost is not None and "desk memory rebuild" in lost
    store.restored()
    assert store.lost() is None


@pytest.mark.usefixtures("environment")
def test_without_a_model_chroma_says_what_installs_one(tmp_path: Path) -> None:
    with pytest.raises(MemoryUnusable, match=r"`make install-chroma`.* installs both"):
        ChromaMemory(ChromaFolder(tmp_path / "chroma"), lambda: None).entries()
