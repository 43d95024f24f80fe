"""What the tool of daily rates answers: a pair by every publisher that gives it."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Final

from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.source_results import Histories, History, Provenance
from desk.sources.serving.daily_series import NOT_FETCHED
from desk.sources.serving.kept_file import KeptFile
from desk.sources.statistics.daily_rates.publishers import PUBLISHERS
from desk.sources.statistics.daily_rates.rates import PublishedRates

SOURCE: Final = Provenance(
    name="Daily exchange rates of central banks",
    tier=SourceTier.AUTHORITATIVE,
)
"""Of the answer as a whole: it has no one origin, each history in it has."""


class DailyRates:
    """The kept files of all publishers, and what they say."""

    def __init__(self, cache_dir: Path | None, addresses: Mapping[str, str] | None = None) -> None:
        """`addresses` take the place of publishers' own, by their keys."""
        given = addresses or {}
        self.files: tuple[KeptFile, ...] = tuple(
            each.kept_file(given.get(each.key)) for each in PUBLISHERS
        )
        self._series = [(each, each.series_file(cache_dir)) for each in PUBLISHERS]

    def answer(
        self, symbol: str, base: str, quote: str, days: Iterable[date], as_of: datetime
    ) -> Histories:
        """A pair on some days by every publisher, and of those without why."""
        asked = sorted(set(days))
        histories: list[History] = []
        missing: dict[str, str] = {}
        for publisher, file in self._series:
            source, series = publisher.source, file.as_of(as_of)
            if series is None:
                missing[source.name] = NOT_FETCHED
                continue
            published = PublishedRates(publisher, series, as_of)
            rates = published.on_days(base, quote, asked)
            if not rates:
                missing[source.name] = _why_nothing(published, base, quote)
                continue
            histories.append(
                History(
                    as_of=as_of,
                    source=source,
                    symbol=symbol,
                    days=tuple(rates),
                    values=tuple(rates.values()),
                )
            )
        return Histories(
            as_of=as_of, source=SOURCE, symbol=symbol, histories=tuple(histories), missing=missing
        )


def _why_nothing(published: PublishedRates, base: str, quote: str) -> str:
    absent = [code for code in (base, quote) if not published.has(code)]
    if absent:
        return f"It does not give {' and '.join(absent)}."
    rule = published.publisher.rule
    return f"It had no rate of these days by {published.as_of.isoformat()}; it publishes {rule}."
