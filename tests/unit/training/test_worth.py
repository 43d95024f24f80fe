"""What an action's figures are worth: what the positions pay that tell it."""

from datetime import date
from decimal import Decimal

from desk.training.company_figures import Facts
from desk.training.example.worth import worth
from desk.training.tables import stock_table

FITTED, UNTIL = date(2012, 1, 1), date(2016, 1, 1)
LEAST_PAID = 0.2
"""Of two sides of one percent each, in what NVDA swings by within four weeks."""


def test_a_short_position_pays_its_costs_as_a_long_one_does() -> None:
    assert _earned(cost=Decimal(0)) - _earned(cost=Decimal(1)) > LEAST_PAID


def _earned(cost: Decimal) -> float:
    bundle = [stock_table("NVDA", facts=Facts.GENERATED)]
    name, mean, _ = next(worth([bundle], 4, cost, FITTED, UNTIL))
    assert name == "all figures"
    assert mean is not None
    return mean.mean
