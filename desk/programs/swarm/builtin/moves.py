"""How a side of a market has done over the month, the quarter and the year."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.names.markets import spoken
from desk.contracts.findings.claims import Metric, claim_id
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.conclusion.wording import listed

COUNTS: Final = Decimal("0.5")
"""Of what is usual over its span: a smaller move is none to speak of. A convention."""

_SPANS: Final = (
    (Metric.MONTH_MOVE, "on the month", Decimal("0.2887")),
    (Metric.QUARTER_MOVE, "on the quarter", Decimal("0.5")),
    (Metric.YEAR_MOVE, "on the year", Decimal(1)),
)
"""Each with the share of a year's volatility that is usual over it: the root of its share of the
year."""


class Span(NamedTuple):
    """A market's move over a span, with a reference, and whether the side that is looked at gained
    by it (1), lost (-1) or did neither."""

    market: str
    words: str
    sense: int


def spans(account: Account, market: str, side: int, most: Metric) -> tuple[Span, ...]:
    """The moves of a market from the month on up to a metric's span, for its first side (1) or
    its second (-1)."""
    wanted = [metric for metric, _, _ in _SPANS]
    return tuple(_spans(account, market, side, wanted[: wanted.index(most) + 1]))


def told(moves: Iterable[Span]) -> str:
    """`USD/JPY +0.16 % on the month and -3.49 % on the quarter, AUD/JPY …`."""
    by_market: dict[str, list[str]] = {}
    for span in moves:
        by_market.setdefault(span.market, []).append(span.words)
    return ", ".join(f"{spoken(market)} {listed(words)}" for market, words in by_market.items())


def side_of(market: str, currency: str | None) -> int:
    """1 where a currency is the first of a pair or there is none to look for, -1 where it is the
    second, and 0 where it is not in it."""
    if currency is None or "/" not in market:
        return 1
    base, _, quote = market.partition("/")
    return {base: 1, quote: -1}.get(currency, 0)


def _spans(account: Account, market: str, side: int, wanted: Sequence[Metric]) -> Iterator[Span]:
    volatility = account.value(market, Metric.VOLATILITY) or Decimal(0)
    for metric, words, share in _SPANS:
        move = account.value(market, metric)
        if metric not in wanted or move is None:
            continue
        little = abs(move) <= COUNTS * volatility * share
        sense = 0 if little else side if move > 0 else -side
        yield Span(market, f"[[{claim_id(market, metric)}]] {words}", sense)
