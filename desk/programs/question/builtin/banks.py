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

NO_PERIOD_OF_A_BANK: Final = "the thirteen months before, as no period was read in the question"
"""What a question about a bank says in place of its days where it names none."""

NOT_KNOWN: Final = "Nothing that is known here answers the question."
YEAR: Final = timedelta(days=365)

DAYS_AHEAD: Final = 2
"""Decision days that are told of a bank."""

_MATURITIES: Final = {Metric.YIELD_2Y: "Two-year", Metric.YIELD_10Y: "Ten-year"}
_CHANGES: Final = {"cut": -1, "rise": 1}
_CODES: Final = {area: code for code, area in AREAS.items()}


class KnownBank(NamedTuple):
    """A bank as research left it, its events in the order of their days. `past` are the days from
    its last decision on of which no outcome is known, `ahead` those from the as-of day on."""

    area: str
    as_of_day: date
    claims: Mapping[str, Claim]
    decided: tuple[MarketEvent, ...]
    past: tuple[MarketEvent, ...]
    ahead: tuple[MarketEvent, ...]

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
        return next((e for e in reversed(self.decided) if self._change(e) * way > 0), None)

    def rate_by(self, day: date) -> Claim | None:
        """The rate after its newest decision up to a day; None where none so early is known."""
        before = [event.event_date for event in self.decided if event.event_date <= day]
        name = claim_id(self.area, Metric.DECISION_RATE, before[-1]) if before else ""
        return self.claims.get(name)

    def _change(self, event: MarketEvent) -> Decimal:
        known = self.claims.get(claim_id(self.area, Metric.DECISION_CHANGE, event.event_date))
        return known.value if known else Decimal(0)


def bank_standing(
    results: Sequence[ResearchResult], as_of_day: date, kind: QuestionKind | None = None
) -> str:
    """What is known of the banks that were researched, that of a kind of question first; empty
    where a pair was researched. Without a kind the rates of several go first, in their order."""
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    banks = [_known(area, results, as_of_day) for area in areas]
    if not banks:
        return ""
    lead, topics = _ORDERS.get(kind, _ORDERS[None])
    first = [*lead(banks)]
    called = "it" if len(banks) == 1 and any(banks[0].name in each for each in first) else ""
    told = (sentence for bank in banks for sentence in _of_bank(bank, topics, called))
    return " ".join((*first, *told))


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


_ORDERS: Final[Mapping[QuestionKind | None, tuple[Lead, tuple[Topic, ...]]]] = {
    None: (_highest_first, (_next_day, _rate, _yields, _decided)),
    QuestionKind.NEXT: (_next_first, (_rate, _decided)),
    QuestionKind.DECIDED: (_of_each(_decided), (_rate, _next_day)),
    QuestionKind.CHANGED: (_of_each(_changed), (_rate, _decided, _next_day)),
    QuestionKind.RATE: (_rates, (_decided, _next_day, _yields)),
    QuestionKind.YIELD: (_all_yields, (_rate, _decided, _next_day)),
    QuestionKind.OTHER: (_not_known, (_rate, _decided, _next_day)),
}
"""What goes first by the kind of a question, and what is told of each bank after it."""
