"""The listed runs, and a snapshot of one of them, of any program."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from temporalio.client import (
    Client,
    WorkflowContinuedAsNewError,
    WorkflowExecution,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.analytics.names.shortening import on_one_line
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import WorkflowType, activity_id_parts
from desk.contracts.question.graph import NodeState
from desk.contracts.runs.episode import StockResult
from desk.contracts.runs.graph import GraphResult, GraphStatus
from desk.contracts.runs.swarm import SwarmRequest, SwarmResult
from desk.contracts.runs.week import MarketState, WeekStatus
from desk.documents.rendering.words.wording import allowance_words, cost_words, human
from starters.monitoring.watch.pending_calls import PendingCalls
from starters.monitoring.watch.screen import (
    MarketLine,
    RunLine,
    doing_words,
    left_words,
    mark_of,
    market_line,
    money,
    run_line,
    time_words,
)
from starters.monitoring.watch.snapshot import (
    AgentAtWork,
    RunSnapshot,
    SpendingSoFar,
    is_settled,
    seconds_left,
    take_snapshot,
)
from starters.monitoring.week_status import closed_status
from starters.questions.follow import answer_of
from starters.questions.graph_runs import ListedRun, listed_run, run_title
from starters.runs.following import query_status_or_none
from starters.runs.server_runs import ServerRun, run_described, started_with
from starters.runs.stalls import LONGEST, problem_of, why_silent
from starters.runs.week_results import last_result
from starters.runs.week_runs import described
from starters.terminal.exit_status import CommandError
from workflows.engine.options import PHASE, WEEK

MOST_LISTED: Final = 40
FRESH_SECONDS: Final = 1.0
"""How long a snapshot is reused for all requests, so that watching does not slow the run down."""
MOST_WATCHED: Final = 50

KINDS: Final = {
    WorkflowType.WEEKLY_RESEARCH: "week",
    WorkflowType.RESEARCH_GRAPH: "question",
    WorkflowType.RESEARCH_SWARM: "objective",
    WorkflowType.STOCK_RESEARCH: "stock",
}
_RETURNS: Final[dict[str, type[Any]]] = {
    WorkflowType.RESEARCH_GRAPH: GraphResult,
    WorkflowType.RESEARCH_SWARM: SwarmResult,
    WorkflowType.STOCK_RESEARCH: StockResult,
}
_WAITS: Final = (Phase.OPEN_FOR_RERUNS, Phase.AWAITING_HORIZON)
_SIGNS: Final = {
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "-",
}


class SeenRun(NamedTuple):
    """A run of the list. `phase` is its phase while it is open."""

    run: ListedRun
    kind: str
    phase: Phase | None

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.run.closed_at is None

    @property
    def at_work(self) -> bool:
        """Whether work is in progress for it now."""
        return self.open and self.phase not in _WAITS

    @property
    def stands(self) -> str:
        """Its phase, or how it ended."""
        if not self.open:
            return self.run.ended
        return str(self.phase or "at work").replace("_", " ")


async def recent_runs(client: Client, most: int = MOST_LISTED) -> list[SeenRun]:
    """Returns the open runs and those that ended last, the newest of each id.

    Raises:
        RPCError: the server is away.
    """
    query = " OR ".join(f'WorkflowType = "{kind}"' for kind in KINDS)
    newest: dict[str, WorkflowExecution] = {}
    async for run in client.list_workflows(query, limit=most):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    found = await asyncio.gather(*(_seen(client, run) for run in newest.values()))
    listed = [run for run in found if run is not None]
    return sorted(listed, key=lambda seen: seen.run.started_at, reverse=True)


async def _seen(client: Client, run: WorkflowExecution) -> SeenRun | None:
    try:
        listed = await listed_run(client, run)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise
    if not listed.question and run.workflow_type == WorkflowType.RESEARCH_SWARM:
        listed = listed.model_copy(update={"question": await _objective(client, run)})
    kind = KINDS[WorkflowType(run.workflow_type)]
    return SeenRun(listed, kind, _phase(run))


async def _objective(client: Client, run: WorkflowExecution) -> str:
    """Returns the objective of a swarm that has continued as new, which loses its summary."""
    found = await run_described(client, run.id, SwarmResult, run.run_id)
    if found is None:
        return ""
    with suppress(CommandError):
        return (await started_with(found, SwarmRequest)).query.question
    return ""


def _phase(run: WorkflowExecution) -> Phase | None:
    phase = run.typed_search_attributes.get(PHASE)
    return Phase(phase) if phase in set(Phase) else None


class MarketRow(NamedTuple):
    """A market of a week as a page shows it: `work` is who does what for it, and `note` its
    outcome, or what keeps failing."""

    line: MarketLine
    sign: str
    doing: str
    work: str
    note: str
    spent: str
    left: str


class NodeRow(NamedTuple):
    """A node of a question, a swarm or an episode as a page shows it; `took` is in words."""

    node: str
    agent: str
    state: NodeState
    sign: str
    round: int
    took: str
    note: str | None


@dataclass(frozen=True)
class RunLook:
    """A snapshot of a run for its page.

    `rests` means that it waits and no work is in progress. `untold` means that no worker answers
    the status query. `trouble` is what holds it up, `ended_badly` why nothing of it is published.
    `week` is set for a week's run, with its `line` and `markets`; `nodes` for any other. Times are
    in words.
    """

    workflow_id: str
    run_id: str
    kind: str
    title: str
    open: bool
    started_at: datetime
    closed_at: datetime | None
    stands: str
    gone: str
    rests: bool = False
    untold: bool = False
    left: str | None = None
    spent: str | None = None
    budget: str | None = None
    trouble: str | None = None
    ended_badly: str | None = None
    summary: str | None = None
    files: PublishedFiles | None = None
    escalations: tuple[str, ...] = ()
    week: WeekStatus | None = None
    line: RunLine | None = None
    work: str = ""
    markets: tuple[MarketRow, ...] = ()
    nodes: tuple[NodeRow, ...] = ()

    @property
    def works(self) -> bool:
        """Whether work is in progress for it now."""
        return self.open and not self.rests


@dataclass
class _Watched:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    spending: SpendingSoFar = field(default_factory=SpendingSoFar)
    calls: PendingCalls = field(default_factory=PendingCalls)
    look: RunLook | None = None
    at: float = float("-inf")


class RunSnapshots:
    """Takes snapshots of runs, at most one a second for each run, however many pages request
    them."""

    def __init__(self) -> None:
        self._watched: OrderedDict[str, _Watched] = OrderedDict()

    def forget(self, workflow_id: str) -> None:
        """Drops the snapshot, so that the next request takes a new one, such as after a page has
        changed the run."""
        self._watched.pop(workflow_id, None)

    async def look(self, client: Client, workflow_id: str) -> RunLook | None:
        """Returns a snapshot of a run, at most a second old. Returns None if the server knows no
        run of that id.

        Raises:
            RPCError: the server is away.
        """
        watched = self._watched.setdefault(workflow_id, _Watched())
        self._watched.move_to_end(workflow_id)
        while len(self._watched) > MOST_WATCHED:
            self._watched.popitem(last=False)
        async with watched.lock:
            if watched.look is None or time.monotonic() - watched.at > FRESH_SECONDS:
                now = await _look(client, workflow_id, watched)
                watched.look = _with_last_status(now, watched.look)
                watched.at = time.monotonic()
            return watched.look


def _with_last_status(now: RunLook | None, before: RunLook | None) -> RunLook | None:
    """Falls back to the last answer if a run's status query is not answered now."""
    if now is None or before is None or not now.untold or now.run_id != before.run_id:
        return now
    return replace(before, trouble=now.trouble, gone=now.gone, untold=True)


async def _look(client: Client, workflow_id: str, watched: _Watched) -> RunLook | None:
    try:
        run = await client.get_workflow_handle(workflow_id).describe()
    except RPCError as error:
        if error.status in (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT):
            return None
        raise
    if run.workflow_type not in KINDS:
        return None
    if run.workflow_type == WorkflowType.WEEKLY_RESEARCH:
        return await _week(client, run, watched)
    return await _answer(client, run, watched)


async def _begun(run: WorkflowExecutionDescription) -> dict[str, Any]:
    now = datetime.now(UTC)
    is_open = run.status is WorkflowExecutionStatus.RUNNING
    outcome = run.status.name.lower() if run.status else "unknown"
    stands = (_phase(run) or "at work") if is_open else outcome
    return {
        "workflow_id": run.id,
        "run_id": run.run_id,
        "kind": KINDS[WorkflowType(run.workflow_type)],
        "title": await run_title(run) or run.id,
        "open": is_open,
        "started_at": run.start_time,
        "closed_at": run.close_time,
        "stands": str(stands).replace("_", " "),
        "gone": time_words(((run.close_time or now) - run.start_time).total_seconds()),
    }


async def _week(client: Client, run: WorkflowExecutionDescription, watched: _Watched) -> RunLook:
    common = await _begun(run)
    if not common["open"]:
        return await _closed_week(client, run, common)
    look = await watched.spending.with_spent(
        client, await take_snapshot(client, run.id, watched.calls)
    )
    status = look.status
    trouble = await problem_of(client.get_workflow_handle(run.id))
    if status is None:
        trouble = trouble or await why_silent(client)
        return RunLook(**common, trouble=trouble, untold=True)
    return RunLook(**{**common, **_week_fields(look, status, run.id)}, trouble=trouble)


async def _closed_week(
    client: Client, run: WorkflowExecutionDescription, common: dict[str, Any]
) -> RunLook:
    found = await described(client, run.id)
    try:
        result = (
            await last_result(found, run.typed_search_attributes.get(WEEK) or "") if found else None
        )
    except CommandError as error:
        return RunLook(**common, ended_badly=str(error))
    if result is None:
        return RunLook(**common)
    status = closed_status(result)
    look = RunSnapshot(run.run_id, False, status, (), {})
    told = {**common, **_week_fields(look, status, run.id)}
    return RunLook(**{**told, "rests": False, "stands": str(result.outcome), "left": None})


def _week_fields(look: RunSnapshot, status: WeekStatus, workflow_id: str) -> dict[str, Any]:
    """The fields of a week's snapshot that come from its status."""
    now = datetime.now(UTC)
    line = run_line(look, status, workflow_id, now)
    rests = is_settled(status)
    return {
        "stands": status.phase.replace("_", " "),
        "rests": rests,
        "left": None if rests else time_words(seconds_left(status.deadline, now)),
        "spent": cost_words(line.spent) if line.spent.asked else None,
        "budget": None if status.budget.unlimited else allowance_words(status.budget),
        "files": status.files,
        "escalations": status.escalations,
        "week": status,
        "line": line,
        "work": work_words(line.agents),
        "markets": tuple(
            sorted((_row(look, status, at, now) for at in range(len(status.markets))), key=_is_well)
        ),
    }


def _row(look: RunSnapshot, status: WeekStatus, at: int, now: datetime) -> MarketRow:
    line = market_line(look, status, status.markets[at], now)
    sign, _ = mark_of(line)
    bare = line.model_copy(update={"agents": ()})
    return MarketRow(
        line,
        sign,
        doing_words(bare, turns=False),
        work_words(line.agents),
        _note(line),
        money(line.spent),
        left_words(line, now),
    )


def _is_well(row: MarketRow) -> bool:
    """The sort key of a market's row: problems come first."""
    return row.line.outcome in (None, Outcome.RESEARCHED)


def work_words(agents: Iterable[AgentAtWork]) -> str:
    """Describes the work of agents: `research agent 1, turn 2, 3 calls, try 2; validator agent,
    turn 1, waits for a worker`."""
    return "; ".join(", ".join(_work_of(agent)) for agent in agents)


def _work_of(agent: AgentAtWork) -> Iterator[str]:
    yield human(agent.agent)
    yield agent.has_come_to
    if agent.calls:
        yield f"{agent.calls} call{'s' if agent.calls > 1 else ''}"
    if agent.asks:
        yield _asks_words(agent.asks)
    if agent.attempt > 1:
        yield f"try {agent.attempt}"
    if agent.stands_in:
        yield "in another's stead"
    if agent.unclaimed:
        yield "waits for a worker"


def _asks_words(calls: Sequence[str]) -> str:
    more = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
    return f"asks {calls[0]}{more}"


def _note(line: MarketLine) -> str:
    if line.state is MarketState.PLANNED:
        return ""
    failing = next((agent.last_failure for agent in line.agents if agent.last_failure), None)
    return line.note or (f"tried again: {on_one_line(failing, LONGEST)}" if failing else "")


async def _answer(client: Client, run: WorkflowExecutionDescription, watched: _Watched) -> RunLook:
    """Takes a snapshot of a question, a swarm or an episode."""
    common = await _begun(run)
    found = await run_described(client, run.id, _RETURNS[run.workflow_type], run.run_id)
    if found is None:
        return RunLook(**common)
    status = await query_status_or_none(found.handle, GraphStatus)
    waits_for = run.raw_description.pending_activities
    asked = await watched.calls.of(client, run.id, run.run_id, waits_for)
    told = {**common, **(_board(status, asked) if status is not None else {})}
    if common["open"]:
        trouble = await problem_of(found.handle)
        if status is None:
            trouble = trouble or await why_silent(client)
            return RunLook(**told, trouble=trouble, untold=True)
        return RunLook(**told, trouble=trouble)
    return RunLook(**{**told, **await _end_of(found, common), "left": None, "rests": False})


async def _end_of(found: ServerRun[Any], common: dict[str, Any]) -> dict[str, Any]:
    try:
        result = await answer_of(found)
    except CommandError as error:
        return {"ended_badly": str(error), "stands": common["stands"]}
    except WorkflowContinuedAsNewError:
        return {"stands": "goes on in another run"}
    outcome = str(result.outcome).replace("_", " ")
    return {"stands": outcome, "files": result.files, "summary": result.summary}


def _board(status: GraphStatus, asked: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    now = datetime.now(UTC)
    asks = {
        parts.place: _asks_words(words)
        for activity, words in asked.items()
        if (parts := activity_id_parts(activity)) is not None
    }
    rests = status.phase is Phase.AWAITING_HORIZON and status.files is not None
    return {
        "title": status.question,
        "stands": status.phase.replace("_", " "),
        "rests": rests,
        "left": None if rests else time_words(seconds_left(status.deadline, now)),
        "spent": cost_words(status.usage) if status.usage.asked else None,
        "budget": None if status.budget.unlimited else allowance_words(status.budget),
        "files": status.files,
        "nodes": tuple(
            NodeRow(
                node.node,
                node.agent,
                node.state,
                _SIGNS[node.state],
                node.round,
                _took(node.started_at, node.ended_at or now),
                node.note or asks.get(node.node),
            )
            for node in status.nodes
        ),
    }


def _took(began: datetime | None, ended: datetime) -> str:
    return "" if began is None else f"{max((ended - began).total_seconds(), 0.0):.1f} s"
