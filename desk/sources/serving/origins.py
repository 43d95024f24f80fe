"""The first publisher of a source's figures: two sources of one origin count once."""

import re

BANK_OF_CANADA = "Bank of Canada"
BANK_OF_ENGLAND = "Bank of England"
BANK_OF_JAPAN = "Bank of Japan"
BIS = "Bank for International Settlements"
ECB = "European Central Bank"
IMF = "International Monetary Fund"
OECD = "OECD"
FEDERAL_RESERVE = "Federal Reserve Board"
HKMA = "Hong Kong Monetary Authority"
INTERBANK_FUNDING_CENTER = "National Interbank Funding Center"
RESERVE_BANK_OF_AUSTRALIA = "Reserve Bank of Australia"

_COMMITTEES = {"FOMC": "Federal Reserve"}
"""Bodies that a source's text names instead of the bank they belong to."""

_DAY_ONLY = re.compile(r"(announcement day|effective day): |.*\bcalendar\b")
"""Text that names the source of a day, and nothing about the level."""

_LEVEL = "level: "
_FROM_BIS = "BIS CBPOL "
_REPORT = re.compile(
    r"(?:announcement day(?: and rate)?: )?(?:press )?(?P<who>.*?) ?\breports? of\b"
)


def level_origin(source: str, bank: str, short_name: str) -> str | None:
    """The publisher of the level in a row of `rate_decisions.csv`, from the row's own source.

    The parts of a source are separated by semicolons. The level comes from the part that begins
    with `level:`; else from a first part that is about more than a day, such as the decision's own
    statement; else from the BIS if a part names its series; else from the announcer of the day. A
    bank whose list or calendar gave the day is not thereby the origin of the level. None if the
    text names no publisher.
    """
    parts = source.split("; ")
    stated = next((part for part in parts if part.startswith(_LEVEL)), None)
    if stated is None and not _DAY_ONLY.match(parts[0]):
        stated = parts[0]
    if stated is None:
        stated = next((part for part in parts if part.startswith(_FROM_BIS)), parts[0])
    return _named(stated, bank, short_name)


def _named(words: str, bank: str, short_name: str) -> str | None:
    if words.startswith(_FROM_BIS):
        return BIS
    report = _REPORT.match(words)
    if report and report["who"]:
        return report["who"]
    names = (bank, short_name, *(body for body, of in _COMMITTEES.items() if of == bank))
    spoken = any(re.search(rf"\b{re.escape(name)}\b", words) for name in names)
    return bank if spoken else None
