"""What becomes of a validator's objections: by the evidence, in the report, and under audit."""

from datetime import date
from typing import Any

import pytest

from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.results import (
    Correction,
    EventType,
    Finding,
    Impact,
    Leaning,
    MarketEvent,
    ObjectionOutcome,
    Severity,
    ValidationIssue,
)
from desk.contracts.week.report import MarketReport, ReportedObjection, ResearchReport
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.trust.judging.checks import IssueType
from desk.trust.judging.objections import ObjectionGrounds, settled_by
from desk.trust.seals import sealed
from tests.support.builders import claim
from tests.support.documents.reports import sample_outcomes, sample_record, sample_report

CONFIRMED, DISPROVED, UNSETTLED = ObjectionOutcome
FALL = claim("USD/CHF", Metric.MOVE, "-4.16", Unit.PERCENT)
LAST = claim("USD/CHF", Metric.LAST, "0.8154")
CUT = claim("CH", Metric.DECISION_CHANGE, "-25", Unit.BASIS_POINTS, day="2026-10-29", dated=True)
WORDS = "The pound weighed on it."


def event(prose: str, **changed: Any) -> MarketEvent:
    known: dict[str, Any] = {
        "event_id": "USD/CHF:move",
        "event_type": EventType.FX_MOVEMENT,
        "market": "USD/CHF",
        "event_date": date(2026, 10, 30),
        "description": prose,
        "impact": Impact.HIGH,
        "claims": (FALL.claim_id, LAST.claim_id),
    }
    return MarketEvent(**{**known, **changed})


def decision(**changed: Any) -> MarketEvent:
    known: dict[str, Any] = {
        "event_id": "CH:decision",
        "event_type": EventType.RATE_DECISION,
        "area": "CH",
        "central_bank": "Swiss National Bank",
        "event_date": date(2026, 10, 29),
        "claims": (CUT.claim_id,),
    }
    return event(f"The Swiss National Bank cut by [[{CUT.claim_id}]].", **{**known, **changed})


def objection(kind: IssueType, **said: Any) -> ValidationIssue:
    known: dict[str, Any] = {
        "issue_type": kind,
        "severity": Severity.CRITICAL,
        "description": WORDS,
        "recommendation": "Leave it out.",
        "confidence": 0.9,
    }
    return ValidationIssue(**{**known, **said})


def settled(issue: ValidationIssue, *events: MarketEvent, **changed: Any) -> ObjectionOutcome:
    claims = {each.claim_id: each for each in (FALL, LAST, CUT)}
    banks = {"CH": "Swiss National Bank", "GB": "Bank of England"}
    known = {"claims": claims, "events": {e.event_id: e for e in events}, "banks": banks}
    return settled_by(issue, ObjectionGrounds(**{**known, **changed})).outcome


FELL = event("USD/CHF fell [[USD/CHF:move]].")
ROSE = event("USD/CHF rose [[USD/CHF:move]].")
MOVED = event("USD/CHF [[USD/CHF:move|moved]].")
"""Also "The franc lost ground, for USD/CHF fell": the reference is right and the words are not."""
UNREAD = event("USD/CHF saw a large swing of [[USD/CHF:move]].")


@pytest.mark.parametrize(
    ("said", "told", "outcome"),
    [
        (Leaning.UP, FELL, DISPROVED),
        (Leaning.UP, ROSE, DISPROVED),
        (Leaning.DOWN, FELL, UNSETTLED),
        (Leaning.DOWN, MOVED, UNSETTLED),
        (Leaning.DOWN, ROSE, CONFIRMED),
        (Leaning.DOWN, UNREAD, UNSETTLED),
        (Leaning.NEUTRAL, FELL, UNSETTLED),
    ],
)
def test_whether_a_direction_is_wrong_is_for_the_sign_to_say(
    said: Leaning, told: MarketEvent, outcome: ObjectionOutcome
) -> None:
    issue = objection(
        IssueType.DIRECTION,
        claims=(FALL.claim_id,),
        event=told.event_id,
        holds=Correction(direction=said),
    )
    assert settled(issue, told) is outcome


def test_a_figure_that_follows_from_its_evidence_is_not_argued_away() -> None:
    issue = objection(IssueType.VALUE, claims=(LAST.claim_id,), holds=Correction(value=1))
    assert settled(issue) is DISPROVED
    assert settled(issue, contested={LAST.claim_id}) is UNSETTLED
    assert settled(issue, claims={}) is CONFIRMED


@pytest.mark.parametrize(
    ("told", "held", "outcome"),
    [
        (decision(), date(2026, 10, 28), DISPROVED),
        (decision(event_date=date(2026, 10, 28)), date(2026, 10, 29), CONFIRMED),
        (decision(), date(2026, 10, 29), DISPROVED),
        (decision(claims=()), date(2026, 10, 28), UNSETTLED),
    ],
)
def test_the_day_of_an_event_is_that_of_its_figures(
    told: MarketEvent, held: date, outcome: ObjectionOutcome
) -> None:
    issue = objection(IssueType.TIMING_ERROR, event=told.event_id, holds=Correction(day=held))
    assert settled(issue, told) is outcome


@pytest.mark.parametrize(
    ("told", "held", "outcome"),
    [
        (decision(), "GB", DISPROVED),
        (decision(), "CH", DISPROVED),
        (decision(central_bank="Bank of England"), "CH", CONFIRMED),
        (decision(area="GB", central_bank="Bank of England"), "CH", CONFIRMED),
        (decision(claims=()), "GB", UNSETTLED),
    ],
)
def test_the_bank_of_an_event_is_that_of_its_decisions(
    told: MarketEvent, held: str, outcome: ObjectionOutcome
) -> None:
    told = told.model_copy(update={"description": f"It cut by [[{CUT.claim_id}]]."})
    if told.central_bank == "Bank of England" and told.area == "CH":
        told = told.model_copy(update={"description": "The Bank of England cut."})
    issue = objection(IssueType.BANK, event=told.event_id, holds=Correction(area=held))
    assert settled(issue, told) is outcome


@pytest.mark.parametrize("kind", ["cause", "overstated", "contradiction", "judgement", "sources"])
def test_what_no_code_can_look_at_is_not_settled(kind: str) -> None:
    issue = objection(IssueType.CAUSE, claims=(FALL.claim_id,)).model_copy(
        update={"issue_type": kind}
    )
    assert settled(issue, FELL) is UNSETTLED


EVENT = "USD/JPY:move"


def reported(issue: ValidationIssue, *findings: Finding) -> ResearchReport:
    """The sample week, in which the validator of USD/JPY has one objection, and an agent these
    findings."""
    outcomes = []
    for outcome in sample_outcomes():
        if outcome.market == "USD/JPY":
            assert outcome.validation is not None
            validation = outcome.validation.model_copy(update={"issues": (issue,)})
            first, *others = outcome.results
            results = (first.model_copy(update={"findings": findings}), *others)
            outcome = outcome.model_copy(update={"validation": validation, "results": results})
        outcomes.append(outcome)
    return sample_report(sample_record(outcomes))


def section(report: ResearchReport) -> MarketReport:
    (found,) = (market for market in report.markets if market.market == "USD/JPY")
    return found


def events_of(report: ResearchReport) -> list[str]:
    return [event.event_id for event in section(report).events]


def told_in(report: ResearchReport) -> ReportedObjection:
    (found,) = section(report).objections
    return found


def about_event(severity: Severity, kind: IssueType = IssueType.CAUSE) -> ValidationIssue:
    return objection(kind, severity=severity, event=EVENT)


def test_a_critical_objection_that_nothing_settles_takes_its_event_out_and_says_so() -> None:
    report = reported(about_event(Severity.CRITICAL))
    assert EVENT not in events_of(report)
    assert EVENT in events_of(reported(about_event(Severity.MEDIUM)))
    (dropped,) = (d for d in section(report).dropped if d.place == EVENT)
    assert "not settled by evidence" in dropped.reason
    assert section(report).objections == ()
    assert WORDS not in render_markdown(report)
    assert "a critical objection to it is not settled by evidence" in render_markdown(report)
    assert section(report).recommendation == section(sample_report()).recommendation


def test_an_objection_to_a_text_that_the_desk_drops_goes_with_it() -> None:
    gone = about_event(Severity.HIGH).model_copy(update={"event": "USD/JPY:news/none"})
    report = reported(gone)
    assert section(report).objections == ()
    assert "Hold back" not in (section(report).recommendation or "")
    figure = objection(IssueType.VALUE, claims=("USD/JPY:last",), severity=Severity.LOW)
    assert told_in(reported(figure)).claims == ("USD/JPY:last",)


def test_a_critical_objection_to_a_figure_takes_the_sentences_about_it_out() -> None:
    report = reported(objection(IssueType.OVERSTATED, claims=("USD/JPY:move",)))
    assert EVENT not in events_of(report)
    assert "USD/JPY:move" in {claim.claim_id for claim in section(report).claims}


def disproved() -> ValidationIssue:
    """An objection that the sign of the move disproves."""
    (move,) = (c for c in section(sample_report()).claims if c.claim_id == "USD/JPY:move")
    other = Leaning.DOWN if move.value > 0 else Leaning.UP
    return objection(
        IssueType.DIRECTION,
        claims=(move.claim_id,),
        event=EVENT,
        holds=Correction(direction=other),
    )


def test_a_critical_objection_that_the_sign_disproves_is_told_as_disproved() -> None:
    report = reported(disproved())
    assert EVENT in events_of(report)
    assert told_in(report).outcome is DISPROVED
    assert "critical, disproved by evidence" in render_markdown(report)
    assert section(report).recommendation == section(sample_report()).recommendation


def test_an_objection_is_printed_beside_its_event() -> None:
    report = reported(about_event(Severity.MEDIUM))
    lines = render_markdown(report).splitlines()
    (line,) = (line for line in lines if WORDS in line)
    assert "medium impact: a larger move than most**" in line
    assert "medium, not settled by evidence" in line
    assert WORDS in render_html(report)


FOUND = Finding(
    topic="the level",
    statement="The pair stands at [[USD/JPY:last]].",
    confidence=0.6,
    claims=("USD/JPY:last",),
)


def about_finding(severity: Severity) -> ValidationIssue:
    return objection(IssueType.OVERSTATED, severity=severity, claims=FOUND.claims)


def test_an_objection_is_printed_beside_the_finding_whose_claims_it_names() -> None:
    report = reported(about_finding(Severity.MEDIUM), FOUND)
    lines = [line for line in render_markdown(report).splitlines() if WORDS in line]
    (line,) = lines
    assert "Found: The pair stands at" in line and "medium, not settled by evidence" in line
    assert render_html(report).count(WORDS) == 1
    assert audit(report) == ()


def test_a_critical_objection_to_a_finding_takes_it_out() -> None:
    report = reported(about_finding(Severity.CRITICAL), FOUND)
    assert section(report).findings == ()
    assert "finding 1" in {dropped.place for dropped in section(report).dropped}
    assert audit(report) == ()
    kept = reported(about_finding(Severity.MEDIUM), FOUND)
    assert audit(changed(kept, severity=Severity.CRITICAL))


def test_nothing_agrees_beside_an_objection_that_stands() -> None:
    verdict = section(reported(about_event(Severity.LOW))).recommendation
    assert verdict == "Objections stand, but no figure failed a check."


@pytest.mark.parametrize(
    "issue", [about_event(Severity.MEDIUM), about_event(Severity.CRITICAL), disproved()]
)
def test_what_became_of_an_objection_is_audited(issue: ValidationIssue) -> None:
    assert audit(reported(issue)) == ()


def changed(report: ResearchReport, **told: Any) -> ResearchReport:
    """The report with other words about its objection, sealed anew."""
    line = told_in(report).model_copy(update=told)
    markets = tuple(
        market.model_copy(update={"objections": (line,)}) if market == section(report) else market
        for market in report.markets
    )
    return sealed(report.model_copy(update={"markets": markets}))


def test_an_objection_that_is_told_as_disproved_and_is_not_is_found() -> None:
    report = reported(about_event(Severity.MEDIUM))
    assert audit(changed(report, outcome=DISPROVED))
    assert audit(changed(report, severity=Severity.CRITICAL))
    assert audit(changed(report, text="Nothing is wrong."))
