"""The claims that an analysis gives."""

from desk.analytics.units import UNITS
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Claim, claim_id


def analysis_claims(answer: Analysis, evidence_id: str) -> tuple[Claim, ...]:
    """One claim for each figure of an analysis, in their order; of two of one metric the first."""
    first = {figure.metric: figure for figure in reversed(answer.figures)}
    return tuple(
        Claim(
            claim_id=claim_id(answer.symbol, figure.metric),
            subject=answer.symbol,
            metric=figure.metric,
            value=figure.value,
            unit=UNITS[figure.metric],
            as_of=figure.as_of,
            evidence=(evidence_id,),
        )
        for figure in dict.fromkeys(answer.figures)
        if first[figure.metric] == figure
    )
