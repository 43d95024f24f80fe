"""`desk tools`."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer
from temporalio.service import RPCError

from desk.contracts.learning.record import RecordQuery
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import ServerUnreachable
from desk.runs.tools import essential_tools
from starters.runs.week_choice import written_week
from starters.runs.week_results import published_before_failure
from starters.runs.week_runs import find_any_run, newest_week
from starters.session import Desk, with_desk
from starters.sources.tools.listing import DeskTools, Used, absent_from, servers_of, table_of
from starters.sources.tools.offers import offers
from starters.sources.tools.record import learned_from, record_of
from starters.sources.tools.uses import tools_used
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson, of_week
from workers.needed_sources import tool_users

EXAMPLE = "Example: desk tools --week 2026-W44; desk tools discover yahoo_finance"

tools = typer.Typer(
    help="List the servers of .mcp.json with their tools, or see what one of them offers.",
    epilog=EXAMPLE,
)


@tools.callback(invoke_without_command=True)
def list_them(
    context: typer.Context,
    week: Annotated[
        str | None,
        of_week("Whose run is looked at, such as 2026-W44; without it, the latest with a run."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> ExitStatus:
    """List every server with its tools, who may use them, how they did in a run, and the record."""
    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return show_tools(week, as_json=as_json)


@tools.command(epilog=EXAMPLE)
def discover(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="A server of .mcp.json.")],
    as_json: AsJson = False,
) -> ExitStatus:
    """Show what a server offers and propose capabilities for it; nothing is changed."""
    from starters.sources.tools.discover import discover as discover_offers

    return discover_offers(server, as_json=as_json)


def show_tools(week: str | None, *, as_json: bool) -> ExitStatus:
    """Prints every server with its tools, who may use them, and how they did in a run.

    Raises:
        UsageError: the week is invalid.
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
    """Reads the use of tools in the newest run, or in that of a week, and the record of all weeks.
    Without a server, `note` says why there is none."""

    async def work(desk: Desk) -> Used:
        chosen = week or await newest_week(desk.client)
        found = await find_any_run(desk.client, chosen) if chosen else None
        learned = await learned_from(desk.client)
        record = record_of(learned.view(RecordQuery(as_of=datetime.now(UTC))))
        if chosen is None or found is None:
            return Used(note=f"no run of {chosen or 'any week'} is known", record=record)
        published = await published_before_failure(found)
        outcomes = published.record.outcomes if published else ()
        uses = await tools_used(found, chosen)
        return Used(chosen, uses, essential_tools(outcomes), record=record)

    try:
        return await with_desk(settings, work, server_only=True)
    except (ServerUnreachable, ServerFailed, RPCError) as error:
        return Used(note=str(error))
