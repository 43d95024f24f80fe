"""Forms on a market beside others: carry, correlation, its group, and which of several is ahead."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.programs.swarm.conclusion.account import side_of, spans, told
from desk.programs.swarm.objectives.form import (
    A_QUARTER,
    FUNDAMENTAL,
    MARKET,
    OF_RATES,
    PAIRS,
    Answered,
    Decided,
    MarketView,
    ObjectiveForm,
)

FUNDING: Final = ("JPY", "CHF", "EUR")
"""Which currency of a pair is taken to fund where neither rate is known."""

NOT_ALL: Final = Decimal("0.75")
"""Of the moves of a funding currency that are gains: from this share on carry trades unwind, and
from as many that are none on they do not. A convention."""


def _carry(view: MarketView) -> Decided:
    found = view.values(Metric.CARRY_TO_VOLATILITY, Metric.LARGE_CARRY_FROM)
    if found is None:
        return view.missing("carry")
    ratio, mark = found
    base, _, quote = view.market.partition("/")
    held, lent = (base, quote) if ratio >= 0 else (quote, base)
    pays = (
        f"{view.told(Metric.DIFFERENTIAL, 'size')} a year, "
        if view.value(Metric.DIFFERENTIAL) is not None
        else ""
    )
    return Decided(
        Answered.YES if abs(ratio) >= mark else Answered.NO,
        f"holding {held} against {lent} pays {pays}"
        f"{view.told(Metric.CARRY_TO_VOLATILITY, 'size')} of the pair's volatility, and the carry"
        f" is large from {view.told(Metric.LARGE_CARRY_FROM)} on",
    )


def _funding(view: MarketView) -> str:
    base, _, quote = view.market.partition("/")
    ratio = view.value(Metric.CARRY_TO_VOLATILITY) or view.value(Metric.DIFFERENTIAL)
    if ratio:
        return quote if ratio > 0 else base
    return next((each for each in FUNDING if each in (base, quote)), quote)


def _unwinding(view: MarketView) -> Decided:
    funding = _funding(view)
    found = spans(view.account, view.market, side_of(view.market, funding), Metric.QUARTER_MOVE)
    if not found:
        return view.missing("move")
    gains = Decimal(sum(span.sense > 0 for span in found)) / len(found)
    answered = (
        Answered.YES if gains >= NOT_ALL else Answered.NO if gains <= 1 - NOT_ALL else Answered.OPEN
    )
    does = {
        Answered.YES: "has gained",
        Answered.NO: "has not gained",
        Answered.OPEN: "has gained over one span and not over another",
    }
    return Decided(
        answered,
        f"{funding}, which funds the trade, {does[answered]}: {told(found)}",
    )


def _correlated(view: MarketView) -> Decided:
    other = view.others[0] if view.others else None
    if other is None:
        return Decided(
            Answered.OPEN,
            f"it takes a second market beside {view.name}, and the objective names none",
            addressed=False,
        )
    found = view.values(Metric.CORRELATION, Metric.CORRELATED_FROM)
    if found is None:
        return view.missing("correlation")
    value, mark = found
    besides = (
        (f"Over the year it was {view.told(Metric.CORRELATION_YEAR)}.",)
        if view.value(Metric.CORRELATION_YEAR) is not None
        else ()
    )
    return Decided(
        Answered.YES if abs(value) >= mark else Answered.NO,
        f"the correlation of the daily moves of {view.name} and {other.market} over the last"
        f" quarter is {view.told(Metric.CORRELATION)}, and it is strong from"
        f" {view.told(Metric.CORRELATED_FROM)} on, either way",
        besides,
    )


def _group(view: MarketView) -> Decided:
    found = view.values(Metric.GROUP_MOVE, Metric.RELATIVE_MOVE)
    if found is None:
        return view.missing("move of its group")
    group, own = found
    against = " against the US dollar" if "/" in view.market else ""
    who = "its own currency" if against else "it"
    return Decided(
        Answered.YES if abs(group) > abs(own) else Answered.NO,
        f"over the quarter the group of {view.name} moved"
        f" {view.told(Metric.GROUP_MOVE, 'signed')}{against}, and {who}"
        f" {view.told(Metric.RELATIVE_MOVE, 'signed')} beside the group",
    )


def _ahead(view: MarketView) -> Decided:
    """Which of all markets gained most over the quarter; told once, on the first of them."""
    moves = {
        each.market: move
        for each in view.account.markets
        if (move := view.of(each).value(Metric.QUARTER_MOVE)) is not None
    }
    past = view.past(A_QUARTER)
    if len(moves) < 2:
        return Decided(
            Answered.OPEN,
            f"it takes two markets with a move over {past}, and there is {view.name} alone",
            addressed=False,
        )
    who, ranked = ranked_by_gain(moves)
    told_of = {
        each.market: view.of(each).told(Metric.QUARTER_MOVE, "signed")
        for each in view.account.markets
        if each.market in moves
    }
    lines = ", ".join(f"{market} {told_of[market]}" for market in ranked)
    return Decided(Answered.TELLS, f"{who} has done best over {past}: {lines}")


def ranked_by_gain(moves: Mapping[str, Decimal]) -> tuple[str, Sequence[str]]:
    """What gained most, in words, and the markets in the order of what they gained.

    Pairs that share a currency are ranked by what their other currencies gained against it.
    """
    sides = [set(market.split("/")) if "/" in market else set() for market in moves]
    shared = next(iter(set.intersection(*sides)), "") if len(moves) > 1 else ""
    against = f"{shared}/"
    gains = {
        market: -move if shared and market.startswith(against) else move
        for market, move in moves.items()
    }
    ranked = sorted(gains, key=lambda market: -gains[market])
    best = ranked[0]
    return (f"against {shared}, {best.replace(shared, '').strip('/')}" if shared else best), ranked


RELATIONS: Final = (
    ObjectiveForm(
        name="carry",
        line="carry: the rate differential is 0.25 of the pair's volatility or more",
        question="Is the carry of {} large for its risk?",
        decides=(Metric.CARRY_TO_VOLATILITY, Metric.LARGE_CARRY_FROM, Metric.DIFFERENTIAL),
        decide=_carry,
        agents=FUNDAMENTAL,
        kinds=PAIRS,
    ),
    ObjectiveForm(
        name="unwinding",
        line="unwinding: the funding currency gained over the month and the quarter",
        question="Are carry trades in {} unwinding?",
        decides=(Metric.MONTH_MOVE, Metric.QUARTER_MOVE),
        decide=_unwinding,
        agents=OF_RATES,
        kinds=PAIRS,
    ),
    ObjectiveForm(
        name="correlated",
        line="correlated: the quarter's daily moves have a correlation of 0.5 or more either way",
        question="Are {} correlated?",
        decides=(Metric.CORRELATION, Metric.CORRELATED_FROM),
        decide=_correlated,
        agents=MARKET,
        asks=(Capability.CO_MOVEMENT,),
        fewest=2,
    ),
    ObjectiveForm(
        name="group-move",
        line="group move: the group moved by more than the market did beside it",
        question="Is the quarter's move of {} that of its group?",
        decides=(Metric.GROUP_MOVE, Metric.RELATIVE_MOVE),
        decide=_group,
        agents=MARKET,
    ),
    ObjectiveForm(
        name="ahead",
        line="ahead: which of several currencies or markets gained most over the quarter",
        question="Which of {} has done best over {past}?",
        decides=(Metric.QUARTER_MOVE,),
        decide=_ahead,
        looks_back=A_QUARTER,
        agents=MARKET,
        fewest=2,
    ),
)
