"""A report says how far what it rests on was known, and is complete only as far as is asked."""

from datetime import date, timedelta

import pytest

from activities.deliveries import letter, subject_line
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.claims import Unit
from desk.contracts.findings.verdicts import NOTHING_AGAINST, ClaimStatus
from desk.contracts.week.report import Coverage, Freshness, RatesKnown, ResearchReport
from desk.documents.rendering.words.wording import figure
from desk.programs.week.document.audit.report import frame_findings
from desk.programs.week.document.judging.coverage import reason_of
from desk.programs.week.document.rendering.coverage_words import (
    checked_words,
    coverage_lines,
    freshness_words,
    known_words,
)
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.rendering.rates_table import differential_words, instruments
from desk.programs.week.document.rendering.wording import coverage_words, work_words
from desk.programs.week.document.sections.freshness import freshness_of
from tests.support.documents.report_outcomes import empty_outcome
from tests.support.documents.reports import sample_report

CURRENT = Freshness(prices=20, rates=18, decisions=2)
JUNE, SEPTEMBER, OCTOBER = date(2026, 6, 30), date(2026, 9, 30), date(2026, 10, 30)


def coverage(freshness: Freshness | None = None, current_threshold: float = 0.0) -> Coverage:
    return Coverage(
        expected=38,
        researched=36,
        threshold=0.9,
        freshness=freshness,
        current_threshold=current_threshold,
    )


def told(freshness: Freshness | None, current_threshold: float = 0.0) -> str:
    report = sample_report().model_copy(update={"coverage": coverage(freshness, current_threshold)})
    return coverage_words(report)


def stale(**changes: object) -> Freshness:
    return CURRENT.model_copy(update=changes)


@pytest.mark.parametrize(
    ("freshness", "words"),
    [
        (CURRENT, "prices current, policy rates current"),
        (
            stale(stale_rates=18, rates_to=SEPTEMBER),
            "prices current, policy rates known to 30 Sep 2026 or later",
        ),
        (
            stale(
                stale_rates=6,
                rates_known=(
                    RatesKnown(areas=("IN",), to=JUNE),
                    RatesKnown(areas=("CH", "AU", "NZ", "CA", "SE"), to=SEPTEMBER),
                ),
            ),
            "prices current, 6 of 18 policy rates known only to 30 Jun 2026 (India) and to 30"
            " Sep 2026 (5 areas)",
        ),
        (
            stale(stale_prices=20, prices_to=OCTOBER),
            "prices known to 30 Oct 2026, policy rates current",
        ),
        (
            stale(stale_rates=2, rates_to=SEPTEMBER, open_decisions=1),
            "prices current, 2 of 18 policy rates known only to 30 Sep 2026 or later, "
            "outcome of 1 of 2 due decisions not known",
        ),
        (
            stale(stale_prices=3),
            "3 of 20 prices older than the last fixing, policy rates current",
        ),
    ],
)
def test_how_current_a_week_is_stands_in_its_headline(freshness: Freshness, words: str) -> None:
    assert freshness_words(coverage(freshness)) == words
    assert words in told(freshness)


def test_a_week_that_knows_too_little_is_not_simply_complete() -> None:
    researched = "36 of 38 markets researched (the threshold is 90 % of the markets), "
    assert told(CURRENT).startswith(f"{researched}complete: prices current")
    late = stale(open_decisions=1)
    assert told(late).startswith(f"{researched}complete but not current: ")
    assert known_words(coverage(CURRENT)) is None
    assert known_words(coverage(late)) == (
        "What the desk knew when this was written: prices current, policy rates current, "
        "outcome of 1 of 2 due decisions not known."
    )


def test_a_week_is_incomplete_below_the_share_that_has_to_be_current() -> None:
    late = stale(stale_rates=18)
    assert late.share == pytest.approx(22 / 40)
    assert coverage(late).complete
    assert coverage(late, 0.5).complete
    assert not coverage(late, 0.9).complete
    assert ", incomplete: " in told(late, 0.9)
    assert "the threshold is 90 % of the markets, and 90 % of it current" in told(late, 0.9)


def test_a_report_of_before_is_told_as_it_was() -> None:
    researched = "36 of 38 markets researched (the threshold is 90 % of the markets)"
    assert told(None) == f"{researched}, complete"
    assert "freshness" not in coverage().model_dump()
    assert "current_threshold" not in coverage().model_dump()


def aged(report: ResearchReport, days: int) -> Freshness:
    """How current the report would be if its as-of instant were days later."""
    window = report.window.model_copy(update={"end": report.window.end + timedelta(days=days)})
    return freshness_of(
        report.movers, report.policy_rates, report.calendar, report.evidence, window
    )


def test_a_report_counts_what_was_not_current() -> None:
    report = sample_report()
    freshness = report.coverage.freshness
    assert freshness == aged(report, 0)
    assert (freshness.prices, freshness.stale_prices) == (len(report.movers), 0)
    assert freshness.rates == sum(row.rate is not None for row in report.policy_rates)
    assert aged(report, 7).stale_prices == freshness.prices


def test_the_head_names_which_rates_end_when() -> None:
    report = sample_report()
    known = stale(stale_rates=1, rates_known=(RatesKnown(areas=("IN",), to=JUNE),))
    late = report.model_copy(update={"coverage": coverage(known)})
    # The days are in the line above it, once.
    assert "Not in this report: later changes of policy rates." in str(Lacking(late).first_words)
    assert not [line for line in coverage_lines(late) if line.startswith("Stale")]


def test_a_report_of_before_with_the_oldest_day_only_is_audited_as_it_was() -> None:
    report = sample_report()
    built = report.coverage.freshness
    assert built is not None
    before = built.model_copy(update={"rates_known": ()})
    older = report.model_copy(
        update={"coverage": report.coverage.model_copy(update={"freshness": before})}
    )
    assert not [found for found in frame_findings(older) if found[0] == "coverage"]


def test_a_differential_of_rates_of_different_days_says_so() -> None:
    report = sample_report()
    told = (
        "The differentials of KR and of their pairs combine rates of different days: rates there "
        "are known to 31 Aug 2026, and that of the Federal Reserve changed on 16 Sep 2026."
    )
    assert told in str(differential_words(report))
    assert told in render_markdown(report)
    assert told in render_html(report)
    differential = next(row.differential for row in report.policy_rates if row.area == "KR")
    marked = figure(differential, Unit.BASIS_POINTS)
    assert f"{marked} \\*" in render_markdown(report)
    assert render_html(report).count("<sup>*</sup>") == 1
    of_one_day = report.model_copy(update={"policy_rates": report.policy_rates[:3]})
    assert "KR" not in [row.area for row in of_one_day.policy_rates]
    assert differential_words(of_one_day) is None


def test_the_table_of_rates_names_the_instrument_of_each() -> None:
    report = sample_report()
    named = instruments(report)
    assert set(named) == {row.area for row in report.policy_rates if row.rate is not None}
    header = next(line for line in render_markdown(report).splitlines() if "Differential" in line)
    assert "Instrument" in header
    rates = render_html(report).split('id="rates"')[1].split("</section>")[0]
    assert all(f"<small>{instrument}</small>" in rates for instrument in named.values())


def test_the_head_says_once_what_was_checked_and_how_much_another_origin_confirms() -> None:
    report = sample_report()
    words = str(checked_words(report))
    assert words.startswith("Checked: every figure was derived again")
    assert render_markdown(report).count(words) == 1
    alone = tuple(
        section.model_copy(
            update={
                "verdicts": tuple(
                    each.model_copy(update={"status": ClaimStatus.SINGLE_SOURCE})
                    for each in section.verdicts
                )
            }
        )
        for section in report.markets
    )
    told = str(checked_words(report.model_copy(update={"markets": alone})))
    assert "is confirmed by a source of another origin" in told
    assert "none of the" in told


def test_a_markets_section_says_nothing_of_work_that_went_as_it_should() -> None:
    section = next(part for part in sample_report().markets if part.agents)
    plain = section.model_copy(update={"recommendation": NOTHING_AGAINST})
    assert work_words(plain) == ""
    other = section.model_copy(update={"recommendation": "Objections stand."})
    assert work_words(other) == "Validator: Objections stand."
    (first, *rest) = section.agents
    failed = first.model_copy(update={"delivered": False, "error": "no answer"})
    assert "did not deliver" in work_words(plain.model_copy(update={"agents": (failed, *rest)}))


def test_a_missing_market_has_no_reason_that_holds_for_every_market() -> None:
    remark = "US: the outcome of Federal Reserve of 28 Oct 2026 is not in the source"
    outcome = empty_outcome("USD/TWD", Outcome.MISSING, "no configured source has USD/TWD")
    both = outcome.model_copy(update={"missing": (*outcome.missing, remark)})
    assert reason_of(both, {remark}) == "no configured source has USD/TWD"
    assert reason_of(both.model_copy(update={"missing": (remark,)}), {remark}) == remark


def test_a_report_that_is_not_current_says_so_on_its_page_and_in_its_letter() -> None:
    report = sample_report()
    assert not [finding for finding in frame_findings(report) if "coverage" in finding[0]]
    late = stale(open_decisions=1)
    changed = report.model_copy(
        update={
            "coverage": report.coverage.model_copy(update={"freshness": late, "researched": 11}),
            "outcome": Outcome.COMPLETE,
        }
    )
    words = "Not in this report: what 1 bank decided. With a network, “desk refresh” fetches"
    assert words in render_markdown(changed)
    assert words in render_html(changed)
    assert words not in render_html(report)
    assert "11 of 11 markets, not current" in subject_line(changed)
    assert "outcome of 1 of 2 due decisions not known" in letter(changed, "there")
    assert [each for each in frame_findings(changed) if "freshness is" in each[1]]
