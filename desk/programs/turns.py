"""Turns by the built-in analysts, and the judgement of every turn, whoever took it."""

from collections.abc import Iterable, Mapping
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
from desk.trust.prose import review, without_rejected

ANALYSTS: Final = {name: kind.load_analyst() for name, kind in TASKS.items()}
"""Who takes a turn on which task."""


NO_CLAIMS: Final[Mapping[str, Claim]] = MappingProxyType({})


def builtin_turn(request: TurnRequest) -> Turn:
    """The built-in analyst's turn: tool calls first, then the result or why there is none. What a
    model asked besides is not looked at.

    The same request always gives the same turn. A tool that could not be asked or that refused
    ends in `failure`, so that the task can be given to somebody else; a tool that has no data
    does not.

    Raises:
        LookupError: the task is of a package that is not installed here.
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
    """Whether a model is asked at all once the desk has a result.

    It is not where there is nothing to judge, as in the evaluation of a stock's episode: the desk's
    own result is the task's then, whatever model its agent is, and nothing is paid.
    """
    kind = TASKS.get(request.assignment.task_type)
    return kind is not None and kind.model is not None


def judged(turn: Turn, request: TurnRequest, reachable: Mapping[str, Claim] = NO_CLAIMS) -> Turn:
    """The turn with the rejected figures of its result, and what is left of it without that.

    A validation has the conflicts between the findings it was shown besides. `reachable` are claims
    that the result could have taken up: an objection names those that are near to a wrong name.
    """
    if turn.result is None or turn.judged:
        return turn
    result = _with_conflicts(turn.result, request)
    known = {c.claim_id: c for finding in request.findings for c in finding.claims}
    known = {**reachable, **known}
    if isinstance(result, Commentary):
        first_day, _ = window_days(request.assignment.window)
        counted = week_counts(known, request.markets, first_day)
        known = {**checks_in(request.state), **known, **counted, **dollar_index_claims(known)}
    rejected = review(result, known, request.state, request.conflicts)
    update: dict[str, object] = {"result": result, "judged": True}
    if rejected:
        update["rejected"] = rejected[:MOST_REJECTED]
        update["without"] = without_rejected(result, rejected, request.state, request.conflicts)
    return turn.model_copy(update=update)


def checks_in(state: Iterable[StateEntry]) -> dict[str, Claim]:
    """The claims that validators made, as those of what they fetched to object with."""
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
