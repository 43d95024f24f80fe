"""The actions of a stock's episode and their costs, which the settings of every command include."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Figure


class StockAction(StrEnum):
    """What the controller chooses among. Each writes one part of the blackboard."""

    FETCH_NEWS = "FETCH_NEWS"
    FETCH_FUNDAMENTALS = "FETCH_FUNDAMENTALS"
    FETCH_SENTIMENT = "FETCH_SENTIMENT"
    RUN_TA_BASIC = "RUN_TA_BASIC"
    RUN_TA_ADVANCED = "RUN_TA_ADVANCED"
    GENERATE_INSIGHT = "GENERATE_INSIGHT"
    GENERATE_RECOMMENDATION = "GENERATE_RECOMMENDATION"
    EVALUATE_PERFORMANCE = "EVALUATE_PERFORMANCE"


MOST_CHARGE: Final = 10

Charge = Annotated[Figure, Field(ge=0, le=MOST_CHARGE)]
"""The cost of carrying out an action, in units of the reward."""

Charges = dict[StockAction, Charge]
"""The costs by action; an action without an entry costs nothing."""
