"""The sentences on the banks that a question names, in order: the fact that the question asks for
comes first."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.listing import listed
from desk.contracts.agents.tasks import DaysAsked
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.banks.decisions import (
    decided_before_today,
    decided_if_within,
    decided_last,
    decided_within,
    due_today,
    from_to,
    in_sums,
    newest_changes,
)
from desk.programs.question.builtin.banks.known import DAYS_AHEAD, KnownBank, known_banks, when
from desk.programs.question.builtin.banks.rates import (
    YEAR,
    all_yields,
    in_order,
    known_until,
    rate_now,
    rate_over,
    rate_then,
    rates_of,
    yields,
)
from desk.programs.question.builtin.banks.topics import Lead, Topic, of_bank, of_each
from desk.programs.question.builtin.kinds import AskedSide, QuestionKind

__all__ = ["NOT_KNOWN", "YEAR", "bank_sentences", "decisions_looked_at"]

NOT_KNOWN: Final = "Nothing that is known here answers the question."


MOST_WITH_RATES: Final = 3
"""The maximum number of banks whose rates are added."""


def bank_sentences(
    results: Sequence[ResearchResult],
    as_of_day: date,
    kind: QuestionKind | None = None,
    days: DaysAsked | None = None,
    verdict: str = "",
    side: AskedSide | None = None,
    *,
    besides: bool = True,
    days_ahead: int = DAYS_AHEAD,
) -> tuple[str, ...]:
    """Describes what is known about the banks that were researched, the facts for a kind of
    question first; empty if a pair was researched. Without a kind the rates of several banks come
    first, in order. If `days` are asked about, the facts on these come before those of today. For
    several banks only their rates are added, and for many not even these. A `verdict` comes before
    everything; if it contains today's rates, only the day up to which they are known is added.
    Among several banks and changes, the `side` that is asked for comes first. Without `besides`,
    only what is asked for is included. `days_ahead` is how many of its next days are given."""
    of_it = known_banks(results, as_of_day, days)
    banks = [bank._replace(days_ahead=max(days_ahead, DAYS_AHEAD)) for bank in of_it]
    if not banks:
        return (verdict,) if verdict else ()
    orders = _ORDERS if days is None else {**_ORDERS, **_ORDERS_OF_DAYS}
    lead, topics = orders.get(kind, orders[None])
    if verdict and kind is QuestionKind.RATE and days is None:
        lead = known_until
    if lead in _BY_SIDE:
        lead = partial(lead, side=side)
    if len(banks) > 1:
        alone = kind in _TOLD_WITHOUT_RATES or len(banks) > MOST_WITH_RATES
        topics = () if alone else (rate_now,)
    topics = topics if besides else ()
    first = [*lead(banks)]
    called = "it" if len(banks) == 1 and any(banks[0].name in each for each in first) else ""
    told = (sentence for bank in banks for sentence in of_bank(bank, topics, called))
    return tuple(filter(None, (verdict, *first, *told)))


def decisions_looked_at(first: date, last: date) -> str:
    """Says between which days decisions were looked for, if the question names no days."""
    return f"Decisions from {print_full_day(first)} to {print_full_day(last)} were looked at."


def _next_day(bank: KnownBank, called: str) -> Iterator[str]:
    if bank.due is not None:
        yield due_today(bank)
        if bank.ahead:
            yield f"After that it decides on {print_full_day(bank.ahead[0].event_date)}."
        return
    if not bank.ahead:
        yield f"No later decision day of {called} is known here."
        return
    first, *then = (print_full_day(event.event_date) for event in bank.ahead[: bank.days_ahead])
    later = f", and then on {listed(then)}" if then else ""
    yield f"By its calendar {called} decides next on {first}{later}."
    if len(bank.ahead) < bank.days_ahead and bank.days_ahead > DAYS_AHEAD:
        yield "No later day is known here."


def _day_after(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives its next day; after today, if a decision is due today."""
    if bank.due is None or bank.ahead:
        yield from _next_day(bank._replace(due=None), called)


def _next_if_now(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives its next day, if the days that are asked about reach up to now."""
    if bank.days and bank.days[1] >= bank.as_of_day:
        yield from _day_after(bank, called)


def _next_first(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Lists the next decision days, the earliest first."""
    ahead = sorted((b for b in banks if b.ahead), key=lambda bank: bank.ahead[0].event_date)
    if len(banks) < 2:
        yield from of_each(_next_day)(banks)
        return
    yield from (due_today(bank) for bank in banks if bank.due is not None)
    if ahead:
        told = ", ".join(f"{b.name} on {print_full_day(b.ahead[0].event_date)}" for b in ahead)
        yield f"The next decision days by the banks' calendars, the earliest first: {told}."
    yield from _no_later_day([bank for bank in banks if not bank.ahead])


def _no_later_day(banks: Sequence[KnownBank]) -> Iterator[str]:
    if banks:
        yield f"No later decision day of {listed(bank.name for bank in banks)} is known here."


def _coming(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Lists the decision days of the calendar that the question names, including past ones, and the
    banks whose calendars do not reach that far."""
    meetings = [(event, bank.name) for bank in banks for event in bank.meetings]
    meetings.sort(key=lambda each: each[0].event_date)
    days, names = from_to(*banks[0].asked), listed(bank.name for bank in banks)
    if meetings:
        told = ", ".join(f"{name} {when(event)}" for event, name in meetings)
        yield f"Decision days {days} by the banks' calendars: {told}."
    else:
        yield f"No decision day of {names} {days} is known here."
    last = banks[0].asked[1]
    short = [bank for bank in banks if not any(each.event_date > last for each in bank.ahead)]
    yield from _no_later_day([bank for bank in short if not bank.meetings])


def _not_known(banks: Sequence[KnownBank]) -> Iterator[str]:
    yield f"{NOT_KNOWN} Of {listed(bank.name for bank in banks)} this is known."


def _not_decided(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Says when a bank decides next, if known, and that the outcome is unknown."""
    dated = any(bank.ahead or bank.due for bank in banks)
    named = listed(bank.name for bank in banks)
    called = named if not dated else "it" if len(banks) == 1 else "they"
    unknown = f"What {called} will decide is not known here, nor what markets expect."
    yield from (*_next_first(banks), unknown) if dated else (unknown, *_next_first(banks))


def _decided_by(banks: Sequence[KnownBank], side: AskedSide | None = None) -> Iterator[str]:
    """Describes the decisions of one bank in the days that are asked about, or sums up those of
    several."""
    return of_each(decided_within)(banks) if len(banks) == 1 else in_sums(banks, side)


_BY_SIDE: Final = frozenset({newest_changes, rates_of, _decided_by})
"""The leads whose order depends on the side that a question asks for."""


_TOLD_WITHOUT_RATES: Final = frozenset({QuestionKind.RATE, QuestionKind.YIELD, None})
"""The kinds of question for which the rates of several banks are not added: they already contain
them, or do not need them."""

_ORDERS: Final[Mapping[QuestionKind | None, tuple[Lead, tuple[Topic, ...]]]] = {
    None: (in_order, (rate_now, yields, decided_last, _day_after)),
    QuestionKind.NEXT: (_next_first, (rate_now, decided_before_today)),
    QuestionKind.DECIDED: (of_each(decided_last), (rate_now, _day_after)),
    QuestionKind.CHANGED: (newest_changes, (rate_now, decided_last, _day_after)),
    QuestionKind.RATE: (rates_of, (decided_last, _day_after, yields)),
    QuestionKind.YIELD: (all_yields, (rate_now, decided_last, _day_after)),
    QuestionKind.AHEAD: (_not_decided, (rate_now, decided_before_today)),
    QuestionKind.MEANING: (_not_known, (rate_now, decided_last, _day_after)),
    QuestionKind.OTHER: (_not_known, (rate_now, decided_last, _day_after)),
}
"""The first sentences by kind of question, and the topics on a single bank after them."""

_ORDERS_OF_DAYS: Final[Mapping[QuestionKind | None, tuple[Lead, tuple[Topic, ...]]]] = {
    None: (of_each(rate_over), (decided_if_within, _next_if_now)),
    QuestionKind.NEXT: (_coming, (_day_after, rate_now, decided_before_today)),
    QuestionKind.DECIDED: (_decided_by, (rate_then, _next_if_now)),
    QuestionKind.CHANGED: (_decided_by, (rate_then, _next_if_now)),
    QuestionKind.RATE: (of_each(rate_over), (decided_if_within, _next_if_now)),
    QuestionKind.MEANING: (_not_known, (decided_within, rate_then, _next_if_now)),
    QuestionKind.OTHER: (_not_known, (decided_within, rate_then, _next_if_now)),
}
"""The same for questions that name days."""
