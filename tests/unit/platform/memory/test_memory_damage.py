"""A memory that is damaged or cannot be used: set aside, begun anew, and told of."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from desk.platform.memory import embedded as memory_file
from desk.platform.memory.embedded import VERSION, EmbeddedMemory
from desk.platform.memory.store import MemoryAway, MemoryUnusable
from tests.memory.remembered import SameWords, asked, entry, fill, ids
from tests.support.processes.forks import at_once


def memory(path: Path) -> EmbeddedMemory:
    return EmbeddedMemory(path, lambda: SameWords())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory of two hundred entries, closed and without a log beside it."""
    path = tmp_path / "memory.db"
    memory(path).put([entry(f"{n}", f"carry {n} " + "positions " * 40) for n in range(200)])
    assert not path.with_name("memory.db-wal").exists()
    return path


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_within_its_head(path: Path) -> None:
    os.truncate(path, 70)


def random_bytes(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def random_from_its_second_page(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))


def other_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entries (memory_id TEXT, text TEXT)")
        connection.execute(f"PRAGMA user_version={VERSION}")


def another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version={VERSION + 1}")


def no_database(path: Path) -> None:
    path.write_text("what was remembered, in words\n" * 500)


DAMAGES = (
    emptied,
    cut_in_half,
    cut_within_its_head,
    random_bytes,
    random_from_its_second_page,
    other_tables,
    another_version,
    no_database,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_memory_is_set_aside_as_it_is_and_a_new_one_begun(
    path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    left = path.read_bytes()
    store = memory(path)
    assert store.search(asked("carry positions")) == ()
    assert path.with_name("memory.db.damaged-1").read_bytes() == left
    lost = store.lost()
    assert lost is not None and "memory.db.damaged-1" in lost and "desk memory rebuild" in lost
    store.put([entry("new")])
    assert ids(store.search(asked("carry positions"))) == ["new"]
    assert memory(path).lost() == lost
    store.restored()
    assert memory(path).lost() is None


def test_a_memory_that_is_damaged_while_it_is_in_use_takes_what_it_is_told(path: Path) -> None:
    store = memory(path)
    assert len(store.entries()) == 200
    random_bytes(path)
    assert store.put([entry("new")]) == 1
    assert ids(memory(path).search(asked("carry"))) == ["new"]


def test_each_damaged_memory_keeps_a_name_of_its_own(path: Path) -> None:
    for _ in range(2):
        no_database(path)
        memory(path).put([entry("a")])
    aside = {one.name for one in path.parent.glob("*.damaged-*")}
    assert aside == {"memory.db.damaged-1", "memory.db.damaged-2"}


def test_an_index_that_disagrees_with_its_table_does_not_keep_the_desk_from_its_memory(
    path: Path,
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'by_instant'")
        connection.commit()
    store = memory(path)
    store.put([entry("new")])
    assert "new" in ids(store.search(asked("carry", most=40)))


def test_an_entry_that_cannot_be_read_is_left_out_and_the_others_stay(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE entries SET entry = x'fffe00' WHERE memory_id = '7'")
        connection.execute("UPDATE entries SET vector = x'00' WHERE memory_id = '8'")
        connection.commit()
    store = memory(path)
    assert len(store.entries()) == 199
    assert ids(store.search(asked("carry 8", most=1))) == ["8"]
    assert store.lost() is None


def test_two_processes_that_find_the_damage_set_it_aside_once(path: Path) -> None:
    random_bytes(path)
    assert at_once(path.parent, fill, (path, "one", 10), (path, "two", 10)) == [0, 0]
    assert [one.name for one in path.parent.glob("*.damaged-*")] == ["memory.db.damaged-1"]
    assert len(memory(path).entries()) == 20


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    store = memory(tmp_path / "home" / "memory.db")
    with pytest.raises(MemoryUnusable, match=r"home/memory\.db cannot be used"):
        store.put([entry("a")])
    with pytest.raises(MemoryUnusable):
        store.search(asked("carry"))


def test_something_else_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(MemoryUnusable):
        memory(tmp_path / "memory.db").put([entry("a")])
    assert [one.name for one in tmp_path.iterdir() if one.is_dir()] == ["memory.db"]


def test_a_memory_that_others_hold_may_be_had_later(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.memory.embedded.PATIENCE_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryAway, match="held by another process"):
            memory(path).put([entry("new")])
        assert len(memory(path).entries()) == 200
    assert memory(path).put([entry("new")]) == 1


@pytest.fixture
def full_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that may have no page more than it has, as SQLite tells of a full disk."""
    connected = memory_file._connected

    def without_room(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(memory_file, "_connected", without_room)
    return path


def test_a_full_disk_is_told_of_and_leaves_what_was_there(full_disk: Path) -> None:
    with pytest.raises(MemoryUnusable, match="no room for the memory"):
        memory(full_disk).put([entry("new", "carry " * 3_000), entry("more", "yen " * 3_000)])
    assert len(memory(full_disk).entries()) == 200
    assert memory(full_disk).lost() is None
