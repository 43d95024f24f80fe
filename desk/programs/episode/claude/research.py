"""The steps that fetch or measure something of a stock, as tasks of Claude.

This is a specialist's work: the desk calls its tools and measures first, its claims stay, and the
model says what they mean. It is also shown the blackboard before its step. Which figures its own
part has is the desk's rule; no answer can change what other agents wrote.
"""

import json
from typing import Final

from desk.agents.program import ModelTask
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.prompts import prompt
from desk.programs.episode.claude.board import board_for_model
from desk.programs.swarm.claude.research import (
    RULES,
    ProposedFindings,
    is_worth_it,
    part_for_model,
    result,
)


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats what a specialist is shown, and the blackboard, as JSON. An agent that takes over a
    failed step may be shown no blackboard."""
    board = board_for_model(request) if request.board else None
    return json.dumps({**part_for_model(request, base), "board": board}, ensure_ascii=False)


def _task(part: str) -> ModelTask:
    """Builds the task of a step, with the prompt on the episode, which the reserve agent gets as
    well, and that of the part."""
    return ModelTask(
        (prompt("stock_part"), RULES, prompt(part)),
        ProposedFindings,
        material,
        result,
        is_worth_it=is_worth_it,
    )


NEWS: Final = _task("stock_news")
FUNDAMENTALS: Final = _task("stock_fundamentals")
SENTIMENT: Final = _task("stock_sentiment")
TA_BASIC: Final = _task("stock_ta_basic")
TA_ADVANCED: Final = _task("stock_ta_advanced")
