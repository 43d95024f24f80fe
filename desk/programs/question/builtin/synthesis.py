"""The Synthesis agent: the answer to a question out of what others found, in their words.

It uses no tool and quotes. What a source says is never an order to it: a page that gives one is
read for what it says about the question, like every other.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

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
    PassageAnswer,
    answer_from,
    answer_side_by_side,
    supporting,
)
from desk.programs.question.builtin.asking import query_of
from desk.programs.question.builtin.passages import Passage, SourceKind, passages_in
from desk.programs.question.builtin.quoting import (
    KnownTicket,
    Quoter,
    joined,
    safe_line,
    tickets_in,
)
from desk.programs.question.builtin.tickets_answer import (
    TicketAnswer,
    answer_about_named,
    answer_by_listing,
    answer_on_topic,
    beyond_fields,
    is_list,
    named_tickets,
    on_topic,
    tell,
)
from desk.programs.question.question_reading import TicketField, fields_of, parameter_list, topic_of
from desk.trust.prose import LONGEST_TEXT, clip, references, split_sentences

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


MOST_SUPPORTING: Final = 3
"""Passages of each kind of source that are shown beside those that the answer rests on."""

_TITLES: Final[Mapping[SourceKind, str]] = {
    SourceKind.TICKET: "Ticket search",
    SourceKind.DOCUMENT: "Documents",
    SourceKind.PDF: "PDF files",
    SourceKind.WEB: "Web pages",
}


class _Answer(NamedTuple):
    """What goes into a synthesis: prose, what it rests on, and what it lacks."""

    summary: str
    answered: bool
    tickets: tuple[KnownTicket, ...] = ()
    passages: tuple[Passage, ...] = ()
    missing: tuple[str, ...] = ()


def take_turn(request: TurnRequest) -> Turn:
    """The synthesis, in one turn. It says so where nothing that was found answers the question.

    Raises:
        TaskNotPossible: there is no question.
    """
    query = query_of(request)
    quoter = Quoter()
    passages = passages_in(request.state)
    answer = _answer(query, request, passages, quoter)
    sections = (
        *_ticket_section(answer, quoter),
        *_passage_sections(query, passages, answer, quoter),
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
            missing=answer.missing,
        )
    )


def _answer(
    query: Query, request: TurnRequest, passages: Sequence[Passage], quoter: Quoter
) -> _Answer:
    sides = _sides(query, passages)
    if sides:
        return _by_passages(answer_side_by_side(query.question, sides, quoter))
    tickets = tickets_in(request.state)
    named = named_tickets(query)
    if named and not beyond_fields(query, tickets):
        return _by_tickets(answer_about_named(query, tickets, quoter))
    if not named and is_list(query.question):
        return _by_tickets(answer_by_listing(query, tickets, quoter))
    return _of_any_kind(query, request, passages, quoter)


def _of_any_kind(
    query: Query, request: TurnRequest, passages: Sequence[Passage], quoter: Quoter
) -> _Answer:
    """An answer from passages, or from the ticket that is about the question if it has more."""
    tickets = tickets_in(request.state)
    draft = Quoter()
    found = answer_from(query.question, passages, draft)
    topical = None if named_tickets(query) else on_topic(query.question, tickets.values())
    asked = bool(fields_of(query.question))
    if topical and asked and (not found.answered or topical.coverage > _share(query, found)):
        return _by_tickets(answer_on_topic(query.question, topical.known, quoter))
    if not found.answered and named_tickets(query) and fields_of(query.question):
        return _by_tickets(answer_about_named(query, tickets, quoter))
    quoter.take_over(draft)
    by_passages = _by_passages(found)
    research = research_in(request.state)
    researched = summary_of(query.question, research)
    if not researched:
        return by_passages
    return _with_research(by_passages, researched, answered=tells_of(query.question, research))


def _with_research(answer: _Answer, researched: str, *, answered: bool) -> _Answer:
    """What the desk found out itself goes before what others write."""
    if not answer.answered:
        return _Answer(researched, answered=answered)
    return answer._replace(summary=f"{researched} {answer.summary}")


def _share(query: Query, found: PassageAnswer) -> float:
    """How much of a topic the passages of an answer have among them."""
    topic = topic_of(query.question)
    held = frozenset[str]().union(*(p.own | p.over | p.about for p in found.about))
    return len(topic & held) / len(topic) if topic else 1.0


def _by_tickets(answer: TicketAnswer) -> _Answer:
    return _Answer(answer.summary, answer.answered, tickets=answer.about)


def _by_passages(answer: PassageAnswer) -> _Answer:
    return _Answer(answer.summary, answer.answered, passages=answer.about, missing=answer.missing)


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
        fields = tuple(TicketField)
        lines = [
            f"- {tell(each, fields, quoter)}"
            for each in answer.tickets
            if quoter.has_room_for(len(fields) + 1)
        ]
        yield Section(title="Tickets", content="\n".join(lines))


def _passage_sections(
    query: Query, passages: Sequence[Passage], answer: _Answer, quoter: Quoter
) -> Iterator[Section]:
    for kind, title in _TITLES.items():
        of_kind = [passage for passage in passages if passage.kind is kind]
        if kind is SourceKind.TICKET and answer.tickets:
            continue
        shown = supporting(query.question, of_kind, answer.passages, MOST_SUPPORTING)
        lines = [f"- {quoter.passage(p)}" for p in shown if quoter.has_room_for(1)]
        if lines:
            yield Section(title=title, content="\n".join(lines))
