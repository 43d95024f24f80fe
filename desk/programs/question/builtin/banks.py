"""What is known of the central banks that a question names: when they decide next, their rates, and
what they decided. What the question is of goes first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import RATELESS, bank_in_a_sentence
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import AREAS
from desk.analytics.names.subjects import AskedSubject, NamedAs
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import EventType, MarketEvent, ResearchResult
from desk.programs.question.builtin.kinds import QuestionKind

NO_PERIOD_OF_A_BANK: Final = "the three years before, as no period was read in the question"
"""What a question about a bank says in place of its days where it names none."""

NOT_KNOWN: Final = "Nothing that is known here answers the question."
YEAR: Final = timedelta(days=365)

DAYS_AHEAD: Final = 2
"""Decision days that are told of a bank."""

_MATURITIES: Final = {Metric.YIELD_2Y: "Two-year", Metric.YIELD_10Y: "Ten-year"}
_CHANGES: Final = {"cut": -1, "rise": 1}
_CODES: Final = {area: code for code, area in AREAS.items()}


DaysAsked = tuple[date, date]
"""The first and the last day that a question names."""


class KnownBank(NamedTuple):
    """A bank as research left it, its events in the order of their days. `past` are the days from
    its last decision on of which no outcome is known, `ahead` those from the as-of day on. `days`
    are the first and the last that the question names."""

    area: str
    as_of_day: date
    claims: Mapping[str, Claim]
    decided: tuple[MarketEvent, ...]
    past: tuple[MarketEvent, ...]
    ahead: tuple[MarketEvent, ...]
    days: DaysAsked | None = None

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return bank_in_a_sentence(self.area)

    @property
    def home(self) -> str:
        """Whose money it is the bank of."""
        return AskedSubject(NamedAs.COUNTRY, _CODES[self.area]).name

    @property
    def rate(self) -> Claim | None:
        """Its policy rate, as far as it is known."""
        return self.claims.get(claim_id(self.area, Metric.POLICY_RATE))

    def changed(self, way: int) -> MarketEvent | None:
        """Its newest decision that moved its rate up, or down."""
        return next((e for e in reversed(self.decided) if self.change(e) * way > 0), None)

    def moved(self, event: MarketEvent) -> bool:
        """Whether a decision moved its rate."""
        return self.change(event) != 0

    def rate_by(self, day: date) -> Claim | None:
        """The rate after its newest decision up to a day; None where none so early is known."""
        before = [event.event_date for event in self.decided if event.event_date <= day]
        name = claim_id(self.area, Metric.DECISION_RATE, before[-1]) if before else ""
        return self.claims.get(name)

    def change(self, event: MarketEvent) -> Decimal:
        """By how many basis points a decision moved its rate."""
        known = self.claims.get(claim_id(self.area, Metric.DECISION_CHANGE, event.event_date))
        return known.value if known else Decimal(0)


def bank_standing(
    results: Sequence[ResearchResult],
    as_of_day: date,
    kind: QuestionKind | None = None,
    days: DaysAsked | None = None,
) -> str:
    """What is known of the banks that were researched, that of a kind of question first; empty
    where a pair was researched. Without a kind the rates of several go first, in their order. Where
    `days` are asked about, what is known of these goes before what is known today."""
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    banks = [_known(area, results, as_of_day)._replace(days=days) for area in areas]
    if not banks:
        return ""
    orders = _ORDERS if days is None else {**_ORDERS, **_ORDERS_OF_DAYS}
    lead, topics = orders.get(kind, orders[None])
    first = [*lead(banks)]
    called = "it" if len(banks) == 1 and any(banks[0].name in each for each in first) else ""
    told = (sentence for bank in banks for sentence in _of_bank(bank, topics, called))
    return " ".join((*first, *told))


def is_known(
    results: Sequence[ResearchResult],
    as_of_day: date,
    kind: QuestionKind | None,
    days: DaysAsked | None = None,
) -> bool:
    """Whether of each bank is known what a kind of question is of."""
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    banks = [_known(area, results, as_of_day) for area in areas]
    return bool(banks) and all(_is_known_of(bank, kind, days) for bank in banks)


class ChangesWithin(NamedTuple):
    """How far the decisions of a bank within some days moved its rate, and whether all are known
    that its calendar has for them."""

    changes: tuple[Decimal, ...]
    all_known: bool


def changes_within(
    results: Sequence[ResearchResult], as_of_day: date, days: DaysAsked
) -> ChangesWithin | None:
    """What the one bank that was researched did within some days; None where it is not one."""
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    if len(areas) != 1:
        return None
    (area,) = areas
    bank = _known(area, results, as_of_day)
    within = [event for event in bank.decided if days[0] <= event.event_date <= days[1]]
    silent = any(days[0] <= event.event_date <= days[1] for event in bank.past)
    covered = bool(bank.decided) and not silent
    return ChangesWithin(tuple(map(bank.change, within)), covered)


def _is_known_of(bank: KnownBank, kind: QuestionKind | None, days: DaysAsked | None) -> bool:
    first, last = days or (date.min, bank.as_of_day)
    within = [event for event in bank.decided if first <= event.event_date <= last]
    if kind is QuestionKind.NEXT:
        return bool(bank.ahead)
    if kind is QuestionKind.RATE:
        return bank.rate_by(last) is not None if days else bank.rate is not None
    if kind is QuestionKind.YIELD:
        return any(claim.metric in _MATURITIES for claim in bank.claims.values())
    if kind is QuestionKind.CHANGED and days is None:
        return any(map(bank.moved, within))
    return kind in (QuestionKind.DECIDED, QuestionKind.CHANGED) and bool(within)


def _known(area: str, results: Iterable[ResearchResult], as_of_day: date) -> KnownBank:
    own = [event for result in results for event in result.events if event.area == area]
    ordered = sorted({e.event_id: e for e in own}.values(), key=lambda event: event.event_date)
    decided = tuple(e for e in ordered if e.event_type is EventType.RATE_DECISION)
    scheduled = [e for e in ordered if e.event_type is EventType.SCHEDULED_DECISION]
    since = decided[-1].event_date if decided else date.min
    return KnownBank(
        area=area,
        as_of_day=as_of_day,
        claims={c.claim_id: c for r in results for c in r.claims if c.subject == area},
        decided=decided,
        past=tuple(e for e in scheduled if since < e.event_date < as_of_day),
        ahead=tuple(e for e in scheduled if e.event_date >= as_of_day),
    )


Topic = Callable[[KnownBank, str], Iterator[str]]
"""The sentences on one thing of a bank, which they call by its name, or `it` behind its name."""

Lead = Callable[[Sequence[KnownBank]], Iterator[str]]
"""The sentences that go first, on all banks."""


def _of_bank(bank: KnownBank, topics: Iterable[Topic], called: str) -> Iterator[str]:
    for topic in topics:
        for sentence in topic(bank, called or bank.name):
            yield sentence
            called = "it"


def _of_each(topic: Topic) -> Lead:
    def told(banks: Sequence[KnownBank]) -> Iterator[str]:
        return (sentence for bank in banks for sentence in _of_bank(bank, (topic,), ""))

    return told


def _its(thing: str, called: str) -> str:
    return f"Its {thing}" if called == "it" else f"The {thing} of {called}"


def _next_day(bank: KnownBank, called: str) -> Iterator[str]:
    if not bank.ahead:
        yield f"No later decision day of {called} is known here."
        return
    first, *then = (print_full_day(event.event_date) for event in bank.ahead[:DAYS_AHEAD])
    later = f", and then on {then[0]}" if then else ""
    if bank.ahead[0].event_date == bank.as_of_day:
        first, later = f"on {first}, the day of this answer", later.replace("and then", "and next")
        yield f"By its calendar {called} decides {first}{later}."
    else:
        yield f"By its calendar {called} decides next on {first}{later}."


def _rate(bank: KnownBank, called: str) -> Iterator[str]:
    if (rate := bank.rate) is not None:
        known = f"as far as is known up to {print_full_day(rate.as_of)}"
        yield f"{_its('policy rate', called)} was [[{rate.claim_id}]], {known}."
    elif bank.area in RATELESS:
        subject = f"{called[0].upper()}{called[1:]}"
        yield f"{subject} has no policy rate: {RATELESS[bank.area]}."


def _rate_before(bank: KnownBank, called: str) -> Iterator[str]:
    """The rate, and what it was a year before."""
    yield from _rate(bank, called)
    before = bank.rate_by(bank.as_of_day - YEAR)
    if bank.rate is not None and before is not None:
        day = print_full_day(before.as_of)
        yield f"A year before, after the decision of {day}, it was [[{before.claim_id}]]."


def _yields(bank: KnownBank, called: str) -> Iterator[str]:
    for known in bank.claims.values():
        if known.metric in _MATURITIES:
            bonds = f"{_MATURITIES[known.metric]} government bonds of {bank.home}"
            yield f"{bonds} yielded [[{known.claim_id}]] on {print_full_day(known.as_of)}."


def _decided(bank: KnownBank, called: str) -> Iterator[str]:
    """Its newest decision, and the days since then whose outcome is not known."""
    for newest in bank.decided[-1:]:
        day = print_full_day(newest.event_date)
        subject = f"{called[0].upper()}{called[1:]}"
        yield f"{subject} decided last, as far as is known, on {day}: {newest.description}"
    for event in bank.past:
        yield event.description
    if not bank.decided:
        whose = "it" if bank.past else called
        yield f"No decision of {whose} is known of the days that were looked at."


def _decided_within(bank: KnownBank, called: str) -> Iterator[str]:
    """What it decided in the days that are asked about: its changes, the days on which it left the
    rate as it was, and those without a known outcome."""
    first, last = bank.days or (bank.as_of_day, bank.as_of_day)
    within = [event for event in bank.decided if first <= event.event_date <= last]
    silent = [event for event in bank.past if first <= event.event_date <= last]
    told = within if len(within) == 1 else [event for event in within if bank.moved(event)]
    if within:
        days = _from_to(first, last)
        yield f"The decisions of {called} {days}, as far as they are known:"
    else:
        yield f"No decision of {called} {_from_to(first, last)} is known."
    for event in told:
        yield f"{print_full_day(event.event_date)}: {event.description}"
    yield from (event.description for event in silent)
    if held := [print_full_day(event.event_date) for event in within if event not in told]:
        yield f"It left its rate as it was on {listed(held)}."


def _from_to(first: date, last: date) -> str:
    if first == last:
        return f"on {print_full_day(first)}"
    return f"from {print_full_day(first)} to {print_full_day(last)}"


def _rate_then(bank: KnownBank, called: str) -> Iterator[str]:
    """Its rate on the last of the days that are asked about, and the one today. Of a day up to
    which not all is known there is only what was known before it."""
    last = bank.days[1] if bank.days else bank.as_of_day
    then, now = bank.rate_by(last), bank.rate
    if bank.area in RATELESS or (now is not None and now.as_of < last):
        yield from _rate(bank, called)
        return
    day, its = print_full_day(last), _its("policy rate", called)
    if then is None:
        yield f"{its} on {day} is not known here."
    else:
        decided = print_full_day(then.as_of)
        yield f"{its} was [[{then.claim_id}]] on {day}, by the decision of {decided}."
    if now is not None and last < bank.as_of_day and now.as_of > last:
        yield from _rate(bank, "it")


def _decided_if_within(bank: KnownBank, called: str) -> Iterator[str]:
    """The same where there are some, or where the rate is not known: that a bank decided nothing
    on a day is not told to who asks what its rate was."""
    first, last = bank.days or (bank.as_of_day, bank.as_of_day)
    some = any(first <= event.event_date <= last for event in (*bank.decided, *bank.past))
    if some or bank.rate_by(last) is None:
        yield from _decided_within(bank, called)


def _rate_over(bank: KnownBank, called: str) -> Iterator[str]:
    """Its rate before the days that are asked about where they go on until now, and its rate on
    the last of them."""
    first, last = bank.days or (bank.as_of_day, bank.as_of_day)
    before = bank.rate_by(first) if first < last and last >= bank.as_of_day else None
    if before is not None:
        day, its = print_full_day(first), _its("policy rate", called)
        yield f"{its} was [[{before.claim_id}]] on {day}."
        called = "it"
    yield from _rate_then(bank, called)


def _next_if_now(bank: KnownBank, called: str) -> Iterator[str]:
    """Its next day, where the days that are asked about go on until now."""
    if bank.days and bank.days[1] >= bank.as_of_day:
        yield from _next_day(bank, called)


def _changed(bank: KnownBank, called: str) -> Iterator[str]:
    """Its last cut and its last rise, the newer one first."""
    known = {name: bank.changed(way) for name, way in _CHANGES.items()}
    dated = [(event.event_date, name, event) for name, event in known.items() if event]
    for day, name, event in sorted(dated, reverse=True):
        last, when = _its(f"last {name}", called), print_full_day(day)
        yield f"{last} is known of {when}: {event.description}"
        called = "it"
    none = " and no ".join(name for name, event in known.items() if event is None)
    if none:
        yield f"No {none} of {called} is known of the days that were looked at."


def _next_first(banks: Sequence[KnownBank]) -> Iterator[str]:
    """The next decision days, the earliest first."""
    ahead = sorted((b for b in banks if b.ahead), key=lambda bank: bank.ahead[0].event_date)
    if len(ahead) < 2:
        yield from _of_each(_next_day)(banks)
        return
    told = ", ".join(f"{b.name} on {print_full_day(b.ahead[0].event_date)}" for b in ahead)
    yield f"The next decision days by the banks' calendars, the earliest first: {told}."
    for bank in banks:
        if not bank.ahead:
            yield from _next_day(bank, bank.name)


def _highest_first(banks: Sequence[KnownBank]) -> Iterator[str]:
    """The rates of several banks, in their order."""
    rates = [(bank, bank.rate) for bank in banks if bank.rate is not None]
    if len(rates) < 2:
        return
    ordered = sorted(rates, key=lambda each: -each[1].value)
    told = ", ".join(f"{bank.name} [[{rate.claim_id}]]" for bank, rate in ordered)
    yield f"Policy rates, the highest first: {told}."


def _rates(banks: Sequence[KnownBank]) -> Iterator[str]:
    """The rates of several in their order, and then of each since when and what it was before."""
    yield from _highest_first(banks)
    for bank in banks:
        told = [*_of_bank(bank, (_rate_before,), "")]
        yield from told or [f"No policy rate of {bank.name} is known here."]


def _all_yields(banks: Sequence[KnownBank]) -> Iterator[str]:
    told = [*_of_each(_yields)(banks)]
    homes = listed(bank.home for bank in banks)
    yield from told or [f"No yields of the government bonds of {homes} are known here."]
    yield from _highest_first(banks)


def _not_known(banks: Sequence[KnownBank]) -> Iterator[str]:
    yield f"{NOT_KNOWN} Of {listed(bank.name for bank in banks)} this is known."


def _not_decided(banks: Sequence[KnownBank]) -> Iterator[str]:
    """That no fact says what a bank will do, and when it decides that."""
    yield f"What {listed(bank.name for bank in banks)} will decide is not known here."
    yield from _next_first(banks)


def _newest_changes(banks: Sequence[KnownBank]) -> Iterator[str]:
    """Whose is the newest rise and whose the newest cut among several, then those of each."""
    told = []
    for name, way in reversed(_CHANGES.items()) if len(banks) > 1 else ():
        known = [(event.event_date, bank.name) for bank in banks if (event := bank.changed(way))]
        if known:
            day, whose = max(known)
            told.append(f"the newest known {name} is that of {whose}, on {print_full_day(day)}")
    if told:
        yield f"Among them {listed(told)}."
    yield from _of_each(_changed)(banks)


_ORDERS: Final[Mapping[QuestionKind | None, tuple[Lead, tuple[Topic, ...]]]] = {
    None: (_highest_first, (_rate, _yields, _decided, _next_day)),
    QuestionKind.NEXT: (_next_first, (_rate, _decided)),
    QuestionKind.DECIDED: (_of_each(_decided), (_rate, _next_day)),
    QuestionKind.CHANGED: (_newest_changes, (_rate, _decided, _next_day)),
    QuestionKind.RATE: (_rates, (_decided, _next_day, _yields)),
    QuestionKind.YIELD: (_all_yields, (_rate, _decided, _next_day)),
    QuestionKind.AHEAD: (_not_decided, (_rate, _decided)),
    QuestionKind.OTHER: (_not_known, (_rate, _decided, _next_day)),
}
"""What goes first by the kind of a question, and what is told of each bank after it."""

_ORDERS_OF_DAYS: Final[Mapping[QuestionKind | None, tuple[Lead, tuple[Topic, ...]]]] = {
    None: (_of_each(_rate_over), (_decided_if_within, _next_if_now)),
    QuestionKind.DECIDED: (_of_each(_decided_within), (_rate_then, _next_if_now)),
    QuestionKind.CHANGED: (_of_each(_decided_within), (_rate_then, _next_if_now)),
    QuestionKind.RATE: (_of_each(_rate_over), (_decided_if_within, _next_if_now)),
    QuestionKind.OTHER: (_not_known, (_decided_within, _rate_then, _next_if_now)),
}
"""The same where the question names days."""
