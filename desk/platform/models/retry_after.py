"""The pause that an HTTP response requests before the next request."""

from collections.abc import Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime
from math import isfinite


def pause_of(headers: Mapping[str, str], longest: timedelta) -> timedelta | None:
    """The pause of `retry-after-ms`, else of `retry-after`, capped at `longest`.

    `retry-after` is a number of seconds, or an instant that is compared with the server's own
    `date`. None if no readable pause is given. Header names are looked up in lower case.
    """
    waits = (
        _milliseconds(headers.get("retry-after-ms", "")),
        _seconds(headers.get("retry-after", "")),
        _seconds_between(headers.get("date", ""), headers.get("retry-after", "")),
    )
    asked = next((seconds for seconds in waits if seconds > 0), None)
    # Capped as a number: a timedelta does not hold every number of seconds.
    return None if asked is None else timedelta(seconds=min(asked, longest.total_seconds()))


def _milliseconds(given: str) -> float:
    return _seconds(given) / 1_000


def _seconds(given: str) -> float:
    """0 if it is not a number."""
    try:
        number = float(given)
    except ValueError:
        return 0
    return number if isfinite(number) else 0


def _seconds_between(earlier: str, later: str) -> float:
    """0 if one of them is not an HTTP date."""
    try:
        return (parsedate_to_datetime(later) - parsedate_to_datetime(earlier)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return 0
