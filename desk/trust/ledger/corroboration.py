"""What sources of other origins state about a claim: the statements that can bear it out, or not.

An origin is who first published a figure; sources of one origin count once.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import Statement, statement_of
from desk.analytics.formulas import log_moves, robust_deviation
from desk.analytics.names.quotation import reversed_pair, reversed_statement
from desk.analytics.prices.rates_view import EFFECTIVE_LAG, rate_of
from desk.analytics.units import BAND_EDGES, UNITS
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.source_results import (
    History,
    MonthEndRate,
    MonthEndRates,
    PolicyRate,
    PolicyRates,
    Provenance,
    Quote,
    RateDecisions,
)
from desk.contracts.weeks import TimeWindow
from desk.trust.ledger.evidence import (
    Answer,
    EvidenceUnusable,
    verified_answer,
)

LEAST_DEVIATION: Final = Decimal("0.03")
"""Percent: the rounding of a pegged pair's cross rate is no deviation."""


class IndependentStatement(NamedTuple):
    """A figure as a source of another origin states it, with the tool result it stands in."""

    statement: Statement
    source: Provenance
    evidence_id: str


class Corroboration:
    """The tool results that can be read, and what they say about a claim.

    `unread` says of each that cannot be relied on why not.
    """

    def __init__(self, results: Iterable[ToolResult], window: TimeWindow) -> None:
        self._answers: dict[str, Answer] = {}
        self.unread: dict[str, str] = {}
        for result in results:
            try:
                answer = verified_answer(result, window)
                if answer is not None:
                    self._answers[result.evidence_id] = answer
            except EvidenceUnusable as unusable:
                self.unread[result.evidence_id] = str(unusable)

    def own(self, claim: Claim) -> tuple[Answer, ...]:
        """The answers that a claim rests on."""
        return tuple(self._answers[name] for name in claim.evidence if name in self._answers)

    def statement(self, claim: Claim) -> Statement:
        """What a claim states, with the origin, instrument and age that its evidence gives."""
        for answer in self.own(claim):
            if isinstance(answer, PolicyRates) and claim.metric is Metric.POLICY_RATE:
                rate = rate_of(answer, claim.subject)
                if rate is not None:
                    return _with_rate(statement_of(claim), rate, answer.source)
            origin = _origin(answer, claim)
            if origin is not None:
                return statement_of(claim, origin)
        return statement_of(claim)

    def others(self, claim: Claim) -> Iterator[IndependentStatement]:
        """Statements of other origins about the same thing; a claim of no known origin has none."""
        stated = self.statement(claim)
        if stated.origin is None:
            return
        for name, answer in self._answers.items():
            for statement in _statements(answer, stated):
                if statement.origin not in (None, stated.origin):
                    yield IndependentStatement(statement, answer.source, name)

    def daily_deviation(self, claim: Claim) -> Decimal | None:
        """The robust deviation of daily moves of the history a claim rests on, in percent."""
        for answer in self.own(claim):
            if isinstance(answer, History) and len(answer.values) > 1:
                moves = log_moves([float(value) for value in answer.values])
                return max(LEAST_DEVIATION, Decimal(str(round(robust_deviation(moves) * 100, 4))))
        return None


def _with_rate(stated: Statement, rate: PolicyRate, source: Provenance) -> Statement:
    """A statement with what a rate's row adds. It is in force for sure some days after its
    decision, so that a month's end between the two compares with neither rate."""
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
        own = (
            d for d in answer.decisions if (d.area, d.decided_on) == (claim.subject, claim.as_of)
        )
        return next((d.origin for d in own if d.origin), answer.source.origin)
    return answer.source.origin


def _statements(answer: Answer, about: Statement) -> Iterator[Statement]:
    """What an answer states that can be held against a statement."""
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
        case RateDecisions() if about.metric in (Metric.DECISION_RATE, Metric.DECISION_CHANGE):
            for decision in answer.decisions:
                if (decision.area, decision.decided_on) == (about.subject, about.day):
                    is_rate = about.metric is Metric.DECISION_RATE
                    value = decision.rate if is_rate else decision.change
                    yield _stated(about, value, decision.origin or answer.source.origin)
        case _:
            return


def _levels(answer: Quote | History, about: Statement) -> Iterator[Statement]:
    """The answer's level of the same day, of the pair or of its reverse."""
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
            yield Statement(answer.symbol, metric, value, Unit.LEVEL, day, answer.source.origin)


def _month_ends(answer: MonthEndRates, about: Statement) -> Iterator[Statement]:
    """The newest month's rate of an area from before the day that a statement is about."""
    before = [
        (end, rate)
        for rate in answer.rates
        if rate.area == about.subject and (end := month_end(rate)) <= about.day
    ]
    if before:
        end, rate = max(before, key=lambda pair: pair[0])
        yield Statement(
            about.subject,
            about.metric,
            rate.rate,
            Unit.PERCENT_A_YEAR,
            end,
            answer.source.origin,
            rate.instrument,
        )


def month_end(rate: MonthEndRate) -> date:
    """The last day of a rate's month."""
    year, number = int(rate.month[:4]), int(rate.month[5:])
    return date(year, number, 1) + timedelta(days=monthrange(year, number)[1] - 1)


def _stated(about: Statement, value: Decimal, origin: str | None) -> Statement:
    return Statement(about.subject, about.metric, value, UNITS[about.metric], about.day, origin)
