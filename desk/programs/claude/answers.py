"""Formats tools' answers for a model, and decides which tools can still answer it."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, JsonValue

from desk.contracts.agents.capabilities import USUAL_CAPABILITY
from desk.contracts.agents.tools import ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MarketEvent
from desk.contracts.findings.source_results import DatePrecision
from desk.contracts.markets import MarketKind
from desk.contracts.names import CallFault
from desk.contracts.runs.turns import TurnRequest
from desk.programs.claude.figures import MOST_TOLD, claims_for_model, reportable_claims
from desk.programs.claude.fitting import fitting, why_unfit

LONGEST_RESULT: Final = 50_000
"""The most characters of one tool's answer that a model is shown."""

LONGEST_REASON: Final = 300

BUSY: Final = frozenset({CallFault.TIMEOUT, CallFault.CIRCUIT_OPEN})
"""Faults of a call after which the same tool may answer a minute later."""

_AS_CLAIMS: Final = ("figures", "decisions", "before")
"""The parts of an answer that are repeated by its claims."""

TOOLS: Final = "tools"
OTHER_TOOLS: Final = "other_tools"
CURRENCIES: Final = "currencies"

LONGEST_COLUMN: Final = 130
"""The most values of one column, such as the days of a series or its prices, that a model is shown
unthinned: half a year of fixings. Measures over all of them are among the answer's claims."""

SHOWN_OF_LONGER: Final = 60
"""About how many values of a longer column are shown, from its first to its last, to show its
course."""

_FOR_THE_AUDIT: Final = frozenset({"as_of", "legs"})
"""The parts of an answer that no model needs: the task has its instant, and the rates that a cross
is computed from are for the audit."""


def shown(result: ToolResult, claims: Iterable[Claim] = ()) -> str:
    """Formats a tool's answer for a model: JSON, with the name by which it may be referred to, and
    with the answer's claims, each named as in prose."""
    name, told_as = (
        result.evidence_id.rsplit("/", 1)[-1],
        tuple(reportable_claims(claims))[:MOST_TOLD],
    )
    told: dict[str, JsonValue] = {
        "evidence": name,
        "claims": {**claims_for_model(told_as, only_months((result,)))},
        "content": thinned(_without_claimed(_content_for_model(result.content), told_as)),
        "error": result.error,
    }
    text = json.dumps(without_absent(told), ensure_ascii=False)
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]} … cut off: {len(text)} characters in all"


def _content_for_model(content: JsonValue) -> JsonValue:
    """Removes from an answer what is only there for its audit. Of its source, leaves the name and
    the tier: the desk prints the address."""
    if not isinstance(content, dict):
        return content
    source = content.get("source")
    told = {name: held for name, held in content.items() if name not in _FOR_THE_AUDIT}
    if isinstance(source, dict):
        told["source"] = {name: source.get(name) for name in ("name", "tier")}
    return told


def _without_claimed(content: JsonValue, claims: Collection[Claim]) -> JsonValue:
    """Removes from an answer the figures and decisions that are among its claims, which have them
    as printed."""
    if not isinstance(content, dict):
        return content
    named = {(str(claim.metric), claim.as_of.isoformat()) for claim in claims}
    named |= {(claim.subject, claim.as_of.isoformat()) for claim in claims}
    left = dict(content)
    for column in _AS_CLAIMS:
        lines = content.get(column)
        if isinstance(lines, list):
            left[column] = [e for e in lines if not isinstance(e, dict) or _name_of(e) not in named]
    return left


def _name_of(line: Mapping[str, JsonValue]) -> tuple[str, str]:
    """A figure's metric or a decision's area, and its day."""
    return (
        str(line.get("metric") or line.get("area")),
        str(line.get("as_of") or line.get("decided_on")),
    )


def only_months(results: Iterable[ToolResult]) -> dict[str, str]:
    """Returns the decisions of which only the month is known, by the area and the day that stands
    for it: `2025-05` for `CN@2025-05-31`."""
    return {
        f"{line['area']}@{line['decided_on']}": str(line["decided_on"])[:7]
        for result in results
        for line in _decisions(result.content)
        if line.get("precision") == DatePrecision.MONTH
    }


def own_months(request: TurnRequest) -> dict[str, str]:
    """Like `only_months`, for the calls that the desk itself made for a task, the same at every
    turn."""
    return only_months(_own(request))


def known_day(event: MarketEvent, months: Mapping[str, str]) -> str:
    """Returns the day of an event, or its month if only the month of a decision is known."""
    day = event.event_date.isoformat()
    return months.get(f"{event.area}@{day}", day)


def _decisions(content: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    told = content if isinstance(content, dict) else {}
    for column in ("decisions", "before"):
        lines = told.get(column)
        yield from (e for e in (lines if isinstance(lines, list) else ()) if isinstance(e, dict))


def thinned(content: JsonValue) -> JsonValue:
    """Thins each long column of an answer to every n-th value, up to its last, so that a column of
    days and one of prices still match."""
    if isinstance(content, dict):
        return {name: thinned(held) for name, held in content.items()}
    if not isinstance(content, list):
        return content
    if len(content) <= LONGEST_COLUMN or any(isinstance(each, dict | list) for each in content):
        return [thinned(each) for each in content]
    step = -(-len(content) // SHOWN_OF_LONGER)
    kept = content[::-step][::-1]
    return [f"… every {step}th of {len(content)}", *kept]


def size_of(result: ToolResult) -> int:
    """About how many characters a model reads of an answer."""
    told = thinned(result.content) if result.content is not None else result.error
    return min(len(json.dumps(told)), LONGEST_RESULT)


def answering(request: TurnRequest) -> Iterator[ToolSpec]:
    """Yields the tools that can have data on the task's market. Omits those that the desk itself
    has just called for the task and that had nothing: a model's call would be useless. A tool that
    was busy stays, because it may answer now."""
    dead = {(each.call.server, each.call.tool) for each in _in_vain(request)}
    task = request.assignment
    fit = fitting(request.tools, task.market, task.window.end)
    return (spec for spec in fit if (spec.server, spec.tool) not in dead)


def why_not_answering(request: TurnRequest, spec: ToolSpec) -> str:
    """Returns why a tool is not among those that can answer, in words."""
    task = request.assignment
    unfit = why_unfit(spec.server, spec.tool, task.market, task.window.end)
    dead = (each for each in _in_vain(request) if each.call.server == spec.server)
    asked = (_why(each) for each in dead if each.call.tool == spec.tool)
    return unfit or next(asked, "it is left out of this task").rstrip(".")


def unanswered_calls(request: TurnRequest) -> list[dict[str, str]]:
    """Lists the desk's calls for the task that had no answer, with the reason, so that a model does
    not repeat them."""
    told = {(each.call.tool, _why(each)): None for each in _in_vain(request)}
    return [{"asked": tool.replace("_", " "), "why": why} for tool, why in told]


def has_any_answer(request: TurnRequest) -> bool:
    """Returns whether a tool that the desk called for a task had any data, or may have it a minute
    later."""
    return any(not _is_empty(each) for each in _own(request))


def _in_vain(request: TurnRequest) -> list[ToolResult]:
    """The answers of the tools that had no data for any of the desk's calls."""
    own = _own(request)
    told = {(each.call.server, each.call.tool) for each in own if not _is_empty(each)}
    return [each for each in own if (each.call.server, each.call.tool) not in told]


def _own(request: TurnRequest) -> list[ToolResult]:
    """The answers to the calls that the desk itself made for a task."""
    return [
        each for exchange in request.exchanges if not exchange.said for each in exchange.results
    ]


def _why(answer: ToolResult) -> str:
    """Returns why an answer has no data, in its source's words."""
    content = answer.content if isinstance(answer.content, dict) else {}
    missing = content.get("missing") or answer.error or "it does not say why"
    match missing:
        case dict():
            words = "; ".join(dict.fromkeys(map(str, missing.values())))
        case list():
            words = "; ".join(map(str, missing))
        case _:
            words = str(missing)
    return words[:LONGEST_REASON]


def without_absent(content: JsonValue) -> JsonValue:
    """Removes nulls and empty values from what a model is shown, at every depth."""
    if isinstance(content, dict):
        kept = {name: without_absent(held) for name, held in content.items()}
        return {name: held for name, held in kept.items() if _is_there(held)}
    if isinstance(content, list):
        return [without_absent(each) for each in content]
    return content


def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """Returns the JSON schema of a model's answer, as a copy that the caller may change."""
    schema: dict[str, Any] = json.loads(_schema_of(form))
    return schema


@cache
def _schema_of(form: type[BaseModel]) -> str:
    # Building it takes as long as the rest of a model call.
    return json.dumps(form.model_json_schema())


def without_titles(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Removes the titles from a JSON schema, which only repeat its fields' names. A field named
    `title` stays."""
    return {
        name: _schema_within(held)
        for name, held in schema.items()
        if name != "title" or not isinstance(held, str)
    }


def _schema_within(held: JsonValue) -> JsonValue:
    if isinstance(held, dict):
        return without_titles(held)
    if isinstance(held, list):
        return [without_titles(each) if isinstance(each, dict) else each for each in held]
    return held


def _is_there(held: JsonValue) -> bool:
    return held is not None and held not in ("", [], {})


def prompt_conditions(request: TurnRequest, material: str) -> set[str]:
    """Returns the conditions of the prompts' parts: the non-empty parts of the model's material,
    `tools` if it is offered any, and the capabilities of these or of a plan's agents; `other_tools`
    if a tool has no known capability; `currencies` unless the material is about a stock."""
    told = json.loads(material)
    parts = {name for name, held in told.items() if held}
    of_stock = "board" in parts or told.get("kind") == MarketKind.STOCK
    parts |= set() if of_stock else {CURRENCIES}
    return parts | asked_by(answering(request)) | set(map(str, request.capabilities))


def asked_by(specs: Iterable[ToolSpec]) -> set[str]:
    """Returns the capabilities of tools, and that there are any."""
    specs = tuple(specs)
    known = (USUAL_CAPABILITY.get((spec.server, spec.tool)) for spec in specs)
    return {str(each or OTHER_TOOLS) for each in known} | ({TOOLS} if specs else set())


def _is_empty(answer: ToolResult) -> bool:
    """Returns whether an answer has no data, and says why."""
    if answer.status is not ToolStatus.OK:
        return answer.fault not in BUSY
    content = answer.content
    if not isinstance(content, dict) or not content.get("missing"):
        return False
    told = (value for name, value in content.items() if name != "missing")
    return not any(isinstance(value, list) and value for value in told)
