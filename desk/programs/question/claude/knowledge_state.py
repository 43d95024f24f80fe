"""What the nodes of a graph have brought, as a model is shown it: data, cut where it is long."""

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel, JsonValue

from desk.analytics.names.mentions import NO_MARKET, SHARED_NAME
from desk.analytics.names.periods import READ, UNREAD
from desk.contracts.agents.tasks import (
    DAYS_ASKED,
    DAYS_READ,
    EVENT_DAYS,
    EVENT_READ,
    PAPERS,
    RANK,
    SIDE_BY_SIDE,
    SINCE_DECISION,
    SPELLED,
    UNKNOWN_WORDS,
    Query,
)
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.question.knowledge import (
    DocumentsRead,
    PdfsRead,
    TicketsFound,
    WebSearched,
    things_of,
)
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.turns import StateEntry, TurnContext
from desk.programs.claude.figures import claims_for_model, reportable_claims

MOST_TOLD: Final = 240_000
"""Characters of all things together: 60,000 tokens of prose."""

LONGEST_TOLD: Final = 60_000
LEAST_TOLD: Final = 500
"""Characters of one thing, where there are few and where there are many."""

_LEFT_OUT: Final = frozenset({"html", "task_id", "agent", "evidence"})
"""What is there twice, or is nobody's business."""

_NOTES: Final = frozenset(
    {
        *(DAYS_ASKED, DAYS_READ, NO_MARKET, PAPERS, RANK, READ, SHARED_NAME, SINCE_DECISION),
        *(EVENT_DAYS, EVENT_READ, SIDE_BY_SIDE, SPELLED, UNKNOWN_WORDS, UNREAD),
    }
)
"""Parameters that the desk adds to a question."""

FOUND: Final = (TicketsFound, DocumentsRead, PdfsRead, WebSearched)


def told_state(context: TurnContext) -> list[JsonValue]:
    """What each node before this one brought, with the names by which it is referred to; of a node
    that failed, why."""
    room = room_for(sum(1 for entry in context.state for _ in _things(entry)))
    known: set[str] = set()
    entries = (_entry_for_model(entry, room, known) for entry in context.state)
    return [{**_placed(e), **told} for e, told in zip(context.state, entries, strict=True) if told]


def told_parameters(query: Query | None) -> dict[str, JsonValue]:
    """What whoever asked has given besides the question, without the desk's own notes on how it
    read that: they are told in words, where they matter."""
    given = query.parameters if query else {}
    return {name: value for name, value in given.items() if name not in _NOTES}


def room_for(things: int) -> int:
    """How many characters of each of so many things are shown."""
    return max(LEAST_TOLD, min(LONGEST_TOLD, MOST_TOLD // max(1, things)))


def clipped_fields(thing: BaseModel, room: int) -> dict[str, JsonValue]:
    """A thing that was found, as JSON, of which as much is shown as there is room for."""
    whole = thing.model_dump(mode="json", exclude_none=True, exclude=set(_LEFT_OUT))
    clip = _Clip(room)
    return {name: clip.of(value) for name, value in whole.items()}


def clipped(value: JsonValue, room: int) -> JsonValue:
    """A value of which as much is shown as there is room for, with what is cut off saying so."""
    return _Clip(room).of(value)


def _placed(entry: StateEntry) -> dict[str, JsonValue]:
    """Who brought an entry."""
    key = {} if entry.key == entry.node else {"key": entry.key}
    return {**key, "node": entry.node, "round": entry.round}


def _entry_for_model(entry: StateEntry, room: int, known: set[str]) -> dict[str, JsonValue]:
    """An entry without the claims that are `known` from one before it: the agents of a market see
    the same ones. Empty where it brought nothing."""
    match entry.result:
        case None:
            return {"error": entry.error}
        case QuestionPlan():
            return {}
        case TicketsFound() | DocumentsRead() | PdfsRead() | WebSearched() as found:
            items: list[JsonValue] = [
                {"evidence": name, **clipped_fields(thing, room)}
                for name, thing in zip(found.evidence, things_of(found), strict=False)
            ]
            return (
                {"kind": found.kind, "items": items, "missing": list(found.missing)}
                if (items or found.missing)
                else {}
            )
        case ResearchResult() as research:
            return {"kind": research.kind, **_told_research(research, known)}
        case ValidationResult() as validation:
            against = _told_validation(validation)
            return (
                {"kind": validation.kind, "market": validation.market, **against} if against else {}
            )
        case other:
            return clipped_fields(other, room)


def _told_research(found: ResearchResult, known: set[str]) -> dict[str, JsonValue]:
    new = [c for c in reportable_claims(found.claims) if c.claim_id not in known]
    known.update(claim.claim_id for claim in new)
    return {
        "market": found.market,
        "claims": {**claims_for_model(new)},
        "events": [
            {"day": event.event_date.isoformat(), "description": event.description}
            for event in found.events
        ],
        "findings": [finding.statement for finding in found.findings],
        "views": [
            {"kind": view.kind, "subject": view.subject, "leaning": view.leaning}
            for view in found.views
        ],
        "missing": list(found.missing),
        "warnings": list(found.warnings),
    }


def _told_validation(found: ValidationResult) -> dict[str, JsonValue]:
    """What speaks against findings. That a figure has one source, or two, is on the page beside
    it, and told of none here."""
    doubted = {ClaimStatus.CONTESTED, ClaimStatus.REJECTED}
    verdicts = {v.claim_id: v.words for v in found.verdicts if v.status in doubted}
    objections = [
        {
            "severity": issue.severity,
            **{n: v for n in ("event", "finding") if (v := getattr(issue, n)) is not None},
            "objection": issue.description,
        }
        for issue in found.issues
    ]
    told: dict[str, JsonValue] = {
        "doubted": {**verdicts},
        "objections": [{**each} for each in objections],
        "conflicts": [conflict.resolution for conflict in found.conflicts],
    }
    return {name: value for name, value in told.items() if value}


def _things(entry: StateEntry) -> Iterator[BaseModel]:
    match entry.result:
        case TicketsFound() | DocumentsRead() | PdfsRead() | WebSearched() as found:
            yield from things_of(found)
        case None | QuestionPlan():
            return
        case other:
            yield other


class _Clip:
    """Goes through a value and keeps as many characters of its texts as there is room for."""

    def __init__(self, room: int) -> None:
        self._room = room

    def of(self, value: JsonValue) -> JsonValue:
        """The value, with each text that is cut off saying so."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return self._items(value)
        if isinstance(value, dict):
            return {name: self.of(held) for name, held in value.items()}
        return value

    def _text(self, text: str) -> str:
        kept, self._room = text[: self._room], max(0, self._room - len(text))
        if len(kept) == len(text):
            return text
        return f"{kept} … cut off: {len(text)} characters in all"

    def _items(self, items: list[JsonValue]) -> list[JsonValue]:
        kept: list[JsonValue] = []
        for item in items:
            if self._room == 0:
                return [*kept, f"… left out: {len(items) - len(kept)} more of {len(items)}"]
            kept.append(self.of(item))
        return kept
