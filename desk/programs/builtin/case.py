"""A validator's case: the findings on a market, and what the sources answered about them."""

from collections.abc import Container
from dataclasses import dataclass

from desk.agents.capabilities import usual_route
from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import DataSource
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import MarketEvent, ResearchResult
from desk.contracts.findings.source_results import (
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Quote,
    RateDecisions,
    SourceResult,
)
from desk.contracts.markets import MarketSpec
from desk.programs.builtin.evidence import Answer, Evidence, consult, market_of, read, readable
from desk.programs.question.builtin.questions import all_claims, questions
from desk.trust.claims.rate_claims import decision_claims, policy_rate_claims
from desk.trust.claims.recompute import at_precision_of
from desk.trust.ledger import Weakness, confidence


@dataclass(frozen=True, slots=True)
class Case:
    """The findings, and what the sources say about what can be checked in them.

    `silent` says of each tool of a second source that did not answer why not.
    """

    request: TurnRequest
    market: MarketSpec
    claims: dict[str, Claim]
    quote: Evidence[Quote] | None
    rates: Evidence[PolicyRates] | None
    decisions: Evidence[RateDecisions] | None
    averages: Evidence[MonthAverages] | None
    month_ends: Evidence[MonthEndRates] | None
    silent: dict[str, str]

    def of(self, *metrics: Metric) -> list[Claim]:
        """The claims on some metrics, each result's own, in order."""
        return [claim for claim in self.every_claim if claim.metric in metrics]

    @property
    def every_claim(self) -> list[Claim]:
        """The claims of all findings, several on one thing included."""
        return all_claims(self.request)

    @property
    def events(self) -> list[MarketEvent]:
        """The events of all findings."""
        return [event for finding in self.request.findings for event in finding.events]

    @property
    def answers(self) -> tuple[SourceResult, ...]:
        """What the findings rest on and what was answered, as far as it is in the desk's form."""
        found = (readable(result) for result in (*self.request.evidence, *self.request.results))
        return tuple(answer for answer in found if answer is not None)

    @property
    def sources(self) -> tuple[DataSource, ...]:
        """Every source that answered, those asked again first."""
        answers = (self.quote, self.rates, self.decisions, self.averages, self.month_ends)
        return tuple(answer.source for answer in answers if answer)


def open_case(request: TurnRequest) -> Case:
    """The findings with the sources' answers.

    Raises:
        TaskNotPossible: a source that is asked again could not be asked, or its answer cannot be
            read. A second source may be silent.
    """
    asked = {call.capability for call in questions(request)}
    averages, no_averages = _second(request, Capability.MONTH_AVERAGES, MonthAverages, asked)
    ends, no_ends = _second(request, Capability.MONTH_END_RATES, MonthEndRates, asked)
    silent = ((Capability.MONTH_AVERAGES, no_averages), (Capability.MONTH_END_RATES, no_ends))
    return Case(
        request=request,
        market=market_of(request),
        claims={claim.claim_id: claim for claim in reversed(all_claims(request))},
        quote=_first(request, Capability.QUOTE, Quote, asked),
        rates=_first(request, Capability.POLICY_RATE, PolicyRates, asked),
        decisions=_first(request, Capability.RATE_DECISIONS, RateDecisions, asked),
        averages=averages,
        month_ends=ends,
        silent={usual_route(which).tool: why for which, why in silent if why},
    )


def _first(
    request: TurnRequest,
    capability: Capability,
    kind: type[Answer],
    asked: Container[Capability | None],
) -> Evidence[Answer] | None:
    return read(request, capability, kind) if capability in asked else None


def _second(
    request: TurnRequest,
    capability: Capability,
    kind: type[Answer],
    asked: Container[Capability | None],
) -> tuple[Evidence[Answer] | None, str | None]:
    return consult(request, capability, kind) if capability in asked else (None, None)


def own_result(case: Case) -> ResearchResult:
    """What the validator itself read from the sources asked again, in the shape of a finding."""
    answers = (case.quote, case.rates, case.decisions)
    return ResearchResult(
        result_id=f"{case.request.assignment.task_id}/checks",
        task_id=case.request.assignment.task_id,
        agent=case.request.assignment.agent,
        market=case.market.market,
        claims=(*_quoted(case), *_rated(case), *_decided(case)),
        sources=tuple(answer.source for answer in answers if answer),
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
