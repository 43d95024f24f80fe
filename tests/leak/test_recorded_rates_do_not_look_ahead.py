"""Kept series and calendars in both directions over a span of weeks: nothing that was announced
later is told, and nothing that was scheduled or decided by then is missing.

Each week is asked in two worlds: one whose series go on as they do, and one in which every rate
was replaced that a decision after the week can have brought about.
"""

import csv
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desk.analytics.weeks import as_of_of
from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.central_banks.recorded import RATE_SOURCES
from desk.sources.central_banks.recorded.sources import BIS_AREAS
from desk.sources.central_banks.server import CentralBankTools
from tests.leak.answers import desk
from tests.standins.providers.policy_rates import policy_rates

AREAS = list(BIS_AREAS)
PLANTED = "77.7777"
LAST_DAY = date(2026, 11, 30)
EVER = (date(2026, 1, 1), date(2028, 12, 31))
WEEKS = ("2026-W35", "2026-W38", "2026-W41", "2026-W44", "2026-W47")
BIS = RATE_SOURCES[-1]


def rows(name: str) -> list[dict[str, str]]:
    with (FACTS_DIR / name).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


AREA_ROWS = {row["area"]: row for row in rows("areas.csv")}


def local_day(area: str, as_of: datetime) -> date:
    return as_of.astimezone(ZoneInfo(AREA_ROWS[area]["time_zone"])).date()


def write_series(folder: Path, as_of: datetime, *, planted: bool) -> Path:
    """The BIS's file to the end of November; planted: from the first day on which a decision after
    the instant can take effect, the rate is one that never was."""
    lines = ["FREQ,REF_AREA,TIME_PERIOD,OBS_VALUE"]
    for area in AREAS:
        series = policy_rates(area, LAST_DAY)
        assert series is not None
        # The bank's next meeting may be that of the day itself, whose statement is not out yet.
        within = int(AREA_ROWS[area]["effective_within_days"])
        future = local_day(area, as_of) + timedelta(days=within + 1)
        day = EVER[0]
        while day <= LAST_DAY:
            shown = PLANTED if planted and day >= future else series.level_on(day)
            lines.append(f"D,{area},{day},{'NaN' if shown is None else shown}")
            day += timedelta(days=1)
    folder.mkdir()
    BIS.kept_file().path(folder).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def told(cache: Path, as_of: datetime) -> str:
    tools = CentralBankTools(cache_dir=cache)
    return "\n".join(
        answer.model_dump_json()
        for answer in (
            tools.get_policy_rate(AREAS, as_of),
            tools.get_rate_decisions(AREAS, *EVER, as_of),
            tools.get_decision_calendar(AREAS, *EVER, as_of),
        )
    )


@pytest.mark.parametrize("week", WEEKS)
def test_no_rate_of_a_later_decision_is_told(tmp_path: Path, week: str) -> None:
    as_of = as_of_of(week, desk().schedule)
    real = told(write_series(tmp_path / "real", as_of, planted=False), as_of)
    planted = told(write_series(tmp_path / "planted", as_of, planted=True), as_of)
    assert PLANTED not in planted
    assert planted == real


@pytest.mark.parametrize("week", WEEKS)
def test_every_meeting_of_the_past_has_its_outcome_and_every_scheduled_one_is_told(
    tmp_path: Path, week: str
) -> None:
    as_of = as_of_of(week, desk().schedule)
    tools = CentralBankTools(cache_dir=write_series(tmp_path / "cache", as_of, planted=False))
    scheduled = {
        (row["area"], row["decision_date"])
        for row in rows("decision_calendar.csv")
        if row["area"] in AREAS
        and row["announced_from"] <= local_day(row["area"], as_of).isoformat()
        and not row["withdrawn_from"]
        and row["decision_date"] >= "2026-08-24"
    }
    first = date(2026, 8, 24)
    calendar = tools.get_decision_calendar(AREAS, first, EVER[1], as_of).scheduled
    assert {(row.area, row.day.isoformat()) for row in calendar} == scheduled
    decided = tools.get_rate_decisions(AREAS, first, EVER[1], as_of).decisions
    past = {(area, day) for area, day in scheduled if day < local_day(area, as_of).isoformat()}
    assert past <= {(row.area, row.decided_on.isoformat()) for row in decided}
