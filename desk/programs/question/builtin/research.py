"""What research agents found of a market, as an answer tells it."""

from collections.abc import Container, Iterator, Sequence
from contextlib import closing
from typing import Final

from desk.analytics.retrieval.full_text import FullTextIndex
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
from desk.contracts.question.knowledge import Section
from desk.contracts.runs.turns import StateEntry
from desk.trust.prose import LONGEST_TEXT, REFERENCE, clip, references, split_sentences

MOST_EVENTS: Final = 3
"""Events in the summary."""

LONGEST_SECTION: Final = 20_000
NO_EVENT: Final = "The research found no event."

_ORDER: Final = {Impact.HIGH: 0, Impact.MEDIUM: 1, Impact.LOW: 2}
_LEANINGS: Final = {
    ViewKind.DIRECTION: {Leaning.UP: "rising", Leaning.DOWN: "falling"},
    ViewKind.STANCE: {Leaning.UP: "tightening", Leaning.DOWN: "easing"},
    ViewKind.RECOMMENDATION: {Leaning.UP: "buy", Leaning.DOWN: "sell"},
}


def research_in(state: Sequence[StateEntry]) -> tuple[ResearchResult, ...]:
    """What research agents brought, in the order of the graph."""
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))


def research_summary(question: str, results: Sequence[ResearchResult]) -> str | None:
    """The events that have most of the question's words first, then those of most impact, in the
    words of those who found them; None without any."""
    events = _ranked(results)
    with closing(FullTextIndex({"event": 1.0}, [(_told_of(event),) for event in events])) as index:
        first = [events[match.row] for match in index.search(question)]
    told = list(dict.fromkeys(event.description for event in (*first, *events)))[:MOST_EVENTS]
    return clip(" ".join(told), LONGEST_TEXT) if told else None


def _told_of(event: MarketEvent) -> str:
    """What an event is about, besides the market, which all have in common."""
    kind = event.event_type.replace("_", " ")
    return f"{kind} {event.central_bank or ''} {REFERENCE.sub(' ', event.description)}"


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
    return clip("\n".join(lines) or NO_EVENT, LONGEST_SECTION)


def _view(view: View) -> str:
    leaning = _LEANINGS[view.kind].get(view.leaning, view.leaning.value)
    kind = view.kind.value.capitalize()
    rests = ", ".join(f"[[{claim}]]" for claim in view.claims)
    return f"{kind} of {view.subject}: {leaning}{f', by {rests}' if rests else ''}."
