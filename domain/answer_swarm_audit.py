"""Verifying what an answer tells of a swarm: from the answer itself, and nothing else is read."""

from collections import Counter
from collections.abc import Iterator, Mapping

from contracts.answers import AnswerReport
from contracts.claims import Claim
from contracts.results import ConflictRecord, DecidedBy
from contracts.swarm import SwarmRecord
from domain.answer_prose import Known
from domain.answer_swarm import objection_to, texts_of_swarm
from domain.audit_findings import AuditFinding
from domain.conflicts import decide, default_position
from domain.figure_gate import read_prose
from domain.positions import state, state_on
from domain.prose import references
from domain.swarm_graph import node_name
from domain.voting import spread_of


def swarm_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Whether rounds, conflicts and hypotheses agree with the graph and the claims of the answer,
    conflicts were decided as they say, and nothing that is printed of them is a figure of nobody.

    The weights of positions and what a person chose are taken as they stand: only the seal guards
    them, and what was asked of the specialists.
    """
    if answer.swarm is None:
        return
    claims = {claim.claim_id: claim for claim in answer.claims}
    yield from _of_rounds(answer, answer.swarm)
    yield from _of_hypotheses(answer, answer.swarm, claims)
    yield from _of_prose(answer.swarm, claims)
    names = Counter(conflict.conflict_id for conflict in answer.swarm.conflicts)
    for conflict in answer.swarm.conflicts:
        where = f"conflict {conflict.conflict_id}"
        if names[conflict.conflict_id] > 1:
            yield AuditFinding(where, "there are two of this id")
        for words in _objections(conflict, claims):
            yield AuditFinding(where, words)


def _of_rounds(answer: AnswerReport, swarm: SwarmRecord) -> Iterator[AuditFinding]:
    numbers = [each.number for each in swarm.rounds]
    if numbers != list(range(1, len(numbers) + 1)):
        yield AuditFinding("rounds", "they are not numbered from 1 on")
    if swarm.rounds[0].objective != answer.question:
        yield AuditFinding("round 1", "its objective is not what was asked")
    agents = {node.name: node.agent for node in answer.graph.nodes}
    markets = {spec.market for spec in swarm.markets}
    for each in swarm.rounds:
        for subagent in each.plan.subagents:
            name = node_name(subagent.name, each.number)
            if agents.get(name) is not subagent.agent:
                words = f"{subagent.name} of the plan is no node {name} of its agent"
                yield AuditFinding(f"round {each.number}", words)
            if subagent.market.market not in markets:
                words = f"{subagent.market.market} is none of the swarm's markets"
                yield AuditFinding(f"round {each.number}", words)


def _of_hypotheses(
    answer: AnswerReport, swarm: SwarmRecord, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    counts = Counter(hypothesis.hypothesis_id for hypothesis in swarm.hypotheses)
    markets = {spec.market for spec in swarm.markets}
    for hypothesis in swarm.hypotheses:
        where = f"hypothesis {hypothesis.hypothesis_id}"
        if counts[hypothesis.hypothesis_id] > 1:
            yield AuditFinding(where, "there are two of this id")
        if hypothesis.market.market not in markets:
            yield AuditFinding(where, "its market is none of the swarm's")
        objection = objection_to(hypothesis, claims, answer.as_of)
        if objection is not None:
            yield AuditFinding(where, objection)


def _of_prose(swarm: SwarmRecord, claims: Mapping[str, Claim]) -> Iterator[AuditFinding]:
    known = Known(claims, {})
    for where, prose in texts_of_swarm(swarm):
        for name in references(prose):
            if not known.has(name):
                yield AuditFinding(where, f"it refers to {name}, which is not here")
        for figure in read_prose(prose, claims, place=where).rejected:
            yield AuditFinding(where, f"{figure.written!r} is no claim: {figure.reason}")


def _objections(conflict: ConflictRecord, claims: Mapping[str, Claim]) -> Iterator[str]:
    held = [position.stated for position in conflict.positions if not position.abstains]
    if conflict.chosen is not None and conflict.chosen not in held:
        yield f"{conflict.chosen} was chosen, which is none of its positions"
        return
    if conflict.spread != spread_of(conflict.positions):
        yield "its spread is not that of the confidences"
    if conflict.resolved is (conflict.decided_by is None) or (
        conflict.chosen is not None and not conflict.resolved
    ):
        yield "it does not say whether it was decided"
    elif conflict.decided_by is not None:
        yield from _decided_otherwise(conflict, conflict.decided_by)
    for name in {position.claim_id for position in conflict.positions} & claims.keys():
        if name is not None and not _is_chosen(claims[name], conflict):
            yield f"{name} is printed, and is not what was chosen"


def _decided_otherwise(conflict: ConflictRecord, by: DecidedBy) -> Iterator[str]:
    """Whether the vote goes another way, or what is said of it does not follow from it."""
    heaviest = default_position(conflict)
    voted = None if heaviest is None else conflict.positions[heaviest].stated
    if by is not DecidedBy.PERSON and conflict.chosen != voted:
        yield f"{conflict.chosen or 'nothing'} was chosen, and the greatest weight is {voted}'s"
    places: list[int | None] = [
        place
        for place, position in enumerate(conflict.positions)
        if position.stated == conflict.chosen and not position.abstains
    ]
    told = {
        decide(conflict, place, by, conflict.decided_by_whom).resolution
        for place in (places or [None])
    }
    if conflict.resolution not in told:
        yield "how it was settled does not follow from its positions"


def _is_chosen(claim: Claim, conflict: ConflictRecord) -> bool:
    stated = (state(claim.value, claim.unit), state_on(claim))
    return conflict.chosen in stated and any(
        position.claim_id == claim.claim_id and position.stated == conflict.chosen
        for position in conflict.positions
    )
