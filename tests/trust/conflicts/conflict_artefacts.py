"""One quantity in two forms: nobody is wrong, or only about the form."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from desk.analytics.comparison.normalise import StatedFigure
from desk.contracts.agents.tools import SourceTier
from desk.contracts.findings.claims import Metric, Unit
from tests.trust.conflicts.conflict_cases import (
    BIS,
    CLOSE,
    SCALED,
    SURE,
    Case,
    Expected,
    Voice,
    all_decisions,
    both_right,
    claim_on,
    decisions,
    levels,
    month_ends,
    of_decision,
    of_level,
    of_rate,
    turned,
    two,
)

ARTEFACT = Expected.ARTEFACT
NEW_YORK = Voice("new york", 0.9, SourceTier.AUTHORITATIVE, "Federal Reserve Board")


def units() -> Iterator[Case]:
    """Basis points beside percent, both said."""
    for number, level in enumerate(levels()):
        percent = of_level(level, level.move, metric=Metric.MOVE)
        points = {"value": level.move.scaleb(2), "unit": Unit.BASIS_POINTS}
        yield both_right(two("unit", ARTEFACT, percent, percent.model_copy(update=points), number))
    for number, decided in enumerate(decisions()):
        points_stated = of_decision(decided, decided.change)
        percent = of_decision(decided, decided.change.scaleb(-2), Unit.PERCENT)
        yield both_right(two("unit", ARTEFACT, points_stated, percent, number))


def scales() -> Iterator[Case]:
    """A quote for 100 or 1000 units, a fraction for a percentage, percent called basis points."""
    for number, level in enumerate(level for level in levels() if level.pair in SCALED):
        many = of_level(level, level.value.scaleb(-SCALED[level.pair]))
        yield two("scale", ARTEFACT, of_level(level, level.value), many, number)
    for number, decided in enumerate(d for d in decisions() if d.rate):
        fraction = of_rate(decided, decided.rate.scaleb(-2))
        yield two("scale", ARTEFACT, of_rate(decided, decided.rate), fraction, number)
        percent = of_decision(decided, decided.change.scaleb(-2))
        yield two("scale", ARTEFACT, of_decision(decided, decided.change), percent, number)


def directions() -> Iterator[Case]:
    """The reversed pair, under its own name and under the pair's."""
    for number, level in enumerate(levels()):
        claim = of_level(level, level.value)
        reverse = Decimal(f"{1 / level.value:.6g}")
        base, _, quote = level.pair.partition("/")
        named = {"subject": f"{quote}/{base}", "claim_id": f"{quote}/{base}:last", "value": reverse}
        said = claim.model_copy(update=named)
        yield both_right(two("direction, said", ARTEFACT, claim, said, number))
        unsaid = claim.model_copy(update={"value": reverse})
        yield two("direction, not said", ARTEFACT, claim, unsaid, number)


def digits() -> Iterator[Case]:
    """One fixing to fewer digits, also by a second reader of the same source."""
    for number, level in enumerate(levels()):
        rounded = of_level(level, Decimal(f"{level.value:.4g}"))
        reader = replace(CLOSE, origin=SURE.origin, tier=SURE.tier)
        claim = of_level(level, level.value)
        if rounded.value != level.value:
            yield both_right(two("rounding", ARTEFACT, claim, rounded, number, reader))


def hours() -> Iterator[Case]:
    """The same day fixed at another hour: a quarter of the way to the next day's fixing."""
    for number, level in enumerate(levels()):
        later = level.value + (level.after - level.value) / 4
        noon = of_level(level, later.quantize(level.value))
        if noon.value != level.value:
            claim = of_level(level, level.value)
            yield both_right(two("fixing hour", ARTEFACT, claim, noon, number, NEW_YORK))


def terms() -> Iterator[Case]:
    """Bounds beside midpoints, two rates of one bank, and a rate stated as of an earlier day."""
    ranges = [decided for decided in all_decisions() if decided.area == "US" and decided.high]
    for number, decided in enumerate(ranges[-18:]):
        midpoint = _rate(decided.area, decided.rate, decided.day, decided.instrument)
        midpoint = replace(midpoint, low=decided.low, high=decided.high)
        upper = _rate(decided.area, decided.high or decided.rate, decided.day, "upper bound")
        yield _of_two(number, "target range", midpoint, replace(upper, origin="source A"))
    refinancing = {day: rate for area, day, rate in month_ends() if area == "XM"}
    deposit = [d for d in all_decisions() if d.area == "XM" and d.day.isoformat() < "2024-09"]
    for number, decided in enumerate(deposit[-18:]):
        end = min(day for day in refinancing if day >= decided.day)
        here = _rate("XM", decided.rate, end, "deposit facility rate")
        there = _rate("XM", refinancing[end], end, "main refinancing rate")
        if here.value != there.value:
            yield _of_two(number, "instrument", here, replace(there, origin=BIS))
    standing = {area: (day, rate) for area, day, rate in month_ends()}
    for number, decided in enumerate(d for d in decisions() if d.area in standing):
        day, rate = standing[decided.area]
        if decided.day < day and decided.rate == rate:
            now = _rate(decided.area, decided.rate, day + timedelta(days=20), None)
            now = replace(now, since=decided.day)
            before = replace(_rate(decided.area, rate, day, None), origin=BIS)
            yield _of_two(number, "as-of day", now, before)


def _rate(area: str, value: Decimal, day: date, instrument: str | None) -> StatedFigure:
    unit, bank = Unit.PERCENT_A_YEAR, f"the bank of {area}"
    return StatedFigure(area, Metric.POLICY_RATE, value, unit, day, bank, instrument)


def _of_two(number: int, group: str, one: StatedFigure, other: StatedFigure) -> Case:
    results = tuple(
        turned(voice, number + place).result(
            claim_on(said.subject, said.metric, said.value, said.unit, one.day)
        )
        for place, (voice, said) in enumerate(((SURE, one), (CLOSE, other)))
    )
    return both_right(Case(group, ARTEFACT, results, frozenset(), (one, other)))
