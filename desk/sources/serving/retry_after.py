"""When a source wants to be asked again, in words for whoever asked."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MOST_DIGITS = 7


def asked_pause(retry_after: str | None) -> str:
    """What the header asks for: "asks to wait 30 seconds" or "asks to wait until" an instant in
    UTC. Empty where there is no header, or one that cannot be read; nothing of its text is
    repeated."""
    given = (retry_after or "").strip()
    if given.isascii() and given.isdecimal() and len(given) <= _MOST_DIGITS:
        return f"asks to wait {int(given)} seconds"
    try:
        until = _in_utc(parsedate_to_datetime(given))
    except (ValueError, OverflowError):
        return ""
    return f"asks to wait until {until:%Y-%m-%dT%H:%M:%SZ}"


def _in_utc(instant: datetime) -> datetime:
    """HTTP dates are in GMT, also where they do not say so."""
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
