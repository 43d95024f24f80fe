"""The built-in analysts behind one function: a turn from a request, without effects."""

from typing import Final

from desk.agents.registry import TASKS
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.agents.usage import BUILTIN_VERSION
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.programs.builtin.evidence import TaskNotPossible

ANALYSTS: Final = {name: kind.load_analyst() for name, kind in TASKS.items()}
"""Who takes a turn on which task."""


def builtin_turn(request: TurnRequest) -> Turn:
    """The built-in analyst's turn: tool calls first, then the result or why there is none.

    The same request always gives the same turn. A tool that could not be asked or that refused
    ends in `failure`, so that the task can be given to somebody else; a tool that has no data
    does not.

    Raises:
        LookupError: the task is of a package that is not installed here.
    """
    task = request.assignment.task_type
    if task not in ANALYSTS:
        raise LookupError(f"no package that is installed here has the task {task}")
    try:
        turn = ANALYSTS[task](request)
    except TaskNotPossible as impossible:
        return Turn(failure=impossible.error)
    if isinstance(turn.result, ResearchResult | ValidationResult):
        result = turn.result.model_copy(update={"version": BUILTIN_VERSION})
        return turn.model_copy(update={"result": result})
    return turn
