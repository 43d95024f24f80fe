"""The sentences on banks' decisions: the last ones, and those on the days that a question names."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import MarketEvent, OutcomeMissing, RateInstrument
from desk.programs.builtin.rate_decisions import OUTCOMES, what_was_decided
from desk.programs.question.builtin.banks.known import KnownBank, when
from desk.programs.question.builtin.banks.topics import figure, of_bank, opening
from desk.programs.question.builtin.kinds import NOT_DONE, AskedSide
from desk.trust.prose import Form

_CHANGES: Final = {"cut": -1, "rise": 1}
_VERBS: Final = {"cut": "cut", "rise": "raised"}
_SIDES: Final = {"cut": AskedSide.CUT, "rise": AskedSide.RAISED}
_DONE: Final = {
    AskedSide.RAISED: "raised",
    AskedSide.CUT: "cut",
    AskedSide.MOVED: "moved",
    AskedSide.HELD: "left as they were",
    AskedSide.NOT_RAISED: "not raised",
    AskedSide.NOT_CUT: "not cut",
}


def decided_last(bank: KnownBank, called: str) -> Iterator[str]:
    """Describes a bank's newest decision, and the days since then whose outcome is unknown."""
    for newest in bank.decided[-1:]:
        decided = f"{opening(called)} decided last, as far as is known, {when(newest)}"
        yield f"{decided}: it {_decided(bank, newest)}"
    yield from outcomes_open(bank, "it" if bank.decided else called)
    if not bank.decided:
        whose = "it" if bank.past else called
        yield f"No decision of {whose} is known of the days that were looked at."


def decided_before_today(bank: KnownBank, called: str) -> Iterator[str]:
    """Describes the same if an earlier sentence already says that a decision is due today."""
    return decided_last(bank._replace(due=None), called)


def outcomes_open(bank: KnownBank, called: str) -> Iterator[str]:
    """Names the days without a known outcome: those that the question names, or all since the last
    decision."""
    days: dict[str, list[str]] = {}
    for event in bank.silent:
        days.setdefault(missing_outcome_words(event), []).append(print_full_day(event.event_date))
    for outcome, of in days.items():
        yield f"{opening(called)} was scheduled to decide on {listed(of)}. {outcome}"
    if bank.due is not None and bank.is_asked(bank.due):
        yield due_today(bank)


def missing_outcome_words(event: MarketEvent) -> str:
    """Says why the decision of a past day is unknown. Events of earlier versions do not give a
    reason."""
    return OUTCOMES[event.outcome or OutcomeMissing.NOT_IN_SOURCE]


def _decided(bank: KnownBank, event: MarketEvent) -> str:
    """Describes a decision, to follow the bank's name. Uses the event's description if its claims
    are unknown."""
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
    """Says that the bank decides on the day of the answer: the outcome may already be public."""
    day = print_full_day(bank.as_of_day)
    return f"A decision of {bank.name} is due today, {day}; its outcome is not in the source yet."


def decided_within(bank: KnownBank, called: str) -> Iterator[str]:
    """Describes the decisions in the days that are asked about: how often the bank moved its rate
    and to where each time, and the days without a known outcome."""
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
    """Says how often a bank cut and raised its rate, the more frequent first, and by how much in
    all. Omits the total after sentences that already give its rates."""
    counts = [bank.in_all(metric) for metric in (Metric.CUTS_WITHIN, Metric.RISES_WITHIN)]
    known = sorted(filter(None, counts), key=lambda claim: -claim.value)
    change = bank.in_all(Metric.CHANGE_WITHIN)
    in_all = f", {figure(change, Form.SIGNED)} in all" if change and called != "it" else ""
    told = listed(map(figure, known)) or "The changes"
    return f"{told} by {called} {from_to(*bank.asked)}{in_all}"


def _step(bank: KnownBank, event: MarketEvent) -> str:
    rate = bank.rate_after(event)
    return f"to {figure(rate)} {when(event)}" if rate else when(event)


def did(side: AskedSide, changes: Iterable[Decimal]) -> bool:
    """Returns whether decisions with these changes amount to what is asked for."""
    if side in (AskedSide.RAISED, AskedSide.NOT_RAISED):
        return any(change > 0 for change in changes) is (side is AskedSide.RAISED)
    if side in (AskedSide.CUT, AskedSide.NOT_CUT):
        return any(change < 0 for change in changes) is (side is AskedSide.CUT)
    return any(changes) is (side is AskedSide.MOVED)


def which_did(banks: Sequence[KnownBank], side: AskedSide) -> Iterator[str]:
    """Says which of several banks did what is asked for in the days that are asked about, which did
    not, and for which days and banks that is unknown."""
    known = [bank for bank in banks if bank.within]
    those = [bank for bank in known if did(side, map(bank.change, bank.within))]
    days = from_to(*banks[0].asked)
    if those:
        yield f"Rates were {_DONE[side]} {days} by {listed(_with_count(b, side) for b in those)}."
    elif known:
        yield f"No rates were {_DONE[side]} {days}, as far as is known."
    if those and (others := [bank.name for bank in known if bank not in those]):
        they = "They were" if side in NOT_DONE else "Not"
        yield f"{they} by {listed(others)}, as far as is known."
    yield from _not_told(banks)
    if idle := [bank.name for bank in banks if not bank.meetings]:
        yield f"No decision of {listed(idle)} {days} is known."


def _with_count(bank: KnownBank, side: AskedSide) -> str:
    """Returns a bank's name with how often it moved its rate, in either direction, and how far in
    all; or with how often it decided."""
    of_it = (Metric.RISES_WITHIN, Metric.CUTS_WITHIN)
    counted = (Metric.DECISIONS_WITHIN,) if side is AskedSide.HELD else of_it
    known = (claim for metric in counted if (claim := bank.in_all(metric)) and claim.value)
    change = bank.in_all(Metric.CHANGE_WITHIN)
    in_all = f", {figure(change, Form.SIGNED)} in all" if change and change.value else ""
    told = f"{listed(map(figure, known))}{in_all}"
    return f"{bank.name} ({told})" if told else bank.name


def in_sums(banks: Sequence[KnownBank], side: AskedSide | None = None) -> Iterator[str]:
    """Describes what several banks did in the days that are asked about: which of them did what is
    asked for, or without a side one sentence on each, and one on those without a decision day."""
    if side is not None:
        yield from which_did(banks, side)
        return
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
    """Describes the same if there are decisions, or if the rate is unknown. A question about the
    rate on a day is not told that a bank decided nothing on it."""
    due = bank.due is not None and bank.is_asked(bank.due)
    if bank.within or bank.silent or due or bank.rate_by(bank.asked[1]) is None:
        yield from decided_within(bank, called)


def changed_last(bank: KnownBank, called: str, side: AskedSide | None = None) -> Iterator[str]:
    """Describes a bank's last cut and its last rise, or that there was none: the newer one first,
    or the one that is asked for."""
    last = {name: bank.changed(each) for name, each in _CHANGES.items()}

    def first(name: str) -> tuple[bool, date]:
        event = last[name]
        return _SIDES[name] is side, event.event_date if event else date.min

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


def newest_changes(banks: Sequence[KnownBank], side: AskedSide | None = None) -> Iterator[str]:
    """Says when one bank last changed its rate. For several banks says which has the newest rise,
    the newest cut, or the one of both that is asked for, then those of the others, and for which
    days the outcome is unknown."""
    if len(banks) == 1:
        yield from of_bank(banks[0], (partial(changed_last, side=side),), "")
        return
    for name, each in reversed(_CHANGES.items()):
        if side is _SIDES[name] or side not in _SIDES.values():
            yield from _newest_first(banks, name, each)
    yield from _not_told(banks)


def _not_told(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Names the days with a decision whose outcome is unknown."""
    silent = {b.name: [print_full_day(event.event_date) for event in b.open] for b in banks}
    if told := listed(f"{name} on {listed(days)}" for name, days in silent.items() if days):
        yield f"What was decided by {told} is not known here."


def _newest_first(banks: Sequence[KnownBank], name: str, way: int) -> Iterator[str]:
    """Lists the last change of each bank in one direction, the newest first."""
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
    """Returns the words for some days in a sentence."""
    if first == last:
        return f"on {print_full_day(first)}"
    return f"from {print_full_day(first)} to {print_full_day(last)}"
