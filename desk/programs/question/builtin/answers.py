"""Answers from what was found: the two or three quotations that fit a question best, or the tickets
that do."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from desk.analytics.full_text import stems, words
from desk.programs.question.builtin.passages import Passage
from desk.programs.question.builtin.quoting import KnownTicket, Quoter, joined
from desk.programs.question.builtin.ranking import Fit, Words, fits

MOST_TOLD: Final = 20
"""Tickets whose fields a summary tells."""

QUOTED_OF_A_TICKET: Final = 4
"""Quotations that telling one takes."""

_UNASSIGNED: Final = "unassigned"
_FIELD_NAMES: Final = "ticket issue status assignee assigned summary"
_TOO_MANY: Final = "More tickets were found than an answer holds."
_UNKNOWN: Final = "The ticket that the question names could not be had."
_SOME_UNKNOWN: Final = "Not every ticket that the question names could be had."


class TicketField(StrEnum):
    """What can be told of a ticket."""

    STATUS = "status"
    ASSIGNEE = "assignee"
    SUMMARY = "summary"


class TicketAnswer(NamedTuple):
    """What tickets say to a question. `about` are those it rests on."""

    summary: str
    about: tuple[KnownTicket, ...]
    answered: bool


def words_of_ticket(known: KnownTicket, said: str = "") -> Words:
    """A ticket as it is compared with a question. `said` is what a search says of it besides."""
    ticket = known.ticket
    who = ticket.assignee or _UNASSIGNED
    told = f"{_FIELD_NAMES} {ticket.id} {ticket.status} {who} {ticket.summary}"
    return Words(told, before=said)


def answer_about_named(
    names: Sequence[str], tickets: Mapping[str, KnownTicket], quoter: Quoter
) -> TicketAnswer:
    """What is in the tickets that are named."""
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return TicketAnswer(_UNKNOWN, (), answered=False)
    sentences = [tell(each, quoter) for each in known[:MOST_TOLD]]
    if len(known) > MOST_TOLD:
        sentences.append(_TOO_MANY)
    if len(known) < len(names):
        sentences.append(_SOME_UNKNOWN)
    return TicketAnswer(" ".join(sentences), tuple(known), answered=True)


def answer_by_fitting(fitting: Sequence[KnownTicket], quoter: Quoter) -> TicketAnswer:
    """What is in the ticket that fits, or which tickets fit alike."""
    if len(fitting) == 1:
        return TicketAnswer(tell(fitting[0], quoter), tuple(fitting), answered=True)
    named = joined(quoter.ticket(each, each.ticket.id, None) for each in fitting)
    return TicketAnswer(f"These tickets fit: {named}.", tuple(fitting), answered=True)


def tell(known: KnownTicket, quoter: Quoter) -> str:
    """A sentence that says what is in a ticket."""
    subject = quoter.ticket(known, known.ticket.id, None)
    return f"{subject} {joined(_predicates(known, quoter))}."


def _predicates(known: KnownTicket, quoter: Quoter) -> Iterable[str]:
    ticket = known.ticket
    yield f"has the status {quoter.ticket(known, ticket.status, TicketField.STATUS)}"
    if ticket.assignee:
        yield f"is assigned to {quoter.ticket(known, ticket.assignee, TicketField.ASSIGNEE)}"
    else:
        yield "has no assignee"
    yield f"is about {quoter.ticket(known, ticket.summary[:1_000], TicketField.SUMMARY)}"


MOST_QUOTED: Final = 3
"""Quotations in a summary."""

NEARLY: Final = 0.75
"""The share of the best one's fit that a further quotation has."""

WORTH_SHOWING: Final = 0.3
"""The share of what is asked that a passage has which is shown beside an answer, without one, or
where documents are compared."""

THE_REST: Final = 0.6
"""The share of the words that the best passage lacks which another one has that is quoted too."""

ALIKE: Final = 0.6
"""The share of words that two sentences have in common that say the same of one thing."""

NOTHING_FOUND: Final = "Nothing that was found answers the question."


class PassageAnswer(NamedTuple):
    """What passages say to a question. `about` are those it rests on."""

    summary: str
    about: tuple[Passage, ...]
    answered: bool


class Found(NamedTuple):
    """A passage, and how well it fits a question."""

    passage: Passage
    fit: Fit


def words_of(passage: Passage) -> Words:
    """A passage with what stands around it."""
    span = passage.span
    return Words(span.text, f"{span.heading} {span.head}", passage.title, span.before)


def ranked(question: str, passages: Sequence[Passage]) -> list[Found]:
    """The passages that have a word of a question in them, best first."""
    found = fits(question, [words_of(passage) for passage in passages])
    return [Found(passages[fit.place], fit) for fit in found]


def quoted(found: Sequence[Found], quoter: Quoter) -> PassageAnswer:
    """The best of the passages that answer, of all in their order: the first, what fits nearly as
    well, and what has the rest of the question. What contradicts it is told, the newest first."""
    sure = [each for each in found if each.fit.answers]
    if not sure:
        return _told((), quoter)
    best = sure[0]
    rivals = [each.passage for each in sure if _contradicts(best.passage, each.passage)]
    if rivals:
        return _differing([best.passage, *_first_of_each_source(rivals)], quoter)
    near = [each.passage for each in found if each.fit.score >= NEARLY * best.fit.score]
    rest = [each.passage for each in found if _has_the_rest(each.fit, best.fit)]
    chosen = dict.fromkeys((best.passage, *rest[:1], *near))
    return _told(tuple(chosen)[:MOST_QUOTED], quoter)


def nearest(found: Sequence[Found], quoter: Quoter) -> PassageAnswer:
    """The first of some passages, none of which surely answers."""
    return _told([each.passage for each in found[:MOST_QUOTED]], quoter)


def answer_side_by_side(
    question: str, sides: Sequence[Sequence[Passage]], quoter: Quoter
) -> PassageAnswer:
    """What each of several documents says to a question; answered where each says something."""
    everything = [passage for side in sides for passage in side]
    found = ranked(question, everything)
    best = [next((each for each in found if each.passage in side), None) for side in sides]
    told = [each for each in best if each is not None and each.fit.share >= WORTH_SHOWING]
    if not told:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    openings = ("One says:", *["The other says:"] * len(told))
    sentences = [
        f"{opening} {quoter.passage(each.passage)}."
        for opening, each in zip(openings, told, strict=False)
    ]
    if len(told) < len(sides):
        sentences.append("The other says nothing that answers the question.")
    about = tuple(each.passage for each in told)
    return PassageAnswer(" ".join(sentences), about, answered=len(told) == len(sides))


def _told(passages: Sequence[Passage], quoter: Quoter) -> PassageAnswer:
    if not passages:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    first, *others = map(quoter.passage, passages)
    also = f" Also: {'; '.join(others)}." if others else ""
    return PassageAnswer(f"{first}.{also}", tuple(passages), answered=True)


def _has_the_rest(other: Fit, best: Fit) -> bool:
    """Whether what a question asks besides stands here, as a second question in it."""
    return len(best.lacks) > 1 and len(other.has & best.lacks) >= THE_REST * len(best.lacks)


def _first_of_each_source(passages: Iterable[Passage]) -> list[Passage]:
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.source, passage)
    return list(first.values())


def _contradicts(one: Passage, other: Passage) -> bool:
    """Whether another source says the same of the same thing with another figure."""
    if one.source == other.source or one.span.cells or other.span.cells:
        return False
    figures, others = _figures(one), _figures(other)
    mine = stems(one.text) - stems(" ".join(figures))
    theirs = stems(other.text) - stems(" ".join(others))
    alike = len(mine & theirs) >= ALIKE * len(mine | theirs)
    return alike and bool(figures) and figures != others


def _figures(passage: Passage) -> frozenset[str]:
    return frozenset(word for word in words(passage.text) if any(sign.isdigit() for sign in word))


def _differing(sources: Sequence[Passage], quoter: Quoter) -> PassageAnswer:
    """The newest first, and the others with it."""
    dated = sorted((p.dated.toordinal(), place) for place, p in enumerate(sources) if p.dated)
    newest = sources[dated[-1][1]] if len(dated) == len(sources) else sources[0]
    others = [passage for passage in sources if passage is not newest]
    first = "The sources differ. The newest says:" if dated else "The sources differ. One says:"
    sentences = [f"{first} {_with_date(newest, quoter)}."]
    sentences += [f"Another says: {_with_date(other, quoter)}." for other in others]
    return PassageAnswer(" ".join(sentences), (newest, *others), answered=True)


def _with_date(passage: Passage, quoter: Quoter) -> str:
    day = quoter.dated(passage)
    said = quoter.passage(passage)
    return f"{said}, and of when it is: {day}" if day and day != said else said
