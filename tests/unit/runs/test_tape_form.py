"""A tape as bytes: what comes back is what was saved, or an error that says what is wrong."""

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.runs.tape import TakeFailure, Tape
from desk.runs.tapes import LARGEST, SEAL, TapeUnusable, from_bytes, to_bytes
from desk.trust.seals import content_hash
from tests.support.processes.homes import PROJECT
from tests.support.runs.tapes import take, tape

SAID = [
    {"type": "thinking", "thinking": "Über 5 % …", "signature": "a+b/c=="},
    {"type": "text", "text": "0.10000000000000001 or 1e-7"},
    {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "ecb",
        "input": {"n": 0.1, "deep": [None, 1e300]},
    },
]
SPENT = {"input_tokens": 900, "cost_usd": "0.00720", "model": "claude-opus-5-5"}


def changed(alter: Callable[[dict[str, Any]], object], *, seal: bool = True) -> bytes:
    """A tape whose JSON was altered, with a seal that fits it or with the old one."""
    held = json.loads(to_bytes(tape(), packed=False))
    alter(held)
    if seal:
        held.pop(SEAL)
        held[SEAL] = content_hash(held)
    return json.dumps(held).encode()


@pytest.mark.parametrize("packed", [True, False])
def test_a_tape_comes_back_as_it_was(packed: bool) -> None:
    failed = take(
        activity_id="t3",
        result=None,
        failure=TakeFailure(
            message="busy",
            error_type="TurnFailed",
            details=({"retry": 1.5},),
            cause=TakeFailure(message="529"),
        ),
    )
    saved = tape(take(result={"said": SAID, "usage": SPENT}), failed)
    content = to_bytes(saved, packed=packed)
    assert from_bytes(content) == saved
    assert content == to_bytes(from_bytes(content), packed=packed)
    assert (content[:2] == b"\x1f\x8b") is packed


def test_what_a_model_said_is_saved_letter_for_letter() -> None:
    (came_back,) = from_bytes(to_bytes(tape(take(result={"said": SAID})), packed=True)).takes
    assert isinstance(came_back.result, dict)
    assert json.dumps(came_back.result["said"]) == json.dumps(SAID)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_tape_that_is_cut_off_is_not_played(share: float, packed: bool) -> None:
    content = to_bytes(tape(), packed=packed)
    with pytest.raises(TapeUnusable, match="cut off"):
        from_bytes(content[: int(len(content) * share)])


def test_one_changed_digit_is_noticed() -> None:
    content = to_bytes(tape(take(result={"level": "157.25"})), packed=False)
    with pytest.raises(TapeUnusable, match="seal"):
        from_bytes(content.replace(b'"157.25"', b'"151.25"'))


def test_one_flipped_bit_of_a_packed_tape_is_noticed() -> None:
    content = bytearray(to_bytes(tape(), packed=True))
    content[len(content) // 2] ^= 4
    with pytest.raises(TapeUnusable):
        from_bytes(bytes(content))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"not a tape\n", "no JSON"),
        (b"\xff\xfe\x00", "no JSON"),
        (b"[]", "no tape"),
        (b'{"week": "2026-W44"}', "no tape"),
        (b'{"a":' * 100_000, "cut off, or no JSON"),
        (gzip.compress(b"not a tape", mtime=0), "no JSON"),
        (to_bytes(tape(), packed=True) + b"more", "something follows"),
        (changed(lambda held: held.update(version=2)), "version 2.*plays version 1"),
        (changed(lambda held: held.pop("version")), "version None"),
        (changed(lambda held: held.pop(SEAL), seal=False), "seal"),
        (changed(lambda held: held.update(week="2026-W45"), seal=False), "seal"),
        (changed(lambda held: held.update(week="2026-W60")), "at week"),
        (changed(lambda held: held["takes"][0].update(effect="guess")), "takes.0.effect"),
        (changed(lambda held: held["takes"].append(held["takes"][0])), "the same place"),
    ],
)
def test_what_is_no_usable_tape_is_refused_in_words(content: bytes, words: str) -> None:
    with pytest.raises(TapeUnusable, match=words):
        from_bytes(content)


def test_a_field_that_a_later_desk_adds_does_no_harm() -> None:
    content = changed(lambda held: held["config"].update(colour="red"))
    assert from_bytes(content) == tape()


def test_what_a_bomb_would_unpack_to_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desk.runs.tapes.LARGEST", 2**20)
    with pytest.raises(TapeUnusable, match="more than 1 MB"):
        from_bytes(gzip.compress(b" " * (2**20 + 1)))


READ_IN_A_PROCESS = """
import sys
from desk.runs.tapes import TapeUnusable, from_bytes
for path in sys.argv[1:]:
    try:
        from_bytes(open(path, "rb").read())
    except TapeUnusable as error:
        print(error)
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(line.split()[1])
"""


BOMBS = [
    (b"[],", 500, "more than 64 MB"),
    (b"[],", 20, "more than 2,000,000 values"),
    (b'{"a":0},', 20, "more than 2,000,000 values"),
    (b'"",', 60, "more than 2,000,000 values"),
]
"""What is repeated, how many megabytes of it there are, and the reason of the refusal. Read, each
would take more memory than the test allows."""


def bomb(content: bytes, megabytes: int) -> bytes:
    """A tape that unpacks to so much. The end of one that is too large is never read, nor made."""
    start, piece = b'{"format":"desk-tape","takes":[', content * (2**20 // len(content))
    if megabytes * 2**20 < LARGEST:
        return gzip.compress(start + piece * megabytes, compresslevel=1)
    packing = zlib.compressobj(level=1, wbits=16 + zlib.MAX_WBITS)
    packed = [packing.compress(each) + packing.flush(zlib.Z_FULL_FLUSH) for each in (start, piece)]
    return packed[0] + packed[1] * megabytes


def test_a_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    """All of them by one process, which at no time takes more than a tape may."""
    for number, (content, megabytes, _) in enumerate(BOMBS):
        (tmp_path / f"{number}").write_bytes(bomb(content, megabytes))
    files = [tmp_path / f"{number}" for number in range(len(BOMBS))]
    done = subprocess.run(
        [sys.executable, "-c", READ_IN_A_PROCESS, *files],
        stdout=subprocess.PIPE,
        cwd=PROJECT,
        check=True,
    )
    *told, peak_kilobytes = done.stdout.decode().splitlines()
    for (content, _, refused), words in zip(BOMBS, told, strict=True):
        assert refused in words, content
    assert int(peak_kilobytes) < 250 * 1_024


def test_the_contract_refuses_two_takes_at_one_place() -> None:
    with pytest.raises(ValueError, match="the same place"):
        Tape.model_validate(tape().model_dump() | {"takes": [take(), take(result=None)]})
