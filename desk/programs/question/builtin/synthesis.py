"""The Synthesis agent: the answer to a question out of what others found, in their words.

It uses no tool and quotes. What a source says is never an order to it: a page that gives one is
read for what it says about the question, like every other.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from desk.analytics.full_text import stems, words
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    ValidationResult,
    View,
    ViewKind,
)
from desk.contracts.question.knowledge import Section, Synthesis
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.programs.question.builtin.asking import named_tickets, parameter_list, query_of
from desk.programs.question.builtin.passages import (
    Fit,
    KnownTicket,
    Quoter,
    SourceKind,
    SourcePassage,
    Words,
    asked,
    fits,
    joined,
    passages_in,
    safe_line,
    tickets_in,
)
from desk.trust.prose import LONGEST_TEXT, clip, references, split_sentences

MOST_TOLD: Final = 20
"""Tickets whose fields a summary tells."""

QUOTED_OF_A_TICKET: Final = 4
"""Quotations that telling one takes."""

_UNASSIGNED: Final = "unassigned"
_FIELD_NAMES: Final = "ticket issue status assignee assigned summary"
_TOO_MANY: Final = "More tickets were found than an answer holds."
_UNKNOWN: Final = "The ticket that the question names is not available."
_SOME_UNKNOWN: Final = "Not every ticket that the question names is available."


class TicketField(StrEnum):
    """What can be told of a ticket."""

    STATUS = "status"
    ASSIGNEE = "assignee"
    SUMMARY = "summary"


class AnswerFromTickets(NamedTuple):
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
) -> AnswerFromTickets:
    """What is in the tickets that are named."""
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return AnswerFromTickets(_UNKNOWN, (), answered=False)
    sentences = [tell(each, quoter) for each in known[:MOST_TOLD]]
    if len(known) > MOST_TOLD:
        sentences.append(_TOO_MANY)
    if len(known) < len(names):
        sentences.append(_SOME_UNKNOWN)
    return AnswerFromTickets(" ".join(sentences), tuple(known), answered=True)


def answer_by_fitting(fitting: Sequence[KnownTicket], quoter: Quoter) -> AnswerFromTickets:
    """What is in the ticket that fits, or which tickets fit alike."""
    if len(fitting) == 1:
        return AnswerFromTickets(tell(fitting[0], quoter), tuple(fitting), answered=True)
    named = joined(quoter.ticket(each, each.ticket.id, None) for each in fitting)
    return AnswerFromTickets(f"These tickets fit: {named}.", tuple(fitting), answered=True)


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
    about: tuple[SourcePassage, ...]
    answered: bool


class RankedPassage(NamedTuple):
    """A passage, and how well it fits a question."""

    passage: SourcePassage
    fit: Fit


def words_of(passage: SourcePassage) -> Words:
    """A passage with what stands around it."""
    span = passage.span
    return Words(span.text, f"{span.heading} {span.head}", passage.title, span.before)


def ranked(question: str, passages: Sequence[SourcePassage]) -> list[RankedPassage]:
    """The passages that have a word of a question in them, best first."""
    found = fits(question, [words_of(passage) for passage in passages])
    return [RankedPassage(passages[fit.place], fit) for fit in found]


def quoted(found: Sequence[RankedPassage], quoter: Quoter) -> PassageAnswer:
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


def nearest(found: Sequence[RankedPassage], quoter: Quoter) -> PassageAnswer:
    """The first of some passages, none of which surely answers."""
    return _told([each.passage for each in found[:MOST_QUOTED]], quoter)


def answer_side_by_side(
    question: str, sides: Sequence[Sequence[SourcePassage]], quoter: Quoter
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


def _told(passages: Sequence[SourcePassage], quoter: Quoter) -> PassageAnswer:
    if not passages:
        return PassageAnswer(NOTHING_FOUND, (), answered=False)
    first, *others = map(quoter.passage, passages)
    also = f" Also: {'; '.join(others)}." if others else ""
    return PassageAnswer(f"{first}.{also}", tuple(passages), answered=True)


def _has_the_rest(other: Fit, best: Fit) -> bool:
    """Whether what a question asks besides stands here, as a second question in it."""
    return len(best.lacks) > 1 and len(other.has & best.lacks) >= THE_REST * len(best.lacks)


def _first_of_each_source(passages: Iterable[SourcePassage]) -> list[SourcePassage]:
    first: dict[str, SourcePassage] = {}
    for passage in passages:
        first.setdefault(passage.source, passage)
    return list(first.values())


def _contradicts(one: SourcePassage, other: SourcePassage) -> bool:
    """Whether another source says the same of the same thing with another figure."""
    if one.source == other.source or one.span.cells or other.span.cells:
        return False
    figures, others = _figures(one), _figures(other)
    mine = stems(one.text) - stems(" ".join(figures))
    theirs = stems(other.text) - stems(" ".join(others))
    alike = len(mine & theirs) >= ALIKE * len(mine | theirs)
    return alike and bool(figures) and figures != others


def _figures(passage: SourcePassage) -> frozenset[str]:
    return frozenset(word for word in words(passage.text) if any(sign.isdigit() for sign in word))


def _differing(sources: Sequence[SourcePassage], quoter: Quoter) -> PassageAnswer:
    """The newest first, and the others with it."""
    dated = sorted((p.dated.toordinal(), place) for place, p in enumerate(sources) if p.dated)
    newest = sources[dated[-1][1]] if len(dated) == len(sources) else sources[0]
    others = [passage for passage in sources if passage is not newest]
    first = "The sources differ. The newest says:" if dated else "The sources differ. One says:"
    sentences = [f"{first} {_with_date(newest, quoter)}."]
    sentences += [f"Another says: {_with_date(other, quoter)}." for other in others]
    return PassageAnswer(" ".join(sentences), (newest, *others), answered=True)


def _with_date(passage: SourcePassage, quoter: Quoter) -> str:
    day = quoter.dated(passage)
    said = quoter.passage(passage)
    return f"{said}, and of when it is: {day}" if day and day != said else said


MOST_SUPPORTING: Final = 3
"""Passages of each kind of source that are shown, with those that the answer rests on."""

BESIDE: Final = 0.4
MOST_BESIDE: Final = 2
"""The share of what is asked that passages have which are quoted beside a ticket that is named, and
how many of them."""

_NEAREST: Final = f"{NOTHING_FOUND} What comes nearest:"

_TITLES: Final[Mapping[SourceKind, str]] = {
    SourceKind.TICKET: "Ticket search",
    SourceKind.DOCUMENT: "Documents",
    SourceKind.PDF: "PDF files",
    SourceKind.WEB: "Web pages",
}

MOST_EVENTS: Final = 3
"""Events in the summary."""

LONGEST_SECTION: Final = 20_000
NOTHING: Final = "The research found no event."

_OF_RATES: Final = re.compile(
    r"\b(rates?|banks?|policy|decisions?|decided?|meetings?|hikes?|cuts?|easing|tightening)\b", re.I
)
"""Words of a question that is about what central banks do, and not about a price."""

_ORDER: Final = {Impact.HIGH: 0, Impact.MEDIUM: 1, Impact.LOW: 2}
_LEANINGS: Final = {
    ViewKind.DIRECTION: {Leaning.UP: "rising", Leaning.DOWN: "falling"},
    ViewKind.STANCE: {Leaning.UP: "tightening", Leaning.DOWN: "easing"},
    ViewKind.RECOMMENDATION: {Leaning.UP: "buy", Leaning.DOWN: "sell"},
}


class _AnswerDraft(NamedTuple):
    """What goes into a synthesis: prose, and what it rests on."""

    summary: str
    answered: bool
    tickets: tuple[KnownTicket, ...] = ()
    passages: tuple[SourcePassage, ...] = ()


class _Ranked(NamedTuple):
    """Tickets and passages by how well they fit a question, best first."""

    tickets: list[tuple[KnownTicket, Fit]]
    passages: list[RankedPassage]


def take_turn(request: TurnRequest) -> Turn:
    """The synthesis, in one turn. It says so where nothing that was found answers the question.

    Raises:
        TaskNotPossible: there is no question.
    """
    query = query_of(request)
    quoter = Quoter()
    tickets = tickets_in(request.state)
    ranked = _rank(query.question, tuple(tickets.values()), passages_in(request.state))
    answer = _answer(query, request, tickets, ranked, quoter)
    sections = (
        *_ticket_section(answer, quoter),
        *_passage_sections(ranked.passages, answer, quoter),
        *research_sections(request.state),
    )
    return Turn(
        result=Synthesis(
            task_id=request.assignment.task_id,
            agent=request.assignment.agent,
            summary=clip(f"{answer.summary}{_failed(request.state)}", LONGEST_TEXT),
            sections=sections[:20],
            quotations=quoter.quotations,
            answered=answer.answered,
        )
    )


def _rank(question: str, tickets: Sequence[KnownTicket], found: Sequence[SourcePassage]) -> _Ranked:
    own = {known.url for known in tickets if known.url}
    passages = [passage for passage in found if passage.url not in own]
    told = (words_of_ticket(known, _told_of(known, found)) for known in tickets)
    held = [*told, *map(words_of, passages)]
    ranked = _Ranked([], [])
    for fit in fits(question, held):
        if fit.place < len(tickets):
            ranked.tickets.append((tickets[fit.place], fit))
        else:
            ranked.passages.append(RankedPassage(passages[fit.place - len(tickets)], fit))
    return ranked


def _answer(
    query: Query,
    request: TurnRequest,
    tickets: Mapping[str, KnownTicket],
    ranked: _Ranked,
    quoter: Quoter,
) -> _AnswerDraft:
    sides = _sides(query, [found.passage for found in ranked.passages])
    if sides:
        return _by_passages(answer_side_by_side(query.question, sides, quoter))
    named, draft = named_tickets(query), Quoter()
    answer = _of_named(query, named, tickets, ranked, draft) if named else _of_any(ranked, draft)
    research = research_in(request.state)
    researched = summary_of(query.question, research)
    if researched and not answer.answered:
        return _AnswerDraft(researched, answered=tells_of(query.question, research))
    quoter.take_over(draft)
    return answer._replace(summary=f"{researched or ''} {answer.summary}".strip())


def _of_named(
    query: Query,
    named: Sequence[str],
    tickets: Mapping[str, KnownTicket],
    ranked: _Ranked,
    quoter: Quoter,
) -> _AnswerDraft:
    """What is in the tickets that a question names, and what else answers it."""
    answer = _by_tickets(answer_about_named(named, tickets, quoter))
    if not answer.answered or not _asks_beyond(query.question, answer.tickets):
        return answer
    near = [found for found in ranked.passages if found.fit.share >= BESIDE]
    return _with_passages(answer, nearest(near[:MOST_BESIDE], quoter))


def _of_any(ranked: _Ranked, quoter: Quoter) -> _AnswerDraft:
    """The passages or tickets that answer; without any, that there are none, and the nearest."""
    sure = _Ranked(
        [each for each in ranked.tickets if each[1].answers],
        [each for each in ranked.passages if each.fit.answers],
    )
    if sure.tickets or sure.passages:
        return _of_best(sure, quoted(ranked.passages, quoter), quoter)
    near = _Ranked(
        [each for each in ranked.tickets if each[1].share >= WORTH_SHOWING],
        [each for each in ranked.passages if each.fit.share >= WORTH_SHOWING],
    )
    if not near.tickets and not near.passages:
        return _AnswerDraft(NOTHING_FOUND, answered=False)
    answer = _of_best(near, nearest(near.passages, quoter), quoter)
    return answer._replace(summary=f"{_NEAREST} {answer.summary}", answered=False)


def _of_best(ranked: _Ranked, passages: PassageAnswer, quoter: Quoter) -> _AnswerDraft:
    """An answer from passages, which tickets that have more of the question go before."""
    top = max((fit.share for _, fit in ranked.tickets), default=0.0)
    if ranked.passages and top <= ranked.passages[0].fit.share:
        return _by_passages(passages)
    fitting = [known for known, fit in ranked.tickets if fit.share == top]
    return _with_passages(_by_tickets(answer_by_fitting(fitting, quoter)), passages)


def _with_passages(answer: _AnswerDraft, beside: PassageAnswer) -> _AnswerDraft:
    if not beside.answered:
        return answer
    return answer._replace(summary=f"{answer.summary} {beside.summary}", passages=beside.about)


def _asks_beyond(question: str, named: Sequence[KnownTicket]) -> bool:
    """Whether a question has words that do not stand in the tickets that it names."""
    said = frozenset[str]().union(*(stems(" ".join(words_of_ticket(one))) for one in named))
    return not frozenset(asked(question).terms) <= said


def _told_of(known: KnownTicket, passages: Iterable[SourcePassage]) -> str:
    """What searches say of a ticket."""
    return " ".join(each.text for each in passages if known.url and each.url == known.url)


def _by_tickets(answer: AnswerFromTickets) -> _AnswerDraft:
    return _AnswerDraft(answer.summary, answer.answered, tickets=answer.about)


def _by_passages(answer: PassageAnswer) -> _AnswerDraft:
    return _AnswerDraft(answer.summary, answer.answered, passages=answer.about)


def _sides(
    query: Query, passages: Sequence[SourcePassage]
) -> tuple[tuple[SourcePassage, ...], ...]:
    """The passages of each of the documents that are to be compared; empty where none are."""
    names = parameter_list(query, "first", "second")
    if len(names) < 2:
        return ()
    return tuple(tuple(p for p in passages if _is_of(p, name)) for name in names)


def _is_of(passage: SourcePassage, name: str) -> bool:
    return name in (passage.thing, passage.url) or (passage.url or "").endswith(f"/{name}")


def _failed(state: Sequence[StateEntry]) -> str:
    """That an answer lacks what some nodes were to bring. Why they failed stands with what is
    missing, where the desk lists it."""
    names = [safe_line(entry.node, "a node of the graph") for entry in state if entry.error]
    return f" Not all could be looked at: {joined(names)} failed." if names else ""


def _ticket_section(answer: _AnswerDraft, quoter: Quoter) -> Iterator[Section]:
    if answer.tickets:
        lines = [
            f"- {tell(each, quoter)}"
            for each in answer.tickets
            if quoter.has_room_for(QUOTED_OF_A_TICKET)
        ]
        yield Section(title="Tickets", content="\n".join(lines))


def _passage_sections(
    ranked: Sequence[RankedPassage], answer: _AnswerDraft, quoter: Quoter
) -> Iterator[Section]:
    for kind, title in _TITLES.items():
        of_kind = [found for found in ranked if found.passage.kind is kind]
        about = [found.passage for found in of_kind if found.passage in answer.passages]
        worth = [found.passage for found in of_kind if found.fit.share >= WORTH_SHOWING]
        shown = dict.fromkeys((*about, *worth[: max(MOST_SUPPORTING - len(about), 0)]))
        lines = [f"- {quoter.passage(each)}" for each in shown if quoter.has_room_for(1)]
        if lines:
            yield Section(title=title, content="\n".join(lines))


def research_in(state: Sequence[StateEntry]) -> tuple[ResearchResult, ...]:
    """What research agents brought, in the order of the graph."""
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))


def summary_of(question: str, results: Sequence[ResearchResult]) -> str | None:
    """The events that a question is about first, then those of most impact, in the words of those
    who found them; None without any."""
    of_rates = _OF_RATES.search(question) is not None
    ranked = sorted(_ranked(results), key=lambda event: _is_move(event) is of_rates)
    told = list(dict.fromkeys(event.description for event in ranked))[:MOST_EVENTS]
    return clip(" ".join(told), LONGEST_TEXT) if told else None


def tells_of(question: str, results: Sequence[ResearchResult]) -> bool:
    """Whether there is an event of the kind that a question is about: what banks do, or a move."""
    of_rates = _OF_RATES.search(question) is not None
    return any(_is_move(event) is not of_rates for result in results for event in result.events)


def research_sections(state: Sequence[StateEntry]) -> Iterator[Section]:
    """A section for each research result, and one for what the validator says."""
    for result in research_in(state):
        yield Section(title=f"{result.market}: {_who(result)}", content=_content(result))
    validated = [e.result for e in state if isinstance(e.result, ValidationResult)]
    if validated:
        known = {claim.claim_id for result in research_in(state) for claim in result.claims}
        lines = dict.fromkeys(_founded(each.recommendation, known) for each in validated)
        told = "\n\n".join(line for line in lines if line)
        if told:
            yield Section(title="Validation", content=clip(told, LONGEST_SECTION))


def _founded(prose: str, known: Container[str]) -> str:
    """The sentences that refer to nothing but claims of the research."""
    kept = (s for s in split_sentences(prose) if all(name in known for name in references(s)))
    return "".join(kept).strip()


def _ranked(results: Sequence[ResearchResult]) -> list[MarketEvent]:
    events = [event for result in results for event in result.events]
    return sorted(events, key=lambda event: _ORDER[event.impact])


def _who(result: ResearchResult) -> str:
    moves = any(_is_move(event) for event in result.events)
    leans = any(view.kind is ViewKind.DIRECTION for view in result.views)
    return "prices" if moves or leans else "policy rates and news"


def _is_move(event: MarketEvent) -> bool:
    return event.event_type is EventType.FX_MOVEMENT


def _content(result: ResearchResult) -> str:
    lines = [f"- {event.description}" for event in _ranked((result,))]
    lines += [f"- {_view(view)}" for view in result.views]
    lines += [f"- Note: {warning}" for warning in result.warnings]
    return clip("\n".join(lines) or NOTHING, LONGEST_SECTION)


def _view(view: View) -> str:
    leaning = _LEANINGS[view.kind].get(view.leaning, view.leaning.value)
    kind = view.kind.value.capitalize()
    rests = ", ".join(f"[[{claim}]]" for claim in view.claims)
    return f"{kind} of {view.subject}: {leaning}{f', by {rests}' if rests else ''}."
