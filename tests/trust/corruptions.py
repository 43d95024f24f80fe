"""What a corruption is: one thing in a market's findings changed to something that is not so."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import MarketEvent, ResearchResult
from desk.contracts.week.report import MarketReport
from tests.trust.real_weeks import Findings


class ErrorClass(StrEnum):
    """The classes of errors that are seeded."""

    DIGIT = "a digit of a value"
    SHIFT = "a value shifted a little or much"
    SIGN = "sign or direction"
    UNIT = "unit"
    DATE = "date"
    TENOR = "tenor: another figure of the subject"
    INVERTED = "inverted pair"
    SCALE = "bp for % and other scales"
    BANK = "wrong central bank"
    STALE = "stale evidence"
    OTHER_MARKET = "evidence of another market"
    PROSE = "a figure typed into prose"
    RECIPE = "formula or inputs"


@dataclass(frozen=True, slots=True)
class ClaimEdit:
    """A claim put in the place of another."""

    before: Claim
    after: Claim
    added: ToolResult | None = None
    """Evidence that comes along, so that the claim does not fail for want of it."""

    def apply(self, findings: Findings) -> Findings:
        """The findings with the claim replaced in every result that has it."""
        evidence = (*findings.evidence, *((self.added,) if self.added else ()))
        results = (self._in(result) for result in findings.results)
        return findings.with_results(results).with_evidence(evidence)

    def printed_in(self, section: MarketReport) -> bool:
        """Whether the wrong claim stands as it is."""
        return self.after in section.claims

    def _in(self, result: ResearchResult) -> ResearchResult:
        claims = tuple(self.after if claim == self.before else claim for claim in result.claims)
        return result.model_copy(update={"claims": claims})


@dataclass(frozen=True, slots=True)
class EventEdit:
    """An event put in the place of another. `typed` is the figure in its prose, if that is it."""

    before: MarketEvent
    after: MarketEvent
    typed: str | None = None

    def apply(self, findings: Findings) -> Findings:
        """The findings with the event replaced in every result that has it."""
        return findings.with_results(self._in(result) for result in findings.results)

    def printed_in(self, section: MarketReport) -> bool:
        """Whether the event stands with what is wrong in it."""
        if self.typed is not None:
            return any(self.typed in event.text for event in section.events)
        changed = {
            name
            for name in ("event_date", "central_bank", "description")
            if getattr(self.before, name) != getattr(self.after, name)
        }
        return any(
            event.event_id == self.after.event_id
            and all(getattr(event, name) == getattr(self.after, name) for name in changed)
            for event in section.events
        )

    def _in(self, result: ResearchResult) -> ResearchResult:
        events = tuple(self.after if event == self.before else event for event in result.events)
        return result.model_copy(update={"events": events})


@dataclass(frozen=True, slots=True)
class EvidenceEdit:
    """Tool results put in the place of those with the same ids, their hashes made to fit.

    `results` are the findings made from them, where the agent took its figures from there. `spoilt`
    is the claim that they do not give; without it, they give none.
    """

    after: tuple[ToolResult, ...]
    results: tuple[ResearchResult, ...] | None = None
    spoilt: str | None = None

    def apply(self, findings: Findings) -> Findings:
        """The findings on the other evidence."""
        by_id = {result.evidence_id: result for result in self.after}
        evidence = (by_id.get(held.evidence_id, held) for held in findings.evidence)
        found = findings.with_evidence(evidence)
        return found if self.results is None else found.with_results(self.results)

    def printed_in(self, section: MarketReport) -> bool:
        """Whether a claim that rests on them stands."""
        names = {result.evidence_id for result in self.after}
        return any(
            not names.isdisjoint(claim.evidence) and self.spoilt in (None, claim.claim_id)
            for claim in section.claims
        )


Edit = ClaimEdit | EventEdit | EvidenceEdit


@dataclass(frozen=True, slots=True)
class Corruption:
    """One seeded error: its class, where it sits, what was changed."""

    error: ErrorClass
    findings: Findings
    edit: Edit
    words: str

    @property
    def place(self) -> str:
        """The week and the market."""
        return f"{self.findings.week} {self.findings.spec.market}"

    def corrupted(self) -> Findings:
        """The findings with the error in them."""
        return self.edit.apply(self.findings)


LABELS: Final = ("value", "unit", "as_of", "formula", "inputs", "subject", "evidence", "claim_id")


def claim_words(before: Claim, after: Claim) -> str:
    """What is different about a claim."""
    changes = (
        f"{name} {_short(getattr(before, name))} -> {_short(getattr(after, name))}"
        for name in LABELS
        if getattr(before, name) != getattr(after, name)
    )
    return f"{before.claim_id}: {', '.join(changes)}"


def changed(claim: Claim, **fields: object) -> Claim:
    """The claim with some fields changed, checked as every claim is."""
    return Claim.model_validate({**claim.model_dump(), **fields})


def _short(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
