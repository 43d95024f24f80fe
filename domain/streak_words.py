"""Whether a count of days or weeks says how long a move has gone on, or only how long a span is."""

import re
from typing import Final

_STREAK_AFTER: Final = re.compile(
    r"[\s-](?:in\sa\srow|in\ssuccession|on\sthe\strot|straight|running|(?:winning|losing|up|down)"
    r"[\s-](?:streak|run)|streak|rally|run\b|slide|rout|selloff|winning|losing|advance|rise|fall"
    r"|gain|drop|decline)",
    re.IGNORECASE,
)
_STREAK_BEFORE: Final = re.compile(
    r"\b(?:risen|fallen|rose|fell|gained|lost|climbed|dropped|advanced|declined|weakened"
    r"|strengthened|rising|falling|gaining|losing|rallied|slid|slipped|eased|retreated|firmed|softened"
    r"|appreciated|depreciated)"
    r"(?:(?:\s\w+){0,2}\s(?:for|in|over|on)\s(?:\w+\s)?|\s(?:about\s|some\s|nearly\s|all\s|another\s)?)$"
    r"|\b(?:streak|run|series|string)\sof\s(?:\w+\s)?$",
    re.IGNORECASE,
)
_STANDING: Final = re.compile(
    r"\b(?:[A-Z]{3}/[A-Z]{3}|it|pair|dollar|greenback|yen|euro|sterling|pound|franc|won|yuan"
    r"|rupee|rupiah|baht|ringgit|peso|kron[ae])\s(?:(?:is|was|has|had|been|now)\s){1,3}"
    r"(?:up|down|higher|lower)\s(?:for\s)?$",
    re.IGNORECASE,
)
"""`USD/JPY has been up nine sessions`; what is down for days may else be a server."""

_LOOKING_BACK: Final = re.compile(
    r"\b(?:in|over|within|last|past|previous|preceding|next|first|final)\s(?:the\s)?(?:\w+\s)?$",
    re.IGNORECASE,
)
_AFTER_IT: Final = re.compile(r"\s(?:ago|after|before|later|earlier|prior|hence|out|since|ahead)\b")


def is_streak(text: str, start: int, end: int) -> bool:
    """Whether a count of days or weeks between two places says how long a move has gone on."""
    before = text[max(0, start - 60) : start]
    if _STREAK_AFTER.match(text, end) or "straight" in text[start:end]:
        return True
    if "consecutive" in text[start:end] or "successive" in text[start:end]:
        return True
    if _AFTER_IT.match(text, end) or _LOOKING_BACK.search(before):
        return False
    if _STREAK_BEFORE.search(before):
        return True
    return "hour" not in text[start:end] and _STANDING.search(before) is not None


def looks_back(text: str, start: int) -> bool:
    """Whether what stands before a number makes it the length of a span: `in the last 5 days`."""
    return _LOOKING_BACK.search(text[max(0, start - 30) : start]) is not None
