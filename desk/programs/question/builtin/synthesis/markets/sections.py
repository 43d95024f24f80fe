"""The sections of an answer on measurements."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import CENTRAL_BANKS, bank_in_a_sentence
from desk.analytics.names.listing import listed, said_once
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

MOST_APART: Final = 3
"""The maximum number of markets of a kind that have a section each."""


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
        yield Section(title=table.title, content=clip(table.content, LONGEST_SECTION))
    yield from _of_markets(_that_meet(research_in(state), window, days), window[1])
    validated = [e.result for e in state if isinstance(e.result, ValidationResult)]
    if validated:
        known = {claim.claim_id for result in research_in(state) for claim in result.claims}
        lines = dict.fromkeys(_founded(each.recommendation, known) for each in validated)
        told = "\n\n".join(line for line in lines if line)
        if told:
            yield Section(title="Validation", content=clip(told, LONGEST_SECTION))


def _that_meet(
    results: Sequence[ResearchResult], window: DaysAsked, days: DaysAsked | None
) -> Sequence[ResearchResult]:
    """Leaves out the banks that do not decide on coming days that a question names, if others
    do."""
    if days is None or days[1] <= window[1]:
        return results
    meet = {
        result.market
        for result in results
        for event in result.events
        if event.event_type is EventType.SCHEDULED_DECISION
        and event.area == result.market
        and days[0] <= event.event_date <= days[1]
    }
    return [each for each in results if not meet or "/" in each.market or each.market in meet]


def _founded(prose: str, known: Container[str]) -> str:
    """Returns the sentences that only refer to claims of the research."""
    kept = (s for s in split_sentences(prose) if all(name in known for name in references(s)))
    return "".join(kept).strip()


def _of_markets(results: Sequence[ResearchResult], day: date) -> Iterator[Section]:
    """Yields a section for each result that says something; one for all of a kind if there are
    more than `MOST_APART`, at the place of the first. What was not found is listed as missing."""
    told = [each for each in results if each.warnings or _lines(each, day)]
    kinds = Counter(map(_kind, told))
    sections: dict[str, list[ResearchResult]] = {}
    for result in told:
        name, kind = _name(result), _kind(result)
        title = f"{name}: {kind}"
        if kinds[kind] > MOST_APART:
            each = "pair" if "/" in name else "bank"
            title = f"{kind.capitalize()}, {each} by {each}"
        sections.setdefault(title, []).append(result)
    noted: set[str] = set()
    for title, of_it in sections.items():
        lines = [line for result in of_it for line in _lines(result, day)]
        lines += _notes(of_it, noted)
        if lines:
            yield Section(title=title, content=clip("\n".join(lines), LONGEST_SECTION))


def _notes(results: Iterable[ResearchResult], noted: set[str]) -> Iterator[str]:
    """Yields the warnings of results that no earlier section has; `noted` has those."""
    warnings = dict.fromkeys(warning for result in results for warning in result.warnings)
    yield from (f"- Note: {words}" for words in said_once(w for w in warnings if w not in noted))
    noted.update(warnings)


def _name(result: ResearchResult) -> str:
    bank = CENTRAL_BANKS.get(result.market)
    return bank.name if bank else result.market


def _kind(result: ResearchResult) -> str:
    """Returns what a result is about, such as `prices`."""
    moves = any(is_move(event) for event in result.events)
    leans = any(view.kind is ViewKind.DIRECTION for view in result.views)
    if moves or leans:
        return "prices"
    news = any(event.event_type is EventType.NEWS for event in result.events)
    return "policy rates and news" if news else "policy rates"


def _lines(result: ResearchResult, day: date) -> list[str]:
    """Lists the events of a result, its rates and views. What a move says already is left out."""
    others = [event for event in ranked((result,)) if not _is_tabled(event, day)]
    lines = [f"- {words}" for words in _events(others)]
    lines += [f"- {rate}" for rate in _other_rates(result, others)]
    said = {name for event in others if is_move(event) for name in references(event.description)}
    lines += [
        f"- {_view(view, result)}"
        for view in result.views
        if not view.claims or not said.issuperset(view.claims)
    ]
    return lines


def _events(events: Iterable[MarketEvent]) -> Iterator[str]:
    """Describes events; the decision days of a bank together, after the first of them."""
    ahead: dict[str, list[MarketEvent]] = {}
    for event in events:
        if event.event_type is EventType.SCHEDULED_DECISION and event.area:
            ahead.setdefault(event.area, []).append(event)
        else:
            yield event.description
    for days in ahead.values():
        first, *later = sorted(days, key=lambda event: event.event_date)
        then = listed(print_full_day(event.event_date) for event in later)
        yield f"{first.description} It then decides on {then}." if then else first.description


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


_RESTS: Final = {
    Metric.POLICY_RATE: "policy rate",
    Metric.DECISION_RATE: "policy rate",
    Metric.DECISION_CHANGE: "last decision",
}


def _view(view: View, result: ResearchResult) -> str:
    """Returns words such as `The stance of Norges Bank: tightening (policy rate 4.25 %, last
    decision +25 bp).`"""
    leaning = _LEANINGS[view.kind].get(view.leaning, view.leaning.value)
    metrics = {claim.claim_id: claim.metric for claim in result.claims}
    named = ((_RESTS.get(metrics[name], ""), name) for name in view.claims if name in metrics)
    rests = ", ".join(f"{what} [[{name}]]".strip() for what, name in named)
    whose = bank_in_a_sentence(view.subject) if view.kind is ViewKind.STANCE else view.subject
    return f"The {view.kind} of {whose}: {leaning}{f' ({rests})' if rests else ''}."
