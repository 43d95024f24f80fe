"""What research agents found of a market, as an answer tells it."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

from desk.analytics.figures import print_full_day
from desk.contracts.findings.claims import Metric
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
from desk.trust.prose import LONGEST_TEXT, clip, references, split_sentences

MOST_EVENTS: Final = 3
"""Events in the summary."""

LONGEST_SECTION: Final = 20_000
UNJUDGED: Final = "What caused it is not judged without a model."
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


def research_summary(results: Sequence[ResearchResult]) -> str | None:
    """The days that were measured, what the market did, and the events of most impact, in the words
    of those who found them; None without any event."""
    events = sorted(_ranked(results), key=lambda event: not _is_move(event))
    told = list(dict.fromkeys(event.description for event in events))[:MOST_EVENTS]
    if not told:
        return None
    return clip(" ".join((*_days(results), *told, UNJUDGED)), LONGEST_TEXT)


def _days(results: Sequence[ResearchResult]) -> Iterator[str]:
    """The days between which a market's move was measured."""
    days = {c.metric: c.as_of for r in results for c in r.claims}
    if Metric.PREVIOUS in days and Metric.LAST in days:
        first, last = (print_full_day(days[metric]) for metric in (Metric.PREVIOUS, Metric.LAST))
        yield f"The move is from the fixing of {first} to that of {last}."


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
