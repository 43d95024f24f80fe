"""The bands within which authorities keep or kept pairs.

Each row is entered from the authority's own announcement, with the instant from which it was known.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Peg:
    """A band of a pair: its edges in units of the second currency, None on a side without an edge;
    its authority; when it was announced, and when its end was."""

    pair: str
    low: Decimal | None
    high: Decimal | None
    authority: str
    announced: datetime
    url: str
    ended: datetime | None = None
    ended_url: str | None = None


PEGS: Final = (
    Peg(
        "USD/HKD",
        Decimal("7.75"),
        Decimal("7.85"),
        "the Hong Kong Monetary Authority",
        datetime(2005, 5, 18, 9, tzinfo=UTC),
        "https://www.hkma.gov.hk/eng/news-and-media/press-releases/2005/05/20050518-4/",
    ),
    Peg(
        "EUR/DKK",
        Decimal("7.29252"),
        Decimal("7.62824"),
        "Danmarks Nationalbank",
        datetime(1999, 1, 1, tzinfo=UTC),
        "https://www.ecb.europa.eu/press/pr/date/1998/html/pr981231_2.en.html",
    ),
    Peg(
        "EUR/CHF",
        Decimal("1.20"),
        None,
        "the Swiss National Bank",
        datetime(2011, 9, 6, 8, tzinfo=UTC),
        "https://www.snb.ch/en/publications/communication/press-releases/2011/pre_20110906",
        datetime(2015, 1, 15, 9, 30, tzinfo=UTC),
        "https://www.snb.ch/en/publications/communication/press-releases/2015/pre_20150115",
    ),
)
"""Hong Kong's two convertibility undertakings; the krone's central rate of 7.46038 in ERM II with
2.25 percent on either side; the SNB's minimum rate, which had no upper edge."""


def pegs_of(currencies: set[str]) -> tuple[str, ...]:
    """The pairs of the table whose second currency is among some currencies."""
    return tuple(peg.pair for peg in PEGS if peg.pair.partition("/")[2] in currencies)


def peg_known(pair: str, as_of: datetime) -> Peg | None:
    """The newest band of a pair that had been announced by an instant. None if there was none. It
    includes its end only if that had been announced by then."""
    known = [peg for peg in PEGS if peg.pair == pair and peg.announced <= as_of]
    return max(known, key=lambda peg: peg.announced, default=None)
