"""The campaign of faults fails a row whose promise was broken, and never passes one untried."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.campaign import pairs, played
from tests.faults.fault import (
    Fault,
    Judged,
    NotTried,
    Program,
    Row,
    Seen,
    Verdict,
    judge,
    lost,
)
from tests.faults.kinds import FAULTS
from tests.faults.scene import Scene, Stage
from tests.faults.table import document, revised, short, summary

KEPT = Seen("complete, exit 0", again=0, same=True, told="Complete")


def fault(play: Callable[[Scene], Awaitable[Seen]], limit_seconds: float = 10.0) -> Fault:
    return Fault("a-fault", "something", "nothing is lost", play, (Program.WEEK,), limit_seconds)


async def kept(scene: Scene) -> Seen:
    return KEPT


def test_a_row_in_which_all_was_kept_passes() -> None:
    assert judge(KEPT) == Judged(Verdict.PASSED)


@pytest.mark.parametrize(
    ("doctored", "reason"),
    [
        (replace(KEPT, again=2), "2 completed turns or calls were executed again"),
        (replace(KEPT, same=False), "the report is not that of the undisturbed run"),
        (KEPT.and_("exit status 1: desk: no"), "exit status 1: desk: no"),
    ],
)
def test_a_doctored_outcome_fails_with_its_reason(doctored: Seen, reason: str) -> None:
    assert judge(doctored) == Judged(Verdict.FAILED, (reason,))


@pytest.mark.parametrize("words", ["Traceback (most recent call last):", "x.py:1: UserWarning: no"])
def test_noise_on_any_terminal_fails_a_row(words: str) -> None:
    judged = judge(KEPT, ["all is well", f"12:00 warning\n{words}\n"])
    assert judged.verdict is Verdict.FAILED
    assert "on the terminal 1 times" in judged.reasons[0]


async def test_a_fault_that_cannot_be_had_is_not_tried_and_no_pass(tmp_path: Path) -> None:
    async def refused(scene: Scene) -> Seen:
        raise NotTried("libfaketime is not installed")

    row = await played(fault(refused), Program.WEEK, Stage(tmp_path))
    assert row.judged == Judged(Verdict.NOT_TRIED, ("libfaketime is not installed",))
    assert summary([row]) == "0 passed, 0 failed, 1 not tried"


async def test_what_a_test_would_skip_is_not_tried(tmp_path: Path) -> None:
    async def skipped(scene: Scene) -> Seen:
        pytest.skip("there is no Node here")

    row = await played(fault(skipped), Program.WEEK, Stage(tmp_path))
    assert row.judged == Judged(Verdict.NOT_TRIED, ("there is no Node here",))


async def test_a_play_that_breaks_fails_its_row(tmp_path: Path) -> None:
    async def broken(scene: Scene) -> Seen:
        raise AssertionError("the run in peace failed")

    row = await played(fault(broken), Program.WEEK, Stage(tmp_path))
    assert row.judged == Judged(Verdict.FAILED, ("AssertionError: the run in peace failed",))


async def test_a_play_without_end_fails_its_row(tmp_path: Path) -> None:
    async def endless(scene: Scene) -> Seen:
        await scene.place().run(("sleep", "60")).ended()
        return KEPT

    row = await played(fault(endless, limit_seconds=0.2), Program.WEEK, Stage(tmp_path))
    assert row.judged.verdict is Verdict.FAILED
    assert "was not over" in row.judged.reasons[0]


async def test_what_a_desk_wrote_to_its_terminal_is_judged(tmp_path: Path) -> None:
    async def noisy(scene: Scene) -> Seen:
        script = "echo 'Traceback (most recent call last):' >&2"
        assert (await scene.place().run(("sh", "-c", script)).ended()).code == 0
        return KEPT

    row = await played(fault(noisy), Program.WEEK, Stage(tmp_path))
    assert row.judged.verdict is Verdict.FAILED


def test_what_was_lost_is_told_in_words() -> None:
    assert lost(KEPT) == "nothing done again, report identical"
    assert lost(replace(KEPT, again=3, same=False)) == "3 done again, another report"
    assert lost(Seen("refused")) == "–"


def test_faults_are_chosen_by_name_and_program() -> None:
    chosen = pairs(FAULTS, ["server-k"], [Program.SWARM])
    assert [(found.name, program) for found, program in chosen] == [
        ("server-killed", Program.SWARM)
    ]


def test_no_two_faults_have_one_name() -> None:
    names = [each.name for each in FAULTS]
    assert len(names) == len(set(names))


def test_the_document_has_every_fault_what_was_billed_and_what_was_not_kept() -> None:
    billed = replace(KEPT, told="41.2 s  billed $1 of $2 at 127.0.0.1:24071", lost="1 made twice")
    row = Row(fault(kept), Program.WEEK, billed, judge(billed), seconds=41.7)
    text = document([row], seed=1)
    assert "| a-fault | something | nothing is lost | week |" in text
    assert "| a-fault | week | 1 made twice | billed $1 of $2 at 127.0.0.1:PORT |" in text
    assert not re.search(r"\d+\.\d s|/tmp/|41", text)
    assert short("a" * 200, 20) == "a" * 19 + "…"


def test_a_row_that_is_played_again_takes_the_place_of_what_it_was() -> None:
    row = Row(fault(kept), Program.WEEK, KEPT, judge(KEPT))
    passed = document([row], seed=1)
    broken = replace(row, judged=Judged(Verdict.FAILED, ("no report",)))
    failed = revised(passed, [broken])
    assert "| nothing is lost |  |" in failed
    assert "0 passed, 1 failed, 0 not tried" in failed
    assert failed.endswith("\n- a-fault, week: FAIL: no report\n")
    assert revised(failed, [row]) == passed
