"""The runs of graphs: their ids, starting them, finding them again, and `desk graph runs`."""

import sys
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field, JsonValue
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import Query
from desk.contracts.base import Contract, Instant, ShortText, is_none
from desk.contracts.names import QUESTION_RUN, WorkflowType
from desk.contracts.question.graph import GraphSpec
from desk.contracts.runs.graph import GraphRequest, GraphResult
from desk.documents.rendering.words.wording import instant
from desk.platform.settings import load_settings
from desk.trust.seals import content_hash
from starters.runs.server_runs import RunStart, ServerRun, run_described, started_with
from starters.session import Desk, with_desk
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import table_lines
from workflows.engine.options import OUTCOME, WEEK

ID_DIGITS = 12
MOST_LISTED = 20

GraphRun = ServerRun[GraphResult]


_ANSWERED: Final[dict[str, bool | None]] = {}
"""Whether a closed run answered, by run id: this never changes, and a page queries it often."""


class _StoredResult(Contract):
    """The part of a run's result that the list needs; None in results of earlier versions."""

    answered: bool | None = None


class ListedRun(Contract):
    """A line of `desk graph runs`. `answered` is None if it is not known."""

    workflow_id: ShortText
    run_id: ShortText
    question: str
    state: ShortText
    outcome: Outcome | None = None
    answered: Annotated[bool | None, Field(exclude_if=is_none)] = None
    started_at: Instant
    closed_at: Instant | None = None

    @property
    def ended(self) -> str:
        """How it ended, in words: `complete` only means that nothing is missing, not that there is
        an answer."""
        words = str(self.outcome or self.state).replace("_", " ")
        return f"{words}, no sure answer" if self.answered is False else words


def ask_run_id(graph: GraphSpec, query: Query, as_of: datetime | None = None) -> str:
    """Returns the workflow id of a question. The same graph, question, parameters and instant have
    the same id."""
    asked: JsonValue = {
        "graph": graph.model_dump(mode="json"),
        "query": query.model_dump(mode="json"),
        "as_of": as_of.isoformat() if as_of else None,
    }
    return f"{QUESTION_RUN}{content_hash(asked)[:ID_DIGITS]}"


def graph_start(workflow_id: str, request: GraphRequest) -> RunStart[GraphResult]:
    """What the run of a question is started with."""
    return RunStart(
        WorkflowType.RESEARCH_GRAPH, workflow_id, request, GraphResult, request.query.question
    )


async def described_run(
    client: Client, workflow_id: str, run_id: str | None = None
) -> GraphRun | None:
    """Returns the latest run with an id, or a given execution of it. Returns None if the server
    knows none."""
    return await run_described(client, workflow_id, GraphResult, run_id)


async def request_of_run(run: GraphRun) -> GraphRequest:
    """Reads the request that a run was started with from its history.

    Raises:
        CommandError: the history does not say.
    """
    return await started_with(run, GraphRequest)


def list_graph_runs(*, as_json: bool) -> ExitStatus:
    """Prints the newest runs with their questions, for `desk graph runs`."""
    settings = load_settings()
    log_to_file(settings)

    async def look(desk: Desk) -> list[ListedRun]:
        return [run async for run in _newest(desk.client)]

    listed = interruptible(with_desk(settings, look, server_only=True))
    if as_json:
        text = "[" + ",\n".join(run.model_dump_json(indent=2) for run in listed) + "]"
    else:
        text = "\n".join(run_lines(listed))
    sys.stdout.write(f"{text or 'no question was asked yet; `desk ask` asks one'}\n")
    return ExitStatus.COMPLETE


def run_lines(listed: list[ListedRun]) -> Iterator[str]:
    """Formats the runs for people."""
    rows = (
        (
            run.workflow_id,
            run.ended,
            instant(run.closed_at or run.started_at),
            run.question,
        )
        for run in listed
    )
    return table_lines(("", "", "", ""), rows)


async def _newest(client: Client) -> AsyncIterator[ListedRun]:
    query = f'WorkflowType = "{WorkflowType.RESEARCH_GRAPH}"'
    found = [run async for run in client.list_workflows(query, limit=10 * MOST_LISTED)]
    for run in sorted(found, key=lambda each: each.start_time, reverse=True)[:MOST_LISTED]:
        yield await listed_run(client, run)


async def _answered(client: Client, run: WorkflowExecution) -> bool | None:
    """Returns whether a closed run gave an answer. Returns None for a week, which has no
    question."""
    ended = run.status is WorkflowExecutionStatus.COMPLETED
    if not ended or run.workflow_type == WorkflowType.WEEKLY_RESEARCH:
        return None
    if run.run_id not in _ANSWERED:
        handle = client.get_workflow_handle(run.id, run_id=run.run_id, result_type=_StoredResult)
        _ANSWERED[run.run_id] = (await handle.result(follow_runs=False)).answered
    return _ANSWERED[run.run_id]


async def run_title(run: WorkflowExecutionDescription) -> str:
    """Returns the question of a run, or the week that it researches. Runs of a schedule share one
    summary for all weeks, so their week is named instead."""
    summary, week = await run.static_summary() or "", run.typed_search_attributes.get(WEEK)
    return summary if week is None or week in summary else f"Research of {week}"


async def listed_run(client: Client, run: WorkflowExecution) -> ListedRun:
    """Describes a run for the list, with its question.

    Raises:
        RPCError: the server is away, or has since deleted the run.
    """
    handle = client.get_workflow_handle(run.id, run_id=run.run_id)
    described = await handle.describe()
    state = run.status.name.lower() if run.status else "unknown"
    outcome = run.typed_search_attributes.get(OUTCOME)
    return ListedRun(
        workflow_id=run.id,
        run_id=run.run_id,
        question=await run_title(described),
        state=state,
        outcome=Outcome(outcome) if outcome in set(Outcome) else None,
        answered=await _answered(client, run),
        started_at=run.start_time,
        closed_at=run.close_time,
    )
