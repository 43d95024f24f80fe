"""Decisions on policy rates as an economic calendar has them: pages, and what was known when."""

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.findings.source_results import RateRecord
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.serving.daily_series import Publisher
from desk.sources.serving.kept_file import DamagedFile, refresh
from desk.sources.statistics.bank_rates import CALENDAR_KEY, BankRates
from desk.sources.statistics.bank_rates.economic_calendar import is_final, pages, read_page
from tests.standins.provider import Failure
from tests.standins.providers.economic_calendar import PROVIDER
from tests.standins.serving import serving

TODAY = date(2026, 11, 24)
ZONES = {area.code: area.time_zone for area in read_facts().areas.values()}


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def rates(tmp_path: Path) -> BankRates:
    """The pages of the last six weeks, as they are on a day of November 2026."""
    with serving() as standins:
        standins.until = TODAY
        for page in pages(read_facts(), TODAY):
            refresh(page.kept_file(standins.address(CALENDAR_KEY)), tmp_path)
    return BankRates(tmp_path, today=TODAY)


def record(rates: BankRates, area: str, as_of: str) -> RateRecord | None:
    answer = rates.answer([area], at(as_of))
    return next((row for row in answer.recorded if row.origin == "Nasdaq"), None)


def page(*rows: dict[str, str]) -> bytes:
    return json.dumps({"data": {"rows": list(rows)}}).encode()


def row(country: str, name: str, clock: str, actual: str) -> dict[str, str]:
    told = {"gmt": clock, "country": country, "eventName": name, "consensus": " "}
    return {**told, "actual": actual, "previous": "1.25%", "description": ""}


def test_a_page_has_the_events_of_the_day_before_by_the_clock_of_new_york() -> None:
    content = page(
        row("Japan", "BoJ Interest Rate Decision", "23:00", "1.50%"),
        row("Euro Zone", "Deposit Facility Rate", "09:15", "2.50%"),
        row("Euro Zone", "ECB Interest Rate Decision", "09:15", "2.65%"),
        row("United States", "Initial Jobless Claims", "08:30", "197K"),
    )
    told = read_page(date(2026, 10, 30), ZONES, content).series
    assert told["JP decided"] == {date(2026, 10, 30): Decimal("1.50")}
    assert told["JP before"] == {date(2026, 10, 30): Decimal("1.25")}
    assert told["XM decided"] == {date(2026, 10, 29): Decimal("2.50")}
    assert told.keys() == {"JP decided", "JP before", "XM decided", "XM before"}


@pytest.mark.parametrize("actual", ["&nbsp;", " ", "", "-"])
def test_a_decision_that_is_not_out_yet_is_none(actual: str) -> None:
    content = page(row("Japan", "BoJ Interest Rate Decision", "23:00", actual))
    assert read_page(date(2026, 10, 30), ZONES, content).series == {}


def test_a_holiday_has_an_empty_page() -> None:
    assert read_page(date(2026, 12, 25), ZONES, b'{"data": null}').series == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Access denied</html>",
        b"{}",
        b'{"data": {"rows": [{"country": "Japan"}]}}',
        page(row("Japan", "BoJ Interest Rate Decision", "23:00", "soon")),
    ],
)
def test_what_is_no_page_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedFile):
        read_page(date(2026, 10, 30), ZONES, content)


def test_pages_are_those_of_scheduled_decisions_of_the_last_six_weeks() -> None:
    files = [each.file for each in pages(read_facts(), TODAY)]
    assert files[:3] == [f"decisions-2026-10-{day}.json" for day in (21, 22, 23)]
    assert "decisions-2026-10-31.json" in files
    assert files[-1] == "decisions-2026-11-19.json"


def test_a_decision_is_known_once_its_day_in_new_york_is_over(rates: BankRates) -> None:
    assert record(rates, "JP", "2026-10-30T03:59:00+00:00") is None
    rise = record(rates, "JP", "2026-10-30T04:00:00+00:00")
    assert rise is not None
    assert (rise.decided_on, rise.rate, rise.previous) == (
        date(2026, 10, 30),
        Decimal("1.50"),
        Decimal("1.25"),
    )
    assert rise.bears_out_within == 0


def test_a_hold_is_told_with_the_rate_until_then(rates: BankRates) -> None:
    hold = record(rates, "CA", "2026-11-02T07:00:00+00:00")
    assert hold is not None
    assert hold.rate == hold.previous == Decimal("2.25")


def test_an_earlier_instant_knows_no_later_decision(rates: BankRates) -> None:
    before = record(rates, "ID", "2026-11-02T07:00:00+00:00")
    after = record(rates, "ID", "2026-11-23T07:00:00+00:00")
    assert before is not None and after is not None
    assert (before.decided_on, after.decided_on) == (date(2026, 10, 21), date(2026, 11, 18))


def test_a_page_is_fetched_and_kept_through_the_failures_of_the_calendar(tmp_path: Path) -> None:
    (kept,) = (each for each in pages(read_facts(), TODAY) if "10-30" in each.file)
    with serving() as standins:
        standins.until = TODAY
        file = kept.kept_file(standins.address(PROVIDER.name))
        standins.fail(PROVIDER.name, Failure.REDIRECT)
        assert refresh(file, tmp_path).succeeded
        whole = file.path(tmp_path).read_bytes()
        for failure in (
            *(Failure.TOO_MANY, Failure.ERROR, Failure.HTML, Failure.TRUNCATED, Failure.RENAMED),
            *(Failure.CLOSED, Failure.REDIRECT_LOOP, Failure.EMPTY),
        ):
            standins.fail(PROVIDER.name, failure)
            assert not refresh(file, tmp_path).succeeded, failure
            assert file.path(tmp_path).read_bytes() == whole


def test_a_revised_outcome_changes_nothing_of_what_was_known(tmp_path: Path) -> None:
    with serving() as standins:
        for failure in (None, Failure.REVISED):
            standins.until = TODAY
            if failure:
                standins.fail(CALENDAR_KEY, failure)
            for each in pages(read_facts(), TODAY):
                assert refresh(each.kept_file(standins.address(CALENDAR_KEY)), tmp_path).succeeded
    known = record(BankRates(tmp_path, today=TODAY), "JP", "2026-11-02T07:00:00+00:00")
    assert known is not None
    assert known.rate == Decimal("1.50")


def test_a_page_of_the_past_is_fetched_once(rates: BankRates, tmp_path: Path) -> None:
    def over(page: Publisher) -> bool:
        return is_final(page, tmp_path)

    assert all(map(over, pages(read_facts(), TODAY)))
    names = {file.name for file in rates.upkept}
    assert not any(name.startswith("decisions-") for name in names)
    tomorrow = pages(read_facts(), TODAY + timedelta(days=2))
    assert [each.file for each in tomorrow if not over(each)] == [
        "decisions-2026-11-26.json",
        "decisions-2026-11-27.json",
    ]
