"""The figure gate applied to everything that an agent delivers.

What is read is what a report prints of an agent's words: descriptions of events, warnings, what
is missing, what a specialist finds and recommends, the validator's recommendation, objections, how
conflicts were settled, and all of a synthesis and of a swarm's plan. A week's plan is for the desk
alone, and what was fetched is nobody's prose. Light: the agent loop calls this in the workflow.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from contracts.claims import Claim
from contracts.knowledge import Synthesis
from contracts.results import (
    Commentary,
    ConflictRecord,
    MarketEvent,
    ResearchResult,
    ValidationResult,
)
from contracts.swarm import SwarmPlan
from contracts.turns import AgentResult, StateEntry
from contracts.verdicts import DroppedSentence, RejectedFigure
from domain.figure_gate import LONGEST_NAME, drop_sentences, read_prose
from domain.plan_review import plan_without, review_plan
from domain.prose import LONGEST_TEXT
from domain.sentences import split_sentences
from domain.synthesis_review import claims_in, review_synthesis, without_unfounded

MOST_DROPPED: Final = 200
"""The bound of `dropped`."""

UNSUPPORTED: Final = "it held a figure that is no claim, or that several claims state"
EVENT_LEFT_OUT: Final = "nothing was left of its description, so the event was left out"
WORDS_DROPPED: Final = (
    "The words that stood here were dropped, because they held figures that are no claims."
)

RECOMMENDATION: Final = "recommendation"
SENTENCE: Final = "sentence"
ISSUE_TEXTS: Final = ("description", RECOMMENDATION)

_ASIDE: Final = "stated "
_SET_ASIDE: Final = re.compile(rf"\[\[{_ASIDE}(\d{{1,4}})\]\]")
_NO_CLAIMS: Final[Mapping[str, Claim]] = MappingProxyType({})


class Review(NamedTuple):
    """A result with its figures bound to claims, and the figures that are none."""

    result: AgentResult
    rejected: tuple[RejectedFigure, ...]


@dataclass(slots=True)
class _Reading:
    """Reads one text after the other and keeps what was rejected."""

    claims: Mapping[str, Claim]
    rejected: list[RejectedFigure]

    def of(self, prose: str, place: str, rests_on: Collection[str] = ()) -> str:
        """A text with its figures bound."""
        read = read_prose(prose, self.claims, rests_on=rests_on, place=place)
        self.rejected += read.rejected
        return read.prose

    def of_each(self, texts: Sequence[str], kind: str) -> tuple[str, ...]:
        """Numbered texts of one kind."""
        return tuple(self.of(text, _numbered(kind, n)) for n, text in enumerate(texts, start=1))


@dataclass(slots=True)
class _Cutting:
    """Takes the sentences with rejected figures out of one text after the other."""

    rejected: Mapping[str, Sequence[RejectedFigure]]
    dropped: list[DroppedSentence]

    def of(self, prose: str, place: str) -> str:
        """What is left of a text."""
        here = self.rejected.get(place, ())
        if not here:
            return prose
        left = drop_sentences(prose, here)
        gone = len(split_sentences(prose)) - len(split_sentences(left))
        self.dropped += [DroppedSentence(place=place, reason=UNSUPPORTED)] * max(gone, 1)
        return left

    def of_each(self, texts: Sequence[str], kind: str) -> tuple[str, ...]:
        """What is left of numbered texts, without those of which nothing is."""
        left = (self.of(text, _numbered(kind, n)) for n, text in enumerate(texts, start=1))
        return tuple(text for text in left if text)

    def dropped_with(self, before: Sequence[DroppedSentence]) -> tuple[DroppedSentence, ...]:
        """Everything dropped, the earlier first, as far as a result holds it."""
        return (*before, *self.dropped)[:MOST_DROPPED]


def review(
    result: AgentResult,
    claims: Mapping[str, Claim] = _NO_CLAIMS,
    state: Sequence[StateEntry] = (),
    conflicts: Sequence[ConflictRecord] = (),
) -> Review:
    """Reads all prose of a result for figures, and a synthesis for its quotations.

    Known are the claims given and the result's own, to a synthesis those of its graph's `state`
    that stand once its `conflicts` are decided. Of two with one id a researcher's own one counts
    for its prose; a validator speaks of the claims that it was given.

    Returns:
        The same result with every figure that states a claim replaced by its reference, and the
        figures that are none, in the order in which they stand.
    """
    if isinstance(result, Synthesis):
        return Review(*review_synthesis(result, state, conflicts))
    if isinstance(result, SwarmPlan):
        return Review(*review_plan(result, claims_in(state, conflicts)))
    if isinstance(result, ResearchResult):
        own = {claim.claim_id: claim for claim in reversed(result.claims)}
        reading = _Reading({**claims, **own}, [])
        return Review(_read_research(result, reading), tuple(reading.rejected))
    if isinstance(result, Commentary):
        reading = _Reading(claims, [])
        sentences = reading.of_each(result.sentences, SENTENCE)
        return Review(result.model_copy(update={"sentences": sentences}), tuple(reading.rejected))
    if not isinstance(result, ValidationResult):
        return Review(result, ())
    checks = {claim.claim_id: claim for claim in reversed(result.checks)}
    reading = _Reading({**checks, **claims}, [])
    read = _read_validation(result, reading)
    return Review(read, tuple(reading.rejected))


def without_rejected(
    result: AgentResult,
    rejected: Collection[RejectedFigure],
    state: Sequence[StateEntry] = (),
    conflicts: Sequence[ConflictRecord] = (),
) -> AgentResult:
    """The result without the sentences that hold the rejected figures, each told in `dropped`.

    `result` and `rejected` are those of one review. An event without a description left goes; so
    does a warning, or a word on what is missing. What must say something says that its words
    were dropped.
    """
    if not rejected:
        return result
    if isinstance(result, Synthesis):
        return without_unfounded(result, tuple(rejected), state, conflicts)
    if isinstance(result, SwarmPlan):
        return plan_without(result, rejected)
    by_place: dict[str, list[RejectedFigure]] = {}
    for figure in rejected:
        by_place.setdefault(figure.place, []).append(figure)
    cutting = _Cutting(by_place, [])
    if isinstance(result, ResearchResult):
        return _cut_research(result, cutting)
    if isinstance(result, Commentary):
        return result.model_copy(update={"sentences": cutting.of_each(result.sentences, SENTENCE)})
    return _cut_validation(result, cutting) if isinstance(result, ValidationResult) else result


def _numbered(kind: str, number: int) -> str:
    return f"{kind} {number}"


def _issue_place(number: int, field: str) -> str:
    return f"issue {number}, {field}"


def _finding(number: int) -> str:
    return _numbered("finding", number)


def _event_place(number: int, event: MarketEvent) -> str:
    return f"event {number}, {event.event_id}"[:LONGEST_NAME]


def _read_research(result: ResearchResult, reading: _Reading) -> ResearchResult:
    events = tuple(
        event.model_copy(
            update={
                "description": reading.of(event.description, _event_place(n, event), event.claims)
            }
        )
        for n, event in enumerate(result.events, start=1)
    )
    return result.model_copy(
        update={
            "events": events,
            "missing": reading.of_each(result.missing, "missing"),
            "warnings": reading.of_each(result.warnings, "warning"),
            **_read_findings(result, reading),
        }
    )


def _read_findings(result: ResearchResult, reading: _Reading) -> dict[str, object]:
    findings = tuple(
        finding.model_copy(
            update={"statement": reading.of(finding.statement, _finding(n), finding.claims)}
        )
        for n, finding in enumerate(result.findings, start=1)
    )
    return {
        "findings": findings,
        "contradictions": reading.of_each(result.contradictions, "contradiction"),
        "recommendations": reading.of_each(result.recommendations, RECOMMENDATION),
    }


def _read_validation(result: ValidationResult, reading: _Reading) -> ValidationResult:
    issues = tuple(
        issue.model_copy(
            update={
                field: reading.of(getattr(issue, field), _issue_place(n, field), issue.claims)
                for field in ISSUE_TEXTS
            }
        )
        for n, issue in enumerate(result.issues, start=1)
    )
    conflicts = tuple(
        conflict.model_copy(
            update={"resolution": _read_resolution(conflict, reading, _numbered("conflict", n))}
        )
        for n, conflict in enumerate(result.conflicts, start=1)
    )
    return result.model_copy(
        update={
            "issues": issues,
            "conflicts": conflicts,
            "missing": reading.of_each(result.missing, "missing"),
            "recommendation": reading.of(result.recommendation, RECOMMENDATION),
        }
    )


def _read_resolution(conflict: ConflictRecord, reading: _Reading, place: str) -> str:
    """How a conflict was settled, with what its positions state left as it stands: the dissent
    is printed beside what holds, and a reference would print the one for the other."""
    stated = sorted({position.stated for position in conflict.positions}, key=len, reverse=True)
    alone = "|".join(re.escape(words) for words in stated)
    kept: list[str] = []

    def set_aside(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"[[{_ASIDE}{len(kept) - 1}]]"

    def put_back(text: str) -> str:
        return _SET_ASIDE.sub(lambda found: "".join(kept[int(found[1]) :][:1]) or found[0], text)

    before = len(reading.rejected)
    apart = re.sub(rf"(?<![\w.,+-])(?:{alone})(?!\w|[.,]\d)", set_aside, conflict.resolution)
    resolution = put_back(reading.of(apart, place))
    reading.rejected[before:] = [
        figure.model_copy(update={"sentence": put_back(figure.sentence)})
        for figure in reading.rejected[before:]
    ]
    return resolution if len(resolution) <= LONGEST_TEXT else conflict.resolution


def _cut_research(result: ResearchResult, cutting: _Cutting) -> ResearchResult:
    events = []
    for number, event in enumerate(result.events, start=1):
        place = _event_place(number, event)
        left = cutting.of(event.description, place)
        if left:
            events.append(event.model_copy(update={"description": left}))
        elif event.description:
            cutting.dropped.append(DroppedSentence(place=place, reason=EVENT_LEFT_OUT))
    return result.model_copy(
        update={
            "events": tuple(events),
            "missing": cutting.of_each(result.missing, "missing"),
            "warnings": cutting.of_each(result.warnings, "warning"),
            **_cut_findings(result, cutting),
            "dropped": cutting.dropped_with(result.dropped),
        }
    )


def _cut_findings(result: ResearchResult, cutting: _Cutting) -> dict[str, object]:
    left = (
        finding.model_copy(update={"statement": cutting.of(finding.statement, _finding(n))})
        for n, finding in enumerate(result.findings, start=1)
    )
    return {
        "findings": tuple(finding for finding in left if finding.statement),
        "contradictions": cutting.of_each(result.contradictions, "contradiction"),
        "recommendations": cutting.of_each(result.recommendations, RECOMMENDATION),
    }


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
