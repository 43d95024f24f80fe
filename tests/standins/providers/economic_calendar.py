"""Nasdaq's economic calendar: a page a day of what was announced on the day before by the clock of
New York, as JSON. Its decisions are those of the stand-ins' world.

Form: https://api.nasdaq.com/api/calendar/economicevents?date=2026-10-31, rows with `gmt` (hours in
New York), `country`, `eventName`, `actual`, `consensus`, `previous` and `description`; blanks are
`&nbsp;` or a space.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from desk.sources.statistics.bank_rates.economic_calendar import EVENTS, KEY
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.world import Decision, decisions

PATH = "api/calendar/economicevents"
CLOCK = ZoneInfo("America/New_York")

NAMES = {
    "AU": "RBA Interest Rate Decision",
    "CA": "BoC Interest Rate Decision",
    "CH": "SNB Interest Rate Decision",
    "GB": "BoE Interest Rate Decision",
    "JP": "BoJ Interest Rate Decision",
    "NZ": "RBNZ Interest Rate Decision",
    "XM": "Deposit Facility Rate",
}
"""Of other areas "Interest Rate Decision". The South Korean ones are not in the calendar."""

LEFT_OUT = ("KR", "US")
_HEADERS = {"gmt": "Time", "country": "Country", "eventName": "Event", "actual": "Actual"}


def _rows(page: date, ask: Ask) -> Iterator[dict[str, str]]:
    for decision in decisions():
        at = decision.at.astimezone(CLOCK)
        if at.date() + timedelta(days=1) == page and decision.area not in LEFT_OUT:
            out = decision.at.date() <= ask.until and not ask.late
            yield _row(decision, f"{at:%H:%M}", out=out, revised=ask.revised)
    yield {
        "gmt": "08:30",
        "country": "United States",
        "eventName": "Initial Jobless Claims",
        "actual": "197K",
        "consensus": "200K",
        "previous": "199K",
        "description": "Invented.",
    }


def _row(decision: Decision, clock: str, *, out: bool, revised: bool) -> dict[str, str]:
    rate = decision.rate + (Decimal("0.25") if revised else 0)
    return {
        "gmt": clock,
        "country": EVENTS[decision.area].country,
        "eventName": NAMES.get(decision.area, "Interest Rate Decision"),
        "actual": f"{rate:.2f}%" if out else "&nbsp;",
        "consensus": " ",
        "previous": f"{decision.before:.2f}%",
        "description": "Invented.",
    }


def _answer(ask: Ask) -> Reply:
    if ask.route != PATH:
        return NOT_FOUND
    rows = list(_rows(date.fromisoformat(ask.query["date"]), ask))
    content = json.dumps({"data": {"headers": _HEADERS, "rows": rows}, "message": None})
    if ask.renamed:
        content = content.replace("eventName", "event")
    return Reply(content.encode(), "application/json; charset=utf-8")


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    return {"official_statistics": ("--url", f"{KEY}={url}")}


PROVIDER = Provider(KEY, _answer, _arguments)
