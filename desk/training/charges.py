"""The costs of actions in the environment."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from desk.contracts.episode.actions import MOST_CHARGE, StockAction
from desk.training.policies import ACTIONS, read_action

USUAL_CHARGES: Final[Mapping[str, float]] = MappingProxyType(
    {
        StockAction.FETCH_NEWS: 0.005,
        StockAction.FETCH_FUNDAMENTALS: 0.02,
        StockAction.FETCH_SENTIMENT: 0.01,
        StockAction.RUN_TA_BASIC: 0.005,
        StockAction.RUN_TA_ADVANCED: 0.01,
    }
)
"""In units of the reward, which is the return over cash in units of the risk taken: at a yearly
volatility of 30 percent and over four weeks, 0.01 is 0.083 percent of the position. The magnitudes
are a convention: accounts are expensive, and what is computed from available prices is cheap.
Together they are 0.05, the built-in recommender's mean reward over four weeks on prices alone. The
default `desk.toml` has them too, for episodes through Temporal."""

NO_CHARGES: Final[Mapping[str, float]] = MappingProxyType({})


def read_charges(given: Mapping[str, float]) -> NDArray[np.float64]:
    """Returns the cost of each action each time it is carried out, in the order of `StockAction`; 0
    for an action without a charge. An action that is refused costs nothing.

    Raises:
        UnknownAction: a charge names an action that does not exist.
        ValueError: a charge is negative, or above what an episode can earn.
    """
    found = np.zeros(len(ACTIONS))
    for action, charge in given.items():
        if not 0 <= charge <= MOST_CHARGE:
            raise ValueError(
                f"a charge is 0 to {MOST_CHARGE:g} units of the reward, not {charge} for {action}"
            )
        found[read_action(action)] = charge
    return found
