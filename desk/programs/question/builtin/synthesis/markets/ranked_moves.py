"""Pairs in the order of their moves: a group by the gains of each currency against the dollar,
others by the size of their moves."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.names.markets import DOLLAR
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import ResearchResult

WHOLE: Final = Decimal(100)


class RankedMove(NamedTuple):
    """A currency's move against the dollar, with the claim that it follows from. `gained` is the
    value that it is ranked by: the move of the pair, inverted if the dollar is its base."""

    currency: str
    gained: Decimal
    claim: Claim


def ranked_moves(results: Sequence[ResearchResult]) -> tuple[RankedMove, ...]:
    """Returns the currencies whose pair has a move, the largest gain first."""
    return tuple(sorted(_moves(results), key=lambda each: -each.gained))


def ranking_words(
    group: str, results: Sequence[ResearchResult], *, worst_first: bool = False
) -> str:
    """Lists all of a group in order, and those whose move is unknown."""
    ranked = ranked_moves(results)[:: -1 if worst_first else 1]
    moved = {c.subject for r in results for c in r.claims if c.metric is Metric.MOVE}
    # Those whose fixings end before the days are named with the day on which they end.
    silent = sorted({r.market for r in results if "/" in r.market and not r.ends_on} - moved)
    told = ", ".join(
        f"{each.currency} ({each.claim.subject} [[{each.claim.claim_id}]])" for each in ranked
    )
    order = "worst to best" if worst_first else "best to worst"
    first = f"{group} against the US dollar, from {order}: {told}." if told else ""
    missing = f" No move is known of {', '.join(silent)}." if silent else ""
    return f"{first}{missing}".strip()


def largest_first(results: Sequence[ResearchResult]) -> str:
    """Lists the moves of several pairs over one period, by their size; empty for fewer than two."""
    own = (c for r in results for c in r.claims if c.subject == r.market)
    moves = {claim.subject: claim for claim in own if claim.metric is Metric.MOVE}
    if len(moves) < 2:
        return ""
    ordered = sorted(moves.values(), key=lambda claim: -abs(claim.value))
    told = ", ".join(f"{claim.subject} [[{claim.claim_id}]]" for claim in ordered)
    return f"The largest move first: {told}."


def _moves(results: Sequence[ResearchResult]) -> Iterator[RankedMove]:
    for result in results:
        claim = next((c for c in result.claims if c.metric is Metric.MOVE), None)
        base, _, quote = result.market.partition("/")
        if claim is None or DOLLAR not in (base, quote):
            continue
        ratio = 1 + claim.value / WHOLE
        if base == DOLLAR and ratio > 0:
            yield RankedMove(quote, 1 / ratio - 1, claim)
        elif quote == DOLLAR:
            yield RankedMove(base, ratio - 1, claim)
