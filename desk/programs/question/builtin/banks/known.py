"""The central banks that a question is about, with the results of research on them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.figures import print_known_day
from desk.analytics.names.central_banks import CENTRAL_BANKS, RATELESS, bank_in_a_sentence
from desk.analytics.names.markets import AREAS
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import AskedSubject
from desk.contracts.agents.tasks import DaysAsked
from desk.contracts.findings.claims import Claim, Metric, claim_id, span_id
from desk.contracts.findings.results import EventType, MarketEvent, ResearchResult
from desk.contracts.findings.source_results import DatePrecision
from desk.programs.question.builtin.kinds import QuestionKind
from desk.trust.claims.rate_claims import IN_A_ROW

MATURITIES: Final = {Metric.YIELD_2Y: "Two-year", Metric.YIELD_10Y: "Ten-year"}
DAYS_AHEAD: Final = 2
"""The number of next decision days that are given for a bank if no number is asked for."""

_CODES: Final = {area: code for code, area in AREAS.items()}


class KnownBank(NamedTuple):
    """A bank with the results of research, its events in the order of their days. `past` are the
    days since its last decision whose outcome is unknown, `due` is the as-of day if the bank
    decides on it, and `ahead` the days after it. `days` are the first and the last day that the
    question names. `days_ahead` is how many of its next days are asked for.
    """

    area: str
    as_of_day: date
    claims: Mapping[str, Claim]
    decided: tuple[MarketEvent, ...]
    past: tuple[MarketEvent, ...]
    due: MarketEvent | None
    ahead: tuple[MarketEvent, ...]
    days: DaysAsked | None = None
    days_ahead: int = DAYS_AHEAD

    @property
    def name(self) -> str:
        """Its name in a sentence."""
        return bank_in_a_sentence(self.area)

    @property
    def full_name(self) -> str:
        """Its name in a table."""
        known = CENTRAL_BANKS.get(self.area)
        return known.name if known else self.area

    @property
    def home(self) -> str:
        """The country or area of its currency."""
        return AskedSubject(NamedAs.COUNTRY, _CODES[self.area]).name

    @property
    def rate(self) -> Claim | None:
        """Its policy rate; None if unknown."""
        return self.claims.get(claim_id(self.area, Metric.POLICY_RATE))

    @property
    def asked(self) -> DaysAsked:
        """The days that the question names, or else the as-of day."""
        return self.days or (self.as_of_day, self.as_of_day)

    @property
    def within(self) -> tuple[MarketEvent, ...]:
        """Its decisions on the days that the question names; all decisions if it names none."""
        return tuple(event for event in self.decided if self.is_asked(event))

    @property
    def silent(self) -> tuple[MarketEvent, ...]:
        """Its past days without an outcome, among those that the question names."""
        return tuple(event for event in self.past if self.is_asked(event))

    @property
    def open(self) -> tuple[MarketEvent, ...]:
        """Its days up to now without a known outcome, among those that the question names."""
        due = (self.due,) if self.due is not None and self.is_asked(self.due) else ()
        return (*self.silent, *due)

    @property
    def next_day(self) -> date | None:
        """The day of its next decision, including today."""
        coming = (*filter(None, (self.due,)), *self.ahead)
        return coming[0].event_date if coming else None

    @property
    def meetings(self) -> tuple[MarketEvent, ...]:
        """Its decision days that the question names, past and future, in order."""
        due = (self.due,) if self.due is not None else ()
        return tuple(filter(self.is_asked, (*self.decided, *self.past, *due, *self.ahead)))

    def is_asked(self, event: MarketEvent) -> bool:
        """Returns whether an event is on the days that the question names; True if it names
        none."""
        return self.days is None or self.days[0] <= event.event_date <= self.days[1]

    def changed(self, way: int) -> MarketEvent | None:
        """Returns its newest decision that moved its rate up (positive `way`) or down."""
        return next((e for e in reversed(self.decided) if self.change(e) * way > 0), None)

    def moved(self, event: MarketEvent) -> bool:
        """Returns whether a decision moved its rate."""
        return self.change(event) != 0

    def rate_by(self, day: date) -> Claim | None:
        """Returns the rate after its newest decision up to a day; None if no decision that early is
        known."""
        before = [event for event in self.decided if event.event_date <= day]
        return self.rate_after(before[-1]) if before else None

    def undated_move(self, day: date) -> MarketEvent | None:
        """Returns the decision that moved its rate in the month of a day, if only the month of it
        is known: it may have come before the day or after it."""
        of_the_month = (e for e in self.decided if e.precision is DatePrecision.MONTH)
        within = (
            e
            for e in of_the_month
            if (e.event_date.year, e.event_date.month) == (day.year, day.month)
        )
        return next((e for e in within if day < e.event_date and self.moved(e)), None)

    def rate_after(self, event: MarketEvent) -> Claim | None:
        """Returns the rate after a decision."""
        return self.claims.get(claim_id(self.area, Metric.DECISION_RATE, event.event_date))

    def change(self, event: MarketEvent) -> Decimal:
        """Returns by how many basis points a decision moved its rate."""
        known = self.change_claim(event)
        return known.value if known else Decimal(0)

    def change_claim(self, event: MarketEvent) -> Claim | None:
        """Returns the claim of that change."""
        return self.claims.get(claim_id(self.area, Metric.DECISION_CHANGE, event.event_date))

    def in_a_row(self, event: MarketEvent) -> Claim | None:
        """Returns the claim that counts how many times in a row it decided the same, if known."""
        known = filter(None, map(self.claims.get, event.claims))
        return next((claim for claim in known if claim.metric in IN_A_ROW.values()), None)

    def in_all(self, metric: Metric) -> Claim | None:
        """Returns a total over its decisions on the days that the question names, or over all days
        that were looked at."""
        if self.days is not None:
            return self.claims.get(span_id(self.area, metric, *self.days))
        return next((claim for claim in self.claims.values() if claim.metric is metric), None)


def known_banks(
    results: Iterable[ResearchResult], as_of_day: date, days: DaysAsked | None = None
) -> list[KnownBank]:
    """Returns the banks that were researched, in order; none if only pairs were."""
    results = tuple(results)
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    return [known_bank(area, results, as_of_day, days) for area in areas]


def known_bank(
    area: str, results: Iterable[ResearchResult], as_of_day: date, days: DaysAsked | None = None
) -> KnownBank:
    """Builds the bank of an area from the results of research."""
    results = tuple(results)
    own = [event for result in results for event in result.events if event.area == area]
    # Research on a pair has events of its banks as well.
    once = {(event.event_type, event.event_date): event for event in own}
    ordered = sorted(once.values(), key=lambda event: event.event_date)
    decided = tuple(e for e in ordered if e.event_type is EventType.RATE_DECISION)
    scheduled = [e for e in ordered if e.event_type is EventType.SCHEDULED_DECISION]
    since = decided[-1].event_date if decided else date.min
    return KnownBank(
        area=area,
        as_of_day=as_of_day,
        claims={c.claim_id: c for r in results for c in r.claims if c.subject == area},
        decided=decided,
        past=tuple(e for e in scheduled if since < e.event_date < as_of_day),
        due=next((e for e in scheduled if e.event_date == as_of_day), None),
        ahead=tuple(e for e in scheduled if e.event_date > as_of_day),
        days=days,
    )


def is_known(
    results: Sequence[ResearchResult],
    as_of_day: date,
    kind: QuestionKind | None,
    days: DaysAsked | None = None,
    *,
    together: bool = False,
) -> bool:
    """Returns whether the facts for a kind of question are known for each bank. If several banks
    are asked which changed its rate last, or which decide on some days, one known bank is enough.
    So it is for banks that are asked about `together` whether they changed their rates."""
    banks = known_banks(results, as_of_day, days)
    known = [_is_known_of(bank, kind) for bank in banks]
    of_any = kind is (QuestionKind.CHANGED if days is None else QuestionKind.NEXT)
    of_any |= together and kind is QuestionKind.CHANGED
    return any(known) if of_any else bool(known and all(known))


def _is_known_of(bank: KnownBank, kind: QuestionKind | None) -> bool:
    if kind is QuestionKind.NEXT:
        return bool(bank.ahead or bank.due)
    if kind is QuestionKind.RATE:
        rate = bank.rate_by(bank.days[1]) if bank.days else bank.rate
        return rate is not None or bank.area in RATELESS
    if kind is QuestionKind.YIELD:
        return any(claim.metric in MATURITIES for claim in bank.claims.values())
    if kind is QuestionKind.CHANGED and bank.days is None:
        return any(map(bank.moved, bank.within))
    return kind in (QuestionKind.DECIDED, QuestionKind.CHANGED) and bool(bank.within)


class ChangesWithin(NamedTuple):
    """How far the decisions of a bank within some days moved its rate, and whether all decisions in
    its calendar for these days are known."""

    changes: tuple[Decimal, ...]
    all_known: bool


def changes_within(
    results: Sequence[ResearchResult], as_of_day: date, days: DaysAsked
) -> ChangesWithin | None:
    """Returns what a single bank did within some days; None unless exactly one bank was
    researched."""
    banks = known_banks(results, as_of_day, days)
    if len(banks) != 1:
        return None
    (bank,) = banks
    covered = bool(bank.decided) and not bank.open
    return ChangesWithin(tuple(map(bank.change, bank.within)), covered)


def next_days(results: Iterable[ResearchResult], as_of_day: date) -> Mapping[str, date]:
    """Returns the next decision day of each bank, where it is known, by the bank's area."""
    banks = known_banks(results, as_of_day)
    return {bank.area: bank.next_day for bank in banks if bank.next_day is not None}


def when(event: MarketEvent) -> str:
    """Returns `on 5 May 2026`, or `in May 2026` if only the month is known."""
    within = "in" if event.precision is DatePrecision.MONTH else "on"
    return f"{within} {print_known_day(event.event_date, event.precision)}"


def when_set(claim: Claim) -> str:
    """Returns the same for the decision of a claim."""
    within = "in" if claim.precision is DatePrecision.MONTH else "on"
    return f"{within} {print_known_day(claim.as_of, claim.precision)}"
