"""Which way prose says that something went."""

import re
from collections.abc import Iterator
from typing import Final

from contracts.results import Leaning

RISING: Final = (
    "rose|rises|risen|gained|gains|climbed|climbs|advanced|advances|jumped|surged|rallied|soared"
    "|appreciated|firmed|strengthened|strengthens|increased|moved higher|ended higher"
)
FALLING: Final = (
    "fell|falls|fallen|lost|dropped|drops|declined|declines|slipped|slid|slides|plunged|tumbled"
    "|sank|depreciated|softened|weakened|weakens|decreased|eased|retreated|moved lower|ended lower"
)
RAISED: Final = "raised|raises|hiked|increased|lifted|tightened"
CUT: Final = "cut|cuts|lowered|lowers|reduced|eased|loosened"
HELD: Final = (
    r"(?:held|holds|kept|keeps|left|maintained) (?:its|the|rates)\b[^.]{0,60}?"
    r"\b(?:unchanged|steady|on hold)"
)

CURRENCIES: Final = {
    "AUD": "Australian dollar|Aussie",
    "EUR": "euro",
    "GBP": "pound|sterling",
    "NZD": "New Zealand dollar|kiwi",
    "USD": "dollar|US dollar|greenback",
}
"""What prose calls the base currencies of the desk's pairs."""


def said_of_pair(prose: str, pair: str | None) -> Iterator[Leaning]:
    """What prose says that a pair, or its base currency, did."""
    if pair is None:
        return
    base = pair.partition("/")[0]
    names = [re.escape(pair), base]
    if base in CURRENCIES:
        names.append(f"(?:[Tt]he )(?:{CURRENCIES[base]})")
    yield from _said(rf"(?<![/\w])(?:{'|'.join(names)})", prose, {RISING: UP, FALLING: DOWN})


def said_of_bank(prose: str, bank: str | None) -> Iterator[Leaning]:
    """What prose says that a bank did with its rate."""
    if bank is None:
        return
    yield from _said(re.escape(bank), prose, {RAISED: UP, CUT: DOWN, HELD: Leaning.NEUTRAL})


def is_named(name: str, prose: str) -> bool:
    """Whether a name stands in prose as words of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prose) is not None


UP, DOWN = Leaning.UP, Leaning.DOWN


def _said(subject: str, prose: str, verbs: dict[str, Leaning]) -> Iterator[Leaning]:
    for words, leaning in verbs.items():
        if re.search(rf"{subject} (?:has |have )?(?:\w+ly )?(?:{words})\b", prose):
            yield leaning
