"""How much a model is to think about a market, and how often it may be asked, by its priority."""

from typing import Final

from desk.contracts.agents.tasks import AgentLimits, Effort

_TURNS: Final = {Effort.LOW: 0.5, Effort.MEDIUM: 0.75, Effort.HIGH: 1.0}
"""The part of its turns that an agent has."""

FEWEST_TURNS: Final = 3
"""The desk's own questions, an answer, and one correction."""


def effort_for(priority: int) -> Effort:
    """The effort for a priority of the plan, which runs from 1 (most thoroughly) to 5."""
    if priority <= 1:
        return Effort.HIGH
    return Effort.MEDIUM if priority <= 3 else Effort.LOW


def turns_for(effort: Effort, limits: AgentLimits) -> int:
    """How many turns a model has; never more than the agent's limit."""
    return min(max(round(limits.max_turns * _TURNS[effort]), FEWEST_TURNS), limits.max_turns)
