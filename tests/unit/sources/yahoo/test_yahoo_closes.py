"""When a close of Yahoo's is known, and as which figure it is given."""

import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.sources.yahoo.closes import as_figure, closes_of, known_from, last_known_day

FAR_AHEAD = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("as_of", "day"),
    [
        ("2026-10-31T00:59:59+00:00", date(2026, 10, 29)),
        ("2026-10-31T01:00:00+00:00", date(2026, 10, 30)),
        ("2026-10-31T09:59:59+09:00", date(2026, 10, 29)),
        ("2026-07-15T23:30:00+00:00", date(2026, 7, 14)),
        ("2026-07-16T01:00:00+00:00", date(2026, 7, 15)),
    ],
)
def test_a_close_is_known_an_hour_after_the_end_of_its_day(as_of: str, day: date) -> None:
    assert last_known_day(datetime.fromisoformat(as_of), FAR_AHEAD) == day


def test_the_running_day_is_not_known_to_one_who_asks_about_the_future() -> None:
    now = datetime(2026, 10, 30, 15, tzinfo=UTC)
    assert last_known_day(FAR_AHEAD, now) == date(2026, 10, 29)


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)))
def test_no_close_is_known_before_its_london_day_is_over(day: date) -> None:
    over = datetime.combine(day + timedelta(days=1), datetime.min.time(), ZoneInfo("Europe/London"))
    assert known_from(day) >= over + timedelta(hours=1)


@given(st.datetimes(datetime(1970, 1, 3), datetime(2099, 1, 1), timezones=st.timezones()))
def test_the_last_known_day_is_known_and_the_next_is_not(as_of: datetime) -> None:
    day = last_known_day(as_of, FAR_AHEAD)
    assert known_from(day) <= as_of < known_from(day + timedelta(days=1))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (157.25199890136719, "157.252"),
        (1.1172000169754028, "1.1172"),
        (0.006341199856251478, "0.0063412"),
        (16250.0, "16250"),
        (6.15000026301e-05, "0.0000615000026301"),
        (157.252, "157.252"),
        (1.11723456789, "1.11723456789"),
    ],
)
def test_a_rate_is_the_figure_that_was_rounded_to_single_precision(
    written: float, meant: str
) -> None:
    assert str(as_figure(written)) == meant


@given(st.floats(2**-28, 2**29, width=32))
def test_a_figure_stands_for_the_same_number(written: float) -> None:
    figure = float(as_figure(written))
    assert struct.unpack("f", struct.pack("f", figure))[0] == written
    assert len(as_figure(written).as_tuple().digits) <= 9


@pytest.mark.parametrize("nothing", [0.0, -157.2, float("nan"), float("inf"), 1e30, 1e-12])
def test_a_row_without_a_possible_rate_is_a_day_without_a_close(nothing: float) -> None:
    days = [date(2026, 10, 30), date(2026, 10, 28), date(2026, 10, 29)]
    found = closes_of(zip(days, [157.5, 156.5, nothing], strict=True))
    assert found == (
        (date(2026, 10, 28), Decimal("156.5")),
        (date(2026, 10, 30), Decimal("157.5")),
    )
