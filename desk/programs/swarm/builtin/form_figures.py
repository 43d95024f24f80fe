"""What a specialist asks besides for the form of an objective, and the figures that it gives."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

from pydantic import JsonValue

from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.source_results import DecisionCalendar, SourceResult
from desk.contracts.markets import MarketKind
from desk.contracts.runs.turns import TurnRequest
from desk.programs.swarm.objectives.form import ObjectiveForm
from desk.programs.swarm.objectives.matching import form_of
from desk.programs.swarm.objectives.registry import FORMS
from desk.programs.swarm.run.assignments import BESIDE
from desk.programs.swarm.tasks import SPECIALIST_TASKS
from desk.trust.claims.analysis_claims import analysis_claims, mark_claims
from desk.trust.claims.rate_claims import next_decision_claims

LOOKS_AHEAD: Final = timedelta(days=90)
"""How far a calendar is asked for: banks meet every six to thirteen weeks."""


def asked_for_the_form(request: TurnRequest) -> dict[Capability, Mapping[str, JsonValue]]:
    """The questions that the form of the objective needs and the specialist does not ask itself;
    none where it is another's work."""
    form = _own_form(request)
    if form is None:
        return {}
    found = ((capability, _arguments(request, capability)) for capability in form.asks)
    return {capability: arguments for capability, arguments in found if arguments is not None}


def answers_for_the_form(request: TurnRequest) -> dict[Capability, type[SourceResult]]:
    """What those questions are answered with."""
    return {
        capability: DecisionCalendar if capability is Capability.DECISION_CALENDAR else Analysis
        for capability in asked_for_the_form(request)
    }


def figures_of_the_form(
    request: TurnRequest, answer: SourceResult, evidence_id: str
) -> tuple[Claim, ...]:
    """The claims that such an answer gives; none where it is about another market."""
    market = request.assignment.market
    match answer:
        case DecisionCalendar():
            _, last_day = window_days(request.assignment.window)
            return next_decision_claims(answer, last_day, evidence_id)
        case Analysis() if market is not None and answer.symbol == market.market:
            return analysis_claims(answer, evidence_id)
        case _:
            return ()


def gaps_of(answer: SourceResult) -> tuple[str, ...]:
    """What such an answer says is missing."""
    if isinstance(answer, DecisionCalendar):
        return tuple(f"decision calendar: {words}" for words in answer.missing.values())
    return answer.missing if isinstance(answer, Analysis) else ()


def marks_of_the_form(request: TurnRequest, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The marks by which the form decides, of the figures that there are."""
    form = form_of(request.assignment.query).form if request.assignment.query else None
    if form is None:
        return ()
    decides = {*form.decides, *(FORMS[form.mirror].decides if form.mirror else ())}
    return tuple(claim for claim in mark_claims(claims) if claim.metric in decides)


def _own_form(request: TurnRequest) -> ObjectiveForm | None:
    """The form of the objective, where its figures are the specialist's work, or that of whom it
    stands in for."""
    query = request.assignment.query
    form = form_of(query).form if query is not None else None
    if form is None or SPECIALIST_TASKS[form.agents[0]] != request.assignment.task_type:
        return None
    return form


def _arguments(request: TurnRequest, capability: Capability) -> Mapping[str, JsonValue] | None:
    task = request.assignment
    market, query = task.market, task.query
    if market is None or query is None:
        return None
    match capability:
        case Capability.CO_MOVEMENT:
            beside = query.parameters.get(BESIDE, "").split(", ")[0]
            return {"symbol": market.market, "other": beside} if beside else None
        case Capability.DECISION_CALENDAR:
            if market.kind is not MarketKind.PAIR or not market.areas:
                return None
            _, last_day = window_days(task.window)
            return {
                "areas": [*market.areas],
                "start": (last_day + timedelta(days=1)).isoformat(),
                "end": (last_day + LOOKS_AHEAD).isoformat(),
            }
        case _:
            return {"symbol": market.market}
