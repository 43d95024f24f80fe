"""Who takes the turns in a worker: the built-in analysts."""

from activities.turns import TurnActivities
from agents.builtin.analysts import builtin_turn
from contracts.turns import Turn, TurnRequest
from infra.effect_journal import EffectJournal


def turn_activities(journal: EffectJournal) -> TurnActivities:
    """The turn activity of a worker."""
    return TurnActivities(analyst, journal)


async def analyst(request: TurnRequest) -> Turn:
    """The built-in analyst's turn."""
    return builtin_turn(request)
