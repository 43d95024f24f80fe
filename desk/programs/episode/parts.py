"""What an agent's result brings onto the blackboard: the figures of a part, and where insights
point."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning, ResearchResult
from desk.programs.episode.run.actions import PART_METRICS


class Pointer(NamedTuple):
    """What some figures say: about what, which way it points, how strongly (0 to 1), by which
    figures. Without a statement it has that of `desk.programs.episode.wording`."""

    topic: str
    leaning: Leaning
    strength: float
    metrics: tuple[Metric, ...]
    statement: str | None = None


def values_of(
    claims: Iterable[Claim], action: StockAction, symbol: str
) -> tuple[dict[Metric, Decimal], dict[Metric, date]]:
    """The figures that belong to an action's part, each with its day; of two of one metric the
    first. A claim counts by its id, so that those of another day than the newest do not."""
    ids = {claim_id(symbol, metric) for metric in PART_METRICS.get(action, ())}
    values: dict[Metric, Decimal] = {}
    days: dict[Metric, date] = {}
    for claim in claims:
        if claim.claim_id in ids and claim.metric not in values:
            values[claim.metric] = claim.value
            days[claim.metric] = claim.as_of
    return values, days


def pointers_of(result: ResearchResult) -> tuple[Pointer, ...]:
    """The insights among a result's findings: those that have a leaning."""
    return tuple(
        Pointer(
            topic=finding.topic,
            leaning=finding.leaning,
            strength=finding.confidence,
            metrics=_metrics(finding.claims, result.market),
            statement=finding.statement,
        )
        for finding in result.findings
        if finding.leaning is not None
    )


def _metrics(ids: Iterable[str], symbol: str) -> tuple[Metric, ...]:
    """The metrics of the symbol's own figures among some claims, each once."""
    metrics = {claim_id(symbol, metric): metric for metric in Metric}
    return tuple(dict.fromkeys(metrics[each] for each in ids if each in metrics))
