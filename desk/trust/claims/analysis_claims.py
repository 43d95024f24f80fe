"""The claims that an analysis gives, and the marks that its figures are read by."""

from collections.abc import Iterable, Iterator
from typing import Final

from desk.analytics.prices.indicator_marks import MARKS
from desk.analytics.units import UNITS
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.findings.claims import Claim, claim_id, span_id


def analysis_claims(answer: Analysis, evidence_id: str) -> tuple[Claim, ...]:
    """One claim for each figure of an analysis, in their order; of two of one metric, and of one
    span, the first."""
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
"""The formula of a claim that is a mark: it is the same for every market."""


def mark_claims(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The marks by which some figures are read, each as a claim of the figure's market, day and
    evidence."""
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
