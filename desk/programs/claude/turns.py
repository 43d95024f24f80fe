"""A model's turn: the call that asks for it, and the turn that its answer is.

Before a model is asked, the desk does what it does without one: it asks the sources what every
week needs, and measures. That costs nothing, and the model writes over figures that are there.
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
    schema_of,
    shown,
    size_of,
    there_is,
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
"""Characters: 150,000 tokens where all of it is figures, far fewer of prose. The smallest window
of a model leaves more."""

LEFT_OF_IT: Final = 0.5
"""The part of the length down to which a transcript that exceeds it is condensed."""

KEPT_WHOLE: Final = 2
"""Exchanges at the end that stay as they are."""

LONGEST_THOUGHT: Final = 300

KEPT_OF_A_RESULT: Final = 200
"""Characters: what is no longer than the words in its place would be stays."""

LEFT_OUT: Final = "left out to keep the transcript short; ask again if it is needed"

_NO_SIGN_OF_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")

_PARAMETER: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

_NOT_AT_THE_TOP: Final = frozenset({"anyOf", "oneOf", "allOf"})

LONGEST_NAME: Final = 128

UNKNOWN: Final = "unknown"
"""The server of a tool that was never offered: it is on nobody's list."""

MOST_BLOCKS: Final = 100
"""The bound of `desk.contracts.runs.turns.Said`."""

TOO_MANY: Final = f"Not called: at most {MAX_CALLS_A_TURN} calls are made at a time."

LAST: Final = "This was your last call of a tool. Give your result now."

LONGEST_FEEDBACK: Final = 4_000
"""The bound of `desk.contracts.base.Text`."""

_ENDED: Final = {
    StopReason.REFUSAL: "the model refused the task",
    StopReason.CONTEXT_EXCEEDED: "the task is longer than the model can read",
}
"""Reasons for which asking again would end the same way."""

_UNFINISHED: Final = {
    StopReason.MAX_TOKENS: (
        "The answer was cut off because it was too long",
        ". Answer more briefly.",
    ),
    StopReason.TOOL_USE: ("There is no tool to call here", ". Give the result itself."),
}
"""What is wrong with an answer that stopped before its end, and what the model is to do."""

_ENDED_EARLY: Final = ("The answer ended early", ". Give it whole.")

_TASKS: Final = {name: task for name, kind in TASKS.items() if (task := kind.load_model())}
"""The work that a model can add to."""


def condensed(
    exchanges: Sequence[Exchange], longest: int = LONGEST_TRANSCRIPT
) -> tuple[Exchange, ...]:
    """The exchanges, of which the oldest are condensed as far as the length asks for it.

    The order, the number of exchanges and their calls stay. The last ones stay whole, so that a
    few very long answers can exceed the length. What was condensed at one turn is at every later
    one, because the turns are gone through from the first.
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
    """Whether a block is what a model thought before it spoke."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and "thinking" in kind


def name_of(spec: ToolSpec) -> str:
    """`server__tool`, in the signs that the Messages API allows."""
    return _NO_SIGN_OF_A_NAME.sub("_", f"{spec.server}__{spec.tool}")[:LONGEST_NAME]


def described(specs: Iterable[ToolSpec]) -> tuple[JsonValue, ...]:
    """The tools in a stable order, each once; last those that are to be. Descriptions and schemas
    are the servers' words."""
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
    """The calls that an answer asks for, at most as many as a turn may have, in its order."""
    offered = _by_name(answering(request))
    turn = sum(bool(exchange.said) for exchange in request.exchanges) + 1
    return tuple(
        _call(request, offered, block, f"{turn}.{number}")
        for number, block in enumerate(asked_for(content)[:MAX_CALLS_A_TURN], start=1)
    )


def asked_for(content: Sequence[JsonValue]) -> list[Mapping[str, Any]]:
    """The blocks of an answer that ask for a tool."""
    return [b for b in content if isinstance(b, dict) and b.get("type") == "tool_use"]


def messages(
    material: str, request: TurnRequest, figures: Figures | None = None
) -> tuple[JsonValue, ...]:
    """The messages of a model's next call. With each answer of a tool stand the claims that it
    makes."""
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


def sayable(content: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """What a model said, as far as the API takes it back: it wants no text without a word, and no
    message that ends with a thought."""
    kept = [block for block in content if not _is_blank(block)][:MOST_BLOCKS]
    while kept and is_thought(kept[-1]):
        kept.pop()
    return tuple(kept)


def model_call(request: TurnRequest) -> ModelCall:
    """What the model is asked for a turn of a model, where the built-in analyst's is a result.
    The same request always gives the same call.

    Raises:
        ValueError: the desk has no result yet.
    """
    request = _with_its_tools(request)
    task, own = _TASKS[request.assignment.task_type], builtin_turn(request).result
    told = without_absent(json.loads(task.material(request, own)))
    material = json.dumps(told, ensure_ascii=False)
    return ModelCall(
        model=request.model,
        system=_system(task, there_is(request, material)),
        messages=messages(material, request, figures_of(request, own)),
        schema_of_result=without_titles(
            task.schema(request) if task.schema else schema_of(task.form)
        ),
        tools=described(answering(request)),
        no_more_calls=request.last,
        effort=effort_for(request.assignment.priority),
    )


def is_worth_asking(request: TurnRequest, own: Turn) -> bool:
    """Whether there is anything for a model to say on a task; else nothing is paid, and the desk's
    own result stands."""
    task = _TASKS.get(request.assignment.task_type)
    if task is None or task.is_worth_it is None:
        return True
    return task.is_worth_it(_with_its_tools(request), own.result)


def turn_of(request: TurnRequest, answer: ModelAnswer) -> Turn:
    """The turn that an answer is: calls, the result as it is judged, or why it holds none, with
    what it cost. All that is wrong with an answer is told at once."""
    if answer.stop_reason in _ENDED:
        words = f"{_ENDED[answer.stop_reason]} ({answer.stop_reason})"
        return Turn(failure=_error(request, words), usage=answer.usage)
    request, said = _with_its_tools(request), sayable(answer.content)
    if answer.stop_reason is StopReason.TOOL_USE and not request.last:
        calls = calls_in(request, said)
        if calls:
            return Turn(said=said, calls=calls, usage=answer.usage)
    if answer.stop_reason not in (StopReason.END_TURN, StopReason.STOP_SEQUENCE):
        return _sent_back(answer, *_UNFINISHED.get(answer.stop_reason, _ENDED_EARLY))
    task, own = _TASKS[request.assignment.task_type], builtin_turn(request).result
    known = figures_of(request, own).known
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
    """The request with the tools that its task needs. A model that has asked none and may ask none
    any more is told of none; one that has needs them beside what it asked."""
    unused = request.last and not _has_asked(request)
    if _TASKS[request.assignment.task_type].without_tools or unused:
        return request.model_copy(update={"tools": ()})
    return request


def _has_asked(request: TurnRequest) -> bool:
    """Whether what is shown of a conversation holds a call of a tool."""
    return any(each.said for each in request.exchanges) or bool(asked_for(request.draft))


def _condensed(exchange: Exchange) -> Exchange:
    return Exchange(
        results=tuple(_result_without_content(result) for result in exchange.results),
        said=tuple(_clipped(block) for block in exchange.said if not is_thought(block)),
    )


def _result_without_content(result: ToolResult) -> ToolResult:
    """That there was a result, without what it was. Never shown as evidence."""
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
    """The tools by the names that a model knows them by, whatever order they come in. Where two
    would have the same name, the later by server and tool has a number in it."""
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
    """A server's schema as the Messages API takes it: one that it does not take would fail every
    call that the tool is described in."""
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
    """Whether the last that was said is the calls of the last exchange: it is shown there. It
    stands in the draft all the same where a model that was told of figures looks them up."""
    return bool(request.exchanges) and request.exchanges[-1].said == request.draft


def _results(request: TurnRequest, exchange: Exchange, figures: Figures | None) -> list[JsonValue]:
    """What a turn's calls brought, in the order in which they were asked for."""
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
    """The result of a call of a tool that was not offered, with what there is in its place."""
    if result.call.server != UNKNOWN or result.status is not ToolStatus.REFUSED:
        return result
    every, offered = _by_name(request.tools), _by_name(answering(request))
    left_out = every.keys() - offered.keys()
    reasons = {name: why_not_answering(request, every[name]) for name in left_out}
    return result.model_copy(update={"error": not_on_offer(result.call.tool, offered, reasons)})


def _unanswered(draft: Sequence[JsonValue]) -> list[JsonValue]:
    """An answer for each call in a draft that was never made: the API wants one."""
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
    """The result as one that no built-in analyst wrote, unless the model left it as one did."""
    if isinstance(result, ResearchResult | ValidationResult) and result != own:
        return result.model_copy(update={"version": 0})
    return result


def _system(task: ModelTask, there: Collection[str]) -> str:
    """A role's prompt, which speaks of nothing that is not there."""
    return prompt_for("\n".join(task.prompts), there)


def _sent_back(answer: ModelAnswer, fault: str, more: str) -> Turn:
    """The turn of an answer that holds no result. The model is told the fault and what more there
    is to say of it; a reader of the report the fault alone, which holds no words of a model."""
    feedback = f"{fault}{more}"[:LONGEST_FEEDBACK]
    return Turn(said=sayable(answer.content), feedback=feedback, fault=fault, usage=answer.usage)


def _faults(error: ValidationError) -> str:
    """Where and what, without the values: they are the model's own words."""
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
