"""Each server with its tools, who may use them, and how they did in a run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from desk.agents.capabilities import configured
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import Attribution, SourceOutage
from desk.contracts.base import Contract, ShortText, Text
from desk.contracts.names import AgentId
from desk.documents.rendering.words.wording import one_line
from desk.programs.week.document.rendering.coverage_words import outage_words
from desk.runs.assignments import merged_outages, outage_of
from starters.sources.tools.offers import Offer
from starters.sources.tools.record import ToolRecord, record_lines
from starters.sources.tools.uses import RunToolUse, Uses
from starters.terminal.tables import folded, short_name, table_lines

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
    did not; a `built_in` server was not asked. `outage` means that it was not called for a time in
    the run. `attribution` is the publisher of its answers, if `.mcp.json` has to name it."""

    server: ShortText
    seconds: float | None = None
    error: Text | None = None
    built_in: bool = False
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
                built_in=offer.built_in,
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
    if server.built_in:
        return f"{name}: built in, {offered} tools"
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
