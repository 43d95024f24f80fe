"""How many of a report's printed figures a source of another origin bears out, and which others
there are.

A printed figure is a claim of a market's section with its verdict; one that stands in several
sections counts in each. It has a second origin where its verdict is verified: a source of another
origin states it, or it is recomputed from figures that all are. A contested figure counts as one
without, although another origin stated something.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.week.report import MarketReport, ResearchReport


class SecondOrigins(NamedTuple):
    """The printed figures of a report by their verdicts."""

    verified: int
    single_source: int
    contested: int

    @property
    def figures(self) -> int:
        """All printed figures."""
        return self.verified + self.single_source + self.contested

    @property
    def share(self) -> float:
        """The share of those that have a second origin, 0 to 1; 0 where none is printed."""
        return self.verified / self.figures if self.figures else 0.0


class OneOrigin(NamedTuple):
    """The figures that have one origin for one reason: what they rest on, what kinds of figures
    they are, how many, and why."""

    rests_on: str
    metrics: tuple[str, ...]
    figures: int
    reason: str


def second_origins(report: ResearchReport) -> SecondOrigins:
    """How many printed figures of a report are verified, and how many are not."""
    statuses = [verdict.status for _, _, verdict in _printed(report)]
    return SecondOrigins(
        statuses.count(ClaimStatus.VERIFIED),
        statuses.count(ClaimStatus.SINGLE_SOURCE),
        statuses.count(ClaimStatus.CONTESTED),
    )


def of_one_origin(report: ResearchReport) -> tuple[OneOrigin, ...]:
    """The figures without a second origin by what they rest on, the most first.

    A figure that is computed from others rests on those of them that have no second origin.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for market, claim, verdict in _printed(report):
        if verdict.status is not ClaimStatus.VERIFIED:
            root = _root(claim, _by_name(market), {each.claim_id: each for each in market.claims})
            groups.setdefault((root.claim_id, root.words), []).append(claim.metric)
    found = (
        OneOrigin(name, tuple(dict.fromkeys(metrics)), len(metrics), words)
        for (name, words), metrics in groups.items()
    )
    return tuple(sorted(found, key=lambda group: (-group.figures, group.rests_on)))


def _printed(report: ResearchReport) -> Iterator[tuple[MarketReport, Claim, ClaimVerdict]]:
    for market in report.markets:
        verdicts = _by_name(market)
        for claim in market.claims:
            if claim.claim_id in verdicts:
                yield market, claim, verdicts[claim.claim_id]


def _by_name(market: MarketReport) -> Mapping[str, ClaimVerdict]:
    return {
        verdict.claim_id: verdict
        for verdict in market.verdicts
        if verdict.status is not ClaimStatus.REJECTED
    }


def _root(
    claim: Claim, verdicts: Mapping[str, ClaimVerdict], claims: Mapping[str, Claim]
) -> ClaimVerdict:
    """The verdict on the first input, however far back, that has no second origin itself."""
    for name in claim.inputs:
        verdict = verdicts.get(name)
        if verdict is not None and verdict.status is not ClaimStatus.VERIFIED and name in claims:
            return _root(claims[name], verdicts, claims)
    return verdicts[claim.claim_id]
