"""What an objective asks, so that the answer can begin with it.

| asked | where the objective |
| --- | --- |
| unwinding | has the word unwind, or one like it |
| drivers | asks for reasons: why, what drives, explain, because of what |
| outlook | looks ahead: will, should, outlook, next |
| better | compares |
| overbought, oversold | has that word |
| strong, weak | asks how something has done: strong, rising, rallying; weak, falling, selling off |
| outlook | is none of these |

The first row that fits holds.
"""

import re
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from desk.analytics.names.subjects import currency_asked_for
from desk.contracts.names import AgentId
from desk.contracts.swarm.plan import Complexity
from desk.programs.swarm.tasks import SPECIALITIES

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

SPECIALISTS: Final = tuple(SPECIALITIES)
"""The specialists in the order in which they are asked where an objective prefers none."""

_ASPECTS: Final = {
    agent: re.compile(rf"\b(?:{speciality.words})\b", re.IGNORECASE)
    for agent, speciality in SPECIALITIES.items()
}


def complexity_of(objective: str, markets: int) -> Complexity:
    """How much an objective about so many markets needs.

    The rules are a convention of the desk, in the order in which they are tried:

    | complexity | where the objective |
    | --- | --- |
    | complex | names two markets or more |
    | complex | has a word of a broad question, such as carry, unwind, outlook, regime or thesis |
    | moderate | asks for reasons: why, what drives, explain, because of what |
    | moderate | has words of two specialists' work or more |
    | simple | is none of these: one market and a narrow question |
    """
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


BEHIND: Final = " The question behind it: "
"""Stands between what a further round is to find out and what was asked at first."""


class AnswerForm(StrEnum):
    """The kind of answer that an objective wants."""

    UNWINDING = "unwinding"
    OVERBOUGHT = "overbought"
    OVERSOLD = "oversold"
    STRONG = "strong"
    WEAK = "weak"
    DRIVERS = "drivers"
    BETTER = "better"
    OUTLOOK = "outlook"


class SwarmQuestion(NamedTuple):
    """What is asked, of which currency where the objective says so, and of which past period."""

    asked: AnswerForm
    currency: str | None = None
    period: str | None = None


_KINDS: Final = (
    (AnswerForm.UNWINDING, r"unw[a-z]{0,3}n[a-z]*"),
    (AnswerForm.DRIVERS, REASONS.pattern),
    (AnswerForm.OUTLOOK, r"will|should|outlook|next|forecast\w*|where (?:is|are|does|will)"),
    (AnswerForm.BETTER, r"compar\w*|versus|vs|better|which of"),
    (AnswerForm.OVERBOUGHT, r"over-?b(?:ou|uo|o)ght"),
    (AnswerForm.OVERSOLD, r"over-?sold"),
    (
        AnswerForm.STRONG,
        r"str[eo]ng\w*|firm\w*|ris(?:e|en|es|ing)|rose|rall(?:y|ied|ying)|climb\w*|gain\w*"
        r"|appreciat\w*|uptrend|outperform\w*|doing well",
    ),
    (
        AnswerForm.WEAK,
        r"weak\w*|soft\w*|fall(?:s|en|ing)?|fell|slid\w*|drop\w*|declin\w*|depreciat\w*|downtrend"
        r"|selling off|sell-?off|sold off|underperform\w*",
    ),
)
_ASKED: Final = tuple(
    (asked, re.compile(words if "\\b" in words else rf"\b(?:{words})\b", re.IGNORECASE))
    for asked, words in _KINDS
)

_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
)
_SEASONS: Final = {"spring": 5, "summer": 8, "autumn": 11, "winter": 2}
_PERIOD: Final = re.compile(
    rf"\b(?:in|during|over|through|last|this)\s+(?:the\s+)?(?P<period>{'|'.join(_SEASONS)}"
    rf"|{_MONTHS})\b",
    re.IGNORECASE,
)


def question_of(objective: str) -> SwarmQuestion:
    """What an objective asks, by the rows above."""
    asked = next((kind for kind, words in _ASKED if words.search(objective)), AnswerForm.OUTLOOK)
    period = _PERIOD.search(objective)
    return SwarmQuestion(
        asked, currency_asked_for(objective), period["period"].lower() if period else None
    )


def first_asked(objective: str) -> str:
    """What was asked at first, of the objective of any round."""
    own, _, behind = objective.partition(BEHIND)
    return behind or own


def asked_now(objective: str) -> str:
    """What a round itself is to find out."""
    return objective.partition(BEHIND)[0]


def ends_in(period: str, as_of: datetime) -> bool:
    """Whether a quarter that ends at an instant is the period, or nearly: its last month, or the
    one after it."""
    last = _SEASONS.get(period) or _MONTHS.split("|").index(period) + 1
    return as_of.month in (last, last % 12 + 1)
