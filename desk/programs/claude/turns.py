"""A model's turn: the call that requests it, and the conversion of its answer.

Before a model is called, the desk does what it does without one: it calls the sources for what
every week needs, and measures. That costs nothing, and gives the model figures to write about.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from inspect import cleandoc
from typing import Any, Final, NamedTuple

from pydantic import JsonValue, ValidationError

from desk.agents.program import ModelTask
from desk.agents.registry import TASKS
from desk.contracts.agents.capabilities import ADDED_BY_THE_DESK
from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolCall, ToolResult, ToolSpec, ToolStatus
from desk.contracts.findings.results import AgentError, ResearchResult, ValidationResult
from desk.contracts.names import FailureType
from desk.contracts.runs.turns import AgentResult, Exchange, Turn, TurnRequest
from desk.programs.claude.answers import (
    answering,
    prompt_conditions,
    schema_of,
    shown,
    size_of,
    why_not_answering,
    without_absent,
    without_titles,
)
from desk.programs.claude.figures import Figures, figures_of
from desk.programs.claude.findings import Refused, rejection
from desk.programs.claude.fitting import not_on_offer
from desk.programs.claude.prompts import prompt_for
from desk.programs.turns import builtin_turn, judged
from desk.runs.assignments import effort_for

LONGEST_TRANSCRIPT: Final = 300_000
"""In characters: 150,000 tokens if all of it is figures, far fewer for prose. The smallest context
window of a model is larger."""

LEFT_OF_IT: Final = 0.5
"""The share of the limit to which a transcript that exceeds it is condensed."""

KEPT_WHOLE: Final = 2
"""How many of the last exchanges stay unchanged."""

LONGEST_THOUGHT: Final = 300

KEPT_OF_A_RESULT: Final = 200
"""In characters: anything that is not longer than its replacement stays."""

LEFT_OUT: Final = "left out to keep the transcript short; ask again if it is needed"

_NO_SIGN_OF_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")

_PARAMETER: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

_NOT_AT_THE_TOP: Final = frozenset({"anyOf", "oneOf", "allOf"})

LONGEST_NAME: Final = 128

UNKNOWN: Final = "unknown"
"""The server of a tool that was never offered: no list has it."""

MOST_BLOCKS: Final = 100
"""The limit of `desk.contracts.runs.turns.Said`."""

TOO_MANY: Final = f"Not called: at most {MAX_CALLS_A_TURN} calls are made at a time."

LAST: Final = "This was your last tool call. Give your result now."

LONGEST_FEEDBACK: Final = 4_000
"""The limit of `desk.contracts.base.Text`."""

_ENDED: Final = {
    StopReason.REFUSAL: "the model refused the task",
    StopReason.CONTEXT_EXCEEDED: "the task is longer than the model can read",
}
"""Stop reasons after which a retry would end the same way."""

_UNFINISHED: Final = {
    StopReason.MAX_TOKENS: (
        "The answer was cut off because it was too long",
        ". Answer more briefly.",
    ),
    StopReason.TOOL_USE: ("There is no tool to call here", ". Give the result itself."),
}
"""What is wrong with an answer that stopped before its end, and what the model should do."""

_ENDED_EARLY: Final = ("The answer ended early", ". Give it whole.")

_TASKS: Final = {name: task for name, kind in TASKS.items() if (task := kind.load_model())}
"""The tasks that a model can take."""


def condensed(
    exchanges: Sequence[Exchange], longest: int = LONGEST_TRANSCRIPT
) -> tuple[Exchange, ...]:
    """Condenses the oldest exchanges as far as the limit requires.

    The order, the number of exchanges and their calls stay. The last ones stay unchanged, so a few
    very long answers can exceed the limit. What was condensed at one turn is condensed at every
    later one, because the turns are processed from the first.
    """
    sizes = [_size(exchange) for exchange in exchanges]
    short: list[Exchange] = []
    length = 0
    for turn, size in enumerate(sizes, start=1):
        length += size
        aim = longest if length <= longest else longest * LEFT_OF_IT
        while length > aim and len(short) < turn - KEPT_WHOLE:
            oldest = len(short)
            short.append(_condensed(exchanges[oldest]))
            length -= sizes[oldest] - _size(short[oldest])
    return (*short, *exchanges[len(short) :])


def is_thought(block: JsonValue) -> bool:
    """Returns whether a block is a model's thinking."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and "thinking" in kind


def name_of(spec: ToolSpec) -> str:
    """`server__tool`, in the characters that the Messages API allows."""
    return _NO_SIGN_OF_A_NAME.sub("_", f"{spec.server}__{spec.tool}")[:LONGEST_NAME]


def described(specs: Iterable[ToolSpec]) -> tuple[JsonValue, ...]:
    """Describes the tools in a stable order, without duplicates; those marked `last` come last.
    Descriptions and schemas are the servers' text."""
    named = sorted(_by_name(specs).items(), key=lambda item: (item[1].last, item[0]))
    return tuple(
        {
            "name": name,
            "description": f"From the source {spec.server}: {cleandoc(spec.description)}".strip(),
            "input_schema": _schema(spec.input_schema),
        }
        for name, spec in named
    )


def calls_in(request: TurnRequest, content: Sequence[JsonValue]) -> tuple[ToolCall, ...]:
    """Returns the calls in an answer, in its order, at most as many as a turn may have."""
    offered = _by_name(answering(request))
    turn = sum(bool(exchange.said) for exchange in request.exchanges) + 1
    return tuple(
        _call(request, offered, block, f"{turn}.{number}")
        for number, block in enumerate(asked_for(content)[:MAX_CALLS_A_TURN], start=1)
    )


def asked_for(content: Sequence[JsonValue]) -> list[Mapping[str, Any]]:
    """The blocks of an answer that call a tool."""
    return [b for b in content if isinstance(b, dict) and b.get("type") == "tool_use"]


def messages(
    material: str, request: TurnRequest, figures: Figures | None = None
) -> tuple[JsonValue, ...]:
    """Builds the messages of a model's next call. Each tool's answer comes with its claims."""
    said = [_Message("user", [_text(material)])]
    exchanges = condensed([exchange for exchange in request.exchanges if exchange.said])
    for exchange in exchanges:
        said.append(_Message("assistant", list(exchange.said)))
        said.append(_Message("user", _results(request, exchange, figures)))
    feedback = request.feedback or "\n".join(map(rejection, request.rejected))
    if feedback and request.draft and not _was_answered(request):
        said.append(_Message("assistant", list(request.draft)))
        said.append(_Message("user", _unanswered(request.draft)))
    if feedback:
        said[-1].content.append(_text(f"{feedback}\nGive the whole answer again, corrected."))
    elif request.last and exchanges:
        said[-1].content.append(_text(LAST))
    return tuple({"role": message.role, "content": message.content} for message in said)


def api_content(content: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Returns the part of a model's answer that the API accepts back: no empty text, and no message
    that ends with thinking."""
    kept = [block for block in content if not _is_blank(block)][:MOST_BLOCKS]
    while kept and is_thought(kept[-1]):
        kept.pop()
    return tuple(kept)


def model_call(request: TurnRequest) -> ModelCall:
    """Builds the call of a model for its turn, after the built-in analyst has a result.

    Raises:
        ValueError: the desk has no result yet.
    """
    request = _with_its_tools(request)
    task, own = _TASKS[request.assignment.task_type], builtin_turn(request).result
    told = without_absent(json.loads(task.material(request, own)))
    material = json.dumps(told, ensure_ascii=False)
    return ModelCall(
        model=request.model,
        system=_system(task, prompt_conditions(request, material)),
        messages=messages(material, request, figures_of(request, own)),
        schema_of_result=without_titles(
            task.schema(request) if task.schema else schema_of(task.form)
        ),
        tools=described(answering(request)),
        no_more_calls=request.last,
        effort=effort_for(request.assignment.priority),
    )


def is_worth_asking(request: TurnRequest, own: Turn) -> bool:
    """Returns whether a model can add anything to a task. Otherwise the desk's own result is used,
    and nothing is paid."""
    task = _TASKS.get(request.assignment.task_type)
    if task is None or task.is_worth_it is None:
        return True
    return task.is_worth_it(_with_its_tools(request), own.result)


def turn_of(request: TurnRequest, answer: ModelAnswer) -> Turn:
    """Converts an answer into a turn: calls, the judged result, or why there is none, with its
    cost. All faults of an answer are reported at once."""
    if answer.stop_reason in _ENDED:
        words = f"{_ENDED[answer.stop_reason]} ({answer.stop_reason})"
        return Turn(failure=_error(request, words), usage=answer.usage)
    request, said = _with_its_tools(request), api_content(answer.content)
    if answer.stop_reason is StopReason.TOOL_USE and not request.last:
        calls = calls_in(request, said)
        if calls:
            return Turn(said=said, calls=calls, usage=answer.usage)
    if answer.stop_reason not in (StopReason.END_TURN, StopReason.STOP_SEQUENCE):
        return _sent_back(answer, *_UNFINISHED.get(answer.stop_reason, _ENDED_EARLY))
    task, own = _TASKS[request.assignment.task_type], builtin_turn(request).result
    known = figures_of(request, own, answer.text).known
    try:
        result = task.result(request, own, answer.text)
    except ValidationError as error:
        fault = "The answer does not have the form asked for"
        return _sent_back(answer, fault, f": {_faults(error)}")
    except ValueError as error:
        partial = error.partial if isinstance(error, Refused) else None
        rejected = judged(Turn(result=partial), request, known).rejected if partial else ()
        told = "; ".join((str(error), *map(rejection, rejected)))
        return _sent_back(answer, "The answer cannot be used", f": {told}")
    turn = Turn(said=said, result=_by_model(result, own), usage=answer.usage)
    return judged(turn, request, known)


def _with_its_tools(request: TurnRequest) -> TurnRequest:
    """Restricts the request to the tools that its task needs. A model that has made no calls and
    may make none any more is shown no tools; one that has made calls needs them described."""
    unused = request.last and not _has_asked(request)
    if _TASKS[request.assignment.task_type].without_tools or unused:
        return request.model_copy(update={"tools": ()})
    return request


def _has_asked(request: TurnRequest) -> bool:
    """Returns whether the shown conversation has a tool call."""
    return any(each.said for each in request.exchanges) or bool(asked_for(request.draft))


def _condensed(exchange: Exchange) -> Exchange:
    return Exchange(
        results=tuple(_result_without_content(result) for result in exchange.results),
        said=tuple(_clipped(block) for block in exchange.said if not is_thought(block)),
    )


def _result_without_content(result: ToolResult) -> ToolResult:
    """Replaces a result's content by its size. Never shown as evidence."""
    size = len(json.dumps(result.content))
    told = f"{size} characters, {LEFT_OUT}" if size > KEPT_OF_A_RESULT else result.content
    error = (result.error or "")[:KEPT_OF_A_RESULT] or None
    return result.model_copy(update={"content": told, "error": error})


def _clipped(block: JsonValue) -> JsonValue:
    if isinstance(block, dict) and isinstance(text := block.get("text"), str):
        return {**block, "text": text.strip()[:LONGEST_THOUGHT]}
    return block


def _size(exchange: Exchange) -> int:
    said: int = reduce(lambda total, block: total + len(json.dumps(block)), exchange.said, 0)
    return said + sum(size_of(result) for result in exchange.results)


def _by_name(specs: Iterable[ToolSpec]) -> dict[str, ToolSpec]:
    """The tools by the names that a model knows them by, independent of their order. If two would
    have the same name, the later one by server and tool gets a number."""
    each = {(spec.server, spec.tool): spec for spec in specs}
    named: dict[str, ToolSpec] = {}
    for _, spec in sorted(each.items()):
        name, number = name_of(spec), 1
        while name in named:
            number += 1
            name = f"{name_of(spec)[: LONGEST_NAME - 4]}_{number}"
        named[name] = spec
    return named


def _schema(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Restricts a server's schema to what the Messages API accepts: an unaccepted schema would fail
    every call that describes the tool."""
    named = given.get("properties", {})
    if not isinstance(named, dict) or not all(map(_PARAMETER.fullmatch, named)):
        return {"type": "object"}
    kept = {name: value for name, value in given.items() if name not in _NOT_AT_THE_TOP}
    return without_titles({**kept, "type": "object"})


def _call(
    request: TurnRequest, offered: Mapping[str, ToolSpec], block: Mapping[str, Any], place: str
) -> ToolCall:
    spec = offered.get(str(block.get("name")))
    server, tool = (spec.server, spec.tool) if spec else (UNKNOWN, str(block.get("name"))[:100])
    given = block.get("input")
    arguments = given if isinstance(given, dict) else {}
    return ToolCall(
        call_id=f"{request.assignment.task_id}/{_NO_SIGN_OF_A_NAME.sub('_', tool)[:60]}.{place}",
        server=server,
        tool=tool,
        arguments={k: value for k, value in arguments.items() if k != ADDED_BY_THE_DESK},
    )


class _Message(NamedTuple):
    role: str
    content: list[JsonValue]


def _is_blank(block: JsonValue) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and not text.strip()


def _was_answered(request: TurnRequest) -> bool:
    """Returns whether the draft is the calls of the last exchange, which is shown there. It is also
    in the draft when a model looks up figures after an objection."""
    return bool(request.exchanges) and request.exchanges[-1].said == request.draft


def _results(request: TurnRequest, exchange: Exchange, figures: Figures | None) -> list[JsonValue]:
    """The results of a turn's calls, in the order of the calls."""
    asked = asked_for(exchange.said)
    brought: list[JsonValue] = [
        _result(
            str(block.get("id")),
            shown(_explained(request, result), figures.of(result) if figures else ()),
            failed=result.status is not ToolStatus.OK,
        )
        for block, result in zip(asked, exchange.results, strict=False)
    ]
    left = asked[len(exchange.results) :]
    return brought + [_result(str(block.get("id")), TOO_MANY, failed=True) for block in left]


def _explained(request: TurnRequest, result: ToolResult) -> ToolResult:
    """Explains the refusal of a call to a tool that was not offered, with the tools that are."""
    if result.call.server != UNKNOWN or result.status is not ToolStatus.REFUSED:
        return result
    every, offered = _by_name(request.tools), _by_name(answering(request))
    left_out = every.keys() - offered.keys()
    reasons = {name: why_not_answering(request, every[name]) for name in left_out}
    return result.model_copy(update={"error": not_on_offer(result.call.tool, offered, reasons)})


def _unanswered(draft: Sequence[JsonValue]) -> list[JsonValue]:
    """An answer for each call in a draft that was never made, which the API requires."""
    return [_result(str(block.get("id")), "Not called.", failed=True) for block in asked_for(draft)]


def _result(block_id: str, content: str, *, failed: bool) -> JsonValue:
    return {
        "type": "tool_result",
        "tool_use_id": block_id,
        "content": content,
        **({"is_error": True} if failed else {}),
    }


def _text(words: str) -> JsonValue:
    return {"type": "text", "text": words}


def _by_model(result: AgentResult, own: AgentResult | None) -> AgentResult:
    """Marks the result as not written by a built-in analyst, unless the model left it unchanged."""
    if isinstance(result, ResearchResult | ValidationResult) and result != own:
        return result.model_copy(update={"version": 0})
    return result


def _system(task: ModelTask, there: Collection[str]) -> str:
    """Renders a role's prompt, with only the parts that apply."""
    return prompt_for("\n".join(task.prompts), there)


def _sent_back(answer: ModelAnswer, fault: str, more: str) -> Turn:
    """The turn of an answer without a result. The model is sent the fault and its details; a
    report's reader sees only the fault, which has no text of a model."""
    feedback = f"{fault}{more}"[:LONGEST_FEEDBACK]
    return Turn(
        said=api_content(answer.content), feedback=feedback, fault=fault, usage=answer.usage
    )


def _faults(error: ValidationError) -> str:
    """Describes the location and the fault, without the values, which are the model's own text."""
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}"
        for fault in error.errors(include_input=False, include_url=False)
    )


def _error(request: TurnRequest, words: str) -> AgentError:
    return AgentError(
        error_type=FailureType.TURN_FAILED,
        error_message=f"{request.assignment.task_id}: {words}",
        reason=words,
        agent=request.assignment.agent,
    )
