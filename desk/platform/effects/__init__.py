"""A journal that stores the result of each effect, so that a retried activity does not repeat
it."""

from desk.platform.effects.journal import EffectJournal, delete_old_effects, old_effects
from desk.platform.effects.paid_calls import PaidCalls

__all__ = [
    "EffectJournal",
    "PaidCalls",
    "delete_old_effects",
    "old_effects",
]
