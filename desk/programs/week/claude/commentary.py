"""The product manager as a model: writes a report's lead from the claims of its week."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import Field, JsonValue, StringConstraints

from desk.agents.program import ModelTask
from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    Commentary,
    EventType,
    Impact,
    MarketEvent,
    ObjectionOutcome,
    ResearchResult,
    ValidationIssue,
    ValidationResult,
    WrittenTheme,
)
from desk.contracts.markets import MarketKind
from desk.contracts.runs.turns import AgentResult, TurnRequest, WeekContext
from desk.programs.claude.answers import schema_of
from desk.programs.claude.figures import claims_for_model
from desk.programs.claude.findings import checked, duplicates, nearest_to
from desk.programs.claude.prompts import prompt
from desk.programs.turns import checks_in
from desk.trust.claims.banks import BANKS
from desk.trust.claims.dollar_index import dollar_index_claims
from desk.trust.claims.week_counts import week_counts
from desk.trust.judging import ObjectionGrounds, settled_by, withholds
from desk.trust.prose import references

LONGEST_HEADLINE: Final = 200
LONGEST_TITLE: Final = 80
LONGEST_TEXT: Final = 500
TOLD: Final = (Impact.HIGH, Impact.MEDIUM)


def _of(most: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=most)


class ProposedTheme(Contract):
    """One of the few themes of the week."""

    title: Annotated[str, _of(LONGEST_TITLE)]
    markets: Annotated[tuple[ShortText, ...], Field(max_length=20)] = ()
    moved: Annotated[str, _of(LONGEST_TEXT)]
    why: Annotated[str, _of(LONGEST_TEXT)] | None = None
    reported: ShortText | None = None
    ahead: Annotated[str, _of(LONGEST_TEXT)] | None = None


class ProposedCommentary(Contract):
    """The form of the model's answer."""

    headline: Annotated[str, _of(LONGEST_HEADLINE)]
    standfirst: Annotated[str, _of(LONGEST_TEXT)] | None = None
    themes: Annotated[tuple[ProposedTheme, ...], Field(max_length=5)] = ()


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats what matters in the week as JSON: events and findings, quiet markets, the validators'
    objections, the claims that these refer to (each once), how the groups did, whose outcome is not
    known, and what lies ahead."""
    told: dict[str, object] = {
        "week": request.assignment.week,
        "as_of": request.assignment.window.end.isoformat(),
        "events": list(_events(request)),
        "news": list(_news(request)),
        "findings": list(_findings(request)),
        "quiet": list(_quiet(request)),
        "objections": list(_objections(request)),
        "claims": claims_for_model(_claims(request)),
        "groups": _groups(request),
        "counts": claims_for_model(_counts(request)),
        "outcomes_unknown": list(_scheduled(request, ahead=False)),
        "decisions_ahead": list(_scheduled(request, ahead=True)),
    }
    return json.dumps({n: value for n, value in told.items() if value}, ensure_ascii=False)


def is_worth_it(request: TurnRequest, base: AgentResult | None) -> bool:
    """Returns whether the week has anything to write about."""
    ahead = _scheduled(request, ahead=True)
    return any(True for _ in _of_weight(request)) or any(True for _ in ahead)


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Commentary:
    """Returns the headline and the themes as the model wrote them. The figure gate checks them
    next.

    Raises:
        ValidationError: the answer does not have its form.
        Refused: a theme names an unknown market or news event, gives a reason without evidence, or
            has a reference in its title.
    """
    proposed = ProposedCommentary.model_validate_json(text)
    return checked(_faults(request, proposed), lambda: _written(request, proposed))


def _ids(request: TurnRequest) -> set[str]:
    return {str(each["event_id"]) for each in _news(request)}


def _schema(request: TurnRequest) -> dict[str, JsonValue]:
    """The schema of the answer. It has no field for news if there is none."""
    schema = schema_of(ProposedCommentary)
    if not _ids(request):
        schema["$defs"]["ProposedTheme"]["properties"].pop("reported")
    return schema


def _written(request: TurnRequest, proposed: ProposedCommentary) -> Commentary:
    return Commentary(
        task_id=request.assignment.task_id,
        headline=proposed.headline,
        standfirst=proposed.standfirst,
        themes=tuple(WrittenTheme(**theme.model_dump()) for theme in proposed.themes),
    )


def _faults(request: TurnRequest, proposed: ProposedCommentary) -> Iterator[str]:
    """Yields what is wrong and where, without the model's words, which could end up in a report."""
    markets, news = {spec.market for spec in request.markets}, _ids(request)
    for place, theme in enumerate(proposed.themes):
        if references(theme.title):
            yield f"themes.{place}.title: a title has no reference; say it in words"
        for number, name in enumerate(theme.markets):
            if name not in markets:
                yield (
                    f"themes.{place}.markets.{number}: no market in the data has that name;"
                    f" {nearest_to(name, sorted(markets))}"
                )
        if theme.reported is not None and theme.reported not in news:
            told = (
                f"there are {', '.join(sorted(news))}" if news else "there are none: leave it out"
            )
            yield f"themes.{place}.reported: no event of the news goes by that id; {told}"
        if theme.why and not theme.reported and not references(theme.why):
            way = "refer to a claim, name the event in `reported`," if news else "refer to a claim"
            yield f"themes.{place}.why: it rests on nothing: {way} or leave it out"
    yield from duplicates("themes", [theme.title for theme in proposed.themes])


def _events(request: TurnRequest) -> Iterator[dict[str, object]]:
    """Yields the events that mattered, without scheduled ones and news."""
    apart = (EventType.SCHEDULED_DECISION, EventType.NEWS)
    for event in _of_weight(request):
        if event.event_type not in apart:
            yield {"type": event.event_type, "impact": event.impact, **_event_for_model(event)}


def _news(request: TurnRequest) -> Iterator[dict[str, object]]:
    for event in _of_weight(request):
        if event.event_type is EventType.NEWS:
            yield {"event_id": event.event_id, **_event_for_model(event)}


def _of_weight(context: WeekContext) -> Iterator[MarketEvent]:
    """Yields the events that mattered, without those that an objection withholds."""
    events, gone = (e for f in context.findings for e in f.events), _withheld(context)
    return (event for event in events if event.impact in TOLD and event.event_id not in gone)


def _event_for_model(event: MarketEvent) -> dict[str, object]:
    return {
        "market": event.market,
        "day": event.event_date.isoformat(),
        "description": event.description,
    }


def _findings(context: WeekContext) -> Iterator[dict[str, object]]:
    """Yields the agents' findings that are not events, without those that are withheld."""
    gone = _withheld(context)
    for finding in context.findings:
        for each in (each for each in finding.findings if each.statement not in gone):
            yield {"market": finding.market, "statement": each.statement}


def _groups(context: WeekContext) -> dict[str, list[str]]:
    """Groups the pairs. Omits policy rates: their banks' events cover them."""
    groups: dict[str, list[str]] = {}
    for spec in context.markets:
        if spec.kind is MarketKind.PAIR:
            groups.setdefault(spec.group, []).append(spec.market)
    return groups


def _counts(request: TurnRequest) -> Iterable[Claim]:
    """The counts over the week's claims: how many went which way, and the dollar's index."""
    claims = {claim.claim_id: claim for finding in request.findings for claim in finding.claims}
    first_day, _ = window_days(request.assignment.window)
    counted = week_counts(claims, request.markets, first_day)
    return (*counted.values(), *dollar_index_claims(claims).values())


def _quiet(request: TurnRequest) -> Iterator[dict[str, object]]:
    """Yields the pairs without an event that matters, each with a model's description of the move,
    or else the move itself."""
    loud, gone = {event["market"] for event in _events(request)}, _withheld(request)
    for finding in request.findings:
        if finding.market not in loud and (move := _move(finding)):
            told = (e for e in finding.events if e.event_type is EventType.FX_MOVEMENT)
            words = (
                next((e.description for e in told if e.event_id not in gone), None)
                if finding.version == 0
                else None
            )
            yield {"market": finding.market, "description": words or f"[[{move.claim_id}]]"}


def _move(finding: ResearchResult) -> Claim | None:
    """Returns the move of a result's own market."""
    own = (c for c in finding.claims if c.subject == finding.market and c.metric is Metric.MOVE)
    return next(own, None)


def _scheduled(request: TurnRequest, *, ahead: bool) -> Iterator[dict[str, object]]:
    """Yields the scheduled decisions, without duplicates, in order: those to come, or those that
    were due and whose outcome no source has."""
    last_day = request.assignment.window.end.date()
    scheduled = {
        (event.event_date, event.area): event
        for finding in request.findings
        for event in finding.events
        if event.event_type is EventType.SCHEDULED_DECISION
        and (event.event_date >= last_day) is ahead
    }
    for (day, area), event in sorted(scheduled.items(), key=lambda item: item[0][0]):
        yield {"day": day.isoformat(), "area": area, "bank": event.central_bank}


def _objections(context: WeekContext) -> Iterator[dict[str, object]]:
    """Yields the validators' objections that the evidence does not disprove. Omits those that take
    their object out of the report, because that is not shown either."""
    for market, issue, outcome in _settled(context):
        if outcome is not ObjectionOutcome.DISPROVED and not withholds(issue.severity, outcome):
            yield {
                "market": market,
                "event": issue.event,
                "finding": issue.finding,
                "claims": issue.claims,
                "severity": issue.severity,
                "is": outcome,
                "objection": issue.description,
            }


def _withheld(context: WeekContext) -> set[str | None]:
    """Returns the events (by id) and the findings (by statement) that objections take out of the
    report."""
    gone = (i for _, i, outcome in _settled(context) if withholds(i.severity, outcome))
    return {named for issue in gone for named in (issue.event, issue.finding)} - {None}


def _settled(
    context: WeekContext,
) -> Iterator[tuple[str, ValidationIssue, ObjectionOutcome]]:
    """Yields the validators' objections with their market, as the evidence settles them."""
    events = {e.event_id: e for finding in context.findings for e in finding.events}
    claims = {c.claim_id: c for finding in context.findings for c in finding.claims}
    grounds = ObjectionGrounds(claims, events, BANKS)
    for entry in context.state:
        if isinstance(entry.result, ValidationResult):
            for issue in entry.result.issues:
                yield entry.result.market, issue, settled_by(issue, grounds).outcome


def _claims(request: TurnRequest) -> Iterator[Claim]:
    """Yields the claims that the material refers to or rests on, without duplicates."""
    known = checks_in(request.state) | {
        claim.claim_id: claim for finding in request.findings for claim in finding.claims
    }
    texts = (
        *(str(each["description"]) for each in (*_events(request), *_news(request))),
        *(str(each["description"]) for each in _quiet(request)),
        *(str(each["statement"]) for each in _findings(request)),
        *(str(each["objection"]) for each in _objections(request)),
    )
    rested_on = (n for found in request.findings for each in found.findings for n in each.claims)
    named = dict.fromkeys((*(n for text in texts for n in references(text)), *rested_on))
    return (known[name] for name in named if name in known)


TASK: Final = ModelTask(
    (prompt("commentary"),),
    ProposedCommentary,
    material,
    result,
    schema=_schema,
    is_worth_it=is_worth_it,
)
