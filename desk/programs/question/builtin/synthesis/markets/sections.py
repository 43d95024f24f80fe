"""The sections of an answer on measurements."""

from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.contracts.agents.tasks import DaysAsked
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import (
    EventType,
    Leaning,
    MarketEvent,
    ResearchResult,
    ValidationResult,
    View,
    ViewKind,
)
from desk.contracts.question.knowledge import Section
from desk.contracts.runs.turns import StateEntry
from desk.programs.question.builtin.banks import decisions_table
from desk.programs.question.builtin.synthesis.markets.results import is_move, ranked, research_in
from desk.trust.prose import clip, references, split_sentences

LONGEST_SECTION: Final = 20_000

DECISIONS: Final = "Decisions of the central banks, newest first"
NO_EVENT: Final = "The research found no event."

_LEANINGS: Final = {
    ViewKind.DIRECTION: {Leaning.UP: "rising", Leaning.DOWN: "falling"},
    ViewKind.STANCE: {Leaning.UP: "tightening", Leaning.DOWN: "easing"},
    ViewKind.RECOMMENDATION: {Leaning.UP: "buy", Leaning.DOWN: "sell"},
}


def research_sections(
    state: Sequence[StateEntry], window: DaysAsked, days: DaysAsked | None = None
) -> Iterator[Section]:
    """Yields the table of central banks' decisions, a section for each research result, and one for
    the validator's words."""
    if table := decisions_table(research_in(state), window, days):
        yield Section(title=DECISIONS, content=clip(table, LONGEST_SECTION))
    for result in research_in(state):
        yield Section(title=f"{result.market}: {_who(result)}", content=_content(result, window[1]))
    validated = [e.result for e in state if isinstance(e.result, ValidationResult)]
    if validated:
        known = {claim.claim_id for result in research_in(state) for claim in result.claims}
        lines = dict.fromkeys(_founded(each.recommendation, known) for each in validated)
        told = "\n\n".join(line for line in lines if line)
        if told:
            yield Section(title="Validation", content=clip(told, LONGEST_SECTION))


def _founded(prose: str, known: Container[str]) -> str:
    """Returns the sentences that only refer to claims of the research."""
    kept = (s for s in split_sentences(prose) if all(name in known for name in references(s)))
    return "".join(kept).strip()


def _who(result: ResearchResult) -> str:
    moves = any(is_move(event) for event in result.events)
    leans = any(view.kind is ViewKind.DIRECTION for view in result.views)
    return "prices" if moves or leans else "policy rates and news"


def _content(result: ResearchResult, day: date) -> str:
    others = [event for event in ranked((result,)) if not _is_tabled(event, day)]
    lines = [f"- {event.description}" for event in others]
    lines += [f"- {rate}" for rate in _other_rates(result, others)]
    lines += [f"- {_view(view)}" for view in result.views]
    lines += [f"- Note: {warning}" for warning in result.warnings]
    return clip("\n".join(lines) or NO_EVENT, LONGEST_SECTION)


def _is_tabled(event: MarketEvent, day: date) -> bool:
    """Returns whether the table of decisions contains an event: a bank's decision, a past day
    without an outcome, and one on the as-of day itself."""
    scheduled = event.event_type is EventType.SCHEDULED_DECISION
    return event.event_type is EventType.RATE_DECISION or (scheduled and event.event_date <= day)


def _other_rates(result: ResearchResult, events: Iterable[MarketEvent]) -> Iterator[str]:
    """Yields the market's policy rates that no printed event and no decision gives: a bank has one
    even without a future day."""
    told = {name for event in events for name in references(event.description)}
    decided = {event.area for event in result.events if event.event_type is EventType.RATE_DECISION}
    for claim in result.claims:
        of_the_market = "/" in result.market or claim.subject == result.market
        if claim.metric is not Metric.POLICY_RATE or claim.claim_id in told or not of_the_market:
            continue
        if claim.subject not in decided:
            bank = bank_in_a_sentence(claim.subject)
            known = f"as far as is known up to {print_full_day(claim.as_of)}"
            yield f"The policy rate of {bank} was [[{claim.claim_id}]], {known}."


def _view(view: View) -> str:
    leaning = _LEANINGS[view.kind].get(view.leaning, view.leaning.value)
    kind = view.kind.value.capitalize()
    rests = ", ".join(f"[[{claim}]]" for claim in view.claims)
    return f"{kind} of {view.subject}: {leaning}{f', by {rests}' if rests else ''}."
