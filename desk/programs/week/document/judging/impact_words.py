"""Why an event has its impact, in a few words, by the rules of `desk.analytics.prices.impact`."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from desk.analytics.figures import day_of
from desk.analytics.prices.impact import LARGE_MOVE, NEAR_THE_EDGE, NOTABLE_MOVE, distance_to_edge
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, Impact
from desk.contracts.week.report import MarketReport, ReportedEvent

YEAR: Final = timedelta(days=364)
QUARTER: Final = timedelta(days=90)


def impact_words(event: ReportedEvent, market: MarketReport, today: date) -> str:
    """`high impact: twelve-month low`; without a reason if no rule of the desk gives one. `today`
    is the day of the report."""
    reason = impact_reason(event, market, today)
    words = f"{event.impact} impact"
    return words if reason is None else f"{words}: {reason}"


def impact_reason(event: ReportedEvent, market: MarketReport, today: date) -> str | None:
    """`twelve-month low`: the strongest reason that a rule of the desk gives; None without one."""
    return next(_reasons(event, market, today), None)


def _reasons(event: ReportedEvent, market: MarketReport, today: date) -> Iterator[str]:
    """Yields the reasons for an event's impact, strongest first."""
    if event.event_type is EventType.RATE_DECISION:
        named = set(event.claims)
        changes = [c for c in market.claims if c.claim_id in named and _is_change(c)]
        yield from ("the rate changed" if c.value else "the rate was held" for c in changes[:1])
    elif event.event_type is EventType.SCHEDULED_DECISION:
        if event.event_date < today:
            yield "passed, outcome unknown"
        elif event.impact is not Impact.LOW:
            yield "due within a week"
    elif event.event_type is EventType.FX_MOVEMENT:
        own = {c.metric: c for c in market.claims if c.subject == market.market}
        yield from _of_move(own, event)


def _is_change(claim: Claim) -> bool:
    return claim.metric is Metric.DECISION_CHANGE


def _of_move(own: dict[Metric, Claim], event: ReportedEvent) -> Iterator[str]:
    day = event.event_date
    if Metric.BAND_POSITION in own:
        distance = distance_to_edge(own[Metric.BAND_POSITION].value)
        if distance < 0:
            yield "outside its band"
        elif distance <= NEAR_THE_EDGE:
            yield "near the edge of its band"
        return
    size = abs(own[Metric.Z_SCORE].value) if Metric.Z_SCORE in own else 0
    if size >= LARGE_MOVE:
        yield "an unusual move"
    yield from _extreme(own, day, YEAR, "twelve-month")
    yield from _extreme_within(own)
    if size >= NOTABLE_MOVE:
        yield "a larger move than most"
    yield from _extreme(own, day, QUARTER, "three-month")
    if event.impact is not Impact.LOW:
        yield "an extreme within the week"
    yield "an ordinary move" if size else "no extreme"


def _extreme_within(own: dict[Metric, Claim]) -> Iterator[str]:
    """Says if a day of the week was the year's highest or lowest, even if the week ended
    elsewhere."""
    for of_week, of_year, side in (
        (Metric.WINDOW_HIGH, Metric.YEAR_HIGH, "high"),
        (Metric.WINDOW_LOW, Metric.YEAR_LOW, "low"),
    ):
        if of_week in own and of_year in own and own[of_week].value == own[of_year].value:
            yield f"twelve-month {side} within the week"


def _extreme(own: dict[Metric, Claim], day: date, span: timedelta, words: str) -> Iterator[str]:
    """Says if the pair ended at its highest or lowest in a span, by the claims that state it."""
    for metric, side in ((Metric.HIGHEST_SINCE, "high"), (Metric.LOWEST_SINCE, "low")):
        since = day_of(own[metric].value) if metric in own else None
        if since is not None and day - since >= span:
            yield f"{words} {side}"
    position = own.get(Metric.RANGE_POSITION)
    if position is not None and span is YEAR:
        if position.value >= 100:
            yield f"{words} high"
        elif position.value <= 0:
            yield f"{words} low"
