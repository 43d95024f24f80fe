"""What an objective needs: how much of it, and whose work goes first. Light: workflows use it.

The rules are a convention of the desk, in the order in which they are tried:

| complexity | where the objective |
| --- | --- |
| complex | names two markets or more |
| complex | has a word of a broad question, such as carry, unwind, outlook, regime or thesis |
| moderate | asks for reasons: why, what drives, explain, because of what |
| moderate | has words of two specialists' work or more |
| simple | is none of these: one market and a narrow question |
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.contracts.names import AgentId
from desk.contracts.swarm.swarm import Complexity

BROAD: Final = re.compile(
    r"\b(?:carry|unwind\w*|outlook|regime\w*|scenarios?|thesis|strateg(?:y|ies)|contagion"
    r"|big picture|full picture|overall|everything|comprehensive|in depth|risk[ -]o(?:ff|n)"
    r"|bubble|crisis|structural|year ahead|next year|long[ -]term|all angles)\b",
    re.IGNORECASE,
)
"""Words of a question that no one specialist can answer."""

REASONS: Final = re.compile(
    r"\b(?:why|drives?|driving|drivers?|driven|explains?|explanation|behind|causes?|caused"
    r"|reasons?|what moved|what moves)\b",
    re.IGNORECASE,
)
"""Words of a question for what lies behind a move."""

_WORDS: Final[Mapping[AgentId, str]] = MappingProxyType(
    {
        AgentId.MARKET_SPECIALIST: (
            r"market conditions?|conditions|trend\w*|sector\w*|bloc|peers?|breadth|volatil\w*"
            r"|perform\w*|rally|rallied|sell-?off|range|what the market did|relative strength"
        ),
        AgentId.TECHNICAL_SPECIALIST: (
            r"technicals?|charts?|indicators?|rsi|macd|adx|momentum|moving averages?|overbought"
            r"|oversold|break-?outs?|support|resistance|candles?|candlesticks?|bollinger"
        ),
        AgentId.FUNDAMENTAL_SPECIALIST: (
            r"fundamentals?|rates?|differentials?|carry|yields?|inflation|polic(?:y|ies)"
            r"|central banks?|fed|fomc|boj|ecb|boe|rba|rbnz|snb|hikes?|cuts?|valu\w+|earnings"
            r"|revenues?|margins?|balance sheet|debt|expensive|cheap|growth"
        ),
        AgentId.SENTIMENT_SPECIALIST: (
            r"sentiment|news|headlines?|mood|tone|narrative|stories|story|opinion|reported"
            r"|analyst ratings?|fear|greed"
        ),
        AgentId.PATTERN_SPECIALIST: (
            r"patterns?|histor\w+|season\w*|analogues?|anomal\w+|unusual|precedents?|recur\w*"
            r"|cycles?|past episodes?"
        ),
    }
)

SPECIALISTS: Final = tuple(_WORDS)
"""The specialists in the order in which they are asked where an objective prefers none."""

_ASPECTS: Final = {
    agent: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for agent, words in _WORDS.items()
}


def complexity_of(objective: str, markets: int) -> Complexity:
    """How much an objective about so many markets needs, by the rules above."""
    if markets > 1 or BROAD.search(objective):
        return Complexity.COMPLEX
    if REASONS.search(objective) or len(aspects_named(objective)) > 1:
        return Complexity.MODERATE
    return Complexity.SIMPLE


def aspects_named(objective: str) -> tuple[AgentId, ...]:
    """The specialists whose work an objective speaks of, the most spoken of first."""
    counts = {agent: len(words.findall(objective)) for agent, words in _ASPECTS.items()}
    named = [agent for agent in SPECIALISTS if counts[agent]]
    return tuple(sorted(named, key=lambda agent: -counts[agent]))


def in_order_of(objective: str) -> tuple[AgentId, ...]:
    """All specialists, those whose work the objective speaks of first."""
    return tuple(dict.fromkeys((*aspects_named(objective), *SPECIALISTS)))
