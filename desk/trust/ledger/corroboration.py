"""Finds statements of other origins about a claim, which confirm or contradict it.

The origin of a figure is its first publisher. All sources of one origin count once.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import StatedFigure, statement_of, tolerance_of
from desk.analytics.names.quotation import reciprocal, reversed_pair, reversed_statement
from desk.analytics.prices.figure_days import FROM_SERIES, FigureDays
from desk.analytics.prices.moves import log_moves, robust_deviation
from desk.analytics.prices.rates_view import EFFECTIVE_LAG, rate_of
from desk.analytics.prices.series import Fixings, window_days
from desk.analytics.units import BAND_EDGES, UNITS
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.source_results import (
    Histories,
    History,
    MonthEndRate,
    MonthEndRates,
    PolicyRate,
    PolicyRates,
    Provenance,
    Quote,
    RateDecision,
    RateDecisions,
    RateRecord,
    RateRecords,
    Yields,
)
from desk.contracts.weeks import TimeWindow
from desk.trust.claims.yield_claims import area_claims
from desk.trust.ledger.evidence import (
    Answer,
    EvidenceUnusable,
    verified_answer,
)

LEAST_DEVIATION: Final = Decimal("0.03")
"""The minimum deviation in percent. The rounding of a pegged pair's cross rate does not count as
one."""

SAME_FIGURE: Final = Decimal("0.00002")
"""Two levels that differ by at most this share are the same figure, rounded differently."""

NEAR_YIELDS: Final = {
    Metric.YIELD_2Y: Decimal("0.10"),
    Metric.YIELD_10Y: Decimal("0.10"),
    Metric.YIELD_2Y_CHANGE: Decimal(5),
}
"""How near a yield of another curve and hour must be to confirm one, in percentage points or basis
points: two days' usual move for a level. A yield further away contradicts nothing."""

LEAST_REPEATED: Final = 5
"""A history is a copy if its levels are equal on at least this many days, and different on none."""


class IndependentStatement(NamedTuple):
    """A figure as a source of another origin states it, and the tool result with it."""

    statement: StatedFigure
    source: Provenance
    evidence_id: str


class DayAgreement(NamedTuple):
    """The agreement on a figure computed from several days: how many days there are, for how many
    another origin has a level, on how many of those it agrees, and the sources of these levels."""

    days: int
    known: int
    agreed: int
    by: tuple[IndependentStatement, ...]


class Corroboration:
    """The readable tool results, and their statements about a claim. `unread` gives the reason for
    each of the others."""

    def __init__(self, results: Iterable[ToolResult], window: TimeWindow) -> None:
        self._window = window
        self._answers: dict[str, Answer] = {}
        self._stated: list[tuple[str, Answer]] = []
        self._repeats: dict[tuple[str, int], bool] = {}
        self._deviations: dict[int, Decimal] = {}
        self._figure_days: dict[int, FigureDays] = {}
        self.unread: dict[str, str] = {}
        for result in results:
            try:
                answer = verified_answer(result, window)
                if answer is not None:
                    self._answers[result.evidence_id] = answer
                    self._stated += ((result.evidence_id, each) for each in _parts(answer, result))
            except EvidenceUnusable as unusable:
                self.unread[result.evidence_id] = str(unusable)

    def own(self, claim: Claim) -> tuple[Answer, ...]:
        """Returns the answers that a claim rests on."""
        return tuple(self._answers[name] for name in claim.evidence if name in self._answers)

    def statement(self, claim: Claim) -> StatedFigure:
        """Returns the statement of a claim, with the origin, instrument and age from its
        evidence."""
        for answer in self.own(claim):
            if isinstance(answer, PolicyRates) and claim.metric is Metric.POLICY_RATE:
                rate = rate_of(answer, claim.subject)
                if rate is not None:
                    return _with_rate(statement_of(claim), rate, answer.source)
            origin = _origin(answer, claim)
            if origin is not None:
                return self._with_range(statement_of(claim, origin))
        return statement_of(claim)

    def _with_range(self, stated: StatedFigure) -> StatedFigure:
        """Adds the ends of the target range to a decision's rate if that range is in force."""
        if stated.metric is not Metric.DECISION_RATE:
            return stated
        for _, answer in self._stated:
            rate = rate_of(answer, stated.subject) if isinstance(answer, PolicyRates) else None
            if rate is not None and (rate.since, rate.rate) == (stated.day, stated.value):
                return replace(stated, low=rate.low, high=rate.high)
        return stated

    def others(self, claim: Claim) -> Iterator[IndependentStatement]:
        """Yields statements of other origins about the same thing. A claim without a known origin
        has none."""
        stated = self.statement(claim)
        if stated.origin is None:
            return
        for name, answer in self._stated:
            if isinstance(answer, Yields):
                yield from self._yields(name, answer, stated)
            for statement in _statements(answer, stated):
                if statement.origin not in (None, stated.origin) and not self._copies(
                    answer, claim
                ):
                    yield IndependentStatement(statement, answer.source, name)

    def _yields(
        self, name: str, answer: Yields, about: StatedFigure
    ) -> Iterator[IndependentStatement]:
        """Yields the bond yields of other publishers on the same day that confirm one."""
        near = NEAR_YIELDS.get(about.metric)
        if near is None:
            return
        for series in answer.yields:
            if series.area != about.subject or series.origin in (None, about.origin):
                continue
            alone = answer.model_copy(update={"yields": (series,)})
            for other in area_claims(alone, *window_days(self._window), name):
                same = (other.metric, other.as_of) == (about.metric, about.day)
                if same and abs(other.value - about.value) <= near:
                    source = answer.source.model_copy(
                        update={"name": series.name, "origin": series.origin}
                    )
                    stated = replace(about, origin=series.origin)
                    yield IndependentStatement(stated, source, name)

    def daily_deviation(self, claim: Claim) -> Decimal | None:
        """Returns the robust deviation of the daily moves in the history that a claim rests on, in
        percent."""
        for answer in self.own(claim):
            if isinstance(answer, History) and len(answer.values) > 1:
                if id(answer) not in self._deviations:
                    self._deviations[id(answer)] = _daily_deviation(answer)
                return self._deviations[id(answer)]
        return None

    def on_days(self, claim: Claim) -> DayAgreement | None:
        """Returns how far other origins agree on the days that a figure of a series is computed
        from.

        None for other figures, and if the figure's own history lacks those days.
        """
        history = next((each for each in self.own(claim) if isinstance(each, History)), None)
        deviation = self.daily_deviation(claim)
        if claim.metric not in FROM_SERIES or history is None or deviation is None:
            return None
        levels = dict(zip(history.days, history.values, strict=False))
        try:
            days = self._days_of(history).of(claim)
        except ValueError:
            return None
        if not days:
            return None
        share = tolerance_of(Metric.LAST, same_fixing=False, daily_deviation=deviation)
        known, agreed, by = set[date](), set[date](), dict[str, IndependentStatement]()
        for name, other in self._other_histories(claim, history):
            for day, value in _turned_to(history.symbol, other):
                if day not in days:
                    continue
                known.add(day)
                if abs(levels[day] - value) <= share.allowance(levels[day], value):
                    agreed.add(day)
                    stated = _stated(statement_of(claim), claim.value, other.source.origin)
                    by[other.source.name] = IndependentStatement(stated, other.source, name)
        return DayAgreement(len(days), len(known), len(agreed), tuple(by.values()))

    def _days_of(self, history: History) -> FigureDays:
        if id(history) not in self._figure_days:
            behind = FigureDays(Fixings.of(history), *window_days(self._window))
            self._figure_days[id(history)] = behind
        return self._figure_days[id(history)]

    def _other_histories(self, claim: Claim, own: History) -> Iterator[tuple[str, History]]:
        for name, answer in self._stated:
            if not isinstance(answer, History) or answer.source.origin in (None, own.source.origin):
                continue
            same = answer.symbol in (own.symbol, reversed_pair(own.symbol))
            if same and not self._copies(answer, claim):
                yield name, answer

    def _copies(self, answer: Answer, claim: Claim) -> bool:
        """Returns whether a history has exactly the figures of the one that a claim rests on. Its
        publisher then copied them and is not another origin."""
        own = next((each for each in self.own(claim) if isinstance(each, History)), None)
        if own is None or not isinstance(answer, History):
            return False
        key = (claim.evidence[0], id(answer))
        if key not in self._repeats:
            self._repeats[key] = _is_copy(own, answer)
        return self._repeats[key]


def _parts(answer: Answer, result: ToolResult) -> tuple[Answer, ...]:
    """Returns an answer, or the histories in it. The origin of the desk's configuration has
    precedence over the one that an answer names."""
    if not isinstance(answer, Histories):
        return (answer,)
    if result.attribution is None:
        return answer.histories
    return tuple(each.model_copy(update={"source": answer.source}) for each in answer.histories)


def _daily_deviation(history: History) -> Decimal:
    moves = log_moves([float(value) for value in history.values])
    return max(LEAST_DEVIATION, Decimal(str(round(robust_deviation(moves) * 100, 4))))


def _turned_to(symbol: str, other: History) -> Iterator[tuple[date, Decimal]]:
    for day, value in zip(other.days, other.values, strict=False):
        yield day, value if other.symbol == symbol else reciprocal(value)


def _is_copy(own: History, other: History) -> bool:
    levels = dict(zip(own.days, own.values, strict=False))
    common = [(levels[day], value) for day, value in _turned_to(own.symbol, other) if day in levels]
    return len(common) >= LEAST_REPEATED and all(
        abs(one - value) <= SAME_FIGURE * one for one, value in common
    )


def _with_rate(stated: StatedFigure, rate: PolicyRate, source: Provenance) -> StatedFigure:
    """Completes a statement from its rate's row. A rate is only certainly in force some days after
    its decision, so a month-end in between is compared with neither rate."""
    return replace(
        stated,
        origin=rate.origin or source.origin,
        instrument=rate.instrument,
        low=rate.low,
        high=rate.high,
        since=rate.since + EFFECTIVE_LAG if rate.since else None,
    )


def _origin(answer: Answer, claim: Claim) -> str | None:
    if isinstance(answer, RateDecisions):
        own = _decided(answer, claim.subject, claim.as_of)
        return next((d.origin for d in own if d.origin), answer.source.origin)
    if isinstance(answer, Yields) and answer.source.origin is None:
        return next((s.origin for s in answer.yields if s.area == claim.subject), None)
    return answer.source.origin


def _decided(answer: RateDecisions, area: str, day: date) -> Iterator[RateDecision]:
    """Yields an area's decision of a day, also one from before the days that were asked for."""
    for decision in (*answer.decisions, *answer.before):
        if (decision.area, decision.decided_on) == (area, day):
            yield decision


def _statements(answer: Answer, about: StatedFigure) -> Iterator[StatedFigure]:
    """Yields the statements in an answer that can be compared with a statement."""
    match answer:
        case Quote() | History() if (
            UNITS[about.metric] is Unit.LEVEL and about.metric not in BAND_EDGES
        ):
            yield from _levels(answer, about)
        case PolicyRates() if about.metric is Metric.POLICY_RATE:
            rate = rate_of(answer, about.subject)
            if rate is not None and rate.rate is not None:
                yield _with_rate(_stated(about, rate.rate, None), rate, answer.source)
        case MonthEndRates() if about.metric is Metric.POLICY_RATE:
            yield from _month_ends(answer, about)
        case RateRecords():
            for record in answer.recorded:
                if record.area == about.subject:
                    origin = record.origin or answer.source.origin
                    yield from _recorded(record, about, origin)
        case RateDecisions() if about.metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE):
            for decision in _decided(answer, about.subject, about.day):
                is_rate = about.metric is Metric.DECISION_RATE
                value = decision.rate if is_rate else decision.change
                yield _stated(about, value, decision.origin or answer.source.origin)
        case _:
            return


def _levels(answer: Quote | History, about: StatedFigure) -> Iterator[StatedFigure]:
    """Yields the answer's level on the same day, of the pair or of its reverse."""
    if answer.symbol not in (about.subject, reversed_pair(about.subject)):
        return
    turned = reversed_statement(about.metric, about.value)
    metric = turned[0] if turned and answer.symbol != about.subject else about.metric
    fixings = (
        zip(answer.days, answer.values, strict=False)
        if isinstance(answer, History)
        else [(answer.fixed_on, answer.value)]
    )
    for day, value in fixings:
        if day == about.day and value is not None:
            yield StatedFigure(answer.symbol, metric, value, Unit.LEVEL, day, answer.source.origin)


def _recorded(
    record: RateRecord, about: StatedFigure, origin: str | None
) -> Iterator[StatedFigure]:
    """Yields the statements in a record of an area's rate that can be compared with a rate or a
    decision."""
    if record.bears_out_within is not None:
        if _confirms(record, about, record.bears_out_within):
            yield replace(about, origin=origin)
    elif about.metric is Metric.POLICY_RATE:
        # A level recorded since the decision is the one in force. Before it takes effect, which may
        # be days later, another level says nothing.
        decided = about.since - EFFECTIVE_LAG if about.since else None
        same = about.value in (record.rate, record.low, record.high)
        confirms = decided is not None and same and decided <= record.day
        stated = _stated(about, record.rate, origin)
        yield replace(
            stated,
            day=about.day if confirms else record.day,
            instrument=record.instrument if record.low is not None else None,
            low=record.low,
            high=record.high,
            since=record.since,
        )
    elif about.metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE):
        change = _recorded_change(record, about.day)
        if change is not None:
            is_rate = about.metric is Metric.DECISION_RATE
            yield _stated(about, record.rate if is_rate else change, origin)


def _confirms(record: RateRecord, about: StatedFigure, within: Decimal) -> bool:
    """Returns whether a figure that follows from a policy rate has the value that it would have
    with the stated rate."""
    wanted, given = (about.value, record.rate) if record.low is None else (about.low, record.low)
    near = wanted is not None and abs(given - wanted) <= within
    match about.metric:
        case Metric.POLICY_RATE:
            return near and about.since is not None and about.since - EFFECTIVE_LAG <= record.day
        case Metric.DECISION_RATE:
            return near and _recorded_change(record, about.day) is not None
        case Metric.DECISION_CHANGE:
            return _recorded_change(record, about.day) == about.value
        case _:
            return False


def _recorded_change(record: RateRecord, decided_on: date) -> Decimal | None:
    """Returns the change of a decision in basis points, by a record of the rate. None if the record
    does not show it yet, or shows another decision."""
    if record.decided_on is not None:
        if record.decided_on != decided_on or record.previous is None:
            return None
        return (record.rate - record.previous) * 100
    effective_by = decided_on + timedelta(days=record.effective_within)
    if record.since is not None and decided_on <= record.since <= effective_by:
        return None if record.previous is None else (record.rate - record.previous) * 100
    before = record.since is not None and record.since < decided_on
    return Decimal(0) if before and record.day >= effective_by else None


def _month_ends(answer: MonthEndRates, about: StatedFigure) -> Iterator[StatedFigure]:
    """Yields the rate of an area in the newest month before the statement's day."""
    before = [
        (end, rate)
        for rate in answer.rates
        if rate.area == about.subject and (end := month_end(rate)) <= about.day
    ]
    if before:
        end, rate = max(before, key=lambda pair: pair[0])
        yield StatedFigure(
            about.subject,
            about.metric,
            rate.rate,
            Unit.PERCENT_A_YEAR,
            end,
            answer.source.origin,
            rate.instrument,
        )


def month_end(rate: MonthEndRate) -> date:
    """Returns the last day of a rate's month."""
    year, number = int(rate.month[:4]), int(rate.month[5:])
    return date(year, number, 1) + timedelta(days=monthrange(year, number)[1] - 1)


def _stated(about: StatedFigure, value: Decimal, origin: str | None) -> StatedFigure:
    return StatedFigure(about.subject, about.metric, value, UNITS[about.metric], about.day, origin)
