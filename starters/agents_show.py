"""What `desk agents` does."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from typing import Final

from desk.platform.mcp.config import read_mcp_config
from desk.platform.settings import Settings, load_settings
from starters.agents_state import DeskAgents, desk_agents
from starters.agents_table import table_of
from starters.agents_work import record_since
from starters.agents_workers import fleet_of
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, with_desk
from starters.endings import ExitStatus
from starters.interrupts import interruptible
from workers.health import queues_of
from workers.hosting import Role
from workers.needed_sources import agent_queues, needed_sources

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
