"""The implementation of `desk tools discover`: lists a server's tools, and what they could be used
for.

Text from the server is printed as data: on one line, cut, and without terminal control characters.
Nothing is configured.
"""

import json
import sys
from collections.abc import Iterator
from typing import Final

from desk.agents.capabilities import configured
from desk.analytics.names.shortening import shortened
from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.base import Contract, ShortText, Text
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import load_settings
from desk.runs.tools import Proposal, arguments_of, proposals, required_by
from starters.sources.tools.offers import Offer, offers
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file

WIDTH: Final = 80
MOST_ROUTES: Final = 3
LONGEST_NAME: Final = 60


class OfferedTool(Contract):
    """A tool as its server describes it. Required `arguments` end with an asterisk."""

    tool: ShortText
    description: Text
    arguments: tuple[Text, ...]


class ProposedRoute(Contract):
    """A capability that a tool could serve. `likeness` is from 0 to 1."""

    capability: Capability
    route: Route
    likeness: float
    unfilled: tuple[Text, ...] = ()


class Discovery(Contract):
    """What `desk tools discover --json` prints."""

    server: ShortText
    tools: tuple[OfferedTool, ...]
    proposed: tuple[ProposedRoute, ...]


def discover(server: str, *, as_json: bool) -> ExitStatus:
    """Prints what a server offers, and the configuration with which the desk would use it.

    Raises:
        UsageError: it is not in `.mcp.json`.
        CommandError: it does not answer.
    """
    settings = load_settings()
    log_to_file(settings)
    (offer,) = interruptible(offers(settings, server))
    if offer.error is not None:
        raise CommandError(f"{offer.error} (`desk doctor` checks every source)")
    found = discovery(offer)
    policy = settings.config.policy
    text = found.model_dump_json(indent=2) if as_json else "\n".join(discovery_lines(found, policy))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def discovery(offer: Offer) -> Discovery:
    """Finds the capabilities that a server's tools could serve."""
    return Discovery(
        server=offer.server,
        tools=tuple(map(_offered, offer.tools)),
        proposed=tuple(map(_proposed, proposals(offer.tools))),
    )


def discovery_lines(found: Discovery, policy: RunPolicy) -> Iterator[str]:
    """Formats the tools, and the table for `desk.toml` that gives them their capabilities."""
    for tool in found.tools:
        yield _cut(tool.tool)
        yield _cut(f"  {tool.description or 'no description'}")
        yield _cut(f"  takes {', '.join(tool.arguments) or 'nothing'}")
    fresh = [one for one in found.proposed if not _is_routed(one, policy)]
    known = [one for one in found.proposed if _is_routed(one, policy)]
    for one in known:
        yield _cut(f"# {_words(one.capability)}: {one.route.tool} is asked for it already")
    if not fresh:
        yield "# nothing else to propose"
        return
    yield ""
    yield "# For desk.toml. Read it first: a tool that looks alike may mean something else."
    yield "[capabilities]"
    for one in fresh:
        yield from _entry(one, policy)


def _entry(one: ProposedRoute, policy: RunPolicy) -> Iterator[str]:
    unfilled = f"; needs {', '.join(one.unfilled)} fixed" if one.unfilled else ""
    yield _cut(f"# likeness {one.likeness:.2f}{unfilled}")
    before = configured(one.capability, policy)[: MOST_ROUTES - 1]
    routes = ",\n".join(f"  {route_text(route)}" for route in (*before, one.route))
    yield f"{one.capability} = [\n{routes},\n]"


def route_text(route: Route) -> str:
    """Formats a route without fixed arguments as in `desk.toml`."""
    if "." not in route.server and not route.names:
        return _quoted(f"{route.server}.{route.tool}")
    parts = [f"server = {_quoted(route.server)}", f"tool = {_quoted(route.tool)}"]
    if route.names:
        pairs = (f"{_quoted(ours)} = {_quoted(theirs)}" for ours, theirs in route.names.items())
        parts.append(f"names = {{ {', '.join(pairs)} }}")
    return f"{{ {', '.join(parts)} }}"


def _quoted(text: str) -> str:
    """Formats a TOML string. Printable characters are written as in JSON."""
    return json.dumps(text, ensure_ascii=False)


def _offered(spec: ToolSpec) -> OfferedTool:
    required = required_by(spec)
    return OfferedTool(
        tool=spec.tool,
        description=one_line(spec.description.strip().partition("\n")[0]),
        arguments=tuple(
            f"{_short(name)}{'*' if name in required else ''}" for name in arguments_of(spec)
        ),
    )


def _proposed(proposal: Proposal) -> ProposedRoute:
    return ProposedRoute(
        capability=proposal.capability,
        route=proposal.route,
        likeness=proposal.likeness,
        unfilled=tuple(map(_short, proposal.unfilled)),
    )


def _short(name: str) -> str:
    return one_line(name)[:LONGEST_NAME]


def _is_routed(one: ProposedRoute, policy: RunPolicy) -> bool:
    wanted = (one.route.server, one.route.tool)
    return any((r.server, r.tool) == wanted for r in configured(one.capability, policy))


def _words(capability: Capability) -> str:
    return capability.replace("_", " ")


def _cut(text: str) -> str:
    line = one_line(text) if not text.startswith("  ") else f"  {one_line(text)}"
    return shortened(line, WIDTH)
