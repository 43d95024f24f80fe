"""What the research of a market amounts to, from what its agents delivered."""

from collections.abc import Iterable, Sequence

from contracts.claims import Metric
from contracts.markets import MarketKind, MarketSpec
from contracts.report import Contribution, MarketOutcome
from contracts.results import ResearchResult
from contracts.search_attributes import Outcome

_ESSENTIAL = {MarketKind.PAIR: Metric.LAST, MarketKind.POLICY_RATE: Metric.POLICY_RATE}

_WITH_FIGURES = frozenset({Outcome.RESEARCHED, Outcome.PARTIAL})


def decide_outcome(
    spec: MarketSpec, results: Sequence[ResearchResult], agents: Sequence[Contribution]
) -> Outcome:
    """`missing` without the figure that makes the market worth a row, whoever failed or not.

    A market whose every task failed is `dead_lettered`; one with some failed tasks and the
    essential figure is `partial`.
    """
    if not any(contribution.delivered for contribution in agents):
        return Outcome.DEAD_LETTERED
    if not _has_essential(spec, results):
        return Outcome.MISSING if _all_delivered(agents) else Outcome.DEAD_LETTERED
    return Outcome.RESEARCHED if _all_delivered(agents) else Outcome.PARTIAL


def after_rerun(before: MarketOutcome | None, again: MarketOutcome) -> MarketOutcome:
    """What stands after a rerun: a rerun that finds nothing takes nothing away.

    The earlier findings then stay, and what is missing says that the rerun failed and why.
    """
    if before is None or again.outcome in _WITH_FIGURES or before.outcome not in _WITH_FIGURES:
        return again
    reason = again.missing[0] if again.missing else again.outcome
    note = f"a rerun found nothing, the earlier findings stand: {reason}"
    return before.model_copy(
        update={
            "missing": (*before.missing, note[:4_000])[-20:],
            "dead_letters": (*before.dead_letters, *again.dead_letters)[-8:],
        }
    )


def reasons_missing(
    results: Iterable[ResearchResult], agents: Iterable[Contribution]
) -> tuple[str, ...]:
    """What was not found and what was not done, each once, in the order of the agents."""
    reasons = [reason for result in results for reason in result.missing]
    reasons += [
        f"{contribution.task_type} was not delivered: {contribution.error}"
        for contribution in agents
        if not contribution.delivered
    ]
    return tuple(dict.fromkeys(reasons))[:20]


def _has_essential(spec: MarketSpec, results: Iterable[ResearchResult]) -> bool:
    wanted = _ESSENTIAL[spec.kind]
    return any(
        claim.metric is wanted and claim.subject == spec.market
        for result in results
        for claim in result.claims
    )


def _all_delivered(agents: Iterable[Contribution]) -> bool:
    return all(contribution.delivered for contribution in agents)
