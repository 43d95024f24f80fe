"""That something is asked about since a central bank decided: the days of that are no words of the
calendar, and stand in the bank's record."""

import re
from typing import Final, NamedTuple

from desk.analytics.names.central_banks import bank_mentions

_SINCE: Final = re.compile(
    r"\b(?:since|after)\s(?P<what>[^,;?!]*?)(?=\s*(?:[,;?!]|\.(?:\s|$)|\s(?:and|but)\s|$))", re.I
)


class SinceDecision(NamedTuple):
    """The bank's area, and the words that name its decision, from `since` on."""

    area: str
    words: str


def since_decision(words: str) -> SinceDecision | None:
    """The first decision of a bank since which a text asks about something; None without one."""
    for found in _SINCE.finditer(words):
        for bank in bank_mentions(found["what"]):
            return SinceDecision(bank.area, found[0])
    return None
