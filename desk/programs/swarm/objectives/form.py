"""What a form of objective is, and what a decision by one is made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from desk.agents.capabilities import RATES
from desk.analytics.names.markets import spoken
from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.programs.swarm.conclusion.account import Account


class Answered(StrEnum):
    """How an objective is answered. A form that asks for no yes or no `tells`."""

    YES = "Yes"
    NO = "No"
    OPEN = "Open"
    TELLS = ""


class Decided(NamedTuple):
    """A decision on one market.

    `sentence` stands behind `Yes:` in the first sentence, with the deciding figure by reference and
    without its full stop; `besides` are whole sentences behind it. `addressed` is false where what
    was found does not reach the event that the form asks about, or was not found at all.
    """

    answered: Answered
    sentence: str
    besides: tuple[str, ...] = ()
    addressed: bool = True


@dataclass(frozen=True, slots=True)
class MarketView:
    """What was found about one of an objective's markets.

    `side` is 1 where the objective is about the market itself or the first currency of a pair, and
    -1 where it is about the second. `hypotheses` are what the leader takes to be likely of it.
    """

    account: Account
    spec: MarketSpec
    side: int = 1
    hypotheses: tuple[Hypothesis, ...] = ()

    @property
    def market(self) -> str:
        """The market as claims name it."""
        return self.spec.market

    @property
    def name(self) -> str:
        """The market as prose names it."""
        return spoken(self.spec.market)

    @property
    def others(self) -> tuple[MarketSpec, ...]:
        """The other markets of the objective."""
        return tuple(each for each in self.account.markets if each.market != self.market)

    def value(self, metric: Metric) -> Decimal | None:
        """The market's figure that stands; None without one."""
        return self.account.value(self.market, metric)

    def values(self, *metrics: Metric) -> tuple[Decimal, ...] | None:
        """The figures in their order; None where one of them is missing."""
        found = [value for metric in metrics if (value := self.value(metric)) is not None]
        return tuple(found) if len(found) == len(metrics) else None

    def told(self, metric: Metric, form: str = "") -> str:
        """What prose holds in place of the figure."""
        return f"[[{claim_id(self.market, metric)}{f'|{form}' if form else ''}]]"

    def claim(self, subject: str, metric: Metric) -> Claim | None:
        """A figure of something that is no market of the objective, as of a bank's area."""
        return self.account.surviving.get(claim_id(subject, metric))

    def missing(self, what: str) -> Decided:
        """The decision without the figure that decides."""
        words = f"the {what} of {self.name} is not known here"
        return Decided(Answered.OPEN, words, addressed=False)


Decide = Callable[[MarketView], Decided]

ANY: Final = frozenset({MarketKind.PAIR, MarketKind.STOCK})
PAIRS: Final = frozenset({MarketKind.PAIR})
STOCKS: Final = frozenset({MarketKind.STOCK})


class LookBack(NamedTuple):
    """How far a form's figures look back, in words and in days."""

    words: str
    days: float


TEN_YEARS: Final = LookBack("ten years", 3_652.5)
A_QUARTER: Final = LookBack("a quarter", 91.31)
ALIKE: Final = 0.1
"""Spans that differ by no more of the longer one are one: 52 weeks and a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveForm:
    """One kind of objective that code can decide.

    Attributes:
        name: What `--about` calls it.
        line: What it decides, in a line, with the figure and where a yes begins.
        question: The question that a yes answers, with `{}` for the market.
        wordings: How somebody may ask for it. They are what an objective is compared with by
            meaning, and no rule: any number of them may be missing.
        decides: The figures that decide, and the marks that they are held against.
        decide: How yes, no or open follows from them.
        agents: Whose work has the figures, the first one's deciding.
        by_hypotheses: Whether yes, no or open follows from what the leader takes to be likely.
        asks: What is asked besides for them, of the first of the agents.
        mirror: The form that answers for the second currency of a pair; empty where the side makes
            no difference.
        kinds: What kinds of market it is about.
        markets: Which pairs are researched instead of those that the objective names, by the
            currencies of these.
        fewest: How many markets it takes.
        looks_back: How far its figures look back, where an objective may name another span: what
            is asked of that, they do not decide.
    """

    name: str
    line: str
    question: str
    wordings: tuple[str, ...]
    decides: tuple[Metric, ...]
    decide: Decide
    agents: tuple[AgentId, ...]
    by_hypotheses: bool = False
    asks: tuple[Capability, ...] = ()
    mirror: str = ""
    kinds: frozenset[MarketKind] = ANY
    markets: Callable[[set[str]], tuple[str, ...]] | None = None
    fewest: int = 1
    looks_back: LookBack | None = None

    def about(self, markets: Sequence[MarketSpec]) -> str:
        """The form's question on some markets."""
        names = " and ".join(spoken(each.market) for each in markets[:2])
        each_of = len(markets) > 1 and self.fewest == 1
        return self.question.format(f"each of {names}" if each_of else names)


MARKET: Final = (AgentId.MARKET_SPECIALIST,)
TECHNICAL: Final = (AgentId.TECHNICAL_SPECIALIST,)
FUNDAMENTAL: Final = (AgentId.FUNDAMENTAL_SPECIALIST,)
PATTERN: Final = (AgentId.PATTERN_SPECIALIST,)
EVERYBODY: Final = (*MARKET, *TECHNICAL, *FUNDAMENTAL, AgentId.SENTIMENT_SPECIALIST, *PATTERN)
OF_RATES: Final = (*FUNDAMENTAL, *MARKET)
CALENDAR: Final = RATES[-1]
