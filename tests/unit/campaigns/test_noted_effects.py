"""What the notes of workers say was done again."""

import json
from pathlib import Path

import pytest

from tests.support.processes.counted_worker import read_notes
from tests.support.scenarios.fleet import Effects


@pytest.mark.parametrize(
    ("stages", "repeated"),
    [
        (("started", "done", "started", "done"), ("t0.quote",)),
        (("started", "started", "done"), ()),
        # An attempt that was given up on, as its worker was held up, ends after the next is done.
        (("started", "started", "done", "given up"), ()),
    ],
)
def test_what_was_begun_after_it_was_done_is_repeated(
    stages: tuple[str, ...], repeated: tuple[str, ...], tmp_path: Path
) -> None:
    log = tmp_path / "effects.log"
    lines = (json.dumps({"key": "t0.quote", "stage": stage, "pid": 1}) for stage in stages)
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert Effects(log).repeated == repeated


def test_notes_are_read_as_they_come_but_for_one_that_is_being_written(tmp_path: Path) -> None:
    log = tmp_path / "effects.log"
    assert read_notes(log) == []
    log.write_text('{"key": "a"}\n{"key"', encoding="utf-8")
    assert read_notes(log) == [{"key": "a"}]
    with log.open("a", encoding="utf-8") as file:
        file.write(': "b"}\n')
    assert read_notes(log) == read_notes(log) == [{"key": "a"}, {"key": "b"}]
    log.write_text('{"key": "c"}\n', encoding="utf-8")
    assert read_notes(log) == [{"key": "c"}]
