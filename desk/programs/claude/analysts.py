"""A model's turn: the call that asks for it, and the turn that its answer is.

Before a model is asked, the desk does what it does without one: it asks the sources what every
week needs, and measures. That costs nothing, and the model writes over figures that are there.
"""

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from pydantic import BaseModel, ValidationError

from desk.contracts.agents.model_calls import ModelAnswer, ModelCall, StopReason
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.turns import AgentResult, Turn, TurnRequest
from desk.contracts.findings.results import AgentError, ResearchResult, ValidationResult
from desk.contracts.names import FailureType
from desk.programs.builtin.analysts import builtin_turn
from desk.programs.claude.conversation import messages, sayable
from desk.programs.claude.tools import calls_in, described
from desk.programs.episode.claude import controller as stock_controller
from desk.programs.episode.claude import insight as stock_insight
from desk.programs.episode.claude import recommendation as stock_recommendation
from desk.programs.episode.claude import research as stock_research
from desk.programs.question.claude import knowledge, synthesis
from desk.programs.swarm.claude import conclusion as swarm_conclusion
from desk.programs.swarm.claude import plan as swarm_plan
from desk.programs.swarm.claude import research as swarm_research
from desk.programs.week.claude import commentary, product_manager, research, validation
from desk.runs.assignments.effort import effort_for

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
    """How a kind of work is put to a model, and its answer read. Its prompt may have parts."""

    prompts: tuple[str, ...]
    form: type[BaseModel]
    material: Callable[[TurnRequest, AgentResult | None], str]
    result: Callable[[TurnRequest, AgentResult | None, str], AgentResult]


_RESEARCH: Final = _Task(
    (research.PROMPT,), research.ProposedResearch, research.material, research.result
)
_TASKS: Final = {
    TaskType.PLAN_WEEK: _Task(
        (product_manager.PROMPT,),
        product_manager.ProposedPlan,
        product_manager.material,
        product_manager.result,
    ),
    TaskType.RESEARCH_FX: _RESEARCH,
    TaskType.RESEARCH_RATES: _RESEARCH,
    TaskType.VALIDATE: _Task(
        (validation.PROMPT,), validation.ProposedValidation, validation.material, validation.result
    ),
    TaskType.COMMENT_WEEK: _Task(
        (commentary.PROMPT,), commentary.ProposedCommentary, commentary.material, commentary.result
    ),
    **{
        task: _Task((prompt,), knowledge.ProposedChoice, knowledge.material, knowledge.result)
        for task, prompt in knowledge.PROMPTS.items()
    },
    TaskType.SYNTHESISE: _Task(
        (synthesis.PROMPT,), synthesis.ProposedSynthesis, synthesis.material, synthesis.result
    ),
    TaskType.PLAN_SWARM: _Task(
        (swarm_plan.PROMPT,), swarm_plan.ProposedSwarmPlan, swarm_plan.material, swarm_plan.result
    ),
    **{
        task: _Task(
            (swarm_research.PROMPT, swarm_research.RULES, prompt),
            swarm_research.ProposedFindings,
            swarm_research.material,
            swarm_research.result,
        )
        for task, prompt in swarm_research.PROMPTS.items()
    },
    TaskType.CONCLUDE_SWARM: _Task(
        (swarm_conclusion.PROMPT,),
        swarm_conclusion.ProposedConclusion,
        swarm_conclusion.material,
        swarm_conclusion.result,
    ),
    TaskType.CHOOSE_ACTION: _Task(
        (stock_controller.PROMPT,),
        stock_controller.ProposedAction,
        stock_controller.material,
        stock_controller.result,
    ),
    **{
        task: _Task(
            (stock_research.PROMPT, swarm_research.RULES, prompt),
            swarm_research.ProposedFindings,
            stock_research.material,
            swarm_research.result,
        )
        for task, prompt in stock_research.PROMPTS.items()
    },
    TaskType.GENERATE_INSIGHT: _Task(
        (stock_insight.PROMPT,),
        stock_insight.ProposedInsights,
        stock_insight.material,
        stock_insight.result,
    ),
    TaskType.GENERATE_RECOMMENDATION: _Task(
        (stock_recommendation.PROMPT,),
        stock_recommendation.ProposedAdvice,
        stock_recommendation.material,
        stock_recommendation.result,
    ),
}
"""The work that a model can add to. The evaluation of a stock's episode is not among it: what came
of a recommendation is measured and told by rule."""


def desk_turn(request: TurnRequest) -> Turn:
    """The desk's own turn on a task, with or without a model: its questions, then what follows
    from the answers. What a model asked besides is not looked at."""
    own = tuple(exchange for exchange in request.exchanges if not exchange.said)
    return builtin_turn(request.model_copy(update={"exchanges": own}))


def is_for_a_model(request: TurnRequest) -> bool:
    """Whether a model is asked at all once the desk has a result.

    It is not where there is nothing to judge, as in the evaluation of a stock's episode: the desk's
    own result is the task's then, whatever model its agent is, and nothing is paid.
    """
    return request.assignment.task_type in _TASKS


def model_call(request: TurnRequest) -> ModelCall:
    """What the model is asked for a turn that `is_for_a_model` and whose `desk_turn` is a result.
    The same request always gives the same call.

    Raises:
        ValueError: the desk has no result yet.
    """
    task = _TASKS[request.assignment.task_type]
    return ModelCall(
        model=request.model,
        system="\n".join(map(_prompt, task.prompts)),
        messages=messages(task.material(request, desk_turn(request).result), request),
        schema_of_result=task.form.model_json_schema(),
        tools=described(request.tools),
        no_more_calls=request.last,
        effort=effort_for(request.assignment.priority),
    )


def turn_of(request: TurnRequest, answer: ModelAnswer) -> Turn:
    """The turn that an answer is: calls, the result, or why it holds none, with what it cost."""
    if answer.stop_reason in _ENDED:
        words = f"{_ENDED[answer.stop_reason]} ({answer.stop_reason})"
        return Turn(failure=_error(request, words), usage=answer.usage)
    said = sayable(answer.content)
    if answer.stop_reason is StopReason.TOOL_USE and not request.last:
        calls = calls_in(request, said)
        if calls:
            return Turn(said=said, calls=calls, usage=answer.usage)
    if answer.stop_reason not in (StopReason.END_TURN, StopReason.STOP_SEQUENCE):
        unfinished = _UNFINISHED.get(answer.stop_reason, "The answer ended early. Give it whole.")
        return _objected(answer, unfinished)
    task, own = _TASKS[request.assignment.task_type], desk_turn(request).result
    try:
        result = task.result(request, own, answer.text)
    except ValidationError as error:
        return _objected(answer, f"The answer does not have the form asked for: {_faults(error)}")
    except ValueError as error:
        return _objected(answer, f"The answer cannot be used: {error}")
    return Turn(said=said, result=_by_model(result, own), usage=answer.usage)


def _by_model(result: AgentResult, own: AgentResult | None) -> AgentResult:
    """The result as one that no built-in analyst wrote, unless the model left it as one did."""
    if isinstance(result, ResearchResult | ValidationResult) and result != own:
        return result.model_copy(update={"version": 0})
    return result


@cache
def _prompt(name: str) -> str:
    text = (files("desk.programs.claude") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    # How figures are written is told in the same words to everybody who writes prose.
    return text.replace("{{figures}}\n", _prompt("figures")) if "{{figures}}" in text else text


def _objected(answer: ModelAnswer, words: str) -> Turn:
    said = sayable(answer.content)
    return Turn(said=said, objection=words[:LONGEST_OBJECTION], usage=answer.usage)


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
