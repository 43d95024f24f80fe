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
volatility of 30 percent and four weeks, 0.01 is 0.083 percent of the position. The order of
size is a convention: accounts are dear, and what is computed of prices at hand is cheap. Together
they are 0.05, which is the built-in recommender's mean reward of four weeks on prices alone. The
usual `desk.toml` has them too, for episodes through Temporal."""

NO_CHARGES: Final[Mapping[str, float]] = MappingProxyType({})


def read_charges(given: Mapping[str, float]) -> NDArray[np.float64]:
    """What each action costs whenever it is carried out, in the order of `StockAction`; nothing
    where none is given. An action that makes no sense is refused, and costs nothing.

    Raises:
        UnknownAction: one is charged that there is not.
        ValueError: a charge is negative, or above what an episode can bring.
    """
    found = np.zeros(len(ACTIONS))
    for action, charge in given.items():
        if not 0 <= charge <= MOST_CHARGE:
            raise ValueError(
                f"a charge is 0 to {MOST_CHARGE:g} units of the reward, not {charge} for {action}"
            )
        found[read_action(action)] = charge
    return found
