"""The rates analyst: policy rates, decisions in the window and ahead, and the differential."""

from dataclasses import dataclass
from datetime import date

from desk.analytics.figures import print_full_day
from desk.analytics.prices.rates_view import RatesView, rate_of, view_rates
from desk.analytics.prices.series import WEEK, window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MarketEvent, ResearchResult
from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    PolicyRate,
    PolicyRates,
    RateDecisions,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.programs.builtin.evidence import Evidence, ask, market_of, read
from desk.programs.week.builtin.rates_events import decision_events, scheduled_events
from desk.programs.week.builtin.rates_stance import stance_views
from desk.programs.week.builtin.tone import news_questions, silent_news, with_tone
from desk.trust.claims.rate_claims import (
    decision_claims,
    differential_areas,
    differential_claim,
    in_a_row_claims,
    policy_rate_claims,
)
from desk.trust.ledger import NOTHING_FOUND, Weakness, confidence
from desk.trust.prose import clip

AHEAD = 6 * WEEK
DAY = WEEK / 7
"""A bank's local day can be one later than the desk's."""

MOST_REASONS = 20


@dataclass(frozen=True, slots=True)
class _Findings:
    """What the three tools answered about a market, and what follows."""

    market: MarketSpec
    base_area: str
    as_of_day: date
    rates: Evidence[PolicyRates]
    decisions: Evidence[RateDecisions]
    calendar: Evidence[DecisionCalendar]
    view: RatesView

    @property
    def entries(self) -> tuple[PolicyRate, ...]:
        """The areas' policy rates, in the order asked for."""
        asked = areas_with_base(self.market, self.base_area)
        return tuple(rate_of(self.rates.answer, area) or _unanswered(area) for area in asked)


def _unanswered(area: str) -> PolicyRate:
    return PolicyRate(area=area, bank=area, instrument="policy rate", missing="not in the answer")


def take_turn(request: TurnRequest) -> Turn:
    """Ask for rates, decisions and calendar side by side; with them, submit the result, and with
    the tone of the news where some came back.

    Raises:
        TaskNotPossible: an answer could not be had or cannot be read.
    """
    market = market_of(request)
    if not request.exchanges:
        return _questions(request, market)
    return Turn(result=with_tone(request, _research(request, _read(request, market))))


def own_areas(market: MarketSpec) -> tuple[str, ...]:
    """The areas whose decisions are this market's news."""
    if market.kind is MarketKind.PAIR:
        return market.areas
    return market.areas[:1] or (market.market,)


def areas_with_base(market: MarketSpec, base_area: str) -> tuple[str, ...]:
    """The areas whose rates are needed: the market's own, and the other side of a differential."""
    sides = differential_areas(market, base_area) or ()
    return tuple(dict.fromkeys((*own_areas(market), *sides)))


def _questions(request: TurnRequest, market: MarketSpec) -> Turn:
    first_day, last_day = window_days(request.assignment.window)
    own = list(own_areas(market))
    rate_areas = list(areas_with_base(market, request.assignment.base_area))
    start, now, later = first_day, last_day + DAY, last_day + AHEAD
    return Turn(
        calls=(
            ask(request.assignment, Capability.POLICY_RATE, areas=[*rate_areas]),
            ask(
                request.assignment,
                Capability.RATE_DECISIONS,
                areas=[*own],
                start=start.isoformat(),
                end=now.isoformat(),
            ),
            ask(
                request.assignment,
                Capability.DECISION_CALENDAR,
                areas=[*own],
                start=start.isoformat(),
                end=later.isoformat(),
            ),
            *news_questions(request.assignment, market.market, own),
        ),
        note=f"Ask for the policy rates of {', '.join(rate_areas)}",
    )


def _read(request: TurnRequest, market: MarketSpec) -> _Findings:
    first_day, last_day = window_days(request.assignment.window)
    decisions = read(request, Capability.RATE_DECISIONS, RateDecisions)
    calendar = read(request, Capability.DECISION_CALENDAR, DecisionCalendar)
    return _Findings(
        market=market,
        base_area=request.assignment.base_area,
        as_of_day=last_day,
        rates=read(request, Capability.POLICY_RATE, PolicyRates),
        decisions=decisions,
        calendar=calendar,
        view=view_rates(decisions.answer, calendar.answer, own_areas(market), first_day, last_day),
    )


def _research(request: TurnRequest, found: _Findings) -> ResearchResult:
    claims = _claims(found)
    certainty = confidence(_weaknesses(found)) if _has_own_rate(found) else NOTHING_FOUND
    return ResearchResult(
        result_id=f"{request.assignment.task_id}/result",
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        market=found.market.market,
        claims=claims,
        events=_events(found, certainty),
        views=stance_views(found.view, certainty),
        sources=(found.rates.source, found.decisions.source, found.calendar.source),
        missing=_missing(found),
        warnings=_warnings(found) + _silent(request, found.market),
        confidence=certainty,
    )


def _has_own_rate(found: _Findings) -> bool:
    own = own_areas(found.market)
    return any(entry.area in own and entry.rate is not None for entry in found.entries)


def _claims(found: _Findings) -> tuple[Claim, ...]:
    rates = policy_rate_claims(found.entries, found.as_of_day, found.rates.evidence_id)
    decided = decision_claims(found.view.decisions, found.decisions.evidence_id)
    decided += in_a_row_claims(found.decisions.answer, found.decisions.evidence_id)
    differential = differential_claim(found.market, found.base_area, rates)
    return rates + decided + ((differential,) if differential else ())


def _events(found: _Findings, certainty: float) -> tuple[MarketEvent, ...]:
    standing = {entry.area: entry for entry in found.entries}
    decided = decision_events(
        found.market,
        found.view,
        found.decisions.source,
        certainty,
        in_a_row_claims(found.decisions.answer, found.decisions.evidence_id),
    )
    scheduled = scheduled_events(
        found.market, found.view, found.calendar.source, certainty, found.as_of_day, standing
    )
    return (*decided, *scheduled)


def _missing(found: _Findings) -> tuple[str, ...]:
    """What was asked for and not found, each thing once."""
    reasons = [
        f"{entry.area}: no policy rate: {entry.missing}"
        for entry in found.entries
        if entry.rate is None
    ]
    rated = {entry.area for entry in found.entries if entry.rate is not None}
    expected = rated.intersection(own_areas(found.market))
    for kind, gaps in (
        ("decisions", found.decisions.answer.missing),
        ("decision calendar", found.calendar.answer.missing),
    ):
        reasons += [f"{area}: no {kind}: {why}" for area, why in gaps.items() if area in expected]
    reasons += [
        f"{day.area}: the outcome of {day.bank} of {print_full_day(day.day)} is not in the source"
        for day in found.view.unresolved
    ]
    return tuple(clip(reason) for reason in reasons[:MOST_REASONS])


def _silent(request: TurnRequest, market: MarketSpec) -> tuple[str, ...]:
    return tuple(clip(f"{market.market}: {reason}") for reason in silent_news(request))


def _warnings(found: _Findings) -> tuple[str, ...]:
    answers = (found.rates, found.decisions, found.calendar)
    stand_ins = tuple(f"{found.market.market}: {a.stand_in}" for a in answers if a.stand_in)
    return stand_ins + tuple(
        f"{entry.area}: the policy rate is known up to {_until(entry)}; a later change is not in it"
        for entry in found.entries
        if entry.rate is not None and entry.stale
    )


def _until(entry: PolicyRate) -> str:
    return print_full_day(entry.covered_until) if entry.covered_until else "an unknown day"


def _weaknesses(found: _Findings) -> list[Weakness]:
    inexact = (DatePrecision.MONTH, DatePrecision.EFFECTIVE)
    rated = [entry for entry in found.entries if entry.rate is not None]
    asked = areas_with_base(found.market, found.base_area)
    present = {
        Weakness.SINGLE_SOURCE: True,
        Weakness.STALE: any(entry.stale for entry in rated),
        Weakness.AREA_WITHOUT_RATE: len(rated) < len(asked),
        Weakness.APPROXIMATE_DATE: any(d.precision in inexact for d in found.view.decisions),
        Weakness.UNKNOWN_OUTCOME: bool(found.view.unresolved),
        Weakness.NO_CALENDAR: bool(found.calendar.answer.missing),
    }
    return [weakness for weakness, applies in present.items() if applies]
