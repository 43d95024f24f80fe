"""`desk tape` and `desk run --tape` with what cannot be saved or played; no server is started."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from desk.runs.tapes import to_bytes
from starters.main import app, execute
from starters.weeks.tape.files import write_tape
from tests.support.processes.homes import home_environment
from tests.support.runs.tapes import take, tape


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no server runs; nothing here may start one."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


def tape_file(folder: Path, *, packed: bool = True) -> Path:
    file = folder / "a.tape"
    file.write_bytes(to_bytes(tape(take(result={"level": "157.25"})), packed=packed))
    return file


@pytest.mark.parametrize(("command"), (["tape"], ["tape", "save"]), ids=" ".join)
def test_the_help_has_an_example(command: list[str]) -> None:
    shown = CliRunner().invoke(app, [*command, "--help"])
    assert shown.exit_code == 0
    assert "Example: desk tape save 2026-W44" in shown.output


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda content: content[:-20], "it is cut off"),
        (lambda content: b"", "it is no JSON"),
        (lambda content: b"{}", "it is no tape"),
        (lambda content: gzip.compress(b"week,rate"), "it is no JSON"),
        (lambda content: altered(content, b'"version":1', b'"version":7'), "version 7"),
        (lambda content: altered(content, b"157.25", b"151.25"), "does not match its seal"),
    ],
)
def test_a_damaged_tape_is_not_played(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[bytes], bytes],
    told: str,
) -> None:
    file = tape_file(home)
    file.write_bytes(damage(file.read_bytes()))
    assert execute(["run", "--tape", str(file)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"desk: {file} cannot be played: ")
    assert told in said.err
    assert said.out == ""
    assert not (home / "reports").exists()


def altered(content: bytes, old: bytes, new: bytes) -> bytes:
    text = gzip.decompress(content)
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--markets", "USD/JPY"], "--markets"),
        (["--again"], "--again"),
        (["--week", "2026-W43"], "a tape of 2026-W44, and not of 2026-W43"),
        (["--week", "44"], "'44' is not a week"),
        (["--out", "/dev/null/x"], "--out /dev/null/x: "),
    ],
)
def test_a_tape_cannot_be_asked_for_something_else(
    home: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    assert execute(["run", "--tape", str(tape_file(home)), *options]) == 2
    assert told in capsys.readouterr().err


def test_a_tape_that_is_missing_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["run", "--tape", str(home / "none.tape.gz")]) == 1
    assert "none.tape.gz is missing; `desk tape save" in capsys.readouterr().err


def test_a_tape_whose_week_ends_elsewhere_is_not_played(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = tape()
    moved = held.window.model_copy(update={"end": held.window.start})
    file = home / "moved.tape"
    file.write_bytes(to_bytes(held.model_copy(update={"window": moved}), packed=True))
    assert execute(["run", "--tape", str(file)]) == 1
    assert "by this desk's calendar" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("a.tape", "is there already; --force replaces it"),
        (".", "is a folder; name a file in it"),
        ("none/b.tape", "is no folder that can be written to"),
    ],
)
def test_where_a_tape_cannot_stand_none_is_saved(
    home: Path, capsys: pytest.CaptureFixture[str], file: str, told: str
) -> None:
    there = tape_file(home)
    before = there.read_bytes()
    assert execute(["tape", "save", "2026-W44", str(home / file)]) == 2
    assert told in capsys.readouterr().err
    assert there.read_bytes() == before


def test_what_fails_to_be_written_leaves_what_was_there(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tape_file(home)
    before, names = there.read_bytes(), sorted(home.iterdir())

    def full(path: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(Exception, match="could not be written: No space left"):
        write_tape(there, b"other")
    assert there.read_bytes() == before
    assert sorted(home.iterdir()) == names
