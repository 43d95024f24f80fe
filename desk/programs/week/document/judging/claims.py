"""The claims of a week, by id, and the tool results behind them, by type."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import ValidationError

from desk.contracts.agents.tools import ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.week.report import ResearchReport
from desk.trust.contents import read_as

Returned = TypeVar("Returned", bound=SourceResult)


def week_claims(markets: Mapping[str, Mapping[str, Claim]]) -> dict[str, Claim]:
    """Returns all claims of a week by id, from those of each market.

    A claim about a market is taken from that market's own research if it has one; otherwise from
    the first market in the order given.
    """
    own = {
        name: claim
        for market, claims in markets.items()
        for name, claim in claims.items()
        if claim.subject == market
    }
    others: dict[str, Claim] = {}
    for claims in markets.values():
        for name, claim in claims.items():
            others.setdefault(name, claim)
    return others | own


def printed_claims(report: ResearchReport) -> dict[str, Claim]:
    """The claims that a report prints, by id."""
    of_markets = {
        section.market: {claim.claim_id: claim for claim in section.claims}
        for section in report.markets
    }
    return {**week_claims(of_markets), **{claim.claim_id: claim for claim in report.counts}}


def claim_of(claims: Mapping[str, Claim], subject: str, metric: Metric) -> Claim | None:
    """Returns the claim on a metric of a subject, or None."""
    return claims.get(claim_id(subject, metric))


def same_figure(one: Claim, other: Claim) -> bool:
    """Returns whether two claims state the same figure, on any evidence."""
    return (one.value, one.unit, one.as_of) == (other.value, other.unit, other.as_of)


def returned_by(
    tool: str, model: type[Returned], evidence: Iterable[ToolResult]
) -> Iterator[Returned]:
    """Yields the answers of a tool as models, in the order of the evidence.

    Another server may have a tool of the same name with another form of answer; its answers are
    omitted.
    """
    for result in evidence:
        if result.call.tool == tool and result.status is ToolStatus.OK:
            try:
                yield read_as(model, result.content)
            except ValidationError:
                continue
