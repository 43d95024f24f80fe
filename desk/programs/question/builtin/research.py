"""Answers from the desk's own research of a market: its events, views, and the validator's word."""

import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from desk.contracts.agents.turns import StateEntry
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
from desk.trust.prose.prose import LONGEST_TEXT, clip, references
from desk.trust.prose.sentences import split_sentences

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
