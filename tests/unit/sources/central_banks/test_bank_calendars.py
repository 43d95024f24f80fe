"""Decision days out of a bank's own calendar, over a socket, beside those of the tables."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.sources.central_banks.current_facts import CALENDAR_SOURCES
from desk.sources.central_banks.server import CentralBankTools
from desk.sources.serving.daily_series import files_of
from desk.sources.serving.kept_file import DamagedFile, KeptFile, refresh
from tests.standins.provider import Failure
from tests.standins.providers.policy_rates import MOVED, SNB_2027, addresses
from tests.standins.serving import Standins
from tests.support.files.failed_refreshes import REFUSED

SNB = CALENDAR_SOURCES[0]
YEAR_2027 = (date(2027, 1, 1), date(2027, 12, 31))
DECEMBER = (date(2026, 12, 1), date(2026, 12, 31))
NOVEMBER = datetime(2026, 11, 2, 7, tzinfo=UTC)


@pytest.fixture
def files(standins: Standins) -> tuple[KeptFile, ...]:
    return files_of(CALENDAR_SOURCES, addresses(standins.address("policy_rates")))


def days(cache: Path, first: date, last: date, as_of: datetime = NOVEMBER) -> list[date]:
    tools = CentralBankTools(cache_dir=cache)
    return [row.day for row in tools.get_decision_calendar(["CH"], first, last, as_of).scheduled]


def fetched(files: tuple[KeptFile, ...], cache: Path) -> None:
    assert all(refresh(kept, cache).succeeded for kept in files)


def test_the_banks_calendar_adds_days_that_the_tables_lack(
    files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    assert days(tmp_path, *YEAR_2027) == []
    fetched(files, tmp_path)
    assert days(tmp_path, *YEAR_2027) == list(SNB_2027)
    assert days(tmp_path, *DECEMBER) == [MOVED[0]]


def test_a_day_is_known_from_its_stamp(files: tuple[KeptFile, ...], tmp_path: Path) -> None:
    fetched(files, tmp_path)
    stamped = datetime(2026, 10, 16, 8, tzinfo=UTC)
    assert days(tmp_path, *YEAR_2027, datetime(2026, 10, 16, 7, tzinfo=UTC)) == []
    assert days(tmp_path, *YEAR_2027, stamped) == list(SNB_2027)


def test_a_meeting_that_is_moved_stands_until_the_desk_saw_it(
    standins: Standins, files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    fetched(files, tmp_path)
    standins.fail("policy_rates", Failure.REVISED)
    before = datetime.now(UTC)
    fetched(files, tmp_path)
    assert days(tmp_path, *DECEMBER) == [MOVED[0]]
    assert days(tmp_path, *DECEMBER, before) == [MOVED[0]]
    assert days(tmp_path, *DECEMBER, datetime.now(UTC)) == [MOVED[1]]


@pytest.mark.parametrize(
    "failure",
    [Failure.TOO_MANY, Failure.CLOSED, Failure.HTML, Failure.TRUNCATED, Failure.RENAMED],
)
def test_a_failure_leaves_what_was_known(
    standins: Standins,
    files: tuple[KeptFile, ...],
    tmp_path: Path,
    failure: Failure,
) -> None:
    fetched(files, tmp_path)
    standins.fail("policy_rates", failure)
    assert [refresh(kept, tmp_path).status for kept in files] == [REFUSED[failure]] * len(files)
    assert days(tmp_path, *YEAR_2027) == list(SNB_2027)


def test_a_redirect_is_followed(
    standins: Standins, files: tuple[KeptFile, ...], tmp_path: Path
) -> None:
    standins.fail("policy_rates", Failure.REDIRECT)
    fetched(files, tmp_path)
    assert days(tmp_path, *YEAR_2027) == list(SNB_2027)


def calendar(*lines: str) -> bytes:
    inner = "\r\n".join(lines)
    return f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n{inner}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".encode()


TITLE, STAMP = "SUMMARY:Monetary policy assessment of 24 September 2026", "DTSTAMP:20260101T080000Z"


def test_a_day_without_an_hour_is_read_too() -> None:
    told = SNB.read(calendar(TITLE, STAMP, "DTSTART;VALUE=DATE:20260924"))
    assert [meeting.day for meeting in told.meetings] == [date(2026, 9, 24)]


@pytest.mark.parametrize(
    "content",
    [
        calendar(TITLE, STAMP, "DTSTART;VALUE=DATE:20260925"),
        calendar("SUMMARY:Summary of the discussion", STAMP, "DTSTART;VALUE=DATE:20260924"),
        calendar(TITLE, "DTSTART;VALUE=DATE:20260924"),
        calendar(TITLE, STAMP),
        calendar(TITLE, STAMP, "DTSTART:soon"),
        calendar(TITLE, STAMP, "DTSTART;VALUE=DATE:20260924", "STATUS:PERHAPS"),
    ],
    ids=["another day", "another event", "no stamp", "no day", "no date", "no such status"],
)
def test_what_is_no_meeting_of_the_bank_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedFile):
        SNB.read(content)


@given(st.binary(max_size=300))
def test_what_is_no_calendar_is_refused_and_nothing_else_is_raised(content: bytes) -> None:
    with pytest.raises(DamagedFile):
        SNB.read(content)
