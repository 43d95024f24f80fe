"""Government bond yields in a window, as claims."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from desk.analytics.formulas import basis_point_difference
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.source_results import Yields, YieldSeries
from desk.contracts.markets import MarketKind, MarketSpec

LEVELS: Final = {2: Metric.YIELD_2Y, 10: Metric.YIELD_10Y}
"""The metric of the yield of each maturity in years."""

LONGEST_BREAK: Final = timedelta(days=14)
"""A yield older than this is neither printed nor used to measure a change."""

_HUNDREDTH: Final = Decimal("0.01")
_TENTH: Final = Decimal("0.1")


def area_claims(
    answer: Yields, first_day: date, last_day: date, evidence: str
) -> tuple[Claim, ...]:
    """Returns the last yields of each area in an answer, and the move of the two-year yield in the
    window, in basis points."""
    return tuple(_of_areas(answer, first_day, last_day, evidence))


def pair_claims(
    answer: Yields, spec: MarketSpec, first_day: date, last_day: date, evidence: str
) -> tuple[Claim, ...]:
    """Returns the two-year yield of a pair's first area minus that of the second, in basis points,
    on the last day with both, and its move in the window."""
    if spec.kind is not MarketKind.PAIR or len(spec.areas) != 2:
        return ()
    one, other = (_values(answer, area, 2) for area in spec.areas)
    apart = {d: basis_point_difference(one[d], other[d]) for d in one if d in other}
    last, before = _ends(apart, first_day, last_day)
    if last is None:
        return ()
    day, value = last
    claims = [_claim(spec.market, Metric.YIELD_DIFFERENTIAL, value, day, evidence)]
    if before is not None:
        metric = Metric.YIELD_DIFFERENTIAL_CHANGE
        claims.append(_claim(spec.market, metric, value - before, day, evidence))
    return tuple(claims)


def _of_areas(answer: Yields, first_day: date, last_day: date, evidence: str) -> Iterator[Claim]:
    for series in _first_of_each(answer):
        values = dict(zip(series.days, series.values, strict=False))
        last, before = _ends(values, first_day, last_day)
        if last is None or series.years not in LEVELS:
            continue
        day, value = last
        yield _claim(series.area, LEVELS[series.years], value, day, evidence)
        if series.years == 2 and before is not None:
            change = basis_point_difference(value, before)
            yield _claim(series.area, Metric.YIELD_2Y_CHANGE, change, day, evidence)


def _first_of_each(answer: Yields) -> Iterable[YieldSeries]:
    """Returns the first series of each area and maturity. Later ones are of other publishers."""
    found: dict[tuple[str, int], YieldSeries] = {}
    for series in answer.yields:
        found.setdefault((series.area, series.years), series)
    return found.values()


def _values(answer: Yields, area: str, years: int) -> dict[date, Decimal]:
    return {
        day: value
        for series in _first_of_each(answer)
        if (series.area, series.years) == (area, years)
        for day, value in zip(series.days, series.values, strict=False)
    }


def _ends(
    values: dict[date, Decimal], first_day: date, last_day: date
) -> tuple[tuple[date, Decimal] | None, Decimal | None]:
    """Returns the last value with its day, and the last value from before the window, if the last
    one is in the window."""
    days = sorted(day for day in values if last_day - LONGEST_BREAK <= day <= last_day)
    if not days:
        return None, None
    last = days[-1]
    earlier = [day for day in values if first_day - LONGEST_BREAK <= day < first_day]
    before = values[max(earlier)] if earlier and last >= first_day else None
    return (last, values[last]), before


def _claim(subject: str, metric: Metric, value: Decimal, day: date, evidence: str) -> Claim:
    is_level = metric in LEVELS.values()
    return Claim(
        claim_id=claim_id(subject, metric),
        subject=subject,
        metric=metric,
        value=value.quantize(_HUNDREDTH if is_level else _TENTH),
        unit=Unit.PERCENT_A_YEAR if is_level else Unit.BASIS_POINTS,
        as_of=day,
        evidence=(evidence,),
        formula=None if is_level else metric.value,
    )
