"""Evaluates a recommendation: the move that followed, after costs, against cash and against holding
the stock, scaled by risk.

All in percent of the entry price, over the horizon, and exact up to the context's 28 digits until
they are rounded at the end:

- forward_move = exit / entry - 1
- cash_move = the policy rate times days / 365, simple interest
- risk = the yearly volatility as known at the start, times the root of days / 365
- over_cash = position x (forward_move - cash_move) - 2 x cost x |position|
- over_holding = over_cash - ((forward_move - cash_move) - 2 x cost): over_cash less that of
  having bought
- reward = over_cash / risk, a number without a unit, and 0 without a position

Excludes dividends, and the cost of borrowing a stock that is sold short.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from desk.contracts.episode.stock import Recommended
from desk.contracts.findings.claims import Metric

POSITIONS: Final[Mapping[Recommended, int]] = MappingProxyType(
    {
        Recommended.BUY: 1,
        Recommended.HOLD: 0,
        Recommended.SELL: -1,
        Recommended.ABSTAIN: 0,
    }
)
"""Shares of the capital that a recommendation puts into the stock. -1 is all of it sold short."""

EVALUATION_METRICS: Final = (
    Metric.ENTRY,
    Metric.EXIT,
    Metric.FORWARD_MOVE,
    Metric.CASH_MOVE,
    Metric.RISK,
    Metric.OVER_CASH,
    Metric.OVER_HOLDING,
    Metric.REWARD,
)

PositionName = Literal["long", "none", "short"]

_NAMES: Final[Mapping[int, PositionName]] = MappingProxyType({1: "long", 0: "none", -1: "short"})
_DAYS_A_YEAR: Final = Decimal(365)
_HUNDREDTHS: Final = Decimal("0.01")


def position_name(recommended: Recommended) -> PositionName:
    """The name of a position in the arguments of the performance tool."""
    return _NAMES[POSITIONS[recommended]]


def performance(
    entry: Decimal,
    exit_: Decimal,
    position: int,
    cost: Decimal,
    cash_rate: Decimal | None,
    volatility: Decimal | None,
    days: int,
) -> dict[Metric, Decimal]:
    """The figures of an evaluation, without those that cannot be computed.

    Without a rate there is nothing to compare with, and no reward. Without a volatility above zero
    there is a reward only for no position.

    Args:
        entry: The price at the start, as stated.
        exit_: The price at the horizon, in the same shares.
        position: 1 long, 0 none, -1 short.
        cost: Percent of the price, for entering and again for leaving.
        cash_rate: Percent a year.
        volatility: Percent a year.
        days: Calendar days from start to horizon.
    """
    if entry <= 0 or exit_ <= 0:
        raise ValueError(f"prices are positive, not {entry} and {exit_}")
    years, root = _years(days)
    move = (exit_ / entry - 1) * 100
    found: dict[Metric, Decimal] = {Metric.FORWARD_MOVE: move}
    if volatility is not None:
        found[Metric.RISK] = volatility * root
    if cash_rate is not None:
        cash = found[Metric.CASH_MOVE] = cash_rate * years
        found |= _compared(move - cash, position, cost, found.get(Metric.RISK))
    levels: dict[Metric, Decimal] = {Metric.ENTRY: entry, Metric.EXIT: exit_}
    return levels | {m: _rounded(found[m]) for m in EVALUATION_METRICS if m in found}


@cache
def _years(days: int) -> tuple[Decimal, Decimal]:
    """Days as years, and its square root. Cached, because the root takes a tenth of an evaluation's
    time."""
    years = days / _DAYS_A_YEAR
    return years, years.sqrt()


def _compared(
    gained: Decimal, position: int, cost: Decimal, risk: Decimal | None
) -> dict[Metric, Decimal]:
    """The result of a position, from the gain of the stock over cash."""
    over_cash = position * gained - 2 * cost * abs(position)
    found: dict[Metric, Decimal] = {
        Metric.OVER_CASH: over_cash,
        Metric.OVER_HOLDING: over_cash - (gained - 2 * cost),
    }
    if not position:
        found[Metric.REWARD] = Decimal(0)
    elif risk:
        found[Metric.REWARD] = over_cash / risk
    return found


def _rounded(value: Decimal) -> Decimal:
    """Rounds to hundredths, half to even. A result of zero has no sign."""
    return value.quantize(_HUNDREDTHS) + 0
