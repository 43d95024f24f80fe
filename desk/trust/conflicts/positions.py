"""The positions in a conflict: the statement of each party, and its weight."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import Comparable, Incomparable, StatedFigure, normalise
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.results import (
    Bounds,
    ConflictKind,
    ConflictRecord,
    DecidedBy,
    Leaning,
    Position,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.trust.claims.publishers import own_publisher

SUFFIXES: Final = {
    Unit.LEVEL: "",
    Unit.PERCENT: " %",
    Unit.PERCENT_A_YEAR: " % a year",
    Unit.BASIS_POINTS: " bp",
    Unit.STANDARD_DEVIATIONS: " σ",
    Unit.DAYS: " days",
    Unit.WEEKS: " weeks",
    Unit.INDEX: " points",
    Unit.RATIO: " times",
    Unit.COUNT: " in number",
    Unit.CALENDAR_DAY: " as a day",
    Unit.NUMBER: " as stated",
}
"""The units of stated figures. All differ, because figures are parsed back by them."""

NO_SOURCE: Final = "no source"
MOST_OF_SOURCE: Final = 200
"""The maximum length of a position's source in characters."""
ABSTENTION: Final = "abstains"

TIERS: Final = tuple(SourceTier)
"""The source tiers, heaviest first."""

_SIDES: Final = frozenset({Leaning.UP, Leaning.DOWN})

FORECASTS: Final = frozenset({Metric.TARGET, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH})
"""The figures that no source publishes: the agent extrapolated them."""


class StatedClaim(NamedTuple):
    """A result and its claim in a conflict."""

    result: ResearchResult
    claim: Claim


def state(value: Decimal, unit: Unit) -> str:
    """Formats a figure as positions write it, without trailing zeros: `-25 bp`."""
    plain = Decimal(0) if value.is_zero() else value.normalize()
    return f"{plain:f}{SUFFIXES[unit]}"


def state_on(claim: Claim) -> str:
    """Formats a figure with its day, for positions that differ in the day."""
    return f"{state(claim.value, claim.unit)} on {claim.as_of.isoformat()}"


def read_stated(stated: str) -> tuple[Decimal, Unit]:
    """Parses the value and unit of a figure that `state` wrote.

    Raises:
        ValueError: it is not a figure.
    """
    number, _, _ = stated.partition(" ")
    suffix = stated.removeprefix(number)
    for unit, known in SUFFIXES.items():
        if suffix == known:
            try:
                return Decimal(number), unit
            except ArithmeticError as error:
                raise ValueError(f"{stated!r} is no figure") from error
    raise ValueError(f"{stated!r} is in no known unit")


def claim_position(
    stated_claim: StatedClaim, voting: VotingConfig, *, with_day: bool = False
) -> Position:
    """Returns the position of a claim. Its weight is its result's confidence times the weight of
    its weakest source. A forecast is its agent's own, derived, whatever figures it extrapolates."""
    claim = stated_claim.claim
    if claim.metric in FORECASTS:
        stated = state_on(claim) if with_day else state(claim.value, claim.unit)
        return _own_forecast(
            stated_claim.result, stated, claim, stated_claim.result.confidence, voting
        )
    source = weakest_source(stated_claim.result, claim.evidence)
    return Position(
        agent=stated_claim.result.agent,
        claim_id=claim.claim_id,
        stated=state_on(claim) if with_day else state(claim.value, claim.unit),
        source=_names(stated_claim.result, claim.evidence),
        server=server_of(source),
        origin=origin_of(source),
        tier=tier_of(source),
        confidence=stated_claim.result.confidence,
        weight=_weight(voting, stated_claim.result, source, stated_claim.result.confidence),
        publishes=is_publisher(origin_of(source), claim.claim_id, voting),
    )


def view_position(result: ResearchResult, view: View, voting: VotingConfig) -> Position:
    """Returns the position of a view, weighed by the weakest source of its claims. A neutral view
    of a direction abstains. A view that rests on a forecast alone has that forecast's weight."""
    known = {claim.claim_id: claim for claim in result.claims}
    claims = [known[name] for name in view.claims if name in known]
    if view.leaning in _SIDES and claims and all(c.metric in FORECASTS for c in claims):
        own = _own_forecast(result, view.leaning, claims[0], view.confidence, voting)
        return own.model_copy(update={"claim_id": None})
    evidence = [e for claim in claims for e in claim.evidence]
    source = weakest_source(result, evidence)
    silent = view.leaning is Leaning.ABSTAINS
    undecided = view.kind is ViewKind.DIRECTION and view.leaning is Leaning.NEUTRAL
    abstains = silent or undecided
    return Position(
        agent=result.agent,
        stated=ABSTENTION if silent else view.leaning,
        source=_names(result, evidence),
        server=server_of(source),
        origin=origin_of(source),
        tier=tier_of(source),
        confidence=view.confidence,
        weight=0.0 if abstains else _weight(voting, result, source, view.confidence),
        abstains=abstains,
    )


def _own_forecast(
    result: ResearchResult, stated: str, claim: Claim, confidence: float, voting: VotingConfig
) -> Position:
    """Returns the position of an agent's own forecast: without a publisher, in the lowest tier."""
    named = f"an extrapolation of its own from {_names(result, claim.evidence)}"
    return Position(
        agent=result.agent,
        claim_id=claim.claim_id,
        stated=stated,
        source=named[:MOST_OF_SOURCE],
        server=None,
        origin=None,
        tier=SourceTier.DERIVED,
        confidence=confidence,
        weight=_weight(voting, result, None, confidence),
    )


def weakest_source(result: ResearchResult, evidence: Iterable[str]) -> DataSource | None:
    """Returns the source with the lowest weight behind some evidence, or None if there is none."""
    named = set(evidence)
    used = [source for source in result.sources if source.evidence_id in named]
    return max(used, key=lambda source: TIERS.index(source.tier), default=None)


def origin_of(source: DataSource | None) -> str | None:
    """Returns the origin of a source: its first publisher, or the source itself if none is
    given."""
    return (source.origin or source.name) if source else None


def server_of(source: DataSource | None) -> str | None:
    """Returns the server that a source was read from."""
    return source.server if source else None


def is_publisher(origin: str | None, claim_id: str | None, voting: VotingConfig) -> bool:
    """Returns whether an origin is the claim's own publisher."""
    if origin is None or claim_id is None:
        return False
    return origin == own_publisher(*_about(claim_id), voting)


def agree(kind: ConflictKind, one: Position, other: Position, bounds: Bounds | None = None) -> bool:
    """Returns whether two positions are on the same side, given the `bounds` of the conflict."""
    if kind is ConflictKind.TIMING:
        return one.claim_id == other.claim_id
    if one.claim_id is None or other.claim_id is None:
        return one.stated == other.stated
    compared = compare_positions(one, other, bounds)
    return isinstance(compared, Comparable) and compared.agree


def dissent(conflict: ConflictRecord) -> tuple[Position, ...]:
    """Returns the positions on other sides than the chosen one. Abstentions are on no side. If
    nothing was chosen, there is no dissent."""
    holding = next((p for p in conflict.positions if p.stated == conflict.chosen), None)
    if holding is None or not conflict.resolved:
        return ()
    return tuple(
        position
        for position in conflict.positions
        if not position.abstains and not _is_with(holding, position, conflict)
    )


def _is_with(holding: Position, position: Position, conflict: ConflictRecord) -> bool:
    try:
        return agree(conflict.kind, holding, position, conflict.bounds)
    except ValueError:
        # A third-party document may state text that is not a figure.
        return position.stated == holding.stated


def compare_positions(
    one: Position, other: Position, bounds: Bounds | None = None
) -> Comparable | Incomparable:
    """Returns two stated figures in common terms.

    Raises:
        ValueError: a position has no claim or states no figure.
    """
    return normalise(_statement(one, bounds), _statement(other, bounds))


def _statement(position: Position, bounds: Bounds | None) -> StatedFigure:
    if position.claim_id is None:
        raise ValueError(f"{position.stated!r} rests on no claim")
    subject, metric = _about(position.claim_id)
    value, unit = read_stated(position.stated)
    stated = StatedFigure(subject, metric, value, unit, date.min, position.origin)
    return within(stated, bounds)


def within(stated: StatedFigure, bounds: Bounds | None) -> StatedFigure:
    """Returns a statement together with the ends of its band or target range."""
    return replace(stated, low=bounds.low, high=bounds.high) if bounds else stated


def _about(claim_id: str) -> tuple[str, Metric]:
    subject, _, rest = claim_id.partition(":")
    return subject, Metric(rest.partition("@")[0])


def _names(result: ResearchResult, evidence: Iterable[str]) -> str:
    names = {source.evidence_id: source.name for source in result.sources}
    listed = ", ".join(dict.fromkeys(names.get(each, each) for each in evidence))
    return listed[:MOST_OF_SOURCE] or NO_SOURCE


def tier_of(source: DataSource | None) -> SourceTier:
    """Returns the tier of a source, or the lowest tier if there is no source."""
    return source.tier if source else SourceTier.DERIVED


def _weight(
    voting: VotingConfig, result: ResearchResult, source: DataSource | None, confidence: float
) -> float:
    weight = voting.weight_of(result.agent, tier_of(source), server_of(source))
    return round(confidence * weight, 6)


def who_overruled_claim(
    conflicts: Iterable[ConflictRecord], agent: AgentId, claim: str
) -> str | None:
    """Returns the person who decided against an agent's claim, or None if no person did."""
    for conflict in conflicts:
        if conflict.decided_by is not DecidedBy.PERSON or conflict.chosen is None:
            continue
        for position in conflict.positions:
            own = (position.agent, position.claim_id) == (agent, claim) and not position.abstains
            if own and position.stated != conflict.chosen:
                return conflict.decided_by_whom or "a person"
    return None


def who_overruled(conflicts: Iterable[ConflictRecord], market: str, leaning: Leaning) -> str | None:
    """Returns the person who decided against the direction of a view on a market, or None if no
    person did."""
    for conflict in conflicts:
        about = (conflict.market, conflict.kind) == (market, ConflictKind.DIRECTION)
        other = conflict.chosen not in (None, leaning)
        if about and other and conflict.decided_by is DecidedBy.PERSON:
            return conflict.decided_by_whom or "a person"
    return None
