"""The sentences on banks' policy rates and government bond yields, today and on other days."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import RATELESS
from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric
from desk.programs.question.builtin.banks.known import MATURITIES, KnownBank, when, when_set
from desk.programs.question.builtin.banks.topics import figure, its, of_bank, of_each, opening
from desk.programs.question.builtin.kinds import AskedSide
from desk.trust.prose import Form

YEAR: Final = timedelta(days=365)


def rate_now(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives a bank's policy rate, and up to which day it is known."""
    if (rate := bank.rate) is not None:
        known = f"as far as is known up to {print_full_day(rate.as_of)}"
        yield f"{its('policy rate', called)} was {figure(rate)}, {known}."
    elif bank.area in RATELESS:
        yield f"{opening(called)} has no policy rate: {RATELESS[bank.area]}."


def rate_and_year_before(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives the rate, and that of a year before."""
    yield from rate_now(bank, called)
    before = bank.rate_by(bank.as_of_day - YEAR)
    if bank.rate is not None and before is not None:
        decided = when_set(before)
        yield f"A year before it was {figure(before)}, by its decision {decided}."


def rate_then(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives the rate on the last of the days that are asked about, and the one today. If not
    everything up to that day is known, gives only the rate that was known before it."""
    last = bank.asked[1]
    then, now = bank.rate_by(last), bank.rate
    if bank.area in RATELESS or (now is not None and now.as_of < last):
        yield from rate_now(bank, called)
        return
    day, whose = print_full_day(last), its("policy rate", called)
    undated = bank.undated_move(last)
    after = bank.rate_after(undated) if undated else None
    if then is not None and undated is not None and after is not None:
        rates = f"{figure(then)} before its decision {when(undated)} and {figure(after)} after it"
        yield f"{whose} was {rates}."
        yield f"The source gives only the month, so which of them held on {day} is not known here."
    elif then is None:
        yield f"{whose} on {day} is not known here."
    else:
        yield f"{whose} was {figure(then)} on {day}, by its decision {when_set(then)}."
    if now is not None and last < bank.as_of_day and now.as_of > last:
        yield from rate_now(bank, "it")


def rate_over(bank: KnownBank, called: str) -> Iterator[str]:
    """Says how far the rate moved over the days that are asked about, and gives the rate before
    them and on the last of them."""
    first, last = bank.asked
    before = bank.rate_by(first - timedelta(days=1)) if first < last else None
    if before is not None:
        moved, whose = bank.in_all(Metric.CHANGE_WITHIN), its("policy rate", called)
        if moved is not None:
            whose = f"{figure(moved, Form.SIGNED)} in all: {whose[0].lower()}{whose[1:]}"
        yield f"{whose} was {figure(before)} on {print_full_day(first)}."
        called = "it"
    yield from rate_then(bank, called)


def yields(bank: KnownBank, called: str) -> Iterator[str]:
    """Gives the yields of its government's bonds."""
    for known in bank.claims.values():
        if known.metric in MATURITIES:
            bonds = f"{MATURITIES[known.metric]} government bonds of {bank.home}"
            yield f"{bonds} yielded {figure(known)} on {print_full_day(known.as_of)}."


def in_order(banks: Sequence[KnownBank], side: AskedSide | None = None) -> Iterator[str]:
    """Lists the rates of several banks, the highest first, or the lowest if that is asked for."""
    rates = [(bank, bank.rate) for bank in banks if bank.rate is not None]
    if len(rates) < 2:
        return
    lowest = side is AskedSide.LOWEST
    ordered = sorted(rates, key=lambda each: each[1].value, reverse=not lowest)
    told = ", ".join(f"{bank.name} {figure(rate)}" for bank, rate in ordered)
    yield f"Policy rates, the {'lowest' if lowest else 'highest'} first: {told}."


def known_until(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Says up to which day the listed rates are known."""
    of_days: dict[str, list[str]] = {}
    for bank in banks:
        if bank.rate is not None:
            of_days.setdefault(print_full_day(bank.rate.as_of), []).append(bank.name)
    for day, names in of_days.items() if len(of_days) == 1 else ():
        yield f"{'The rate is' if len(names) == 1 else 'These rates are'} known up to {day}."
    if len(of_days) > 1:
        told = (
            f"{'that' if len(names) == 1 else 'those'} of {listed(names)} up to {day}"
            for day, names in of_days.items()
        )
        yield f"Known are {listed(told)}."


def rates_of(banks: Sequence[KnownBank], side: AskedSide | None = None) -> Iterator[str]:
    """Lists the rates of several banks; for a single bank says since when its rate holds and what
    it was before."""
    if len(banks) == 1:
        told = [*of_bank(banks[0], (rate_and_year_before,), "")]
        yield from told or [f"No policy rate of {banks[0].name} is known here."]
        return
    ordered = [*in_order(banks, side)]
    yield from ordered
    for bank in banks:
        if bank.rate is None:
            told = [*rate_now(bank, bank.name)]
            yield from told or [f"No policy rate of {bank.name} is known here."]
    yield from known_until(banks) if ordered else of_each(rate_now)([b for b in banks if b.rate])


def all_yields(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Gives the yields of all banks' governments, or says that none are known."""
    told = [*of_each(yields)(banks)]
    homes = listed(bank.home for bank in banks)
    yield from told or [f"No yields of the government bonds of {homes} are known here."]
    yield from in_order(banks)
