"""The claims in the answer of an analysis tool, and the thresholds that its figures are compared
with."""

from collections.abc import Iterable, Iterator
from typing import Final

from desk.analytics.prices.indicator_marks import MARKS
from desk.analytics.units import UNITS
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.findings.claims import Claim, claim_id, span_id


def analysis_claims(answer: Analysis, evidence_id: str) -> tuple[Claim, ...]:
    """Returns one claim for each figure of an analysis, in order. If two figures have the same
    metric and span, only the first counts."""
    first = {(figure.metric, figure.since): figure for figure in reversed(answer.figures)}
    return tuple(
        Claim(
            claim_id=_name(answer.symbol, figure),
            subject=answer.symbol,
            metric=figure.metric,
            value=figure.value,
            unit=UNITS[figure.metric],
            as_of=figure.as_of,
            evidence=(evidence_id,),
        )
        for figure in dict.fromkeys(answer.figures)
        if first[figure.metric, figure.since] == figure
    )


def _name(symbol: str, figure: MeasuredFigure) -> str:
    if figure.since is None:
        return claim_id(symbol, figure.metric)
    return span_id(symbol, figure.metric, figure.since, figure.as_of)


MARK: Final = "mark"
"""The formula of a threshold's claim, the same for every market."""


def mark_claims(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Yields the thresholds for some of the figures, each as a claim with the figure's market, day
    and evidence."""
    for claim in claims:
        for mark in MARKS.get(claim.metric, ()):
            yield Claim(
                claim_id=claim_id(claim.subject, mark.metric),
                subject=claim.subject,
                metric=mark.metric,
                value=mark.value,
                unit=UNITS[mark.metric],
                as_of=claim.as_of,
                evidence=claim.evidence,
                formula=MARK,
            )
