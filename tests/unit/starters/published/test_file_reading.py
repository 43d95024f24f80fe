"""Files that a user names: read up to a limit, and refused in a line where there is no end."""

import os
from pathlib import Path

import pytest

from desk.platform.files import read_file, read_text_file
from desk.platform.settings import SettingsError, load_settings
from desk.sources.knowledge.files import DamagedCorpus, read_text
from starters.main import execute
from starters.published.published_files import read_report
from starters.terminal.exit_status import CommandError, UsageError
from starters.weeks.tape.files import read_tape
from tests.support.processes.homes import PROJECT, home_environment

GIGABYTE = 2**30
ENDLESS = ("device", "pipe", "sparse")


@pytest.fixture(params=ENDLESS)
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file without an end: a device, a pipe that nobody writes to, and 100 GB of nothing."""
    path = tmp_path / "endless"
    match request.param:
        case "device":
            path.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.touch()
            os.truncate(path, 100 * GIGABYTE)
    return path


def test_a_file_is_read_up_to_its_limit_and_no_further(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1_000)
    assert read_file(file, 1_000) == b"x" * 1_000
    with pytest.raises(OSError, match="it holds more than"):
        read_file(file, 999)


def test_a_file_that_tells_no_size_is_bounded_too() -> None:
    told_no_size = Path("/proc/self/status")
    assert told_no_size.stat().st_size == 0
    assert "Name:" in read_text_file(told_no_size)
    with pytest.raises(OSError, match="it holds more than"):
        read_file(told_no_size, 10)


def test_an_endless_file_is_no_file(endless: Path) -> None:
    with pytest.raises(OSError, match=r"it is a device or a pipe|it holds more than 1 MB"):
        read_file(endless, 2**20)


@pytest.mark.parametrize(
    "command", [("audit",), ("graph", "check"), ("run", "--tape")], ids=" ".join
)
def test_a_command_refuses_an_endless_file_in_one_line(
    command: tuple[str, ...], endless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute([*command, str(endless)]) in (1, 2)
    told = capsys.readouterr()
    (line,) = (told.out + told.err).splitlines()
    assert "it is a device or a pipe" in line or "it holds more than" in line


def test_no_reader_of_named_files_reads_one_without_end(endless: Path) -> None:
    for read in (read_tape, read_report):
        with pytest.raises((CommandError, UsageError), match=r"cannot be read: it "):
            read(endless)
    with pytest.raises(DamagedCorpus, match=r"it is a device or a pipe|it is above"):
        read_text(endless)


@pytest.mark.parametrize("name", ["DESK_CONFIG", "DESK_PAYLOAD_KEY_FILE", "TEMPORAL_CONFIG_FILE"])
def test_settings_refuse_an_endless_file(name: str, endless: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"it is a device|it holds more|a file that exists"):
        load_settings(PROJECT, home_environment(tmp_path, **{name: str(endless)}))
