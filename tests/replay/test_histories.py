"""Histories of runs that are in flight somewhere must replay on today's code."""

import json
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import WorkflowHistory
from temporalio.workflow import NondeterminismError

from desk.contracts.names import Queue
from tests.replay.careless import ChangedMarketResearch
from tests.replay.written import HISTORIES
from tests.support.replaying import replayer
from workers.orchestrator import WORKFLOWS

RECORDED = sorted(HISTORIES.glob("*.json"))


def history_of(path: Path) -> WorkflowHistory:
    return recorded_history(json.loads(path.read_text(encoding="utf-8")))


def recorded_history(recorded: dict[str, Any]) -> WorkflowHistory:
    """The ids of children come from the workflow's own, which the first event tells."""
    started = recorded["events"][0]["workflowExecutionStartedEventAttributes"]
    return WorkflowHistory.from_json(started["workflowId"], recorded)


def test_there_are_histories_of_every_workflow() -> None:
    recorded = {
        json.loads(path.read_text())["events"][0]["workflowExecutionStartedEventAttributes"][
            "workflowType"
        ]["name"]
        for path in RECORDED
    }
    assert recorded == {workflow.__name__ for workflow in WORKFLOWS}


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_a_recorded_history_replays(path: Path, tmp_path: Path) -> None:
    outcome = await replayer(tmp_path).replay_workflow(
        history_of(path), raise_on_replay_failure=False
    )
    assert outcome.replay_failure is None


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
async def test_it_replays_where_all_roles_are_in_one_process(path: Path, tmp_path: Path) -> None:
    history = history_of(path)
    queues = {
        event.activity_task_scheduled_event_attributes.task_queue.name for event in history.events
    }
    one_process = replayer(tmp_path, here=queues - {Queue.DESK, ""})
    assert (await one_process.replay_workflow(history)).replay_failure is None


async def test_a_changed_workflow_does_not_replay(tmp_path: Path) -> None:
    history = history_of(HISTORIES / "market.json")
    with pytest.raises(NondeterminismError):
        await replayer(tmp_path, [ChangedMarketResearch]).replay_workflow(history)


async def test_a_changed_activity_id_does_not_replay(tmp_path: Path) -> None:
    recorded = json.loads((HISTORIES / "market.json").read_text(encoding="utf-8"))
    scheduled = next(
        event["activityTaskScheduledEventAttributes"]
        for event in recorded["events"]
        if "activityTaskScheduledEventAttributes" in event
    )
    scheduled["activityId"] = "something else"
    with pytest.raises(NondeterminismError):
        await replayer(tmp_path).replay_workflow(recorded_history(recorded))
