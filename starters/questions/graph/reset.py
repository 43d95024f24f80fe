"""`desk graph reset`: runs a node of a run again, with everything that follows it.

Temporal's reset takes a run back to a point of its history. What came before is reused and not done
again. The run continues from there as a new run with the same id.
"""

import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from temporalio.api.common.v1 import WorkflowExecution
from temporalio.api.workflowservice.v1 import ResetWorkflowExecutionRequest
from temporalio.service import RPCError

from desk.analytics.names.nearest import nearest
from desk.contracts.names import activity_id_parts
from desk.platform.settings import load_settings
from desk.platform.temporal.history import ActivityScheduled, fetch_events
from starters.questions.choice import checked_words
from starters.questions.follow import wait_for_answer
from starters.questions.graph_runs import GraphRun, described_run, request_of_run
from starters.questions.printing import print_answer
from starters.questions.progress import shown_graph_progress
from starters.runs.command_run import at_a_desk
from starters.session import Desk, say
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.logs import log_to_file

LONGEST_REASON = 200


@dataclass(frozen=True)
class ResetOptions:
    """The options of `desk graph reset`."""

    run: str
    node: str
    reason: str
    as_json: bool = False


class ResetPoint(NamedTuple):
    """Where a node began in a history: its first activity, and the completed workflow task that
    scheduled it."""

    activity_id: str
    event_id: int


def reset_graph(options: ResetOptions) -> ExitStatus:
    """Resets a run to a node, follows it from there and prints the answer.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    reset = GraphReset(options)
    settings = load_settings()
    log_to_file(settings)
    return at_a_desk(
        settings,
        reset.work,
        lambda: f"detached; {options.run} goes on when a desk is up, until its deadline",
    )


async def reset_point(run: GraphRun, node: str) -> ResetPoint | None:
    """Returns where a node began in a run, or None if it did not."""
    async for event in fetch_events(run.client, run.workflow_id, run.run_id):
        if isinstance(event, ActivityScheduled):
            parts = activity_id_parts(event.activity_id)
            if parts is not None and parts.place == node:
                return ResetPoint(event.activity_id, event.decided_by)
    return None


async def reset_to(run: GraphRun, point: ResetPoint, reason: str) -> GraphRun:
    """Resets a run to before a point, and returns the new run. Ends an open run.

    Raises:
        CommandError: the server refuses, or does not know the new run.
    """
    client = run.client
    request = ResetWorkflowExecutionRequest(
        namespace=client.namespace,
        workflow_execution=WorkflowExecution(workflow_id=run.workflow_id, run_id=run.run_id),
        reason=reason,
        workflow_task_finish_event_id=point.event_id,
        request_id=str(uuid.uuid4()),
    )
    try:
        answer = await client.workflow_service.reset_workflow_execution(request)
    except RPCError as error:
        raise CommandError(f"{run.workflow_id} cannot be reset: {error.message}") from None
    found = await described_run(client, run.workflow_id, answer.run_id)
    if found is None:
        raise CommandError(f"{run.workflow_id} was reset and its new run is gone again")
    return found


class GraphReset:
    """One `desk graph reset`. `work` may be called again at another desk, and resets only once.

    Raises:
        UsageError: the reason is empty or too long.
    """

    def __init__(self, options: ResetOptions) -> None:
        self._options = options
        self._reason = checked_words(options.reason, "--reason", longest=LONGEST_REASON)
        self._run_id: str | None = None
        self._reset_at = datetime.now(UTC)
        self._began = time.monotonic()

    async def work(self, desk: Desk) -> ExitStatus:
        """Resets the run, follows the new one, and prints the answer."""
        found = await self.ask(desk)
        with shown_graph_progress(self._reset_at) as progress:
            answered = await wait_for_answer(found, progress)
        # The run counts from its first start, which may be days ago.
        took = {"seconds": time.monotonic() - self._began}
        answered = answered._replace(result=answered.result.model_copy(update=took))
        return print_answer(desk, answered, as_json=self._options.as_json)

    async def ask(self, desk: Desk) -> GraphRun:
        """Resets the run and returns the new one.

        Raises:
            UsageError, CommandError: there is no such run or node, or the server refuses.
        """
        found = await described_run(desk.client, self._options.run, self._run_id)
        if found is None:
            raise UsageError(
                f"no run is called {self._options.run!r}; `desk graph runs` lists them"
            )
        if self._run_id is None:
            found = await self._reset(found)
            self._run_id = found.run_id
        return found

    async def _reset(self, found: GraphRun) -> GraphRun:
        node = self._options.node
        request = await request_of_run(found)
        names = [each.name for each in request.graph.nodes]
        # `parseDocs.2` is the node's second round.
        if node.partition(".")[0] not in names:
            near = ", ".join(nearest(node, names))
            raise UsageError(
                f"the graph {request.graph.name} has no node {node!r}; nearest: {near}"
            )
        point = await reset_point(found, node)
        if point is None:
            raise UsageError(
                f"{node} has not run in {found.workflow_id}, so that there is nothing to reset;"
                " name a node before it"
            )
        say(f"desk: {found.workflow_id} goes back to before {node} (event {point.event_id})")
        return await reset_to(found, point, self._reason)
