"""Which of several markets has done better."""

from desk.analytics.names.markets import spoken
from desk.contracts.findings.claims import Metric, claim_id
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.conclusion.wording import listed

_SPANS = ((Metric.QUARTER_MOVE, "Over the quarter"), (Metric.MONTH_MOVE, "over the month"))


def compared(account: Account) -> str | None:
    """`Over the quarter NVDA has done best, and over the month AMZN`, with each one's move; None
    where fewer than two have moved."""
    told = []
    for metric, over in _SPANS:
        moves = {
            each.market: move
            for each in account.markets
            if (move := account.value(each.market, metric)) is not None
        }
        if len(moves) < 2:
            return None
        ranked = sorted(moves, key=lambda market: -moves[market])
        figures = [f"{spoken(market)} [[{claim_id(market, metric)}]]" for market in ranked]
        told.append(f"{over} {spoken(ranked[0])} has done best ({listed(figures)})")
    return f"{'; '.join(told)}."
