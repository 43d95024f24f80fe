"""What `desk tools` does."""

import sys
from datetime import UTC, datetime

from temporalio.service import RPCError

from desk.contracts.learning.record import Question
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import ServerUnreachable
from desk.runs.tools import essential_tools
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, with_desk
from starters.endings import ExitStatus
from starters.interrupts import interruptible
from starters.tool_lessons import learned_from
from starters.tool_offers import offers
from starters.tool_use import tools_used
from starters.tools_record import record_of
from starters.tools_table import DeskTools, Used, absent_from, servers_of, table_of
from starters.week_choice import written_week
from starters.week_results import published_before_the_end
from starters.week_runs import find_any_run, newest_week
from workers.tool_lists import tool_users


def show_tools(week: str | None, *, as_json: bool) -> ExitStatus:
    """Print every server with its tools, who may use them, and how they did in a run.

    Raises:
        UsageError: the week is none.
        McpConfigError: `.mcp.json` cannot be used.
    """
    settings = load_settings()
    written = written_week(week, datetime.now(UTC), settings.config.schedule)
    log_to_file(settings)
    found = interruptible(_desk_tools(settings, written))
    text = found.model_dump_json(indent=2) if as_json else "\n".join(table_of(found))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


async def _desk_tools(settings: Settings, week: str | None) -> DeskTools:
    policy = settings.config.policy
    offered = await offers(settings)
    used = await _used(settings, week)
    return DeskTools(
        week=used.week,
        note=used.note,
        servers=servers_of(policy, offered, tool_users(policy), used),
        absent=absent_from(policy, (offer.server for offer in offered)),
        record=used.record,
    )


async def _used(settings: Settings, week: str | None) -> Used:
    """The use of tools in the newest run, or in that of a week, and the record of all weeks.
    Without a server, why not."""

    async def work(desk: Desk) -> Used:
        chosen = week or await newest_week(desk.client)
        found = await find_any_run(desk.client, chosen) if chosen else None
        learned = await learned_from(desk.client)
        record = record_of(learned.view(Question(as_of=datetime.now(UTC))))
        if chosen is None or found is None:
            return Used(note=f"no run of {chosen or 'any week'} is known", record=record)
        published = await published_before_the_end(found)
        outcomes = published.record.outcomes if published else ()
        uses = await tools_used(found, chosen)
        return Used(chosen, uses, essential_tools(outcomes), record=record)

    try:
        return await with_desk(settings, work, server_only=True)
    except (ServerUnreachable, ServerFailed, RPCError) as error:
        return Used(note=str(error))
