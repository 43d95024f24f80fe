"""Forms that compare markets: carry, correlation, group, and which of several is ahead."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple, TypedDict

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.analytics.names.mentions import currency_mentions
from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric
from desk.contracts.names import AgentId
from desk.programs.swarm.conclusion.account import side_of, spans, told
from desk.programs.swarm.objectives.form import (
    A_QUARTER,
    FUNDAMENTAL,
    MARKET,
    OF_RATES,
    PAIRS,
    TECHNICAL,
    TEN_YEARS,
    Answered,
    Decide,
    Decided,
    LookBack,
    MarketView,
    ObjectiveForm,
)
from desk.programs.swarm.tasks import first_asked

FUNDING: Final = ("JPY", "CHF", "EUR")
"""The currency of a pair that is taken as the funding one if neither rate is known."""

NOT_ALL: Final = Decimal("0.75")
"""As a share of the moves of a funding currency: carry trades unwind from this share of gains on,
and do not from this share of others on. A convention."""


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
        return _alone(view)
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


def _alone(view: MarketView) -> Decided:
    words = f"it takes a second market beside {view.name}, and the objective names none"
    return Decided(Answered.OPEN, words, addressed=False)


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


class _Ranking(NamedTuple):
    """Markets in the order of their gains, or of another figure. The sign of `gains` is reversed if
    a shared currency is the first of a pair, because the other currency is meant."""

    gains: Mapping[str, Decimal]
    shared: str

    @property
    def markets(self) -> list[str]:
        """The markets, the largest gain first."""
        return sorted(self.gains, key=lambda market: -self.gains[market])

    def name(self, market: str) -> str:
        """Returns a market's name in the ranking: the other currency if all pairs share one."""
        return market.replace(self.shared, "").strip("/") if self.shared else market


def ranking_of(
    moves: Mapping[str, Decimal], turned: Callable[[Decimal], Decimal] = lambda move: -move
) -> _Ranking:
    """Ranks markets by their moves, or by another figure that `turned` converts to the other
    currency's.

    Pairs that share a currency are ranked by the gains of their other currencies against it.
    """
    sides = [set(market.split("/")) if "/" in market else set() for market in moves]
    shared = next(iter(set.intersection(*sides)), "") if len(moves) > 1 else ""
    against = f"{shared}/"
    gains = {
        market: turned(move) if shared and market.startswith(against) else move
        for market, move in moves.items()
    }
    return _Ranking(gains, shared)


def _known(view: MarketView, metric: Metric) -> dict[str, Decimal]:
    """Returns a figure of each market of the objective that has it."""
    return {
        each.market: value
        for each in view.account.markets
        if (value := view.of(each).value(metric)) is not None
    }


def _without(view: MarketView, found: Mapping[str, Decimal], what: str) -> tuple[str, ...]:
    """Says which markets of the objective were not compared, because they lack the figure."""
    names = [
        market_in_a_sentence(each.market)
        for each in view.account.markets
        if each.market not in found
    ]
    are = "is" if len(names) == 1 else "are"
    return (f"{listed(names)} {are} not compared: no {what} is known here.",) if names else ()


def _ranked(best: bool, of_first: bool = False) -> Decide:
    """Decides which of all markets did best or worst over the quarter, or whether the one asked
    about did; stated once, on the first market."""

    def decide(view: MarketView) -> Decided:
        moves, past = _known(view, Metric.QUARTER_MOVE), view.past(A_QUARTER)
        if len(moves) < 2:
            return Decided(
                Answered.OPEN,
                f"it takes another market with a move over {past}, and there is {view.name} alone",
                addressed=False,
            )
        ranking = ranking_of(moves)
        asked = _asked_of(view, ranking)
        lines = ", ".join(f"{each} {_signed_move_words(view, each)}" for each in ranking.markets)
        first = ranking.markets[0 if best else -1]
        said = f"{_did(ranking, first, best=best)} over {past}"
        besides = _without(view, moves, f"move over {past}")
        if not of_first:
            return Decided(Answered.TELLS, f"{said}: {lines}", besides)
        if asked is None:
            lead = f"of which of them it is asked is not clear; {said}"
            return Decided(Answered.OPEN, f"{lead}: {lines}", besides, addressed=False)
        yes = asked == first
        beside = "" if yes else f", and not {ranking.name(asked)}"
        return Decided(Answered.YES if yes else Answered.NO, f"{said}{beside}: {lines}", besides)

    return decide


def _asked_of(view: MarketView, ranking: _Ranking) -> str | None:
    """Returns the market that an objective asks about: that of the only currency that it names
    twice, or else the first. None if that is the currency that the others are measured in, or was
    not measured."""
    query = view.account.request.assignment.query
    named = [each.code for each in currency_mentions(first_asked(query.question))] if query else []
    twice = [code for code, times in Counter(named).items() if times > 1]
    subject = twice[0] if len(twice) == 1 else next(iter(named), "")
    if ranking.shared and subject == ranking.shared:
        return None
    own = (market for market in ranking.gains if ranking.name(market) == subject)
    return next(own, view.market if view.market in ranking.gains else None)


def _signed_move_words(view: MarketView, market: str) -> str:
    return _on(view, market).told(Metric.QUARTER_MOVE, "signed")


def _on(view: MarketView, market: str) -> MarketView:
    return view.of(next(each for each in view.account.markets if each.market == market))


def _against(ranking: _Ranking) -> str:
    return f"against {ranking.shared}, " if ranking.shared else ""


def _did(ranking: _Ranking, market: str, *, best: bool) -> str:
    """Says what the first or the last of a ranking did, and if all fell or all rose."""
    against = _against(ranking)
    name, senses = ranking.name(market), {gain > 0 for gain in ranking.gains.values()}
    if best and senses == {False} and max(ranking.gains.values()) < 0:
        return f"{against}all fell and {name} fell least"
    if not best and senses == {True}:
        return f"{against}all rose and {name} rose least"
    return f"{against}{name} has done {'best' if best else 'worst'}"


@dataclass(frozen=True, slots=True)
class InOrder:
    """Ranks several markets by a figure, the highest first, and states it once.

    `most` says what the first of them does, `least` the same if the highest is negative, and `told`
    is the figure of each. `turned` converts it to that of the second currency of a pair. `by_size`
    is for a figure that either currency of a pair may have, if the pairs share none.
    """

    figure: Metric
    what: str
    most: str
    told: Callable[[MarketView], str]
    turned: Callable[[Decimal], Decimal] = lambda value: value
    by_size: bool = False
    least: str = ""

    def __call__(self, view: MarketView) -> Decided:
        found = _known(view, self.figure)
        if len(found) < 2:
            lacking = (each for each in view.account.markets if each.market not in found)
            return next((view.of(each).missing(self.what) for each in lacking), _alone(view))
        ranking = ranking_of(found, self.turned)
        if self.by_size and not ranking.shared:
            ranking = ranking_of({market: abs(value) for market, value in found.items()})
        first, lines = ranking.markets[0], map(self._line(view), ranking.markets)
        most = self.most if ranking.gains[first] >= 0 else self.least
        said = f"{_against(ranking)}{ranking.name(first)} {most}"
        besides = (*_without(view, found, self.what), *self._turning(ranking))
        return Decided(Answered.TELLS, f"{said}: {', '.join(lines)}", besides)

    def _line(self, view: MarketView) -> Callable[[str], str]:
        return lambda market: self.told(_on(view, market))

    def _turning(self, ranking: _Ranking) -> tuple[str, ...]:
        begins = any(market.startswith(f"{ranking.shared}/") for market in ranking.gains)
        if self.by_size or not ranking.shared or not begins or self.turned(Decimal(1)) == 1:
            return ()
        return (
            f"Of a pair that begins with {ranking.shared}, a low figure is a high one of the"
            " other currency.",
        )


def _pays(view: MarketView) -> str:
    base, _, quote = view.market.partition("/")
    apart = view.value(Metric.DIFFERENTIAL) or Decimal(0)
    held, lent = (base, quote) if apart >= 0 else (quote, base)
    pays = f"holding {held} against {lent} pays {view.told(Metric.DIFFERENTIAL, 'size')} a year"
    if view.value(Metric.CARRY_TO_VOLATILITY) is None:
        return pays
    return f"{pays} ({view.told(Metric.CARRY_TO_VOLATILITY, 'size')} of its volatility)"


class _OfSeveral(TypedDict):
    decides: tuple[Metric, ...]
    looks_back: LookBack
    agents: tuple[AgentId, ...]
    fewest: int


_OF_SEVERAL: Final = _OfSeveral(
    decides=(Metric.QUARTER_MOVE,), looks_back=A_QUARTER, agents=MARKET, fewest=2
)

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
        decide=_ranked(best=True),
        contrary="behind",
        of_first="strongest",
        **_OF_SEVERAL,
    ),
    ObjectiveForm(
        name="behind",
        line="behind: which of several currencies or markets lost most over the quarter",
        question="Which of {} has done worst over {past}?",
        decide=_ranked(best=False),
        contrary="ahead",
        of_first="weakest",
        **_OF_SEVERAL,
    ),
    ObjectiveForm(
        name="strongest",
        line="strongest: of several the one that is asked of gained most over the quarter",
        question="Of {}, has the first done best over {past}?",
        decide=_ranked(best=True, of_first=True),
        contrary="weakest",
        **_OF_SEVERAL,
    ),
    ObjectiveForm(
        name="weakest",
        line="weakest: of several the one that is asked of lost most over the quarter",
        question="Of {}, has the first done worst over {past}?",
        decide=_ranked(best=False, of_first=True),
        contrary="strongest",
        **_OF_SEVERAL,
    ),
    ObjectiveForm(
        name="most-carry",
        line="most carry: which of several pairs or currencies pays the largest rate differential",
        question="Which of {} pays the largest carry?",
        decides=(Metric.DIFFERENTIAL, Metric.CARRY_TO_VOLATILITY),
        decide=InOrder(
            Metric.DIFFERENTIAL,
            "carry",
            "pays most",
            _pays,
            turned=lambda apart: -apart,
            by_size=True,
            least="costs least to hold, and all cost",
        ),
        agents=FUNDAMENTAL,
        kinds=PAIRS,
        compares="carry",
        fewest=2,
    ),
    ObjectiveForm(
        name="most-volatile",
        line="most volatile: which of several swings most, by the volatility of a quarter",
        question="Which of {} has been most volatile over {past}?",
        decides=(Metric.VOLATILITY,),
        decide=InOrder(
            Metric.VOLATILITY,
            "volatility",
            "has swung most over the quarter",
            lambda view: f"{view.market} by {view.told(Metric.VOLATILITY)} a year",
        ),
        looks_back=A_QUARTER,
        spans=False,
        agents=MARKET,
        compares="volatile",
        fewest=2,
    ),
    ObjectiveForm(
        name="dearest",
        line="dearest: which of several is dearest by its own past of ten years",
        question="Which of {} is dearest by its own past of {span}?",
        decides=(Metric.PAST_RANK,),
        decide=InOrder(
            Metric.PAST_RANK,
            "place in its own past",
            "is dearest by its own past",
            lambda view: (
                f"{view.market} was cheaper than now on {view.told(Metric.PAST_RANK)} of the days"
                f" of {view.past(TEN_YEARS)}"
            ),
            turned=lambda rank: 100 - rank,
        ),
        looks_back=TEN_YEARS,
        agents=MARKET,
        asks=(Capability.STANDING,),
        compares="dear",
        fewest=2,
    ),
    ObjectiveForm(
        name="most-overbought",
        line="most overbought: which of several has the highest 14-day RSI",
        question="Which of {} is most overbought?",
        decides=(Metric.RSI,),
        decide=InOrder(
            Metric.RSI,
            "relative strength index",
            "stands highest by the 14-day RSI",
            lambda view: f"{view.market} {view.told(Metric.RSI)}",
            turned=lambda index: 100 - index,
        ),
        agents=TECHNICAL,
        compares="overbought",
        fewest=2,
    ),
)
