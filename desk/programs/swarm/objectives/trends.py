"""Forms on past prices: trend, momentum, range, and gains."""

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from desk.analytics.formulas import range_position
from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.programs.swarm.objectives.form import (
    A_QUARTER,
    A_YEAR,
    MARKET,
    TECHNICAL,
    Answered,
    Decide,
    Decided,
    MarketView,
    ObjectiveForm,
)

NEAR: Final = Decimal("0.1")
"""As a share of a range: a price is near an edge if it is closer than this. A convention."""

LITTLE: Final = Decimal("0.5")
"""As a share of a quarter's usual swing: a smaller move counts as none. A convention."""


def _trend(way: int) -> Decide:
    def decide(view: MarketView) -> Decided:
        found = view.values(Metric.LAST, Metric.SMA_50, Metric.SMA_200)
        if found is None:
            return view.missing("average of its prices")
        last, short, long = found
        sides = {(last > short) - (last < short), (last > long) - (last < long)}
        answered = (
            Answered.YES if sides == {way} else Answered.NO if way not in sides else Answered.OPEN
        )
        trend = f", and {_TRENDS[way]} takes both" if answered is Answered.OPEN else ""
        return Decided(answered, f"{_beside_averages(view, last, short, long)}{trend}")

    return decide


_TRENDS: Final = {1: "an uptrend", -1: "a downtrend"}


def _trend_told(view: MarketView) -> Decided:
    found = view.values(Metric.LAST, Metric.SMA_50, Metric.SMA_200)
    if found is None:
        return view.missing("average of its prices")
    last, short, long = found
    sides = {(last > short) - (last < short), (last > long) - (last < long)}
    trend = _TRENDS.get(sides.pop() if len(sides) == 1 else 0)
    said = f"{view.name} is in {trend or 'no trend by both of its averages'}"
    return Decided(Answered.TELLS, f"{said}: {_beside_averages(view, last, short, long)}")


def _beside_averages(view: MarketView, last: Decimal, short: Decimal, long: Decimal) -> str:
    first, second = (_side(last, each) for each in (short, long))
    at = f"{view.name} at {view.told(Metric.LAST)} is"
    of_short = f"its 50-day average of {view.told(Metric.SMA_50)}"
    of_long = f"its 200-day average of {view.told(Metric.SMA_200)}"
    if first == second:
        return f"{at} {first} {of_short} and {of_long}"
    return f"{at} {first} {of_short}, and {second} {of_long}"


def _side(last: Decimal, level: Decimal) -> str:
    return "above" if last > level else "below" if last < level else "on"


def _momentum(way: int) -> Decide:
    def decide(view: MarketView) -> Decided:
        histogram = view.value(Metric.MACD_HISTOGRAM)
        if histogram is None:
            return view.missing("MACD histogram")
        answered = Answered.YES if histogram * way > 0 else Answered.NO
        told = view.told(Metric.MACD_HISTOGRAM, "signed")
        return Decided(
            answered,
            f"the MACD histogram of {view.name} is {told} of the price, and momentum points the way"
            " of its sign",
        )

    return decide


def _gained(way: int) -> Decide:
    def decide(view: MarketView) -> Decided:
        found = view.values(Metric.QUARTER_MOVE, Metric.QUARTER_SWING)
        if found is None:
            return view.missing("move over the quarter")
        move, swing = found
        far = move * way >= LITTLE * swing
        return Decided(
            Answered.YES if far else Answered.NO,
            f"{view.name} has moved {view.told(Metric.QUARTER_MOVE, 'signed')} over"
            f" {view.past(A_QUARTER)}, for a usual swing of {view.told(Metric.QUARTER_SWING)}",
            _over_other_spans(view),
        )

    return decide


def _over_other_spans(view: MarketView) -> tuple[str, ...]:
    spans = ((Metric.MONTH_MOVE, "over the month"), (Metric.YEAR_MOVE, "over the year"))
    told = [f"{view.told(m, 'signed')} {over}" for m, over in spans if view.value(m) is not None]
    return (f"{view.name} has moved {' and '.join(told)}.",) if told else ()


def _sideways(view: MarketView) -> Decided:
    found = view.values(Metric.QUARTER_MOVE, Metric.QUARTER_SWING)
    if found is None:
        return view.missing("move over the quarter")
    move, swing = found
    size = abs(move)
    answered = (
        Answered.YES if size < LITTLE * swing else Answered.NO if size >= swing else Answered.OPEN
    )
    said = (
        f"{view.name} has moved {view.told(Metric.QUARTER_MOVE, 'signed')} over"
        f" {view.past(A_QUARTER)}, for a usual swing of {view.told(Metric.QUARTER_SWING)}"
    )
    bounds = view.values(Metric.PRIOR_LOW, Metric.PRIOR_HIGH)
    besides = (
        (
            f"Over that time {view.name} ranged from {view.told(Metric.PRIOR_LOW)} to"
            f" {view.told(Metric.PRIOR_HIGH)}.",
        )
        if bounds
        else ()
    )
    return Decided(answered, said, besides)


def _breakout(view: MarketView) -> Decided:
    found = view.values(Metric.LAST, Metric.PRIOR_LOW, Metric.PRIOR_HIGH)
    if found is None:
        return view.missing("range of the quarter before")
    last, low, high = found
    at, before = f"{view.name} at {view.told(Metric.LAST)}", view.before(A_QUARTER)
    if last > high:
        said = f"{at} is above the highest price of {before},"
        return Decided(Answered.YES, f"{said} {view.told(Metric.PRIOR_HIGH)}")
    if last < low:
        said = f"{at} is below the lowest price of {before},"
        return Decided(Answered.YES, f"{said} {view.told(Metric.PRIOR_LOW)}")
    return Decided(
        Answered.NO,
        f"{at} is within the range of {before}, {view.told(Metric.PRIOR_LOW)} to"
        f" {view.told(Metric.PRIOR_HIGH)}",
    )


def _near(way: int) -> Decide:
    def decide(view: MarketView) -> Decided:
        found = view.values(Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH)
        if found is None or found[1] >= found[2]:
            return view.missing(f"range of {view.past(A_YEAR)}")
        place = range_position(*found)
        near = place <= 100 * NEAR if way < 0 else place >= 100 * (1 - NEAR)
        low, high = view.told(Metric.YEAR_LOW), view.told(Metric.YEAR_HIGH)
        (end, price), (far, other) = (("highest", high), ("lowest", low))[::way]
        return Decided(
            Answered.YES if near else Answered.NO,
            f"{view.name} at {view.told(Metric.LAST)} is {'' if near else 'not '}near the {end}"
            f" price of {view.past(A_YEAR)}, {price}: near is the {end} tenth of the range, and the"
            f" {far} price was {other}",
        )

    return decide


def _both_ways(
    decide: Callable[[int], Decide],
    up: tuple[str, str, str],
    down: tuple[str, str, str],
    **fixed: object,
) -> tuple[ObjectiveForm, ObjectiveForm]:
    """Returns a form and its mirror: each by its name, its line and its question."""
    forms = (
        ObjectiveForm(
            name=name,
            line=line,
            question=question,
            decide=decide(way),
            mirror=other,
            **fixed,  # type: ignore[arg-type]
        )
        for way, (name, line, question), other in ((1, up, down[0]), (-1, down, up[0]))
    )
    first, second = forms
    return first, second


TRENDS: Final = (
    *_both_ways(
        _trend,
        (
            "uptrend",
            "uptrend: the price is above its 50-day and its 200-day average",
            "Is {} in an uptrend?",
        ),
        (
            "downtrend",
            "downtrend: the price is below its 50-day and its 200-day average",
            "Is {} in a downtrend?",
        ),
        decides=(Metric.LAST, Metric.SMA_50, Metric.SMA_200),
        agents=TECHNICAL,
    ),
    ObjectiveForm(
        name="trend",
        line="trend: on which side of its 50-day and its 200-day average the price is",
        question="Which way is {} trending?",
        decides=(Metric.LAST, Metric.SMA_50, Metric.SMA_200),
        decide=_trend_told,
        agents=TECHNICAL,
    ),
    *_both_ways(
        _momentum,
        (
            "momentum-up",
            "momentum: the MACD histogram (12, 26, 9) is above nothing",
            "Does the momentum of {} point up?",
        ),
        (
            "momentum-down",
            "momentum: the MACD histogram (12, 26, 9) is below nothing",
            "Does the momentum of {} point down?",
        ),
        decides=(Metric.MACD_HISTOGRAM,),
        agents=TECHNICAL,
    ),
    *_both_ways(
        _gained,
        (
            "gained",
            "gained: the quarter's move is up by half of its usual swing or more",
            "Has {} gained over {past}?",
        ),
        (
            "lost",
            "lost: the quarter's move is down by half of its usual swing or more",
            "Has {} lost over {past}?",
        ),
        looks_back=A_QUARTER,
        decides=(Metric.QUARTER_MOVE, Metric.QUARTER_SWING),
        agents=MARKET,
        asks=(Capability.STANDING,),
    ),
    ObjectiveForm(
        name="sideways",
        line="sideways: the quarter's move is less than half of its usual swing",
        question="Is {} moving sideways?",
        decides=(Metric.QUARTER_MOVE, Metric.QUARTER_SWING),
        decide=_sideways,
        looks_back=A_QUARTER,
        agents=MARKET,
        asks=(Capability.STANDING,),
    ),
    ObjectiveForm(
        name="breakout",
        line="breakout: the last price is outside of the range of the 63 before it",
        question="Has {} broken out of the range of {past}?",
        decides=(Metric.LAST, Metric.PRIOR_LOW, Metric.PRIOR_HIGH),
        decide=_breakout,
        looks_back=A_QUARTER,
        agents=MARKET,
        asks=(Capability.STANDING,),
    ),
    *_both_ways(
        _near,
        (
            "near-high",
            "near high: in the highest tenth of its range of twelve months",
            "Is {} near its high of {past}?",
        ),
        (
            "near-low",
            "near low: in the lowest tenth of its range of twelve months",
            "Is {} near its low of {past}?",
        ),
        looks_back=A_YEAR,
        decides=(Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH),
        agents=MARKET,
        asks=(Capability.STANDING,),
    ),
)
