"""When an item came out: read exactly where the feed says it, and never too early."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from desk.sources.news.items import published_instant

TOKYO, NEW_YORK = ZoneInfo("Asia/Tokyo"), ZoneInfo("America/New_York")


@pytest.mark.parametrize("zone", [None, TOKYO])
@pytest.mark.parametrize(
    "written",
    [
        "Fri, 30 Oct 2026 12:00:00 GMT",
        "Fri, 30 Oct 2026 12:00:00 Z",
        "Fri, 30 Oct 2026 08:00:00 EDT",
        "30 Oct 2026 21:00 +0900",
        "2026-10-30T12:00:00Z",
        "2026-10-30T21:00:00+09:00",
        " 2026-10-30T12:00:00.000+00:00 ",
    ],
)
def test_a_date_with_its_offset_is_exact(written: str, zone: ZoneInfo | None) -> None:
    assert published_instant(written, zone) == datetime(2026, 10, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "2026-10-30",
        "30 Oct 2026",
        "Fri, 30 Oct 2026",
        "Fri, 30 Oct 2026 09:15:00",
        "Fri, 30 Oct 2026 09:15:00 JST",
        "2026-10-30T09:15:00",
        "2026-10-30T00:00:00Z",
        "Fri, 30 Oct 2026 00:00:00 +0900",
    ],
)
def test_a_day_without_its_hour_or_offset_is_known_at_its_end(written: str) -> None:
    assert published_instant(written, TOKYO) == datetime(2026, 10, 30, 14, 59, tzinfo=UTC)
    assert published_instant(written, NEW_YORK) == datetime(2026, 10, 31, 3, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    "written", ["2026-10-30", "Fri, 30 Oct 2026", "2026-10-30T09:15:00", "30 Oct 2026 09:15 JST"]
)
def test_without_the_publishers_zone_a_date_without_offset_cannot_be_read(written: str) -> None:
    assert published_instant(written, None) is None


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yesterday",
        "1793404800",
        "2026-13-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-12:00",
        "Fri, 30 Oct 2026 12:00:00 +9999",
        "2026-10-30T12:00:00Z" + " " * 10 + "x" * 80,
    ],
)
@pytest.mark.parametrize("zone", [None, TOKYO])
def test_what_is_no_date_is_none(written: str, zone: ZoneInfo | None) -> None:
    assert published_instant(written, zone) is None
