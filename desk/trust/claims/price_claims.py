"""The figures of a pair as claims. The same history always gives the same claims."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from desk.analytics.comparison import is_little_changed
from desk.analytics.figures import as_number, level_step
from desk.analytics.formulas import band_position, percent_change, range_position
from desk.analytics.prices.price_view import PriceView, months_before
from desk.analytics.prices.series import Fixing
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id, span_id
from desk.contracts.markets import Band, MarketSpec

PERCENT_STEP: Final = Decimal("0.01")
POSITION_STEP: Final = Decimal("0.1")
SCORE_STEP: Final = Decimal("0.1")
SHARE_STEP: Final = Decimal(1)


def price_claims(view: PriceView, spec: MarketSpec, evidence: str) -> tuple[Claim, ...]:
    """Returns every figure that the view allows, in the order of the report.

    Levels are first rounded to the market's digits. Changes and positions are computed from the
    rounded levels, so that a reader can recompute them from what is printed. A pegged pair has a
    band position and no z-score.
    """
    levels = _level_claims(view, spec, evidence)
    by_metric = {claim.metric: claim for claim in levels}
    derived = (
        _move(by_metric),
        _range_position(by_metric),
        _band_position(by_metric[Metric.LAST], spec.band),
        _z_score(view, spec, evidence),
        _streak(view, spec, evidence),
        _since(view, spec, evidence, Metric.HIGHEST_SINCE, view.higher_before),
        _since(view, spec, evidence, Metric.LOWEST_SINCE, view.lower_before),
        _largest_day(view, spec, evidence, by_metric),
        *_edges(by_metric[Metric.LAST], spec.band),
        *(() if view.is_week else _distances(by_metric)),
        *(() if view.is_week else _extreme_days(view, spec, evidence)),
    )
    return levels + tuple(claim for claim in derived if claim)


def position_in_band(value: Decimal, band: Band) -> Decimal:
    """Returns the position of a level in its band, in percent of the width, as printed."""
    return band_position(value, band.low, band.high).quantize(POSITION_STEP)


def _level_claims(view: PriceView, spec: MarketSpec, evidence: str) -> tuple[Claim, ...]:
    step = level_step(view.last.value, spec.digits)
    levels: tuple[tuple[Metric, Fixing | None, str | None], ...] = (
        (Metric.LAST, view.last, None),
        (Metric.PREVIOUS, view.previous, None),
        (Metric.WINDOW_HIGH, view.window_high, "highest"),
        (Metric.WINDOW_LOW, view.window_low, "lowest"),
        (Metric.YEAR_HIGH, view.year_high, "highest"),
        (Metric.YEAR_LOW, view.year_low, "lowest"),
    )
    return tuple(
        level_claim(spec, metric, fixing.value.quantize(step), fixing.day, evidence, formula)
        for metric, fixing, formula in levels
        if fixing
    )


def level_claim(
    spec: MarketSpec, metric: Metric, level: Decimal, day: date, evidence: str, formula: str | None
) -> Claim:
    """Returns the claim for a level of a series on a day, as printed."""
    return Claim(
        claim_id=claim_id(spec.market, metric),
        subject=spec.market,
        metric=metric,
        value=level,
        unit=Unit.LEVEL,
        as_of=day,
        evidence=(evidence,),
        formula=formula,
    )


def _move(levels: dict[Metric, Claim]) -> Claim | None:
    last, previous = levels[Metric.LAST], levels.get(Metric.PREVIOUS)
    if previous is None:
        return None
    change = percent_change(previous.value, last.value).quantize(PERCENT_STEP)
    return _derived(last, Metric.MOVE, change, "percent_change", (previous, last))


def _distances(levels: dict[Metric, Claim]) -> Iterator[Claim]:
    """Yields the distances of the last level from the ends of the window's range. None for a week,
    for which the report prints only the range."""
    last = levels[Metric.LAST]
    if levels[Metric.WINDOW_HIGH].value == levels[Metric.WINDOW_LOW].value:
        return
    ends = ((Metric.FROM_HIGH, Metric.WINDOW_HIGH), (Metric.FROM_LOW, Metric.WINDOW_LOW))
    for metric, of in ends:
        end = levels[of]
        away = percent_change(end.value, last.value).quantize(PERCENT_STEP)
        yield _derived(last, metric, away, "percent_change", (end, last))


def _extreme_days(view: PriceView, spec: MarketSpec, evidence: str) -> Iterator[Claim]:
    """Yields the moves of the days that rose and fell most, and the fixings before and after each.
    None for a week, as for the distances."""
    for before, after in view.extreme_days:
        yield from step_claims(before, after, spec, evidence)


def step_claims(
    before: Fixing, after: Fixing, spec: MarketSpec, evidence: str
) -> tuple[Claim, ...]:
    """Returns the printed levels of two days, and the move between them."""
    step = level_step(after.value, spec.digits)
    ends = ((Metric.SPAN_START, before), (Metric.SPAN_END, after))
    start, end = (
        level_claim(
            spec, metric, fixing.value.quantize(step), fixing.day, evidence, None
        ).model_copy(update={"claim_id": span_id(spec.market, metric, before.day, after.day)})
        for metric, fixing in ends
    )
    return start, end, span_move(start, end)


def span_move(start: Claim, end: Claim) -> Claim:
    """Returns the move between the printed levels of two days, computed as every move."""
    return Claim(
        claim_id=span_id(end.subject, Metric.SPAN_MOVE, start.as_of, end.as_of),
        subject=end.subject,
        metric=Metric.SPAN_MOVE,
        value=percent_change(start.value, end.value).quantize(PERCENT_STEP),
        unit=Unit.PERCENT,
        as_of=end.as_of,
        evidence=end.evidence,
        formula=percent_change.__name__,
        inputs=(start.claim_id, end.claim_id),
    )


def _range_position(levels: dict[Metric, Claim]) -> Claim | None:
    last, low, high = (levels.get(m) for m in (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH))
    if last is None or low is None or high is None or low.value == high.value:
        return None
    position = range_position(last.value, low.value, high.value).quantize(POSITION_STEP)
    return _derived(last, Metric.RANGE_POSITION, position, "range_position", (last, low, high))


def _band_position(last: Claim, band: Band | None) -> Claim | None:
    if band is None:
        return None
    position = position_in_band(last.value, band)
    return _derived(last, Metric.BAND_POSITION, position, "band_position", (last,))


def _derived(
    last: Claim, metric: Metric, value: Decimal, formula: str, inputs: tuple[Claim, ...]
) -> Claim:
    return Claim(
        claim_id=claim_id(last.subject, metric),
        subject=last.subject,
        metric=metric,
        value=value,
        unit=Unit.PERCENT,
        as_of=last.as_of,
        evidence=last.evidence,
        formula=formula,
        inputs=tuple(claim.claim_id for claim in inputs),
    )


def _z_score(view: PriceView, spec: MarketSpec, evidence: str) -> Claim | None:
    if view.z_score is None or spec.band:
        return None
    return Claim(
        claim_id=claim_id(spec.market, Metric.Z_SCORE),
        subject=spec.market,
        metric=Metric.Z_SCORE,
        value=Decimal(view.z_score).quantize(SCORE_STEP),
        unit=Unit.STANDARD_DEVIATIONS,
        as_of=view.last.day,
        evidence=(evidence,),
        formula="z_score",
    )


def _streak(view: PriceView, spec: MarketSpec, evidence: str) -> Claim:
    return Claim(
        claim_id=claim_id(spec.market, Metric.STREAK),
        subject=spec.market,
        metric=Metric.STREAK,
        value=Decimal(view.streak),
        unit=Unit.DAYS,
        as_of=view.last.day,
        evidence=(evidence,),
        formula="streak",
    )


def _since(
    view: PriceView, spec: MarketSpec, evidence: str, metric: Metric, before: Fixing | None
) -> Claim | None:
    """Returns the day of the newest earlier fixing that is as high or as low as the last. None if
    it is less than a month ago, or not in the history; then the position in the year's range says
    more."""
    if before is None or before.day > months_before(view.last.day, 1):
        return None
    return Claim(
        claim_id=claim_id(spec.market, metric),
        subject=spec.market,
        metric=metric,
        value=as_number(before.day),
        unit=Unit.CALENDAR_DAY,
        as_of=view.last.day,
        evidence=(evidence,),
        formula=metric.value,
    )


def _largest_day(
    view: PriceView, spec: MarketSpec, evidence: str, levels: dict[Metric, Claim]
) -> Claim | None:
    """Returns the largest day's share of the move. None if the pair was little changed, or if one
    day moved more than the whole window, which makes a share meaningless."""
    move = _move(levels)
    if move is None or view.largest_step is None:
        return None
    if is_little_changed(move.value, pegged=spec.band is not None):
        return None
    fixing, share = view.largest_step
    if share > 1:
        return None
    return Claim(
        claim_id=claim_id(spec.market, Metric.LARGEST_DAY),
        subject=spec.market,
        metric=Metric.LARGEST_DAY,
        value=(share * 100).quantize(SHARE_STEP),
        unit=Unit.PERCENT,
        as_of=fixing.day,
        evidence=(evidence,),
        formula="largest_day",
    )


def _edges(last: Claim, band: Band | None) -> tuple[Claim, ...]:
    """Returns the edges of a band as configured, dated on the day of the last level."""
    if band is None:
        return ()
    edges = ((Metric.BAND_LOW, band.low), (Metric.BAND_HIGH, band.high))
    return tuple(
        Claim(
            claim_id=claim_id(last.subject, metric),
            subject=last.subject,
            metric=metric,
            value=edge,
            unit=Unit.LEVEL,
            as_of=last.as_of,
            evidence=last.evidence,
            formula="band_edge",
        )
        for metric, edge in edges
    )
