"""Openings: the tool calls that a task makes before its first turn.

The turn whose result starts further tasks also names their first calls, in `Turn.openings`. The
engine makes these calls at once, so that no task needs a turn just to request them.
"""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from desk.agents.registry import TASKS
from desk.agents.roster import profile_in
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolCall
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import ResearchResult
from desk.contracts.markets import MarketSpec
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.plan import PlannedTask, WeekPlan
from desk.programs.turns import builtin_turn, is_for_a_model
from desk.runs.assignments import VALIDATION, assignment_of, market_task_id

LOG: Final = logging.getLogger(__name__)

_FirstTurn = Callable[[], TurnRequest]


def with_openings(turn: Turn, request: TurnRequest) -> Turn:
    """Returns the turn with the openings of the tasks that its result starts, by task id.

    A task that makes no calls has an empty opening. A task whose calls cannot be determined yet has
    no opening, and makes them in its first turn. So does a task for which determining them fails,
    which is logged. Returns the turn unchanged if it has no result or the request has no policy.
    """
    if turn.result is None or request.policy is None:
        return turn
    following = _following(turn, request, request.policy)
    openings = dict(filter(None, map(_named, following)))
    return turn.model_copy(update={"openings": openings}) if openings else turn


def _named(first_turn: _FirstTurn) -> tuple[str, tuple[ToolCall, ...]] | None:
    try:
        first = first_turn()
        calls = opening(first)
    except Exception:
        # Any error here must not lose the turn, which has been paid for. The task then makes its
        # calls in its first turn, where the same error fails that task alone.
        LOG.warning("what a task asks first could not be named beforehand", exc_info=True)
        return None
    return first.assignment.task_id, calls


def opening(request: TurnRequest) -> tuple[ToolCall, ...]:
    """Returns the calls of a task's first turn. They depend on the task alone: the desk makes them
    itself, whether a model or the built-in analyst takes the task.

    Raises:
        LookupError: the task's package is not installed here.
    """
    own = builtin_turn(request)
    if request.model == BUILTIN or not is_for_a_model(request):
        return own.calls
    return with_calls_for_model(request, own).calls


def with_calls_for_model(request: TurnRequest, own: Turn) -> Turn:
    """Adds to the built-in analyst's first turn the further calls that a model's task begins with,
    at most `MAX_CALLS_A_TURN` in all. Returns any later turn, and one without calls, unchanged."""
    if request.exchanges or not own.calls:
        return own
    # Importing a `ModelTask` is slow, and only done by a worker whose agents are models.
    kind = TASKS.get(request.assignment.task_type)
    task = kind.load_model() if kind else None
    if task is None or task.opening is None:
        return own
    asked = {call.call_id for call in own.calls}
    further = (call for call in task.opening(request) if call.call_id not in asked)
    return own.model_copy(update={"calls": (*own.calls, *further)[:MAX_CALLS_A_TURN]})


def _following(turn: Turn, request: TurnRequest, policy: RunPolicy) -> Iterator[_FirstTurn]:
    """Yields a function for each task that a result starts, which builds the request for its first
    turn: the planned tasks after a plan, the validator after a research result."""
    market = request.assignment.market
    match turn.result:
        case WeekPlan() as plan:
            specs = {spec.market: spec for spec in request.markets}
            for planned in plan.markets:
                for task in planned.tasks:
                    if planned.market in specs:
                        spec = specs[planned.market]
                        yield partial(_first_turn, task, spec, request, policy)
        case ResearchResult() as found if market is not None:
            yield partial(_checking, found, market, request, policy)
        case _:
            pass


def _checking(
    found: ResearchResult, market: MarketSpec, request: TurnRequest, policy: RunPolicy
) -> TurnRequest:
    """Builds the request for the validator's first turn, as if it had to check only this result."""
    first = _first_turn(VALIDATION, market, request, policy)
    return first.model_copy(update={"findings": (found,), "evidence": request.results})


def _first_turn(
    planned: PlannedTask, market: MarketSpec, request: TurnRequest, policy: RunPolicy
) -> TurnRequest:
    """Builds the request for the first turn of a market's task, with the fields that its calls
    depend on."""
    profile, before = profile_in(policy, planned.agent), request.assignment
    assignment = assignment_of(
        profile,
        policy,
        planned.task_type,
        market_task_id(market, planned.task_type),
        before.window,
        before.deadline,
        week=before.week,
        market=market,
    )
    return TurnRequest(assignment=assignment, model=profile.model)
