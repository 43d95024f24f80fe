"""Conflicts of findings with a source of another origin that nobody had claimed anything from."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from desk.analytics.normalise import Comparable
from desk.analytics.units import UNITS
from desk.contracts.config import VotingConfig
from desk.contracts.findings.claims import Claim, Unit
from desk.contracts.findings.results import ConflictKind, ConflictRecord, Position, ResearchResult
from desk.contracts.names import AgentId
from desk.programs.builtin.case import Case
from desk.trust.conflicts import (
    NO_RANGES,
    Stand,
    bounds_of,
    claim_position,
    is_publisher,
    put_to_the_vote,
    state,
)
from desk.trust.ledger import Weakness, Witness, Witnesses, confidence, disagreeing

CERTAINTY = confidence((Weakness.SINGLE_SOURCE,))


def second_opinions(
    case: Case,
    findings: Sequence[ResearchResult],
    witnesses: Witnesses,
    detected: Iterable[ConflictRecord],
) -> Iterator[ConflictRecord]:
    """One conflict for each claim of the findings that another origin contradicts, put to the
    vote.

    What is disputed already, in `detected` or under another metric of the same day (a last fixing
    that is the window's low), is no second conflict.
    """
    market, voting = case.market.market, case.request.voting
    disputed = {p.claim_id for conflict in detected for p in conflict.positions}
    claims = [(finding, claim) for finding in findings for claim in finding.claims]
    seen = {_matter(claim) for _, claim in claims if claim.claim_id in disputed}
    for finding, claim in claims:
        against = disagreeing(claim, witnesses)
        if against and _matter(claim) not in seen:
            seen.add(_matter(claim))
            topic = f"{claim.subject}:{claim.metric}@{claim.as_of.isoformat()}"
            positions = _positions(finding, claim, against, case, voting)
            bounds = bounds_of(claim.subject, claim.metric, claim.as_of, voting, NO_RANGES)
            kind = ConflictKind.LEVEL
            yield put_to_the_vote(
                f"{market}/conflict/{topic}", market, kind, positions, voting, bounds
            )


def _matter(claim: Claim) -> tuple[str, str, date]:
    """What a dispute is about: of one day a pair has one level, whatever else it is."""
    about = claim.unit if claim.unit is Unit.LEVEL else claim.metric
    return claim.subject, about, claim.as_of


def _positions(
    finding: ResearchResult,
    claim: Claim,
    against: tuple[tuple[Witness, Comparable], ...],
    case: Case,
    voting: VotingConfig,
) -> list[Position]:
    agent = case.request.assignment.agent
    own = claim_position(Stand(finding, claim), voting)
    asked = {r.evidence_id: r.call.server for r in (*case.request.evidence, *case.request.results)}
    return [
        own,
        *(
            _position(agent, claim, *each, asked.get(each[0].evidence_id), voting)
            for each in against
        ),
    ]


def _position(
    agent: AgentId,
    claim: Claim,
    witness: Witness,
    compared: Comparable,
    server: str | None,
    voting: VotingConfig,
) -> Position:
    source = witness.source
    return Position(
        agent=agent,
        claim_id=claim.claim_id,
        stated=state(compared.other, UNITS[claim.metric]),
        source=source.name,
        server=server,
        origin=witness.statement.origin,
        tier=source.tier,
        confidence=CERTAINTY,
        weight=round(CERTAINTY * voting.weight_of(agent, source.tier, server), 6),
        publishes=is_publisher(witness.statement.origin, claim.claim_id, voting),
    )
