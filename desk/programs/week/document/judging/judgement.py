"""Decides which of a week's findings may be printed: the claims that survive, their verdicts, and
the sentences that only refer to these."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from desk.contracts.agents.config import RunConfig, VotingConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    ConflictRecord,
    Finding,
    MarketEvent,
    ObjectionOutcome,
    ResearchResult,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.findings.source_results import (
    DecisionCalendar,
    PolicyRates,
    RateDecisions,
    SourceResult,
)
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict, DroppedSentence
from desk.contracts.markets import AreaCode, MarketSpec
from desk.contracts.week.report import MarketOutcome, ReportedObjection
from desk.programs.week.document.judging.claims import returned_by, same_figure, week_claims
from desk.programs.week.document.judging.conflicts import conflicts_of
from desk.programs.week.document.judging.coverage import NOT_REACHED, is_counted
from desk.programs.week.document.judging.surviving import (
    PrintedClaims,
    sifted,
    surviving_claims_of,
    with_referred,
)
from desk.programs.week.document.judging.verdicts import verdicts_of
from desk.runs.boards import decide_outcome
from desk.trust.claims.banks import known_banks
from desk.trust.judging import ObjectionGrounds, settled_by, withholds
from desk.trust.judging.checks import CHECKS, check_bank
from desk.trust.ledger import Ledger
from desk.trust.ledger.events import check_event_day, check_scheduled_day, scheduled_days
from desk.trust.prose import (
    clip,
    is_about,
    is_about_finding,
    render,
    split_sentences,
    unknown_references,
    without_any_rejected,
)

WHY = {
    ObjectionOutcome.CONFIRMED: "the evidence confirms an objection to it",
    ObjectionOutcome.UNSETTLED: "a critical objection to it is not settled by evidence",
}


class Heard(NamedTuple):
    """An outcome without the events that objections remove, and the reason for each."""

    outcome: MarketOutcome
    dropped: tuple[DroppedSentence, ...]


def grounds_of(
    outcome: MarketOutcome,
    claims: Mapping[str, Claim],
    verdicts: Iterable[ClaimVerdict],
    banks: Mapping[AreaCode, str],
    areas: Collection[AreaCode],
) -> ObjectionGrounds:
    """What the objections to a market's findings are compared with: the claims that its prose may
    refer to, and its events."""
    contested = {v.claim_id for v in verdicts if v.status is ClaimStatus.CONTESTED}
    events = {event.event_id: event for result in outcome.results for event in result.events}
    return ObjectionGrounds(claims, events, banks, areas, contested)


def without_objected(outcome: MarketOutcome, grounds: ObjectionGrounds) -> Heard:
    """Removes the events and findings that an objection withholds from the outcome."""
    objections = [
        (issue, settled.outcome)
        for issue in (outcome.validation.issues if outcome.validation else ())
        if withholds(issue.severity, (settled := settled_by(issue, grounds)).outcome)
    ]
    if not objections:
        return Heard(outcome, ())
    results = tuple(_without(result, objections) for result in outcome.results)
    left = {event.event_id for result in results for event in result.events}
    dropped = tuple(
        DroppedSentence(place=event_id, reason=WHY[_against(event, objections)])
        for event_id, event in grounds.events.items()
        if event_id not in left
    )
    gone = (
        DroppedSentence(place=f"finding {place}", reason=WHY[against])
        for result in outcome.results
        for place, finding in enumerate(result.findings, start=1)
        if (against := _against_finding(finding, objections)) is not None
    )
    return Heard(outcome.model_copy(update={"results": results}), (*dropped, *gone))


def objections_of(
    outcome: MarketOutcome, grounds: ObjectionGrounds
) -> tuple[ReportedObjection, ...]:
    """Returns every objection to what is left, with its settlement, in the order raised. An
    objection to a removed text is removed with it; the reason for the removal is listed with what
    was left out."""
    issues = outcome.validation.issues if outcome.validation else ()
    left = {event.event_id for result in outcome.results for event in result.events}
    found = {f.statement for result in outcome.results for f in result.findings}
    return tuple(
        _reported(issue, grounds)
        for issue in dict.fromkeys(issues)
        if any(is_about_finding(issue, statement) for statement in found)
        or _is_to_what_stands(issue, grounds, left)
    )


def _is_to_what_stands(
    issue: ValidationIssue, grounds: ObjectionGrounds, left: Collection[str]
) -> bool:
    """Returns whether one of the texts that an objection is about is among the remaining events. An
    objection to a figure always counts."""
    if issue.event is None and issue.finding is None and issue.issue_type in CHECKS:
        return True
    about = [name for name, event in grounds.events.items() if is_about(issue, event)]
    is_named = issue.event is not None or issue.finding is not None
    return any(name in left for name in about) if about or is_named else True


def _reported(issue: ValidationIssue, grounds: ObjectionGrounds) -> ReportedObjection:
    fields = {name: getattr(issue, name) for name in ValidationIssue.model_fields}
    return ReportedObjection(
        **fields,
        **settled_by(issue, grounds)._asdict(),
        text=clip(render(issue.description, grounds.claims)),
    )


_Objections = list[tuple[ValidationIssue, ObjectionOutcome]]


def _without(result: ResearchResult, objections: _Objections) -> ResearchResult:
    kept = tuple(
        event
        for event in result.events
        if not any(is_about(issue, event) for issue, _ in objections)
    )
    findings = tuple(f for f in result.findings if _against_finding(f, objections) is None)
    return result.model_copy(update={"events": kept, "findings": findings})


def _against_finding(finding: Finding, objections: _Objections) -> ObjectionOutcome | None:
    about = (o for issue, o in objections if is_about_finding(issue, finding.statement))
    return next(about, None)


def _against(event: MarketEvent, objections: _Objections) -> ObjectionOutcome:
    return next(outcome for issue, outcome in objections if is_about(issue, event))


@dataclass(slots=True)
class ProseGuard:
    """Passes prose that only refers to printed claims, and records what it drops.

    `claims` are those that a market's prose may refer to, by id. `banks` are the central banks by
    area, `scheduled` the days on which they decide, and `areas` those of the market.
    """

    claims: Mapping[str, Claim]
    banks: Mapping[str, str]
    scheduled: Mapping[str, Collection[date]]
    areas: Collection[str] = ()
    dropped: list[DroppedSentence] = field(default_factory=list)

    def outcome(self, outcome: MarketOutcome) -> MarketOutcome:
        """Restricts the outcome to what may be printed of its results and its validation.

        Reasons for failures of the desk's own work stay unchanged, with status codes and the like.
        """
        told = {line for result in outcome.results for line in result.missing}
        validation = self._validation(outcome.validation) if outcome.validation else None
        results = tuple(self._research(result) for result in outcome.results)
        missing = (
            *(line for result in results for line in result.missing),
            *(line for line in outcome.missing if line not in told),
        )
        return outcome.model_copy(
            update={
                "results": results,
                "validation": validation,
                "missing": tuple(dict.fromkeys(missing)),
            }
        )

    def printed(self, prose: str, place: str) -> str:
        """Prose as text, without the sentences that refer to what is not printed."""
        return clip(render(self.known(prose, place), self.claims))

    def known(self, prose: str, place: str) -> str:
        """Prose without the sentences that refer to what is not printed."""
        kept = []
        for sentence in split_sentences(prose):
            unknown = unknown_references(sentence, self.claims)
            if unknown:
                reason = f"it refers to {', '.join(unknown)}, which is no claim of this report"
                self._note((DroppedSentence(place=place, reason=clip(reason)),))
            else:
                kept.append(sentence)
        return "".join(kept).strip()

    def _research(self, result: ResearchResult) -> ResearchResult:
        printed = self._only_printed(result)
        printed = printed.model_copy(
            update={
                "events": tuple(self._event(event) for event in printed.events),
                "findings": tuple(self._finding(finding) for finding in printed.findings),
                "warnings": self._all_known(printed.warnings, "warnings"),
                "missing": self._all_known(printed.missing, "missing"),
            }
        )
        kept = without_any_rejected(printed, self.claims)
        if not isinstance(kept, ResearchResult):
            raise TypeError(f"the review of {result.result_id} gave a {kept.kind}")
        self._note(kept.dropped)
        return kept.model_copy(
            update={
                "events": tuple(e for e in kept.events if self._is_sound(e, result.market)),
                "findings": tuple(f for f in kept.findings if f.statement),
                "warnings": self._all_printed(kept.warnings, "warnings"),
                "missing": self._all_printed(kept.missing, "missing"),
            }
        )

    def _validation(self, result: ValidationResult) -> ValidationResult:
        """Removes the records of conflicts, which the report words by rule, from the validation."""
        worded = result.model_copy(update={"conflicts": ()})
        kept = without_any_rejected(worded, self.claims)
        if not isinstance(kept, ValidationResult):
            raise TypeError(f"the review of {result.validation_id} gave a {kept.kind}")
        self._note(kept.dropped)
        issues = (
            issue.model_copy(update={"description": self.known(issue.description, "issues")})
            for issue in kept.issues
        )
        return kept.model_copy(
            update={
                "issues": tuple(issue for issue in issues if issue.description),
                "missing": self._all_printed(kept.missing, "missing"),
                "recommendation": self.printed(kept.recommendation, "recommendation"),
            }
        )

    def _only_printed(self, result: ResearchResult) -> ResearchResult:
        """The result with only the claims and views that are printed."""
        claims = tuple(claim for claim in result.claims if self._is_printed(claim))
        views = tuple(view for view in result.views if set(view.claims) <= self.claims.keys())
        return result.model_copy(update={"claims": claims, "views": views})

    def _is_printed(self, claim: Claim) -> bool:
        printed = self.claims.get(claim.claim_id)
        return printed is not None and same_figure(claim, printed)

    def _event(self, event: MarketEvent) -> MarketEvent:
        return event.model_copy(
            update={
                "description": self.known(event.description, event.event_id),
                "claims": tuple(name for name in event.claims if name in self.claims),
            }
        )

    def _finding(self, finding: Finding) -> Finding:
        return finding.model_copy(
            update={
                "statement": self.known(finding.statement, finding.topic),
                "claims": tuple(name for name in finding.claims if name in self.claims),
            }
        )

    def _is_sound(self, event: MarketEvent, market: str) -> bool:
        """Returns whether an event of the market still has a description, the day of its figures
        and the market's own bank."""
        if not event.description:
            return False
        faults = [issue.description for issue in check_bank(event, self.banks, self.areas)]
        faults += check_event_day(event, self.claims)
        faults += check_scheduled_day(event, self.scheduled)
        if event.market != market:
            faults.append(f"{event.event_id}: it is an event of {event.market}")
        self._note(DroppedSentence(place=event.event_id, reason=told) for told in faults)
        return not faults

    def _all_known(self, lines: Iterable[str], place: str) -> tuple[str, ...]:
        known = (self.known(line, place) for line in lines)
        return tuple(line for line in known if line)

    def _all_printed(self, lines: Iterable[str], place: str) -> tuple[str, ...]:
        printed = (self.printed(line, place) for line in lines)
        return tuple(line for line in printed if line)

    def _note(self, dropped: Iterable[DroppedSentence]) -> None:
        self.dropped.extend(dropped)


NONE_CHOSEN = "its sources disagree on its figure, and none was chosen"

MOST_DROPPED = 2_000
"""The most that a market's section can list."""


class JudgedMarket(NamedTuple):
    """The printable part of a market.

    `outcome` has nothing beyond it. `claims` are by id. `undecided` says that one of its conflicts
    waits for a person.
    """

    outcome: MarketOutcome
    claims: Mapping[str, Claim]
    verdicts: tuple[ClaimVerdict, ...] = ()
    dropped: tuple[DroppedSentence, ...] = ()
    objections: tuple[ReportedObjection, ...] = ()
    undecided: bool = False


class JudgedWeek(NamedTuple):
    """The printable part of a week: its markets by name, its claims by id, its conflicts."""

    markets: Mapping[str, JudgedMarket]
    claims: Mapping[str, Claim]
    conflicts: tuple[ConflictRecord, ...]

    def known_to(self, market: str) -> dict[str, Claim]:
        """Returns the claims that a market's prose may refer to: the week's, replaced by the
        market's own, without those that it had to withhold."""
        judged = self.markets[market]
        return _known(self.claims, judged.claims, {v.claim_id for v in judged.verdicts})


def judge(
    outcomes: Sequence[MarketOutcome], config: RunConfig, ledger: Ledger, voting: VotingConfig
) -> JudgedWeek:
    """The findings on the configured markets, in their order, judged by the ledger, the validators,
    and the conflicts under the rules of `voting`. Every market must have an outcome."""
    outcomes = tuple(map(with_referred, outcomes))
    evidence = [result for outcome in outcomes for result in outcome.evidence]
    sound = [sifted(outcome, ledger) for outcome in outcomes]
    conflicts = conflicts_of(sound, voting)
    surviving = surviving_claims_of(sound, conflicts, ledger)
    claims = week_claims({market: left.claims for market, left in surviving.items()})
    answers = _rate_answers(evidence)
    banks, scheduled = known_banks(answers), scheduled_days(answers)
    markets = {}
    for spec, outcome in zip(config.markets, outcomes, strict=True):
        left = surviving[spec.market]
        known = _known(claims, left.claims, left.rejected.keys())
        guard = ProseGuard(known, banks, scheduled, spec.areas)
        verdicts = verdicts_of(outcome, left, conflicts)
        grounds = grounds_of(outcome, known, verdicts, banks, spec.areas)
        heard = without_objected(outcome, grounds)
        printable = _as_it_stands(spec, guard.outcome(heard.outcome), left)
        markets[spec.market] = JudgedMarket(
            outcome=printable,
            claims=left.claims,
            verdicts=verdicts,
            dropped=(*heard.dropped, *guard.dropped)[:MOST_DROPPED],
            objections=objections_of(printable, grounds),
            undecided=any(c.market == spec.market and not c.resolved for c in conflicts),
        )
    return JudgedWeek(markets, claims, conflicts)


def not_reached(market: str) -> MarketOutcome:
    """The outcome of a market for which the run has none."""
    return MarketOutcome(market=market, outcome=Outcome.MISSING, missing=(NOT_REACHED,))


def _rate_answers(evidence: Sequence[ToolResult]) -> tuple[SourceResult, ...]:
    """The sources' answers on central banks: rates, decisions, calendars."""
    return (
        *returned_by("get_policy_rate", PolicyRates, evidence),
        *returned_by("get_rate_decisions", RateDecisions, evidence),
        *returned_by("get_decision_calendar", DecisionCalendar, evidence),
    )


def _known(
    week: Mapping[str, Claim], own: Mapping[str, Claim], judged: Collection[str]
) -> dict[str, Claim]:
    others = {name: claim for name, claim in week.items() if name not in judged}
    return {**others, **own}


def _as_it_stands(
    spec: MarketSpec, outcome: MarketOutcome, surviving: PrintedClaims
) -> MarketOutcome:
    """Adds withheld claims to what is missing. The outcome is missing without its essential
    figure."""
    missing = outcome.missing
    if surviving.rejected:
        named = ", ".join(surviving.rejected)
        missing = (clip(f"{spec.market}: rejected and withheld: {named}"), *missing)
    lacking = decide_outcome(spec, outcome.results, outcome.agents)
    became = outcome.outcome
    if is_counted(outcome) and lacking not in (Outcome.RESEARCHED, Outcome.PARTIAL):
        became = Outcome.MISSING
        missing = missing or (NONE_CHOSEN,)
    return outcome.model_copy(update={"missing": missing, "outcome": became})
