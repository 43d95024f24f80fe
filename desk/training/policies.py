"""The actions of an episode by index, and positions that need no research, to compare with."""

import operator
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric

ACTIONS: Final = tuple(StockAction)
"""By the index that stands for each in the environment."""


class UnknownAction(ValueError):
    """There is no such action. The message lists those that there are."""


def read_action(given: object) -> int:
    """The index of an action, given as the index or as its name. Case does not matter, and hyphens
    or spaces count as underscores.

    Raises:
        UnknownAction: it is neither.
    """
    if isinstance(given, str):
        name = given.strip().upper().replace("-", "_").replace(" ", "_")
        if name in StockAction.__members__:
            return ACTIONS.index(StockAction(name))
    else:
        try:
            index = operator.index(given)  # type: ignore[arg-type]
        except TypeError:
            index = -1
        if 0 <= index < len(ACTIONS):
            return index
    raise UnknownAction(
        f"{given!r} is no action; write an index from 0 to {len(ACTIONS) - 1}, or a name: "
        f"{', '.join(ACTIONS)}"
    )


PositionPolicy = Callable[[str, int, Mapping[Metric, float]], Recommended]
"""What to hold for a horizon: of a symbol, in a period of the walk, knowing its basic figures."""

_EVEN: Final = (Recommended.BUY, Recommended.HOLD, Recommended.SELL)


def buy_and_hold(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Always long."""
    return Recommended.BUY


def cash(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Never in the market."""
    return Recommended.HOLD


def moving_averages(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Long where the mean of 50 days is above that of 200, out of the market below; out, too, where
    there are not 200 days yet."""
    short, long = known.get(Metric.SMA_50), known.get(Metric.SMA_200)
    if short is None or long is None:
        return Recommended.HOLD
    return Recommended.BUY if short > long else Recommended.HOLD


def random_positions(seed: int) -> PositionPolicy:
    """Long, out or short, each as likely as the others; of a symbol and a period always the same,
    whatever else is walked."""

    def choose(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
        generator = np.random.default_rng([seed, period, *symbol.encode()])
        return _EVEN[int(generator.integers(len(_EVEN)))]

    return choose
