"""Two worlds for one instant: what was known by then, and the same with a planted future.

When a record is known is worked out here anew, and not with the functions that are under test.
"""

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from desk.sources.central_banks.facts.policy import FACTS_DIR
from desk.sources.ecb.rates import MEMBER
from desk.sources.ecb.store import packaged_file
from tests.support.files.rates_files import zipped
from tests.support.knowledge.corpus import CorpusFolder

LEVEL = "77777.7"
"""Every planted pair against the dollar stands here; no currency of the desk ever did."""

RATE = "77.7777"
CHANGE = "7777.77"
WORD = "PLANTED"
MARKERS = (LEVEL, RATE, CHANGE, WORD)
RATES_FILE = "planted.zip"
PAGES = "https://news.example"
NAMED = "The dollar, the euro, the yen, the pound, the rupee and the rupiah"
"""What pages of the corpus are about."""

YEARS_KEPT = timedelta(days=2 * 366)
"""How far back the fixings of a world reach; nobody asks for more than a good year."""

_PER_EURO = {"USD": LEVEL, "GBP": "1", "AUD": "1", "NZD": "1"}
_SQUARE = "6049370617.29"
"""The level times itself: units for one euro of what is quoted in units for one dollar."""

_FRANKFURT = ZoneInfo("Europe/Berlin")
_LAST_MINUTE = time(23, 59)
Row = dict[str, str]


@dataclass(frozen=True)
class World:
    """The files that the sources of one world read."""

    rates: Path
    facts: Path
    corpus: Path


def write_world(folder: Path, as_of: datetime, *, planted: bool) -> World:
    """The real records that were known at an instant and, if asked for, a future that was not."""
    facts = folder / "facts"
    facts.mkdir(parents=True, exist_ok=True)
    rates = folder / RATES_FILE
    rates.write_bytes(zipped(_rates_text(as_of, planted)))
    areas = table("areas.csv")
    for name in ("areas.csv", "bis_instruments.csv"):
        _write(facts / name, table(name))
    calendar = [
        _as_it_stood(row, as_of) for row in table("decision_calendar.csv") if _announced(row, as_of)
    ]
    calendar += list(_meetings_today(areas, calendar, as_of))
    scheduled = {
        (row["area"], row["decision_date"]) for row in calendar if not row["withdrawn_from"]
    }
    decisions = [
        row for row in table("rate_decisions.csv") if _decision_known(row, scheduled, as_of)
    ]
    if planted:
        decisions += list(_planted_decisions(areas, decisions, scheduled, as_of))
        calendar = [_planted_withdrawal(row, as_of) for row in calendar]
        calendar += list(_planted_meetings(areas, decisions, as_of))
    _write(facts / "decision_calendar.csv", calendar)
    _write(facts / "rate_decisions.csv", decisions)
    for name in ("h10_month_averages.csv", "bis_month_end_rates.csv"):
        _write(facts / name, list(_monthly(name, as_of, planted)))
    return World(rates, facts, _write_corpus(folder / "corpus", as_of, planted))


def _write_corpus(folder: Path, as_of: datetime, planted: bool) -> Path:
    """A page of the days before the instant, in both worlds; if asked for, another version of it
    and a page of its own from the days after."""
    corpus = CorpusFolder(folder)
    url, published, later = f"{PAGES}/known", as_of - timedelta(days=2), as_of + timedelta(hours=1)
    corpus.page(url, f"{NAMED} rose sharply.\n", "Currencies", _second(published))
    if planted:
        corpus.page(f"{PAGES}/planted", f"{NAMED} crashed.\n", f"{WORD} crash", _second(later))
        again = f"---\nurl: {url}\ntitle: {WORD}\npublished_at: {_second(later)}\n---\n"
        corpus.write("web/again.md", f"{again}{NAMED} crashed.\n")
    return folder


def _second(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def fixing_known(day: date, as_of: datetime) -> bool:
    """Whether the ECB had published the fixing of a day."""
    return _fixed_at(day) <= as_of


@cache
def _fixed_at(day: date) -> datetime:
    """At 16:00 in Frankfurt."""
    return datetime.combine(day, time(16), _FRANKFURT).astimezone(UTC)


def decided_at(row: Row, scheduled: set[tuple[str, str]]) -> datetime:
    """When a decision was published: at the bank's hour on a scheduled day, else by its end."""
    area = _area(row["area"])
    day = date.fromisoformat(row["decision_date"])
    hour = _LAST_MINUTE
    if row.get("announced_at_local"):
        return datetime.combine(
            day, time.fromisoformat(row["announced_at_local"]), ZoneInfo(area["time_zone"])
        )
    on_schedule = (row["area"], row["decision_date"]) in scheduled
    if on_schedule and row["date_precision"] == "day" and area["announcement_time_local"]:
        hour = time.fromisoformat(area["announcement_time_local"])
    return datetime.combine(day, hour, ZoneInfo(area["time_zone"]))


@cache
def _area(code: str) -> Row:
    return next(area for area in table("areas.csv") if area["area"] == code)


def released(name: str, area: str, month: str, as_of: datetime) -> bool:
    """Whether a month's figure was out."""
    return _released_at(name, area, month) <= as_of


@cache
def _released_at(name: str, area: str, month: str) -> datetime:
    """H.10 on the 8th, the BIS on the 21st, IN a month later."""
    months = 2 if area == "IN" and name.startswith("bis") else 1
    first = date(int(month[:4]) + int(month[5:]) // 12, int(month[5:]) % 12 + 1, 1)
    for _ in range(months - 1):
        first = (first + timedelta(days=32)).replace(day=1)
    day = first.replace(day=21 if name.startswith("bis") else 8)
    return datetime.combine(day, time(), UTC)


def _rates_text(as_of: datetime, planted: bool) -> str:
    header, rows = _packaged_rates()
    since = (as_of - YEARS_KEPT).date().isoformat()
    known = [
        row
        for row in rows
        if row[:10] >= since and fixing_known(date.fromisoformat(row[:10]), as_of)
    ]
    future = _planted_fixings(header, as_of) if planted else ()
    return "\n".join((header, *future, *known)) + "\n"


@cache
def _packaged_rates() -> tuple[str, tuple[str, ...]]:
    with zipfile.ZipFile(packaged_file()) as archive:
        header, *rows = archive.read(MEMBER).decode("ascii").splitlines()
    return header, tuple(rows)


def _planted_fixings(header: str, as_of: datetime) -> Iterator[str]:
    currencies = header.rstrip(",").split(",")[1:]
    cells = ",".join(_PER_EURO.get(code, _SQUARE) for code in currencies)
    first = as_of.astimezone(_FRANKFURT).date()
    for offset in range(40):
        day = first + timedelta(days=offset)
        if not fixing_known(day, as_of):
            yield f"{day.isoformat()},{cells},"


def _announced(row: Row, as_of: datetime) -> bool:
    return _local(row["area"], date.fromisoformat(row["announced_from"]), time()) <= as_of


def _as_it_stood(row: Row, as_of: datetime) -> Row:
    """A meeting without a change of its day that was not public yet."""
    changed = row["withdrawn_from"]
    if changed and _local(row["area"], date.fromisoformat(changed), time()) > as_of:
        return {**row, "withdrawn_from": "", "moved_to": ""}
    return row


def _local(code: str, day: date, hour: time) -> datetime:
    return datetime.combine(day, hour, ZoneInfo(_area(code)["time_zone"]))


def _meetings_today(areas: list[Row], calendar: list[Row], as_of: datetime) -> Iterator[Row]:
    """A meeting of every bank on the day of the instant, announced long before, in both worlds."""
    there = {(row["area"], row["decision_date"]) for row in calendar}
    for area in areas:
        today = as_of.astimezone(ZoneInfo(area["time_zone"])).date()
        if (area["area"], today.isoformat()) not in there:
            yield {
                "area": area["area"],
                "decision_date": today.isoformat(),
                "announced_from": (today - timedelta(days=90)).isoformat(),
                "withdrawn_from": "",
                "moved_to": "",
                "source": "a meeting that everybody knew of",
            }


def _decision_known(row: Row, scheduled: set[tuple[str, str]], as_of: datetime) -> bool:
    return decided_at(row, scheduled) <= as_of


def _planted_decisions(
    areas: list[Row], known: list[Row], scheduled: set[tuple[str, str]], as_of: datetime
) -> Iterator[Row]:
    """Decisions of the days ahead, and of the meeting under way where its statement is not out."""
    taken = {(row["area"], row["decision_date"]) for row in known}
    for area in areas:
        today = as_of.astimezone(ZoneInfo(area["time_zone"])).date()
        for offset in (0, 1, 3, 9):
            row = {
                "area": area["area"],
                "decision_date": (today + timedelta(days=offset)).isoformat(),
                "date_precision": "day",
                "announced_at_local": "",
                "rate_pct": RATE,
                "change_bp": CHANGE,
                "rate_low_pct": RATE,
                "rate_high_pct": RATE,
                "instrument": f"{WORD} instrument",
                "source": f"{WORD} statement",
            }
            free = (row["area"], row["decision_date"]) not in taken
            if free and decided_at(row, scheduled) > as_of:
                yield row


def _planted_meetings(areas: list[Row], decisions: list[Row], as_of: datetime) -> Iterator[Row]:
    """Meetings of the days around the instant that were announced the day after it."""
    taken = {(row["area"], row["decision_date"]) for row in decisions}
    for area in areas:
        today = as_of.astimezone(ZoneInfo(area["time_zone"])).date()
        for offset in (-2, 2, 5, 12):
            day = (today + timedelta(days=offset)).isoformat()
            if (area["area"], day) not in taken:
                yield {
                    "area": area["area"],
                    "decision_date": day,
                    "announced_from": (today + timedelta(days=1)).isoformat(),
                    "withdrawn_from": "",
                    "moved_to": "",
                    "source": f"{WORD} calendar",
                }


def _planted_withdrawal(row: Row, as_of: datetime) -> Row:
    """A meeting ahead that is cancelled on the day after the instant: until then it stands."""
    area = _area(row["area"])
    today = as_of.astimezone(ZoneInfo(area["time_zone"])).date()
    if row["withdrawn_from"] or row["decision_date"] <= today.isoformat():
        return row
    return {**row, "withdrawn_from": (today + timedelta(days=1)).isoformat()}


def _monthly(name: str, as_of: datetime, planted: bool) -> Iterator[Row]:
    figure = (RATE if name.startswith("bis") else LEVEL) if planted else ""
    for row in table(name):
        shown = {
            column: cell
            if not cell or column == "month" or released(name, column, row["month"], as_of)
            else figure
            for column, cell in row.items()
        }
        if any(cell for column, cell in shown.items() if column != "month"):
            yield shown
        if row["month"] > f"{as_of + timedelta(days=70):%Y-%m}":
            return


@cache
def _rows(name: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    with (FACTS_DIR / name).open(encoding="utf-8", newline="") as text:
        reader = csv.DictReader(text)
        return tuple(reader.fieldnames or ()), tuple(reader)


def table(name: str) -> list[Row]:
    """The rows of one of the project's tables about central banks."""
    return list(_rows(name)[1])


def _write(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, _rows(path.name)[0])
        writer.writeheader()
        writer.writerows(rows)
