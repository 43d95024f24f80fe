"""The price analyst: what a pair's daily fixings say about the week, in figures and in words."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import is_little_changed
from desk.analytics.figures import print_full_day
from desk.analytics.names.periods import READ, since_decision
from desk.analytics.names.quotation import level_meant, numbers_in
from desk.analytics.prices.impact import (
    LARGE_MOVE,
    NEAR_THE_EDGE,
    NOTABLE_MOVE,
    distance_to_edge,
    floating_pair_impact,
    pegged_pair_impact,
)
from desk.analytics.prices.price_view import (
    LONGEST_WAIT,
    Break,
    PriceView,
    Side,
    view_newest,
    view_prices,
)
from desk.analytics.prices.series import WEEK, Fixing, Fixings, window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import EVENT_DAYS, RANK, SINCE_DECISION, Query
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Claim, Metric, claim_id, span_days
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    SuspectFixing,
    View,
    ViewKind,
)
from desk.contracts.findings.source_results import DatePrecision, History, RateDecisions
from desk.contracts.markets import Band, MarketSpec
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.learning.forecasts import forecast_of
from desk.programs.builtin.evidence import Evidence, ask, consult, market_of, read, unusable
from desk.trust.claims.price_claims import position_in_band, price_claims, step_claims
from desk.trust.claims.rate_claims import decision_claims
from desk.trust.claims.span_claims import (
    beyond_claims,
    counted_claims,
    extreme_claims,
    fixings_of,
)
from desk.trust.confidence import NOTHING_FOUND, Weakness, confidence
from desk.trust.prose import clip

Values = dict[Metric, Decimal]
"""The printed values of a market's claims."""

LONG_STREAK: Final = 5
WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip

TOP: Final = Decimal(90)
BOTTOM: Final = Decimal(10)
"""Percent of the 52-week range."""


def describe(spec: MarketSpec, view: PriceView, values: Values, *, by_weekday: bool = True) -> str:
    """Writes the paragraph of a pair's event. `values` must include the move and the previous
    level. Names the days of a week by their weekdays, and all others by their dates."""
    by_weekday = by_weekday and view.is_week
    sentences = (
        _move_sentence(spec, view, values),
        _range_sentence(spec, view, by_weekday=by_weekday),
        _band_sentence(spec, spec.band, values) if spec.band else _score_sentence(spec, values),
        *(
            _break_sentence(spec, broken, view, values, by_weekday=by_weekday)
            for broken in view.breaks
        ),
        _year_sentence(view, values),
        _streak_sentence(spec, values),
    )
    return " ".join(sentence for sentence in sentences if sentence)


def verb(move: Decimal, z_score: Decimal | None, *, pegged: bool) -> str:
    """Chooses the verb for a move in percent. From two standard deviations on it is sharp."""
    if is_little_changed(move, pegged=pegged):
        return "was little changed"
    direction = "rose" if move > 0 else "fell"
    sharp = not pegged and z_score is not None and abs(z_score) >= LARGE_MOVE
    return f"{direction} sharply" if sharp else direction


def _reference(spec: MarketSpec, metric: Metric) -> str:
    return f"[[{claim_id(spec.market, metric)}]]"


def _move_sentence(spec: MarketSpec, view: PriceView, values: Values) -> str:
    said = verb(values[Metric.MOVE], values.get(Metric.Z_SCORE), pegged=spec.band is not None)
    move, previous, last = (
        _reference(spec, metric) for metric in (Metric.MOVE, Metric.PREVIOUS, Metric.LAST)
    )
    span = "week" if view.is_week else "period"
    return f"{spec.market} {said} over the {span} ({move}), from {previous} to {last}."


def _range_sentence(spec: MarketSpec, view: PriceView, *, by_weekday: bool) -> str:
    if view.window_low.day == view.window_high.day:
        return ""
    low, high = _reference(spec, Metric.WINDOW_LOW), _reference(spec, Metric.WINDOW_HIGH)
    return (
        f"Its fixings ranged from {low} on {_day(view.window_low, by_weekday=by_weekday)}"
        f" to {high} on {_day(view.window_high, by_weekday=by_weekday)}.{_distance(spec, view)}"
    )


def _distance(spec: MarketSpec, view: PriceView) -> str:
    """Says how far the last fixing is from both ends of a period's range; empty for a week."""
    if view.is_week:
        return ""
    last = f"The last one, {_reference(spec, Metric.LAST)} on {print_full_day(view.last.day)}, is"
    below = f"[[{claim_id(spec.market, Metric.FROM_HIGH)}|size]] below the highest"
    above = f"[[{claim_id(spec.market, Metric.FROM_LOW)}|size]] above the lowest"
    if view.last.value == view.window_high.value:
        return f" {last} the highest of them, {above}."
    if view.last.value == view.window_low.value:
        return f" {last} the lowest of them, {below}."
    return f" {last} {below} of them and {above}."


def _score_sentence(spec: MarketSpec, values: Values) -> str:
    score = values.get(Metric.Z_SCORE)
    if score is None:
        return ""
    reference = _reference(spec, Metric.Z_SCORE)
    if abs(score) >= LARGE_MOVE:
        return f"Against the 52 weeks before it is an exceptional move ({reference})."
    if abs(score) >= NOTABLE_MOVE:
        return f"Against the 52 weeks before it is a larger move than usual ({reference})."
    return f"Against the 52 weeks before it is an ordinary move ({reference})."


def _band_sentence(spec: MarketSpec, band: Band, values: Values) -> str:
    position = values[Metric.BAND_POSITION]
    distance = distance_to_edge(position)
    reference = _reference(spec, Metric.BAND_POSITION)
    upper = position > 100 - position
    level = _reference(spec, Metric.BAND_HIGH if upper else Metric.BAND_LOW)
    edge = f"{'upper' if upper else 'lower'} edge, {level},"
    if distance < 0:
        return f"It is beyond the {edge} of the band kept by {band.authority} ({reference})."
    if distance <= NEAR_THE_EDGE:
        return f"It is close to the {edge} of the band kept by {band.authority} ({reference})."
    return f"It is well within the band kept by {band.authority}, {reference} of the way up."


def _break_sentence(
    spec: MarketSpec, broken: Break, view: PriceView, values: Values, *, by_weekday: bool
) -> str:
    high, day = broken.side is Side.HIGH, _day(broken.fixing, by_weekday=by_weekday)
    whose = f"{day}'s fixing" if by_weekday else f"The fixing of {day}"
    since = Metric.HIGHEST_SINCE if high else Metric.LOWEST_SINCE
    if broken.fixing == view.last and since in values:
        return f"{whose} was the {_reference(spec, since)}."
    superlative, months = "highest" if high else "lowest", _months(broken.months)
    return f"{whose} was the {superlative} in more than {months}."


def _year_sentence(view: PriceView, values: Values) -> str:
    position = values.get(Metric.RANGE_POSITION)
    if position is None or any(broken.months >= 12 for broken in view.breaks):
        return ""
    if position >= TOP:
        return "It is near the top of its 52-week range."
    return "It is near the bottom of its 52-week range." if position <= BOTTOM else ""


def _streak_sentence(spec: MarketSpec, values: Values) -> str:
    length = values[Metric.STREAK]
    if abs(length) < LONG_STREAK:
        return ""
    direction = "risen" if length > 0 else "fallen"
    return f"It has {direction} for {_reference(spec, Metric.STREAK)} in a row."


def _day(fixing: Fixing, *, by_weekday: bool) -> str:
    return WEEKDAYS[fixing.day.weekday()] if by_weekday else print_full_day(fixing.day)


def _months(months: int) -> str:
    return {1: "a month", 3: "three months", 12: "twelve months"}[months]


HISTORY = 56 * WEEK
HISTORY_OF_A_LEVEL = 5 * 52 * WEEK
"""The history for a question that names a level and no days: the pair may have been there long
ago."""
YEAR = 52 * WEEK
DECISIONS = 3 * YEAR
"""How far back the last decision of a bank is looked for: as far as research on the bank does."""
MOST_SUSPECTS = 20
_OF_A_LEVEL: Final = frozenset(
    {Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH, Metric.RANGE_POSITION}
)
"""The metrics of a pair's newest level and its place in a year's range."""
REVERTED = "it leapt away from the fixings on both sides and the next one took most of it back"
UNSURE = "the last fixing leapt, and without a next one it cannot be told from an error"


def take_turn(request: TurnRequest) -> Turn:
    """Asks for the pair's history. Once it is there, delivers the week's figures and event.

    Raises:
        TaskNotPossible: the history is not available or cannot be parsed.
    """
    market = market_of(request)
    if not request.exchanges:
        return _questions(request, market)
    return Turn(result=_research(request, market, read(request, Capability.HISTORY, History)))


def _questions(request: TurnRequest, market: MarketSpec) -> Turn:
    first_day, last_day = window_days(request.assignment.window)
    query = request.assignment.query
    end = last_day.isoformat()
    start = (first_day - _looked_back(query)).isoformat()
    calls = [
        ask(request.assignment, Capability.HISTORY, symbol=market.market, start=start, end=end)
    ]
    if area := _bank_asked(query):
        start = (last_day - DECISIONS).isoformat()
        calls.append(
            ask(request.assignment, Capability.RATE_DECISIONS, areas=[area], start=start, end=end)
        )
    return Turn(calls=tuple(calls), note=f"Ask for the fixings of {market.market}")


def _bank_asked(query: Query | None) -> str | None:
    """Returns the area of the bank since whose decision a question asks for a pair's move."""
    words = query.parameters.get(SINCE_DECISION, "") if query else ""
    since = since_decision(words)
    return since.area if since else None


def _looked_back(query: Query | None) -> timedelta:
    """Returns how much history before the days is requested."""
    if query is None:
        return HISTORY
    of_a_level = READ not in query.parameters and numbers_in(query.as_read.question)
    of_an_event = not {SINCE_DECISION, EVENT_DAYS}.isdisjoint(query.parameters)
    return HISTORY_OF_A_LEVEL if of_a_level or of_an_event else HISTORY


def _research(
    request: TurnRequest, market: MarketSpec, evidence: Evidence[History]
) -> ResearchResult:
    fixings = _fixings(request, market, evidence.answer)
    first_day, last_day = window_days(request.assignment.window)
    query = request.assignment.query
    # A question about now, or about one day without a fixing, is answered by the newest fixing
    # before.
    of_a_day = query is not None and (READ not in query.parameters or first_day == last_day)
    view = (view_newest if of_a_day else view_prices)(fixings, first_day, last_day)
    ends_on = fixings.last.day if fixings.last and fixings.last.day < first_day else None
    if view is None or _is_stale(query, ends_on, first_day):
        return _nothing(request, market, evidence, fixings, ends_on)
    claims = price_claims(view, market, evidence.evidence_id)
    since = _since_decisions(request, view, market, fixings, evidence.evidence_id)
    if query is not None and ends_on is None:
        claims += _asked_claims(query, view, market, fixings, evidence.evidence_id, first_day)
    claims += since.claims
    if query is not None and query.is_from_extreme:
        claims += _since_extremes(query, view, market, fixings, evidence.evidence_id)
    missing = (*_missing(market, view, claims), *_nothing_since(market, ends_on))
    certainty = confidence(_weaknesses(view, missing, evidence.source.tier))
    return ResearchResult(
        result_id=f"{request.assignment.task_id}/result",
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        market=market.market,
        claims=claims,
        events=_events(request, view, claims, evidence.source, certainty),
        views=tuple(_views(market, claims, certainty, _sound(fixings, view), first_day)),
        sources=(evidence.source, *since.sources),
        suspects=_suspects(view),
        missing=missing,
        warnings=_warnings(market, view, evidence),
        confidence=certainty,
        ends_on=ends_on,
    )


def _is_stale(query: Query | None, ends_on: date | None, first_day: date) -> bool:
    """Returns whether the newest fixing is too old to be that of the days that a question names."""
    dated = query is not None and READ in query.parameters
    return dated and ends_on is not None and first_day - ends_on > LONGEST_WAIT


def _asked_claims(
    query: Query,
    view: PriceView,
    market: MarketSpec,
    fixings: Fixings,
    evidence: str,
    first_day: date,
) -> tuple[Claim, ...]:
    """Counts over the days that a question asks about. For a level that it names without days,
    counts over a year and over the whole history. Counts nothing for a whole group that is
    ranked."""
    ranked = query.parameters.get(RANK)
    if ranked and not any(code in ranked for code in market.market.split("/")):
        return ()
    last_day = view.last.day
    counted = counted_claims(fixings, market, evidence, first_day, last_day)
    level = level_meant(numbers_in(_undated(query)), view.last.value)
    if level is None or fixings.first is None:
        return counted
    dated = READ in query.parameters
    starts = (first_day,) if dated else (last_day - YEAR + timedelta(days=1), fixings.first.day)
    beyond = (
        each
        for start in dict.fromkeys(starts)
        for each in beyond_claims(fixings, market, evidence, level, start, last_day)
    )
    return (*counted, *beyond)


class _SinceDecisions(NamedTuple):
    """Claims on a pair's moves since decisions of a bank and on these, with their sources."""

    claims: tuple[Claim, ...] = ()
    sources: tuple[DataSource, ...] = ()


def _since_decisions(
    request: TurnRequest, view: PriceView, market: MarketSpec, fixings: Fixings, evidence: str
) -> _SinceDecisions:
    """Returns the moves of a pair since the bank that a question names last decided, raised and cut
    its rate, up to the days of the decision if the question names them: each from the last fixing
    before that day, because a bank may decide before or after the day's own fixing."""
    area = _bank_asked(request.assignment.query)
    if area is None:
        return _SinceDecisions()
    decisions, _ = consult(request, Capability.RATE_DECISIONS, RateDecisions)
    if decisions is None:
        return _SinceDecisions()
    of_the_bank = [each for each in decisions.answer.decisions if each.area == area]
    query = request.assignment.query
    within = query.event_days if query else None
    end = min(view.last.day, within[1]) if within else view.last.day
    every = [each for each in of_the_bank if each.decided_on <= end]
    known = [each for each in every if each.precision is DatePrecision.DAY]
    asked = [known, *([e for e in known if e.change * way > 0] for way in (1, -1))]
    newest = {each[-1].decided_on: each[-1] for each in asked if each}
    sound = _sound(fixings, view)
    starts = {day: sound.before(day).last for day in newest}
    moves = {
        claim.claim_id: claim
        for start in starts.values()
        if start is not None
        for claim in step_claims(start, view.last, market, evidence)
    }
    # A later decision of which only the month is known is what the rate in force comes from.
    newest |= {each.decided_on: each for each in every[-1:]}
    decided = decision_claims(tuple(newest.values()), decisions.evidence_id)
    return _SinceDecisions((*moves.values(), *decided), (decisions.source,))


def _since_extremes(
    query: Query, view: PriceView, market: MarketSpec, fixings: Fixings, evidence: str
) -> tuple[Claim, ...]:
    """Returns the high and the low of the days that a question names, and the moves from them to
    the newest fixing."""
    if query.event_days is None:
        return ()
    ends = extreme_claims(fixings, market, evidence, *query.event_days)
    starts = (fixings_of(fixings, (end.as_of, view.last.day)) for end in ends)
    moves = {
        claim.claim_id: claim
        for start in starts
        if start is not None
        for claim in step_claims(*start, market, evidence)
    }
    return (*ends, *moves.values())


def _undated(query: Query) -> str:
    """Returns a question without the words for its days."""
    days, question = query.parameters.get(READ), query.as_read.question
    return question.replace(days, " ") if days else question


def _fixings(request: TurnRequest, market: MarketSpec, history: History) -> Fixings:
    if history.symbol != market.market:
        raise unusable(request, Capability.HISTORY, f"the answer is about {history.symbol}")
    if any(value <= 0 for value in history.values):
        raise unusable(request, Capability.HISTORY, "a fixing in it is not positive")
    try:
        return Fixings.of(history)
    except ValueError as error:
        raise unusable(request, Capability.HISTORY, str(error)) from error


def _why_nothing(market: MarketSpec, history: History, fixings: Fixings) -> str:
    if history.missing:
        return clip(f"{market.market}: {history.missing}")
    if fixings.last is None:
        return f"{market.market}: the source holds no fixing"
    last = print_full_day(fixings.last.day)
    return f"{market.market}: no usable fixing in the window; the last one is of {last}"


def _nothing_since(market: MarketSpec, ends_on: date | None) -> tuple[str, ...]:
    """Says that the newest fixing, which is reported, is older than the days asked about."""
    if ends_on is None:
        return ()
    day = print_full_day(ends_on)
    return (f"{market.market}: no fixing of the days asked about; told is the newest, of {day}",)


def _nothing(
    request: TurnRequest,
    market: MarketSpec,
    evidence: Evidence[History],
    fixings: Fixings,
    ends_on: date | None,
) -> ResearchResult:
    """Says why nothing is known of the days; to a question, also the newest level before them."""
    reason, claims = _why_nothing(market, evidence.answer, fixings), tuple[Claim, ...]()
    if ends_on is not None and request.assignment.query is not None:
        reason = clip(f"{reason}; --as-of {ends_on.isoformat()} answers as of then")
        view = view_newest(fixings, *window_days(request.assignment.window))
        found = price_claims(view, market, evidence.evidence_id) if view else ()
        claims = tuple(claim for claim in found if claim.metric in _OF_A_LEVEL)
    return ResearchResult(
        result_id=f"{request.assignment.task_id}/result",
        task_id=request.assignment.task_id,
        agent=request.assignment.agent,
        market=market.market,
        claims=claims,
        sources=(evidence.source,),
        missing=(reason,),
        confidence=NOTHING_FOUND,
        ends_on=ends_on,
    )


def _events(
    request: TurnRequest,
    view: PriceView,
    claims: tuple[Claim, ...],
    source: DataSource,
    certainty: float,
) -> tuple[MarketEvent, ...]:
    market, values = market_of(request), {claim.metric: claim.value for claim in claims}
    if Metric.MOVE not in values:
        return ()
    event = MarketEvent(
        event_id=f"{market.market}/{EventType.FX_MOVEMENT}/{view.last.day.isoformat()}",
        event_type=EventType.FX_MOVEMENT,
        market=market.market,
        currency_pair=market.market,
        event_date=view.last.day,
        # Unlike a week's page, an answer's page does not say to which week its weekdays belong.
        description=describe(market, view, values, by_weekday=request.assignment.query is None),
        impact=_impact(market, view, values),
        # The days within the window that rose and fell most are not part of its move.
        claims=tuple(claim.claim_id for claim in claims if span_days(claim) is None),
        source_url=source.url,
        confidence=certainty,
    )
    return (event,)


def _sound(fixings: Fixings, view: PriceView) -> Fixings:
    return fixings.without({fixing.day for fixing in view.suspects})


def _views(
    market: MarketSpec,
    claims: tuple[Claim, ...],
    certainty: float,
    fixings: Fixings,
    first_day: date,
) -> Iterator[View]:
    """Returns the direction of the printed move, with what followed such moves before. Yields
    nothing without a move."""
    for claim in claims:
        if claim.metric is Metric.MOVE:
            leaning = _leaning(claim.value, pegged=market.band is not None)
            yield View(
                subject=market.market,
                kind=ViewKind.DIRECTION,
                leaning=leaning,
                confidence=certainty,
                claims=(claim.claim_id,),
                forecast=forecast_of(fixings, first_day, leaning),
            )


def _leaning(move: Decimal, *, pegged: bool) -> Leaning:
    if is_little_changed(move, pegged=pegged):
        return Leaning.NEUTRAL
    return Leaning.UP if move > 0 else Leaning.DOWN


def _impact(market: MarketSpec, view: PriceView, values: Values) -> Impact:
    if market.band:
        previous = position_in_band(values[Metric.PREVIOUS], market.band)
        return pegged_pair_impact(values[Metric.BAND_POSITION], previous)
    months = max((broken.months for broken in view.breaks), default=0)
    return floating_pair_impact(values.get(Metric.Z_SCORE), months)


def _suspects(view: PriceView) -> tuple[SuspectFixing, ...]:
    return tuple(
        SuspectFixing(day=fixing.day, value=f"{fixing.value:f}", reason=REVERTED)
        for fixing in view.suspects[-MOST_SUSPECTS:]
    )


def _missing(market: MarketSpec, view: PriceView, claims: tuple[Claim, ...]) -> tuple[str, ...]:
    found = {claim.metric for claim in claims}
    unscored = bool(market.band) or not view.is_week
    reasons = (
        (Metric.MOVE, "no move, because there is no recent fixing before the window"),
        (Metric.RANGE_POSITION, "no 52-week range, because the history is too short or flat"),
        (Metric.Z_SCORE, "no z-score, because the 52 weeks before are incomplete or without moves"),
    )
    return tuple(
        f"{market.market}: {reason}"
        for metric, reason in reasons
        if metric not in found and not (metric is Metric.Z_SCORE and unscored)
    )


def _warnings(market: MarketSpec, view: PriceView, evidence: Evidence[History]) -> tuple[str, ...]:
    warnings = [f"{market.market}: {evidence.stand_in}"] if evidence.stand_in else []
    if view.unconfirmed_last:
        warnings.append(f"{market.market}: {UNSURE}")
    if view.early_last:
        last = print_full_day(view.last.day)
        warnings.append(f"{market.market}: the last fixing is of {last}, early in the window")
    return tuple(warnings)


def _weaknesses(view: PriceView, missing: tuple[str, ...], tier: SourceTier) -> list[Weakness]:
    present = {
        Weakness.SINGLE_SOURCE: True,
        Weakness.SECONDARY_SOURCE: tier not in (SourceTier.AUTHORITATIVE, SourceTier.PRIMARY),
        Weakness.SHORT_HISTORY: bool(missing),
        Weakness.SUSPECT_FIXINGS: bool(view.suspects),
        Weakness.UNCONFIRMED_LAST: view.unconfirmed_last,
        Weakness.EARLY_LAST: view.early_last,
    }
    return [weakness for weakness, applies in present.items() if applies]
