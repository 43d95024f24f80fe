"""Applies the gate to every text that an agent delivers.

It checks the prose that a report prints: descriptions of events, warnings, missing data, a
specialist's findings and recommendations, the validator's recommendation, objections, resolutions
of conflicts, and everything in a synthesis or a swarm's plan. A week's plan is internal, and
fetched content is not an agent's prose.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    Commentary,
    ConflictRecord,
    MarketEvent,
    ResearchResult,
    ValidationResult,
)
from desk.contracts.findings.verdicts import DroppedSentence, RejectedFigure
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import AgentResult, StateEntry
from desk.contracts.swarm.plan import SwarmPlan
from desk.trust.prose.gate import LONGEST_NAME, RULES, rejected_figures, without
from desk.trust.prose.sentences import split_sentences
from desk.trust.prose.synthesis_review import claims_in, review_synthesis, without_unfounded

STRATEGY: Final = "strategy"
LEFT_OUT: Final = "What stood here was dropped, because it held figures that are no claims."

_FIELDS: Final = ("objective", "output_format", "boundaries")


def plan_texts(plan: SwarmPlan) -> Iterator[tuple[str, str]]:
    """Yields all prose of a plan, each text with its place."""
    yield STRATEGY, plan.strategy
    for subagent in plan.subagents:
        for field in _FIELDS:
            yield f"{subagent.name}, {field}", getattr(subagent, field)


def plan_without(plan: SwarmPlan, rejected: Collection[RejectedFigure]) -> SwarmPlan:
    """Returns the plan without the sentences that contain rejected figures."""
    left = {
        place: without(prose, [figure for figure in rejected if figure.place == place]) or LEFT_OUT
        for place, prose in plan_texts(plan)
    }
    return _with_texts(plan, left)


def _with_texts(plan: SwarmPlan, texts: Mapping[str, str]) -> SwarmPlan:
    subagents = tuple(
        subagent.model_copy(update={field: texts[f"{subagent.name}, {field}"] for field in _FIELDS})
        for subagent in plan.subagents
    )
    return plan.model_copy(update={"strategy": texts[STRATEGY], "subagents": subagents})


MOST_DROPPED: Final = 200
"""The maximum length of `dropped`."""

UNSUPPORTED: Final = "it held a figure that is no claim, or a reference that does not fit"
EVENT_LEFT_OUT: Final = "nothing was left of its description, so the event was left out"
WORDS_DROPPED: Final = (
    "The words that stood here were dropped, because they held figures that are no claims."
)

_NO_CLAIMS: Final[Mapping[str, Claim]] = MappingProxyType({})

Result = TypeVar("Result", bound=AgentResult)


class Text(NamedTuple):
    """A text of a result. `rests_on` are the claims that it is about. `stated` are figures in it
    that quote a position and are not the writer's."""

    place: str
    prose: str
    rests_on: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()


def review(
    result: AgentResult,
    claims: Mapping[str, Claim] = _NO_CLAIMS,
    state: Sequence[StateEntry] = (),
    conflicts: Sequence[ConflictRecord] = (),
    question: str = "",
) -> tuple[RejectedFigure, ...]:
    """Returns what is wrong with the figures and references in all prose of a result, and with the
    quotations of a synthesis, in order.

    Known claims are those given and the result's own. For a synthesis they are also those of its
    graph's `state` that survive its `conflicts`, and it may refer to figures of the `question`. If
    two claims share an id, a researcher's own one counts for its prose; a validator's prose refers
    to the claims that it was given.
    """
    if isinstance(result, Synthesis):
        return review_synthesis(result, state, conflicts, question)
    known = _known(result, claims, state, conflicts)
    return tuple(found for text in _texts(result) for found in rejected_in(text, known))


def rejected_in(
    text: Text, claims: Mapping[str, Claim], rules: int = RULES
) -> Iterator[RejectedFigure]:
    """Yields the figures and references in one text of a result that are wrong by an edition of the
    rules."""
    for found in rejected_figures(
        text.prose, claims, rests_on=text.rests_on, place=text.place, rules=rules
    ):
        if not any(found.written in words or words in found.written for words in text.stated):
            yield found


def without_rejected(
    result: AgentResult,
    rejected: Collection[RejectedFigure],
    state: Sequence[StateEntry] = (),
    conflicts: Sequence[ConflictRecord] = (),
    question: str = "",
) -> AgentResult:
    """Returns the result without the sentences that contain rejected figures; each is listed in
    `dropped`.

    `rejected` is the review of the result. An event without a description is removed, and so is an
    empty warning or reason for missing data. A text that must not be empty says instead that its
    words were dropped.
    """
    if not rejected:
        return result
    if isinstance(result, Synthesis):
        return without_unfounded(result, tuple(rejected), state, conflicts, question)
    if isinstance(result, SwarmPlan):
        return plan_without(result, rejected)
    cutting = _Cutting({}, [])
    for found in rejected:
        cutting.rejected.setdefault(found.place, []).append(found)
    if isinstance(result, ResearchResult):
        return _cut_research(result, cutting)
    if isinstance(result, Commentary):
        return _cut_commentary(result, cutting)
    return _cut_validation(result, cutting) if isinstance(result, ValidationResult) else result


def without_any_rejected(result: AgentResult, claims: Mapping[str, Claim]) -> AgentResult:
    """Returns the result without rejected sentences. What is left is reviewed again: a sentence
    that was left out may have named what the next one is about."""
    while rejected := review(result, claims):
        kept = without_rejected(result, rejected)
        if kept == result:
            break
        result = kept
    return result


RECOMMENDATION: Final = "recommendation"
SENTENCE: Final = "sentence"
ISSUE_TEXTS: Final = ("description", RECOMMENDATION)
LEAD_TEXTS: Final = ("headline", "standfirst")
THEME_TEXTS: Final = ("title", "moved", "why", "ahead")


def _known(
    result: AgentResult,
    claims: Mapping[str, Claim],
    state: Sequence[StateEntry],
    conflicts: Sequence[ConflictRecord],
) -> Mapping[str, Claim]:
    if isinstance(result, SwarmPlan):
        return claims_in(state, conflicts)
    if isinstance(result, ResearchResult):
        return {**claims, **{claim.claim_id: claim for claim in reversed(result.claims)}}
    if isinstance(result, ValidationResult):
        return {**{claim.claim_id: claim for claim in reversed(result.checks)}, **claims}
    return claims


def _texts(result: AgentResult) -> Iterator[Text]:
    if isinstance(result, ResearchResult):
        yield from _research_texts(result)
    elif isinstance(result, ValidationResult):
        yield from _validation_texts(result)
    elif isinstance(result, Commentary):
        yield from commentary_texts(result)
    elif isinstance(result, SwarmPlan):
        yield from (Text(place, prose) for place, prose in plan_texts(result))


def commentary_texts(result: Commentary) -> Iterator[Text]:
    """Yields all prose of a commentary, each text with its place."""
    yield from _each(result.sentences, SENTENCE)
    for field in LEAD_TEXTS:
        yield from (Text(field, text) for text in (getattr(result, field),) if text)
    for number, theme in enumerate(result.themes, start=1):
        texts = ((field, getattr(theme, field)) for field in THEME_TEXTS)
        yield from (Text(_theme_place(number, field), text) for field, text in texts if text)


def _research_texts(result: ResearchResult) -> Iterator[Text]:
    for number, event in enumerate(result.events, start=1):
        yield Text(_event_place(number, event), event.description, event.claims)
    yield from _each(result.missing, "missing")
    yield from _each(result.warnings, "warning")
    for number, finding in enumerate(result.findings, start=1):
        yield Text(_numbered("finding", number), finding.statement, finding.claims)
    yield from _each(result.contradictions, "contradiction")
    yield from _each(result.recommendations, RECOMMENDATION)


def _validation_texts(result: ValidationResult) -> Iterator[Text]:
    for number, issue in enumerate(result.issues, start=1):
        for field in ISSUE_TEXTS:
            yield Text(_issue_place(number, field), getattr(issue, field), issue.claims)
    for number, conflict in enumerate(result.conflicts, start=1):
        stated = tuple(position.stated for position in conflict.positions)
        yield Text(_numbered("conflict", number), conflict.resolution, stated=stated)
    yield from _each(result.missing, "missing")
    yield Text(RECOMMENDATION, result.recommendation)


def _each(texts: Sequence[str], kind: str) -> Iterator[Text]:
    return (Text(_numbered(kind, number), text) for number, text in enumerate(texts, start=1))


def _numbered(kind: str, number: int) -> str:
    return f"{kind} {number}"


def _theme_place(number: int, field: str) -> str:
    return f"theme {number}, {field}"


def _issue_place(number: int, field: str) -> str:
    return f"issue {number}, {field}"


def _event_place(number: int, event: MarketEvent) -> str:
    return f"event {number}, {event.event_id}"[:LONGEST_NAME]


@dataclass(slots=True)
class _Cutting:
    """Removes the sentences with rejected figures from one text after another."""

    rejected: dict[str, list[RejectedFigure]]
    dropped: list[DroppedSentence]

    def of(self, prose: str, place: str) -> str:
        """Returns the text without its rejected sentences."""
        here = self.rejected.get(place, ())
        if not here:
            return prose
        left = without(prose, here)
        gone = len(split_sentences(prose)) - len(split_sentences(left))
        self.dropped += [DroppedSentence(place=place, reason=UNSUPPORTED)] * max(gone, 1)
        return left

    def of_each(self, texts: Sequence[str], kind: str) -> tuple[str, ...]:
        """Returns the numbered texts without their rejected sentences; texts that became empty are
        left out."""
        left = (self.of(text, _numbered(kind, n)) for n, text in enumerate(texts, start=1))
        return tuple(text for text in left if text)

    def dropped_with(self, before: Sequence[DroppedSentence]) -> tuple[DroppedSentence, ...]:
        """Returns all dropped sentences, the earlier ones first, up to the limit of a result."""
        return (*before, *self.dropped)[:MOST_DROPPED]


def _cut_research(result: ResearchResult, cutting: _Cutting) -> ResearchResult:
    events = []
    for number, event in enumerate(result.events, start=1):
        place = _event_place(number, event)
        left = cutting.of(event.description, place)
        if left:
            events.append(event.model_copy(update={"description": left}))
        elif event.description:
            cutting.dropped.append(DroppedSentence(place=place, reason=EVENT_LEFT_OUT))
    findings = (
        each.model_copy(update={"statement": cutting.of(each.statement, _numbered("finding", n))})
        for n, each in enumerate(result.findings, start=1)
    )
    return result.model_copy(
        update={
            "events": tuple(events),
            "missing": cutting.of_each(result.missing, "missing"),
            "warnings": cutting.of_each(result.warnings, "warning"),
            "findings": tuple(finding for finding in findings if finding.statement),
            "contradictions": cutting.of_each(result.contradictions, "contradiction"),
            "recommendations": cutting.of_each(result.recommendations, RECOMMENDATION),
            "dropped": cutting.dropped_with(result.dropped),
        }
    )


def _cut_commentary(result: Commentary, cutting: _Cutting) -> Commentary:
    """Returns the commentary without its rejected sentences. A theme that loses its title or
    `moved` is removed."""
    themes = (
        theme.model_copy(
            update={
                field: cutting.of(text, _theme_place(n, field)) or None
                for field in THEME_TEXTS
                if (text := getattr(theme, field))
            }
        )
        for n, theme in enumerate(result.themes, start=1)
    )
    texts = ((field, getattr(result, field)) for field in LEAD_TEXTS)
    return result.model_copy(
        update={
            "sentences": cutting.of_each(result.sentences, SENTENCE),
            **{field: cutting.of(text, field) or None for field, text in texts if text},
            "themes": tuple(theme for theme in themes if theme.title and theme.moved),
        }
    )


def _cut_validation(result: ValidationResult, cutting: _Cutting) -> ValidationResult:
    issues = tuple(
        issue.model_copy(
            update={
                field: cutting.of(getattr(issue, field), _issue_place(n, field)) or WORDS_DROPPED
                for field in ISSUE_TEXTS
            }
        )
        for n, issue in enumerate(result.issues, start=1)
    )
    conflicts = tuple(
        conflict.model_copy(
            update={
                "resolution": cutting.of(conflict.resolution, _numbered("conflict", n))
                or WORDS_DROPPED
            }
        )
        for n, conflict in enumerate(result.conflicts, start=1)
    )
    return result.model_copy(
        update={
            "issues": issues,
            "conflicts": conflicts,
            "missing": cutting.of_each(result.missing, "missing"),
            "recommendation": cutting.of(result.recommendation, RECOMMENDATION) or WORDS_DROPPED,
            "dropped": cutting.dropped_with(result.dropped),
        }
    )
