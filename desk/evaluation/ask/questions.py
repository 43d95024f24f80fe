"""Questions about the generated documents of a seed, each with its right answer and the source that
states it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from desk.contracts.base import Contract, Instant, ShortText, Text
from desk.evaluation.ask.phrases import Holder
from desk.evaluation.ask.world import AS_OF, YEARS, CostTable, Fact, World
from desk.evaluation.draws import SeededDraws

PLAIN, COLLOQUIAL, HOPS, SUMS = "plain", "colloquial", "multi-hop", "arithmetic"
TICKETS, BEFORE, NONE = "ticket", "as of", "unanswerable"

ORDER: Final = (
    *(PLAIN, COLLOQUIAL, NONE, HOPS, TICKETS, COLLOQUIAL, SUMS, NONE, PLAIN, BEFORE),
    *(HOPS, COLLOQUIAL),
)
"""The order of the kinds, repeated, so that even a few questions cover all kinds."""


class KnownQuestion(Contract):
    """A question and its right answer.

    An answer is right if its quotations contain all of `values`, quoted from one of `sources`.
    Without values the question has no answer. `total` is the result of a question for a sum.
    """

    question_id: ShortText
    kind: ShortText
    question: Text
    as_of: Instant = AS_OF
    values: tuple[ShortText, ...] = ()
    sources: tuple[ShortText, ...] = ()
    total: int | None = None

    @property
    def answerable(self) -> bool:
        """Whether there is an answer."""
        return bool(self.values)


def make_questions(world: World, count: int) -> tuple[KnownQuestion, ...]:
    """Makes `count` questions about the documents, taking all kinds in turn; fewer when a kind runs
    out."""
    maker = _QuestionMaker(world)
    kinds: Mapping[str, Iterator[KnownQuestion]] = {
        PLAIN: maker.plain(),
        COLLOQUIAL: maker.colloquial(),
        HOPS: maker.over_hops(),
        SUMS: maker.sums(),
        TICKETS: maker.of_tickets(),
        BEFORE: maker.before(),
        NONE: maker.without_answer(),
    }
    made: list[KnownQuestion] = []
    while len(made) < count:
        found = [q for kind in ORDER if (q := next(kinds[kind], None)) is not None]
        if not found:
            break
        made += found
    return tuple(made[:count])


class _QuestionMaker:
    """Yields the questions of each kind in a random order."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._draws = SeededDraws(world.seed, "questions")

    def plain(self) -> Iterator[KnownQuestion]:
        """Yields questions in the source's words: about agreements and news of vendors, handbooks
        and rules."""
        facts = (fact for fact in self._facts("plain") if fact.value)
        rules = (
            self._known(
                PLAIN, rule.relation.name + rule.slug, rule.relation.plain[0], rule.url, rule.now
            )
            for rule in self._draws.order("plain rules", self._world.rules)
        )
        yield from _alternating(
            (self._of_fact(PLAIN, fact, fact.relation.plain, fact.entity.name) for fact in facts),
            rules,
            every=6,
        )

    def colloquial(self) -> Iterator[KnownQuestion]:
        """Yields questions in other words than the source's, with the holder's short name."""
        facts = (fact for fact in self._facts("colloquial") if fact.value)
        rules = (
            self._known(
                *(COLLOQUIAL, rule.relation.name + rule.slug, rule.relation.colloquial[0]),
                *(rule.url, rule.now),
            )
            for rule in self._draws.order("colloquial rules", self._world.rules)
        )
        asked = (
            self._of_fact(COLLOQUIAL, fact, fact.relation.colloquial, fact.entity.short)
            for fact in facts
        )
        yield from _alternating(asked, rules, every=6)

    def over_hops(self) -> Iterator[KnownQuestion]:
        """Yields multi-hop questions: from a ticket through its page to a handbook, or from a
        vendor's news to its agreement."""
        yield from _alternating(self._from_tickets(), self._from_news(), every=2)

    def _from_tickets(self) -> Iterator[KnownQuestion]:
        for ticket in self._draws.order("hops", self._world.tickets):
            known = (
                [f for f in self._world.of(ticket.leads_to) if f.value] if ticket.leads_to else []
            )
            for fact in self._draws.some(f"hop {ticket.ticket_id}", known, 2):
                asked = self._draws.one(f"hop {fact.relation.name}", fact.relation.plain)
                words = asked.format(e=f"the system that {ticket.ticket_id} is about")
                key = f"{ticket.ticket_id}/{fact.relation.name}"
                yield self._known(HOPS, key, words, fact.url, str(fact.value))

    def _from_news(self) -> Iterator[KnownQuestion]:
        for vendor in self._draws.order("news hops", self._world.holders(Holder.PAGE)):
            facts = self._world.of(vendor)
            led = [f for f in facts if f.relation.name == "head_office" and f.value]
            known = [f for f in facts if f.relation.holder is Holder.AGREEMENT and f.value]
            for office in led:
                fact = self._draws.one(f"news hop {vendor.slug}", known)
                asked = self._draws.one(f"news hop {fact.relation.name}", fact.relation.plain)
                whom = f"the vendor that relocates its head office to {office.value}"
                key = f"{vendor.slug}/{fact.relation.name}"
                yield self._known(HOPS, key, asked.format(e=whom), fact.url, str(fact.value))

    def sums(self) -> Iterator[KnownQuestion]:
        """Yields questions for a sum or a difference of two table cells."""
        for number in range(40):
            budget = self._world.budgets[number % len(self._world.budgets)]
            yield self._sum(budget, number)

    def _sum(self, budget: CostTable, number: int) -> KnownQuestion:
        (first, ones), (other, others) = self._draws.some(f"rows {number}", budget.rows, 2)
        year = self._draws.number(f"year {number}", 0, 1)
        if number % 2:
            cells = (ones[0], ones[1])
            words = (
                f"By how many euros do the costs of {first.lower()} differ between {YEARS[0]} and"
                f" {YEARS[1]} in the budget of {budget.holder}?"
            )
            total = abs(cells[0] - cells[1])
        else:
            cells = (ones[year], others[year])
            words = (
                f"What do {first.lower()} and {other.lower()} cost together in {YEARS[year]}"
                f" according to the budget of {budget.holder}?"
            )
            total = sum(cells)
        values = tuple(f"{cell:,}" for cell in cells)
        return self._known(SUMS, f"{budget.slug}/{number}", words, budget.url, *values, total=total)

    def of_tickets(self) -> Iterator[KnownQuestion]:
        """Yields questions for a field of a ticket by its id."""
        for number, ticket in enumerate(self._draws.order("tickets", self._world.tickets)):
            forms = (
                (f"What is the status of {ticket.ticket_id}?", ticket.status),
                (f"Who is {ticket.ticket_id} assigned to?", ticket.assignee),
                (f"Who has {ticket.ticket_id} on the desk right now?", ticket.assignee),
            )
            words, value = forms[number % len(forms)]
            yield self._known(TICKETS, ticket.ticket_id, words, ticket.url, value)

    def before(self) -> Iterator[KnownQuestion]:
        """Yields questions for what was true before a change."""
        rules = (
            self._known(
                *(BEFORE, f"{rule.slug}", rule.relation.plain[0], rule.url, rule.before),
                as_of=rule.changed - timedelta(days=3),
            )
            for rule in self._draws.order("rules before", self._world.rules)
        )
        tickets = (
            self._known(
                *(BEFORE, ticket.ticket_id, f"Who is {ticket.ticket_id} assigned to?"),
                *(ticket.url, ticket.before[1]),
                as_of=ticket.changed - timedelta(days=1),
            )
            for ticket in self._draws.order("tickets before", self._world.tickets)
        )
        yield from _alternating(tickets, rules, every=2)

    def without_answer(self) -> Iterator[KnownQuestion]:
        """Yields questions for values that the source omits, about holders and tickets that do not
        exist, or as of an instant before they were known."""
        absent = (
            self._of_fact(NONE, fact, self._either(fact), fact.entity.name)
            for fact in self._facts("left out")
            if fact.value is None
        )
        yield from _alternating(absent, self._of_strangers(), every=3)

    def _either(self, fact: Fact) -> Sequence[str]:
        key = f"either {fact.relation.name} {fact.entity.slug}"
        return self._draws.one(key, (fact.relation.plain, fact.relation.colloquial))

    def _of_strangers(self) -> Iterator[KnownQuestion]:
        for number, stranger in enumerate(self._draws.order("strangers", self._world.strangers)):
            system = stranger.name.startswith("the ")
            holder = Holder.SYSTEM if system else Holder.AGREEMENT
            fact = self._draws.one(
                f"of stranger {number}",
                [f for f in self._world.facts if f.relation.holder is holder and f.value],
            )
            words = self._draws.one(f"stranger {number}", fact.relation.plain)
            key = f"{stranger.slug}/{fact.relation.name}"
            yield self._known(NONE, key, words.format(e=stranger.name))
            ticket = self._draws.order("strangers", self._world.tickets)[number]
            early = ticket.opened - timedelta(days=2)
            words = f"What is the status of {ticket.ticket_id}?"
            yield self._known(NONE, f"early {ticket.ticket_id}", words, as_of=early)

    def _facts(self, about: str) -> list[Fact]:
        return self._draws.order(about, self._world.facts)

    def _of_fact(self, kind: str, fact: Fact, forms: Sequence[str], name: str) -> KnownQuestion:
        key = f"{fact.entity.slug}/{fact.relation.name}"
        words = self._draws.one(f"{kind} {key}", forms).format(e=name)
        values = () if fact.value is None else (fact.value,)
        return self._known(kind, key, words, fact.url, *values)

    def _known(
        self,
        kind: str,
        key: str,
        words: str,
        url: str | None = None,
        *values: str,
        as_of: datetime = AS_OF,
        total: int | None = None,
    ) -> KnownQuestion:
        return KnownQuestion(
            question_id=f"{self._world.seed}/{kind}/{key}",
            kind=kind,
            question=words[0].upper() + words[1:],
            as_of=as_of,
            values=values,
            sources=(url,) if url and values else (),
            total=total,
        )


def _alternating(
    most: Iterator[KnownQuestion], some: Iterator[KnownQuestion], *, every: int
) -> Iterator[KnownQuestion]:
    """Mixes two kinds: each group has `every - 1` questions of the first and then one of the
    second."""
    while True:
        group = list(islice(most, every - 1)) + list(islice(some, 1))
        if not group:
            return
        yield from group
