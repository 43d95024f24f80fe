"""Runs of a workflow that follow each other, each continued as new by the next."""

from typing import Any

from temporalio.client import Client, WorkflowHistory

from desk.contracts.agents.config import HistoryConfig, RunConfig


def continuing(config: RunConfig, *, most_events: int = 1) -> RunConfig:
    """The configuration with a bound of so many events; with 1, every rerun but the first of a run
    is done by the next run."""
    return config.model_copy(update={"history": HistoryConfig(most_events=most_events)})


async def chain_of(client: Client, workflow_id: str) -> list[WorkflowHistory]:
    """The histories of the runs in a row up to the latest, the first run's first."""
    run_id: str = (await client.get_workflow_handle(workflow_id).describe()).run_id
    chain: list[WorkflowHistory] = []
    while run_id:
        handle = client.get_workflow_handle(workflow_id, run_id=run_id)
        chain.insert(0, await handle.fetch_history())
        run_id = _started(chain[0]).continued_execution_run_id
    return chain


def _started(history: WorkflowHistory) -> Any:
    return history.events[0].workflow_execution_started_event_attributes
