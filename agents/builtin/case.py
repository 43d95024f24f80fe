"""A validator's case: the findings on a market, what to ask about them, and what came back."""

from collections.abc import Iterable
from dataclasses import dataclass

from agents.builtin.evidence import Evidence, ask, market_of, read
from contracts.claims import Claim, Metric, Unit, claim_id
from contracts.markets import MarketSpec
from contracts.results import MarketEvent, ResearchResult
from contracts.source_results import PolicyRates, Quote, RateDecisions
from contracts.tools import ToolCall
from contracts.turns import TurnRequest
from domain.checks import LOCAL_DAY
from domain.confidence import Weakness, confidence
from domain.rate_claims import decision_claims, policy_rate_claims
from domain.recompute import at_precision_of
from domain.series import window_days

QUOTE = "get_quote"
RATES = "get_policy_rate"
DECISIONS = "get_rate_decisions"
DECIDED = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


@dataclass(frozen=True, slots=True)
class Case:
    """The findings, and what the sources say about what can be checked in them."""

    request: TurnRequest
    market: MarketSpec
    claims: dict[str, Claim]
    quote: Evidence[Quote] | None
    rates: Evidence[PolicyRates] | None
    decisions: Evidence[RateDecisions] | None

    def of(self, *metrics: Metric) -> list[Claim]:
        """The claims on some metrics, each result's own, in order."""
        return [claim for claim in self.every_claim if claim.metric in metrics]

    @property
    def every_claim(self) -> list[Claim]:
        """The claims of all findings, several on one thing included."""
        return _all_claims(self.request)

    @property
    def events(self) -> list[MarketEvent]:
        """The events of all findings."""
        return [event for finding in self.request.findings for event in finding.events]


def open_case(request: TurnRequest) -> Case:
    """The findings with the sources' answers.

    Raises:
        TaskNotPossible: a source could not be asked or its answer cannot be read.
    """
    asked = {call.tool for call in questions(request)}
    return Case(
        request=request,
        market=market_of(request),
        claims={claim.claim_id: claim for claim in reversed(_all_claims(request))},
        quote=read(request, QUOTE, Quote) if QUOTE in asked else None,
        rates=read(request, RATES, PolicyRates) if RATES in asked else None,
        decisions=read(request, DECISIONS, RateDecisions) if DECISIONS in asked else None,
    )


def own_result(case: Case) -> ResearchResult:
    """What the validator itself read, in the shape of a finding."""
    sources = (e.source for e in (case.quote, case.rates, case.decisions) if e)
    return ResearchResult(
        result_id=f"{case.request.assignment.task_id}/checks",
        task_id=case.request.assignment.task_id,
        agent=case.request.assignment.agent,
        market=case.market.market,
        claims=(*_quoted(case), *_rated(case), *_decided(case)),
        sources=tuple(sources),
        confidence=confidence((Weakness.SINGLE_SOURCE,)),
    )


def _quoted(case: Case) -> tuple[Claim, ...]:
    claimed = case.claims.get(claim_id(case.market.market, Metric.LAST))
    quote = case.quote.answer if case.quote else None
    if case.quote is None or claimed is None or quote is None:
        return ()
    if quote.value is None or quote.fixed_on is None:
        return ()
    return (
        Claim(
            claim_id=claimed.claim_id,
            subject=claimed.subject,
            metric=Metric.LAST,
            value=at_precision_of(claimed.value, quote.value),
            unit=Unit.LEVEL,
            as_of=quote.fixed_on,
            evidence=(case.quote.evidence_id,),
        ),
    )


def _rated(case: Case) -> tuple[Claim, ...]:
    if case.rates is None:
        return ()
    _, last_day = window_days(case.request.assignment.window)
    return policy_rate_claims(case.rates.answer.rates, last_day, case.rates.evidence_id)


def _decided(case: Case) -> tuple[Claim, ...]:
    if case.decisions is None:
        return ()
    return decision_claims(case.decisions.answer.decisions, case.decisions.evidence_id)


def _all_claims(request: TurnRequest) -> list[Claim]:
    return [claim for finding in request.findings for claim in finding.claims]


def _subjects(request: TurnRequest, metrics: Iterable[Metric]) -> list[str]:
    wanted = set(metrics)
    found = (claim.subject for claim in _all_claims(request) if claim.metric in wanted)
    return list(dict.fromkeys(found))


def questions(request: TurnRequest) -> tuple[ToolCall, ...]:
    """The calls that would confirm what the findings claim; none where nothing can be."""
    market = market_of(request).market
    first_day, last_day = window_days(request.assignment.window)
    rated = _subjects(request, (Metric.POLICY_RATE, Metric.DECISION_RATE))
    decided = _subjects(request, DECIDED)
    calls = []
    if market in _subjects(request, (Metric.LAST,)):
        calls.append(ask(request.assignment, "ecb", QUOTE, symbol=market))
    if rated:
        calls.append(ask(request.assignment, "central_banks", RATES, areas=[*rated]))
    if decided:
        calls.append(
            ask(
                request.assignment,
                "central_banks",
                DECISIONS,
                areas=[*decided],
                start=first_day.isoformat(),
                end=(last_day + LOCAL_DAY).isoformat(),
            )
        )
    return tuple(calls)
