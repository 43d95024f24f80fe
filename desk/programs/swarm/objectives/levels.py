"""Forms that compare one figure with one threshold: stretched, cheap, volatile, unusual, in
season."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.programs.swarm.objectives.form import (
    A_YEAR,
    MARKET,
    PATTERN,
    TECHNICAL,
    TEN_YEARS,
    Answered,
    Decided,
    LookBack,
    MarketView,
    ObjectiveForm,
)

Reaches = Callable[[Decimal, Decimal], bool]


@dataclass(frozen=True, slots=True)
class MarkedLevel:
    """Yes if a figure reaches its threshold, otherwise no.

    `what` names the figure if it is missing; `sentence` has `{name}`, `{figure}` and `{mark}`,
    and `{past}` for how far was looked back.
    """

    figure: Metric
    mark: Metric
    what: str
    sentence: str
    reaches: Reaches
    besides: Callable[[MarketView], tuple[str, ...]] = lambda view: ()
    looks_back: LookBack = TEN_YEARS

    def __call__(self, view: MarketView) -> Decided:
        found = view.values(self.figure, self.mark)
        if found is None:
            return view.missing(self.what)
        said = self.sentence.format(
            name=view.name,
            figure=view.told(self.figure),
            mark=view.told(self.mark),
            past=view.past(self.looks_back),
        )
        answered = Answered.YES if self.reaches(*found) else Answered.NO
        return Decided(answered, said, self.besides(view))


def _above(value: Decimal, mark: Decimal) -> bool:
    return value >= mark


def _below(value: Decimal, mark: Decimal) -> bool:
    return value <= mark


def _far(value: Decimal, mark: Decimal) -> bool:
    return abs(value) >= mark


def _place_in_bands(view: MarketView) -> tuple[str, ...]:
    if view.value(Metric.BOLLINGER_POSITION) is None:
        return ()
    place = view.told(Metric.BOLLINGER_POSITION)
    return (f"Within its Bollinger bands {view.name} stands at {place} of their width.",)


def _range_of_the_year(view: MarketView) -> tuple[str, ...]:
    found = view.values(Metric.LAST, Metric.YEAR_HIGH)
    if found is None or view.over is not None:
        return ()
    last, high = view.told(Metric.LAST), view.told(Metric.YEAR_HIGH)
    return (f"{view.name} stands at {last}, and its highest price of twelve months was {high}.",)


_STANDING: Final = (Capability.STANDING,)
_STRENGTH: Final = "relative strength index"

LEVELS: Final = (
    ObjectiveForm(
        name="overbought",
        line="overbought: the 14-day RSI is 70 or more (Wilder, 1978)",
        question="Is {} overbought?",
        decides=(Metric.RSI, Metric.RSI_OVERBOUGHT),
        decide=MarkedLevel(
            Metric.RSI,
            Metric.RSI_OVERBOUGHT,
            _STRENGTH,
            "the 14-day RSI of {name} is {figure}, and overbought begins at {mark}",
            _above,
            _place_in_bands,
        ),
        agents=TECHNICAL,
        mirror="oversold",
    ),
    ObjectiveForm(
        name="oversold",
        line="oversold: the 14-day RSI is 30 or less (Wilder, 1978)",
        question="Is {} oversold?",
        decides=(Metric.RSI, Metric.RSI_OVERSOLD),
        decide=MarkedLevel(
            Metric.RSI,
            Metric.RSI_OVERSOLD,
            _STRENGTH,
            "the 14-day RSI of {name} is {figure}, and oversold begins at {mark}",
            _below,
            _place_in_bands,
        ),
        agents=TECHNICAL,
        mirror="overbought",
    ),
    ObjectiveForm(
        name="dear",
        line="dear by its own past: above the prices of four fifths of ten years' days",
        question="Is {} dear by its own past of {span}?",
        decides=(Metric.PAST_RANK, Metric.DEAR_FROM),
        decide=MarkedLevel(
            Metric.PAST_RANK,
            Metric.DEAR_FROM,
            "place in its own past",
            "{name} was cheaper than now on {figure} of the days of {past}; {mark} or more is dear",
            _above,
        ),
        looks_back=TEN_YEARS,
        agents=MARKET,
        asks=_STANDING,
        mirror="cheap",
    ),
    ObjectiveForm(
        name="cheap",
        line="cheap by its own past: above the prices of at most a fifth of ten years' days",
        question="Is {} cheap by its own past of {span}?",
        decides=(Metric.PAST_RANK, Metric.CHEAP_TO),
        decide=MarkedLevel(
            Metric.PAST_RANK,
            Metric.CHEAP_TO,
            "place in its own past",
            "{name} was cheaper than now on {figure} of the days of {past}; {mark} or"
            " less is cheap",
            _below,
        ),
        looks_back=TEN_YEARS,
        agents=MARKET,
        asks=_STANDING,
        mirror="dear",
    ),
    ObjectiveForm(
        name="volatile",
        line="volatile: a quarter's volatility above that of four fifths of ten years' days",
        question="Is the volatility of {} high?",
        decides=(Metric.VOLATILITY_RANK, Metric.VOLATILE_FROM, Metric.VOLATILITY),
        decide=MarkedLevel(
            Metric.VOLATILITY_RANK,
            Metric.VOLATILE_FROM,
            "place of its volatility in the past",
            "the volatility of {name} is higher than on {figure} of the days of {past},"
            " and high begins at {mark}",
            _above,
            lambda view: (f"{view.name} swings by {view.told(Metric.VOLATILITY)} a year.",),
        ),
        looks_back=TEN_YEARS,
        agents=MARKET,
        asks=_STANDING,
        contrary="calm",
    ),
    ObjectiveForm(
        name="calm",
        line="calm: a quarter's volatility above that of at most a fifth of ten years' days",
        question="Is the volatility of {} low?",
        decides=(Metric.VOLATILITY_RANK, Metric.CALM_TO, Metric.VOLATILITY),
        decide=MarkedLevel(
            Metric.VOLATILITY_RANK,
            Metric.CALM_TO,
            "place of its volatility in the past",
            "the volatility of {name} is higher than on {figure} of the days of {past},"
            " and low ends at {mark}",
            _below,
            lambda view: (f"{view.name} swings by {view.told(Metric.VOLATILITY)} a year.",),
        ),
        looks_back=TEN_YEARS,
        agents=MARKET,
        asks=_STANDING,
        contrary="volatile",
    ),
    ObjectiveForm(
        name="drawdown",
        line="drawdown: ten percent or more below the highest price of twelve months",
        question="Is {} in a correction from the high of {past}?",
        decides=(Metric.DRAWDOWN, Metric.CORRECTION_FROM),
        decide=MarkedLevel(
            Metric.DRAWDOWN,
            Metric.CORRECTION_FROM,
            "distance from the high of its year",
            "{name} stands {figure} from the highest price of {past}, and a correction begins at"
            " {mark}",
            _below,
            _range_of_the_year,
            A_YEAR,
        ),
        looks_back=A_YEAR,
        agents=MARKET,
        asks=_STANDING,
    ),
    ObjectiveForm(
        name="unusual-move",
        line="unusual move: the last week is three robust deviations or more from the usual",
        question="Was the last week's move of {} out of the ordinary?",
        decides=(Metric.ANOMALY_SCORE, Metric.UNUSUAL_FROM),
        decide=MarkedLevel(
            Metric.ANOMALY_SCORE,
            Metric.UNUSUAL_FROM,
            "usual week",
            "the last week's move of {name} was {figure} from the usual, and out of the ordinary"
            " begins at {mark} either way",
            _far,
        ),
        agents=PATTERN,
    ),
    ObjectiveForm(
        name="seasonal",
        line="seasonal: the coming month differs from others, with a p value of 0.05 or less",
        question="Is there a season in the coming month of {}?",
        decides=(Metric.SEASONAL_P_VALUE, Metric.CHANCE_TO, Metric.SEASONAL_MOVE),
        decide=MarkedLevel(
            Metric.SEASONAL_P_VALUE,
            Metric.CHANCE_TO,
            "test of its seasons",
            "the p value of the coming month of {name} against its other months is {figure}, and a"
            " season is told from chance up to {mark}",
            _below,
            lambda view: (
                f"On average {view.name} moved {view.told(Metric.SEASONAL_MOVE)} in that month.",
            ),
        ),
        agents=PATTERN,
    ),
)
"""The forms that answer yes if a figure reaches its threshold, and otherwise no."""
