"""Which tools serve a capability that an agent asks for, and which of their answers is used."""

from collections.abc import Iterable, Sequence
from typing import Final

from desk.agents.answer_form import in_desk_form
from desk.contracts.agents.capabilities import (
    INSTEAD,
    OWN_SOURCES,
    USUAL_CAPABILITY,
    USUAL_ROUTES,
    Capability,
    Route,
)
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import AskedBesides, ToolCall, ToolResult, ToolSpec, ToolStatus

LONGEST_NOTE: Final = 1_000

NOT_FOUND: Final = "its answer does not hold what was asked for"

LONGEST_REPEATED: Final = 190
"""The maximum length in characters of an argument that an answer repeats, by the limit of
`ToolCall.answer`."""

PRICES: Final = (Capability.QUOTE, Capability.HISTORY, Capability.SYMBOL_SEARCH)
RATES: Final = (Capability.POLICY_RATE, Capability.RATE_DECISIONS, Capability.DECISION_CALENDAR)
CROSS_ASSET: Final = (Capability.YIELDS, Capability.ASSETS)
"""Possible drivers of a currency's move. The built-in analysts ask for yields."""

NEWS: Final = (
    Capability.BANK_NEWS,
    Capability.NEWS_SEARCH,
    Capability.HEADLINES,
    Capability.DATE_FILTER,
    Capability.VERIFICATION,
)
"""For agents that are models. The built-in analysts ask for none of it."""

_CONTENT_FIELDS: Final = (
    *("value", "values", "items", "symbols", "averages", "carried"),
    *("id", "markdown", "pages", "results"),
)
"""The fields in which the desk's own answers hold what was asked for, beside `missing`."""


def configured(capability: Capability, policy: RunPolicy) -> tuple[Route, ...]:
    """Returns the routes of a capability by `desk.toml`, or else the usual ones, whether or not
    their servers exist."""
    return policy.capabilities.get(capability, USUAL_ROUTES[capability])


def routes_to(capability: Capability, policy: RunPolicy) -> tuple[Route, ...]:
    """Returns the routes of a capability in a run: those to servers that `.mcp.json` names, without
    those that could not be reached, or had no data, when the run was planned.

    If it is not known which servers exist, the routes to the servers that need no network.
    """
    sources = policy.sources or OWN_SOURCES
    return tuple(
        route
        for route in configured(capability, policy)
        if route.server in sources
        and INSTEAD.get((route.server, route.tool)) not in sources
        and why_left_out(route.server, route.tool, policy) is None
    )


def is_unreachable(server: str, policy: RunPolicy) -> bool:
    """Returns whether a server could not be reached at all when the run was planned."""
    return any(source.server == server and not source.tools for source in policy.unreachable)


def why_left_out(server: str, tool: str, policy: RunPolicy) -> str | None:
    """Says why a tool is not offered to any agent in a run; None if its server can answer."""
    left_out = (source for source in policy.unreachable if source.leaves_out(server, tool))
    source = next(left_out, None)
    if source is None:
        return None
    if source.tools:
        return f"{source.named} had no data when the run was planned"
    return f"{server} could not be reached when the run was planned"


def tools_for(capabilities: Iterable[Capability], policy: RunPolicy) -> tuple[ToolName, ...]:
    """Returns the tools behind some capabilities in a run, each once: all that may be called for
    them."""
    return tuple(
        dict.fromkeys(
            ToolName(server=route.server, tool=route.tool)
            for capability in capabilities
            for route in routes_to(capability, policy)
        )
    )


def tools_planned(
    offered: Iterable[ToolSpec], look_into: Sequence[Capability] | None, policy: RunPolicy
) -> tuple[ToolSpec, ...]:
    """Returns those of the offered tools that a plan assigns to models; all if it assigns none."""
    if look_into is None:
        return tuple(offered)
    planned = set(tools_for(look_into, policy))
    return tuple(s for s in offered if ToolName(server=s.server, tool=s.tool) in planned)


def usual_route(capability: Capability) -> Route:
    """Returns the default route of a capability."""
    return USUAL_ROUTES[capability][0]


def call_by(route: Route, call: ToolCall) -> ToolCall:
    """Returns the call of a capability in the form that the tool of a route takes, with the same
    id. An argument that the route has no name for is left out."""
    named = {route.names.get(name, name): value for name, value in call.arguments.items()}
    renamed = {name: value for name, value in named.items() if name}
    usual = USUAL_CAPABILITY.get((route.server, route.tool))
    return ToolCall(
        call_id=call.call_id,
        server=route.server,
        tool=route.tool,
        arguments={**renamed, **route.fixed},
        capability=None if call.capability == usual else call.capability,
        answer=_answer_form(route, call),
    )


def _answer_form(route: Route, call: ToolCall) -> dict[str, str]:
    """Returns where the fields of the answer are found. Third-party answers need not repeat the
    call's arguments: the desk's arguments are added to the answer under their own names, as in
    those of its own tools."""
    if not route.answer:
        return {}
    asked = {
        name: f"'{value}'"
        for name, value in call.arguments.items()
        if isinstance(value, str) and len(value) < LONGEST_REPEATED and not {*"\\'"} & {*value}
    }
    return {**asked, **route.answer}


def as_routed(call: ToolCall, policy: RunPolicy) -> ToolCall:
    """Returns a call of a tool by its own name, completed by the routes of a run to that tool:
    which capability it has, if only one, and how its answer is parsed."""
    routed = [
        (capability, route)
        for capability in policy.capabilities
        for route in routes_to(capability, policy)
        if (route.server, route.tool) == (call.server, call.tool)
    ]
    if len(routed) != 1 or call.capability is not None:
        return call
    ((capability, route),) = routed
    usual = USUAL_CAPABILITY.get((call.server, call.tool))
    named = None if capability == usual else capability
    return call.model_copy(update={"capability": named, "answer": route.answer})


def satisfies(result: ToolResult) -> bool:
    """Returns whether no other source needs to be asked. The judgement of the source's worker
    counts, if there is one."""
    return is_answered(result) if result.satisfies is None else result.satisfies


def is_answered(result: ToolResult) -> bool:
    """Returns whether a result is an answer with content.

    A source that could not be asked, that refused, or that says that it has nothing, does not
    satisfy. A refusal can be a matter of credentials; if the question itself is wrong, the next
    source refuses too.
    """
    return result.status is ToolStatus.OK and not _is_empty(result)


def best_answer(results: Sequence[ToolResult]) -> ToolResult:
    """Returns the answer among the results of a capability's routes, given in their order.

    This is the first that satisfies, else the first with any answer, with a note on those before
    it. If no source answered, it is the first result, with the reasons of all.
    """
    given = [result for result in results if result.status is ToolStatus.OK]
    answer = next((result for result in given if satisfies(result)), given[0] if given else None)
    first, *others = results
    if not others:
        return first
    if answer is None:
        fields = {"error": _words(results), "besides": _besides(others)}
        return first.model_copy(update=fields)
    place = results.index(answer)
    before, after = results[:place], results[place + 1 :]
    noted = {"in_place_of": _words(before)} if before else {}
    return answer.model_copy(update={**noted, "besides": _besides((*before, *after))})


def _besides(results: Sequence[ToolResult]) -> tuple[AskedBesides, ...]:
    return tuple(
        AskedBesides(
            server=result.call.server,
            tool=result.call.tool,
            status=result.status,
            words=(_reason(result) or "")[:300],
            fault=result.fault,
            took=result.took,
        )
        for result in results
    )


def _is_empty(result: ToolResult) -> bool:
    """Returns whether an answer contains nothing of what was asked for. One of the desk's own tools
    says so itself; a third-party answer is judged by what its route finds in it."""
    content = in_desk_form(result)
    if not isinstance(content, dict):
        return False
    says_so = isinstance(content.get("missing"), str) or bool(result.call.answer)
    held = [content[name] for name in _CONTENT_FIELDS if name in content]
    return says_so and bool(held) and all(value in (None, []) for value in held)


def _words(results: Sequence[ToolResult]) -> str:
    """Returns each source's reason, shortened to an equal share of the room."""
    share = LONGEST_NOTE // len(results) - 2
    return "; ".join(_source_words(result)[:share] for result in results)


def _source_words(result: ToolResult) -> str:
    return f"{result.call.server}.{result.call.tool}: {_reason(result) or result.status}"


def _reason(result: ToolResult) -> str | None:
    content = in_desk_form(result)
    if result.status is not ToolStatus.OK or not isinstance(content, dict):
        return result.error
    missing = content.get("missing")
    return str(missing) if missing or not result.call.answer else NOT_FOUND
