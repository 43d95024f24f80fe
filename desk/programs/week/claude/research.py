"""A research agent as a model: it describes and judges the desk's measurements.

Every figure is the desk's: claims, events and their days follow from the tools' answers by the same
rules as without a model. The model describes the events, says which news matter, and which way it
leans with which confidence. What its own tool calls measured becomes a claim when the model refers
to it. News are referred to by the item of a tool's answer, from which the link and the day are
taken.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field, JsonValue

from desk.agents.program import ModelTask
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import SIDE_BY_SIDE, TaskType
from desk.contracts.agents.tools import ToolCall, capability_of
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import span_days
from desk.contracts.findings.results import (
    MOST_SOURCES,
    MOST_TONES,
    EventType,
    MarketEvent,
    ResearchResult,
)
from desk.contracts.markets import MarketKind
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.claude.answers import (
    OTHER_TOOLS,
    answering,
    asked_by,
    known_day,
    own_months,
    schema_of,
    unanswered_calls,
)
from desk.programs.claude.figures import Figures, claims_for_model, figures_of, reportable_claims
from desk.programs.claude.findings import (
    MOST_WARNINGS,
    Oddities,
    ProposedFinding,
    ProposedView,
    Unread,
    calls_without_answer,
    checked,
    contrary_views,
    days_for_model,
    duplicates,
    finding_faults,
    findings_of,
    found_in,
    nearest_to,
    odd,
    prose_faults,
    reading_for_model,
    sources_with,
    unread_in,
    views_faults,
    views_for_model,
    views_of,
)
from desk.programs.claude.news import (
    ProposedNews,
    ProposedTone,
    Prose,
    item_ranges,
    news_events,
    news_for_model,
    referenced_item,
    tones_of,
)
from desk.programs.claude.prompts import prompt
from desk.programs.week.builtin import price_analyst, rates_analyst
from desk.trust.judging.checks import check_event_date
from desk.trust.prose import references

MOST_EVENTS: Final = 100
MOST_FINDINGS: Final = 5
MOST_CLAIMS: Final = 200
"""The limit of `ResearchResult.claims`."""

MOST_MISSING: Final = 20
_FIGURES: Final = frozenset(
    {Capability.HISTORY, Capability.POLICY_RATE, Capability.RATE_DECISIONS, Capability.YIELDS}
)
"""Capabilities whose answers make claims on a market."""


_NEWS: Final = {
    *map(str, (Capability.NEWS_SEARCH, Capability.HEADLINES, Capability.BANK_NEWS)),
    OTHER_TOOLS,
}
"""Capabilities whose answers can contain news."""


class WrittenEvent(Contract):
    """An event that the desk found, described by the model."""

    event_id: ShortText
    description: Prose


class ProposedResearch(Contract):
    """The form of the model's answer."""

    events: Annotated[tuple[WrittenEvent, ...], Field(max_length=MOST_EVENTS)] = ()
    news: Annotated[tuple[ProposedNews, ...], Field(max_length=10)] = ()
    tones: Annotated[tuple[ProposedTone, ...], Field(max_length=20)] = ()
    findings: Annotated[tuple[ProposedFinding, ...], Field(max_length=MOST_FINDINGS)] = ()
    views: Annotated[tuple[ProposedView, ...], Field(max_length=10)] = ()
    unread: Unread = ()
    oddities: Oddities = ()


def opening(request: TurnRequest) -> tuple[ToolCall, ...]:
    """Returns the further opening calls for a model: those of the other agent on the market, so
    that both agents see all claims on it."""
    task = request.assignment
    if task.market is None or task.market.kind is not MarketKind.PAIR:
        return ()
    others = rates_analyst if task.task_type is TaskType.RESEARCH_FX else price_analyst
    try:
        calls = others.take_turn(request).calls if task.market.areas else ()
    except TaskNotPossible:
        return ()
    return tuple(call for call in calls if capability_of(call) in _FIGURES)


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats what the desk has found so far, as JSON."""
    found = found_in(base)
    task, claims = request.assignment, _at_the_start(request, found).known.values()
    in_vain, months = unanswered_calls(request), own_months(request)
    own = {claim.claim_id for claim in found.claims}
    # What is missing because of an unanswered call is only shown once.
    missing = [m for m in found.missing if not any(str(each["why"]) in m for each in in_vain)]
    material = {
        "market": task.market.market if task.market else None,
        "task": task.task_type,
        **days_for_model(task),
        **reading_for_model(task.query),
        "as_of": task.window.end.isoformat(),
        "areas": task.market.areas if task.market else (),
        "asked_of_you": task.instructions,
        "claims": claims_for_model(
            # The desk's own spans are those of a question's days.
            (c for c in reportable_claims(claims) if c.claim_id in own or span_days(c) is None),
            months,
        ),
        "events": [
            {
                "event_id": event.event_id,
                "type": event.event_type,
                "day": known_day(event, months),
                "impact": event.impact,
                "description": event.description,
            }
            for event in found.events
        ],
        "views": views_for_model(found.views),
        "news": list(news_for_model(request)),
        "missing": missing,
        "asked_in_vain": in_vain,
        "warnings": found.warnings,
    }
    return json.dumps({n: value for n, value in material.items() if value}, ensure_ascii=False)


def _at_the_start(request: TurnRequest, found: ResearchResult) -> Figures:
    """Returns the figures from the desk's own calls. They are the same at every turn, as the first
    messages must be."""
    own = tuple(exchange for exchange in request.exchanges if not exchange.said)
    return Figures(request.model_copy(update={"exchanges": own}), found.claims)


def is_worth_it(request: TurnRequest, base: AgentResult | None) -> bool:
    """Returns whether there is more to say on a market than its figures: not if a question compares
    many by these."""
    query = request.assignment.query
    return query is None or SIDE_BY_SIDE not in query.parameters


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ResearchResult:
    """Returns the desk's finding with the model's words, news and views, and with the further
    claims that they rest on.

    Raises:
        ValidationError: the answer does not have its form.
        Refused: it names an unknown event, news item, claim or subject, or describes something on
            the wrong day.
    """
    found, proposed = found_in(base), ProposedResearch.model_validate_json(text)
    figures = figures_of(request, found, text)
    news = tuple(news_events(request, found.market, proposed.news))
    written = _written(found, proposed)
    faults = (
        *_strangers(request, found, proposed, figures),
        *_faults(request, (*written.values(), *news)),
    )

    def make() -> ResearchResult:
        events = (*(written.get(event.event_id, event) for event in found.events), *news)
        tones = tones_of(request, found, proposed.tones)
        taken = figures.taken(_named(proposed))
        findings = tuple(findings_of(request, proposed.findings, figures))
        rested_on = {name for claim in taken for name in claim.evidence}
        rested_on |= {name for finding in findings for name in finding.evidence}
        rested_on |= {name for event in news for name in event.evidence}
        rested_on |= {tone.evidence_id for tone in tones}
        missing = (*found.missing, *unread_in(proposed.unread), *calls_without_answer(request))
        warnings = (*found.warnings, *odd(proposed.oddities))
        return found.model_copy(
            update={
                "claims": (*found.claims, *taken)[:MOST_CLAIMS],
                "events": events[:MOST_EVENTS],
                "findings": findings,
                "views": views_of(found, proposed.views, figures),
                "tones": tones[:MOST_TONES],
                "sources": tuple(sources_with(found.sources, rested_on, request))[:MOST_SOURCES],
                "missing": missing[:MOST_MISSING],
                "warnings": warnings[:MOST_WARNINGS],
            }
        )

    return checked(faults, make)


def _named(proposed: ProposedResearch) -> Iterator[str]:
    """Yields the claims that the answer refers to."""
    for event in proposed.events:
        yield from references(event.description)
    for item in proposed.news:
        yield from references(item.description)
    for finding in proposed.findings:
        yield from (*finding.claims, *references(finding.statement))
    for view in proposed.views:
        yield from view.claims


def _is_only_scheduled(event: MarketEvent) -> bool:
    return event.event_type is EventType.SCHEDULED_DECISION


def _strangers(
    request: TurnRequest, found: ResearchResult, proposed: ProposedResearch, figures: Figures
) -> Iterator[str]:
    """What the answer names that does not exist, or names twice. Only the place is reported, not
    the model's words, which could end up in a report."""
    events = {event.event_id: event for event in found.events}
    for place, event in enumerate(proposed.events):
        told = events.get(event.event_id)
        if told and _is_only_scheduled(told) and event.description != told.description:
            yield (
                f"events.{place}: the desk describes scheduled decisions: omit this event, and"
                " report what you found about it in a finding"
            )
        if told is None:
            yield (
                f"events.{place}: no event has that event_id;"
                f" {nearest_to(event.event_id, sorted(events))}"
            )
            yield from prose_faults(event.description, figures)
    items: dict[str, Sequence[ProposedNews | ProposedTone]] = {
        "news": proposed.news,
        "tones": proposed.tones,
    }
    for kind, lines in items.items():
        for place, line in enumerate(lines):
            if referenced_item(request, line) is None:
                yield (
                    f"{kind}.{place}: there is no such item of news in the evidence it names;"
                    f" {item_ranges(request)}"
                )
        yield from duplicates(kind, [(line.evidence, line.item) for line in lines])
    yield from duplicates("events", [event.event_id for event in proposed.events])
    yield from finding_faults(request, proposed.findings, figures)
    yield from views_faults(request, proposed.views, figures)
    yield from contrary_views(found, proposed.views)


def _written(found: ResearchResult, proposed: ProposedResearch) -> dict[str, MarketEvent]:
    """Returns the desk's events that the model described, in its words."""
    events = {event.event_id: event for event in found.events}
    return {
        line.event_id: events[line.event_id].model_copy(update={"description": line.description})
        for line in proposed.events
        if line.event_id in events
    }


def _faults(request: TurnRequest, events: Iterable[MarketEvent]) -> Iterator[str]:
    """Yields what is wrong with the days of what the model reports. The gate checks its words."""
    days = rates_analyst.days_looked_at(request)
    for event in events:
        yield from (issue.description for issue in check_event_date(event, *days))


def _schema(request: TurnRequest) -> dict[str, JsonValue]:
    """The schema of the answer. News and their tone are only in it if there are news, or news can
    be asked for."""
    schema = schema_of(ProposedResearch)
    if not asked_by(answering(request)) & _NEWS and not any(True for _ in news_for_model(request)):
        for name, line in (("news", "ProposedNews"), ("tones", "ProposedTone")):
            schema["properties"].pop(name)
            schema["$defs"].pop(line)
        schema["$defs"].pop("Impact")
    return schema


TASK: Final = ModelTask(
    (prompt("research"),),
    ProposedResearch,
    material,
    result,
    opening,
    is_worth_it=is_worth_it,
    schema=_schema,
)
