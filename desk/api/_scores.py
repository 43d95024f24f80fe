"""How the desk's forecasts did, as frames."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from desk.api._frames import Column, FramesMissing, frame
from desk.contracts.findings.claims import Unit
from desk.contracts.learning.lessons import RecordWeight, Scorecard, ScoredForecast
from desk.contracts.swarm.hypotheses import ScoredHypothesis
from desk.learning.calibration import brier, outcome
from desk.learning.standing import is_backtest, is_backtested

if TYPE_CHECKING:
    from pandas import DataFrame

_TABLE: Final = {
    "of": Column.TEXT,
    "scored": Column.COUNT,
    "decided": Column.COUNT,
    "hits": Column.COUNT,
    "hit_rate": Column.NUMBER,
    "brier": Column.NUMBER,
    "random_walk": Column.NUMBER,
    "carried": Column.COUNT,
    "brier_carried": Column.NUMBER,
    "carry": Column.NUMBER,
}
_FORECASTS: Final = {
    "market": Column.TEXT,
    "agent": Column.TEXT,
    "week": Column.TEXT,
    "due": Column.INSTANT,
    "probability": Column.NUMBER,
    "carry": Column.NUMBER,
    "level": Column.NUMBER,
    "level_on": Column.DAY,
    "value": Column.NUMBER,
    "value_on": Column.DAY,
    "brier": Column.NUMBER,
    "as_of": Column.INSTANT,
    "written_at": Column.INSTANT,
    "backtest": Column.FLAG,
    "overruled_by": Column.TEXT,
}
_FORECAST_UNITS: Final = {"level": Unit.LEVEL, "value": Unit.LEVEL}
_CALIBRATION: Final = {
    "low": Column.NUMBER,
    "high": Column.NUMBER,
    "forecasts": Column.COUNT,
    "said": Column.NUMBER,
    "came": Column.NUMBER,
}
_WEIGHTS: Final = {
    "voice": Column.TEXT,
    "name": Column.TEXT,
    "factor": Column.NUMBER,
    "outcomes": Column.COUNT,
    "reason": Column.TEXT,
}
_HYPOTHESES: Final = {
    "market": Column.TEXT,
    "kind": Column.TEXT,
    "due": Column.INSTANT,
    "probability": Column.NUMBER,
    "state": Column.TEXT,
    "value": Column.NUMBER,
    "brier": Column.NUMBER,
    "as_of": Column.INSTANT,
    "written_at": Column.INSTANT,
    "backtest": Column.FLAG,
}


class Scores:
    """A scorecard of the desk's forecasts. `document` is the whole of it.

    A Brier score is the squared distance of a probability from the outcome, 1 or 0: 0 is perfect,
    and 0.25 is as good as a coin. A notebook shows the table.
    """

    def __init__(
        self,
        document: Scorecard,
        *,
        forecasts: Sequence[ScoredForecast] = (),
        weights: Sequence[RecordWeight] = (),
        hypotheses: Sequence[ScoredHypothesis] = (),
    ) -> None:
        self.document: Final = document
        self._forecasts = forecasts
        self._weights = weights
        self._hypotheses = hypotheses

    def __repr__(self) -> str:
        return f"<Scores as of {self.document.as_of:%Y-%m-%d}: {self.document.open} open>"

    def _repr_html_(self) -> str | None:
        """Returns the table as HTML; None without pandas, when a notebook shows the plain text
        instead."""
        try:
            return str(self.table().to_html(index=False))
        except FramesMissing:
            return None

    def table(self) -> "DataFrame":
        """Returns a row for all forecasts, and one for each agent and each market with scored
        forecasts. Over the forecasts that had a rate differential, `carry` is a carry trader's
        Brier score and `brier_carried` is the desk's.

        Raises:
            FramesMissing: pandas is not installed.
        """
        return _table(self.document)

    def backtest(self) -> "DataFrame":
        """Returns the same table for forecasts written after the fact, which are not part of the
        record and of no other figure.

        Raises:
            FramesMissing: pandas is not installed.
        """
        return _table(self.document.backtest)

    def forecasts(self) -> "DataFrame":
        """Returns the newest forecasts whose horizon has passed, at most 1,000: `probability` that
        the market is fixed above `level` at `due`, and `value`, the last fixing known then. A
        `backtest` was written long after the instant up to which its information reached. Empty for
        a report's scorecard, which has only the totals.

        Raises:
            FramesMissing: pandas is not installed.
        """
        rows = (
            {
                **each.made.model_dump(),
                "value": each.value,
                "value_on": each.value_on,
                "brier": _brier(each),
                "as_of": each.made.as_of,
                "written_at": each.made.written_at,
                "backtest": is_backtest(each.made),
                "overruled_by": each.made.overruled_by,
            }
            for each in self._forecasts
        )
        return frame(rows, _FORECASTS, _FORECAST_UNITS)

    def calibration(self) -> "DataFrame":
        """Returns groups of forecasts of similar probability: their mean probability (`said`), and
        the share that came true (`came`).

        Raises:
            FramesMissing: pandas is not installed.
        """
        rows = (
            {
                "low": each.low,
                "high": each.high,
                "forecasts": each.count,
                "said": each.mean,
                "came": each.rose / each.count if each.count else None,
            }
            for each in self.document.bins
        )
        return frame(rows, _CALIBRATION)

    def weights(self) -> "DataFrame":
        """Returns the factor on each agent's and each source's weight in a vote, and why.

        Raises:
            FramesMissing: pandas is not installed.
        """
        rows = (each.model_dump(mode="json") for each in self._weights)
        return frame(rows, _WEIGHTS)

    def hypotheses(self) -> "DataFrame":
        """Returns the scored hypotheses of swarms and stocks that were due most recently.

        Raises:
            FramesMissing: pandas is not installed.
        """
        rows = (
            {
                "market": each.hypothesis.market.market,
                "kind": each.hypothesis.kind.value,
                "due": each.hypothesis.due,
                "probability": each.hypothesis.probability,
                "state": each.state.value,
                "value": each.value,
                "brier": each.score,
                "as_of": each.made_as_of,
                "written_at": each.written_at,
                "backtest": is_backtested(each),
            }
            for each in self._hypotheses
        )
        return frame(rows, _HYPOTHESES)


def _table(card: Scorecard | None) -> "DataFrame":
    rows = (
        {**row.model_dump(), "hit_rate": row.hits / row.decided if row.decided else None}
        for row in (card.rows if card else ())
    )
    return frame(rows, _TABLE)


def _brier(forecast: ScoredForecast) -> float | None:
    """Returns the Brier score; None if there was no fixing for too long."""
    if forecast.value is None:
        return None
    return brier([forecast.made.probability], [outcome(forecast)])
