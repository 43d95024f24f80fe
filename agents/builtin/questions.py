"""What a validator asks: the sources once more, and those of another origin beside them."""

from collections.abc import Iterable
from datetime import date
from typing import Final

from agents.builtin.evidence import ask, market_of
from contracts.claims import Claim, Metric
from contracts.markets import MarketKind
from contracts.tools import ToolCall
from contracts.turns import TurnRequest
from domain.checks import LOCAL_DAY
from domain.series import window_days

QUOTE: Final = "get_quote"
RATES: Final = "get_policy_rate"
DECISIONS: Final = "get_rate_decisions"
AVERAGES: Final = "get_month_averages"
MONTH_ENDS: Final = "get_month_end_rates"

SECOND_SOURCE: Final = "official_statistics"
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
        calls.append(ask(task, "ecb", QUOTE, symbol=market))
    if rated:
        calls.append(ask(task, "central_banks", RATES, areas=[*rated]))
    if decided:
        start, end = first_day.isoformat(), (last_day + LOCAL_DAY).isoformat()
        calls.append(ask(task, "central_banks", DECISIONS, areas=[*decided], start=start, end=end))
    return calls


def _asked_of_others(request: TurnRequest) -> list[ToolCall]:
    task, spec = request.assignment, market_of(request)
    _, last_day = window_days(task.window)
    rated = _subjects(request, (Metric.POLICY_RATE,))
    end = _month(last_day, 0)
    calls = []
    if spec.kind is MarketKind.PAIR and spec.market in _subjects(request, (Metric.LAST,)):
        start = _month(last_day, MONTHS_OF_AVERAGES)
        calls.append(ask(task, SECOND_SOURCE, AVERAGES, symbol=spec.market, start=start, end=end))
    if rated:
        start = _month(last_day, MONTHS_OF_RATES)
        calls.append(ask(task, SECOND_SOURCE, MONTH_ENDS, areas=[*rated], start=start, end=end))
    return calls


def _subjects(request: TurnRequest, metrics: Iterable[Metric]) -> list[str]:
    wanted = set(metrics)
    found = (claim.subject for claim in all_claims(request) if claim.metric in wanted)
    return list(dict.fromkeys(found))


def _month(day: date, before: int) -> str:
    """The month some months before a day's."""
    months = day.year * 12 + day.month - 1 - before
    return f"{months // 12:04d}-{months % 12 + 1:02d}"
