"""A model's turn: the call that asks for it, and the turn that its answer is."""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from pydantic import BaseModel, JsonValue, ValidationError

from agents.claude import product_manager
from contracts.model_calls import ModelAnswer, ModelCall, StopReason
from contracts.names import FailureType
from contracts.results import AgentError
from contracts.tasks import TaskType
from contracts.turns import AgentResult, Turn, TurnRequest
from contracts.verdicts import RejectedFigure

LONGEST_OBJECTION: Final = 2_000

_ENDED: Final = {
    StopReason.REFUSAL: "the model refused the task",
    StopReason.CONTEXT_EXCEEDED: "the task is longer than the model can read",
}
"""Reasons for which asking again would end the same way."""

_UNFINISHED: Final = {
    StopReason.MAX_TOKENS: "The answer was cut off because it was too long. Answer more briefly.",
    StopReason.TOOL_USE: "There is no tool to call here. Give the result itself.",
}


class _Task(NamedTuple):
    """How a kind of work is put to a model, and its answer read."""

    prompt: str
    form: type[BaseModel]
    material: Callable[[TurnRequest], str]
    result: Callable[[TurnRequest, BaseModel], AgentResult]


def _plan(request: TurnRequest, answer: BaseModel) -> AgentResult:
    return product_manager.plan_of(
        request, product_manager.ProposedPlan.model_validate(answer, from_attributes=True)
    )


_TASKS: Final = {
    TaskType.PLAN_WEEK: _Task(
        product_manager.PROMPT, product_manager.ProposedPlan, product_manager.material, _plan
    )
}


def model_call(request: TurnRequest) -> ModelCall:
    """What the model is asked for a turn. The same request always gives the same call.

    Raises:
        ValueError: there is no such work for a model.
    """
    task = _task(request)
    return ModelCall(
        model=request.model,
        system=_prompt(task.prompt),
        messages=_messages(task.material(request), request),
        schema_of_result=task.form.model_json_schema(),
    )


def turn_of(request: TurnRequest, answer: ModelAnswer) -> Turn:
    """The turn that an answer is: the result, or why it holds none, with what it cost."""
    if answer.stop_reason in _ENDED:
        words = f"{_ENDED[answer.stop_reason]} ({answer.stop_reason})"
        return Turn(failure=_error(request, words), usage=answer.usage)
    if answer.stop_reason not in (StopReason.END_TURN, StopReason.STOP_SEQUENCE):
        unfinished = _UNFINISHED.get(answer.stop_reason, "The answer ended early. Give it whole.")
        return Turn(said=answer.content, objection=unfinished, usage=answer.usage)
    task = _task(request)
    try:
        result = task.result(request, task.form.model_validate_json(answer.text))
    except ValidationError as error:
        return _objected(answer, f"The answer does not have the form asked for: {_faults(error)}")
    except ValueError as error:
        return _objected(answer, f"The answer cannot be used: {error}")
    return Turn(said=answer.content, result=result, usage=answer.usage)


def _task(request: TurnRequest) -> _Task:
    kind = request.assignment.task_type
    if kind not in _TASKS:
        raise ValueError(f'{kind} is no work for a model; set model = "builtin" in desk.toml')
    return _TASKS[kind]


def _messages(material: str, request: TurnRequest) -> tuple[JsonValue, ...]:
    """The material, then the last answer and what was wrong with it, if there was one."""
    asked: JsonValue = {"role": "user", "content": [_text(material)]}
    objection = request.objection or "\n".join(map(_rejection, request.rejected))
    if not objection:
        return (asked,)
    again = _text(f"{objection}\nGive the whole answer again, corrected.")
    if not request.draft:
        return ({"role": "user", "content": [_text(material), again]},)
    said: JsonValue = {"role": "assistant", "content": list(request.draft)}
    return (asked, said, {"role": "user", "content": [again]})


def _rejection(figure: RejectedFigure) -> str:
    return f"'{figure.written}' in '{figure.sentence}': {figure.reason}"


def _text(words: str) -> JsonValue:
    return {"type": "text", "text": words}


@cache
def _prompt(name: str) -> str:
    return (files("agents.claude") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def _objected(answer: ModelAnswer, words: str) -> Turn:
    return Turn(said=answer.content, objection=words[:LONGEST_OBJECTION], usage=answer.usage)


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
        agent=request.assignment.agent,
    )
