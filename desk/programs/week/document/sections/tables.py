"""The tables of movers and policy rates. Every figure in them is a claim's."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from desk.analytics.figures import print_full_day
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.source_results import DatePrecision, PolicyRate, PolicyRates
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.week.report import JOINED_BY, Mover, RateRow
from desk.programs.week.document.judging.claims import claim_of, returned_by

BASE: Final = "the base of the differentials"


def movers_of(claims: Mapping[str, Claim], config: RunConfig) -> tuple[Mover, ...]:
    """The pairs with a last fixing and a move, the most unusual move first.

    They are sorted by the size of the z-score, then by the size of the move. Pairs without a
    z-score come last.
    """
    pairs = (spec for spec in config.markets if spec.kind is MarketKind.PAIR)
    rows = [row for spec in pairs if (row := _mover(spec, claims)) is not None]
    return tuple(sorted(rows, key=_unusual_first))


def rate_rows_of(
    evidence: Iterable[ToolResult],
    claims: Mapping[str, Claim],
    config: RunConfig,
    reasons: Mapping[str, str],
    *,
    earlier: bool = False,
) -> tuple[RateRow, ...]:
    """The policy rates: the configured areas first, then those that pairs needed.

    `reasons` says why a market is missing; its row has no rate. `earlier` joins the notes of each
    row, as earlier versions did.
    """
    facts = policy_rate_facts(evidence)
    rows = (
        _rate_row(area, group, claims, facts.get(area), reasons.get(area))
        for area, group in _areas(claims, config).items()
    )
    told = (_as_base(row) if row.area == config.policy.base_area else row for row in rows)
    return tuple(_joined(row) if earlier else row for row in told)


def policy_rate_facts(evidence: Iterable[ToolResult]) -> dict[str, PolicyRate]:
    """Returns the central-bank source's entry for each area's rate; the first answer takes
    precedence."""
    facts: dict[str, PolicyRate] = {}
    for answer in returned_by("get_policy_rate", PolicyRates, evidence):
        for rate in answer.rates:
            facts.setdefault(rate.area, rate)
    return facts


def _mover(spec: MarketSpec, claims: Mapping[str, Claim]) -> Mover | None:
    last = claim_of(claims, spec.market, Metric.LAST)
    move = claim_of(claims, spec.market, Metric.MOVE)
    if last is None or move is None:
        return None

    def value(metric: Metric) -> Decimal | None:
        claim = claim_of(claims, spec.market, metric)
        return claim.value if claim else None

    return Mover(
        market=spec.market,
        group=spec.group,
        last=last.value,
        last_on=last.as_of,
        move=move.value,
        z_score=value(Metric.Z_SCORE),
        range_position=value(Metric.RANGE_POSITION),
        window_high=value(Metric.WINDOW_HIGH),
        window_low=value(Metric.WINDOW_LOW),
    )


def _unusual_first(row: Mover) -> tuple[bool, Decimal, Decimal]:
    z_score = Decimal(0) if row.z_score is None else row.z_score
    return row.z_score is None, -abs(z_score), -abs(row.move)


def _areas(claims: Mapping[str, Claim], config: RunConfig) -> dict[str, MarketGroup]:
    areas = {
        spec.market: spec.group for spec in config.markets if spec.kind is MarketKind.POLICY_RATE
    }
    for spec in config.markets:
        for area in spec.areas:
            if claim_of(claims, area, Metric.POLICY_RATE) is not None:
                home = area == config.policy.base_area
                areas.setdefault(area, MarketGroup.G10 if home else spec.group)
    return areas


def _rate_row(
    area: str,
    group: MarketGroup,
    claims: Mapping[str, Claim],
    fact: PolicyRate | None,
    reason: str | None,
) -> RateRow:
    rate = claim_of(claims, area, Metric.POLICY_RATE)
    differential = claim_of(claims, area, Metric.DIFFERENTIAL)
    return RateRow(
        area=area,
        bank=fact.bank if fact else area,
        group=group,
        rate=rate.value if rate else None,
        since=fact.since if fact and rate else None,
        since_precision=fact.since_precision if fact and rate else DatePrecision.DAY,
        differential=differential.value if differential else None,
        stale=fact.stale if fact else False,
        notes=tuple(_rate_notes(rate, fact, reason)),
    )


def _as_base(row: RateRow) -> RateRow:
    return row.model_copy(update={"notes": (BASE, *row.notes)})


def _joined(row: RateRow) -> RateRow:
    return row.model_copy(update={"note": JOINED_BY.join(row.notes) or None, "notes": ()})


def _rate_notes(rate: Claim | None, fact: PolicyRate | None, reason: str | None) -> Iterator[str]:
    if rate is None:
        yield reason or (fact.missing if fact else None) or "no rate was reported"
        return
    if fact and fact.low is not None and fact.low != fact.high:
        yield "midpoint of the target range"
    if fact and fact.stale and fact.covered_until:
        yield f"changes are known until {print_full_day(fact.covered_until)} only"
    elif fact and fact.stale:
        yield "later changes may not be known"
