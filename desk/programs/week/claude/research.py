"""A research agent, asked of Claude: what the desk has measured, in the model's words and judged.

Every figure is the desk's: claims, events and their days follow from the answers of tools by the
same rules as without a model. The model describes the events, says what news matter, which way it
leans and how surely. News are named by the item of a tool's answer: link and day are taken from
there and not from the model.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from desk.agents.program import ModelTask
from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.results import (
    MOST_SOURCES,
    MOST_TONES,
    MarketEvent,
    ResearchResult,
)
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.findings import (
    MOST_VIEWS,
    MOST_WARNINGS,
    Oddities,
    ProposedView,
    claim_line,
    found_in,
    odd,
    refuse,
    twice,
    view_faults,
    views_of,
)
from desk.programs.claude.news import (
    ProposedNews,
    ProposedTone,
    Prose,
    item_meant,
    news_events,
    sources_of,
    told,
    tones_of,
)
from desk.programs.claude.prompts import prompt
from desk.trust.judging.checks import check_event_date

MOST_EVENTS: Final = 100


class WrittenEvent(Contract):
    """An event that the desk found, in the model's words."""

    event_id: ShortText
    description: Prose


class ProposedResearch(Contract):
    """The form of the model's answer."""

    events: Annotated[tuple[WrittenEvent, ...], Field(max_length=MOST_EVENTS)] = ()
    news: Annotated[tuple[ProposedNews, ...], Field(max_length=10)] = ()
    tones: Annotated[tuple[ProposedTone, ...], Field(max_length=20)] = ()
    views: Annotated[tuple[ProposedView, ...], Field(max_length=10)] = ()
    oddities: Oddities = ()


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """What the desk has found so far, as JSON."""
    found = found_in(base)
    task = request.assignment
    return json.dumps(
        {
            "market": task.market.market if task.market else None,
            "task": task.task_type,
            "week": task.week,
            "as_of": task.window.end.isoformat(),
            "areas": task.market.areas if task.market else (),
            "asked_for": task.instructions,
            "claims": [claim_line(claim) for claim in found.claims],
            "events": [
                {
                    "event_id": event.event_id,
                    "type": event.event_type,
                    "day": event.event_date.isoformat(),
                    "impact": event.impact,
                    "description": event.description,
                }
                for event in found.events
            ],
            "views": [view.model_dump(mode="json") for view in found.views],
            "news": list(told(request)),
            "missing": found.missing,
            "warnings": found.warnings,
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ResearchResult:
    """The desk's finding with the model's words, news and views.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it names an event, an item of news, a claim or a subject that is not there, or
            tells something otherwise than its figures and its day are.
    """
    found, proposed = found_in(base), ProposedResearch.model_validate_json(text)
    refuse(_strangers(request, found, proposed))
    news = tuple(news_events(request, found.market, proposed.news))
    written = _written(found, proposed)
    refuse(_faults(request, found, (*written.values(), *news)))
    events = (*(written.get(event.event_id, event) for event in found.events), *news)
    tones = tones_of(request, found, proposed.tones)
    warnings = (*found.warnings, *odd(proposed.oddities))
    return found.model_copy(
        update={
            "events": events[:MOST_EVENTS],
            "views": views_of(found, proposed.views)[:MOST_VIEWS],
            "tones": tones[:MOST_TONES],
            "sources": sources_of(request, found, news, tones)[:MOST_SOURCES],
            "warnings": warnings[:MOST_WARNINGS],
        }
    )


def _strangers(
    request: TurnRequest, found: ResearchResult, proposed: ProposedResearch
) -> Iterator[str]:
    """What the answer names that is not there, or names twice: where, and not in its own words,
    which could end up in a report."""
    events = {event.event_id for event in found.events}
    for place, event in enumerate(proposed.events):
        if event.event_id not in events:
            yield f"events.{place}: there is no event of that event_id"
    items: dict[str, Sequence[ProposedNews | ProposedTone]] = {
        "news": proposed.news,
        "tones": proposed.tones,
    }
    for kind, lines in items.items():
        for place, line in enumerate(lines):
            if item_meant(request, line) is None:
                yield f"{kind}.{place}: there is no such item of news in the evidence it names"
        yield from twice(kind, [(line.evidence, line.item) for line in lines])
    yield from twice("events", [event.event_id for event in proposed.events])
    yield from twice("views", [(view.kind, view.subject) for view in proposed.views])
    claims = {claim.claim_id for claim in found.claims}
    for place, view in enumerate(proposed.views):
        yield from (f"views.{place}: {told}" for told in view_faults(request, view, claims))


def _written(found: ResearchResult, proposed: ProposedResearch) -> dict[str, MarketEvent]:
    """The desk's events that the model describes, in its words."""
    events = {event.event_id: event for event in found.events}
    return {
        line.event_id: events[line.event_id].model_copy(update={"description": line.description})
        for line in proposed.events
    }


def _faults(
    request: TurnRequest, found: ResearchResult, events: Iterable[MarketEvent]
) -> Iterator[str]:
    """What speaks against the day of what the model tells. Its words are for the gate."""
    days = window_days(request.assignment.window)
    for event in events:
        yield from (issue.description for issue in check_event_date(event, *days))


TASK: Final = ModelTask((prompt("research"),), ProposedResearch, material, result)
