"""From markets' outcomes to a report."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import EventType, Finding, Impact, MarketEvent, Severity
from desk.contracts.findings.source_results import DecisionCalendar, ScheduledDecision
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import MarketOutcome, MarketReport, ResearchReport
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.compile_report import compile_report
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.sections.summary import dollar_direction, summary_of, titled
from desk.trust.prose.gate import rejected_figures
from desk.trust.prose.references import references
from desk.trust.seals import seal_of
from tests.support.builders import pair_market
from tests.support.documents.report_outcomes import (
    AS_OF,
    BANKS,
    FINISHED_AT,
    LAST_FIXING,
    empty_outcome,
    evidence,
    made_up_history,
    pair_outcome,
    verdict,
)
from tests.support.documents.reports import (
    sample_config,
    sample_outcomes,
    sample_record,
    sample_report,
    with_event,
    with_issue,
)


def section(report: ResearchReport, market: str) -> MarketReport:
    return next(line for line in report.markets if line.market == market)


def lines(report: ResearchReport) -> list[str]:
    return [line.text for line in report.summary]


def without_metric(outcome: MarketOutcome, metric: Metric) -> MarketOutcome:
    results = tuple(
        result.model_copy(update={"claims": tuple(c for c in result.claims if c.metric != metric)})
        for result in outcome.results
    )
    return outcome.model_copy(update={"results": results})


def renamed_bank(outcome: MarketOutcome, bank: str) -> MarketOutcome:
    """The outcome with another name of the bank in its decision calendar."""
    changed = []
    for result in outcome.evidence:
        if result.call.tool == "get_decision_calendar":
            answer = DecisionCalendar.model_validate(result.content)
            days = tuple(day.model_copy(update={"bank": bank}) for day in answer.scheduled)
            answer = answer.model_copy(update={"scheduled": days})
            result = evidence(outcome.market, "get_decision_calendar", answer)
        changed.append(result)
    return outcome.model_copy(update={"evidence": tuple(changed)})


def event_about(market: str, description: str) -> MarketEvent:
    return MarketEvent(
        event_id=f"{market}:told",
        event_type=EventType.ECONOMIC_DATA,
        market=market,
        event_date=date(2026, 9, 15),
        description=description,
        impact=Impact.LOW,
    )


def report_with(market: str, description: str) -> ResearchReport:
    outcomes = [
        with_event(outcome, event_about(market, description))
        if outcome.market == market
        else outcome
        for outcome in sample_outcomes()
    ]
    return sample_report(sample_record(outcomes))


def test_researched_and_partial_markets_count_and_the_others_are_missing_with_a_reason() -> None:
    coverage = sample_report().coverage
    assert (coverage.expected, coverage.researched) == (11, 9)
    reasons = {line.market: line.reason for line in coverage.missing}
    assert reasons["USD/TWD"] == "no configured source has USD/TWD"
    assert "dead letter" in reasons["USD/KRW"]
    assert "503" in reasons["USD/KRW"]
    assert len(reasons) == 2


def test_a_partial_market_is_noted_with_what_it_lacks() -> None:
    (note,) = sample_report().coverage.notes
    assert note == "GBP/USD is partial: the central bank's calendar could not be reached"


def test_a_reason_does_not_repeat_the_market_that_it_stands_beside() -> None:
    told = empty_outcome("USD/TWD", Outcome.MISSING, "USD/TWD: no source.", "TW: no rate.")
    coverage = sample_report(sample_record([told])).coverage
    assert {line.market: line.reason for line in coverage.missing}["USD/TWD"] == (
        "no source; TW: no rate"
    )


def test_a_market_that_was_not_reached_is_missing_and_has_a_section() -> None:
    outcomes = [line for line in sample_outcomes() if line.market != "EUR/USD"]
    report = sample_report(sample_record(outcomes))
    assert "EUR/USD" in {line.market for line in report.coverage.missing}
    assert section(report, "EUR/USD").outcome is Outcome.MISSING
    assert section(report, "EUR/USD").missing


@pytest.mark.parametrize(
    ("threshold", "outcome"), [(0.8, Outcome.COMPLETE), (0.9, Outcome.INCOMPLETE)]
)
def test_a_week_below_its_threshold_is_incomplete(threshold: float, outcome: Outcome) -> None:
    config = sample_config()
    thresholds = config.policy.thresholds.model_copy(update={"coverage": threshold})
    policy = config.policy.model_copy(update={"thresholds": thresholds})
    report = sample_report(config=config.model_copy(update={"policy": policy}))
    assert report.outcome is outcome


def test_sections_stand_in_the_configured_order() -> None:
    assert tuple(line.market for line in sample_report().markets) == sample_config().market_names


def test_movers_are_sorted_by_the_size_of_the_z_score_then_of_the_move() -> None:
    movers = sample_report().movers
    keys = [(abs(row.z_score or 0), abs(row.move)) for row in movers]
    assert keys == sorted(keys, reverse=True)
    assert len(movers) == 5


def test_a_mover_without_a_z_score_comes_last() -> None:
    outcomes = [
        without_metric(outcome, Metric.Z_SCORE) if outcome.market == "EUR/USD" else outcome
        for outcome in sample_outcomes()
    ]
    last = sample_report(sample_record(outcomes)).movers[-1]
    assert (last.market, last.z_score) == ("EUR/USD", None)


def test_every_figure_of_a_mover_is_a_claims() -> None:
    report = sample_report()
    for row in report.movers:
        claimed = {claim.metric: claim.value for claim in section(report, row.market).claims}
        assert row.last == claimed[Metric.LAST]
        assert row.move == claimed[Metric.MOVE]
        assert row.z_score == claimed[Metric.Z_SCORE]
        assert row.range_position == claimed[Metric.RANGE_POSITION]
        assert (row.window_low, row.window_high) == (
            claimed[Metric.WINDOW_LOW],
            claimed[Metric.WINDOW_HIGH],
        )


def test_a_reference_is_rendered_from_the_claim() -> None:
    (event,) = section(sample_report(), "USD/JPY").events
    assert event.text == "USD/JPY moved -1.02 % (-1.5 σ) over the window, to 144.33."
    assert event.verified


def test_an_event_may_refer_to_another_markets_figure() -> None:
    report = report_with("USD/JPY", "The Fed stands at [[US:policy_rate]].")
    assert "The Fed stands at 3.875 %." in {e.text for e in section(report, "USD/JPY").events}


def test_a_sentence_that_refers_to_no_claim_is_dropped_and_the_others_stay() -> None:
    told = "It was calm. It rose [[USD/JPY:band_position]]. It stands at [[USD/JPY:last]]."
    market = section(report_with("USD/JPY", told), "USD/JPY")
    texts = {event.event_id: event.text for event in market.events}
    assert texts["USD/JPY:told"] == "It was calm. It stands at 144.33."
    (dropped,) = market.dropped
    assert dropped.place == "USD/JPY:told"
    assert "USD/JPY:band_position" in dropped.reason


def test_an_event_of_which_no_sentence_is_left_is_not_in_the_report() -> None:
    report = report_with("USD/JPY", "It rose [[USD/JPY:band_position]].")
    market = section(report, "USD/JPY")
    assert "USD/JPY:told" not in {event.event_id for event in market.events}
    assert "Sentences left out because they failed a check: 1 in USD/JPY." in lines(report)


def test_a_typed_figure_that_is_no_claim_is_dropped_at_publishing() -> None:
    report = report_with("USD/JPY", "It was calm. It touched 151.87 on Friday.")
    texts = {event.event_id: event.text for event in section(report, "USD/JPY").events}
    assert texts["USD/JPY:told"] == "It was calm."
    assert section(report, "USD/JPY").dropped


def test_an_event_that_the_validator_did_not_verify_is_not_verified() -> None:
    report = section(report_with("USD/JPY", "Nothing happened."), "USD/JPY")
    verified = {event.event_id: event.verified for event in report.events}
    assert verified == {"USD/JPY:move": True, "USD/JPY:told": False}


def test_a_validators_objection_stands_beside_what_it_is_about() -> None:
    outcomes = [
        with_issue(outcome, "one source only for [[EUR/USD:last]]")
        if outcome.market == "EUR/USD"
        else outcome
        for outcome in sample_outcomes()
    ]
    report = sample_report(sample_record(outcomes))
    (objection,) = section(report, "EUR/USD").objections
    assert (objection.severity, objection.text) == (
        Severity.MEDIUM,
        "one source only for 1.1658",
    )


def test_decisions_in_the_window_stand_with_their_outcome() -> None:
    told = {row.area: row.outcome.text for row in sample_report().calendar if not row.ahead}
    assert told == {
        "US": "raised (+25 bp) to 3.875 %",
        "GB": "held at 3.75 %",
        "JP": "raised (+25 bp) to 1.25 %",
    }


def test_decisions_ahead_stand_with_the_rate_in_force() -> None:
    calendar = sample_report().calendar
    ahead = [(row.area, row.day, row.outcome.text) for row in calendar if row.ahead]
    assert ahead == [
        ("KR", date(2026, 9, 29), "last known 2.75 %"),
        ("US", date(2026, 10, 28), "last known 3.875 %, 14:00 New York"),
        ("JP", date(2026, 10, 30), "last known 1.25 %"),
    ]


def test_a_decision_ahead_on_a_day_that_is_not_in_the_banks_calendar_is_left_out() -> None:
    def told_for(day: date) -> MarketOutcome:
        (japan,) = [line for line in sample_outcomes() if line.market == "JP"]
        ahead = MarketEvent(
            event_id="JP/ahead",
            event_type=EventType.SCHEDULED_DECISION,
            market="JP",
            area="JP",
            central_bank="Bank of Japan",
            event_date=day,
            description="Bank of Japan is scheduled to decide on its policy rate.",
            impact=Impact.MEDIUM,
            claims=("JP:policy_rate",),
            confidence=0.9,
        )
        result = japan.results[0].model_copy(update={"events": (ahead,)})
        return japan.model_copy(update={"results": (result, *japan.results[1:])})

    def events(day: date) -> list[str]:
        outcomes = [line for line in sample_outcomes() if line.market != "JP"]
        report = sample_report(sample_record([*outcomes, told_for(day)]))
        return [e.event_id for s in report.markets if s.market == "JP" for e in s.events]

    assert "JP/ahead" in events(date(2026, 10, 30))
    assert "JP/ahead" not in events(date(2026, 10, 29))


def test_a_decision_day_that_passed_without_an_outcome_is_not_hidden() -> None:
    day = ScheduledDecision(area="TH", bank="Bank of Thailand", day=date(2026, 9, 16), source="it")
    answer = DecisionCalendar(as_of=AS_OF, source=BANKS, scheduled=(day,))
    outcomes = [
        outcome.model_copy(
            update={
                "evidence": (*outcome.evidence, evidence("TH", "get_decision_calendar", answer))
            }
        )
        if outcome.market == "US"
        else outcome
        for outcome in sample_outcomes()
    ]
    report = sample_report(sample_record(outcomes))
    assert "Decision days without an outcome on record: Bank of Thailand (16 Sep)." in lines(report)
    rows = {row.area: row for row in report.calendar}
    assert "not on record" in rows["TH"].outcome.text
    assert not rows["TH"].ahead


def test_a_bank_whose_next_decision_is_not_known_is_named_with_the_decisions_ahead() -> None:
    answer = DecisionCalendar(
        as_of=AS_OF,
        source=BANKS,
        scheduled=(),
        missing={"XM": "The days end."},
        ends={"XM": date(2026, 9, 10)},
    )
    asked = evidence("XM", "get_decision_calendar", answer)
    report = sample_report()
    rates = tuple(
        row.model_copy(update={"area": "XM", "bank": "European Central Bank"})
        if row.area == "US"
        else row
        for row in report.policy_rates
    )
    calendar = tuple(row for row in report.calendar if row.area != "XM")
    changed = report.model_copy(
        update={
            "evidence": (*report.evidence, asked),
            "policy_rates": rates,
            "calendar": calendar,
        }
    )
    summary = summary_of(changed, printed_claims(changed))
    (ahead,) = (line.text for line in summary if "decides next" in line.text)
    assert ahead.startswith("Decisions ahead: ")
    assert ahead.endswith("Not known is when the European Central Bank decides next.")
    assert "end on 10 Sep 2026 (the European Central Bank)" in str(Lacking(changed).undated_words)


def test_a_missing_policy_rate_has_a_row_and_a_reason() -> None:
    outcomes = [line for line in sample_outcomes() if line.market != "JP"]
    rows = {row.area: row for row in sample_report(sample_record(outcomes)).policy_rates}
    assert rows["JP"].rate is None
    assert rows["JP"].notes == ("its research had not ended when the report was due",)


def test_a_stale_rate_says_until_when_changes_are_known() -> None:
    rows = {row.area: row for row in sample_report().policy_rates}
    assert rows["KR"].stale
    assert rows["KR"].notes == ("changes are known until 31 Aug 2026 only",)
    assert (rows["KR"].rate, rows["KR"].differential) == (Decimal("2.75"), Decimal("-112.5"))


def test_the_chart_covers_a_year_up_to_the_report_without_suspect_fixings() -> None:
    market = section(sample_report(), "USD/HKD")
    assert market.days[-1] == LAST_FIXING
    assert market.days[0] >= AS_OF.date() - timedelta(weeks=52)
    assert date(2026, 4, 2) not in market.days
    assert len(market.days) == len(market.values) > 250


def test_a_history_beyond_a_year_is_cut() -> None:
    history = made_up_history("EUR/USD", 1.14, 4, 0.0)
    early = tuple(day - timedelta(weeks=52) for day in history.days[:5])
    longer = history.model_copy(
        update={"days": (*early, *history.days), "values": (*history.values[:5], *history.values)}
    )
    report = sample_report(sample_record([pair_outcome(longer)]))
    assert not set(early) & set(section(report, "EUR/USD").days)


def test_the_same_question_to_a_source_stands_once() -> None:
    outcomes = sample_outcomes()
    once = sample_report(sample_record(outcomes)).sources
    doubled = [
        line.model_copy(update={"results": (*line.results, *line.results)}) for line in outcomes
    ]
    assert sample_report(sample_record(doubled)).sources == once
    assert [source.server for source in once] == sorted(source.server for source in once)


def test_every_piece_of_evidence_that_a_claim_names_is_among_the_sources() -> None:
    report = sample_report()
    listed = {source.evidence_id for source in report.sources}
    claims = [claim for market in report.markets for claim in market.claims]
    assert claims
    assert {name for claim in claims for name in claim.evidence} <= listed


def test_the_summary_tells_moves_decisions_what_is_ahead_and_what_is_missing() -> None:
    told = "\n".join(lines(sample_report()))
    ordinary = "no move was unusual; by its past swings the largest was"
    assert f"G10: {ordinary} USD/JPY -1.02 % (-1.5 σ) to 144.33" in told
    assert f"Asia: {ordinary} USD/INR -1.02 %" in told
    assert (
        "The dollar rose against 2 of 3 G10 currencies and fell against 1; "
        "it fell against 2 of 2 Asian currencies." in told
    )
    assert "Bank of Japan raised (+25 bp) to 1.25 % (18 Sep)" in told
    assert "Decisions ahead: Bank of Korea (29 Sep)." in told
    assert "Missing from this report: USD/KRW, USD/TWD." in told


def test_a_rise_of_eur_usd_is_a_fall_of_the_dollar() -> None:
    movers = {row.market: row for row in sample_report().movers}
    risen = {name: row.model_copy(update={"move": Decimal("0.5")}) for name, row in movers.items()}
    assert dollar_direction(risen["EUR/USD"]) == -1
    assert dollar_direction(risen["USD/JPY"]) == 1
    level = movers["USD/JPY"].model_copy(update={"move": Decimal("0.00")})
    assert dollar_direction(level) == 0


def test_a_rerun_market_says_in_which_revision_it_was_redone() -> None:
    report = sample_report()
    assert report.revision == 2
    assert section(report, "USD/JPY").revised_in == 2
    assert section(report, "EUR/USD").revised_in == 1


def test_conflicts_and_dead_letters_reach_the_report() -> None:
    report = sample_report()
    assert [conflict.market for conflict in report.conflicts] == ["USD/INR"]
    assert report.conflicts[0].resolution.startswith("84.2958 carries the greatest weight")
    assert "Dissent: 86.5 " in report.conflicts[0].resolution
    assert len(report.dead_letters) == 1


def test_only_the_timings_tell_two_identical_runs_apart() -> None:
    first, second = (
        compile_report(
            sample_record(),
            sample_config(),
            finished_at=FINISHED_AT + timedelta(seconds=late),
            workflow_id="weekly-2026-W38",
            run_id=f"run-{late}",
        )
        for late in (0, 90)
    )
    assert first != second
    apart = {"timings", "seal"}
    assert first.model_dump_json(exclude=apart) == second.model_dump_json(exclude=apart)


def test_a_report_is_sealed_and_reads_back_with_the_same_seal() -> None:
    report = sample_report()
    assert report.seal == seal_of(report)
    assert seal_of(ResearchReport.model_validate_json(report.model_dump_json())) == report.seal


def test_a_report_verifies_from_itself_alone() -> None:
    assert audit(sample_report()) == ()


def test_the_evidence_behind_claims_verdicts_and_tables_is_in_the_report_once() -> None:
    report = sample_report()
    held = [result.evidence_id for result in report.evidence]
    assert held == sorted(set(held))
    for market in report.markets:
        for claim in market.claims:
            assert set(claim.evidence) <= set(held)
        for found in market.verdicts:
            assert set(found.evidence) <= set(held)
    assert {"US/get_decision_calendar", "KR/get_policy_rate"} <= set(held)


def test_no_sentence_of_the_reports_own_holds_a_figure_that_is_no_reference() -> None:
    report = sample_report()
    claims = printed_claims(report)
    prose = [line.prose for line in report.summary]
    prose += [row.outcome.prose for row in report.calendar]
    assert prose
    for line in prose:
        assert rejected_figures(line, claims) == ()
    assert sum(len(references(line)) for line in prose) > 10


def test_without_a_score_the_first_move_is_the_largest_and_not_the_most_unusual() -> None:
    outcomes = [
        without_metric(outcome, Metric.Z_SCORE) if "/" in outcome.market else outcome
        for outcome in sample_outcomes()
    ]
    told = "\n".join(lines(sample_report(sample_record(outcomes))))
    assert "the largest move was USD/JPY -1.02 % to 144.33" in told
    assert "most unusual" not in told


def test_a_market_that_is_missing_has_no_recommendation() -> None:
    nothing = empty_outcome("USD/TWD", Outcome.MISSING, "no source")
    said = verdict(sample_outcomes()[4].results[0]).model_copy(
        update={"recommendation": "Publish: every figure that could be checked agrees."}
    )
    outcome = nothing.model_copy(update={"validation": said})
    report = sample_report(sample_record([outcome]))
    assert section(report, "USD/TWD").recommendation is None


def test_a_bank_whose_name_holds_digits_is_named_by_its_area() -> None:
    outcomes = [
        renamed_bank(outcome, "Bank at 7.5 %") if outcome.market == "KR" else outcome
        for outcome in sample_outcomes()
    ]
    report = sample_report(sample_record(outcomes))
    assert "Decisions ahead: KR (29 Sep)." in lines(report)


def test_a_rate_that_a_pair_brought_along_has_a_row_without_its_area_being_configured() -> None:
    config = sample_config()
    pairs = tuple(spec for spec in config.markets if "/" in spec.market)
    federal = next(line for line in sample_outcomes() if line.market == "US")
    outcomes = [
        line.model_copy(
            update={
                "results": (*line.results, *federal.results),
                "evidence": (*line.evidence, *federal.evidence),
            }
        )
        if line.market == "USD/HKD"
        else line
        for line in sample_outcomes()
        if "/" in line.market
    ]
    report = sample_report(sample_record(outcomes), config.model_copy(update={"markets": pairs}))
    rows = [(row.area, row.group, row.rate) for row in report.policy_rates]
    assert rows == [("US", MarketGroup.G10, Decimal("3.875"))]


def test_a_title_says_what_is_covered() -> None:
    pairs = [pair_market(name) for name in ("USD/CHF", "USD/SEK", "EUR/USD", "GBP/USD", "AUD/USD")]
    assert titled("2026-W44", pairs[:2]) == (
        "Currencies and policy rates, USD/CHF, USD/SEK, 2026-W44"
    )
    assert titled("2026-W44", pairs) == "G10 currencies and policy rates, 2026-W44"
    both = [*pairs, pair_market("USD/JPY").model_copy(update={"group": MarketGroup.ASIA})]
    assert titled("2026-W44", both) == titled("2026-W44")


def test_a_dollar_against_one_currency_is_named_and_not_counted() -> None:
    (outcome,) = (each for each in sample_outcomes() if each.market == "USD/JPY")
    (spec,) = (each for each in sample_config().markets if each.market == "USD/JPY")
    config = sample_config().model_copy(update={"markets": (spec,)})
    alone = sample_report(sample_record([outcome]), config)
    assert "USD/JPY" in alone.title
    assert not any("The dollar" in line.prose for line in alone.summary)
    assert not [each for each in audit(alone) if each.where in ("summary", "title")]


def test_a_finding_that_is_no_event_is_printed_and_held_to_its_claims() -> None:
    words = "The pair stands at [[USD/JPY:last]], which is little for a carry trade."
    outcomes = []
    for outcome in sample_outcomes():
        if outcome.market == "USD/JPY":
            first, *others = outcome.results
            found = tuple(
                Finding(topic="carry", statement=said, confidence=0.6)
                for said in (words, "It rose 9.99 %.", "[[USD/JPY:nothing]] says so.")
            )
            told = first.model_copy(update={"findings": found})
            outcome = outcome.model_copy(update={"results": (told, *others)})
        outcomes.append(outcome)
    report = sample_report(sample_record(outcomes))
    (section,) = (each for each in report.markets if each.market == "USD/JPY")
    (kept,) = section.findings
    assert kept.statement == words and "144.33" in kept.text
    assert f"Found: {kept.text} (confidence in the finding 60 %)" in render_markdown(report)
    assert "which is little for a carry trade" in render_html(report)
    assert not [each for each in audit(report) if "finding" in each.where]
    assert len(section.dropped) == 2
