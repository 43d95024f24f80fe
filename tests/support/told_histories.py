"""The recorded histories of tests/replay, read in the small form that messages are told from."""

import json
from pathlib import Path

from temporalio.client import WorkflowHistory

from desk.platform.temporal.client import data_converter
from desk.platform.temporal.history import RunHistory
from desk.runs.messages import ToldWorkflow
from starters.monitoring.messages.history import told_workflow
from tests.replay.written import HISTORIES


async def told_history(name: str, directory: Path, *, root: bool = False) -> ToldWorkflow:
    """A recorded history by its file's name; `directory` holds no large payloads."""
    recorded = json.loads((HISTORIES / f"{name}.json").read_text(encoding="utf-8"))
    started = recorded["events"][0]["workflowExecutionStartedEventAttributes"]
    recorded_history = WorkflowHistory.from_json(started["workflowId"], recorded)
    run_id = started["originalExecutionRunId"]
    converter = data_converter(directory)
    read = RunHistory(recorded_history.workflow_id, run_id, recorded_history.events, converter)
    return await told_workflow(read, root=root)
