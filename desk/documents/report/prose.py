"""The prose of a market as a report may print it: no figure in it but printed claims'.

The last guard before publishing. What does not pass loses the sentence that it stands in, and the
report says so.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MarketEvent, ResearchResult, ValidationResult
from desk.contracts.findings.verdicts import DroppedSentence
from desk.contracts.week.report import MarketOutcome
from desk.documents.report.claims import same_figure
from desk.trust.claims.checks import check_bank
from desk.trust.claims.event_days import check_event_day, check_scheduled_day
from desk.trust.prose.prose import clip, render, unknown_references
from desk.trust.prose.prose_review import review, without_rejected
from desk.trust.prose.sentences import split_sentences


@dataclass(slots=True)
class ProseGuard:
    """Lets through what refers to printed claims, and keeps account of what it drops.

    `claims` are those that a market's prose may refer to, by id, `banks` the central banks by area,
    `scheduled` the days on which they decide, and `areas` those of the market.
    """

    claims: Mapping[str, Claim]
    banks: Mapping[str, str]
    scheduled: Mapping[str, Collection[date]]
    areas: Collection[str] = ()
    dropped: list[DroppedSentence] = field(default_factory=list)

    def outcome(self, outcome: MarketOutcome) -> MarketOutcome:
        """The outcome with what may be printed of its results and its validation.

        Why the desk's own work failed is its own account, with status codes and the like, and
        stays as it is.
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
                "warnings": self._all_known(printed.warnings, "warnings"),
                "missing": self._all_known(printed.missing, "missing"),
            }
        )
        kept = without_rejected(printed, review(printed, self.claims))
        if not isinstance(kept, ResearchResult):
            raise TypeError(f"the review of {result.result_id} gave a {kept.kind}")
        self._note(kept.dropped)
        return kept.model_copy(
            update={
                "events": tuple(e for e in kept.events if self._is_sound(e, result.market)),
                "warnings": self._all_printed(kept.warnings, "warnings"),
                "missing": self._all_printed(kept.missing, "missing"),
            }
        )

    def _validation(self, result: ValidationResult) -> ValidationResult:
        """The records of conflicts are left out: the report words them by rule."""
        worded = result.model_copy(update={"conflicts": ()})
        kept = without_rejected(worded, review(worded, self.claims))
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
        """The result with the claims and views that are printed."""
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

    def _is_sound(self, event: MarketEvent, market: str) -> bool:
        """Whether there is something left of an event of the market, and it is on the day of its
        figures and of the market's own bank."""
        if not event.description:
            return False
        objections = [issue.description for issue in check_bank(event, self.banks, self.areas)]
        objections += check_event_day(event, self.claims)
        objections += check_scheduled_day(event, self.scheduled)
        if event.market != market:
            objections.append(f"{event.event_id}: it is an event of {event.market}")
        self._note(DroppedSentence(place=event.event_id, reason=told) for told in objections)
        return not objections

    def _all_known(self, lines: Iterable[str], place: str) -> tuple[str, ...]:
        known = (self.known(line, place) for line in lines)
        return tuple(line for line in known if line)

    def _all_printed(self, lines: Iterable[str], place: str) -> tuple[str, ...]:
        printed = (self.printed(line, place) for line in lines)
        return tuple(line for line in printed if line)

    def _note(self, dropped: Iterable[DroppedSentence]) -> None:
        self.dropped.extend(dropped)
