"""Lessons as runs would tell them, built in a line or two."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from desk.analytics.weeks import as_of_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.learning.lessons import (
    Lesson,
    MadeForecast,
    SourceRecord,
    ToolUse,
    Trouble,
    TroubleKind,
)
from desk.contracts.learning.record import RecordQuery, Resolution
from desk.contracts.names import AgentId, CallFault, week_run_id
from desk.contracts.weeks import monday_of, week_of

FIRST_WEEK = "2026-W01"
HORIZON = 4
YAHOO = "yahoo_finance"
ROUTES = {
    Capability.QUOTE: (YAHOO, "ecb"),
    Capability.HISTORY: ("ecb", YAHOO),
    Capability.POLICY_RATE: ("central_banks",),
}


def week_number(number: int) -> str:
    """The week so many weeks after the first."""
    return week_of(monday_of(FIRST_WEEK) + timedelta(weeks=number))


def as_of(number: int) -> datetime:
    """The as-of instant of the week so many weeks after the first."""
    return as_of_of(week_number(number), ScheduleConfig())


def question(number: int, **fields: Any) -> RecordQuery:
    """What a run of that week asks."""
    return RecordQuery(as_of=as_of(number), routes=ROUTES, **fields)


def forecast(number: int, market: str = "USD/JPY", **fields: Any) -> MadeForecast:
    """A forecast of that week: likely up from 150."""
    given = {
        "market": market,
        "agent": AgentId.RESEARCH_AGENT_1,
        "week": week_number(number),
        "due": as_of(number + HORIZON),
        "probability": 0.6,
        "level": Decimal("150.00"),
        "level_on": as_of(number).date() - timedelta(days=3),
        "server": "ecb",
        **fields,
    }
    return MadeForecast.model_validate(given)


def fixing(made: MadeForecast, value: str | None = "151.00") -> Resolution:
    """What it is scored against: a fixing of the Friday before it was due."""
    day = made.due.date() - timedelta(days=3)
    return Resolution(
        market=made.market,
        server=made.server,
        due=made.due,
        value=Decimal(value) if value else None,
        value_on=day if value else None,
    )


def use(server: str, *, calls: int = 10, failed: int = 0, **fields: Any) -> ToolUse:
    """What research agent 1 had of a server's quotes."""
    given = {
        "agent": AgentId.RESEARCH_AGENT_1,
        "server": server,
        "tool": "get_quote",
        "calls": calls,
        "failed": failed,
        **fields,
    }
    return ToolUse.model_validate(given)


def unavailable(
    server: str,
    at: datetime,
    fault: CallFault = CallFault.UNREACHABLE,
    words: str = "it is away",
) -> Trouble:
    """A call of a server's quotes that got no answer."""
    return Trouble(
        kind=TroubleKind.TOOL_UNAVAILABLE,
        market="USD/JPY",
        agent=AgentId.RESEARCH_AGENT_1,
        server=server,
        tool="get_quote",
        at=at,
        fault=fault,
        words=words,
    )


def lesson(number: int, **fields: Any) -> Lesson:
    """What the run of that week tells, an hour after it began: one forecast, and no trouble."""
    given = {
        "workflow_id": week_run_id(week_number(number)),
        "week": week_number(number),
        "as_of": as_of(number),
        "told_at": as_of(number) + timedelta(hours=1),
        "expected": 10,
        "researched": 10,
        "forecasts": (forecast(number),),
        "tools": (use("ecb", cited=8, timed=10, seconds=2.0),),
        "sources": (SourceRecord(server="ecb", verified=4),),
        **fields,
    }
    return Lesson.model_validate(given)
