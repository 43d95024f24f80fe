"""What the notes of workers say was done again."""

import json
from pathlib import Path

import pytest

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
