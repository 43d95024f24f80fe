"""Forms on what the price has done: its trend, its momentum, its range, and what it gained."""

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.programs.swarm.objectives.form import (
    A_QUARTER,
    MARKET,
    TECHNICAL,
    Answered,
    Decide,
    Decided,
    MarketView,
    ObjectiveForm,
)

LITTLE: Final = Decimal("0.5")
"""Of a quarter's usual swing: a smaller move is none to speak of. A convention."""


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
        return Decided(answered, _beside_averages(view, last, short, long))

    return decide


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


def _both_ways(
    decide: Callable[[int], Decide],
    up: tuple[str, str, str, tuple[str, ...]],
    down: tuple[str, str, str, tuple[str, ...]],
    **fixed: object,
) -> tuple[ObjectiveForm, ObjectiveForm]:
    """A form and its mirror: each by its name, its line, its question and its wordings."""
    forms = (
        ObjectiveForm(
            name=name,
            line=line,
            question=question,
            wordings=wordings,
            decide=decide(way),
            mirror=other,
            **fixed,  # type: ignore[arg-type]
        )
        for way, (name, line, question, wordings), other in ((1, up, down[0]), (-1, down, up[0]))
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
            (
                "is it in an uptrend",
                "is the trend up or bullish",
                "is it still trending higher, above its moving averages",
                "is the bull trend intact",
                "is the rally a real trend",
            ),
        ),
        (
            "downtrend",
            "downtrend: the price is below its 50-day and its 200-day average",
            "Is {} in a downtrend?",
            (
                "is it in a downtrend",
                "is the trend down or bearish",
                "is it still trending lower, below its moving averages",
                "is the bear trend intact",
                "is the decline a real trend",
            ),
        ),
        decides=(Metric.LAST, Metric.SMA_50, Metric.SMA_200),
        agents=TECHNICAL,
    ),
    *_both_ways(
        _momentum,
        (
            "momentum-up",
            "momentum: the MACD histogram (12, 26, 9) is above nothing",
            "Does the momentum of {} point up?",
            (
                "is momentum positive or building upwards",
                "is the MACD bullish",
                "is momentum picking up",
            ),
        ),
        (
            "momentum-down",
            "momentum: the MACD histogram (12, 26, 9) is below nothing",
            "Does the momentum of {} point down?",
            (
                "is momentum negative or fading",
                "is the MACD bearish",
                "is it losing steam",
                "is momentum rolling over",
            ),
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
            (
                "has it been strong lately",
                "has it risen, rallied or strengthened over the last months",
                "how strong has the currency been",
                "has it appreciated this quarter",
            ),
        ),
        (
            "lost",
            "lost: the quarter's move is down by half of its usual swing or more",
            "Has {} lost over {past}?",
            (
                "has it been weak lately",
                "has it fallen, sold off or weakened over the last months",
                "how weak has the currency been",
                "has it depreciated this quarter",
            ),
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
        wordings=(
            "is it stuck in a range or range-bound",
            "is it moving sideways or consolidating",
            "is it going nowhere",
        ),
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
        wordings=(
            "has it broken out",
            "is it breaking out of its range",
            "has it broken resistance or support",
            "is it at a new high or a new low",
            "has it cleared the top of its range",
        ),
        decides=(Metric.LAST, Metric.PRIOR_LOW, Metric.PRIOR_HIGH),
        decide=_breakout,
        looks_back=A_QUARTER,
        agents=MARKET,
        asks=(Capability.STANDING,),
    ),
)
