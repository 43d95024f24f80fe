"""When an item of a feed came out, never read as earlier than it was."""

import re
from datetime import UTC, datetime, time
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

from desk.sources.central_banks.policy_facts import END_OF_DAY
from desk.sources.serving.arguments import FIRST_YEAR, LAST_YEAR

LONGEST_DATE = 64

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].+)?", re.ASCII)
_DAY_ONLY = re.compile(r"(?:[A-Za-z]{3},? +)?\d{1,2} [A-Za-z]{3} \d{4}", re.ASCII)


def published_instant(written: str, zone: ZoneInfo | None) -> datetime | None:
    """The instant of a date in RFC 822 or ISO 8601 (RSS and Atom), or None if it cannot be read.

    `zone` is the publisher's. A date without an offset, without an hour or at midnight, which is
    how feeds write a day whose hour they do not give, is then known at the end of that day there.
    Without a zone a date that has no offset cannot be read, and midnight is an hour like others.
    """
    text = written.strip()
    if not text or len(text) > LONGEST_DATE:
        return None
    try:
        found = _parsed(text)
        if not FIRST_YEAR < found.year < LAST_YEAR:
            return None
        if zone is not None and (found.tzinfo is None or found.time() == time()):
            found = datetime.combine(found.date(), END_OF_DAY, zone)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, TypeError, OverflowError):
        return None


def _parsed(text: str) -> datetime:
    if _ISO.fullmatch(text):
        return datetime.fromisoformat(text)
    return parsedate_to_datetime(f"{text} 00:00:00" if _DAY_ONLY.fullmatch(text) else text)
