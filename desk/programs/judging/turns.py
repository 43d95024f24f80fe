"""What the desk holds of what agents delivered: of a turn, and of findings before anybody votes."""

from desk.contracts.agents.turns import MOST_REJECTED, AgentResult, Turn, TurnRequest
from desk.contracts.findings.judgement import FindingsToJudge
from desk.contracts.findings.results import Commentary, ConflictRecord, ValidationResult
from desk.contracts.week.report import MarketOutcome
from desk.programs.week.document.judging.surviving import sifted
from desk.trust.claims.rejections import without_rejected as without_rejected_claims
from desk.trust.claims.week_counts import week_counts
from desk.trust.conflicts import MOST_CONFLICTS, detect_conflicts, merged, target_ranges
from desk.trust.ledger import Ledger
from desk.trust.prose import review, without_rejected


def judged(turn: Turn, request: TurnRequest) -> Turn:
    """The turn with what is objected to in its result, and what is left of it without that.

    A validation has the conflicts between the findings it was shown besides.
    """
    if turn.result is None:
        return turn
    result = _with_conflicts(turn.result, request)
    known = {c.claim_id: c for finding in request.findings for c in finding.claims}
    if isinstance(result, Commentary):
        known |= week_counts(known)
    rejected = review(result, known, request.state, request.conflicts)
    update: dict[str, object] = {"result": result, "judged": True}
    if rejected:
        update["rejected"] = rejected[:MOST_REJECTED]
        update["without"] = without_rejected(result, rejected, request.state, request.conflicts)
    return turn.model_copy(update=update)


def _with_conflicts(result: AgentResult, request: TurnRequest) -> AgentResult:
    market = request.assignment.market
    if not isinstance(result, ValidationResult) or market is None:
        return result
    kept = without_rejected_claims(request.findings, result)
    ranges = target_ranges((*request.evidence, *request.results))
    detected = detect_conflicts(market.market, kept, request.voting, ranges)
    conflicts: tuple[ConflictRecord, ...] = merged(detected, result.conflicts)
    return result.model_copy(update={"conflicts": conflicts[:MOST_CONFLICTS]})


def read_again(asked: FindingsToJudge) -> FindingsToJudge:
    """The findings without the claims that do not follow from the evidence that they cite; as they
    are where nothing was sent to read them again by."""
    if asked.window is None or asked.base_area is None:
        return asked
    evidence = [result for outcome in asked.outcomes for result in outcome.evidence]
    ledger = Ledger(asked.markets, asked.window, asked.base_area, evidence)
    outcomes: tuple[MarketOutcome, ...] = tuple(
        sifted(outcome, ledger).outcome for outcome in asked.outcomes
    )
    return asked.model_copy(update={"outcomes": outcomes})
