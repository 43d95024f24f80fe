"""The generated documents of an invented firm: its facts, drawn by a seed, and the source that
states each.

Systems have handbooks, vendors have agreements and news pages, rules have two versions, and tickets
point to pages that point to handbooks. For each holder a few values are omitted: the source
mentions the relation, and the value cannot be known.

Names and values are drawn by the seed, each at most once.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import chain, product
from typing import Final, NamedTuple

from desk.evaluation.ask.phrases import (
    BUDGET_ITEMS,
    CAUSES,
    ENDS,
    FIRST_NAMES,
    MIDDLES,
    PREFIXES,
    RELATIONS,
    RULES,
    STARTS,
    STATUSES,
    SYSTEM_NOUNS,
    TOWN_ENDS,
    VENDOR_NOUNS,
    Holder,
    Measure,
    StatedRelation,
)
from desk.evaluation.draws import SeededDraws

FIRST_DAY: Final = date(2019, 1, 7)
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


class Names:
    """Names and values drawn by a seed. None is drawn twice, so that a value identifies one
    fact."""

    def __init__(self, draws: SeededDraws) -> None:
        self._draws = draws
        roots = draws.order("roots", list(product(STARTS, MIDDLES, ENDS)))
        self._roots = ("".join(parts) for parts in roots)
        self._values = {measure: self._series(measure) for measure in Measure}

    def root(self) -> str:
        """Returns an invented word, such as `Korvane`."""
        return next(self._roots)

    def person(self) -> str:
        """Returns a real first name with an invented family name."""
        return self.value(Measure.PERSON)

    def value(self, measure: Measure) -> str:
        """Returns a value as sources write it, such as `4,730 euros`."""
        return next(self._values[measure])

    def _series(self, measure: Measure) -> Iterator[str]:
        match measure:
            case Measure.PERSON:
                return self._persons()
            case Measure.TOWN:
                return self._towns()
            case Measure.CAUSE:
                return chain(self._draws.order("causes", CAUSES))
            case Measure.DAY:
                return (written_day(day) for day in self._days())
            case Measure.TIME:
                return self._numbers(measure, 60, 1_380, 1, lambda n: f"{n // 60:02}:{n % 60:02}")
            case _:
                return self._numbers(measure, *_RANGES[measure])

    def _numbers(
        self, name: str, least: int, most: int, step: int, written: Callable[[int], str]
    ) -> Iterator[str]:
        return map(written, self._draws.order(name, range(least, most, step)))

    def _persons(self) -> Iterator[str]:
        for number, first in enumerate(self._draws.order("first names", FIRST_NAMES * 5)):
            yield f"{first} {next(self._roots)}{'sen' if number % 3 == 0 else ''}"

    def _towns(self) -> Iterator[str]:
        for start, end in self._draws.order("towns", list(product(STARTS, TOWN_ENDS))):
            yield f"{start}{end}"

    def _days(self) -> Iterator[date]:
        for number in self._draws.order("days", range(2_300)):
            yield FIRST_DAY + timedelta(days=number)


_RANGES: Final = {
    Measure.MINUTES: (4, 180, 1, lambda n: f"{n} minutes"),
    Measure.HOURS: (2, 72, 1, lambda n: f"{n} hours"),
    Measure.DAYS: (8, 400, 1, lambda n: f"{n} days"),
    Measure.EUROS: (410, 19_990, 10, lambda n: f"{n:,} euros"),
    Measure.PERCENT: (15, 245, 5, lambda n: f"{n / 10:.1f} percent"),
    Measure.MESSAGES: (1_200, 98_000, 100, lambda n: f"{n:,} messages"),
}


def written_day(day: date) -> str:
    """Formats a day as `14 March 2025`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


AS_OF: Final = datetime(2025, 11, 3, 7, tzinfo=UTC)
"""An instant by which everything had been published."""

SYSTEMS, VENDORS, BUDGETS, TICKETS = 8, 8, 3, 18
LEFT_OUT: Final = 2
"""How many relations of a holder its source mentions without their value."""

YEARS: Final = (2024, 2025)


class Entity(NamedTuple):
    """A system or a vendor: its full name, as used in a sentence, and its short name."""

    name: str
    short: str
    slug: str


class Fact(NamedTuple):
    """The value of a relation. `value` is None if the source omits it."""

    relation: StatedRelation
    entity: Entity
    value: str | None
    url: str
    statement: str


class RuleVersions(NamedTuple):
    """A rule with its old and its new value, and when each was published."""

    title: str
    slug: str
    relation: StatedRelation
    before: str
    now: str
    published: datetime
    changed: datetime

    @property
    def url(self) -> str:
        """The address of the document."""
        return document_url(self.slug)


class CostTable(NamedTuple):
    """A table of costs in euros: one row per item, one column per year."""

    title: str
    slug: str
    holder: str
    rows: tuple[tuple[str, tuple[int, int]], ...]

    @property
    def url(self) -> str:
        """The address of the document."""
        return document_url(self.slug)


class WebPaper(NamedTuple):
    """A web page about a vendor, or a note about a system that links to its handbook."""

    url: str
    slug: str
    title: str
    about: Entity
    paragraphs: tuple[str, ...]
    published: datetime


class TicketPaper(NamedTuple):
    """A ticket with its previous state. `leads_to` is the system that its page is about."""

    ticket_id: str
    summary: str
    status: str
    assignee: str
    before: tuple[str, str]
    opened: datetime
    changed: datetime
    leads_to: Entity | None = None

    @property
    def url(self) -> str:
        """The address of the ticket."""
        return f"corpus://tickets/{self.ticket_id}"


class World(NamedTuple):
    """All documents that a seed generates."""

    seed: int
    facts: tuple[Fact, ...]
    rules: tuple[RuleVersions, ...]
    budgets: tuple[CostTable, ...]
    pages: tuple[WebPaper, ...]
    tickets: tuple[TicketPaper, ...]
    strangers: tuple[Entity, ...]
    """Names similar to those of holders; no document mentions them."""

    def of(self, entity: Entity) -> tuple[Fact, ...]:
        """Returns all facts about a holder, including those that the sources omit."""
        return tuple(fact for fact in self.facts if fact.entity == entity)

    def holders(self, holder: Holder) -> tuple[Entity, ...]:
        """Returns the holders of a kind."""
        found = (fact.entity for fact in self.facts if fact.relation.holder is holder)
        return tuple(dict.fromkeys(found))


def document_url(slug: str) -> str:
    """Returns the address of a document of the corpus."""
    return f"corpus://documents/{slug}"


def pdf_url(slug: str) -> str:
    """Returns the address of a PDF file of the corpus."""
    return f"corpus://pdfs/{slug}.pdf"


def make_world(seed: int) -> World:
    """Generates the documents of a seed; the result is the same on every machine."""
    return _WorldMaker(seed).made()


class _WorldMaker:
    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._draws = SeededDraws(seed, "sealed questions")
        self._names = Names(self._draws)

    def made(self) -> World:
        systems = [self._system(number) for number in range(SYSTEMS)]
        vendors = [self._vendor(number) for number in range(VENDORS)]
        facts = [
            *(fact for each in systems for fact in self._facts(each, Holder.SYSTEM)),
            *(fact for each in vendors for fact in self._facts(each, Holder.AGREEMENT)),
            *(fact for each in vendors for fact in self._facts(each, Holder.PAGE)),
        ]
        news = [self._news(vendor, facts) for vendor in vendors]
        notes = [self._note(number, system) for number, system in enumerate(systems)]
        return World(
            seed=self._seed,
            facts=tuple(facts),
            rules=tuple(map(self._rule, range(len(RULES)))),
            budgets=tuple(map(self._budget, range(BUDGETS))),
            pages=(*news, *notes),
            tickets=tuple(self._tickets(notes)),
            strangers=tuple(
                self._stranger(each, {known.short for known in (*systems, *vendors)})
                for each in (*systems[:3], *vendors[:3])
            ),
        )

    def _system(self, number: int) -> Entity:
        root, noun = self._names.root(), self._draws.order("systems", SYSTEM_NOUNS)[number]
        return Entity(f"the {root} {noun}", root, f"{root.lower()}-handbook")

    def _vendor(self, number: int) -> Entity:
        root, noun = self._names.root(), self._draws.order("vendors", VENDOR_NOUNS)[number]
        return Entity(f"{root} {noun}", root, f"{root.lower()}-agreement")

    def _stranger(self, like: Entity, known: Collection[str]) -> Entity:
        near = like.short
        while near in known:
            near = f"{like.short[:3]}{self._names.root()[3:]}"
        return Entity(like.name.replace(like.short, near), near, f"{near.lower()}-none")

    def _facts(self, entity: Entity, holder: Holder) -> list[Fact]:
        relations = [relation for relation in RELATIONS if relation.holder is holder]
        most = LEFT_OUT if holder is not Holder.PAGE else 1
        absent = self._draws.some(f"left out of {entity.slug} {holder}", relations, most)
        return [self._fact(entity, relation, relation in absent) for relation in relations]

    def _fact(self, entity: Entity, relation: StatedRelation, absent: bool) -> Fact:
        key = f"{relation.name} of {entity.slug}"
        value = None if absent else self._names.value(relation.measure)
        words = relation.mention if absent else self._draws.one(key, relation.statements)
        sentence = words.format(e=entity.name, v=value)
        return Fact(
            relation, entity, value, _address(entity, relation), sentence[0].upper() + sentence[1:]
        )

    def _news(self, vendor: Entity, facts: list[Fact]) -> WebPaper:
        statements = [
            fact.statement
            for fact in facts
            if fact.entity == vendor and fact.relation.holder is Holder.PAGE
        ]
        head = f"News of {vendor.name} for its customers and partners."
        return WebPaper(
            url=_page_url(vendor),
            slug=f"{vendor.short.lower()}-news",
            title=f"News of {vendor.name}",
            about=vendor,
            paragraphs=(head, *self._draws.order(f"news {vendor.slug}", statements)),
            published=self._instant(f"news {vendor.slug}"),
        )

    def _note(self, number: int, system: Entity) -> WebPaper:
        codename = self._names.root()
        link = f"[its handbook]({document_url(system.slug)})"
        where = self._draws.one(f"note {number}", (link, f"the document {system.slug}"))
        return WebPaper(
            url=f"https://intra.{codename.lower()}.example/notes/{number + 1}",
            slug=f"note-{codename.lower()}",
            title=f"Project {codename}",
            about=system,
            paragraphs=(
                f"Project {codename} renews the system {system.short} step by step.",
                f"What applies to it is written down in {where}.",
            ),
            published=self._instant(f"note {number}"),
        )

    def _tickets(self, notes: list[WebPaper]) -> list[TicketPaper]:
        prefix = self._draws.one("prefix", PREFIXES)
        first = self._draws.number("first ticket", 112, 780)
        numbers = self._draws.some("tickets", range(first, first + 4 * TICKETS), TICKETS)
        return [
            self._ticket(f"{prefix}-{number}", place, notes) for place, number in enumerate(numbers)
        ]

    def _ticket(self, ticket_id: str, place: int, notes: list[WebPaper]) -> TicketPaper:
        page = notes[place] if place < len(notes) else None
        opened = self._instant(f"opened {ticket_id}", most=240)
        statuses = self._draws.order(f"statuses {ticket_id}", STATUSES)
        return TicketPaper(
            ticket_id=ticket_id,
            summary=self._summary(ticket_id, page),
            status=statuses[0],
            assignee=self._names.person(),
            before=(statuses[1], self._names.person()),
            opened=opened,
            changed=opened + timedelta(days=self._draws.number(f"changed {ticket_id}", 9, 40)),
            leads_to=page.about if page else None,
        )

    def _summary(self, ticket_id: str, page: WebPaper | None) -> str:
        if page is None:
            item = self._draws.one(f"about {ticket_id}", BUDGET_ITEMS).lower()
            return f"Sort out the {item} for the {self._names.root()} team"
        where = self._draws.one(f"about {ticket_id}", (page.url, f"the page '{page.title}'"))
        return f"Prepare the next step as {where} asks for"

    def _rule(self, number: int) -> RuleVersions:
        rule, root = RULES[number], self._names.root()
        published = self._instant(f"rule {number}", most=120)
        return RuleVersions(
            title=f"{rule.title} of {root} House",
            slug=f"{root.lower()}-{rule.title.lower().replace(' ', '-')}",
            relation=rule.relation,
            before=self._names.value(rule.relation.measure),
            now=self._names.value(rule.relation.measure),
            published=published,
            changed=published + timedelta(days=self._draws.number(f"rule {number}", 60, 130)),
        )

    def _budget(self, number: int) -> CostTable:
        root = self._names.root()
        items = self._draws.some(f"budget {number}", BUDGET_ITEMS, 6)
        rows = tuple(
            (item, (self._sum(f"{number}/{item}/0"), self._sum(f"{number}/{item}/1")))
            for item in items
        )
        holder = f"the {root} office"
        return CostTable(f"Budget of {holder}", f"budget-{root.lower()}", holder, rows)

    def _sum(self, name: str) -> int:
        return self._draws.number(f"sum {name}", 1_130, 98_970, 20)

    def _instant(self, name: str, most: int = 280) -> datetime:
        day = date(2025, 1, 6) + timedelta(days=self._draws.number(f"day of {name}", 0, most))
        return datetime(day.year, day.month, day.day, 9, tzinfo=UTC)


def _address(entity: Entity, relation: StatedRelation) -> str:
    match relation.holder:
        case Holder.AGREEMENT:
            return pdf_url(entity.slug)
        case Holder.PAGE:
            return _page_url(entity)
        case _:
            return document_url(entity.slug)


def _page_url(vendor: Entity) -> str:
    return f"https://www.{vendor.short.lower()}.example/news"


def day_of(instant: datetime) -> str:
    """Formats an instant's day as sources do."""
    return written_day(instant.date())
