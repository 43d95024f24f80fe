"""Changes a run's policy by the desk's own record."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from desk.agents.capabilities import configured
from desk.contracts.agents.capabilities import OWN_SOURCES, Capability, Route
from desk.contracts.agents.config import RunPolicy, VotingConfig
from desk.contracts.learning.lessons import (
    Advice,
    AdviceKind,
    Recommendation,
    RecordWeight,
    WeightOf,
)
from desk.contracts.names import AgentId

HEAVIEST: Final = 10.0
"""The maximum weight of a vote, whatever it is multiplied by."""


class AdviceUse(StrEnum):
    """Whether a run followed a recommendation."""

    FOLLOWED = "followed"
    WITHOUT_EFFECT = "without effect"
    NOT_FOLLOWED = "not followed"


class Judged(NamedTuple):
    """A recommendation, and whether the run followed it."""

    recommendation: Recommendation
    taken: AdviceUse


def policy_with(policy: RunPolicy, advice: Advice | None, follows: Iterable[str] = ()) -> RunPolicy:
    """Returns the policy of a run: the configured one, changed by the record.

    The record's weights always apply; recommendations apply if `follows` has their id, and unknown
    ids are ignored. No source, tool or agent is added or removed: a source can only be moved back.
    """
    if advice is None:
        return policy
    named = set(follows)
    for each in advice.recommendations:
        if each.advice_id in named:
            policy = _followed(policy, each)
    return policy.model_copy(update={"voting": voting_with(policy.voting, advice.weights)})


def judged(policy: RunPolicy, advice: Advice, follows: Iterable[str]) -> tuple[Judged, ...]:
    """Returns every recommendation and whether the run followed it, in their order.

    A followed recommendation is without effect if no other source has the capability or calls have
    that much time already.
    """
    named, found = set(follows), []
    for each in advice.recommendations:
        taken = AdviceUse.NOT_FOLLOWED
        if each.advice_id in named:
            after = _followed(policy, each)
            taken = AdviceUse.WITHOUT_EFFECT if after == policy else AdviceUse.FOLLOWED
            policy = after
        found.append(Judged(each, taken))
    return tuple(found)


def can_be_followed(recommendation: Recommendation) -> bool:
    """Returns whether a run can follow the recommendation by itself, and the recommendation has all
    fields that this needs."""
    if recommendation.kind is AdviceKind.ADD_SOURCE:
        return False
    if recommendation.kind is AdviceKind.PREFER_FALLBACK:
        return recommendation.capability is not None
    if recommendation.kind is AdviceKind.RAISE_TIMEOUT:
        return recommendation.seconds is not None
    return True


def voting_with(voting: VotingConfig, weights: Iterable[RecordWeight]) -> VotingConfig:
    """Returns the rules of voting with the weights of agents and sources multiplied by the record's
    factors."""
    agents: dict[AgentId, float] = dict(voting.agents)
    sources = dict(voting.sources)
    for weight in weights:
        if weight.voice is WeightOf.SOURCE:
            sources[weight.name] = _times(sources.get(weight.name, 1.0), weight.factor)
        elif weight.name in set(AgentId.known()):
            agent = AgentId(weight.name)
            agents[agent] = _times(agents.get(agent, 1.0), weight.factor)
    return voting.model_copy(update={"agents": agents, "sources": sources})


def _times(weight: float, factor: float) -> float:
    return min(HEAVIEST, round(weight * factor, 6))


def _followed(policy: RunPolicy, recommendation: Recommendation) -> RunPolicy:
    if recommendation.kind is AdviceKind.ADD_SOURCE:
        return policy
    if recommendation.kind is AdviceKind.RAISE_TIMEOUT:
        return _with_timeout(policy, recommendation.seconds)
    asked = (recommendation.capability,) if recommendation.capability else tuple(Capability)
    changed: Mapping[Capability, tuple[Route, ...]] = {
        capability: routes
        for capability in asked
        if (routes := _asked_last(recommendation.server, capability, policy))
        != configured(capability, policy)
    }
    if not changed:
        return policy
    return policy.model_copy(update={"capabilities": {**policy.capabilities, **changed}})


def _asked_last(server: str, capability: Capability, policy: RunPolicy) -> tuple[Route, ...]:
    """Returns the routes of a capability with the server moved to the end: it is called only if the
    others have nothing. Unchanged if no other source of the run has the capability."""
    routes = configured(capability, policy)
    own = tuple(route for route in routes if route.server == server)
    others = tuple(route for route in routes if route.server != server)
    return (*others, *own) if _reachable(others, policy) else routes


def _reachable(routes: Sequence[Route], policy: RunPolicy) -> bool:
    return any(route.server in (policy.sources or OWN_SOURCES) for route in routes)


def _with_timeout(policy: RunPolicy, seconds: float | None) -> RunPolicy:
    """Returns the policy with more time for a call, but no more than its task has."""
    deadlines = policy.deadlines
    asked = timedelta(seconds=seconds) if seconds is not None else deadlines.tool_call
    given = max(deadlines.tool_call, min(asked, deadlines.task))
    if given == deadlines.tool_call:
        return policy
    longer = deadlines.model_copy(update={"tool_call": given})
    return policy.model_copy(update={"deadlines": longer})
