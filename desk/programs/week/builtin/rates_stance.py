"""What a bank's last decision in the window says of its stance."""

from desk.analytics.prices.rates_view import RatesView
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import Leaning, View, ViewKind
from desk.contracts.findings.source_results import RateDecision


def stance_views(view: RatesView, certainty: float) -> tuple[View, ...]:
    """One view for each area with a decision in the window: up raised, down cut, neutral held."""
    newest = {decision.area: decision for decision in view.decisions}
    return tuple(
        View(
            subject=decision.area,
            kind=ViewKind.STANCE,
            leaning=_leaning(decision),
            confidence=certainty,
            claims=tuple(
                claim_id(decision.area, metric, decision.decided_on)
                for metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE)
            ),
        )
        for decision in newest.values()
    )


def _leaning(decision: RateDecision) -> Leaning:
    if decision.change.is_zero():
        return Leaning.NEUTRAL
    return Leaning.UP if decision.change > 0 else Leaning.DOWN
