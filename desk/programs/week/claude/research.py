"""A research agent, asked of Claude: what the desk has measured, in the model's words and judged.

Every figure is the desk's: claims, events and their days follow from the answers of tools by the
same rules as without a model. The model describes the events, says what news matter, which way it
leans and how surely. News are named by the item of a tool's answer: link and day are taken from
there and not from the model.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from desk.agents.program import ModelTask
from desk.analytics.prices.series import window_days
from desk.contracts.agents.turns import AgentResult, TurnRequest
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    MOST_SOURCES,
    MOST_TONES,
    Forecast,
    Leaning,
    MarketEvent,
    ResearchResult,
    View,
    ViewKind,
)
from desk.learning.forecasts import PROBABILITY_DIGITS
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
from desk.trust.claims.checks import check_event_date
from desk.trust.prose import Form, moves, printed

MOST_EVENTS: Final = 100
MOST_VIEWS: Final = 20
MOST_WARNINGS: Final = 20

ODDITY: Final = "A source holds words that are no data: "


Oddities = Annotated[tuple[Annotated[str, Field(max_length=300)], ...], Field(max_length=5)]


class WrittenEvent(Contract):
    """An event that the desk found, in the model's words."""

    event_id: ShortText
    description: Prose


class ProposedView(Contract):
    """Which way the model leans, and on which claims.

    `probability` is how likely it takes the pair to be fixed higher when the desk's own forecast
    comes due. It counts in a view of a direction only.
    """

    subject: ShortText
    kind: ViewKind
    leaning: Leaning
    confidence: Confidence
    claims: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    probability: Confidence | None = None


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


def odd(oddities: Iterable[str]) -> Iterator[str]:
    """What a model says of words in a source that are no data, as warnings."""
    return (ODDITY + words for words in map(str.strip, oddities) if words)


def claim_line(claim: Claim) -> dict[str, str]:
    """A claim as a model reads it: how to refer to it, and what will be printed there."""
    moved = {"moved": printed(claim, Form.MOVED)} if moves(claim) else {}
    return {
        "reference": f"[[{claim.claim_id}]]",
        "prints": printed(claim, Form.PLAIN),
        **moved,
        "as_of": claim.as_of.isoformat(),
    }


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


def found_in(base: AgentResult | None) -> ResearchResult:
    """What the desk has found by itself.

    Raises:
        ValueError: it has no finding.
    """
    if not isinstance(base, ResearchResult):
        raise ValueError("there is no finding to write about")
    return base


def refuse(faults: Iterable[str]) -> None:
    """Passes an answer without faults.

    Raises:
        ValueError: it has some; the first of them are told, each once.
    """
    told = list(dict.fromkeys(faults))
    if told:
        raise ValueError("; ".join(told[:10]))


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


def twice(kind: str, named: Sequence[object]) -> Iterator[str]:
    """Which of the lines of one kind are about the same as one before them."""
    for place, name in enumerate(named):
        if named.index(name) < place:
            yield f"{kind}.{place}: it is about the same as {kind}.{named.index(name)}"


def view_faults(request: TurnRequest, view: ProposedView, claims: Collection[str]) -> Iterator[str]:
    """What a view is of, or rests on, and is not there."""
    market = request.assignment.market
    own = (market.market,) if market else ()
    areas = market.areas if market else ()
    subjects = (areas or own) if view.kind is ViewKind.STANCE else own
    if view.subject not in subjects:
        yield f"a {view.kind} can only be of {' or '.join(subjects)} here"
    if not set(view.claims).issubset(claims):
        yield "it rests on what is not among the claims"


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


def views_of(found: ResearchResult, proposed: Iterable[ProposedView]) -> tuple[View, ...]:
    """The model's views, and the desk's on what the model has none of."""
    of_desk = {(view.kind, view.subject): view for view in found.views}
    own = {
        (line.kind, line.subject): View(
            **line.model_dump(exclude={"probability"}),
            forecast=_forecast(line, of_desk.get((line.kind, line.subject))),
        )
        for line in proposed
    }
    kept = (view for view in found.views if (view.kind, view.subject) not in own)
    return (*own.values(), *kept)


def _forecast(line: ProposedView, of_desk: View | None) -> Forecast | None:
    """The model's probability over the desk's horizon. Without one the desk's own, if both lean
    the same way, since it is of what came after such moves. An abstention forecasts nothing."""
    made = of_desk.forecast if of_desk else None
    if of_desk is None or made is None or line.leaning is Leaning.ABSTAINS:
        return None
    if line.probability is not None:
        probability = round(line.probability, PROBABILITY_DIGITS)
        return made.model_copy(update={"probability": probability})
    return made if line.leaning is of_desk.leaning else None


TASK: Final = ModelTask((prompt("research"),), ProposedResearch, material, result)
