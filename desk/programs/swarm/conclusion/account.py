"""The state of a swarm's research when its leader concludes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from desk.agents.speciality import Clause
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import market_in_a_sentence
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Leaning, ResearchResult
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import StateEntry, TurnRequest
from desk.contracts.swarm.plan import SwarmPlan
from desk.programs.swarm.balance import Balance, balance_of
from desk.programs.swarm.findings import planned_as
from desk.programs.swarm.tasks import SPECIALISTS, SPECIALITIES
from desk.trust.conflicts import surviving_claims
from desk.trust.prose import references, split_sentences


@dataclass(frozen=True, slots=True)
class Account:
    """The findings of all rounds by specialist, the claims that survived the vote, and the balance
    of each market's views."""

    request: TurnRequest
    markets: tuple[MarketSpec, ...]
    found: tuple[tuple[AgentId, ResearchResult], ...]
    surviving: Mapping[str, Claim]
    balances: Mapping[str, Balance]

    def on(self, market: str) -> tuple[tuple[AgentId, ResearchResult], ...]:
        """Returns the findings on a market, in the order of the specialists."""
        here = [(agent, result) for agent, result in self.found if result.market == market]
        order = {agent: place for place, agent in enumerate(SPECIALISTS)}
        return tuple(sorted(here, key=lambda each: order.get(each[0], len(order))))

    def value(self, market: str, metric: Metric) -> Decimal | None:
        """Returns a market's surviving figure; None without one."""
        claim = self.surviving.get(claim_id(market, metric))
        return claim.value if claim else None

    def founded(self, prose: str, result: ResearchResult) -> str:
        """Returns the sentences of a result whose figures survived. A reference to a figure that
        lost the vote would print the one that won."""
        own = {claim.claim_id: claim for claim in result.claims}
        kept = (
            piece
            for piece in split_sentences(prose)
            if all(self._stands(name, own) for name in references(piece))
        )
        return "".join(kept).strip()

    def _stands(self, name: str, own: Mapping[str, Claim]) -> bool:
        stands = self.surviving.get(name)
        if stands is None or name not in own:
            return False
        return (own[name].value, own[name].unit) == (stands.value, stands.unit)


def account_of(request: TurnRequest) -> Account:
    """Builds the account from a request's state and conflicts."""
    found = tuple(_found(request.state))
    results = tuple(result for _, result in found)
    markets = _markets(request.state)
    return Account(
        request=request,
        markets=markets,
        found=found,
        surviving=surviving_claims(results, request.conflicts),
        balances={
            market.market: balance_of(market.market, results, request.conflicts, request.voting)
            for market in markets
        },
    )


def _found(state: tuple[StateEntry, ...]) -> Iterator[tuple[AgentId, ResearchResult]]:
    """Yields the last result of each specialist on a market. A stand-in's counts as that of the
    specialist it replaced."""
    planned = planned_as(state)
    newest: dict[tuple[AgentId, str], ResearchResult] = {}
    for entry in state:
        if isinstance(entry.result, ResearchResult):
            known = planned.get(entry.node)
            agent = known.agent if known else entry.result.agent
            newest[agent, entry.result.market] = entry.result
    yield from ((agent, result) for (agent, _), result in newest.items())


def lost_on(account: Account, market: str) -> tuple[AgentId, ...]:
    """Returns the specialists whose last result on a market rests on less than they asked for, or
    that failed."""
    planned = planned_as(account.request.state)
    newest: dict[AgentId, StateEntry] = {}
    for entry in account.request.state:
        spec = planned.get(entry.node)
        if spec is None or spec.market.market != market:
            continue
        if entry.result is not None or spec.agent not in newest:
            newest[spec.agent] = entry
    return tuple(agent for agent, entry in newest.items() if entry.lost or entry.error)


def _markets(state: tuple[StateEntry, ...]) -> tuple[MarketSpec, ...]:
    plans = [entry.result for entry in state if isinstance(entry.result, SwarmPlan)]
    specs = (subagent.market for plan in plans for subagent in plan.subagents)
    known: dict[str, MarketSpec] = {}
    for spec in specs:
        known.setdefault(spec.market, spec)
    return tuple(known.values())


def _clauses(agent: AgentId) -> tuple[Clause, ...]:
    return SPECIALITIES[agent].clauses if agent in SPECIALITIES else ()


def evidence_of(account: Account, agent: AgentId, market: str, leaning: Leaning) -> str:
    """Returns the first surviving clause that points in a direction, as `a rate differential of
    [[USD/JPY:differential]], …`; empty without one."""
    for clause in _clauses(agent):
        if _points(account, market, clause) is leaning:
            told = [
                words.format(f"[[{claim_id(market, metric)}]]")
                for metric, words in clause.parts
                if account.value(market, metric) is not None
            ]
            return ", ".join(told)
    return ""


def voice_with_evidence(account: Account, agent: AgentId, market: str, leaning: Leaning) -> str:
    """Returns a specialist's voice with its evidence: `the fundamentals (a rate differential of
    …)`."""
    voice = SPECIALITIES[agent].voice if agent in SPECIALITIES else "further findings"
    found = evidence_of(account, agent, market, leaning)
    return f"{voice} ({found})" if found else voice


def _points(account: Account, market: str, clause: Clause) -> Leaning | None:
    value = account.value(market, clause.first)
    level = account.value(market, clause.beside) if clause.beside else Decimal(0)
    if value is None or level is None or value == level:
        return None
    return Leaning.UP if value > level else Leaning.DOWN


COUNTS: Final = Decimal("0.5")
"""As a share of the usual move over a span: a smaller move does not count. A convention."""

_SPANS: Final = (
    (Metric.MONTH_MOVE, "on the month", Decimal("0.2887")),
    (Metric.QUARTER_MOVE, "on the quarter", Decimal("0.5")),
    (Metric.YEAR_MOVE, "on the year", Decimal(1)),
)
"""Each span with the share of a year's volatility that is usual over it: the square root of its
share of the year."""


class MarketMove(NamedTuple):
    """A market's move over a span, with a reference, and whether the side in question gained by it
    (1), lost (-1), or neither."""

    market: str
    words: str
    sense: int


def spans(account: Account, market: str, side: int, most: Metric) -> tuple[MarketMove, ...]:
    """Returns a market's moves from the month up to a metric's span, for its first side (1) or its
    second (-1)."""
    wanted = [metric for metric, _, _ in _SPANS]
    return tuple(_spans(account, market, side, wanted[: wanted.index(most) + 1]))


def told(moves: Iterable[MarketMove]) -> str:
    """Lists moves by market: `USD/JPY +0.16 % on the month and -3.49 % on the quarter, AUD/JPY
    …`."""
    by_market: dict[str, list[str]] = {}
    for span in moves:
        by_market.setdefault(span.market, []).append(span.words)
    return ", ".join(
        f"{market_in_a_sentence(market)} {listed(words)}" for market, words in by_market.items()
    )


def side_of(market: str, currency: str | None) -> int:
    """Returns 1 if a currency is the first of a pair, or if no currency is given; -1 if it is the
    second; 0 if it is not in the pair."""
    if currency is None or "/" not in market:
        return 1
    base, _, quote = market.partition("/")
    return {base: 1, quote: -1}.get(currency, 0)


def _spans(
    account: Account, market: str, side: int, wanted: Sequence[Metric]
) -> Iterator[MarketMove]:
    volatility = account.value(market, Metric.VOLATILITY) or Decimal(0)
    for metric, words, share in _SPANS:
        move = account.value(market, metric)
        if metric not in wanted or move is None:
            continue
        little = abs(move) <= COUNTS * volatility * share
        sense = 0 if little else side if move > 0 else -side
        yield MarketMove(market, f"[[{claim_id(market, metric)}]] {words}", sense)
