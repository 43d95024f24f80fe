"""What of a week's findings is printed, and what is withheld."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    DecidedBy,
    Leaning,
    MarketEvent,
    ResearchResult,
    Severity,
    ValidationIssue,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.week.report import Contribution, MarketOutcome, MarketReport, ResearchReport
from desk.programs.week.document.audit.report import audit
from desk.trust.conflicts.voting import decide
from desk.trust.prose.references import references
from tests.support.documents.report_outcomes import evidence, made_up_history, pair_claims
from tests.support.documents.reports import sample_outcomes, sample_record, sample_report

Change = Callable[[MarketOutcome], MarketOutcome]


def week_with(**changed: Change) -> ResearchReport:
    """The sample's report with the outcomes of some markets changed; `USD_JPY` is USD/JPY."""
    changes = {market.replace("_", "/"): change for market, change in changed.items()}
    outcomes = [
        changes[outcome.market](outcome) if outcome.market in changes else outcome
        for outcome in sample_outcomes()
    ]
    return sample_report(sample_record(outcomes))


def section(report: ResearchReport, market: str) -> MarketReport:
    return next(line for line in report.markets if line.market == market)


def verdicts(report: ResearchReport, market: str) -> dict[str, ClaimVerdict]:
    return {verdict.claim_id: verdict for verdict in section(report, market).verdicts}


def printed(report: ResearchReport, market: str) -> set[str]:
    return {claim.claim_id for claim in section(report, market).claims}


def with_results(
    outcome: MarketOutcome, change: Callable[[ResearchResult], ResearchResult]
) -> MarketOutcome:
    return outcome.model_copy(update={"results": tuple(map(change, outcome.results))})


def corrupted(name: str, **fields: object) -> Change:
    """Changes one claim of a market, and nothing else."""

    def claim(claim: Claim) -> Claim:
        return claim.model_copy(update=fields) if claim.claim_id == name else claim

    def result(result: ResearchResult) -> ResearchResult:
        return result.model_copy(update={"claims": tuple(map(claim, result.claims))})

    return lambda outcome: with_results(outcome, result)


def describing(description: str) -> Change:
    """Changes what the market's event says."""

    def event(event: MarketEvent) -> MarketEvent:
        return event.model_copy(update={"description": description})

    def result(result: ResearchResult) -> ResearchResult:
        return result.model_copy(update={"events": tuple(map(event, result.events))})

    return lambda outcome: with_results(outcome, result)


def both(*changes: Change) -> Change:
    def all_of(outcome: MarketOutcome) -> MarketOutcome:
        for change in changes:
            outcome = change(outcome)
        return outcome

    return all_of


def rejecting(*names: str) -> Change:
    """The validator rejects some claims."""

    def reject(verdict: ClaimVerdict) -> ClaimVerdict:
        if verdict.claim_id not in names:
            return verdict
        update = {"status": ClaimStatus.REJECTED, "decided_by": ClaimCheck.SECOND_SOURCE}
        return verdict.model_copy(update={**update, "words": "The source denies it."})

    def change(outcome: MarketOutcome) -> MarketOutcome:
        assert outcome.validation is not None
        given = tuple(map(reject, outcome.validation.verdicts))
        validation = outcome.validation.model_copy(update={"verdicts": given})
        return outcome.model_copy(update={"validation": validation})

    return change


def unvalidated(error: str | None = None) -> Change:
    """Nobody validated; `error` is what the validator's task ended with."""

    def line(line: Contribution) -> Contribution:
        if line.task_type is not TaskType.VALIDATE:
            return line
        return line.model_copy(update={"delivered": False, "error": error})

    def change(outcome: MarketOutcome) -> MarketOutcome:
        agents = tuple(map(line, outcome.agents))
        return outcome.model_copy(update={"validation": None, "agents": agents})

    return change


WRONG_HIGH = corrupted("USD/JPY:year_high", value=Decimal("199.99"))
WRONG_LAST = corrupted("USD/JPY:last", value=Decimal("199.99"))


def test_a_claim_that_does_not_follow_from_its_evidence_is_withheld_whoever_passed_it() -> None:
    report = week_with(USD_JPY=WRONG_HIGH)
    verdict = verdicts(report, "USD/JPY")["USD/JPY:year_high"]
    assert (verdict.status, verdict.decided_by) == (ClaimStatus.REJECTED, ClaimCheck.VALUE)
    assert "USD/JPY:year_high" not in printed(report, "USD/JPY")
    assert "199.99" not in report.model_dump_json(exclude={"evidence"})


def test_what_is_derived_from_a_rejected_claim_is_rejected_too() -> None:
    report = week_with(USD_JPY=WRONG_HIGH)
    verdict = verdicts(report, "USD/JPY")["USD/JPY:range_position"]
    assert verdict.status is ClaimStatus.REJECTED
    assert verdict.words == "Withheld: it rests on USD/JPY:year_high, which is withheld."
    row = next(row for row in report.movers if row.market == "USD/JPY")
    assert row.range_position is None
    assert row.last == Decimal("144.33")


def test_a_sentence_about_a_rejected_claim_is_dropped_and_the_others_stay() -> None:
    told = "It peaked at [[USD/JPY:year_high]] in the year. It ended at [[USD/JPY:last]]."
    report = week_with(USD_JPY=both(WRONG_HIGH, describing(told)))
    market = section(report, "USD/JPY")
    assert [event.text for event in market.events] == ["It ended at 144.33."]
    assert "USD/JPY:year_high" in market.dropped[0].reason


def test_withheld_figures_are_counted_in_the_summary_and_named_in_the_market() -> None:
    report = week_with(USD_JPY=WRONG_HIGH)
    told = [line.text for line in report.summary]
    assert "Figures withheld because they were rejected: 2 in USD/JPY." in told
    assert any("USD/JPY:year_high" in line for line in section(report, "USD/JPY").missing)


def test_the_validators_advice_to_publish_does_not_stand_over_withheld_figures() -> None:
    said = section(week_with(USD_JPY=WRONG_HIGH), "USD/JPY").recommendation
    assert said is not None
    assert "withheld" in said


def test_a_market_without_its_essential_claim_is_missing_with_the_reason() -> None:
    report = week_with(USD_JPY=WRONG_LAST)
    reasons = {line.market: line.reason for line in report.coverage.missing}
    assert "rejected and withheld" in reasons["USD/JPY"]
    assert "USD/JPY:last" in reasons["USD/JPY"]
    assert section(report, "USD/JPY").outcome is Outcome.MISSING
    assert "USD/JPY" not in {row.market for row in report.movers}
    assert report.coverage.researched == sample_report().coverage.researched - 1


def test_what_the_validator_rejects_is_withheld() -> None:
    report = week_with(JP=rejecting("JP:policy_rate"))
    assert "JP:policy_rate" not in printed(report, "JP")
    assert verdicts(report, "JP")["JP:policy_rate"].words == "The source denies it."
    assert verdicts(report, "JP")["JP:differential"].status is ClaimStatus.REJECTED
    assert {row.area: row.rate for row in report.policy_rates}["JP"] is None
    ahead = {row.area: row.outcome.text for row in report.calendar if row.ahead}
    assert ahead["JP"] == "scheduled"


def test_a_report_with_many_rejected_claims_is_whole_and_verifies() -> None:
    report = week_with(
        USD_JPY=WRONG_LAST,
        EUR_USD=corrupted("EUR/USD:previous", value=Decimal("2.0000")),
        JP=corrupted("JP:decision_change@2026-09-18", value=Decimal(-25)),
        US=corrupted("US:policy_rate", value=Decimal("4.125")),
        GB=corrupted("GB:decision_rate@2026-09-17", value=Decimal("4.00")),
    )
    assert audit(report) == ()
    rejected = [
        verdict.claim_id
        for market in report.markets
        for verdict in market.verdicts
        if verdict.status is ClaimStatus.REJECTED
    ]
    assert {"USD/JPY:last", "EUR/USD:move", "JP:decision_change@2026-09-18"} <= set(rejected)
    held = {claim.claim_id for market in report.markets for claim in market.claims}
    held |= {claim.claim_id for claim in report.counts}
    prose = [line.prose for line in report.summary]
    prose += [event.description for market in report.markets for event in market.events]
    assert {name for line in prose for name in references(line)} <= held


def test_every_printed_claim_has_exactly_one_verdict() -> None:
    for market in sample_report().markets:
        given = [verdict.claim_id for verdict in market.verdicts]
        assert given == [claim.claim_id for claim in market.claims]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("the validator gave up", "the validator gave up"),
        (None, "its validation had not ended when the report was due"),
    ],
)
def test_a_claim_that_nobody_validated_has_a_single_source_and_says_why(
    error: str | None, reason: str
) -> None:
    verdict = verdicts(week_with(USD_JPY=unvalidated(error)), "USD/JPY")["USD/JPY:last"]
    assert verdict.status is ClaimStatus.SINGLE_SOURCE
    assert verdict.words == f"It follows from its evidence. It was not validated: {reason}."


def supported_by(status: ClaimStatus, *origins: str) -> Change:
    """The validator says this of every claim, and names these origins."""

    def change(outcome: MarketOutcome) -> MarketOutcome:
        assert outcome.validation is not None
        given = tuple(
            verdict.model_copy(update={"status": status, "origins": origins})
            for verdict in outcome.validation.verdicts
        )
        validation = outcome.validation.model_copy(update={"verdicts": given})
        return outcome.model_copy(update={"validation": validation})

    return change


@pytest.mark.parametrize(
    ("said", "origins", "status"),
    [
        (ClaimStatus.VERIFIED, ("ECB", "ECB"), ClaimStatus.SINGLE_SOURCE),
        (ClaimStatus.VERIFIED, ("ECB", "Fed"), ClaimStatus.VERIFIED),
        (ClaimStatus.SINGLE_SOURCE, ("BIS", "Bank of England"), ClaimStatus.SINGLE_SOURCE),
    ],
)
def test_a_claim_is_never_better_supported_than_its_origins_or_its_validator_say(
    said: ClaimStatus, origins: tuple[str, ...], status: ClaimStatus
) -> None:
    week = week_with(USD_JPY=supported_by(said, *origins))
    assert verdicts(week, "USD/JPY")["USD/JPY:last"].status is status


def decided(position: int | None, by: DecidedBy) -> Change:
    """Somebody decided the market's conflict."""

    def change(outcome: MarketOutcome) -> MarketOutcome:
        made = tuple(decide(conflict, position, by, "ada") for conflict in outcome.conflicts)
        return outcome.model_copy(update={"conflicts": made})

    return change


def test_a_claim_that_a_vote_decided_for_is_contested_and_printed() -> None:
    report = sample_report()
    assert verdicts(report, "USD/INR")["USD/INR:last"].status is ClaimStatus.CONTESTED
    assert {row.market: row.last for row in report.movers}["USD/INR"] == Decimal("84.2958")


def test_the_figure_that_a_person_chose_is_the_one_that_is_printed() -> None:
    report = week_with(USD_INR=decided(1, DecidedBy.PERSON))
    claims = {claim.claim_id: claim.value for claim in section(report, "USD/INR").claims}
    assert claims["USD/INR:last"] == Decimal("86.5000")
    assert "USD/INR:move" not in claims
    told = [line.text for line in report.summary]
    assert "A person decided what holds where sources disagree: USD/INR (level)." in told


def test_a_figure_withheld_by_a_person_is_nowhere_and_its_market_is_missing() -> None:
    report = week_with(USD_INR=decided(None, DecidedBy.PERSON))
    assert "USD/INR:last" not in printed(report, "USD/INR")
    assert "USD/INR" in {line.market for line in report.coverage.missing}
    assert audit(report) == ()


def test_one_id_states_one_figure_in_the_whole_report() -> None:
    def borrowed(outcome: MarketOutcome) -> MarketOutcome:
        federal = next(line for line in sample_outcomes() if line.market == "US")
        return outcome.model_copy(
            update={
                "results": (*outcome.results, *federal.results),
                "evidence": (*outcome.evidence, *federal.evidence),
            }
        )

    report = week_with(USD_JPY=both(borrowed, corrupted("US:policy_rate", value=Decimal("9.875"))))
    values = {
        claim.value
        for market in report.markets
        for claim in market.claims
        if claim.claim_id == "US:policy_rate"
    }
    assert values == {Decimal("3.875")}
    assert verdicts(report, "USD/JPY")["US:policy_rate"].status is ClaimStatus.REJECTED


def test_a_view_that_rests_on_a_rejected_claim_is_not_told() -> None:
    leanings = [view.leaning for view in section(sample_report(), "USD/JPY").views]
    assert leanings == [Leaning.DOWN]
    assert section(week_with(USD_JPY=WRONG_LAST), "USD/JPY").views == ()


def test_an_event_whose_words_contradict_its_figure_is_left_out() -> None:
    told = "USD/JPY rose sharply ([[USD/JPY:move]])."
    market = section(week_with(USD_JPY=describing(told)), "USD/JPY")
    assert market.events == ()
    assert "a reference that does not fit" in market.dropped[0].reason
    assert Metric.MOVE in {claim.metric for claim in market.claims}


def objecting_with_a_cross(outcome: MarketOutcome) -> MarketOutcome:
    """The validator asked for a pair that nobody researches, and objects with its move."""
    assert outcome.validation
    history = made_up_history("EUR/NOK", 11.3, 4, 0.9)
    found = evidence("EUR/NOK", "get_historical", history)
    issue = ValidationIssue(
        issue_type="overstated",
        severity=Severity.MEDIUM,
        description="It was not alone: EUR/NOK [[EUR/NOK:move|moved]] as well.",
        claims=(f"{outcome.market}:move",),
        event=f"{outcome.market}:move",
        recommendation="Say so.",
        confidence=0.7,
    )
    checks = pair_claims(history, found.evidence_id)
    said = outcome.validation.model_copy(
        update={"checks": checks, "issues": (*outcome.validation.issues, issue)}
    )
    return outcome.model_copy(update={"validation": said, "evidence": (*outcome.evidence, found)})


def test_what_a_validator_fetched_and_objects_with_is_a_figure_of_the_report() -> None:
    """With what it is computed from, and without what the validator read and said nothing of."""
    report = week_with(USD_JPY=objecting_with_a_cross)
    part = section(report, "USD/JPY")
    fetched = {name for name in printed(report, "USD/JPY") if name.startswith("EUR/NOK")}
    assert fetched == {"EUR/NOK:move", "EUR/NOK:last", "EUR/NOK:previous"}
    assert verdicts(report, "USD/JPY")["EUR/NOK:move"].words.endswith("the validator fetched.")
    (objection,) = [each for each in part.objections if each.text.startswith("It was not alone")]
    assert "EUR/NOK rose " in objection.text or "EUR/NOK fell " in objection.text
    assert not part.dropped and audit(report) == ()
