"""The generated facts of the stocks that there are packaged prices of."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import Final, Protocol

from desk.analytics.technical.companies import Accounts, NoAccounts
from desk.analytics.technical.measures import NotInstalled
from desk.analytics.technical.series import PriceSeries, Traded, known_until, series_of
from desk.contracts.agents.tools import GENERATED, SourceTier
from desk.contracts.findings.source_results import NewsItem, Provenance
from desk.sources.analysis.generated.companies import generated_accounts
from desk.sources.analysis.generated.headlines import generated_headlines
from desk.sources.analysis.generated.relation import GENERATOR, SEED

NOT_GENERATED: Final = (
    "No accounts of {symbol} are generated: it is no company with packaged prices."
)


def generated_source(seed: int = SEED) -> Provenance:
    """Whose word generated facts are: nobody's."""
    return Provenance(
        name=f"{GENERATED} facts for practice ({GENERATOR}, seed {seed})",
        tier=SourceTier.DERIVED,
        origin=f"{GENERATED}: {GENERATOR}, seed {seed}",
    )


GENERATED_SOURCE: Final = generated_source()


def is_company(symbol: str) -> bool:
    """Whether a stock is a company's, and no index or spot price, by how Yahoo writes them."""
    return not symbol.startswith("^") and not symbol.endswith("=X")


class PackagedPrices(Protocol):
    """Where the prices are had that facts are generated beside."""

    def packaged(self, symbol: str) -> tuple[Traded, ...]:
        """Every packaged series of a stock; none where there is none.

        Raises:
            NotInstalled: the package of one is not there.
        """
        ...

    def name_of(self, symbol: str) -> str:
        """What a headline calls a stock."""
        ...


class GeneratedFacts:
    """Accounts and headlines, generated once a symbol from all its packaged prices.

    What is handed out is of all times; the tools tell of it what had come out by their instant.
    """

    def __init__(self, prices: PackagedPrices, seed: int = SEED) -> None:
        self.source = generated_source(seed)
        self._prices, self._seed = prices, seed
        self._companies: dict[str, _Company] = {}

    def accounts(self, symbol: str) -> Accounts:
        """Everything that there is of a company.

        Raises:
            NoAccounts: it is no company, or no package has its prices.
        """
        try:
            company = self._company(symbol)
        except NotInstalled as error:
            raise NoAccounts(f"{error}.") from error
        if company is None or not is_company(symbol):
            raise NoAccounts(NOT_GENERATED.format(symbol=symbol))
        return company.accounts

    def headlines(self, symbol: str, start: datetime, end: datetime) -> Sequence[NewsItem] | None:
        """Those that came out between two instants, both included, oldest first; None of a stock
        that no package has prices of.

        Raises:
            NotInstalled: the package with its prices is not there.
        """
        company = self._company(symbol)
        return None if company is None else company.between(start, end)

    def _company(self, symbol: str) -> "_Company | None":
        if symbol not in self._companies:
            series = tuple(_whole(self._prices, symbol))
            if not series:
                return None
            name = self._prices.name_of(symbol)
            self._companies[symbol] = _Company(name, series, self._seed)
        return self._companies[symbol]


class _Company:
    """What is generated of one stock; of each of its series by itself."""

    def __init__(self, name: str, series: Sequence[PriceSeries], seed: int) -> None:
        self._name, self._series, self._seed = name, series, seed

    @cached_property
    def accounts(self) -> Accounts:
        made = [generated_accounts(each, self._seed) for each in self._series]
        return Accounts(
            tuple(line for each in made for line in each.lines),
            tuple(report for each in made for report in each.reports),
        )

    @cached_property
    def _headlines(self) -> tuple[NewsItem, ...]:
        made = [
            item
            for series in self._series
            for item in generated_headlines(series, self._name, self._seed)
        ]
        return tuple(sorted(made, key=lambda item: item.published_at))

    @cached_property
    def _instants(self) -> list[datetime]:
        return [item.published_at for item in self._headlines]

    def between(self, start: datetime, end: datetime) -> Sequence[NewsItem]:
        first, last = bisect_left(self._instants, start), bisect_right(self._instants, end)
        return self._headlines[first:last]


def _whole(prices: PackagedPrices, symbol: str) -> Iterator[PriceSeries]:
    """Each packaged series of a stock, in the shares of its last day."""
    for traded in prices.packaged(symbol):
        if traded.bars:
            known = known_until(traded, traded.bars[-1].day)
            yield series_of(symbol, GENERATED_SOURCE, known, date.min)
