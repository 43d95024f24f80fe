"""Policy rates, decisions and meetings from the packaged tables of central banks."""

import csv
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import desk.sources.central_banks as central_banks

FACTS: Final = Path(central_banks.__file__).parent / "facts"
LEVEL_OF_2014: Final = "2014-12-31"
"""A row of this day is a level and not a decision."""


class KnownDecision(NamedTuple):
    """A decision: its day, an instant by which it is certainly known, the rate, and the change in
    basis points. The change is None when a new instrument replaced the old one."""

    day: date
    known: datetime
    rate: Decimal
    change: Decimal | None
    exact: bool
    """Whether the day is that of the announcement."""


class Cover(NamedTuple):
    """The day up to which the tables have all changes of an area, and the hour at which it
    announces them."""

    until: date
    hour: time
    zone: ZoneInfo


def decisions(area: str, as_of: datetime) -> tuple[KnownDecision, ...]:
    """Returns what an area's bank has decided and published by an instant, oldest first."""
    return tuple(each for each in _decisions().get(area, ()) if each.known <= as_of)


def meetings(area: str, as_of: datetime) -> tuple[date, ...]:
    """Returns the days after an instant on which an area's bank was to decide, as announced by
    then."""
    day = as_of.date()
    return tuple(
        date.fromisoformat(row["decision_date"])
        for row in _rows("decision_calendar.csv")
        if row["area"] == area
        and date.fromisoformat(row["decision_date"]) > day
        and date.fromisoformat(row["announced_from"]) <= day
        and not (row["withdrawn_from"] and date.fromisoformat(row["withdrawn_from"]) <= day)
    )


@cache
def covers() -> dict[str, Cover]:
    """Returns the cover of the areas that the tables have data for."""
    return {
        row["area"]: Cover(
            until=date.fromisoformat(row["covered_until"]),
            hour=time.fromisoformat(row["announcement_time_local"]),
            zone=ZoneInfo(row["time_zone"]),
        )
        for row in _rows("areas.csv")
        if row["covered_until"]
    }


@cache
def _decisions() -> dict[str, tuple[KnownDecision, ...]]:
    found: dict[str, list[KnownDecision]] = {}
    for row in _rows("rate_decisions.csv"):
        found.setdefault(row["area"], []).append(_decision(row))
    return {area: tuple(sorted(each, key=lambda d: d.day)) for area, each in found.items()}


def _decision(row: dict[str, str]) -> KnownDecision:
    cover, day = covers()[row["area"]], date.fromisoformat(row["decision_date"])
    # Certainly known at the end of the day, whatever the hour. No week of the evaluation
    # ends during a decision's day.
    known = datetime.combine(day, time(23, 59, 59), cover.zone)
    return KnownDecision(
        day=day,
        known=known,
        rate=Decimal(row["rate_pct"]),
        change=Decimal(row["change_bp"]) if row["change_bp"] else None,
        exact=row["date_precision"] == "day" and row["decision_date"] != LEVEL_OF_2014,
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (FACTS / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
