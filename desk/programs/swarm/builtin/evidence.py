"""The decisive figures of each specialist's work on a market, in a clause.

Figures are named for a side only where the first of them points that way: a view can rest on
others, and then it is named without.
"""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.names import AgentId
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.parts.tasks import SPECIALITIES


class _Clause(NamedTuple):
    """A clause of figures. `first` is the one whose side counts: above zero is up, or above
    `beside` where that is a level."""

    first: Metric
    parts: tuple[tuple[Metric, str], ...]
    beside: Metric | None = None


_CLAUSES: Final[Mapping[AgentId, tuple[_Clause, ...]]] = MappingProxyType(
    {
        AgentId.MARKET_SPECIALIST: (
            _Clause(Metric.QUARTER_MOVE, ((Metric.QUARTER_MOVE, "{} on the quarter"),)),
            _Clause(Metric.MONTH_MOVE, ((Metric.MONTH_MOVE, "{} on the month"),)),
        ),
        AgentId.TECHNICAL_SPECIALIST: (
            _Clause(
                Metric.LAST,
                (
                    (Metric.LAST, "a price of {}"),
                    (Metric.SMA_200, "beside its long average of {}"),
                ),
                Metric.SMA_200,
            ),
            _Clause(
                Metric.MACD_HISTOGRAM,
                ((Metric.MACD_HISTOGRAM, "a MACD histogram of {} of the price"),),
            ),
        ),
        AgentId.FUNDAMENTAL_SPECIALIST: (
            _Clause(
                Metric.DIFFERENTIAL,
                (
                    (Metric.DIFFERENTIAL, "a rate differential of {}"),
                    (Metric.CARRY_TO_VOLATILITY, "{} of the volatility"),
                ),
            ),
            _Clause(Metric.REVENUE_GROWTH, ((Metric.REVENUE_GROWTH, "revenue {} on the year"),)),
        ),
        AgentId.SENTIMENT_SPECIALIST: (
            _Clause(
                Metric.NEWS_TONE,
                ((Metric.NEWS_TONE, "a tone of {}"), (Metric.NEWS_COUNT, "stories: {}")),
            ),
        ),
        AgentId.PATTERN_SPECIALIST: (
            _Clause(
                Metric.ANALOGUE_MOVE,
                (
                    (Metric.ANALOGUE_MOVE, "{} after the like"),
                    (Metric.ANALOGUE_HIT_RATE, "a rise in {} of the cases"),
                ),
            ),
            _Clause(Metric.SEASONAL_MOVE, ((Metric.SEASONAL_MOVE, "{} in the coming month"),)),
        ),
    }
)


def evidence_of(account: Account, agent: AgentId, market: str, leaning: Leaning) -> str:
    """`a rate differential of [[USD/JPY:differential]], …`: the first clause that stands and
    points that way; empty without any."""
    for clause in _CLAUSES.get(agent, ()):
        if _points(account, market, clause) is leaning:
            told = [
                words.format(f"[[{claim_id(market, metric)}]]")
                for metric, words in clause.parts
                if account.value(market, metric) is not None
            ]
            return ", ".join(told)
    return ""


def first_pointing(account: Account, agent: AgentId, market: str) -> Leaning | None:
    """Which way the first of a specialist's clauses that stands points."""
    found = (_points(account, market, clause) for clause in _CLAUSES.get(agent, ()))
    return next((leaning for leaning in found if leaning is not None), None)


def voice_with_evidence(account: Account, agent: AgentId, market: str, leaning: Leaning) -> str:
    """`the fundamentals (a rate differential of …)`."""
    voice = SPECIALITIES[agent].voice if agent in SPECIALITIES else "further findings"
    found = evidence_of(account, agent, market, leaning)
    return f"{voice} ({found})" if found else voice


def _points(account: Account, market: str, clause: _Clause) -> Leaning | None:
    value = account.value(market, clause.first)
    level = account.value(market, clause.beside) if clause.beside else Decimal(0)
    if value is None or level is None or value == level:
        return None
    return Leaning.UP if value > level else Leaning.DOWN
