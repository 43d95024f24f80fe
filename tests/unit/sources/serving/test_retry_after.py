"""The pause that an HTTP answer asks for: as a time to wait, and in words."""

import time
from datetime import timedelta

import pytest

from desk.platform.models.retry_after import pause_of
from desk.sources.serving.downloads import asked_pause

DATE = "Wed, 21 Oct 2026 07:28:00 GMT"
HALF_A_MINUTE_LATER = "Wed, 21 Oct 2026 07:28:30 GMT"
LONGEST = timedelta(hours=1)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "99999999999999999999"}, 3600),
        ({"retry-after": HALF_A_MINUTE_LATER, "date": DATE}, 30),
        ({"retry-after": "Thu, 21 Oct 2027 07:28:00 GMT", "date": DATE}, 3600),
        ({"retry-after-ms": "0", "retry-after": HALF_A_MINUTE_LATER, "date": DATE}, 30),
    ],
)
def test_a_pause_is_read_and_kept_within_reason(headers: dict[str, str], seconds: float) -> None:
    assert pause_of(headers, LONGEST) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"retry-after": "0"},
        {"retry-after": "-5"},
        {"retry-after": "nan"},
        {"retry-after": "inf"},
        {"retry-after": "soon"},
        {"retry-after": HALF_A_MINUTE_LATER},
        {"retry-after": HALF_A_MINUTE_LATER, "date": "today"},
        {"retry-after": HALF_A_MINUTE_LATER, "date": DATE.removesuffix(" GMT")},
        {"retry-after": DATE, "date": HALF_A_MINUTE_LATER},
        {"retry-after": f"Wed, 21 Oct {10**20} 07:28:00 GMT", "date": DATE},
    ],
)
def test_no_pause_is_asked_for_where_none_can_be_read(headers: dict[str, str]) -> None:
    assert pause_of(headers, LONGEST) is None


@pytest.mark.parametrize(
    ("retry_after", "words"),
    [
        ("30", "asks to wait 30 seconds"),
        (" 0060 ", "asks to wait 60 seconds"),
        (DATE, "asks to wait until 2026-10-21T07:28:00Z"),
        ("Wed, 21 Oct 2026 09:28:00 +0200", "asks to wait until 2026-10-21T07:28:00Z"),
        (None, ""),
        ("", ""),
        ("99999999999", ""),
        ("-5", ""),
        ("<b>soon</b>", ""),
        (f"Wed, 21 Oct {10**20} 07:28:00 GMT", ""),
    ],
)
def test_a_pause_is_told_in_words_of_our_own(retry_after: str | None, words: str) -> None:
    assert asked_pause(retry_after) == words


def test_an_instant_without_a_zone_is_in_gmt_wherever_the_desk_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        words = asked_pause(DATE.removesuffix(" GMT"))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert words == "asks to wait until 2026-10-21T07:28:00Z"
