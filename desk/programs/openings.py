"""What tasks ask before their first turn: named where they are planned, by the turn whose result
they go on with, so that none needs a turn of its own to name it."""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from desk.agents.roster import profile_in
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolCall
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
    """The turn with what the tasks that go on with its result ask first; unchanged where the
    request does not say by which rules they are done.

    A task that has nothing to ask is named with nothing. One whose questions cannot be told yet is
    not named, and names them in its first turn. No fault in naming them costs the turn.
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
        # Whatever it is: the turn is paid for, and the task names its questions itself then, or
        # says what is wrong.
        LOG.warning("what a task asks first could not be named beforehand", exc_info=True)
        return None
    return first.assignment.task_id, calls


def opening(request: TurnRequest) -> tuple[ToolCall, ...]:
    """What a task asks in its first turn, whoever takes it: the desk asks it by itself, for a model
    as for the built-in analyst."""
    own = builtin_turn(request)
    if request.model == BUILTIN or not is_for_a_model(request):
        return own.calls
    # Only a worker whose agents are models pays for loading what models are asked.
    from desk.programs.claude.turns import with_opening

    return with_opening(request, own).calls


def _following(turn: Turn, request: TurnRequest, policy: RunPolicy) -> Iterator[_FirstTurn]:
    """What makes the first turns of the tasks that go on with a result: the planned ones with a
    plan, the validator with what it is to check."""
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
    """The validator's first turn, as if the result were all that it is to check."""
    first = _first_turn(VALIDATION, market, request, policy)
    return first.model_copy(update={"findings": (found,), "evidence": request.results})


def _first_turn(
    planned: PlannedTask, market: MarketSpec, request: TurnRequest, policy: RunPolicy
) -> TurnRequest:
    """The first turn of a market's task, as far as what is asked in it hangs on that."""
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
