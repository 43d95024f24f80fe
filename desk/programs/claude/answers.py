"""Answers of tools as a model reads them, and which tools can still answer it."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.capabilities import USUAL_CAPABILITY
from desk.contracts.agents.tools import ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.claims import Claim
from desk.contracts.runs.turns import TurnRequest
from desk.programs.claude.figures import MOST_TOLD, told_claims

LONGEST_RESULT: Final = 50_000
"""As many characters of one tool's answer as a model is shown."""

TOOLS: Final = "tools"
OTHER_TOOLS: Final = "other_tools"

LONGEST_COLUMN: Final = 130
"""Values of one column, such as the days of a series or its prices: half a year of fixings. What
an answer measures over all of them is among its claims."""


def shown(result: ToolResult, claims: Iterable[Claim] = ()) -> str:
    """A tool's answer as a model reads it: JSON, under the name that it may refer to it by, behind
    the claims that it makes, each named as it is written in prose."""
    name = result.evidence_id.rsplit("/", 1)[-1]
    told = {
        "evidence": name,
        "claims": told_claims(tuple(claims)[:MOST_TOLD]) or None,
        "content": thinned(result.content),
        "error": result.error,
    }
    text = json.dumps({k: v for k, v in told.items() if v is not None}, ensure_ascii=False)
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]} … cut off: {len(text)} characters in all"


def thinned(content: JsonValue) -> JsonValue:
    """An answer with the last values of each long column, so that a column of days and one of
    prices still stand beside each other."""
    if isinstance(content, dict):
        return {name: thinned(held) for name, held in content.items()}
    if not isinstance(content, list):
        return content
    if len(content) <= LONGEST_COLUMN or any(isinstance(each, dict | list) for each in content):
        return [thinned(each) for each in content]
    gone = len(content) - LONGEST_COLUMN
    return [f"… {gone} earlier left out", *content[gone:]]


def size_of(result: ToolResult) -> int:
    """About how many characters a model reads of an answer."""
    told = thinned(result.content) if result.content is not None else result.error
    return min(len(json.dumps(told)), LONGEST_RESULT)


def answering(request: TurnRequest) -> Iterator[ToolSpec]:
    """The tools without those that the desk itself has just asked for the task, and that had
    nothing: a model would ask in vain."""
    own = [each for exchange in request.exchanges if not exchange.said for each in exchange.results]
    told = {(each.call.server, each.call.tool) for each in own if not _is_empty(each)}
    asked = {(each.call.server, each.call.tool) for each in own}
    dead = asked - told
    return (spec for spec in request.tools if (spec.server, spec.tool) not in dead)


def there_is(request: TurnRequest, material: str) -> set[str]:
    """What a model can be told of: the parts of its material that hold something, `tools` where it
    is offered any, and what these, or the agents of a plan, can ask; `other_tools` where it is not
    known what one of them is asked for."""
    parts = {name for name, held in json.loads(material).items() if held}
    return parts | asked_by(answering(request)) | set(map(str, request.capabilities))


def asked_by(specs: Iterable[ToolSpec]) -> set[str]:
    """What tools are asked for, and that there are any."""
    specs = tuple(specs)
    known = (USUAL_CAPABILITY.get((spec.server, spec.tool)) for spec in specs)
    return {str(each or OTHER_TOOLS) for each in known} | ({TOOLS} if specs else set())


def _is_empty(answer: ToolResult) -> bool:
    """Whether an answer says why it has nothing, and has nothing."""
    if answer.status is not ToolStatus.OK:
        return True
    content = answer.content
    if not isinstance(content, dict) or not content.get("missing"):
        return False
    return not any(isinstance(value, list) and value for value in content.values())
