"""The plan of a question without a model: the run goes on with the graph that it began with."""

from datetime import timedelta
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import ask

BACK: Final = timedelta(days=120)
AHEAD: Final = timedelta(days=60)
"""The days of the calendar that a model plans by: a bank has decided in the one, and does so again
in the other."""


def take_turn(request: TurnRequest) -> Turn:
    """A plan that leaves the graph as it is. For a model the days on which central banks decide
    are asked for first: questions name days by them."""
    if request.model != BUILTIN and not request.exchanges:
        now = request.assignment.window.end
        calendar = ask(
            request.assignment,
            Capability.DECISION_CALENDAR,
            areas=[*dict.fromkeys(area for spec in request.markets for area in spec.areas)],
            start=(now - BACK).date().isoformat(),
            end=(now + AHEAD).date().isoformat(),
        )
        return Turn(calls=(calendar,), note="Ask when central banks decide")
    return Turn(result=QuestionPlan(task_id=request.assignment.task_id))
