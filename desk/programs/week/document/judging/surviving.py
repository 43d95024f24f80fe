"""Decides which claims a report prints: those that survive the conflicts and follow from their
evidence. Claims rejected by the validator or by the ledger are withheld, with everything computed
from them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus
from desk.contracts.runs.judgement import FindingsToJudge
from desk.contracts.week.report import MarketOutcome
from desk.programs.week.document.judging.claims import same_figure, week_claims
from desk.trust.claims.dependence import without_dependents
from desk.trust.claims.rejections import without_rejected
from desk.trust.conflicts import state, state_on, surviving_claims
from desk.trust.ledger import FAILURES, FailedCheck, Ledger
from desk.trust.prose import references

MOST_CLAIMS: Final = 200
"""The limit of `ResearchResult.claims`."""

RESTS_ON_WITHHELD: Final = "Withheld: it was computed from a figure that is withheld."


class Sifted(NamedTuple):
    """A market's outcome with the claims that follow from their evidence, and why the others are
    rejected."""

    outcome: MarketOutcome
    delivered: tuple[str, ...]
    rejected: Mapping[str, FailedCheck]
    fallen: frozenset[tuple[str, str, str]] = frozenset()
    """The figures that were stated and rejected, in the form of `stated_in`."""


class PrintedClaims(NamedTuple):
    """A market's printed claims by id, in the order delivered, and why others are rejected."""

    claims: Mapping[str, Claim]
    rejected: Mapping[str, FailedCheck]


def with_referred(outcome: MarketOutcome) -> MarketOutcome:
    """Adds the figures that the validator fetched for its objections to the first finding: they are
    judged and printed like the others."""
    if outcome.validation is None or not outcome.results:
        return outcome
    held = {claim.claim_id for result in outcome.results for claim in result.claims}
    checks = {claim.claim_id: claim for claim in outcome.validation.checks}
    said = (references(issue.description) for issue in outcome.validation.issues)
    named = _with_inputs((name for names in said for name in names), checks)
    wanted = [checks[name] for name in dict.fromkeys(named) if name in checks.keys() - held]
    first, *others = outcome.results
    first = first.model_copy(update={"claims": (*first.claims, *wanted)[:MOST_CLAIMS]})
    return outcome.model_copy(update={"results": (first, *others)})


def _with_inputs(names: Iterable[str], claims: Mapping[str, Claim]) -> Iterator[str]:
    """Yields the names, each after the names that its claim is computed from."""
    for name in names:
        yield from _with_inputs(claims[name].inputs if name in claims else (), claims)
        yield name


def sifted(outcome: MarketOutcome, ledger: Ledger) -> Sifted:
    """Removes the claims that the validator rejected or that fail the ledger."""
    verdicts = outcome.validation.verdicts if outcome.validation else ()
    rejected = {
        verdict.claim_id: FailedCheck(verdict.decided_by, verdict.words)
        for verdict in verdicts
        if verdict.status is ClaimStatus.REJECTED
    }
    passed = without_rejected(outcome.results, outcome.validation)
    results = tuple(_sound(result, passed, ledger, rejected) for result in passed)
    delivered = dict.fromkeys(c.claim_id for result in outcome.results for c in result.claims)
    left = {claim.claim_id for result in results for claim in result.claims}
    for name in delivered.keys() - left:
        rejected.setdefault(name, FailedCheck(ClaimCheck.FORMULA, RESTS_ON_WITHHELD))
    sound = outcome.model_copy(update={"results": results})
    fallen = stated_in(outcome) - stated_in(sound)
    return Sifted(sound, tuple(delivered), rejected, frozenset(fallen))


def stated_in(outcome: MarketOutcome) -> set[tuple[str, str, str]]:
    """Returns the agent, the claim id and the figure of every claim."""
    return {
        (result.agent, claim.claim_id, stated)
        for result in outcome.results
        for claim in result.claims
        for stated in (state(claim.value, claim.unit), state_on(claim))
    }


def surviving_claims_of(
    markets: Sequence[Sifted], conflicts: Sequence[ConflictRecord], ledger: Ledger
) -> dict[str, PrintedClaims]:
    """The surviving claims of each market, by market.

    One id has one figure in the whole report. If markets differ, all of them print the figure of
    the market that the claim is about, and none prints what that market rejected.
    """
    found = {
        market.outcome.market: _settled(
            surviving_claims(market.outcome.results, conflicts), market.rejected, ledger
        )
        for market in markets
    }
    all_claims = week_claims({market: surviving.claims for market, surviving in found.items()})
    week = {
        name: claim
        for name, claim in all_claims.items()
        if claim.subject not in found or name not in found[claim.subject].rejected
    }
    return {
        market.outcome.market: _in_week(market, found[market.outcome.market], week, ledger)
        for market in markets
    }


def _sound(
    result: ResearchResult,
    results: Iterable[ResearchResult],
    ledger: Ledger,
    rejected: dict[str, FailedCheck],
) -> ResearchResult:
    """Restricts the result to the claims that follow from their evidence. Records the others in
    `rejected`."""
    known = {claim.claim_id: claim for other in results for claim in other.claims}
    known |= {claim.claim_id: claim for claim in result.claims}
    fallen: dict[str, FailedCheck] = {}
    for claim in sorted(result.claims, key=lambda claim: bool(claim.inputs)):
        failed = _resting_on(claim, fallen) or _of_ledger(ledger, claim, known)
        if failed is not None:
            fallen[claim.claim_id] = failed
    for name, failed in fallen.items():
        rejected.setdefault(name, failed)
    gone = [claim for claim in result.claims if claim.claim_id in fallen]
    kept = [claim for claim in result.claims if claim.claim_id not in fallen]
    return result.model_copy(update={"claims": without_dependents(kept, gone)})


def _settled(
    claims: Mapping[str, Claim], rejected: Mapping[str, FailedCheck], ledger: Ledger
) -> PrintedClaims:
    """Removes claims until nothing rests on a removed claim. Ids that survive after all, by another
    agent's sound claim, are removed from `rejected`."""
    failures = {name: found for name, found in rejected.items() if name not in claims}
    left = dict(claims)
    fallen = True
    while fallen:
        fallen = False
        for name, claim in tuple(left.items()):
            failed = _failed_check(claim, left, ledger)
            if failed is not None:
                failures[name] = failed
                del left[name]
                fallen = True
    return PrintedClaims(left, failures)


def _failed_check(claim: Claim, claims: Mapping[str, Claim], ledger: Ledger) -> FailedCheck | None:
    if not claim.inputs:
        return None
    gone = [name for name in claim.inputs if name not in claims]
    return _resting_on(claim, gone) or _of_ledger(ledger, claim, claims)


def _resting_on(claim: Claim, gone: Collection[str]) -> FailedCheck | None:
    named = [name for name in claim.inputs if name in gone]
    words = f"Withheld: it rests on {', '.join(named)}, which is withheld."
    return FailedCheck(ClaimCheck.FORMULA, words) if named else None


def _of_ledger(ledger: Ledger, claim: Claim, claims: Mapping[str, Claim]) -> FailedCheck | None:
    """Returns the check that a claim fails, without figures: a withheld figure must not appear in
    its reason."""
    failed = ledger.failed_check(claim, claims)
    if failed is None:
        return None
    return failed._replace(words=f"Withheld: {FAILURES[failed.check]}.")


def _in_week(
    market: Sifted, surviving: PrintedClaims, week: Mapping[str, Claim], ledger: Ledger
) -> PrintedClaims:
    claims = {
        name: _preferred(surviving.claims.get(name), week[name])
        for name in market.delivered
        if name in week and name not in surviving.rejected
    }
    return _settled(claims, surviving.rejected, ledger)


def _preferred(own: Claim | None, of_week: Claim) -> Claim:
    """Returns the market's own claim with its own evidence, if it states the same as the week's."""
    return own if own and same_figure(own, of_week) else of_week


def read_again(asked: FindingsToJudge) -> FindingsToJudge:
    """Removes the claims that do not follow from their evidence from the findings. Returns them
    unchanged if the window or the base area is not known."""
    if asked.window is None or asked.base_area is None:
        return asked
    evidence = [result for outcome in asked.outcomes for result in outcome.evidence]
    ledger = Ledger(asked.markets, asked.window, asked.base_area, evidence)
    outcomes: tuple[MarketOutcome, ...] = tuple(
        sifted(outcome, ledger).outcome for outcome in asked.outcomes
    )
    return asked.model_copy(update={"outcomes": outcomes})
