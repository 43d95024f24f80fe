"""What a validator asks: the sources once more, and those of another origin beside them."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import ToolCall
from desk.contracts.agents.turns import TurnRequest
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.markets import MarketKind
from desk.programs.builtin.evidence import ask, market_of
from desk.trust.claims.checks import LOCAL_DAY

DECIDED: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})

MONTHS_OF_AVERAGES: Final = 12
MONTHS_OF_RATES: Final = 6
"""How far back the second sources are asked: they publish late, and the last months known are
wanted. The history that a pair's claims rest on reaches back as far as the first."""


def questions(request: TurnRequest) -> tuple[ToolCall, ...]:
    """The calls that would confirm what the findings claim; none where nothing can be."""
    return (*_asked_again(request), *_asked_of_others(request))


def all_claims(request: TurnRequest) -> list[Claim]:
    """The claims of all findings, several on one thing included."""
    return [claim for finding in request.findings for claim in finding.claims]


def _asked_again(request: TurnRequest) -> list[ToolCall]:
    task, market = request.assignment, market_of(request).market
    first_day, last_day = window_days(task.window)
    rated = _subjects(request, (Metric.POLICY_RATE, Metric.DECISION_RATE))
    decided = _subjects(request, DECIDED)
    calls = []
    if market in _subjects(request, (Metric.LAST,)):
        calls.append(ask(task, Capability.QUOTE, symbol=market))
    if rated:
        calls.append(ask(task, Capability.POLICY_RATE, areas=[*rated]))
    if decided:
        start, end = first_day.isoformat(), (last_day + LOCAL_DAY).isoformat()
        decisions = Capability.RATE_DECISIONS
        calls.append(ask(task, decisions, areas=[*decided], start=start, end=end))
    return calls


def _asked_of_others(request: TurnRequest) -> list[ToolCall]:
    task, spec = request.assignment, market_of(request)
    _, last_day = window_days(task.window)
    rated = _subjects(request, (Metric.POLICY_RATE,))
    end = _month(last_day, 0)
    calls = []
    if spec.kind is MarketKind.PAIR and spec.market in _subjects(request, (Metric.LAST,)):
        start = _month(last_day, MONTHS_OF_AVERAGES)
        averages = Capability.MONTH_AVERAGES
        calls.append(ask(task, averages, symbol=spec.market, start=start, end=end))
    if rated:
        start = _month(last_day, MONTHS_OF_RATES)
        month_ends = Capability.MONTH_END_RATES
        calls.append(ask(task, month_ends, areas=[*rated], start=start, end=end))
    return calls


def _subjects(request: TurnRequest, metrics: Iterable[Metric]) -> list[str]:
    wanted = set(metrics)
    found = (claim.subject for claim in all_claims(request) if claim.metric in wanted)
    return list(dict.fromkeys(found))


def _month(day: date, before: int) -> str:
    """The month some months before a day's."""
    months = day.year * 12 + day.month - 1 - before
    return f"{months // 12:04d}-{months % 12 + 1:02d}"
