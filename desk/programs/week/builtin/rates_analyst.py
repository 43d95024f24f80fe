"""The rates analyst: the banks' decisions and schedules, their stance, and the tone of the news."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import CENTRAL_BANKS, named_at_the_start
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.prices.impact import SOON, decision_impact, scheduled_impact
from desk.analytics.prices.rates_view import RatesView, rate_of, view_rates
from desk.analytics.prices.series import WEEK, window_days
from desk.contracts.agents.capabilities import OWN_SOURCES, USUAL_ROUTES, Capability
from desk.contracts.agents.tasks import (
    LOOKED_BACK,
    MOST_LOOKED_BACK,
    DaysAsked,
    TaskAssignment,
)
from desk.contracts.agents.tools import DataSource, ToolCall, ToolResult, ToolStatus, capability_of
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import (
    MOST_SOURCES,
    MOST_TONES,
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    OutcomeMissing,
    RateInstrument,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.findings.source_results import (
    DatePrecision,
    DecisionCalendar,
    PolicyRate,
    PolicyRates,
    RateDecision,
    RateDecisions,
    ScheduledDecision,
    Yields,
)
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import Evidence, ask, consult, market_of, read
from desk.programs.builtin.rate_decisions import OUTCOMES, what_was_decided
from desk.programs.builtin.rate_remarks import known_until, without_calendar, without_outcome
from desk.trust.claims.rate_claims import (
    decision_claims,
    differential_areas,
    differential_claim,
    in_a_row_claims,
    policy_rate_claims,
    within_claims,
)
from desk.trust.claims.yield_claims import area_claims, pair_claims
from desk.trust.confidence import NOTHING_FOUND, Weakness, confidence
from desk.trust.ledger import attributed
from desk.trust.ledger.events import news_in
from desk.trust.prose import clip, reference

WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip

REMARK: Final = re.compile(r",| \(")

STRAY_DIGIT: Final = re.compile(r"\d(?![\d]*-[a-z])")
"""A digit that is not part of a name such as 1-day."""

APPROXIMATE_CONFIDENCE = 0.9
"""The highest confidence of an event whose day is not the day of the announcement."""


def _tools(*capabilities: Capability) -> frozenset[tuple[str, str]]:
    routes = (route for capability in capabilities for route in USUAL_ROUTES[capability])
    return frozenset((route.server, route.tool) for route in routes)


_NEWS = _tools(Capability.NEWS_SEARCH)

_BANK_NEWS = _tools(Capability.BANK_NEWS)

_YIELDS = _tools(Capability.YIELDS)

_LIVE = frozenset(pair for pair in _BANK_NEWS if pair[0] not in OWN_SOURCES)
"""The central banks' server only has news if it is started with them."""

AHEAD = 6 * WEEK

AHEAD_OF_A_QUESTION = 26 * WEEK
"""A question about a bank may be about its next decision, however far ahead that is."""

DAY = WEEK / 7
"""A bank's local day can be one ahead of the desk's."""

MOST_REASONS = 20


def describe_decision(decision: RateDecision, in_a_row: Claim | None = None) -> str:
    """Describes what a bank decided: by how much, how many in a row, and how exactly its day is
    known."""
    rate, change = (
        f"[[{claim_id(decision.area, metric, decision.decided_on)}]]"
        for metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE)
    )
    told = what_was_decided(
        instrument_of(decision),
        decision.change,
        decision.precision,
        told_change=change,
        told_rate=rate,
        told_in_a_row=reference(in_a_row) if in_a_row else None,
    )
    return f"{named_at_the_start(decision.bank)} {told}"


def describe_ahead(
    scheduled: ScheduledDecision, report_day: date | None, known: PolicyRate | None
) -> str:
    """Describes a scheduled decision, with the rate as it is or was last known. A day near the
    report's is named relative to it; every other, or any in an answer, by its date."""
    if scheduled.day == report_day:
        when = "on the day of this report"
    elif report_day is not None and scheduled.day - report_day <= SOON:
        when = f"on {weekday(scheduled.day)}, within a week of this report"
    else:
        when = f"on {print_full_day(scheduled.day)}"
    decides = (
        f"{named_at_the_start(scheduled.bank)} is scheduled to decide on its policy rate {when}."
    )
    if known is None or known.rate is None:
        return decides
    rate = f"[[{claim_id(scheduled.area, Metric.POLICY_RATE)}]]"
    stands = "The rate was last known to be" if known.stale else "The rate stands at"
    return f"{decides} {stands} {rate}."


def describe_past(
    scheduled: ScheduledDecision, report_day: date | None, outcome: OutcomeMissing
) -> str:
    """Describes a decision day that has passed, and why its decision is not known."""
    return f"{_was_scheduled(scheduled, report_day)} {OUTCOMES[outcome]}"


def _was_scheduled(scheduled: ScheduledDecision, report_day: date | None) -> str:
    """Names a day in a report's last week by its weekday; an earlier one, or any in an answer, by
    its date."""
    near = report_day is not None and report_day - scheduled.day <= WEEK
    when = weekday(scheduled.day) if near else print_full_day(scheduled.day)
    bank = named_at_the_start(scheduled.bank)
    return f"{bank} was scheduled to decide on its policy rate on {when}."


def instrument_of(decision: RateDecision) -> RateInstrument:
    """Returns the instrument by its name in prose: without remarks, the bank's name, or stray
    digits."""
    name = REMARK.split(decision.instrument, maxsplit=1)[0].removeprefix(f"{decision.bank} ")
    told = "policy rate" if STRAY_DIGIT.search(name) else name
    return RateInstrument(name=told, has_range="midpoint" in decision.instrument)


def weekday(day: date) -> str:
    """The English name of a weekday, whatever the machine's language."""
    return WEEKDAYS[day.weekday()]


def decision_events(
    market: MarketSpec,
    view: RatesView,
    source: DataSource,
    certainty: float,
    in_a_row: Iterable[Claim] = (),
) -> Iterator[MarketEvent]:
    """Yields one event for each decision in the window, oldest first. `in_a_row` are the claims
    that say how many in a row a decision was."""
    counted = {(claim.subject, claim.as_of): claim for claim in in_a_row}
    for decision in view.decisions:
        count = counted.get((decision.area, decision.decided_on))
        exact = decision.precision is DatePrecision.DAY
        yield MarketEvent(
            event_id=_event_id(market, EventType.RATE_DECISION, decision.area, decision.decided_on),
            event_type=EventType.RATE_DECISION,
            market=market.market,
            currency_pair=_pair(market),
            area=decision.area,
            central_bank=decision.bank,
            event_date=decision.decided_on,
            precision=decision.precision,
            description=describe_decision(decision, count),
            instrument=instrument_of(decision),
            impact=decision_impact(decision.change),
            claims=tuple(
                claim_id(decision.area, metric, decision.decided_on)
                for metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE)
            )
            + ((count.claim_id,) if count else ()),
            source_url=source.url,
            confidence=certainty if exact else min(certainty, APPROXIMATE_CONFIDENCE),
        )


def scheduled_events(
    market: MarketSpec,
    view: RatesView,
    source: DataSource,
    certainty: float,
    as_of_day: date,
    rates: Mapping[str, PolicyRate],
    *,
    in_a_report: bool = True,
) -> tuple[MarketEvent, ...]:
    """Returns the scheduled decisions, earliest first, including past ones without a recorded
    outcome.

    `rates` has the areas' policy rates. An event rests on its area's rate if there is one. Only a
    report says to which week its weekdays belong, so elsewhere all days are dates.
    """
    told_on = as_of_day if in_a_report else None
    described = [
        *(
            (day, describe_past(day, told_on, outcome), Impact.MEDIUM, outcome)
            for days, outcome in (
                (view.unresolved, OutcomeMissing.NOT_IN_SOURCE),
                (view.uneventful, OutcomeMissing.NO_CHANGE),
            )
            for day in days
        ),
        *(
            (
                day,
                describe_ahead(day, told_on, rates.get(day.area)),
                scheduled_impact(day.day, as_of_day),
                None,
            )
            for day in view.ahead
        ),
    ]
    events = (
        _scheduled(market, day, source, text, impact, certainty, rates, outcome)
        for day, text, impact, outcome in described
    )
    return tuple(sorted(events, key=lambda event: (event.event_date, event.area or "")))


def stance_views(view: RatesView, certainty: float) -> tuple[View, ...]:
    """Returns one view for each area with a decision in the window: up for a raise, down for a cut,
    neutral for a hold."""
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


def news_query(market: MarketSpec) -> str:
    """Returns the search terms for news of a market: the pair, its currencies' names except the
    dollar's, and their banks; for a policy rate, its bank."""
    # The names of currencies take a tenth of a second to load.
    from desk.analytics.names.currencies import names_of

    codes = [code for code in market.market.split("/") if code != DOLLAR and "/" in market.market]
    areas = [AREAS[code] for code in codes if code in AREAS] or list(own_areas(market))
    banks = [CENTRAL_BANKS[area] for area in areas if area in CENTRAL_BANKS]
    words = [
        *([market.market] if codes else []),
        *(name for code in codes for name in names_of(code)[:2]),
        *(bank.name for bank in banks),
        *(name for bank in banks if not codes for name in bank.also_called[:1]),
    ]
    asked = (f'"{word}"' if " " in word or "/" in word else word for word in words)
    return " OR ".join(dict.fromkeys(asked)) or market.market


def news_questions(task: TaskAssignment, query: str, areas: Iterable[str]) -> tuple[ToolCall, ...]:
    """Builds the calls for the news of a market and its banks; none if the agent has no news
    source."""
    listed = {(tool.server, tool.tool) for tool in task.tools}
    asked = []
    if listed & _NEWS:
        asked.append(ask(task, Capability.NEWS_SEARCH, query=query))
    if listed & _BANK_NEWS and (asked or listed & _LIVE):
        asked.append(ask(task, Capability.BANK_NEWS, areas=[*areas]))
    return tuple(asked)


def yield_questions(
    task: TaskAssignment, areas: Iterable[str], first_day: date, last_day: date
) -> tuple[ToolCall, ...]:
    """Builds the calls for the yields of a market's areas, from two weeks before the window; none
    if the agent has no source of yields."""
    if not {(tool.server, tool.tool) for tool in task.tools} & _YIELDS:
        return ()
    start, end = first_day - 2 * WEEK, last_day
    days = {"start": start.isoformat(), "end": end.isoformat()}
    return (ask(task, Capability.YIELDS, areas=[*areas], **days),)


def silent_news(request: TurnRequest) -> tuple[str, ...]:
    """Says which calls for news got no answer. The reasons are third-party text and stay with the
    tool results."""
    asked = (Capability.NEWS_SEARCH, Capability.BANK_NEWS)
    return tuple(
        f"{capability_of(result.call)}: {result.call.server} did not answer".replace("_", " ")
        for result in request.results
        if capability_of(result.call) in asked and result.status is not ToolStatus.OK
    )


def with_tone(request: TurnRequest, result: ResearchResult) -> ResearchResult:
    """Adds the tones of the news in the tools' answers to the result, and a view of each bank's
    stance that the result lacks. Both have low confidence.

    Returns the result unchanged if there is no news. The caller that asked for the news reports
    why.
    """
    if any(map(_may_be_news, request.results)):
        return _toned(request, result)
    return result


def take_turn(request: TurnRequest) -> Turn:
    """Asks for rates, decisions and calendar concurrently. Once they are there, delivers the
    result, with the tone of the news if there is any.

    Raises:
        TaskNotPossible: an answer is not available or cannot be parsed.
    """
    market = market_of(request)
    if not request.exchanges:
        return _questions(request, market)
    return Turn(result=with_tone(request, _research(request, _read(request, market))))


def own_areas(market: MarketSpec) -> tuple[str, ...]:
    """The areas whose decisions are events of this market."""
    if market.kind is MarketKind.PAIR:
        return market.areas
    return market.areas[:1] or (market.market,)


def areas_with_base(market: MarketSpec, base_area: str) -> tuple[str, ...]:
    """The areas whose rates are needed: the market's own, and the other side of a differential."""
    sides = differential_areas(market, base_area) or ()
    return tuple(dict.fromkeys((*own_areas(market), *sides)))


def _scheduled(
    market: MarketSpec,
    scheduled: ScheduledDecision,
    source: DataSource,
    text: str,
    impact: Impact,
    certainty: float,
    rates: Mapping[str, PolicyRate],
    outcome: OutcomeMissing | None,
) -> MarketEvent:
    known = rates.get(scheduled.area)
    rate_known = known is not None and known.rate is not None
    return MarketEvent(
        event_id=_event_id(market, EventType.SCHEDULED_DECISION, scheduled.area, scheduled.day),
        event_type=EventType.SCHEDULED_DECISION,
        market=market.market,
        currency_pair=_pair(market),
        area=scheduled.area,
        central_bank=scheduled.bank,
        event_date=scheduled.day,
        description=text,
        impact=impact,
        claims=(claim_id(scheduled.area, Metric.POLICY_RATE),) if rate_known else (),
        source_url=source.url,
        confidence=certainty,
        outcome=outcome,
    )


def _event_id(market: MarketSpec, kind: EventType, area: str, day: date) -> str:
    return f"{market.market}/{kind}/{area}/{day.isoformat()}"


def _pair(market: MarketSpec) -> str | None:
    return market.market if market.kind is MarketKind.PAIR else None


def _leaning(decision: RateDecision) -> Leaning:
    if decision.change.is_zero():
        return Leaning.NEUTRAL
    return Leaning.UP if decision.change > 0 else Leaning.DOWN


def _may_be_news(answer: ToolResult) -> bool:
    return isinstance(answer.content, dict) and bool(answer.content.get("items"))


def _toned(request: TurnRequest, result: ResearchResult) -> ResearchResult:
    # The word lists take a tenth of a second to load, and are not needed without news.
    from desk.programs.week.document.sections.tone import (
        banks_in,
        merged,
        tones_by_words,
        word_stances,
    )

    window = request.assignment.window
    found = tones_by_words(request.results, result.market, banks_in(request.results), window)
    if not found:
        return result
    used = {tone.evidence_id for tone in found} - {source.evidence_id for source in result.sources}
    answers = {answer.evidence_id: answer for answer in reversed(request.results)}
    sources = tuple(
        attributed(answer, news.source)
        for name, answer in answers.items()
        if name in used and (news := news_in(answer, window)) is not None
    )
    return result.model_copy(
        update={
            "tones": merged((*result.tones, *found))[:MOST_TONES],
            "views": (*result.views, *word_stances(found, result.views)),
            "sources": (*result.sources, *sources)[:MOST_SOURCES],
        }
    )


@dataclass(frozen=True, slots=True)
class _Findings:
    """What the three tools answered about a market, and what follows from it."""

    market: MarketSpec
    base_area: str
    first_day: date
    as_of_day: date
    rates: Evidence[PolicyRates]
    decisions: Evidence[RateDecisions]
    calendar: Evidence[DecisionCalendar]
    yields: Evidence[Yields] | None
    view: RatesView
    periods_asked: tuple[DaysAsked, ...]

    @property
    def entries(self) -> tuple[PolicyRate, ...]:
        """The areas' policy rates, in the order asked for."""
        asked = areas_with_base(self.market, self.base_area)
        return tuple(rate_of(self.rates.answer, area) or _unanswered(area) for area in asked)


def _unanswered(area: str) -> PolicyRate:
    return PolicyRate(area=area, bank=area, instrument="policy rate", missing="not in the answer")


def _questions(request: TurnRequest, market: MarketSpec) -> Turn:
    first_day, last_day = days_looked_at(request)
    own = list(own_areas(market))
    rate_areas = list(areas_with_base(market, request.assignment.base_area))
    of_a_bank = request.assignment.query is not None and market.kind is not MarketKind.PAIR
    ahead = AHEAD_OF_A_QUESTION if of_a_bank else AHEAD
    start, now, later = first_day, last_day + DAY, last_day + ahead
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
            *yield_questions(request.assignment, rate_areas, first_day, last_day),
            *news_questions(request.assignment, news_query(market), own),
        ),
        note=f"Ask for the policy rates of {', '.join(rate_areas)}",
    )


def _read(request: TurnRequest, market: MarketSpec) -> _Findings:
    first_day, last_day = days_looked_at(request)
    decisions = read(request, Capability.RATE_DECISIONS, RateDecisions)
    calendar = read(request, Capability.DECISION_CALENDAR, DecisionCalendar)
    return _Findings(
        market=market,
        base_area=request.assignment.base_area,
        first_day=first_day,
        as_of_day=last_day,
        rates=read(request, Capability.POLICY_RATE, PolicyRates),
        decisions=decisions,
        calendar=calendar,
        yields=consult(request, Capability.YIELDS, Yields)[0],
        view=view_rates(decisions.answer, calendar.answer, own_areas(market), first_day, last_day),
        periods_asked=_periods_asked(request, (first_day, last_day)),
    )


def days_looked_at(request: TurnRequest) -> DaysAsked:
    """Returns the days that a task's market is researched over: the window, or for a bank in a
    question, also one beside a pair whose move is that of fewer days, some years."""
    first_day, last_day = window_days(request.assignment.window)
    query, market = request.assignment.query, request.assignment.market
    is_long = last_day - first_day >= LOOKED_BACK - WEEK
    if query is None or is_long or market is None or market.kind is MarketKind.PAIR:
        return first_day, last_day
    asked = query.days_asked
    begins = (min(asked[0], last_day) if asked else last_day) - LOOKED_BACK
    return max(begins, last_day - MOST_LOOKED_BACK), last_day


def _periods_asked(request: TurnRequest, looked_at: DaysAsked) -> tuple[DaysAsked, ...]:
    """Returns the days of each period that a question about a bank names, or those that are looked
    at; none without a question."""
    query = request.assignment.query
    if query is None:
        return ()
    return query.periods_asked or (looked_at,)


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
        sources=_sources(found, claims),
        missing=_missing(found),
        warnings=_warnings(found) + _silent(request, found.market),
        confidence=certainty,
    )


def _sources(found: _Findings, claims: Iterable[Claim]) -> tuple[DataSource, ...]:
    """The sources that were called. The source of yields is among them if a figure rests on it."""
    asked = (found.rates.source, found.decisions.source, found.calendar.source)
    used = {name for claim in claims for name in claim.evidence}
    yields = (found.yields,) if found.yields and found.yields.evidence_id in used else ()
    return (*asked, *(each.source for each in yields))


def _has_own_rate(found: _Findings) -> bool:
    own = own_areas(found.market)
    return any(entry.area in own and entry.rate is not None for entry in found.entries)


def _claims(found: _Findings) -> tuple[Claim, ...]:
    rates = policy_rate_claims(found.entries, found.as_of_day, found.rates.evidence_id)
    decided = decision_claims(found.view.decisions, found.decisions.evidence_id)
    decided += in_a_row_claims(found.decisions.answer, found.decisions.evidence_id)
    if found.market.kind is not MarketKind.PAIR:
        answer, evidence = found.decisions.answer, found.decisions.evidence_id
        for days in found.periods_asked:
            decided += within_claims(answer, own_areas(found.market)[0], *days, evidence)
    differential = differential_claim(found.market, found.base_area, rates)
    return rates + decided + ((differential,) if differential else ()) + _yield_claims(found)


def _yield_claims(found: _Findings) -> tuple[Claim, ...]:
    """Returns the differential of a pair's two-year yields, or the yields of a policy rate's own
    area. Empty if no source has them; its answer says why."""
    if found.yields is None:
        return ()
    answer, name = found.yields.answer, found.yields.evidence_id
    if found.market.kind is MarketKind.PAIR:
        return pair_claims(answer, found.market, found.first_day, found.as_of_day, name)
    claims = area_claims(answer, found.first_day, found.as_of_day, name)
    return tuple(claim for claim in claims if claim.subject in own_areas(found.market))


def _events(found: _Findings, certainty: float) -> tuple[MarketEvent, ...]:
    rates = {entry.area: entry for entry in found.entries}
    decided = decision_events(
        found.market,
        found.view,
        found.decisions.source,
        certainty,
        in_a_row_claims(found.decisions.answer, found.decisions.evidence_id),
    )
    scheduled = scheduled_events(
        found.market,
        found.view,
        found.calendar.source,
        certainty,
        found.as_of_day,
        rates,
        in_a_report=not found.periods_asked,
    )
    return (*decided, *scheduled)


def _missing(found: _Findings) -> tuple[str, ...]:
    """Lists what was asked for and not found, without duplicates."""
    reasons = [
        f"{entry.area}: no policy rate: {entry.missing}"
        for entry in found.entries
        if entry.rate is None
    ]
    rated = {entry.area for entry in found.entries if entry.rate is not None}
    expected = rated.intersection(own_areas(found.market))
    of_decisions, of_calendar = found.decisions.answer.missing, found.calendar.answer.missing
    reasons += [f"{a}: no decisions: {why}" for a, why in of_decisions.items() if a in expected]
    reasons += [without_calendar(a, why) for a, why in of_calendar.items() if a in expected]
    reasons += [without_outcome(day.area, day.bank, day.day) for day in found.view.unresolved]
    return tuple(clip(reason) for reason in reasons[:MOST_REASONS])


def _silent(request: TurnRequest, market: MarketSpec) -> tuple[str, ...]:
    return tuple(clip(f"{market.market}: {reason}") for reason in silent_news(request))


def _warnings(found: _Findings) -> tuple[str, ...]:
    answers = (found.rates, found.decisions, found.calendar)
    stand_ins = tuple(f"{found.market.market}: {a.stand_in}" for a in answers if a.stand_in)
    return stand_ins + tuple(
        known_until(entry) for entry in found.entries if entry.rate is not None and entry.stale
    )


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
