"""What a swarm's leader has before it when it concludes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from desk.contracts.agents.turns import StateEntry, TurnRequest
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ResearchResult
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.swarm.swarm import SwarmPlan
from desk.programs.swarm.balance import Balance, balance_of
from desk.programs.swarm.plan import planned_as
from desk.programs.swarm.scope import SPECIALISTS
from desk.trust.conflicts import surviving_claims
from desk.trust.prose import references, split_sentences


@dataclass(frozen=True, slots=True)
class Account:
    """The findings of all rounds by whose work they are, the claims that stand after the vote, and
    where the views of each market come down."""

    request: TurnRequest
    markets: tuple[MarketSpec, ...]
    found: tuple[tuple[AgentId, ResearchResult], ...]
    standing: Mapping[str, Claim]
    balances: Mapping[str, Balance]

    def on(self, market: str) -> tuple[tuple[AgentId, ResearchResult], ...]:
        """What was found on a market, in the order of the specialists."""
        here = [(agent, result) for agent, result in self.found if result.market == market]
        order = {agent: place for place, agent in enumerate(SPECIALISTS)}
        return tuple(sorted(here, key=lambda each: order.get(each[0], len(order))))

    def value(self, market: str, metric: Metric) -> Decimal | None:
        """A market's figure that stands; None without one."""
        claim = self.standing.get(claim_id(market, metric))
        return claim.value if claim else None

    def founded(self, prose: str, result: ResearchResult) -> str:
        """The sentences of a result whose figures are those that stand: others lost the vote, and a
        reference would print what won."""
        own = {claim.claim_id: claim for claim in result.claims}
        kept = (
            piece
            for piece in split_sentences(prose)
            if all(self._stands(name, own) for name in references(piece))
        )
        return "".join(kept).strip()

    def _stands(self, name: str, own: Mapping[str, Claim]) -> bool:
        stands = self.standing.get(name)
        if stands is None or name not in own:
            return False
        return (own[name].value, own[name].unit) == (stands.value, stands.unit)


def account_of(request: TurnRequest) -> Account:
    """Everything that the state and the conflicts of a request tell."""
    found = tuple(_found(request.state))
    results = tuple(result for _, result in found)
    markets = _markets(request.state)
    return Account(
        request=request,
        markets=markets,
        found=found,
        standing=surviving_claims(results, request.conflicts),
        balances={
            market.market: balance_of(market.market, results, request.conflicts, request.voting)
            for market in markets
        },
    )


def _found(state: tuple[StateEntry, ...]) -> Iterator[tuple[AgentId, ResearchResult]]:
    """Of one specialist's work on a market the last; a stand-in's is that of whom it stood in
    for."""
    planned = planned_as(state)
    newest: dict[tuple[AgentId, str], ResearchResult] = {}
    for entry in state:
        if isinstance(entry.result, ResearchResult):
            known = planned.get(entry.node)
            agent = known.agent if known else entry.result.agent
            newest[agent, entry.result.market] = entry.result
    yield from ((agent, result) for (agent, _), result in newest.items())


def _markets(state: tuple[StateEntry, ...]) -> tuple[MarketSpec, ...]:
    plans = [entry.result for entry in state if isinstance(entry.result, SwarmPlan)]
    specs = (subagent.market for plan in plans for subagent in plan.subagents)
    known: dict[str, MarketSpec] = {}
    for spec in specs:
        known.setdefault(spec.market, spec)
    return tuple(known.values())
