"""A week of a pair in words. Figures are references; no sentence holds a digit of its own, but
for names such as 52-week."""

from decimal import Decimal
from typing import Final

from desk.analytics.prices.impact import LARGE_MOVE, NEAR_THE_EDGE, NOTABLE_MOVE, distance_to_edge
from desk.analytics.prices.price_view import Break, PriceView, Side
from desk.analytics.prices.series import Fixing
from desk.analytics.tolerances import is_little_changed
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.markets import Band, MarketSpec

Values = dict[Metric, Decimal]
"""The printed values of a market's claims."""

LONG_STREAK: Final = 5
WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip

TOP: Final = Decimal(90)
BOTTOM: Final = Decimal(10)
"""Percent of the 52-week range."""


def describe(spec: MarketSpec, view: PriceView, values: Values) -> str:
    """The paragraph of a pair's event. Needs the move and the previous level among the values."""
    sentences = (
        _move_sentence(spec, values),
        _range_sentence(spec, view),
        _band_sentence(spec, spec.band, values) if spec.band else _score_sentence(spec, values),
        *(_break_sentence(spec, broken, view.last, values) for broken in view.breaks),
        _year_sentence(view, values),
        _streak_sentence(spec, values),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def verb(move: Decimal, z_score: Decimal | None, *, pegged: bool) -> str:
    """The verb for a move in percent: sharp from two standard deviations on."""
    if is_little_changed(move, pegged=pegged):
        return "was little changed"
    direction = "rose" if move > 0 else "fell"
    sharp = not pegged and z_score is not None and abs(z_score) >= LARGE_MOVE
    return f"{direction} sharply" if sharp else direction


def _reference(spec: MarketSpec, metric: Metric) -> str:
    return f"[[{claim_id(spec.market, metric)}]]"


def _move_sentence(spec: MarketSpec, values: Values) -> str:
    said = verb(values[Metric.MOVE], values.get(Metric.Z_SCORE), pegged=spec.band is not None)
    move, previous, last = (
        _reference(spec, metric) for metric in (Metric.MOVE, Metric.PREVIOUS, Metric.LAST)
    )
    return f"{spec.market} {said} over the week ({move}), from {previous} to {last}."


def _range_sentence(spec: MarketSpec, view: PriceView) -> str:
    if view.window_low.day == view.window_high.day:
        return ""
    low, high = _reference(spec, Metric.WINDOW_LOW), _reference(spec, Metric.WINDOW_HIGH)
    return (
        f"Its fixings ranged from {low} on {_weekday(view.window_low)}"
        f" to {high} on {_weekday(view.window_high)}."
    )


def _score_sentence(spec: MarketSpec, values: Values) -> str:
    score = values.get(Metric.Z_SCORE)
    if score is None:
        return ""
    reference = _reference(spec, Metric.Z_SCORE)
    if abs(score) >= LARGE_MOVE:
        return f"Against the 52 weeks before it is an exceptional move ({reference})."
    if abs(score) >= NOTABLE_MOVE:
        return f"Against the 52 weeks before it is a larger move than usual ({reference})."
    return f"Against the 52 weeks before it is an ordinary move ({reference})."


def _band_sentence(spec: MarketSpec, band: Band, values: Values) -> str:
    position = values[Metric.BAND_POSITION]
    distance = distance_to_edge(position)
    reference = _reference(spec, Metric.BAND_POSITION)
    upper = position > 100 - position
    level = _reference(spec, Metric.BAND_HIGH if upper else Metric.BAND_LOW)
    edge = f"{'upper' if upper else 'lower'} edge, {level},"
    if distance < 0:
        return f"It is beyond the {edge} of the band kept by {band.authority} ({reference})."
    if distance <= NEAR_THE_EDGE:
        return f"It is close to the {edge} of the band kept by {band.authority} ({reference})."
    return f"It is well within the band kept by {band.authority}, {reference} of the way up."


def _break_sentence(spec: MarketSpec, broken: Break, last: Fixing, values: Values) -> str:
    high, day = broken.side is Side.HIGH, _weekday(broken.fixing)
    since = Metric.HIGHEST_SINCE if high else Metric.LOWEST_SINCE
    if broken.fixing == last and since in values:
        return f"{day}'s fixing was the {_reference(spec, since)}."
    superlative, months = "highest" if high else "lowest", _months(broken.months)
    return f"{day}'s fixing was the {superlative} in more than {months}."


def _year_sentence(view: PriceView, values: Values) -> str:
    position = values.get(Metric.RANGE_POSITION)
    if position is None or any(broken.months >= 12 for broken in view.breaks):
        return ""
    if position >= TOP:
        return "It is near the top of its 52-week range."
    return "It is near the bottom of its 52-week range." if position <= BOTTOM else ""


def _streak_sentence(spec: MarketSpec, values: Values) -> str:
    length = values[Metric.STREAK]
    if abs(length) < LONG_STREAK:
        return ""
    direction = "risen" if length > 0 else "fallen"
    return f"It has {direction} for {_reference(spec, Metric.STREAK)} in a row."


def _weekday(fixing: Fixing) -> str:
    return WEEKDAYS[fixing.day.weekday()]


def _months(months: int) -> str:
    return {1: "a month", 3: "three months", 12: "twelve months"}[months]
