"""Finds that a question asks about the time since a central bank's decision. The day is not in the
question: it comes from the bank's record."""

import re
from typing import Final, NamedTuple

from desk.analytics.names.mentions import bank_mentions

_SINCE: Final = re.compile(
    r"\b(?:since|after)\s(?P<what>[^,;?!]*?)(?=\s*(?:[,;?!]|\.(?:\s|$)|\s(?:and|but)\s|$))", re.I
)


class SinceDecision(NamedTuple):
    """The bank's area, and the words that name its decision, from `since` on."""

    area: str
    words: str


def since_decision(words: str) -> SinceDecision | None:
    """Returns the first bank since whose decision a text asks about something; None without one."""
    for found in _SINCE.finditer(words):
        for bank in bank_mentions(found["what"]):
            return SinceDecision(bank.area, found[0])
    return None
