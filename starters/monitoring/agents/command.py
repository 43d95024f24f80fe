"""`desk agents`."""

import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.contracts.names import AgentId, Queue, source_queue
from desk.contracts.runs.messages import AgentStatus
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import Settings, load_settings
from desk.platform.settings.mcp_json import present, read_mcp_config
from starters.monitoring.agents.work import (
    DeskWork,
    Fleet,
    QueueState,
    Share,
    WorkCounts,
    WorkerLine,
    fleet_of,
    record_since,
)
from starters.session import Desk, with_desk
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson
from starters.terminal.tables import folded, table_lines
from workers.health import queues_of
from workers.hosting import Role
from workers.needed_sources import agent_queues, needed_sources

EXAMPLE = "Example: desk agents; desk agents --json"

LONG_WAIT: Final = timedelta(seconds=30)
"""A task that waits for a worker longer than this counts as a backlog."""
MOST_WORKERS: Final = 1_000
MOST_AGENTS: Final = 200
Agents = Annotated[tuple[AgentId, ...], Field(max_length=MOST_AGENTS)]


def agents(
    as_json: AsJson = False,
) -> ExitStatus:
    """Show the state of every agent and source: healthy, degraded or offline, and why.

    Read from Temporal's workers, task queues and the histories of the last day. The exit status is
    always 0.
    """
    return show_agents(as_json=as_json)


class WorkLine(Contract):
    """The state of an agent or a source, and the reasons for it.

    `finished` and `failed` count an agent's tasks or a source's calls within the window, `retried`
    the failed attempts that were followed by another. `waiting` is the depth of its queue,
    `oldest_seconds` how long the oldest task has waited. Processor and memory are those of the
    busiest machine with a worker of its queue; None if Temporal does not know them.
    """

    queue: ShortText
    status: AgentStatus
    reasons: Annotated[tuple[Text, ...], Field(max_length=20)] = ()
    polled: bool
    workers: int
    active: int
    finished: int
    failed: int
    retried: int
    last_success: Instant | None = None
    last_error: Text | None = None
    last_error_at: Instant | None = None
    cpu_percent: Share | None = None
    memory_percent: Share | None = None
    waiting: int = 0
    oldest_seconds: float = 0.0

    @property
    def asked(self) -> bool:
        """Whether it had, or has, any work within the window."""
        return any((self.active, self.finished, self.failed, self.retried, self.waiting))


class AgentLine(WorkLine):
    """An agent of the roster."""

    agent: AgentId


NOT_ASKED: Final = "not asked"


class SourceWorkLine(WorkLine):
    """An MCP server of `.mcp.json`, with the agents that may call it.

    `not_made` counts calls that were skipped after others had failed.
    """

    server: ShortText
    not_made: int = 0
    needed_by: Agents = ()

    @property
    def shown(self) -> str:
        """The state as shown to people. A source without calls would be `healthy` only because it
        has a worker, so it is shown as not asked."""
        idle = self.status is AgentStatus.HEALTHY and self.last_success is None
        return NOT_ASKED if idle else self.status


class DeskAgents(Contract):
    """What `desk agents --json` prints.

    Work is counted since `since`, in `read` of `known` workflows; the others had ended by then.
    `workers` are the live ones and, for each queue, the last one that is gone. `unpolled` are the
    queues that no worker polls.
    """

    at: Instant
    since: Instant
    read: int
    known: int
    agents: Annotated[tuple[AgentLine, ...], Field(max_length=MOST_AGENTS)]
    sources: Annotated[tuple[SourceWorkLine, ...], Field(max_length=400)]
    workers: Annotated[tuple[WorkerLine, ...], Field(max_length=MOST_WORKERS)] | None
    unpolled: Annotated[tuple[ShortText, ...], Field(max_length=400)] = ()

    @property
    def nothing_runs(self) -> bool:
        """Whether no worker polls any queue, as when the desk is not up."""
        return not any(line.polled for line in (*self.agents, *self.sources))


def desk_agents(
    fleet: Fleet,
    record: DeskWork,
    roster: Mapping[AgentId, Queue],
    sources: Mapping[str, tuple[AgentId, ...]],
    *,
    now: datetime,
) -> DeskAgents:
    """Builds the state of every agent with its queue, and of every source with the agents that need
    it."""
    source_lines = tuple(
        _source(server, agents, fleet, record, now) for server, agents in sources.items()
    )
    agent_lines = tuple(
        _agent(agent, queue, fleet, record, source_lines, now) for agent, queue in roster.items()
    )
    lines: tuple[WorkLine, ...] = (*agent_lines, *source_lines)
    return DeskAgents(
        at=now,
        since=record.since,
        read=record.read,
        known=record.known,
        agents=agent_lines,
        sources=source_lines,
        workers=None if fleet.workers is None else _listed_workers(fleet.workers),
        unpolled=tuple(dict.fromkeys(line.queue for line in lines if not line.polled)),
    )


def _listed_workers(workers: tuple[WorkerLine, ...]) -> tuple[WorkerLine, ...]:
    """The workers to list: the live ones and, for each queue, the last one that is gone; if there
    are too many, those with the newest heartbeats. Temporal has an entry for each queue of each
    process long after its end."""
    alive = [worker for worker in workers if worker.alive]
    heard = sorted(workers, key=lambda worker: worker.last_heartbeat)
    gone = {worker.queue: worker for worker in heard if not worker.alive}
    told = sorted([*alive, *gone.values()], key=lambda w: (w.alive, w.last_heartbeat))
    return tuple(sorted(told[-MOST_WORKERS:], key=lambda w: (w.queue, w.worker, w.started_at)))


def _agent(
    agent: AgentId,
    queue: Queue,
    fleet: Fleet,
    record: DeskWork,
    sources: Iterable[SourceWorkLine],
    now: datetime,
) -> AgentLine:
    standing = _line_of(queue, record.agents[agent], fleet, now)
    offline = [
        source.server for source in sources if agent in source.needed_by and not source.polled
    ]
    reasons = [*standing.reasons]
    if standing.polled and offline:
        reasons.append(f"its source{'s' * (len(offline) > 1)} {', '.join(offline)}: offline")
    if standing.polled and not fleet.polled(Queue.DESK, now):
        reasons.append(f"no worker polls {Queue.DESK}, so it gets no work")
    return AgentLine(
        **{
            **dict(standing),
            "agent": agent,
            "status": _status(standing.polled, reasons),
            "reasons": tuple(reasons),
        }
    )


def _source(
    server: str, needed_by: tuple[AgentId, ...], fleet: Fleet, record: DeskWork, now: datetime
) -> SourceWorkLine:
    queue = source_queue(server)
    work = record.queues[queue]
    standing = _line_of(queue, work, fleet, now)
    reasons = [*standing.reasons]
    if work.failed > work.finished:
        tried = work.failed + work.finished
        reasons.append(
            f"{work.failed} of its {tried} calls failed" if tried > 1 else "its one call failed"
        )
    if work.not_made and reasons:
        calls = f"{work.not_made} call{'s were' if work.not_made > 1 else ' was'} not made"
        reasons.append(calls)
    return SourceWorkLine(
        **{
            **dict(standing),
            "server": server,
            "needed_by": needed_by,
            "not_made": work.not_made,
            "status": _status(standing.polled, reasons),
            "reasons": tuple(reasons),
        }
    )


def _line_of(queue: str, work: WorkCounts, fleet: Fleet, now: datetime) -> WorkLine:
    workers = fleet.on(queue)
    look = fleet.queues.get(queue) or QueueState(queue, 0, timedelta(0), None)
    polled = fleet.polled(queue, now)
    reasons = tuple(_reasons(queue, work, look, polled))
    return WorkLine(
        queue=queue,
        status=_status(polled, reasons),
        reasons=reasons,
        polled=polled,
        workers=len(workers),
        active=work.active,
        finished=work.finished,
        failed=work.failed,
        retried=work.retried,
        last_success=work.last_success,
        last_error=work.last_error,
        last_error_at=work.last_error_at,
        cpu_percent=max((worker.cpu_percent for worker in workers), default=None),
        memory_percent=max((worker.memory_percent for worker in workers), default=None),
        waiting=look.depth,
        oldest_seconds=look.oldest.total_seconds(),
    )


def _reasons(queue: str, work: WorkCounts, look: QueueState, polled: bool) -> Iterable[str]:
    if not polled:
        yield f"no worker polls {queue}"
    if look.depth and look.oldest > LONG_WAIT:
        seconds = look.oldest.total_seconds()
        yield f"{look.depth} waiting on {queue}, the oldest for {seconds:.0f} s"
    if not work.is_well:
        yield f"its last try failed: {(work.last_error or '')[:1_000]}"


def _status(polled: bool, reasons: Iterable[str]) -> AgentStatus:
    if not polled:
        return AgentStatus.OFFLINE
    return AgentStatus.DEGRADED if any(reasons) else AgentStatus.HEALTHY


TITLES: Final = ("agents", "", "busy", "done", "failed", "again", "last ok", "cpu", "mem", "queue")
NOTHING_RUNS: Final = "no worker runs, so nothing is at work; `desk up` starts the desk"
MOST_LINES: Final = 3
"""The most lines on the problems of an agent or a source; the JSON has all of them."""
LEGEND: Final = (
    "done, failed: tasks of an agent, calls of a source; again: further tries",
    "cpu, mem: of the machine that its worker runs on; queue: waiting/oldest",
)


def table_of(found: DeskAgents) -> Iterator[str]:
    """Formats the table and the remarks below it. If no worker runs, this is the only problem
    named."""
    if found.nothing_runs:
        yield NOTHING_RUNS
    yield from table_lines(TITLES, _rows(found), right=range(2, len(TITLES)))
    if not found.nothing_runs:
        yield from _troubles(found)
    alive = [worker for worker in found.workers or () if worker.alive]
    if found.workers is None:
        yield "the server keeps no heartbeats of workers: processor and memory are not known"
    else:
        processes = {(worker.host, worker.process) for worker in alive}
        yield f"{_several(len(alive), 'worker')} in {_several(len(processes), 'process')}"
    yield f"work since {found.since:%Y-%m-%d %H:%M} UTC, in {found.read} workflows"
    if found.known > found.read:
        yield f"{found.known - found.read} workflows that ended before that are not counted"
    yield from LEGEND


def _rows(found: DeskAgents) -> Iterator[tuple[str, ...] | str]:
    """A row for each agent and source; if no worker runs, only for those that had work."""
    every = not found.nothing_runs
    for agent in found.agents:
        if every or agent.asked:
            yield _cells(agent.agent, agent.status, agent, found.at)
    yield "sources"
    for source in found.sources:
        if every or source.asked:
            yield _cells(source.server, source.shown, source, found.at)


def _several(number: int, what: str) -> str:
    """Formats a count with its noun: `1 process`, `9 workers`."""
    if number == 1:
        return f"1 {what}"
    return f"{number} {what}{'es' if what.endswith('s') else 's'}"


def _cells(name: str, status: str, line: WorkLine, now: datetime) -> tuple[str, ...]:
    waiting = str(line.waiting)
    if line.waiting:
        waiting += f"/{span_words(line.oldest_seconds)}"
    return (
        name,
        status,
        str(line.active),
        str(line.finished),
        str(line.failed),
        str(line.retried),
        span_words((now - line.last_success).total_seconds()) if line.last_success else "-",
        _percent(line.cpu_percent),
        _percent(line.memory_percent),
        waiting,
    )


def _troubles(found: DeskAgents) -> Iterator[str]:
    lines = (
        *((agent.agent, agent) for agent in found.agents),
        *((source.server, source) for source in found.sources),
    )
    for name, line in lines:
        if line.status is not AgentStatus.HEALTHY:
            told = f"{one_line(name)} {line.status}: {one_line('; '.join(line.reasons))}"
            yield from islice(folded(told), MOST_LINES)
    if found.unpolled:
        role = Role.SOURCES if all("source." in queue for queue in found.unpolled) else Role.ALL
        yield f"`desk worker {role}` starts what is missing, `desk up` everything"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0f}%"


def span_words(seconds: float) -> str:
    """Formats a length of time: `12s`, `5m`, `3h`, `2d`."""
    seconds = max(seconds, 0.0)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"


WINDOW: Final = timedelta(days=1)


def show_agents(*, as_json: bool) -> ExitStatus:
    """Prints the state of every agent and source.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
        ServerUnreachable, ServerFailed: there is no server; the message says why.
    """
    settings = load_settings()
    log_to_file(settings)
    found = interruptible(_agents(settings))
    text = found.model_dump_json(indent=2) if as_json else "\n".join(table_of(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


async def _agents(settings: Settings) -> DeskAgents:
    # With its own workers, this command would find every agent healthy.
    return await with_desk(settings, agents_at, server_only=True)


async def agents_at(desk: Desk) -> DeskAgents:
    """Determines the state of every agent and source of a desk.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
        RPCError: the server went away.
    """
    servers = tuple(present(read_mcp_config(desk.settings.mcp_config)))
    needing = needed_sources()
    since = datetime.now(UTC) - WINDOW
    fleet, record = await asyncio.gather(
        fleet_of(desk.client, queues_of(Role.ALL, servers)),
        record_since(desk.client, since),
    )
    return desk_agents(
        fleet,
        record,
        agent_queues(),
        {server: needing.get(server, ()) for server in servers},
        now=datetime.now(UTC),
    )
