"""What the research of a market amounts to, from what its agents delivered."""

from collections.abc import Iterable, Sequence

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.runs.boards.usage import usage_of

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


def after_decisions(spec: MarketSpec, outcome: MarketOutcome) -> MarketOutcome:
    """The outcome once its conflicts are decided: what is withheld is named as missing.

    Without the figure that makes it worth a row, a researched market is `partial`.
    """
    withheld = _withheld(outcome.conflicts)
    if not withheld:
        return outcome
    named = (
        f"{spec.market}: {name} is withheld, because its sources disagree and none was chosen"
        for name in withheld
    )
    missing = tuple(dict.fromkeys((*outcome.missing, *named)))[:20]
    essential = claim_id(spec.market, _ESSENTIAL[spec.kind])
    lacking = essential in withheld and outcome.outcome is Outcome.RESEARCHED
    became = Outcome.PARTIAL if lacking else outcome.outcome
    return outcome.model_copy(update={"missing": missing, "outcome": became})


def after_rerun(before: MarketOutcome | None, again: MarketOutcome) -> MarketOutcome:
    """What stands after a rerun: a rerun that finds nothing takes nothing away.

    The earlier findings then stay, and what is missing says that the rerun failed and why.
    """
    if before is None:
        return again
    if again.outcome in _WITH_FIGURES or before.outcome not in _WITH_FIGURES:
        return again.model_copy(update={"spent_before": _spent(before)})
    reason = again.missing[0] if again.missing else again.outcome
    note = f"a rerun found nothing, the earlier findings stand: {reason}"
    return before.model_copy(
        update={
            "missing": (*before.missing, note[:4_000])[-20:],
            "dead_letters": (*before.dead_letters, *again.dead_letters)[-8:],
            "spent_before": before.spent_before.plus(_spent(again)),
        }
    )


def _spent(outcome: MarketOutcome) -> Usage:
    """What an outcome took, with all that came before it."""
    return usage_of(outcome.agents).plus(outcome.spent_before)


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


def _withheld(conflicts: Iterable[ConflictRecord]) -> tuple[str, ...]:
    """The claims about which it was decided that no position holds, in their order."""
    return tuple(
        dict.fromkeys(
            position.claim_id
            for conflict in conflicts
            if conflict.resolved and conflict.chosen is None
            for position in conflict.positions
            if position.claim_id is not None
        )
    )


def _all_delivered(agents: Iterable[Contribution]) -> bool:
    return all(contribution.delivered for contribution in agents)
