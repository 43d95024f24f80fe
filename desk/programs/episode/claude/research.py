"""A step that fetches or measures something of a stock, asked of Claude.

It is a specialist's work: the desk asks and measures first, its claims stand, and the model says
what they mean. Besides, it is shown the blackboard as it stands before its step. Which figures its
own part holds is the desk's rule; what others wrote, no answer of its can change.
"""

import json
from typing import Final

from desk.agents.program import ModelTask
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.prompts import prompt
from desk.programs.episode.claude.board import told_board
from desk.programs.swarm.claude.research import (
    RULES,
    ProposedFindings,
    is_worth_it,
    result,
    told_part,
)


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """What a specialist is shown, and the blackboard, as JSON. Whoever takes the step over from
    somebody who could not do it may be shown none."""
    board = told_board(request) if request.board else None
    return json.dumps({**told_part(request, base), "board": board}, ensure_ascii=False)


def _task(part: str) -> ModelTask:
    """Where such a step stands in the episode, which the reserve is told as well, and its part."""
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
