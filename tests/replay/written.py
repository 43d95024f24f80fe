"""Writing histories down."""

import json
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHandle, WorkflowHistory
from temporalio.service import RPCError, RPCStatusCode

HISTORIES = Path(__file__).parent / "histories"


async def write(name: str, handle: WorkflowHandle[Any, Any]) -> None:
    """Save what a workflow has left so far."""
    write_history(name, await handle.fetch_history())


def write_history(name: str, history: WorkflowHistory) -> None:
    """Save a history."""
    HISTORIES.mkdir(exist_ok=True)
    written = json.dumps(without_traces(json.loads(history.to_json())), indent=1)
    (HISTORIES / f"{name}.json").write_text(written + "\n", encoding="utf-8")


async def is_there(handle: WorkflowHandle[Any, Any]) -> bool:
    """Whether the server knows a workflow."""
    try:
        await handle.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise
    return True


def without_traces(value: Any) -> Any:
    """The same without stack traces, which name the folders of the machine that recorded them."""
    if isinstance(value, dict):
        return {k: without_traces(v) for k, v in value.items() if k != "stackTrace"}
    if isinstance(value, list):
        return [without_traces(item) for item in value]
    return value
