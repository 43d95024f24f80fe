"""A step that fetches or measures something of a stock, asked of Claude.

It is a specialist's work: the desk asks and measures first, its claims stand, and the model says
what they mean. Besides, it is shown the blackboard as it stands before its step. Which figures its
own part holds is the desk's rule; what others wrote, no answer of its can change.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.turns import AgentResult, TurnRequest
from desk.programs.episode.claude.board import told_board
from desk.programs.swarm.claude.research import told_part

PROMPT: Final = "stock_part"
"""Where such a step stands in the episode; the reserve is told no less."""

PROMPTS: Final[Mapping[TaskType, str]] = MappingProxyType(
    {
        TaskType.FETCH_NEWS: "stock_news",
        TaskType.FETCH_FUNDAMENTALS: "stock_fundamentals",
        TaskType.FETCH_SENTIMENT: "stock_sentiment",
        TaskType.RUN_TA_BASIC: "stock_ta_basic",
        TaskType.RUN_TA_ADVANCED: "stock_ta_advanced",
    }
)
"""What each is told besides, about its own part."""


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """What a specialist is shown, and the blackboard, as JSON. Whoever takes the step over from
    somebody who could not do it may be shown none."""
    board = told_board(request) if request.board else None
    return json.dumps({**told_part(request, base), "board": board}, ensure_ascii=False)
