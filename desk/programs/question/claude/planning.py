"""The plan of a question by a model: which markets are researched for it, and over which days."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, Final

from pydantic import Field, JsonValue

from desk.agents.program import ModelTask
from desk.analytics.names.currencies import quoted_as
from desk.analytics.names.markets import pair_by_name
from desk.analytics.names.periods import READ, UNREAD, Period, period_given
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tasks import (
    DAYS_ASKED,
    DAYS_READ,
    EVENT_DAYS,
    EVENT_READ,
    RANK,
    SIDE_BY_SIDE,
    SINCE_DECISION,
    Query,
)
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.source_results import DecisionCalendar
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.prompts import prompt
from desk.programs.question.claude.knowledge_state import told_parameters
from desk.programs.question.graphs import MOST_VALIDATED, planned_graph
from desk.trust.ledger import usable_answers

MOST_MARKETS: Final = 20

_OF_THE_DAYS: Final = frozenset(
    {DAYS_ASKED, DAYS_READ, EVENT_DAYS, EVENT_READ, READ, SINCE_DECISION, UNREAD}
)
_OF_THE_DESKS_READING: Final = frozenset({"market", RANK, UNREAD})
"""Parameters that say how the desk read the question and its days: a plan takes their place."""


class ProposedQuestionPlan(Contract):
    """The form of the model's answer."""

    markets: Annotated[tuple[ShortText, ...], Field(max_length=MOST_MARKETS)]
    first_day: date | None = None
    last_day: date | None = None
    search: bool = True


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """The question, and the markets and days that there are to choose from, as JSON."""
    query, window = request.assignment.query, request.assignment.window
    groups: dict[str, list[str]] = {}
    for spec in request.markets:
        if spec.kind is MarketKind.PAIR:
            groups.setdefault(str(spec.group), []).append(spec.market)
    told: dict[str, object] = {
        "question": query.question if query else None,
        "parameters": {n: v for n, v in told_parameters(query).items() if n != "market"},
        "as_of": window.end.isoformat(),
        "weekday": f"{window.end:%A}",
        "pairs": groups,
        "areas": list(_areas(request.markets)),
        "decisions": _decisions(request),
    }
    return json.dumps(told, ensure_ascii=False)


def result(request: TurnRequest, base: AgentResult | None, text: str) -> QuestionPlan:
    """The graph that the model's plan is; without a market, the graph that there is.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it names what is no market of the desk, one twice, or days that are none.
    """
    proposed = ProposedQuestionPlan.model_validate_json(text)
    own = QuestionPlan(task_id=request.assignment.task_id)
    if not proposed.markets:
        return own
    named = [_market(name, request.markets) for name in proposed.markets]
    period = _period(request, proposed)
    strange = [f"markets.{place}" for place, spec in enumerate(named) if spec is None]
    markets = tuple(dict.fromkeys(spec for spec in named if spec is not None))
    wrong = [
        *([f"not among the pairs and areas: {', '.join(strange)}"] if strange else ()),
        *(["a market is named twice"] if len(markets) + len(strange) < len(named) else ()),
        *([period] if isinstance(period, str) else ()),
    ]
    if wrong or isinstance(period, str):
        raise ValueError("; ".join(wrong))
    return own.model_copy(
        update={
            "graph": planned_graph(markets, searched=proposed.search),
            "query": _query(request, period, {} if proposed.search else _compared(markets)),
            "market": markets[0],
            "window": period.window if period else None,
        }
    )


def _compared(markets: Sequence[MarketSpec]) -> dict[str, str]:
    """The parameter of markets that are too many to be validated: they are compared by figures."""
    many = len(markets) > MOST_VALIDATED
    return {SIDE_BY_SIDE: f"{len(markets)} markets"} if many else {}


def _query(request: TurnRequest, period: Period | None, further: dict[str, str]) -> Query:
    """The question with the days that it is about, and without how the desk read it."""
    asked = request.assignment.query
    if asked is None:
        raise ValueError("there is no question to plan for")
    dropped = _OF_THE_DESKS_READING | (_OF_THE_DAYS if period else frozenset())
    kept = {name: value for name, value in asked.parameters.items() if name not in dropped}
    days: dict[str, str] = {}
    if period:
        asked_about = "/".join(map(date.isoformat, window_days(period.window)))
        days = {**period.parameters, DAYS_ASKED: asked_about}
    return asked.model_copy(update={"parameters": kept | days | further})


def _market(name: str, markets: Sequence[MarketSpec]) -> MarketSpec | None:
    """The market of the desk with a name, or a pair of two of its currencies."""
    known = {spec.market: spec for spec in markets}
    held = {code for spec in markets if spec.kind is MarketKind.PAIR for code in _legs(spec.market)}
    legs = _legs(name)
    if name in known or len(legs) != len(("base", "quote")) or not {*legs} <= held:
        return known.get(name)
    quoted = quoted_as(*legs)
    return known.get(quoted) or pair_by_name(quoted)


def _legs(name: str) -> list[str]:
    return name.split("/")


def _period(request: TurnRequest, proposed: ProposedQuestionPlan) -> Period | str | None:
    """The days of the plan, None where it leaves them open, or what is wrong with them."""
    first, last = proposed.first_day, proposed.last_day
    if first is None and last is None:
        return None
    window = request.assignment.window
    first, last = first or last, last or max(first or window.end.date(), window.end.date())
    try:
        return period_given(f"{first}/{last}", window.end, window.time_zone)
    except ValueError as fault:
        return f"first_day and last_day: {fault}"


def _areas(markets: Sequence[MarketSpec]) -> Iterator[str]:
    return (spec.market for spec in markets if spec.kind is MarketKind.POLICY_RATE)


def _decisions(request: TurnRequest) -> dict[str, JsonValue]:
    """The days on which each bank decided or is to decide, by its area."""
    days: dict[str, list[JsonValue]] = {}
    for _, answer in usable_answers(request.results):
        if isinstance(answer, DecisionCalendar):
            for each in answer.scheduled:
                days.setdefault(each.area, []).append(each.day.isoformat())
    return {**days}


TASK: Final = ModelTask(
    (prompt("question_plan"),), ProposedQuestionPlan, material, result, without_tools=True
)
