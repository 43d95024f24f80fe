"""What banks decided: their last decisions, and those of the days that a question names."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import MarketEvent, OutcomeMissing, RateInstrument
from desk.programs.builtin.rate_decisions import OUTCOMES, what_was_decided
from desk.programs.question.builtin.banks.known import KnownBank, when
from desk.programs.question.builtin.banks.topics import figure, of_bank, opening
from desk.trust.prose import Form

_CHANGES: Final = {"cut": -1, "rise": 1}
_VERBS: Final = {"cut": "cut", "rise": "raised"}


def decided_last(bank: KnownBank, called: str) -> Iterator[str]:
    """Its newest decision, and the days since then whose outcome is not known."""
    for newest in bank.decided[-1:]:
        decided = f"{opening(called)} decided last, as far as is known, {when(newest)}"
        yield f"{decided}: it {_decided(bank, newest)}"
    yield from outcomes_open(bank, "it" if bank.decided else called)
    if not bank.decided:
        whose = "it" if bank.past else called
        yield f"No decision of {whose} is known of the days that were looked at."


def decided_before_today(bank: KnownBank, called: str) -> Iterator[str]:
    """The same where it was told already that a decision is due today."""
    return decided_last(bank._replace(due=None), called)


def outcomes_open(bank: KnownBank, called: str) -> Iterator[str]:
    """The days that the question names, or all since its last decision, of which no outcome is
    known."""
    days: dict[str, list[str]] = {}
    for event in bank.silent:
        days.setdefault(outcome_told(event), []).append(print_full_day(event.event_date))
    for outcome, of in days.items():
        yield f"{opening(called)} was scheduled to decide on {listed(of)}. {outcome}"
    if bank.due is not None and bank.is_asked(bank.due):
        yield due_today(bank)


def outcome_told(event: MarketEvent) -> str:
    """Why the decision of a past day is not known. Events of earlier versions do not say it."""
    return OUTCOMES[event.outcome or OutcomeMissing.NOT_IN_SOURCE]


def _decided(bank: KnownBank, event: MarketEvent) -> str:
    """What it did, behind its name. Where its claims are not known, all that is told of it."""
    change, rate = bank.change_claim(event), bank.rate_after(event)
    if change is None or rate is None:
        return f"decided: {event.description}"
    in_a_row = bank.in_a_row(event)
    return what_was_decided(
        event.instrument or RateInstrument(name="policy rate"),
        change.value,
        event.precision,
        told_change=figure(change),
        told_rate=figure(rate),
        told_in_a_row=figure(in_a_row) if in_a_row else None,
    )


def due_today(bank: KnownBank) -> str:
    """That it decides on the day of the answer: what it decided may be out."""
    day = print_full_day(bank.as_of_day)
    return f"A decision of {bank.name} is due today, {day}; its outcome is not in the source yet."


def decided_within(bank: KnownBank, called: str) -> Iterator[str]:
    """What it decided in the days that are asked about: how often it moved its rate, and to where
    each time, and those without a known outcome."""
    days, within = from_to(*bank.asked), bank.within
    moved = [event for event in within if bank.moved(event)]
    if not within:
        yield f"No decision of {called} {days} is known."
    elif len(within) == 1:
        yield f"{opening(when(within[0]))} {called} {_decided(bank, within[0])}"
    elif not moved:
        yield _held_each_time(bank, called)
    else:
        yield f"{_counted(bank, called)}: {listed(_step(bank, event) for event in moved)}."
        if len(moved) < len(within):
            yield "At its other decisions it left its rate as it was."
    yield from outcomes_open(bank, "it")


def _held_each_time(bank: KnownBank, called: str) -> str:
    count, rate = bank.in_all(Metric.DECISIONS_WITHIN), bank.rate_after(bank.within[-1])
    times = f"its {figure(count)}" if count else "its decisions"
    at = f" at {figure(rate)}" if rate else " as it was"
    return f"{opening(called)} left its rate{at} at each of {times} {from_to(*bank.asked)}."


def _counted(bank: KnownBank, called: str) -> str:
    """How often it cut and raised its rate, the more frequent first, and by how much in all: this
    not behind what told its rates."""
    counts = [bank.in_all(metric) for metric in (Metric.CUTS_WITHIN, Metric.RISES_WITHIN)]
    known = sorted(filter(None, counts), key=lambda claim: -claim.value)
    change = bank.in_all(Metric.CHANGE_WITHIN)
    in_all = f", {figure(change, Form.SIGNED)} in all" if change and called != "it" else ""
    told = listed(map(figure, known)) or "The changes"
    return f"{told} by {called} {from_to(*bank.asked)}{in_all}"


def _step(bank: KnownBank, event: MarketEvent) -> str:
    rate = bank.rate_after(event)
    return f"to {figure(rate)} {when(event)}" if rate else when(event)


def in_sums(banks: Sequence[KnownBank]) -> Iterator[str]:
    """What several banks did in the days that are asked about, in a sentence on each, and one on
    those that had no day."""
    for bank in banks:
        moved = any(map(bank.moved, bank.within))
        if not bank.meetings:
            continue
        if moved and len(bank.within) > 1:
            yield f"{_counted(bank, bank.name)}."
            yield from outcomes_open(bank, "it")
        else:
            yield from decided_within(bank, bank.name)
    if idle := [bank.name for bank in banks if not bank.meetings]:
        yield f"No decision of {listed(idle)} {from_to(*banks[0].asked)} is known."


def decided_if_within(bank: KnownBank, called: str) -> Iterator[str]:
    """The same where there are some, or where the rate is not known: that a bank decided nothing
    on a day is not told to who asks what its rate was."""
    due = bank.due is not None and bank.is_asked(bank.due)
    if bank.within or bank.silent or due or bank.rate_by(bank.asked[1]) is None:
        yield from decided_within(bank, called)


def changed_last(bank: KnownBank, called: str, way: int = 0) -> Iterator[str]:
    """Its last cut and its last rise, the newer one first or the one that is asked for, and that
    there was none."""
    last = {name: bank.changed(each) for name, each in _CHANGES.items()}

    def first(name: str) -> tuple[bool, date]:
        event = last[name]
        return _CHANGES[name] == way, event.event_date if event else date.min

    for name in sorted(last, key=first, reverse=True):
        event = last[name]
        if event is None:
            yield f"No {name} of {called} is known of the days that were looked at."
        else:
            changed = f"{_VERBS[name]} its rate {when(event)}{_by_and_to(bank, event)}"
            yield f"{opening(called)} last {changed}."
        called = "it"


def _by_and_to(bank: KnownBank, event: MarketEvent) -> str:
    change, rate = bank.change_claim(event), bank.rate_after(event)
    if change is None or rate is None:
        return ""
    return f", by {figure(change, Form.SIZE)} to {figure(rate)}"


def newest_changes(banks: Sequence[KnownBank], way: int = 0) -> Iterator[str]:
    """When one bank last changed its rate. Of several whose is the newest rise, the newest cut, or
    the one of both that is asked for, then those of the others, and of which days the outcome is
    not known."""
    if len(banks) == 1:
        yield from of_bank(banks[0], (partial(changed_last, way=way),), "")
        return
    for name, each in reversed(_CHANGES.items()):
        if way in (0, each):
            yield from _newest_first(banks, name, each)
    silent = {bank.name: _days_open(bank) for bank in banks}
    told = listed(f"{name} on {listed(days)}" for name, days in silent.items() if days)
    if told:
        yield f"What was decided since by {told} is not known here."


def _days_open(bank: KnownBank) -> list[str]:
    due = (bank.due,) if bank.due else ()
    return [print_full_day(event.event_date) for event in (*bank.silent, *due)]


def _newest_first(banks: Sequence[KnownBank], name: str, way: int) -> Iterator[str]:
    """The last change of each bank in one direction, the newest first."""
    changed = [(bank, event) for bank in banks if (event := bank.changed(way))]
    changed.sort(key=lambda each: each[1].event_date, reverse=True)
    told = [f"{bank.name}, {when(event)}{_by_and_to(bank, event)}" for bank, event in changed]
    if told:
        yield f"The newest known {name} is that of {told[0]}."
    if told[1:]:
        yield f"Before it came the last {name} of {'; of '.join(told[1:])}."
    if without := [bank.name for bank in banks if bank.changed(way) is None]:
        yield f"No {name} of {listed(without)} is known of the days that were looked at."


def from_to(first: date, last: date) -> str:
    """Days as a sentence has them."""
    if first == last:
        return f"on {print_full_day(first)}"
    return f"from {print_full_day(first)} to {print_full_day(last)}"
