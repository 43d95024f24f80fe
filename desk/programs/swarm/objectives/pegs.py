"""Forms on pegged pairs: whether a peg holds, and how near the price is to its edge."""

from decimal import Decimal
from typing import Final

from desk.analytics.prices.pegs import Peg, peg_known, pegs_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.programs.swarm.conclusion.scenarios import outside_of_the_band
from desk.programs.swarm.objectives.form import (
    MARKET,
    PAIRS,
    Answered,
    Decided,
    MarketView,
    ObjectiveForm,
)

NEAR: Final = Decimal("0.1")
"""As a share of the width of a band: a price that is nearer to an edge is at it. A convention."""

MIDDLE: Final = 50
"""The position in a band, in percent, that is equally far from both edges."""

ONE_SIDED_NEAR: Final = Decimal("0.5")
"""In percent of a band's only edge."""

NOT_FOR_A_PRICE: Final = (
    "Whether an authority goes on holding a peg is its own decision, and no price of the past"
    " decides it."
)


def _known(view: MarketView) -> Peg | None:
    return peg_known(view.market, view.account.request.assignment.window.end)


def _ended(view: MarketView, peg: Peg) -> Decided:
    return Decided(
        Answered.NO,
        f"{peg.authority} gave up {_band(view, peg)} on {view.told(Metric.PEG_ENDED)}, and"
        f" {view.name} stands at {view.told(Metric.LAST)}",
        (f"It had been announced on {view.told(Metric.PEG_SINCE)}.",),
    )


def _holds(view: MarketView) -> Decided:
    peg = _known(view)
    if peg is None or view.value(Metric.LAST) is None:
        return view.missing("peg or band")
    if view.value(Metric.PEG_ENDED) is not None:
        return _ended(view, peg)
    if view.value(Metric.EDGE_DISTANCE) is None:
        return view.missing("distance from its edge")
    return Decided(
        Answered.OPEN,
        f"{view.name} at {view.told(Metric.LAST)} is {_where(view)} {_band(view, peg)}, which"
        f" {peg.authority} has held since {view.told(Metric.PEG_SINCE)}",
        tuple(filter(None, (outside_of_the_band(view.account, view.market), NOT_FOR_A_PRICE))),
        addressed=False,
    )


def _at_edge(view: MarketView) -> Decided:
    peg = _known(view)
    distance = view.value(Metric.EDGE_DISTANCE)
    if peg is not None and view.value(Metric.PEG_ENDED) is not None:
        return _ended(view, peg)
    if peg is None or distance is None:
        return view.missing("peg or band")
    near = _nearness(view, distance)
    return Decided(
        Answered.YES if near else Answered.NO,
        f"{view.name} at {view.told(Metric.LAST)} is {_where(view)} {_band(view, peg)} of"
        f" {peg.authority}",
    )


def _nearness(view: MarketView, distance: Decimal) -> bool:
    place = view.value(Metric.BAND_POSITION)
    if place is None:
        return distance <= ONE_SIDED_NEAR
    return not 100 * NEAR < place < 100 * (1 - NEAR)


def _where(view: MarketView) -> str:
    """Returns `0.25 % from the upper edge of`, for the nearest edge, or that the price is
    outside."""
    distance = view.value(Metric.EDGE_DISTANCE)
    if distance is not None and distance < 0:
        return f"{view.told(Metric.EDGE_DISTANCE, 'size')} outside of"
    return f"{view.told(Metric.EDGE_DISTANCE)} from the {_edge(view)} of"


def _edge(view: MarketView) -> str:
    place = view.value(Metric.BAND_POSITION)
    if place is None:
        return "edge"
    return "nearest edge" if place == MIDDLE else "upper edge" if place > MIDDLE else "lower edge"


def _band(view: MarketView, peg: Peg) -> str:
    low, high = view.told(Metric.BAND_LOW), view.told(Metric.BAND_HIGH)
    if peg.high is None:
        return f"its floor of {low}"
    if peg.low is None:
        return f"its cap of {high}"
    return f"its band, {low} to {high}"


PEGGED: Final = (
    ObjectiveForm(
        name="peg-holds",
        line="peg: whether a band that an authority announced stands or was given up",
        question="Does the peg of {} stand?",
        decides=(Metric.PEG_SINCE, Metric.PEG_ENDED, Metric.EDGE_DISTANCE),
        decide=_holds,
        agents=MARKET,
        asks=(Capability.PEG_BAND,),
        kinds=PAIRS,
        markets=pegs_of,
    ),
    ObjectiveForm(
        name="peg-edge",
        line="peg distance: the price is within a tenth of its band's width from an edge",
        question="Is {} at the edge of its band?",
        decides=(Metric.EDGE_DISTANCE, Metric.BAND_LOW, Metric.BAND_HIGH),
        decide=_at_edge,
        agents=MARKET,
        asks=(Capability.PEG_BAND,),
        kinds=PAIRS,
        markets=pegs_of,
    ),
)
