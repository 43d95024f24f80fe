"""The controller of an episode as a task of Claude: chooses the next action.

The model names one of the eight actions or none. Whether an action is allowed is checked by the
same rule as in the episode itself, so the model's choice can be carried out.
"""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.contracts.base import Contract
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import ActionChoice, Blackboard
from desk.contracts.runs.turns import AgentResult, EpisodeContext, TurnRequest
from desk.programs.claude.findings import checked
from desk.programs.claude.prompts import prompt
from desk.programs.episode.actions import ORDER, PART_METRICS, why_not
from desk.programs.episode.claude.board import board_for_model, board_of, told_parameters
from desk.programs.episode.claude.recommendation import most_confidence
from desk.programs.episode.run.assignments import charges_in, steps_left
from desk.trust.prose import references, unbacked

LONGEST_REASON: Final = 400

_WRITES: Final[Mapping[StockAction, str]] = MappingProxyType(
    {
        StockAction.GENERATE_INSIGHT: "insights, from the figures of all parts",
        StockAction.GENERATE_RECOMMENDATION: (
            "the recommendation with its confidence, from insights and figures"
        ),
        StockAction.EVALUATE_PERFORMANCE: (
            "what came of the recommendation at the end of its horizon, which is waited for, and"
            " the episode's reward"
        ),
    }
)


class ProposedAction(Contract):
    """The form of the model's answer. Without an action, the episode ends."""

    action: StockAction | None
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_REASON)
    ]


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the blackboard, the earlier choices, the highest confidence that the figures allow,
    and each action with its figures and charge, as JSON."""
    task, board, own = request.assignment, board_of(request), _choice_in(base)
    chosen, charges = list(_choices_for_model(request)), charges_in(task.query)
    return json.dumps(
        {
            "step": len(chosen) + 1,
            "steps_left": steps_left(task.query, len(chosen)),
            "question": task.query.question if task.query else None,
            "parameters": told_parameters(task.query),
            "asked_for": task.instructions,
            "board": board_for_model(request),
            "chosen_so_far": chosen,
            "came_to_nothing": _failed(request),
            "most_confidence": most_confidence(board),
            "actions": [_action_for_model(board, action, charges.get(action)) for action in ORDER],
            "choice_of_the_desk": {"action": own.action, "reason": own.reason},
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ActionChoice:
    """Returns the choice, with the market of the assignment.

    Raises:
        ValidationError: the answer does not have its form, or names an unknown action.
        ValueError: the action is not allowed yet, or the reason has figures or references.
    """
    own, proposed = _choice_in(base), ProposedAction.model_validate_json(text)
    update = {"action": proposed.action, "reason": proposed.reason}
    return checked(_faults(board_of(request), proposed), lambda: own.model_copy(update=update))


def _choice_in(base: AgentResult | None) -> ActionChoice:
    """Returns the desk's own choice.

    Raises:
        ValueError: there is none.
    """
    if not isinstance(base, ActionChoice):
        raise ValueError("there is no choice to write over")
    return base


def _choices_for_model(context: EpisodeContext) -> Iterator[JsonValue]:
    """Yields the choices of earlier steps, with the reason if one was refused."""
    for entry in context.state:
        if isinstance(entry.result, ActionChoice):
            yield {"action": entry.result.action, "refused": entry.error}


def _failed(context: EpisodeContext) -> list[JsonValue]:
    """Lists the actions that every agent failed to carry out, and why."""
    return [
        {"action": entry.node, "error": entry.error}
        for entry in context.state
        if entry.error and not isinstance(entry.result, ActionChoice)
    ]


def _action_for_model(board: Blackboard, action: StockAction, charge: str | None) -> JsonValue:
    return {
        "action": action,
        "writes": _WRITES.get(action) or list(PART_METRICS[action]),
        "charge": charge,
        "taken": board.taken.count(action),
        "makes_no_sense_yet": why_not(board, action),
    }


def _faults(board: Blackboard, proposed: ProposedAction) -> Iterator[str]:
    if proposed.action is not None and (reason := why_not(board, proposed.action)):
        yield f"action: it makes no sense yet: {reason}"
    if unbacked(proposed.reason) or references(proposed.reason):
        yield "reason: it contains a figure or a reference: write it without"


TASK: Final = ModelTask(
    (prompt("stock_controller"),), ProposedAction, material, result, without_tools=True
)
