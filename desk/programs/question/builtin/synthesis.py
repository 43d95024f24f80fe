"""The Synthesis agent: the answer to a question out of what others found, in their words.

It uses no tool and quotes. What a source says is never an order to it: a page that gives one is
read for what it says about the question, like every other.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.analytics.full_text import stems
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.turns import StateEntry, Turn, TurnRequest
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
from desk.programs.question.builtin.answers import (
    NOTHING_FOUND,
    QUOTED_OF_A_TICKET,
    WORTH_SHOWING,
    Found,
    PassageAnswer,
    TicketAnswer,
    answer_about_named,
    answer_by_fitting,
    answer_side_by_side,
    nearest,
    quoted,
    tell,
    words_of,
    words_of_ticket,
)
from desk.programs.question.builtin.asking import named_tickets, parameter_list, query_of
from desk.programs.question.builtin.passages import Passage, SourceKind, passages_in
from desk.programs.question.builtin.quoting import (
    KnownTicket,
    Quoter,
    joined,
    safe_line,
    tickets_in,
)
from desk.programs.question.builtin.ranking import Fit, asked, fits
from desk.trust.prose import LONGEST_TEXT, clip, references, split_sentences

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
NOTHING: Final = "The research found no event to tell of."

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


class _Answer(NamedTuple):
    """What goes into a synthesis: prose, and what it rests on."""

    summary: str
    answered: bool
    tickets: tuple[KnownTicket, ...] = ()
    passages: tuple[Passage, ...] = ()


class _Ranked(NamedTuple):
    """Tickets and passages by how well they fit a question, best first."""

    tickets: list[tuple[KnownTicket, Fit]]
    passages: list[Found]


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


def _rank(question: str, tickets: Sequence[KnownTicket], found: Sequence[Passage]) -> _Ranked:
    own = {known.url for known in tickets if known.url}
    passages = [passage for passage in found if passage.url not in own]
    told = (words_of_ticket(known, _told_of(known, found)) for known in tickets)
    held = [*told, *map(words_of, passages)]
    ranked = _Ranked([], [])
    for fit in fits(question, held):
        if fit.place < len(tickets):
            ranked.tickets.append((tickets[fit.place], fit))
        else:
            ranked.passages.append(Found(passages[fit.place - len(tickets)], fit))
    return ranked


def _answer(
    query: Query,
    request: TurnRequest,
    tickets: Mapping[str, KnownTicket],
    ranked: _Ranked,
    quoter: Quoter,
) -> _Answer:
    sides = _sides(query, [found.passage for found in ranked.passages])
    if sides:
        return _by_passages(answer_side_by_side(query.question, sides, quoter))
    named, draft = named_tickets(query), Quoter()
    answer = _of_named(query, named, tickets, ranked, draft) if named else _of_any(ranked, draft)
    research = research_in(request.state)
    researched = summary_of(query.question, research)
    if researched and not answer.answered:
        return _Answer(researched, answered=tells_of(query.question, research))
    quoter.take_over(draft)
    return answer._replace(summary=f"{researched or ''} {answer.summary}".strip())


def _of_named(
    query: Query,
    named: Sequence[str],
    tickets: Mapping[str, KnownTicket],
    ranked: _Ranked,
    quoter: Quoter,
) -> _Answer:
    """What is in the tickets that a question names, and what else answers it."""
    answer = _by_tickets(answer_about_named(named, tickets, quoter))
    if not answer.answered or not _asks_beyond(query.question, answer.tickets):
        return answer
    near = [found for found in ranked.passages if found.fit.share >= BESIDE]
    return _with_passages(answer, nearest(near[:MOST_BESIDE], quoter))


def _of_any(ranked: _Ranked, quoter: Quoter) -> _Answer:
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
        return _Answer(NOTHING_FOUND, answered=False)
    answer = _of_best(near, nearest(near.passages, quoter), quoter)
    return answer._replace(summary=f"{_NEAREST} {answer.summary}", answered=False)


def _of_best(ranked: _Ranked, passages: PassageAnswer, quoter: Quoter) -> _Answer:
    """An answer from passages, which tickets that have more of the question go before."""
    top = max((fit.share for _, fit in ranked.tickets), default=0.0)
    if ranked.passages and top <= ranked.passages[0].fit.share:
        return _by_passages(passages)
    fitting = [known for known, fit in ranked.tickets if fit.share == top]
    return _with_passages(_by_tickets(answer_by_fitting(fitting, quoter)), passages)


def _with_passages(answer: _Answer, beside: PassageAnswer) -> _Answer:
    if not beside.answered:
        return answer
    return answer._replace(summary=f"{answer.summary} {beside.summary}", passages=beside.about)


def _asks_beyond(question: str, named: Sequence[KnownTicket]) -> bool:
    """Whether a question has words that do not stand in the tickets that it names."""
    said = frozenset[str]().union(*(stems(" ".join(words_of_ticket(one))) for one in named))
    return not frozenset(asked(question).terms) <= said


def _told_of(known: KnownTicket, passages: Iterable[Passage]) -> str:
    """What searches say of a ticket."""
    return " ".join(each.text for each in passages if known.url and each.url == known.url)


def _by_tickets(answer: TicketAnswer) -> _Answer:
    return _Answer(answer.summary, answer.answered, tickets=answer.about)


def _by_passages(answer: PassageAnswer) -> _Answer:
    return _Answer(answer.summary, answer.answered, passages=answer.about)


def _sides(query: Query, passages: Sequence[Passage]) -> tuple[tuple[Passage, ...], ...]:
    """The passages of each of the documents that are to be compared; empty where none are."""
    names = parameter_list(query, "first", "second")
    if len(names) < 2:
        return ()
    return tuple(tuple(p for p in passages if _is_of(p, name)) for name in names)


def _is_of(passage: Passage, name: str) -> bool:
    return name in (passage.thing, passage.url) or (passage.url or "").endswith(f"/{name}")


def _failed(state: Sequence[StateEntry]) -> str:
    """That an answer lacks what some nodes were to bring. Why they failed stands with what is
    missing, where the desk lists it."""
    names = [safe_line(entry.node, "a node of the graph") for entry in state if entry.error]
    return f" Not all could be looked at: {joined(names)} failed." if names else ""


def _ticket_section(answer: _Answer, quoter: Quoter) -> Iterator[Section]:
    if answer.tickets:
        lines = [
            f"- {tell(each, quoter)}"
            for each in answer.tickets
            if quoter.has_room_for(QUOTED_OF_A_TICKET)
        ]
        yield Section(title="Tickets", content="\n".join(lines))


def _passage_sections(
    ranked: Sequence[Found], answer: _Answer, quoter: Quoter
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
