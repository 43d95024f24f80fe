"""The validator as a model: further objections to the findings on a market.

The verdicts on the claims are the desk's, which recomputes them and calls the sources. The model
reads the prose around the claims and may object to it. It can neither verify nor reject a figure.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from desk.agents.program import ModelTask
from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import (
    Correction,
    ResearchResult,
    Severity,
    ValidationIssue,
    ValidationResult,
)
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.programs.claude.answers import known_day, only_months
from desk.programs.claude.figures import (
    Figures,
    claims_for_model,
    figures_of,
    no_claim,
    reportable_claims,
)
from desk.programs.claude.findings import (
    ClaimName,
    checked,
    days_for_model,
    nearest_to,
    prose_faults,
    views_for_model,
)
from desk.programs.claude.news import Prose, short_id
from desk.programs.claude.prompts import prompt
from desk.trust.claims.banks import BANKS
from desk.trust.judging import ObjectionGrounds, recommendation_of, settled_by
from desk.trust.judging.checks import IssueType
from desk.trust.ledger.events import news_in
from desk.trust.prose import references

MOST_ISSUES: Final = 50
MOST_READ: Final = 40
"""The most news items, of those that the agents read, that the validator is shown."""

LONGEST_SUMMARY: Final = 300
HOLDS: Final[Mapping[IssueType, str]] = {
    IssueType.VALUE: "value",
    IssueType.DIRECTION: "direction",
    IssueType.TIMING_ERROR: "day",
    IssueType.BANK: "area",
}
"""For each kind of objection that the evidence can settle, the field of `holds` that it needs."""


class ProposedIssue(Contract):
    """An objection to claims, or to an event or a finding by its id.

    `holds` says what is true instead, for the kinds that the evidence can settle: the `value` of
    the one claim, its `direction`, the `day` of the event, or the `area` of its bank.
    """

    type: Literal[
        IssueType.VALUE,
        IssueType.DIRECTION,
        IssueType.TIMING_ERROR,
        IssueType.BANK,
        IssueType.CAUSE,
        IssueType.OVERSTATED,
        IssueType.CONTRADICTION,
        IssueType.JUDGEMENT,
    ] = IssueType.JUDGEMENT
    severity: Severity
    description: Prose
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=20)] = ()
    event: ShortText | None = None
    finding: ShortText | None = None
    holds: Correction | None = None
    recommendation: Prose
    confidence: Confidence

    def fault(self) -> str | None:
        """Returns what is wrong with `holds`, or None."""
        given = [n for n, value in (self.holds or Correction()) if value is not None]
        wanted = [HOLDS[self.type]] if self.type in HOLDS else []
        if given == wanted:
            return None
        told = f"holds.{wanted[0]} and nothing else" if wanted else "no holds"
        return f"an objection of type {self.type} has {told}"

    def issue(self, statements: Mapping[str, str]) -> ValidationIssue:
        """Converts the objection into the desk's form. `statements` are the findings by their
        ids."""
        said = self.model_dump(exclude={"type", "finding"})
        finding = statements[self.finding] if self.finding is not None else None
        return ValidationIssue(issue_type=self.type, finding=finding, **said)


class ProposedValidation(Contract):
    """The form of the model's answer."""

    issues: Annotated[tuple[ProposedIssue, ...], Field(max_length=10)] = ()
    confidence: Confidence


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the findings and the desk's verdicts on them, as JSON."""
    found = _found(base)
    verdicts = {verdict.claim_id: verdict for verdict in found.verdicts}
    claims = {claim.claim_id: claim for f in request.findings for claim in f.claims}
    results = {result.evidence_id: result for result in request.evidence}
    months = only_months(request.evidence)
    return json.dumps(
        {
            **days_for_model(request.assignment),
            "as_of": request.assignment.window.end.isoformat(),
            "market": found.market,
            "claims": _claims_for_model(claims, verdicts, results, months),
            "read": list(_read(request)),
            "findings": [
                {
                    "agent": finding.agent,
                    "events": [
                        {
                            "event_id": event.event_id,
                            "day": known_day(event, months),
                            "description": event.description,
                            "impact": event.impact,
                            "read_in": [name.rsplit("/", 1)[-1] for name in event.evidence],
                        }
                        for event in finding.events
                    ],
                    "findings": list(_findings_for_model(at, finding)),
                    "views": views_for_model(finding.views),
                    "warnings": finding.warnings,
                    "missing": finding.missing,
                }
                for at, finding in enumerate(request.findings)
            ],
            "issues": [
                {"type": issue.issue_type, "description": issue.description}
                for issue in found.issues
            ],
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> ValidationResult:
    """Returns the desk's verdict with the model's objections. Its confidence is the lower of the
    two.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it names an unknown claim or event.
    """
    found, proposed = _found(base), ProposedValidation.model_validate_json(text)
    figures = figures_of(request, found, text)
    claims = {claim.claim_id: claim for f in request.findings for claim in f.claims}
    events = {event.event_id: event for f in request.findings for event in f.events}
    statements = dict(_statements(request))

    def make() -> ValidationResult:
        sound = (each for each in proposed.issues if _is_of(each, claims, events, statements))
        issues = (*found.issues, *(issue.issue(statements) for issue in sound))[:MOST_ISSUES]
        taken = figures.taken(_named(proposed))
        contested = {v.claim_id for v in found.verdicts if v.status is ClaimStatus.CONTESTED}
        fallen = {v.claim_id for v in found.verdicts if v.status is ClaimStatus.REJECTED}
        standing = {name: claim for name, claim in claims.items() if name not in fallen}
        grounds = ObjectionGrounds(standing, events, BANKS, contested=contested)
        return found.model_copy(
            update={
                "issues": issues,
                "checks": (*found.checks, *taken)[:MOST_ISSUES],
                "recommendation": recommendation_of(
                    {verdict.status for verdict in found.verdicts},
                    ((issue.severity, settled_by(issue, grounds).outcome) for issue in issues),
                    undecided=any(not conflict.resolved for conflict in found.conflicts),
                ),
                "confidence": min(found.confidence, proposed.confidence),
            }
        )

    return checked(_strangers(proposed, claims, events, statements, figures), make)


def _is_of(
    issue: ProposedIssue,
    claims: Collection[str],
    events: Collection[str],
    findings: Collection[str],
) -> bool:
    named = set(issue.claims) <= set(claims) and (issue.event is None or issue.event in events)
    return named and (issue.finding is None or issue.finding in findings) and not issue.fault()


def _strangers(
    proposed: ProposedValidation,
    claims: Collection[str],
    events: Collection[str],
    findings: Collection[str],
    figures: Figures,
) -> Iterator[str]:
    for place, issue in enumerate(proposed.issues):
        if fault := issue.fault():
            yield f"issues.{place}: {fault}"
        for number, name in enumerate(issue.claims):
            if name not in claims:
                yield (
                    f"issues.{place}.claims.{number}: the findings have no such claim:"
                    f" {no_claim(name, claims)}"
                )
        named = (("event", issue.event, events), ("finding", issue.finding, findings))
        for field, one, known in named:
            if one is not None and one not in known:
                yield (
                    f"issues.{place}.{field}: the findings have no such {field};"
                    f" {nearest_to(one, known)}"
                )
        if not _is_of(issue, claims, events, findings):
            yield from prose_faults(issue.description, figures)
            yield from prose_faults(issue.recommendation, figures)


def _named(proposed: ProposedValidation) -> Iterator[str]:
    for issue in proposed.issues:
        yield from (*references(issue.description), *references(issue.recommendation))


def _findings_for_model(at: int, result: ResearchResult) -> Iterator[dict[str, object]]:
    """Yields the findings of a result that are not events: their id, their statement, and the
    claims that they rest on without referring to them."""
    for place, each in enumerate(result.findings):
        besides = set(each.claims) - set(references(each.statement))
        told = {"finding": _finding_id(at, place), "statement": each.statement}
        yield told | ({"rests_on": sorted(besides)} if besides else {})


def _statements(request: TurnRequest) -> Iterator[tuple[str, str]]:
    """Yields the statements of the findings that are not events, by their ids."""
    for at, result in enumerate(request.findings):
        for place, each in enumerate(result.findings):
            yield _finding_id(at, place), each.statement


def _finding_id(result: int, place: int) -> str:
    return f"finding_{result + 1}.{place + 1}"


def _claims_for_model(
    claims: Mapping[str, Claim],
    verdicts: Mapping[str, ClaimVerdict],
    results: Mapping[str, ToolResult],
    months: Mapping[str, str],
) -> list[dict[str, object]]:
    """The claims with the desk's verdicts, grouped by source and verdict."""
    told: dict[tuple[str, str, str], dict[str, str]] = {}
    for claim in reportable_claims(claims.values()):
        name = claim.claim_id
        if name in verdicts:
            asked = ", ".join(sorted({_asked(each, results) for each in claim.evidence}))
            group = (asked, str(verdicts[name].status), verdicts[name].words)
            told.setdefault(group, {}).update(claims_for_model((claim,), months))
    return [
        {"from": asked, "verdict": status, "why": why, "claims": named}
        for (asked, status, why), named in told.items()
    ]


def _asked(evidence_id: str, results: Mapping[str, ToolResult]) -> str:
    """The server and tool that a claim's evidence comes from."""
    result = results.get(evidence_id)
    return f"{result.call.server}.{result.call.tool}" if result else evidence_id


def _read(request: TurnRequest) -> Iterator[dict[str, object]]:
    """Yields the news that the findings could rest on. A cause that no item reports has no
    source."""
    told = 0
    for answer in request.evidence:
        news = news_in(answer, request.assignment.window)
        for item in news.items if news else ():
            told += 1
            if told > MOST_READ:
                return
            yield {
                "evidence": short_id(answer),
                "headline": item.headline,
                "publisher": item.publisher,
                "day": item.published_at.date().isoformat(),
                "summary": (item.summary or "")[:LONGEST_SUMMARY] or None,
            }


def _found(base: AgentResult | None) -> ValidationResult:
    if not isinstance(base, ValidationResult):
        raise ValueError("there is no verdict to write about")
    return base


TASK: Final = ModelTask((prompt("validation"),), ProposedValidation, material, result)
