"""The forms of objectives, and the decisions that they give."""

from calendar import month_name
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.agents.capabilities import RATES
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.analytics.names.periods import SpanNamed, limits_ahead, spans_named, words_ahead
from desk.analytics.prices.series import window_days
from desk.analytics.technical.measures import INSTALL_SWARM
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Claim, Metric, claim_id, span_days
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.weeks import TimeWindow
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.tasks import first_asked


class Answered(StrEnum):
    """The answer to an objective. A form that is not answered by yes or no `tells`."""

    YES = "Yes"
    NO = "No"
    OPEN = "Open"
    TELLS = ""


class Decided(NamedTuple):
    """A decision on one market.

    `sentence` follows `Yes:` in the first sentence, with the deciding figure by reference and
    without its full stop; `besides` are whole sentences after it. `addressed` is false if the
    findings do not reach the event that the form asks about, or if nothing was found.
    """

    answered: Answered
    sentence: str
    besides: tuple[str, ...] = ()
    addressed: bool = True


class LookBack(NamedTuple):
    """How far a form's figures look back (or ahead, with `ahead`), and its words in a sentence:
    `the quarter` in `over the quarter`."""

    span: SpanNamed
    told: str
    ahead: bool = False


TEN_YEARS: Final = LookBack(SpanNamed(10, "year"), "the last ten years")
AHEAD: Final = LookBack(SpanNamed(4, "week"), "four weeks", ahead=True)
A_QUARTER: Final = LookBack(SpanNamed(1, "quarter"), "the quarter")
A_YEAR: Final = LookBack(SpanNamed(1, "year"), "twelve months")
OVER: Final[Mapping[Metric, Metric]] = MappingProxyType(
    {
        **{
            metric: metric
            for metric in (
                *(Metric.PAST_RANK, Metric.VOLATILITY_RANK, Metric.DRAWDOWN),
                *(Metric.PRIOR_HIGH, Metric.PRIOR_LOW),
            )
        },
        Metric.YEAR_HIGH: Metric.PRIOR_HIGH,
        Metric.YEAR_LOW: Metric.PRIOR_LOW,
        Metric.QUARTER_MOVE: Metric.SPAN_MOVE,
        Metric.QUARTER_SWING: Metric.SPAN_SWING,
    }
)
"""The figures that are measured over another span in place of a form's own."""

FIRST_PRICE: Final = timedelta(days=10)
"""The first price of a span is at most this much later than its first day, because of holidays."""


def first_day(span: SpanNamed, window: TimeWindow) -> date:
    """Returns the first day of a span that ends with a window."""
    _, last = window_days(window)
    return span.before(last)


@dataclass(frozen=True, slots=True)
class MarketView:
    """The findings on one of an objective's markets.

    `side` is 1 if the objective is about the market itself or the first currency of a pair, and -1
    if it is about the second. `hypotheses` are the leader's on this market. `over` is the span that
    the objective asks for in place of the form's own.
    """

    account: Account
    spec: MarketSpec
    side: int = 1
    hypotheses: tuple[Hypothesis, ...] = ()
    over: SpanNamed | None = None

    @property
    def market(self) -> str:
        """The market as claims name it."""
        return self.spec.market

    @property
    def name(self) -> str:
        """The market as prose names it."""
        return market_in_a_sentence(self.spec.market)

    @property
    def others(self) -> tuple[MarketSpec, ...]:
        """The other markets of the objective."""
        return tuple(each for each in self.account.markets if each.market != self.market)

    def value(self, metric: Metric) -> Decimal | None:
        """Returns the market's surviving figure; None without one. If a span is asked for, figures
        that exist for any span are those of that span, or None."""
        found = self.account.surviving.get(self._id(metric) or "")
        return None if found is None else found.value

    def has_over(self, metrics: Iterable[Metric]) -> bool:
        """Returns whether all figures that exist for any span are known for the one asked for."""
        return all(self._id(metric) for metric in metrics)

    def past(self, own: LookBack) -> str:
        """Returns the words for how far a form looked back: `the quarter`, `the last year`."""
        return own.told if self.over is None else f"the last {self.over.bare}"

    def before(self, own: LookBack) -> str:
        """Returns the words for the span before the last price: `the quarter before`."""
        return f"the {(self.over or own.span).bare} before"

    def of(self, spec: MarketSpec) -> "MarketView":
        """Returns the same view on another market of the objective."""
        return replace(self, spec=spec)

    def _id(self, metric: Metric) -> str | None:
        """Returns the id of a figure's claim; None if it is not known over the span that is asked
        for."""
        if self.over is None or metric not in OVER:
            return claim_id(self.market, metric)
        since = first_day(self.over, self.account.request.assignment.window)
        for claim in self.account.surviving.values():
            days = span_days(claim)
            if days is None or (claim.subject, claim.metric) != (self.market, OVER[metric]):
                continue
            if since <= days[0] <= since + FIRST_PRICE:
                return claim.claim_id
        return None

    def values(self, *metrics: Metric) -> tuple[Decimal, ...] | None:
        """Returns the figures in order; None if one of them is missing."""
        found = [value for metric in metrics if (value := self.value(metric)) is not None]
        return tuple(found) if len(found) == len(metrics) else None

    def told(self, metric: Metric, form: str = "") -> str:
        """Returns the reference that prose holds in place of the figure."""
        return f"[[{self._id(metric)}{f'|{form}' if form else ''}]]"

    def claim(self, subject: str, metric: Metric) -> Claim | None:
        """Returns a figure of a subject that is not a market of the objective, such as a bank's
        area."""
        return self.account.surviving.get(claim_id(subject, metric))

    def missing(self, what: str) -> Decided:
        """Returns the open decision for a missing figure."""
        words = f"the {what} of {self.name} is not known here"
        return Decided(Answered.OPEN, words, self._to_install(), addressed=False)

    def _to_install(self) -> tuple[str, ...]:
        """Says what to install if a finding or an error names a missing package."""
        told = (line for _, result in self.account.on(self.market) for line in result.missing)
        failed = (entry.error or "" for entry in self.account.request.state)
        needed = any(INSTALL_SWARM in line for line in (*told, *failed))
        return (f"It takes packages that are not installed here: {INSTALL_SWARM}.",) * needed


OVER_SPAN: Final = "over"
"""The parameter of an objective with the span that it is to be decided over, in words."""

Decide = Callable[[MarketView], Decided]

ANY: Final = frozenset({MarketKind.PAIR, MarketKind.STOCK})
PAIRS: Final = frozenset({MarketKind.PAIR})
STOCKS: Final = frozenset({MarketKind.STOCK})


ALIKE: Final = 0.1
"""Spans count as equal if they differ by at most this share of the longer one: 52 weeks and a
year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveForm:
    """One kind of objective that code can decide.

    Attributes:
        name: Its value for `--about`.
        line: Its rule in a line, with the figure and the threshold of a yes.
        question: The question that a yes answers, with `{}` for the market, and for how far it
            looks back `{span}` (`ten years`) or `{past}` (`the last ten years`).
        decides: The figures that decide, and the thresholds that they are compared with.
        decide: Derives yes, no or open from them.
        agents: The agents whose work has the figures, the deciding one first.
        by_hypotheses: Whether yes, no or open follows from the leader's hypotheses.
        asks: Further capabilities that the first of the agents asks for.
        mirror: The form that answers for the second currency of a pair; empty if the side makes no
            difference.
        contrary: The form that asks for the opposite, if that is not the mirror.
        of_first: The form that asks about the first market what this one asks about all.
        compares: A form by whose figure this one ranks several markets.
        kinds: The kinds of market that it applies to.
        markets: Returns the pairs that are researched instead of those that the objective names,
            from the currencies of these.
        fewest: The number of markets that it needs.
        looks_back: How far its figures look back, or ahead, if an objective may name another span.
        spans: Whether it decides over another span as well; if not, such an objective is left open.
    """

    name: str
    line: str
    question: str
    decides: tuple[Metric, ...]
    decide: Decide
    agents: tuple[AgentId, ...]
    by_hypotheses: bool = False
    asks: tuple[Capability, ...] = ()
    mirror: str = ""
    contrary: str = ""
    of_first: str = ""
    compares: str = ""
    kinds: frozenset[MarketKind] = ANY
    markets: Callable[[set[str]], tuple[str, ...]] | None = None
    fewest: int = 1
    looks_back: LookBack | None = None
    spans: bool = True

    @property
    def opposite(self) -> str:
        """The form that asks for the opposite; empty without one."""
        return self.mirror or self.contrary

    def about(self, markets: Sequence[MarketSpec], over: SpanNamed | None = None) -> str:
        """Returns the form's question on some markets, over its own span or another."""
        of_all = markets if self.fewest > 1 else markets[:2]
        names = listed(market_in_a_sentence(each.market) for each in of_all)
        each_of = len(markets) > 1 and self.fewest == 1
        return self.asked_of(f"each of {names}" if each_of else names, over)

    def asked_of(self, name: str, over: SpanNamed | None = None) -> str:
        """Returns the form's question about a name."""
        own = self.looks_back
        span = over or (own.span if own else None)
        past = f"the last {over.bare}" if over else own.told if own else ""
        return self.question.format(name, span=span.words if span else "", past=past)

    def span_asked(self, query: Query) -> SpanNamed | None:
        """Returns the span that an objective asks for in place of the form's own: the one given as
        a parameter, or else the first that it names. None if one of these is the form's own, or
        without any. Ahead, a unit alone does not count: `by the end of the year` does not name a
        year, see `unread_ahead`."""
        if self.looks_back is None:
            return None
        if OVER_SPAN in query.parameters:
            named = spans_named(query.parameters[OVER_SPAN])
        else:
            named = spans_named(first_asked(query.question))
        named = tuple(each for each in named if not self.looks_back.ahead or each.number > 1)
        return None if self._names_own(named) else next(iter(named), None)

    def unread_ahead(self, query: Query, at: date) -> tuple[str, ...]:
        """Returns the words on how far ahead an objective asks that were not parsed, on a day: the
        `year` at whose end, or the `christmas` by which. Empty if it names a number of units, the
        form's own span, or the month in which that ends."""
        if self.looks_back is None or not self.looks_back.ahead:
            return ()
        objective = first_asked(query.question)
        named = spans_named(objective)
        if self._names_own(named) or any(each.number > 1 for each in named):
            return ()
        ends_in = month_name[(at + timedelta(days=self.looks_back.span.days)).month]
        found = words_ahead(objective) or limits_ahead(objective)
        return () if ends_in in {word.capitalize() for word in found} else found

    def _names_own(self, named: Iterable[SpanNamed]) -> bool:
        own = self.looks_back.span.days if self.looks_back else 0
        return any(abs(each.days - own) <= ALIKE * max(each.days, own) for each in named)


MARKET: Final = (AgentId.MARKET_SPECIALIST,)
TECHNICAL: Final = (AgentId.TECHNICAL_SPECIALIST,)
FUNDAMENTAL: Final = (AgentId.FUNDAMENTAL_SPECIALIST,)
PATTERN: Final = (AgentId.PATTERN_SPECIALIST,)
EVERYBODY: Final = (*MARKET, *TECHNICAL, *FUNDAMENTAL, AgentId.SENTIMENT_SPECIALIST, *PATTERN)
OF_RATES: Final = (*FUNDAMENTAL, *MARKET)
CALENDAR: Final = RATES[-1]
