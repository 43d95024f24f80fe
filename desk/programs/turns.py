"""Turns by the built-in analysts, and the judgement of all turns, including those of models."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from desk.agents.registry import TASKS
from desk.analytics.prices.series import window_days
from desk.contracts.agents.usage import BUILTIN_VERSION
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    Commentary,
    ConflictRecord,
    ResearchResult,
    ValidationResult,
)
from desk.contracts.findings.verdicts import FactCheck
from desk.contracts.runs.turns import (
    MOST_REJECTED,
    AgentResult,
    StateEntry,
    Turn,
    TurnRequest,
)
from desk.programs.builtin.evidence import TaskNotPossible
from desk.trust.claims.dollar_index import dollar_index_claims
from desk.trust.claims.rejections import without_rejected as without_rejected_claims
from desk.trust.claims.week_counts import week_counts
from desk.trust.conflicts import MOST_CONFLICTS, detect_conflicts, merged, target_ranges
from desk.trust.prose import fact_checked, objected_sentences, review, without_rejected

ANALYSTS: Final = {name: kind.load_analyst() for name, kind in TASKS.items()}
"""The built-in analyst of each task."""


_Shown = tuple[Sequence[StateEntry], Sequence[ConflictRecord], str]
"""What a writer was shown besides claims: a graph's state, its conflicts, and the question."""

NO_CLAIMS: Final[Mapping[str, Claim]] = MappingProxyType({})


def builtin_turn(request: TurnRequest) -> Turn:
    """Returns the built-in analyst's turn: tool calls first, then the result or the reason why
    there is none. Ignores the calls that a model made itself.

    The same request always gives the same turn. A tool that could not be called or that refused
    ends in `failure`, so that the task can be reassigned; a tool that has no data does not.

    Raises:
        LookupError: the task's package is not installed here.
    """
    task = request.assignment.task_type
    if task not in ANALYSTS:
        raise LookupError(f"no package that is installed here has the task {task}")
    try:
        own = tuple(exchange for exchange in request.exchanges if not exchange.said)
        turn = ANALYSTS[task](request.model_copy(update={"exchanges": own}))
    except TaskNotPossible as impossible:
        return Turn(failure=impossible.error)
    if isinstance(turn.result, ResearchResult | ValidationResult):
        result = turn.result.model_copy(update={"version": BUILTIN_VERSION})
        return turn.model_copy(update={"result": result})
    return turn


def is_for_a_model(request: TurnRequest) -> bool:
    """Returns whether a model is called once the desk has a result.

    It is not called where there is nothing to judge, as in the evaluation of a stock's episode: the
    desk's own result is then the task's, whatever the agent's model is, and costs nothing.
    """
    kind = TASKS.get(request.assignment.task_type)
    return kind is not None and kind.model is not None


def judged(turn: Turn, request: TurnRequest, reachable: Mapping[str, Claim] = NO_CLAIMS) -> Turn:
    """Returns the turn with the rejected figures of its result, and the result without them.

    A validation also gets the conflicts between the findings that it was shown. `reachable` are
    claims that the result could have used: an objection to a wrong name suggests the nearest of
    them.
    """
    if turn.result is None or turn.judged:
        return turn
    query = request.assignment.query
    shown = (request.state, request.conflicts, query.question if query else "")
    if isinstance(turn.result, FactCheck):
        return _applied(turn, turn.result, request, shown)
    result = _with_conflicts(turn.result, request)
    known = {c.claim_id: c for finding in request.findings for c in finding.claims}
    known = {**reachable, **known}
    if isinstance(result, Commentary):
        known = claims_of_week(request, known)
    rejected = review(result, known, *shown)
    update: dict[str, object] = {"result": result, "judged": True}
    if rejected:
        update["rejected"] = rejected[:MOST_REJECTED]
        update["without"] = without_rejected(result, rejected, *shown)
    return turn.model_copy(update=update)


def _applied(turn: Turn, check: FactCheck, request: TurnRequest, shown: _Shown) -> Turn:
    """Returns a fact check's turn with the sentences that it objects to, and the text that it read
    without them."""
    if request.text is None:
        return turn.model_copy(update={"judged": True})
    update = {
        "judged": True,
        "rejected": objected_sentences(request.text, check)[:MOST_REJECTED],
        "without": fact_checked(request.text, check, *shown),
    }
    return turn.model_copy(update=update)


def claims_of_week(request: TurnRequest, found: Mapping[str, Claim]) -> dict[str, Claim]:
    """Returns the claims that a week's commentary may refer to: those that were found, the
    validators' own, and the counts over all markets."""
    first_day, _ = window_days(request.assignment.window)
    counted = week_counts(found, request.markets, first_day)
    return {**checks_in(request.state), **found, **counted, **dollar_index_claims(found)}


def checks_in(state: Iterable[StateEntry]) -> dict[str, Claim]:
    """Returns the claims that validators made from what they fetched for their objections."""
    results = (entry.result for entry in state)
    validations = (result for result in results if isinstance(result, ValidationResult))
    return {claim.claim_id: claim for result in validations for claim in result.checks}


def _with_conflicts(result: AgentResult, request: TurnRequest) -> AgentResult:
    market = request.assignment.market
    if not isinstance(result, ValidationResult) or market is None:
        return result
    kept = without_rejected_claims(request.findings, result)
    ranges = target_ranges((*request.evidence, *request.results))
    detected = detect_conflicts(market.market, kept, request.voting, ranges)
    conflicts: tuple[ConflictRecord, ...] = merged(detected, result.conflicts)
    return result.model_copy(update={"conflicts": conflicts[:MOST_CONFLICTS]})
