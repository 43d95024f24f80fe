"""What a desk keeps is for its owner alone; what it publishes is as readable as ever."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.platform.files import make_private
from tests.support.processes.command import DeskCommand

WEEK = ("--week", "2026-W44", "--markets", "USD/JPY")
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_others(folder: Path) -> Iterator[str]:
    for path in (folder, *folder.rglob("*")):
        if mode(path) & OTHERS and not path.is_symlink():
            yield f"{path}: {mode(path):o}"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """One that others may look into, and the file and the folder of a user in it."""
    tmp_path.chmod(0o755)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_a_run_leaves_nothing_in_its_home_for_others_and_publishes_for_all(directory: Path) -> None:
    desk = DeskCommand(directory)
    home, reports = (Path(desk.variables[name]) for name in ("DESK_HOME", "DESK_REPORTS"))
    before = home / "payloads" / "ab"
    before.mkdir(parents=True)
    (before / "abcd").touch()
    home.chmod(0o755)
    with desk.up():
        ran = desk("run", *WEEK, "--out", str(directory / "out"))
        assert ran.code == 0, ran.err
        saved = desk("tape", "save", "weekly-2026-W44-usdjpy", str(directory / "week.tape"))
        assert saved.code == 0, saved.err
    assert {path.name for path in home.iterdir()} >= {"logs", "temporal.db", "effects.db"}
    assert list(open_to_others(home)) == []
    published = [directory / "week.tape"]
    for folder in (reports, directory / "out"):
        published += (folder, *folder.rglob("*"))
    modes = {path: mode(path) for path in published}
    assert len(modes) > 10
    for path, found in modes.items():
        assert found == mode(directory / ("folder" if path.is_dir() else "file")), path


def test_a_home_that_is_everybodys_is_left_as_it_is(directory: Path) -> None:
    (directory / "folder").chmod(0o1777)
    (directory / "folder" / "file").touch(0o644)
    make_private(directory / "folder")
    assert mode(directory / "folder") == 0o1777
    assert mode(directory / "folder" / "file") & OTHERS


def test_what_a_home_links_to_is_left_as_it_is(directory: Path) -> None:
    (directory / "folder" / "link").symlink_to(directory / "file")
    was = mode(directory / "file")
    make_private(directory / "folder")
    assert mode(directory / "file") == was
    assert not mode(directory / "folder") & OTHERS
    assert os.access(directory / "folder", os.W_OK)
