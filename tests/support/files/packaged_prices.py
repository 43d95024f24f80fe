"""A package with a file of a stock's daily prices, as the extra `swarm` has them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from itertools import count
from pathlib import Path
from typing import NamedTuple

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.sources.analysis.prices import PackagedSeries, PriceStore
from desk.sources.ecb.store import RatesStore

PRICES = Provenance(name="Prices of a test", tier=SourceTier.SECONDARY, origin="Nobody")


class Day(NamedTuple):
    """A day's close and volume; it opens at its low and closes at its high."""

    day: date
    close: float
    volume: int = 1_000


_numbers = count()
"""No two packages have one name: a process reads each once."""


@contextmanager
def packaged(
    folder: Path, days: Sequence[Day], symbol: str = "ACME", later_shares: bool = False
) -> Iterator[PriceStore]:
    """A store that reads a stock's days from a package of one file in a folder."""
    package = f"prices_of_{symbol.strip('^').lower()}_{next(_numbers)}"
    (folder / package).mkdir(exist_ok=True)
    (folder / package / "__init__.py").touch()
    rows = (
        f"{d.day},{d.close},{d.close},{d.close * 0.99},{d.close * 0.99},{d.volume}" for d in days
    )
    text = "\n".join(("Date,Close,High,Low,Open,Volume", *rows))
    (folder / package / "prices.csv").write_text(text + "\n")
    sys.path.insert(0, str(folder))
    try:
        series = PackagedSeries(symbol, package, "prices.csv", PRICES, later_shares)
        yield PriceStore(RatesStore(), (series,))
    finally:
        sys.path.remove(str(folder))
