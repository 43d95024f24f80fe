"""What a specialist's signals amount to, and how sure of it it is.

The numbers are conventions of the desk; none was fitted to anything:

- A signal counts by its strength, up as plus, down as minus, neutral as nothing. Their balance is
  the mean. From `LEANS` on, either way, it is a view; below it the view is neutral.
- A view is as sure as the speciality reaches: half of that for any view at all, half by how far the
  balance goes. A neutral view has two fifths of it, and a fifth by how near to nothing the balance
  is. `GAP` is taken off for each thing that was missing, for up to `MOST_GAPS` of them.
- It is never surer than `SUREST` and never less sure than `LEAST_SURE`: two specialists that hold
  the opposite lie further apart than a vote allows only where one lacks nearly everything.
- It recommends to buy or sell from `ACTS` on, and to hold below it.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from desk.contracts.episode.analysis import Hint, Signal
from desk.contracts.findings.results import Leaning

LEANS: Final = 0.15
GAP: Final = 0.04
MOST_GAPS: Final = 5
SUREST: Final = 0.8
LEAST_SURE: Final = 0.2
ACTS: Final = 0.45
LESS_SURE_TO_ACT: Final = 0.9
"""What of the confidence in a direction is left for what to do about it."""

_SIGNS: Final = {Hint.UP: 1, Hint.DOWN: -1, Hint.NEUTRAL: 0}


class SignalConsensus(NamedTuple):
    """Where signals point in all, how far they agree (-1 to 1), and how sure that is.

    Without a signal it abstains.
    """

    leaning: Leaning
    balance: float
    confidence: float

    @property
    def action(self) -> Leaning:
        """What to do about it: buy, sell, or hold as neutral."""
        if self.leaning is Leaning.ABSTAINS:
            return Leaning.ABSTAINS
        return self.leaning if self.confidence >= ACTS else Leaning.NEUTRAL

    @property
    def action_confidence(self) -> float:
        """How sure it is of what to do."""
        return round(self.confidence * LESS_SURE_TO_ACT, 3)


def judge(signals: Iterable[Signal], reach: float, gaps: int) -> SignalConsensus:
    """What some signals amount to, by the rules above.

    Args:
        signals: Those of all tools that answered.
        reach: How much the speciality can say about the weeks ahead, from 0 to 1.
        gaps: How many things were missing.
    """
    heard = [signal for signal in signals if signal.strength > 0]
    if not heard:
        return SignalConsensus(Leaning.ABSTAINS, 0.0, LEAST_SURE)
    balance = round(sum(_SIGNS[s.hint] * s.strength for s in heard) / len(heard), 6)
    leaning = leaning_of(balance)
    share = 0.5 + 0.5 * abs(balance)
    if leaning is Leaning.NEUTRAL:
        share = 0.4 + 0.2 * (1 - abs(balance) / LEANS)
    sure = reach * share - GAP * min(gaps, MOST_GAPS)
    return SignalConsensus(
        leaning=leaning,
        balance=balance,
        confidence=round(min(SUREST, max(LEAST_SURE, sure)), 3),
    )


def leaning_of(balance: float, least: float = LEANS) -> Leaning:
    """The way a balance leans; neutral below the least that counts."""
    if abs(balance) < least:
        return Leaning.NEUTRAL
    return Leaning.UP if balance > 0 else Leaning.DOWN


def strongest(signals: Sequence[Signal], hint: Hint) -> Signal | None:
    """The strongest signal that points one way, of several the first; None without any."""
    pointing = [signal for signal in signals if signal.hint is hint and signal.strength > 0]
    return max(pointing, key=lambda signal: signal.strength, default=None)
