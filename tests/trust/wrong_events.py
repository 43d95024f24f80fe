"""Wrong events: another bank, another day, the opposite verb, a figure that nobody claims."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import cache
from random import Random
from typing import Final

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import EventType, MarketEvent
from desk.trust.prose.references import REFERENCE, references
from tests.support.processes.homes import PROJECT
from tests.trust.corruptions import ErrorClass, EventEdit
from tests.trust.real_weeks import Findings

Candidates = Iterator[EventEdit]

OPPOSITES: Final = (("rose", "fell"), ("fell", "rose"), ("raised", "cut"), ("cut", "raised"))

TYPED: Final = (
    ("Traders see {n:.2f} % by spring.", "{n:.2f} %"),
    ("Inflation ran at {n:.1f}% in the month before.", "{n:.1f}%"),
    ("That is {b} bp more than markets had priced.", "{b} bp"),
    ("Reserves fell by {n:.1f} billion dollars.", "{n:.1f} billion"),
    ("Resistance held at {l:,.2f} through the week.", "{l:,.2f}"),
    ("The ministry bought ¥{l:.2f} trillion.", "¥{l:.2f}"),
    ("It touched {b}円 in Tokyo.", "{b}円"),
    ("Analysts put fair value between {n:.1f}-{m:.1f} %.", "{n:.1f}-{m:.1f} %"),
    ("The balance was ({l:,.2f}) at the close.", "({l:,.2f})"),
    ("Volume doubled to {n:.2f} million contracts.", "{n:.2f} million"),
)
"""Sentences with a figure of their own, and the figure as it is written."""


def wrong_bank(event: MarketEvent, findings: Findings, random: Random) -> Candidates:
    """Another bank in the event, in its prose, or in both."""
    del findings
    if event.central_bank is None:
        return
    others = [bank for bank in banks() if bank != event.central_bank]
    for other in random.sample(others, 3):
        told = event.description.replace(event.central_bank, other)
        both = {"central_bank": other, "description": told}
        for fields in random.sample([both, {"central_bank": other}, {"description": told}], 3):
            yield EventEdit(event, event.model_copy(update=fields))


def wrong_day(event: MarketEvent, findings: Findings, random: Random) -> Candidates:
    """An event some days off; one that rests on a claim of its day, or outside the window."""
    if event.event_type is EventType.SCHEDULED_DECISION:
        return
    del findings
    days = [-1, 1, -random.randint(2, 5), random.randint(9, 30), -random.randint(9, 30), 365]
    for count in random.sample(days, len(days)):
        day = event.event_date + timedelta(days=count)
        yield EventEdit(event, event.model_copy(update={"event_date": day}))


def opposite_verb(event: MarketEvent, findings: Findings, random: Random) -> Candidates:
    """A rise told as a fall, a cut as a raise."""
    del findings, random
    for word, opposite in OPPOSITES:
        told = re.sub(rf"\b{word}\b", opposite, event.description, count=1)
        if told != event.description:
            yield EventEdit(event, event.model_copy(update={"description": told}))


def typed_figure(event: MarketEvent, findings: Findings, random: Random) -> Candidates:
    """A sentence more, with a figure in it; or a figure typed in the place of a reference."""
    held = {c.claim_id: c for result in findings.results for c in result.claims}
    numbers = {
        "n": random.uniform(11, 97),
        "m": random.uniform(101, 197),
        "b": random.randint(311, 979),
        "l": random.uniform(2_011, 9_979),
    }
    sentence, figure = random.choice(TYPED)
    told = f"{event.description} {sentence.format(**numbers)}"
    added = EventEdit(event, _told(event, told), typed=figure.format(**numbers))
    named = [name for name in references(event.description) if name in held]
    if not named:
        yield added
        return
    yield from random.sample([added, _replaced(event, held[random.choice(named)], random)], 2)


def _replaced(event: MarketEvent, claim: Claim, random: Random) -> EventEdit:
    """A reference replaced by a number that is none of the findings' figures."""
    typed = (
        f"{float(abs(claim.value)) + random.randint(3, 9) * 7 + random.randint(1, 9) / 1000:,.3f}"
    )
    told = REFERENCE.sub(
        lambda found: typed if found.group(1) == claim.claim_id else found.group(),
        event.description,
    )
    return EventEdit(event, _told(event, told), typed=typed)


def _told(event: MarketEvent, description: str) -> MarketEvent:
    return event.model_copy(update={"description": description})


@cache
def banks() -> tuple[str, ...]:
    """The central banks that the desk knows."""
    facts = PROJECT / "desk" / "sources" / "central_banks" / "facts"
    with (facts / "areas.csv").open(encoding="utf-8") as table:
        return tuple(row["bank"] for row in csv.DictReader(table))


WRONG_EVENTS: Final[Mapping[ErrorClass, Callable[[MarketEvent, Findings, Random], Candidates]]] = {
    ErrorClass.BANK: wrong_bank,
    ErrorClass.DATE: wrong_day,
    ErrorClass.SIGN: opposite_verb,
    ErrorClass.PROSE: typed_figure,
}
