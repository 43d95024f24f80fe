"""The fact check of a finished text by a model: one request, which is shown the sentences as they
will be printed and what each cited figure is, and answers with the sentences that say more.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Final, NamedTuple

from pydantic import Field, JsonValue

from desk.agents.program import ModelTask
from desk.analytics.figures import print_claim, print_known_day
from desk.analytics.prices.series import window_days
from desk.contracts.base import Contract
from desk.contracts.findings.claims import Claim, Metric, Unit, level_named, span_days
from desk.contracts.findings.results import (
    Commentary,
    EventType,
    Impact,
    MarketEvent,
    ResearchResult,
    ValidationResult,
)
from desk.contracts.findings.verdicts import FactCheck, FactObjection
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.documents.rendering.words.prose import Known, odds_of, render_plain
from desk.documents.rendering.words.wording import human
from desk.programs.claude.definitions import DEFINITIONS
from desk.programs.claude.figures import reportable_claims
from desk.programs.claude.prompts import prompt
from desk.programs.turns import claims_of_week
from desk.trust.prose import (
    UnknownReferenceError,
    asked_in,
    cited_in,
    claims_in,
    numbered_sentences,
    subject_name,
)

MOST_OBJECTIONS: Final = 100
LONGEST_REASON: Final = 500
LONGEST_RECALLED: Final = 1_000
MOST_INPUTS: Final = 12
MOST_OTHERS: Final = 80
"""The most figures that are shown besides those cited: of all subjects, and of one measure."""

MOST_NOTED: Final = 60
"""The most events, findings or other notes of one kind that are shown."""

NO_REASON: Final = "it says more than its claims"

FEWEST_OTHERS: Final = 10

_SHOWN_OTHERWISE: Final = (
    *(Metric.SPAN_START, Metric.SPAN_END),
    *(Metric.DECISION_RATE, Metric.DECISION_CHANGE),
)
"""The levels that a move over other days is computed from, and decisions, which are events."""

_NOT_COMPARED: Final = (Unit.LEVEL, Unit.CALENDAR_DAY, Unit.NUMBER)
_OF_A_WEEK: Final = {str(Metric.MOVE), str(Metric.Z_SCORE)}

_OF_WEIGHT: Final = (Impact.HIGH, Impact.MEDIUM)


class ProposedObjection(Contract):
    """A sentence that its claims do not support."""

    sentence: int
    claim: str | None = None
    reason: str


class ProposedFactCheck(Contract):
    """The form of the model's answer."""

    objections: Annotated[tuple[ProposedObjection, ...], Field(max_length=200)] = ()


class _Checked(NamedTuple):
    """What a text may refer to, and what was noted on its subjects."""

    known: Known
    sources: Mapping[str, str]
    notes: Mapping[str, tuple[str, ...]]


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the text of a request for its check, as JSON."""
    query, checked = request.assignment.query, _checked(request)
    first_day, last_day = window_days(request.assignment.window)
    return json.dumps(
        {
            "question": query.question if query else None,
            "as_of": request.assignment.window.end.isoformat(),
            "days": f"{first_day} to {last_day}",
            **_text_for_model(request.text, checked),
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> FactCheck:
    """Returns the objections to sentences that the text has; counts the others.

    Raises:
        ValidationError: the answer does not have its form.
    """
    proposed = ProposedFactCheck.model_validate_json(text)
    sentences = {each.number: each for each in numbered_sentences(_text_of(request))}
    objections = [
        FactObjection(
            sentence=each.sentence,
            claim=each.claim if each.claim in cited_in(sentences[each.sentence]) else None,
            reason=each.reason.strip()[:LONGEST_REASON] or NO_REASON,
        )
        for each in proposed.objections
        if each.sentence in sentences
    ]
    return FactCheck(
        task_id=request.assignment.task_id,
        objections=tuple(objections[:MOST_OBJECTIONS]),
        ignored=len(proposed.objections) - len(objections),
    )


def _text_of(request: TurnRequest) -> AgentResult:
    if request.text is None:
        raise ValueError("there is no text to check")
    return request.text


def _text_for_model(text: AgentResult | None, checked: _Checked) -> dict[str, JsonValue]:
    """Formats a text with the claims and quotations that it cites."""
    sentences = numbered_sentences(text) if text else ()
    cited = tuple(dict.fromkeys(name for each in sentences for name in cited_in(each)))
    claims, quotations = checked.known.claims, checked.known.quotations
    return {
        "sentences": [
            {
                "number": each.number,
                "place": each.place,
                "text": _printed(each.prose, checked.known),
                "cites": [name for name in cited_in(each) if name in {**claims, **quotations}],
            }
            for each in sentences
        ],
        "claims": {
            name: described(claims[name], claims, checked.sources)
            for name in cited
            if name in claims
        },
        "quotations": {
            name: f"“{quotations[name].text}” ({quotations[name].source})"
            for name in cited
            if name in quotations
        },
        "other_figures": _other_figures(text, cited, claims),
        "same_figures": _same_figures(text, cited, claims),
        "background": {kind: list(lines) for kind, lines in checked.notes.items() if lines},
    }


def described(claim: Claim, claims: Mapping[str, Claim], sources: Mapping[str, str]) -> str:
    """Describes a claim: its subject, its value, what it measures, its days, and its source."""
    subject = subject_name(claim)
    named = subject if subject == claim.subject else f"{subject} ({claim.subject})"
    parts = [
        f"{named}, {human(claim.metric)}: {print_claim(claim)}",
        DEFINITIONS.get(claim.metric, ""),
        _change_by_decision(claim, claims),
        _days(claim),
        _computed_from(claim, claims),
        _published(claim, claims, sources),
    ]
    return "; ".join(part for part in parts if part)


def _change_by_decision(claim: Claim, claims: Mapping[str, Claim]) -> str:
    """Says by how much the decision changed a rate: the rate alone does not say whether it held."""
    change = claims.get(claim.claim_id.replace(Metric.DECISION_RATE, Metric.DECISION_CHANGE))
    is_rate = claim.metric is Metric.DECISION_RATE
    return f"changed by {print_claim(change)}" if is_rate and change else ""


def _days(claim: Claim) -> str:
    level, span = level_named(claim.claim_id), span_days(claim)
    of_level = f"level {level}, " if level is not None else ""
    if span is not None:
        return f"{of_level}over {span[0].isoformat()} to {span[1].isoformat()}"
    return f"as of {print_known_day(claim.as_of, claim.precision)}"


def _computed_from(claim: Claim, claims: Mapping[str, Claim]) -> str:
    inputs = [claims[name] for name in claim.inputs if name in claims]
    listed = ", ".join(
        f"{each.subject} {human(each.metric)} {print_claim(each)}"
        f" ({print_known_day(each.as_of, each.precision)})"
        for each in inputs[:MOST_INPUTS]
    )
    more = f" and {len(inputs) - MOST_INPUTS} more" if inputs[MOST_INPUTS:] else ""
    return f"computed from {listed}{more}" if listed else ""


def _published(claim: Claim, claims: Mapping[str, Claim], sources: Mapping[str, str]) -> str:
    own = [name for name in claim.evidence if name in sources]
    of_inputs = (name for each in claim.inputs if each in claims for name in claims[each].evidence)
    names = own or [name for name in of_inputs if name in sources]
    publishers = list(dict.fromkeys(sources[name] for name in names))[:3]
    return f"published by {', '.join(publishers)}" if publishers else ""


def _other_figures(
    text: AgentResult | None, cited: Sequence[str], claims: Mapping[str, Claim]
) -> dict[str, JsonValue]:
    """Lists the other claims on each subject that an answer cites, which its writer was shown, the
    newest first. A commentary is on too many."""
    if isinstance(text, Commentary):
        return {}
    others: dict[str, list[str]] = {claims[name].subject: [] for name in cited if name in claims}
    known = sorted(reportable_claims(claims.values()), key=lambda each: each.as_of, reverse=True)
    for claim in known:
        lines = others.get(claim.subject)
        if (
            lines is not None
            and claim.claim_id not in cited
            and claim.metric not in _SHOWN_OTHERWISE
        ):
            lines.append(f"{human(claim.metric)} {print_claim(claim)}, {_days(claim)}")
    most = max(FEWEST_OTHERS, MOST_OTHERS // max(1, len(others)))
    return {subject: "; ".join(lines[:most]) for subject, lines in others.items() if lines}


def _same_figures(
    text: AgentResult | None, cited: Iterable[str], claims: Mapping[str, Claim]
) -> dict[str, JsonValue]:
    """Lists the same measures of other subjects, by the measure; for a commentary also how far and
    how unusually each market moved. Levels of different markets cannot be compared."""
    cited = frozenset(cited)
    measures = {name.partition(":")[2] for name in cited if name in claims and "@" not in name}
    measures |= _OF_A_WEEK if isinstance(text, Commentary) else set()
    others: dict[str, list[str]] = {}
    for name, claim in claims.items():
        measure = name.partition(":")[2]
        if name not in cited and measure in measures and claim.unit not in _NOT_COMPARED:
            others.setdefault(measure, []).append(f"{claim.subject} {print_claim(claim)}")
    return {measure: "; ".join(lines[:MOST_OTHERS]) for measure, lines in others.items()}


def _printed(prose: str, known: Known) -> str:
    try:
        return render_plain(prose, known)
    except UnknownReferenceError:
        return prose


def _checked(request: TurnRequest) -> _Checked:
    """Collects what the writer of a request's text was shown."""
    text, query = request.text, request.assignment.query
    of_state = [entry.result for entry in request.state]
    research = [r for r in (*request.findings, *of_state) if isinstance(r, ResearchResult)]
    claims = claims_in(request.state, request.conflicts)
    if isinstance(text, Commentary):
        found = {c.claim_id: c for finding in request.findings for c in finding.claims}
        claims = claims_of_week(request, found)
    own = text if isinstance(text, Synthesis) else None
    known = Known(
        claims,
        {each.quotation_id: each for each in own.quotations} if own else {},
        odds_of(own.hypotheses if own else ()),
        asked_in(query.question if query else ""),
    )
    sources = {s.evidence_id: s.name for found in research for s in found.sources}
    validations = [r for r in of_state if isinstance(r, ValidationResult)]
    notes = _notes(text, research, validations, known)
    board = request.board.insights if request.board else ()
    notes["insights"] = _each_once((each.statement for each in board), known)
    notes["conflicts"] = _each_once((each.resolution for each in request.conflicts), known)
    recalled = (each.entry.text[:LONGEST_RECALLED] for each in request.recalled)
    notes["recalled"] = _each_once(recalled, known)
    notes["own"] = _each_once(_own_views(own), known)
    return _Checked(known, sources, notes)


def _notes(
    text: AgentResult | None,
    research: Sequence[ResearchResult],
    validations: Sequence[ValidationResult],
    known: Known,
) -> dict[str, tuple[str, ...]]:
    """Returns what the agents noted on the subjects of a text, by kind, each once."""
    cited = (name for each in (numbered_sentences(text) if text else ()) for name in cited_in(each))
    subjects = {known.claims[name].subject for name in cited if name in known.claims}
    near = [each for each in research if each.market in subjects or _shares(each, subjects)]
    events = [event for found in near for event in found.events if _matters(event, text)]
    events.sort(key=lambda each: each.event_date, reverse=True)
    return {
        "events": _each_once(map(_event_line, events), known),
        "findings": _each_once((f.statement for found in near for f in found.findings), known),
        "objections": _each_once(
            (f"{v.market}: {issue.description}" for v in validations for issue in v.issues), known
        ),
        "missing": _each_once((line for found in research for line in found.missing), known),
    }


def _own_views(text: Synthesis | None) -> Iterator[str]:
    """Yields what the writer itself expects and advises, which its text may say."""
    for each in text.hypotheses if text else ():
        yield f"expects: {each.statement} (with a probability of {each.probability:.0%})"
    if text and (advice := text.recommendation):
        yield f"recommends to {advice.action}, with a confidence of {advice.confidence:.0%}"
        yield f"expects a higher price with a probability of {advice.probability:.0%}"
    if text and text.decided:
        yield f"answers: {text.decided}"


def _shares(found: ResearchResult, subjects: Iterable[str]) -> bool:
    """Returns whether a result has a claim on one of the subjects."""
    return not {claim.subject for claim in found.claims}.isdisjoint(subjects)


def _matters(event: MarketEvent, text: AgentResult | None) -> bool:
    """Returns whether an event can be what a text speaks of: a commentary's writer is shown those
    of some weight and the decisions ahead."""
    ahead = event.event_type is EventType.SCHEDULED_DECISION
    return ahead or not isinstance(text, Commentary) or event.impact in _OF_WEIGHT


def _event_line(event: MarketEvent) -> str:
    """Describes an event with its day. A bank's decision is the same in each of its markets."""
    of_market = "" if event.area else f"{event.market}: "
    return f"{event.event_date}: {of_market}{event.description}"


def _each_once(lines: Iterable[str], known: Known) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(_printed(line, known) for line in lines), MOST_NOTED))


TASK: Final = ModelTask(
    (prompt("fact_check"),), ProposedFactCheck, material, result, without_tools=True
)
