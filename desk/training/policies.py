"""The actions of an episode by index, and positions without research for comparison."""

import operator
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric

ACTIONS: Final = tuple(StockAction)
"""In the order of their indices in the environment."""


class UnknownAction(ValueError):
    """There is no such action. The message lists the existing ones."""


def read_action(given: object) -> int:
    """Returns the index of an action, given as its index or its name. Case is ignored, and hyphens
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
"""Returns the position to hold for a horizon, given a symbol, a period of the walk, and the
symbol's basic figures."""

_EVEN: Final = (Recommended.BUY, Recommended.HOLD, Recommended.SELL)


def buy_and_hold(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Always recommends a long position."""
    return Recommended.BUY


def cash(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Never recommends a position."""
    return Recommended.HOLD


def moving_averages(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
    """Recommends a long position while the 50-day mean is above the 200-day mean, and none
    otherwise or with fewer than 200 days."""
    short, long = known.get(Metric.SMA_50), known.get(Metric.SMA_200)
    if short is None or long is None:
        return Recommended.HOLD
    return Recommended.BUY if short > long else Recommended.HOLD


def random_positions(seed: int) -> PositionPolicy:
    """Returns a policy that is long, out or short with equal probability. For a symbol and a period
    the choice is always the same, whatever else is walked."""

    def choose(symbol: str, period: int, known: Mapping[Metric, float]) -> Recommended:
        generator = np.random.default_rng([seed, period, *symbol.encode()])
        return _EVEN[int(generator.integers(len(_EVEN)))]

    return choose
