"""What `desk agents` does."""

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from desk.contracts.agents.messages import AgentStatus
from desk.documents.rendering.wording import one_line
from desk.platform.mcp.config import read_mcp_config
from desk.platform.settings import Settings, load_settings
from starters.monitoring.agents.state import DeskAgents, WorkLine, desk_agents
from starters.monitoring.agents.work import record_since
from starters.monitoring.agents.workers import fleet_of
from starters.session import Desk, with_desk
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import folded, table_lines
from workers.health import queues_of
from workers.hosting import Role
from workers.needed_sources import agent_queues, needed_sources

TITLES: Final = ("agents", "", "busy", "done", "failed", "again", "last ok", "cpu", "mem", "queue")
MOST_LINES: Final = 3
"""Lines that tell what troubles an agent or a source; the JSON has all of it."""
LEGEND: Final = (
    "done, failed: tasks of an agent, calls of a source; again: further tries",
    "cpu, mem: of the machine that its worker runs on; queue: waiting/oldest",
)


def table_of(found: DeskAgents) -> Iterator[str]:
    """The table for people, and what is to be said of it."""
    yield from table_lines(TITLES, _rows(found), right=range(2, len(TITLES)))
    yield from _troubles(found)
    alive = [worker for worker in found.workers or () if worker.alive]
    if found.workers is None:
        yield "the server keeps no heartbeats of workers: processor and memory are not known"
    else:
        processes = {(worker.host, worker.process) for worker in alive}
        yield f"{_several(len(alive), 'worker')} in {_several(len(processes), 'process')}"
    some = "" if found.read == found.known else f", the newest {found.read} of {found.known}"
    yield f"work since {found.since:%Y-%m-%d %H:%M} UTC, in {found.read} workflows{some}"
    yield from LEGEND


def _rows(found: DeskAgents) -> Iterator[tuple[str, ...] | str]:
    for agent in found.agents:
        yield _cells(agent.agent, agent, found.at)
    yield "sources"
    for source in found.sources:
        yield _cells(source.server, source, found.at)


def _several(number: int, what: str) -> str:
    """`1 process`, `9 workers`."""
    if number == 1:
        return f"1 {what}"
    return f"{number} {what}{'es' if what.endswith('s') else 's'}"


def _cells(name: str, line: WorkLine, now: datetime) -> tuple[str, ...]:
    waiting = str(line.waiting)
    if line.waiting:
        waiting += f"/{_span(line.oldest_seconds)}"
    return (
        name,
        line.status,
        str(line.active),
        str(line.finished),
        str(line.failed),
        str(line.retried),
        _span((now - line.last_success).total_seconds()) if line.last_success else "-",
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


def _span(seconds: float) -> str:
    """`12s`, `5m`, `3h`, `2d`."""
    seconds = max(seconds, 0.0)
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"


WINDOW: Final = timedelta(days=1)


def show_agents(*, as_json: bool) -> ExitStatus:
    """Print how every agent and source is.

    Raises:
        McpConfigError: `.mcp.json` cannot be used.
        ServerUnreachable, ServerFailed: there is no server, and why.
    """
    settings = load_settings()
    log_to_file(settings)
    found = interruptible(_agents(settings))
    text = found.model_dump_json(indent=2) if as_json else "\n".join(table_of(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


async def _agents(settings: Settings) -> DeskAgents:
    servers = tuple(read_mcp_config(settings.mcp_config))
    needing = needed_sources()

    async def work(desk: Desk) -> DeskAgents:
        now = datetime.now(UTC)
        since = now - WINDOW
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
            since=since,
        )

    # With workers of its own, this command would find every agent healthy.
    return await with_desk(settings, work, server_only=True)
