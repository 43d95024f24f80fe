"""What each specialist of a swarm is for, in words and in what it asks."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.agents.capabilities import RATES
from desk.contracts.agents.capabilities import Capability
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId


class Speciality(NamedTuple):
    """A specialist's work.

    `name` is that of its work within a round, and begins the name of every further one of its kind.
    `field` is what it is for, as the boundaries of the others name it, and `looks_at` what it is to
    find out; `company_field` and `company_looks_at` say the same for a company, where that is
    something else. `title` heads what it found, and `voice` is what speaks through it. `asks` is
    what every market needs, `of_pairs` and `of_stocks` what only those do. `reach` is how much its
    findings can say about the weeks ahead, from 0 to 1: a convention of the desk.
    """

    name: str
    title: str
    voice: str
    field: str
    looks_at: str
    asks: tuple[Capability, ...]
    of_pairs: tuple[Capability, ...] = ()
    of_stocks: tuple[Capability, ...] = ()
    company_field: str | None = None
    company_looks_at: str | None = None
    reach: float = 0.8

    def field_on(self, kind: MarketKind) -> str:
        """What it is for on a kind of market."""
        return (kind is MarketKind.STOCK and self.company_field) or self.field

    def task_on(self, kind: MarketKind) -> str:
        """What it is to find out about a kind of market."""
        return (kind is MarketKind.STOCK and self.company_looks_at) or self.looks_at

    def capabilities(self, kind: MarketKind) -> tuple[Capability, ...]:
        """What it asks of a kind of market."""
        own = self.of_stocks if kind is MarketKind.STOCK else self.of_pairs
        return (*self.asks, *own)


SPECIALITIES: Final[Mapping[AgentId, Speciality]] = MappingProxyType(
    {
        AgentId.MARKET_SPECIALIST: Speciality(
            name="market",
            title="what the market did",
            voice="the market's own move",
            field="the market's own move and its group",
            looks_at=(
                "how far the price has moved over the week, the month, the quarter and the year,"
                " how wide it swings, where it stands in its range, and how its group has done"
            ),
            asks=(Capability.MARKET_DATA, Capability.SECTORS, Capability.WEB_SEARCH),
            of_pairs=(Capability.POLICY_RATE,),
            reach=0.8,
        ),
        AgentId.TECHNICAL_SPECIALIST: Speciality(
            name="technical",
            title="technicals",
            voice="the technicals",
            field="indicators and chart patterns",
            looks_at=(
                "what momentum, trend and volatility indicators say, where the price stands against"
                " its averages, and which chart patterns it has formed"
            ),
            asks=(Capability.MARKET_DATA, Capability.PRICE_HISTORY, Capability.INDICATORS),
            of_stocks=(Capability.CHART_PATTERNS,),
            reach=0.75,
        ),
        AgentId.FUNDAMENTAL_SPECIALIST: Speciality(
            name="fundamental",
            title="fundamentals",
            voice="the fundamentals",
            field="policy rates and carry",
            looks_at=(
                "what holding the pair pays: both policy rates, their differential, what the"
                " banks have decided and when they decide next, and the carry for its risk"
            ),
            company_field="valuation and earnings",
            company_looks_at=(
                "what the company is worth: its accounts, its valuation, its earnings and how they"
                " compare with what was expected"
            ),
            asks=(Capability.RATIOS,),
            of_pairs=RATES,
            of_stocks=(Capability.MARKET_DATA, Capability.FUNDAMENTALS, Capability.EARNINGS),
            reach=0.85,
        ),
        AgentId.SENTIMENT_SPECIALIST: Speciality(
            name="sentiment",
            title="news and sentiment",
            voice="the news",
            field="news and its tone",
            looks_at="what has been reported, how much of it there is, and how it sounds",
            asks=(
                Capability.NEWS_DIGEST,
                Capability.SENTIMENT,
                Capability.MENTIONS,
                Capability.WEB_SEARCH,
            ),
            reach=0.65,
        ),
        AgentId.PATTERN_SPECIALIST: Speciality(
            name="pattern",
            title="patterns and seasonality",
            voice="the patterns of the past",
            field="what followed in the past",
            looks_at=(
                "what followed when the price behaved as it does now, whether the season has a"
                " pattern that stands up to testing, and whether the last moves are out of the"
                " ordinary"
            ),
            asks=(
                Capability.MARKET_DATA,
                Capability.PRICE_HISTORY,
                Capability.PATTERN_MINING,
                Capability.SEASONALITY,
            ),
            reach=0.7,
        ),
    }
)
"""The specialists of a swarm by agent."""

OUTPUT_FORMAT: Final = (
    "Findings, each with its topic, a statement with references to claims in place of figures, its"
    " confidence and the claims that it rests on. A view of the direction over the next four weeks"
    " and what to do about it, with a confidence. What in the findings speaks against each other,"
    " what follows from them, and what was looked for and not found."
)
"""What every specialist delivers, told to a model."""
