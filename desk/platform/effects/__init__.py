"""The journal of effects, and files on disk."""

from desk.platform.effects.journal import EffectJournal, forget_old_effects, old_effects
from desk.platform.effects.paid_calls import PaidCalls

__all__ = [
    "EffectJournal",
    "PaidCalls",
    "forget_old_effects",
    "old_effects",
]
