"""The leader of a swarm: the plan of a round, and what is concluded from what it brought."""

from collections.abc import Iterable
from typing import Final

from desk.agents.roster import profile_of
from desk.analytics.names.markets import market_of_symbol
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.episode.analysis import KnownSymbol, KnownSymbols
from desk.contracts.findings.results import AgentError
from desk.contracts.learning.memory import Recalled
from desk.contracts.markets import MarketSpec
from desk.contracts.names import FailureType
from desk.programs.builtin.evidence import Evidence, TaskNotPossible, ask, read
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.conclusion.text import conclusion
from desk.programs.swarm.conclusion.wording import tell_nearest
from desk.programs.swarm.plan import Ground, plan_swarm
from desk.programs.swarm.question import SPECIALISTS, asked_now
from desk.trust.prose import clip

MOST_FOLLOWED: Final = 20
MOST_MARKETS: Final = 8
"""Markets of one objective; more are no question that one swarm answers."""


def plan(request: TurnRequest) -> Turn:
    """Ask which markets the objective names; with them, submit the plan of the round.

    Raises:
        TaskNotPossible: there is no objective, it names no market, or nobody could be asked.
    """
    objective = query_of(request).question
    if not request.exchanges:
        call = ask(request.assignment, Capability.SYMBOLS, query=asked_now(objective))
        return Turn(calls=(call,), note="Ask which markets the objective names")
    found = read(request, Capability.SYMBOLS, KnownSymbols)
    markets = _markets(request, found)
    ground = Ground(
        objective=objective,
        markets=markets,
        tools={agent: profile_of(agent).tools for agent in SPECIALISTS},
        complexity=request.complexity,
        state=request.state,
    )
    follows = _followed(request.recalled, markets)
    return Turn(result=plan_swarm(request.assignment.task_id, ground, follows))


def conclude(request: TurnRequest) -> Turn:
    """The conclusion, in one turn, from what the specialists found and how it was argued out.

    Raises:
        TaskNotPossible: there is no objective.
    """
    query_of(request)
    return Turn(result=conclusion(request))


def _markets(request: TurnRequest, found: Evidence[KnownSymbols]) -> tuple[MarketSpec, ...]:
    named = {symbol.symbol: symbol for symbol in found.answer.named}
    if not named:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=_no_market(found.answer.nearest),
                agent=request.assignment.agent,
                tool=found.source.tool,
                recovery_action="name a market in the objective",
            )
        )
    markets = (market_of_symbol(symbol, request.markets) for symbol in named.values())
    return tuple(markets)[:MOST_MARKETS]


def _no_market(nearest: Iterable[KnownSymbol]) -> str:
    return clip(
        "The objective names no market that there are prices of: name a pair such as USD/JPY, a"
        f" currency, or a company or its symbol.{tell_nearest(nearest)}"
    )


def _followed(recalled: Iterable[Recalled], markets: Iterable[MarketSpec]) -> tuple[str, ...]:
    """The memories about one of the markets, nearest first."""
    names = {market.market for market in markets}
    shared = (each.entry.memory_id for each in recalled if names.intersection(each.entry.markets))
    return tuple(dict.fromkeys(shared))[:MOST_FOLLOWED]
