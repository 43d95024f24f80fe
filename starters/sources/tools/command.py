"""`desk tools`."""

import asyncio
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from statistics import median
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

import typer
from pydantic import Field
from temporalio.client import Client, WorkflowExecution
from temporalio.service import RPCError

from desk.agents.capabilities import configured
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import SearchAttribute
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import (
    Attribution,
    OpenCircuit,
    SourceOutage,
)
from desk.contracts.base import Contract, Figure, ShortText, Text
from desk.contracts.learning.lessons import (
    AgentRecord,
    EssentialChange,
    EssentialTool,
    Lesson,
    ToolUse,
    UncitedTool,
)
from desk.contracts.learning.record import LearnedView, LearningRequest, RecordQuery
from desk.contracts.names import LEARNING_SYSTEM_ID, ActivityName, AgentId, Message
from desk.documents.rendering.words.wording import one_line
from desk.learning.learned import Learned
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import Settings, load_settings
from desk.platform.temporal.client import ServerUnreachable
from desk.platform.temporal.history import (
    Activity,
    HistoryGone,
    RunHistory,
    Signalled,
    WorkflowStarted,
    calls_of,
    decoded,
    fetch_events,
    fetch_history,
)
from desk.programs.week.document.rendering.coverage_words import outage_words
from desk.runs.assignments import merged_outages, outage_of
from desk.runs.tools import essential_tools
from starters.learning.lines import cost_words
from starters.runs.week_choice import written_week
from starters.runs.week_results import published_before_failure
from starters.runs.week_runs import FoundRun, find_any_run, newest_week, request_of
from starters.session import Desk, with_desk
from starters.sources.open_circuits import circuit_in
from starters.sources.tools.offers import Offer, offers
from starters.sources.unanswered import failure_reason
from starters.terminal.exit_status import ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson, of_week
from starters.terminal.tables import folded, short_name, table_lines
from workers.needed_sources import tool_users

EXAMPLE = "Example: desk tools --week 2026-W44; desk tools discover yahoo_finance"

NEWEST: Final = 8
"""The most changes in the table; the JSON has all of them."""

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


class RecordLine(Contract):
    """An agent's use of a tool over all weeks.

    `mean_ms` is the mean time of an answer. `kept` and `cited` are shares of the answers.
    `cost_usd` is the cost of the model's turns that made calls, divided among their calls.
    """

    agent: AgentId
    server: ShortText
    tool: ShortText
    calls: int
    failed: int
    refused: int
    mean_ms: int | None = None
    kept: float | None = None
    cited: float | None = None
    cost_usd: Figure = Decimal(0)


class ToolRecord(Contract):
    """The record of `weeks` weeks: each use, the outcomes and costs of each agent's tasks, each
    agent's essential tools, the changes of these lists, and tools that were called often and never
    cited."""

    weeks: int
    lines: Annotated[tuple[RecordLine, ...], Field(max_length=1_000)] = ()
    agents: Annotated[tuple[AgentRecord, ...], Field(max_length=60)] = ()
    essential: Annotated[tuple[EssentialTool, ...], Field(max_length=1_000)] = ()
    changes: tuple[EssentialChange, ...] = ()
    uncited: Annotated[tuple[UncitedTool, ...], Field(max_length=1_000)] = ()


def record_of(view: LearnedView) -> ToolRecord | None:
    """Returns the record, or None if there is none."""
    if not view.weeks:
        return None
    return ToolRecord(
        weeks=len(view.weeks),
        lines=tuple(map(_line, view.tools)),
        agents=view.agents,
        essential=view.advice.essential,
        changes=view.changes,
        uncited=view.advice.uncited,
    )


def record_lines(record: ToolRecord) -> Iterator[str]:
    """Formats the record for people."""
    yield f"record of {record.weeks} {'week' if record.weeks == 1 else 'weeks'}"
    costs = any(line.cost_usd for line in record.lines)
    titles = ("tool", "agent", "calls", "failed", "mean", "kept", "cited", "cost")
    shown = titles if costs else titles[:-1]
    rows = (_cells(line)[: len(shown)] for line in record.lines)
    yield from table_lines(shown, rows, right=range(2, len(shown)), indent="  ")
    yield from _agents(record.agents)
    yield from _essential(record.essential)
    yield from _changes(record.changes)
    if record.uncited:
        yield "asked often, and nothing rests on the answers: shown to models last, in short"
    for tool in record.uncited:
        told = f"{short_name(tool.agent)} {_name(tool)}: {tool.answered} answers"
        yield from folded(told, "  ")
    yield "failed: or refused, mean: ms of a call at its worker, kept: asked nothing anew"


def _line(use: ToolUse) -> RecordLine:
    answered = use.calls - use.failed - use.refused
    return RecordLine(
        agent=use.agent,
        server=use.server,
        tool=use.tool,
        calls=use.calls,
        failed=use.failed,
        refused=use.refused,
        mean_ms=round(1_000 * use.seconds / use.timed) if use.timed else None,
        kept=round(use.kept / answered, 4) if answered else None,
        cited=round(use.cited / answered, 4) if answered else None,
        cost_usd=use.cost_usd,
    )


def _cells(line: RecordLine) -> tuple[str, ...]:
    return (
        _name(line),
        short_name(line.agent),
        str(line.calls),
        str(line.failed + line.refused),
        "-" if line.mean_ms is None else str(line.mean_ms),
        _share(line.kept),
        _share(line.cited),
        _cost(line.cost_usd),
    )


def _agents(agents: Sequence[AgentRecord]) -> Iterator[str]:
    """What each agent's turns cost; empty if all were free."""
    told = [f"{short_name(one.agent)} {_cost(one.cost_usd)}" for one in agents if one.cost_usd]
    if told:
        yield from folded(f"cost of the agents: {', '.join(told)}")


def _essential(tools: Iterable[EssentialTool]) -> Iterator[str]:
    yield "essential tools"
    told = [
        f"{short_name(tool.agent)} {_name(tool)} since {tool.since}: {one_line(tool.reason)}"
        for tool in tools
    ]
    for line in told or ["none yet: a tool is one when cited in two of four weeks"]:
        yield from folded(line, "  ")


def _changes(changes: Sequence[EssentialChange]) -> Iterator[str]:
    if not changes:
        return
    earlier = len(changes) - NEWEST
    yield f"changes, newest first{f', {earlier} earlier not shown' if earlier > 0 else ''}"
    for change in list(reversed(changes))[:NEWEST]:
        became = "came" if change.added else "left"
        who = f"{short_name(change.agent)} {_name(change)}"
        yield from folded(f"{change.week} {who} {became}: {one_line(change.reason)}", "  ")


def _name(of: RecordLine | EssentialTool | EssentialChange | UncitedTool) -> str:
    return one_line(f"{of.server}.{of.tool}")


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}%"


def _cost(cost: Decimal) -> str:
    return cost_words(cost) if cost else "-"


SIDE_BY_SIDE: Final = 8


@dataclass
class RunToolUse:
    """The calls of one tool: how many, with how many attempts and failures, and how long each
    answered one took, in seconds, from its last attempt. `not_asked` are the circuits for which
    calls were skipped."""

    calls: int = 0
    tries: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)
    not_asked: list[OpenCircuit] = field(default_factory=list)

    @property
    def median_ms(self) -> int | None:
        """The median time of an answer."""
        return round(median(self.seconds) * 1_000) if self.seconds else None


Uses = Mapping[ToolName, RunToolUse]


async def tools_used(found: FoundRun, week: str) -> Uses:
    """Reads the use of every tool in a run, including reruns and reassigned tasks. For a run that
    continued as new, from its first execution on.

    Raises:
        CommandError: the history of the run is gone.
        RPCError: the server went away.
    """
    carried = (await request_of(found)).carried
    since = carried.began_at if carried else found.started_at
    query = f'{SearchAttribute.RESEARCH_WEEK} = "{week}"'
    runs = [
        run
        async for run in found.client.list_workflows(query)
        if run.id.startswith(f"{found.workflow_id}/") and run.start_time >= since
    ]
    uses: defaultdict[ToolName, RunToolUse] = defaultdict(RunToolUse)
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def look(run: WorkflowExecution) -> None:
        async with turns:
            await _add(found.client, run, uses)

    await asyncio.gather(*map(look, runs))
    return uses


async def _add(
    client: Client, run: WorkflowExecution, uses: defaultdict[ToolName, RunToolUse]
) -> None:
    with suppress(HistoryGone):
        await add_use(await fetch_history(client, run.id, run.run_id), uses)


async def add_use(history: RunHistory, uses: defaultdict[ToolName, RunToolUse]) -> None:
    """Adds the calls of one workflow to the use of tools."""
    for activity in history.activities:
        if activity.scheduled.name == ActivityName.CALL_TOOL:
            await _add_calls(history, activity, uses)


async def _add_calls(
    history: RunHistory, activity: Activity, uses: defaultdict[ToolName, RunToolUse]
) -> None:
    """Counts the calls of an activity. For a call that is repeated alone, only the attempt
    counts."""
    started, ended = activity.started, activity.ended
    for call, result, again in await calls_of(history, activity.scheduled, ended):
        use = uses[ToolName(server=call.server, tool=call.tool)]
        use.tries += started.attempt if started else 0
        use.calls += not again
        if again or ended is None:
            continue
        use.failed += (
            result is None
            or failure_reason(result.status, result.error, result.content) is not None
        )
        if result is None:
            circuit = await circuit_in(history.converter, ended.failure)
            use.not_asked += [circuit] if circuit is not None else []
        elif started is not None:
            use.seconds.append((ended.at - started.at).total_seconds())


TITLES: Final = ("tool", "capability", "agents", "calls", "tries", "failed", "ms")
FIGURES: Final = 3
LEGEND: Final = (
    "R1, R2 research_agent_1 and 2, V validator_agent; * what its work rested on",
    "tries: attempts, failed: calls without an answer, refused or their source not reached",
    "ms: median of the activities with its answers, from start to end in Temporal;",
    "calls that are made in one share its time (`desk learn`: of each call alone)",
)

Agents = Annotated[tuple[AgentId, ...], Field(max_length=50)]


class ToolLine(Contract):
    """One tool: its capabilities, its agents, and its use in the run. `essential` counts each
    agent's claims, events and verdicts that rest on its answers."""

    tool: ShortText
    offered: bool
    capabilities: tuple[Capability, ...] = ()
    agents: Agents = ()
    essential: dict[AgentId, int] = Field(default_factory=dict)
    calls: int = 0
    tries: int = 0
    failed: int = 0
    median_ms: int | None = None


class ServerLine(Contract):
    """One server of `.mcp.json`. `seconds` is how long it took to list its tools, `error` why it
    did not. `outage` means that it was not called for a time in the run. `attribution` is the
    publisher of its answers, if `.mcp.json` has to name it."""

    server: ShortText
    seconds: float | None = None
    error: Text | None = None
    outage: SourceOutage | None = None
    attribution: Attribution | None = None
    tools: Annotated[tuple[ToolLine, ...], Field(max_length=400)] = ()


class AbsentServer(Contract):
    """A server that capabilities are routed to but that is not in `.mcp.json`."""

    server: ShortText
    capabilities: tuple[Capability, ...]


class DeskTools(Contract):
    """What `desk tools --json` prints. `note` says why there are no figures of use. `record` covers
    all weeks; None if there is none yet."""

    week: ShortText | None = None
    note: Text | None = None
    servers: tuple[ServerLine, ...]
    absent: tuple[AbsentServer, ...] = ()
    record: ToolRecord | None = None


class Used(NamedTuple):
    """The use of tools in a run: which run, the figures, and what rests on them; or in `note` why
    nothing is known. `record` covers all weeks."""

    week: str | None = None
    uses: Uses = MappingProxyType({})
    essential: Mapping[AgentId, Mapping[ToolName, int]] = MappingProxyType({})
    note: str | None = None
    record: ToolRecord | None = None


def servers_of(
    policy: RunPolicy,
    offered: Iterable[Offer],
    users: Mapping[ToolName, tuple[AgentId, ...]],
    used: Used,
) -> tuple[ServerLine, ...]:
    """Builds a line for each server, with the tools that it offers, that an agent may call, or that
    were called."""
    routed = _capabilities(policy)
    lines = []
    for offer in offered:
        own = {spec.tool for spec in offer.tools}
        known = {name.tool for name in (*users, *used.uses) if name.server == offer.server}
        tools = (
            _tool_line(ToolName(server=offer.server, tool=tool), tool in own, routed, users, used)
            for tool in sorted(own | known)
        )
        lines.append(
            ServerLine(
                server=offer.server,
                seconds=offer.seconds,
                error=offer.error,
                outage=_outage(offer.server, used.uses),
                attribution=offer.attribution,
                tools=tuple(tools),
            )
        )
    return tuple(lines)


def _outage(server: str, uses: Uses) -> SourceOutage | None:
    circuits = (c for name, use in uses.items() if name.server == server for c in use.not_asked)
    return next(iter(merged_outages(map(outage_of, circuits))), None)


def absent_from(policy: RunPolicy, servers: Iterable[str]) -> tuple[AbsentServer, ...]:
    """Returns the missing servers that capabilities are routed to, with these capabilities."""
    present = set(servers)
    found: defaultdict[str, list[Capability]] = defaultdict(list)
    for capability in Capability:
        for route in configured(capability, policy):
            if route.server not in present:
                found[route.server].append(capability)
    return tuple(
        AbsentServer(server=server, capabilities=tuple(dict.fromkeys(capabilities)))
        for server, capabilities in found.items()
    )


def table_of(tools: DeskTools) -> Iterator[str]:
    """Formats the tables, and the remarks on them."""
    of_run = f"use in {tools.week}" if tools.week else f"no use: {tools.note}"
    yield from folded(of_run)
    used = tools.week is not None
    titles = TITLES if used else TITLES[:FIGURES]
    yield from table_lines(titles, _rows(tools), right=range(FIGURES, len(TITLES)), indent="  ")
    if tools.absent:
        yield "not in .mcp.json, so they are not asked"
        for absent in tools.absent:
            words = ", ".join(map(_words, absent.capabilities))
            yield from folded(f"{one_line(absent.server)}: {words}", "  ")
    yield from LEGEND if used else LEGEND[:1]
    if tools.record is not None:
        yield ""
        yield from record_lines(tools.record)


def _rows(tools: DeskTools) -> Iterator[tuple[str, ...] | str]:
    """The tools of each server, below the remarks on it."""
    for server in tools.servers:
        yield from folded(f"{_health(server)}{_whose(server)}")
        if server.outage is not None:
            yield from folded(outage_words(server.outage), "  ")
        for tool in server.tools:
            yield _tool_cells(tool, reachable=server.error is None, used=tools.week is not None)


def _tool_line(
    name: ToolName,
    offered: bool,
    routed: Mapping[ToolName, tuple[Capability, ...]],
    users: Mapping[ToolName, tuple[AgentId, ...]],
    used: Used,
) -> ToolLine:
    use = used.uses.get(name) or RunToolUse()
    return ToolLine(
        tool=name.tool,
        offered=offered,
        capabilities=routed.get(name, ()),
        agents=users.get(name, ()),
        essential={agent: tools[name] for agent, tools in used.essential.items() if name in tools},
        calls=use.calls,
        tries=use.tries,
        failed=use.failed,
        median_ms=use.median_ms,
    )


def _capabilities(policy: RunPolicy) -> Mapping[ToolName, tuple[Capability, ...]]:
    found: defaultdict[ToolName, list[Capability]] = defaultdict(list)
    for capability in Capability:
        for route in configured(capability, policy):
            found[ToolName(server=route.server, tool=route.tool)].append(capability)
    return {name: tuple(dict.fromkeys(capabilities)) for name, capabilities in found.items()}


def _health(server: ServerLine) -> str:
    name = one_line(server.server)
    if server.error is not None:
        return f"{name}: does not answer: {one_line(server.error)}"
    offered = sum(tool.offered for tool in server.tools)
    return f"{name}: answers, {offered} tools in {1_000 * (server.seconds or 0):.0f} ms"


def _whose(server: ServerLine) -> str:
    by = server.attribution
    return f"; {by.tier}, origin {one_line(by.origin)}" if by else ""


def _tool_cells(tool: ToolLine, *, reachable: bool, used: bool) -> tuple[str, ...]:
    named = (
        one_line(tool.tool),
        ", ".join(map(_words, tool.capabilities)) or "-",
        _users(tool),
    )
    if reachable and not tool.offered:
        return (*named, "not offered")
    if not used or not tool.calls:
        return named
    took = "-" if tool.median_ms is None else str(tool.median_ms)
    return (*named, str(tool.calls), str(tool.tries), str(tool.failed), took)


def _users(tool: ToolLine) -> str:
    return (
        " ".join(
            f"{short_name(agent)}{'*' if agent in tool.essential else ''}" for agent in tool.agents
        )
        or "-"
    )


def _words(capability: Capability) -> str:
    return capability.replace("_", " ")


async def learned_from(client: Client) -> Learned:
    """Reads the record with the lessons of all runs from the learning system's history. Empty if
    there are none. Lacks the scores of the last forecasts, which are not signals.

    Raises:
        RPCError: the server went away.
    """
    learned, converter = Learned(), client.data_converter
    with suppress(HistoryGone):
        async for event in fetch_events(client, LEARNING_SYSTEM_ID):
            if isinstance(event, WorkflowStarted):
                learned = Learned((await decoded(converter, event.input, LearningRequest)).state)
            elif isinstance(event, Signalled) and event.name == Message.LEARN:
                learned.take(await decoded(converter, event.input, Lesson))
    return learned


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
