"""Combines several rankings into one: reciprocal rank fusion.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009: an entry gains weight / (K + rank) in each ranking, the first rank
being 1. An entry that a ranking lacks gets the rank behind all candidates: it was compared and has
nothing in common, and is not unknown. The sum is divided by its maximum, so that an entry that is
first in every ranking scores 1.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

K: Final = 10
"""The paper has 60, for lists of a thousand. With less, the first ranks count more."""


class Order(NamedTuple):
    """A ranking of ids, best first, and its weight."""

    weight: float
    ids: Sequence[str]


def fused(orders: Sequence[Order], last: int) -> dict[str, float]:
    """The score, from 0 to 1, of every id in any of the rankings. `last` is the rank of an id that
    a ranking lacks. Empty rankings are ignored."""
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
