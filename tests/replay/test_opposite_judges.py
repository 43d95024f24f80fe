"""What a run has had judged stays as it was judged: a later version may judge otherwise."""

import sys
from pathlib import Path
from typing import Final

import pytest

from desk.contracts.findings.results import ConflictRecord, ValidationResult
from desk.contracts.runs.turns import Turn
from desk.platform.temporal.conversion import data_converter
from tests.replay.opposite import decide_the_opposite, is_judge
from tests.replay.test_histories import RECORDED, history_of
from tests.replay.written import HISTORIES
from tests.support.models.spending import MODEL
from tests.support.replaying import replayer

JUDGED_IN_THE_WORKFLOW: Final = frozenset(
    {
        "hypothesis",
        "learning_system",
        "market",
        "market_cancelled_while_it_tells",
        "market_cancelled_while_it_tells_unheard",
        "market_with_conflict",
        "market_with_conflict_told_first",
        "market_with_reassignment",
        "stock",
        "stock_waiting",
        "stock_waiting_for_no_price",
        "swarm_first_round",
        "swarm_first_round_told_first",
        "swarm_second_round",
        "week_resumed",
        "week_that_learns",
        "week_that_learns_told_first",
        "week_with_conflicts",
        "week_with_dead_letter",
        "week_with_rerun",
    }
)
"""Histories of before the judges were activities: they replay with the judge of their time alone.
None is ever added to them."""


async def replays(path: Path, directory: Path) -> bool:
    """Whether today's code replays a history."""
    outcome = await replayer(directory).replay_workflow(
        history_of(path), raise_on_replay_failure=False
    )
    return outcome.replay_failure is None


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_only_what_was_judged_in_the_workflow_depends_on_what_the_judges_decide(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_the_opposite(monkeypatch)
    assert await replays(path, tmp_path) == (path.stem not in JUDGED_IN_THE_WORKFLOW)


def test_every_judge_has_an_opposite_wherever_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a workflow to know a judge by a name that is not replaced, nothing would be shown."""
    decide_the_opposite(monkeypatch)
    known = [
        f"{name}.{attribute}"
        for name, module in sys.modules.items()
        if name.split(".")[0] in ("domain", "workflows", "activities")
        for attribute, value in vars(module).items()
        if is_judge(value)
    ]
    assert known == []


def test_the_histories_of_before_are_counted() -> None:
    assert {path.stem for path in RECORDED} > JUDGED_IN_THE_WORKFLOW
    assert len(JUDGED_IN_THE_WORKFLOW) == 20


async def test_the_judge_had_something_to_say_in_what_is_recorded(tmp_path: Path) -> None:
    """Where nothing is objected to and nothing contradicts, an opposite shows little."""
    mended, dropped, voted, asked, wrote = [
        await turns_in(name, tmp_path)
        for name in (
            "market_judged_mended",
            "market_judged_dropped",
            "market_judged_voted",
            "market_judged_escalated",
            "specialist_judged",
        )
    ]
    assert [bool(t.rejected) for t in mended if t.usage.model == MODEL].count(True) == 1
    assert [bool(t.rejected) for t in dropped if t.usage.model == MODEL].count(True) == 2
    assert [bool(t.rejected) for t in wrote if t.result] == [True, False]
    assert [c.resolved for c in conflicts_in(voted)] == [True]
    assert [c.resolved for c in conflicts_in(asked)] == [False]
    assert all(t.result.issues for t in asked if isinstance(t.result, ValidationResult))


async def turns_in(name: str, directory: Path) -> list[Turn]:
    """The turns of a recorded history, in their order."""
    converter, events = data_converter(directory), history_of(HISTORIES / f"{name}.json").events
    scheduled = {e.event_id: e.activity_task_scheduled_event_attributes for e in events}
    turns: list[Turn] = []
    for event in events:
        done = event.activity_task_completed_event_attributes
        known = scheduled.get(done.scheduled_event_id)
        if known is not None and known.activity_type.name == "take_turn":
            turns += await converter.decode(done.result.payloads, [Turn])
    return turns


def conflicts_in(turns: list[Turn]) -> list[ConflictRecord]:
    """What validators were told that the findings contradict each other in."""
    verdicts = (t.result for t in turns if isinstance(t.result, ValidationResult))
    return [conflict for verdict in verdicts for conflict in verdict.conflicts]
