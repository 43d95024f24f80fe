"""A budget: what is left, what a call may reserve, and how work is degraded as the budget runs out.

The maximum that a call can cost is reserved before the call and settled after it. So what was spent
and what is reserved never exceed the budget, however many calls are in flight.
"""

from collections.abc import Mapping
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from enum import IntEnum
from typing import Final

from desk.contracts.agents.budget import Allowance, ModelPrice
from desk.contracts.agents.tasks import Effort
from desk.contracts.agents.usage import Usage

CENT_OF_A_CENT: Final = Decimal("0.0001")
MILLIONTH: Final = Decimal("0.000001")
FEWER_TURNS_BELOW: Final = Decimal("0.5")
CHEAPER_BELOW: Final = Decimal("0.25")
WEIGHTS: Final[Mapping[Effort, int]] = {Effort.LOW: 1, Effort.MEDIUM: 2, Effort.HIGH: 4}
"""A market's share of a week's budget, by the effort that the plan gives it."""

UNRESERVED_SHARE: Final = Decimal("0.1")
"""The share of a week's budget that is not allocated to markets. It is for the commentary and for
reruns."""

NOTHING: Final = Allowance(usd=Decimal(0), tokens=0)


class Stage(IntEnum):
    """How far work is degraded as a budget runs out. Each stage includes the restrictions of the
    stages before it."""

    AS_PLANNED = 0
    FEWER_TURNS = 1
    CHEAPER_MODEL = 2
    BUILT_IN = 3


class Budget:
    """A budget that several agents spend from. It uses no clock and computes no prices."""

    def __init__(self, allowed: Allowance) -> None:
        self.allowed = allowed
        self._reserved = NOTHING
        self._spent = NOTHING

    @property
    def spent(self) -> Allowance:
        """What was spent, or is assumed to be."""
        return self._spent

    @property
    def left(self) -> Allowance:
        """What is neither spent nor reserved; at least 0."""
        return minus(self.allowed, plus(self._reserved, self._spent))

    def reserve(self, among: int = 1) -> Allowance:
        """Reserves one part in `among` of what is left, the maximum that a call may cost, until it
        is settled."""
        part = divided(self.left, Decimal(1) / max(among, 1))
        self._reserved = plus(self._reserved, part)
        return part

    def reserve_shares(self, efforts: Mapping[str, Effort]) -> dict[str, Allowance]:
        """Reserves a part for each of several markets, weighted by the planned effort. The share
        `UNRESERVED_SHARE` stays unreserved."""
        whole = sum(WEIGHTS[effort] for effort in efforts.values())
        left, spendable = self.left, 1 - UNRESERVED_SHARE
        parts = {
            market: divided(left, spendable * WEIGHTS[effort] / whole)
            for market, effort in efforts.items()
        }
        for part in parts.values():
            self._reserved = plus(self._reserved, part)
        return parts

    def settle(self, reserved: Allowance, usage: Usage) -> None:
        """Releases a reservation and deducts what was spent, also if that is more than was
        reserved."""
        self._reserved = minus(self._reserved, reserved)
        self._spent = plus(self._spent, taken_by(usage))

    @property
    def stage(self) -> Stage:
        """How far to degrade work, by money or tokens, whichever is scarcer. Open reservations do
        not count as spent."""
        unspent = minus(self.allowed, self._spent)
        left = min(
            _share(unspent.usd, self.allowed.usd), _share(unspent.tokens, self.allowed.tokens)
        )
        if left <= 0:
            return Stage.BUILT_IN
        if left <= CHEAPER_BELOW:
            return Stage.CHEAPER_MODEL
        return Stage.FEWER_TURNS if left <= FEWER_TURNS_BELOW else Stage.AS_PLANNED


def affordable(allowed: Allowance, price: ModelPrice | None, reading: int, wanted: int) -> int:
    """Returns how many tokens a call may write if it reads at most `reading`; at most `wanted`.

    0 if the price is not known and the amount of money is limited.
    """
    most = wanted
    if allowed.tokens is not None:
        most = min(most, allowed.tokens - reading)
    if allowed.usd is not None:
        if price is None:
            return 0
        most = min(most, int((allowed.usd - reading * price.read) / price.written))
    return max(most, 0)


def as_usage(allowance: Allowance) -> Usage:
    """Returns the usage that spends a whole allowance."""
    return Usage(cost_usd=allowance.usd or Decimal(0), input_tokens=allowance.tokens or 0)


def lost_usage(allowance: Allowance) -> Usage:
    """Returns the usage that is assumed for a call whose bill is not known: the whole allowance."""
    return Usage(
        lost_calls=1, lost_usd=allowance.usd or Decimal(0), lost_tokens=allowance.tokens or 0
    )


def lost_call(price: ModelPrice | None, reading: int, writing: int) -> Usage:
    """Returns the maximum that a call may be billed if its answer is lost. Without a known price
    only its tokens are given."""
    usd = Decimal(0) if price is None else reading * price.read + writing * price.written
    return Usage(
        lost_calls=1,
        lost_tokens=reading + writing,
        lost_usd=usd.quantize(MILLIONTH, ROUND_UP),
    )


def taken_by(usage: Usage) -> Allowance:
    """Returns the allowance that usage takes up. A lost call counts as the maximum that it could
    have cost."""
    return Allowance(
        usd=max(usage.cost_usd, Decimal(0)) + usage.lost_usd,
        tokens=max(usage.tokens, 0) + usage.lost_tokens,
    )


def pays_for(allowance: Allowance, cost: Allowance) -> bool:
    """Returns whether an allowance covers an amount."""
    enough_money = allowance.usd is None or allowance.usd >= (cost.usd or 0)
    return enough_money and (allowance.tokens is None or allowance.tokens >= (cost.tokens or 0))


def divided(allowance: Allowance, part: Decimal) -> Allowance:
    """Returns a share of an allowance, rounded down. An unlimited part stays unlimited."""
    usd, tokens = allowance.usd, allowance.tokens
    return Allowance(
        usd=None if usd is None else (usd * part).quantize(CENT_OF_A_CENT, ROUND_DOWN),
        tokens=None if tokens is None else int(tokens * part),
    )


def minus(allowance: Allowance, taken: Allowance) -> Allowance:
    """Returns what is left of an allowance; at least 0."""
    usd, tokens = allowance.usd, allowance.tokens
    return Allowance(
        usd=None if usd is None else max(usd - (taken.usd or 0), Decimal(0)),
        tokens=None if tokens is None else max(tokens - (taken.tokens or 0), 0),
    )


def plus(allowance: Allowance, other: Allowance) -> Allowance:
    """Returns the sum of two allowances; unlimited where the first is."""
    usd, tokens = allowance.usd, allowance.tokens
    return Allowance(
        usd=None if usd is None else usd + (other.usd or 0),
        tokens=None if tokens is None else tokens + (other.tokens or 0),
    )


def _share(left: Decimal | int | None, allowed: Decimal | int | None) -> Decimal:
    if left is None or allowed is None:
        return Decimal(1)
    return Decimal(left) / allowed if allowed > 0 else Decimal(0)
