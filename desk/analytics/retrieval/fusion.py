"""Several orders as one: reciprocal rank fusion.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009: an entry gains weight / (K + rank) in each order, the first rank
being 1. One that an order lacks stands there behind everything that may be told: it was looked at
and found to share nothing, and is not unknown. The sum is divided by the most that there is to
gain, so that what is first in every order scores 1.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

K: Final = 10
"""The paper has 60, for lists of a thousand; with less the first places tell more."""


class Order(NamedTuple):
    """An order of ids, the best first, and its weight."""

    weight: float
    ids: Sequence[str]


def fused(orders: Sequence[Order], last: int) -> dict[str, float]:
    """The score of every id that any of the orders has, from 0 to 1. `last` is the rank of one that
    an order lacks; an order without any id says nothing."""
    telling = [order for order in orders if order.ids]
    ranks = [{one: rank for rank, one in enumerate(order.ids, start=1)} for order in telling]
    most = sum(order.weight for order in telling) / (K + 1)
    scores = dict.fromkeys((one for order in telling for one in order.ids), 0.0)
    for memory_id in scores:
        gained = (
            order.weight / (K + rank.get(memory_id, last))
            for order, rank in zip(telling, ranks, strict=True)
        )
        scores[memory_id] = min(sum(gained) / most, 1.0)
    return scores
