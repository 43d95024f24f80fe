"""The verdict on each claim of a report, and how many printed figures have a second origin.

A printed figure is a claim in a market's section with its verdict. If it is in several sections, it
counts in each. It has a second origin if its verdict is verified: a source of another origin states
it, or it is recomputed from figures that all have one. A contested figure counts as without,
although another origin stated something.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, DecidedBy
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict, CrossCheck
from desk.contracts.week.report import MarketOutcome, MarketReport, ResearchReport
from desk.programs.week.document.judging.surviving import PrintedClaims
from desk.trust.ledger import FailedCheck
from desk.trust.prose import clip


class SecondOrigins(NamedTuple):
    """The printed figures of a report by their verdicts."""

    verified: int
    single_source: int
    contested: int

    @property
    def figures(self) -> int:
        """All printed figures."""
        return self.verified + self.single_source + self.contested

    @property
    def share(self) -> float:
        """The share of figures with a second origin, 0 to 1; 0 if none is printed."""
        return self.verified / self.figures if self.figures else 0.0


class OneOrigin(NamedTuple):
    """Figures without a second origin for the same reason: what they rest on, their kinds, their
    number, and the reason."""

    rests_on: str
    metrics: tuple[str, ...]
    figures: int
    reason: str


def second_origins(report: ResearchReport) -> SecondOrigins:
    """How many printed figures of a report are verified, and how many are not."""
    statuses = [verdict.status for _, _, verdict in _printed(report)]
    return SecondOrigins(
        statuses.count(ClaimStatus.VERIFIED),
        statuses.count(ClaimStatus.SINGLE_SOURCE),
        statuses.count(ClaimStatus.CONTESTED),
    )


def of_one_origin(report: ResearchReport) -> tuple[OneOrigin, ...]:
    """The figures without a second origin by what they rest on, most first.

    A computed figure rests on those of its inputs that have no second origin.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for market, claim, verdict in _printed(report):
        if verdict.status is not ClaimStatus.VERIFIED:
            root = _root(claim, _by_name(market), {each.claim_id: each for each in market.claims})
            groups.setdefault((root.claim_id, root.words), []).append(claim.metric)
    found = (
        OneOrigin(name, tuple(dict.fromkeys(metrics)), len(metrics), words)
        for (name, words), metrics in groups.items()
    )
    return tuple(sorted(found, key=lambda group: (-group.figures, group.rests_on)))


def _printed(report: ResearchReport) -> Iterator[tuple[MarketReport, Claim, ClaimVerdict]]:
    for market in report.markets:
        verdicts = _by_name(market)
        for claim in market.claims:
            if claim.claim_id in verdicts:
                yield market, claim, verdicts[claim.claim_id]


def _by_name(market: MarketReport) -> Mapping[str, ClaimVerdict]:
    return {
        verdict.claim_id: verdict
        for verdict in market.verdicts
        if verdict.status is not ClaimStatus.REJECTED
    }


def _root(
    claim: Claim, verdicts: Mapping[str, ClaimVerdict], claims: Mapping[str, Claim]
) -> ClaimVerdict:
    """Returns the verdict on the first input, at any depth, that has no second origin itself."""
    for name in claim.inputs:
        verdict = verdicts.get(name)
        if verdict is not None and verdict.status is not ClaimStatus.VERIFIED and name in claims:
            return _root(claims[name], verdicts, claims)
    return verdicts[claim.claim_id]


SILENT: Final = "the validator gave no verdict on it"
NOT_REACHED: Final = "its validation had not ended when the report was due"
DECIDERS: Final = {
    DecidedBy.VOTE: "a vote",
    DecidedBy.PERSON: "a person",
    DecidedBy.DEFAULT: "the stated default",
    DecidedBy.PUBLISHER: "its own publisher's word",
}


def verdicts_of(
    outcome: MarketOutcome, surviving: PrintedClaims, conflicts: Iterable[ConflictRecord]
) -> tuple[ClaimVerdict, ...]:
    """Returns one verdict for each printed claim, in order, and one for each rejected claim.

    The validator's verdict counts if there is one. A claim that a conflict was decided for is
    contested. A claim that was not validated has a single source, with the reason.
    """
    validated = outcome.validation.verdicts if outcome.validation else ()
    known = frozenset(result.evidence_id for result in outcome.evidence)
    given = {
        verdict.claim_id: _as_supported(verdict, known)
        for verdict in validated
        if verdict.status is not ClaimStatus.REJECTED
    }
    decided = _decided(conflicts)
    printed = (
        _contested(given.get(name) or _unvalidated(claim, outcome), decided.get(name))
        for name, claim in surviving.claims.items()
    )
    rejected = (_rejected(name, found) for name, found in surviving.rejected.items())
    return (*printed, *rejected)


def with_contested(section: MarketReport, contested: Mapping[str, CrossCheck]) -> MarketReport:
    """Marks the claims as contested that contradict other markets'."""
    verdicts = tuple(
        _contested_across(verdict, contested.get(verdict.claim_id)) for verdict in section.verdicts
    )
    return section.model_copy(update={"verdicts": verdicts})


def _decided(conflicts: Iterable[ConflictRecord]) -> dict[str, ConflictRecord]:
    """The decided conflicts about figures, by the claims in them."""
    return {
        position.claim_id: conflict
        for conflict in conflicts
        if conflict.resolved and conflict.chosen is not None
        for position in conflict.positions
        if position.claim_id is not None
    }


def _as_supported(verdict: ClaimVerdict, known: frozenset[str]) -> ClaimVerdict:
    """Restricts the verdict to what its evidence supports: without a second origin nothing is
    verified. Omits evidence that is not a tool result of the market."""
    status = verdict.status
    if status is ClaimStatus.VERIFIED and len(set(verdict.origins)) < 2:
        status = ClaimStatus.SINGLE_SOURCE
    evidence = tuple(name for name in verdict.evidence if name in known)
    return verdict.model_copy(update={"status": status, "evidence": evidence})


def _contested(verdict: ClaimVerdict, conflict: ConflictRecord | None) -> ClaimVerdict:
    if conflict is None:
        return verdict
    decider = DECIDERS[conflict.decided_by or DecidedBy.VOTE]
    words = f"Sources disagree on it, and {decider} decided for this figure."
    return verdict.model_copy(
        update={
            "status": ClaimStatus.CONTESTED,
            "decided_by": ClaimCheck.SECOND_SOURCE,
            "words": words,
        }
    )


def _contested_across(verdict: ClaimVerdict, check: CrossCheck | None) -> ClaimVerdict:
    if check is None or verdict.status is ClaimStatus.REJECTED:
        return verdict
    return verdict.model_copy(
        update={
            "status": ClaimStatus.CONTESTED,
            "decided_by": ClaimCheck.CROSS_MARKET,
            "words": check.text,
        }
    )


def _unvalidated(claim: Claim, outcome: MarketOutcome) -> ClaimVerdict:
    checks = outcome.validation.checks if outcome.validation else ()
    words = f"It follows from its evidence. It was not validated: {_why(outcome)}."
    if claim in checks:
        words = "It follows from its evidence, which the validator fetched."
    return ClaimVerdict(
        claim_id=claim.claim_id,
        status=ClaimStatus.SINGLE_SOURCE,
        decided_by=ClaimCheck.EVIDENCE,
        words=clip(words),
    )


def _why(outcome: MarketOutcome) -> str:
    """Returns why a claim has no verdict: there was no validation, or the validator did not mention
    it."""
    if outcome.validation is not None:
        return SILENT
    lines = [line for line in outcome.agents if line.task_type is TaskType.VALIDATE]
    failed = next((line.error for line in lines if not line.delivered and line.error), None)
    return failed.removesuffix(".") if failed else NOT_REACHED


def _rejected(name: str, failed: FailedCheck) -> ClaimVerdict:
    return ClaimVerdict(
        claim_id=name,
        status=ClaimStatus.REJECTED,
        decided_by=failed.check,
        words=clip(failed.words),
    )
