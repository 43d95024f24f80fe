"""The figures of a stock's days, each as the tools of `analysis` print it as of the close."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.claims import Metric
from desk.programs.episode.run.actions import PART_METRICS
from desk.sources.analysis.eras import Era
from desk.sources.analysis.figures import Floats, Measure, Unmeasured, rounded
from desk.sources.analysis.prices import PriceSeries
from desk.sources.analysis.technical.candles import Candles
from desk.sources.analysis.technical.indicators import Indicators
from desk.sources.analysis.technical.moves import Standing

COMPUTED: Final = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
"""The actions whose figures come of the prices alone. The others have none offline."""


def part_rows(eras: Sequence[Era], action: StockAction, library: Any) -> Floats:
    """The figures of an action, a row for each day of the eras and a column for each of the
    action's metrics. What is lacking is not a number.

    `library` is TA-Lib. Each figure is rounded as it is printed.
    """
    rows = [row for era in eras for row in _rows(era, PART_METRICS[action], library)]
    return np.array(rows, dtype=np.float64)


def _rows(era: Era, metrics: Sequence[Metric], library: Any) -> Iterator[list[float]]:
    series = era.series
    if era.first == len(series.days):
        return
    measures: dict[Metric, Measure] = {
        **Standing(series, era.first).measures(),
        **Indicators(series, library).measures(),
        **Candles(series, library).measures(),
    }
    for at in range(era.first, len(series.days)):
        yield [_told(series, metric, measures[metric], at) for metric in metrics]


def _told(series: PriceSeries, metric: Metric, measure: Measure, at: int) -> float:
    try:
        return float(rounded(series, metric, measure(at)))
    except Unmeasured:
        return float("nan")
