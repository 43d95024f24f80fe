"""Shared by the agents that answer questions: parsing what a question names, calling tools, and
wording failures."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import JsonValue

from desk.agents.answer_form import ParsedHit, ParsedHits, UnreadableAnswer, parse_answer
from desk.agents.capabilities import usual_route
from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK, Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import (
    MAX_CALLS_A_TURN,
    ToolCall,
    ToolResult,
    ToolStatus,
    capability_of,
)
from desk.contracts.findings.results import AgentError
from desk.contracts.names import FailureType
from desk.contracts.question.knowledge import WebSearched
from desk.contracts.question.tickets import ticket_ids
from desk.contracts.runs.turns import TurnContext, TurnRequest
from desk.programs.builtin.evidence import LONGEST_MESSAGE, TaskNotPossible
from desk.trust.prose import clip

LONGEST_LINE: Final = 300
"""The maximum number of characters of a tool's message that a line about something missing
repeats."""

LONGEST_QUERY: Final = 600

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_FAILURES: Final = {
    ToolStatus.REFUSED: FailureType.TOOL_REFUSED,
    ToolStatus.UNAVAILABLE: FailureType.TOOL_UNAVAILABLE,
}


def query_of(request: TurnRequest) -> Query:
    """Returns the question of a task, with its misspelled words as they are read.

    Raises:
        TaskNotPossible: the assignment has no question.
    """
    if request.assignment.query is None:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=f"the task {request.assignment.task_id} holds no question",
                agent=request.assignment.agent,
            )
        )
    return request.assignment.query.as_read


def parameter_list(query: Query, *names: str) -> tuple[str, ...]:
    """Returns the values of parameters that may hold several, separated by commas, semicolons or
    line breaks."""
    values = (query.parameters.get(name, "") for name in names)
    pieces = (piece.strip() for value in values for piece in re.split(r"[,;\n]", value))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def named_tickets(query: Query) -> tuple[str, ...]:
    """Returns the tickets that a question or its parameters name, those of the parameters first."""
    given = parameter_list(query, "ticket", "tickets", "issue")
    return tuple(dict.fromkeys(n.upper() for n in (*given, *ticket_ids(query.question))))


def ask_about(
    request: TurnRequest, capability: Capability, thing: str, **arguments: JsonValue
) -> ToolCall:
    """Builds a call for a capability. `thing` and the number of earlier results make the call's id
    unique within the task."""
    usual = usual_route(capability)
    name = _UNSAFE.sub("-", thing).strip("-")[:60]
    count = len(request.results)
    return ToolCall(
        call_id=f"{request.assignment.task_id}/{usual.tool}.{name}{f'.{count}' if count else ''}",
        server=usual.server,
        tool=usual.tool,
        arguments=arguments,
        capability=capability,
    )


def distinct(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Returns as many calls as a turn may have, with unique ids."""
    seen: dict[str, ToolCall] = {}
    for call in calls:
        name = call.call_id
        while name in seen:
            name += "-"
        seen[name] = call.model_copy(update={"call_id": name})
    return tuple(seen.values())[:MAX_CALLS_A_TURN]


def results_of(request: TurnRequest, capability: Capability) -> tuple[ToolResult, ...]:
    """Returns the results of the calls for a capability, oldest first."""
    return tuple(r for r in request.results if capability_of(r.call) is capability)


def asked_for(result: ToolResult) -> str:
    """Returns what a call asked for: its first string argument, whatever the tool names it."""
    words = (
        value
        for name, value in result.call.arguments.items()
        if name != ADDED_BY_THE_DESK and isinstance(value, str)
    )
    return next(words, result.call.tool)


def why_not(result: ToolResult, thing: str) -> str:
    """Returns the line that says that something was not found or not fetched, and why."""
    said = " ".join((result.error or "no reason was given").split())
    verb = "could not be asked for" if result.status is ToolStatus.UNAVAILABLE else "was not had"
    return f"{clip(thing, 120)} {verb}: {clip(said, LONGEST_LINE)}"


def hits_in(results: Iterable[ToolResult]) -> list[ParsedHit]:
    """Returns the search hits, best first, without duplicate addresses."""
    found: dict[str, ParsedHit] = {}
    for result in results:
        if result.status is ToolStatus.OK:
            try:
                hits = parse_answer(result, ParsedHits).results
            except UnreadableAnswer:
                continue
            for hit in hits:
                found.setdefault(hit.url, hit)
    return list(found.values())


def hits_before(context: TurnContext) -> list[ParsedHit]:
    """Returns the search hits of earlier nodes, best first, without duplicate addresses."""
    found: dict[str, ParsedHit] = {}
    for entry in context.state:
        if isinstance(entry.result, WebSearched):
            for hit in entry.result.results:
                told_hit = ParsedHit(title=hit.title, snippet=hit.snippet, url=hit.url)
                found.setdefault(hit.url, told_hit)
    return list(found.values())


def stop_if_nobody_answered(request: TurnRequest, results: Sequence[ToolResult]) -> None:
    """Returns if one of the results is an answer or a refusal, or if there are no results: then
    there is something to deliver, at least what is missing.

    Raises:
        TaskNotPossible: no tool could be called.
    """
    if not results or any(r.status is not ToolStatus.UNAVAILABLE for r in results):
        return
    last = results[-1]
    reason = (last.error or "it could not be asked")[:LONGEST_MESSAGE]
    message = f"{last.call.tool}: {reason}"
    raise TaskNotPossible(
        AgentError(
            error_type=_FAILURES[last.status],
            error_message=message[:LONGEST_MESSAGE],
            reason=reason,
            agent=request.assignment.agent,
            tool=last.call.tool,
            recovery_action="reassign the task",
        )
    )
