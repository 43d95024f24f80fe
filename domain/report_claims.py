"""The claims of a week, by id, and the tool results behind them, by type."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import ValidationError

from contracts.claims import Claim, Metric, claim_id
from contracts.report import MarketOutcome
from contracts.source_results import SourceResult
from contracts.tools import ToolStatus

Returned = TypeVar("Returned", bound=SourceResult)


def market_claims(outcome: MarketOutcome) -> dict[str, Claim]:
    """A market's claims by id, in the order delivered.

    Of two claims with one id the first is kept: the plan names the agents in the order in which
    their word is taken, and a contradiction between them stands in the conflicts.
    """
    claims: dict[str, Claim] = {}
    for result in outcome.results:
        for claim in result.claims:
            claims.setdefault(claim.claim_id, claim)
    return claims


def week_claims(outcomes: Iterable[MarketOutcome]) -> dict[str, Claim]:
    """All claims of a week by id; about a market, that market's own research is preferred."""
    of_markets = [(outcome.market, market_claims(outcome)) for outcome in outcomes]
    own = {
        key: claim
        for market, claims in of_markets
        for key, claim in claims.items()
        if claim.subject == market
    }
    others = {key: claim for _, claims in of_markets for key, claim in claims.items()}
    return others | own


def claim_of(claims: Mapping[str, Claim], subject: str, metric: Metric) -> Claim | None:
    """The claim on a metric of a subject, or None where nobody made one."""
    return claims.get(claim_id(subject, metric))


def returned_by(
    tool: str, model: type[Returned], outcomes: Iterable[MarketOutcome]
) -> Iterator[Returned]:
    """What a tool returned in a week, as its model.

    A server that is not the desk's own may use the same name for a tool of another shape; such
    results are passed over.
    """
    for outcome in outcomes:
        for result in outcome.evidence:
            if result.call.tool == tool and result.status is ToolStatus.OK:
                try:
                    yield model.model_validate(result.content)
                except ValidationError:
                    continue
