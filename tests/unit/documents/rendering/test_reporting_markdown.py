"""The Markdown form."""

import re

import pytest

from desk.analytics.figures import print_claim, print_figure
from desk.contracts.findings.results import EventType, Impact, MarketEvent
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.markdown import escaped, link, table
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.rendering.wording import duration_words
from tests.support.builders import window
from tests.support.documents.report_outcomes import LAST_FIXING
from tests.support.documents.reports import (
    sample_outcomes,
    sample_record,
    sample_report,
    with_event,
)
from tests.support.documents.traced_report import CHANGE, CHANGES_THERE, MOVE, traced_report

FIGURE = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?: (?:%|bp|σ|days?)(?!\w))|[+-]?\d[\d,]*\.\d+")
NOT_FIGURES = re.compile(
    r"[Cc]onfidence(?: in [\w' ]+)? \d+ %|the threshold is \d+ % of the markets|^## Method.*\Z",
    re.S | re.M,
)


def plain_report() -> ResearchReport:
    """The sample without what holds stated values that are no claims: a conflict, a suspect."""
    report = sample_report()
    markets = tuple(market.model_copy(update={"suspects": ()}) for market in report.markets)
    return report.model_copy(update={"markets": markets, "conflicts": ()})


def test_every_figure_printed_is_a_claims() -> None:
    report = plain_report()
    claims = [claim for market in report.markets for claim in market.claims]
    claimed = {print_claim(claim) for claim in claims}
    claimed |= {print_figure(abs(claim.value), claim.unit, signed=False) for claim in claims}
    printed = set(FIGURE.findall(NOT_FIGURES.sub("", render_markdown(report))))
    assert len(printed) > 30
    assert printed <= claimed


def test_every_claim_is_printed_once_with_its_evidence() -> None:
    report = sample_report()
    rows = [line for line in render_markdown(report).splitlines() if line.startswith("| ")]
    for market in report.markets:
        for claim in market.claims:
            (row,) = (line for line in rows if line.startswith(f"| {claim.claim_id} "))
            assert print_claim(claim) in row
            if claim.subject == market.market:
                assert claim.evidence[0] in row


def test_missing_markets_stand_in_the_coverage_line_with_their_reasons() -> None:
    text = render_markdown(sample_report())
    researched = "9 of 11 markets researched (the threshold is 90 % of the markets), incomplete"
    assert researched in text.split("## ")[0]
    head = text.split("## Coverage")[1].split("## What is missing")[0]
    assert "USD/TWD is missing: no configured source has USD/TWD" in head
    assert "503" in head


def test_the_sections_stand_in_the_order_in_which_they_are_read() -> None:
    text = render_markdown(sample_report())
    titles = re.findall(r"^## (.+)$", text, re.M)
    assert titles == [
        "The week",
        "Summary",
        "Movers: G10",
        "Movers: Asia",
        "Policy rates",
        "Rate decisions in the window",
        "Calendar ahead",
        "Currency pairs",
        "Central banks",
        "What changed",
        "Conflicts",
        "Coverage",
        "What is missing and why",
        "Revisions",
        "Sources",
        "Figures and their evidence",
        "Method",
        "Run",
    ]


def test_a_pair_names_a_decision_that_its_areas_section_tells_in_full() -> None:
    outcomes = list(sample_outcomes())
    federal = next(line for line in outcomes if line.market == "US")
    (told,) = federal.results[0].events
    told = told.model_copy(update={"market": "USD/JPY", "event_id": "USD/JPY:fed"})
    outcomes = [with_event(o, told) if o.market == "USD/JPY" else o for o in outcomes]
    text = render_markdown(sample_report(sample_record(outcomes)))
    section = text.split("### USD/JPY")[1].split("###")[0]
    assert "- 16 Sep: Federal Reserve raised (+25 bp) to 3.875 %" in section
    assert "moved its policy rate" not in section
    assert text.count("Federal Reserve moved its policy rate +25 bp, at 3.875 %.") == 1


def test_a_pairs_decision_is_told_in_full_where_no_section_of_its_area_does() -> None:
    outcomes = list(sample_outcomes())
    (told,) = next(line for line in outcomes if line.market == "US").results[0].events
    told = told.model_copy(update={"market": "USD/JPY", "description": "The Fed raised rates."})
    outcomes = [with_event(o, told) for o in outcomes if o.market == "USD/JPY"]
    text = render_markdown(sample_report(sample_record(outcomes)))
    assert "The Fed raised rates." in text.split("### USD/JPY")[1].split("###")[0]


def test_what_a_market_lacks_stands_among_what_is_missing_once() -> None:
    report = sample_report()
    lacking = "SE: no decision calendar"
    markets = tuple(
        market.model_copy(update={"missing": (lacking,)})
        if market.market in {"EUR/USD", "US"}
        else market
        for market in report.markets
    )
    text = render_markdown(report.model_copy(update={"markets": markets}))
    assert text.split("## What is missing")[1].split("##")[0].count(lacking) == 1


def test_tables_are_aligned_for_a_terminal() -> None:
    text = render_markdown(sample_report())
    for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
        assert len({len(line) for line in block.splitlines()}) == 1


def test_rendering_twice_gives_the_same_text() -> None:
    assert render_markdown(sample_report()) == render_markdown(sample_report())


def test_no_html_is_in_it_even_where_a_source_sent_some() -> None:
    told = MarketEvent(
        event_id="x",
        event_type=EventType.ECONOMIC_DATA,
        market="EUR/USD",
        event_date=LAST_FIXING,
        description="<script>alert(a)</script>\n# Heading\n| cell |",
        impact=Impact.LOW,
        source_url="javascript:alert(1)",
    )
    outcomes = [
        with_event(line, told) if line.market == "EUR/USD" else line for line in sample_outcomes()
    ]
    text = render_markdown(sample_report(sample_record(outcomes)))
    assert r"\<script>alert(a)\</script> # Heading \| cell \|" in text
    assert "javascript:" not in text
    assert "\n# Heading" not in text


def test_control_characters_from_outside_do_not_reach_the_terminal() -> None:
    assert escaped("red\x1b[31m alert\x07\u202e") == r"red \[31m alert"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://", "", None],
)
def test_only_web_addresses_become_links(address: str | None) -> None:
    assert link("source", address) == "source"


def test_a_web_address_becomes_a_link() -> None:
    assert link("a [b]", "https://example.org/a(b)") == r"[a \[b\]](<https://example.org/a(b)>)"


def test_a_table_without_rows_has_its_head() -> None:
    assert table(("Pair", "Move"), [], ("Pair",)) == "| Pair | Move |\n| ---- | ---: |"


def test_the_sample_holds_all_that_a_report_can_hold() -> None:
    report = sample_report()
    assert report.conflicts
    assert report.dead_letters
    assert report.coverage.missing
    assert any(market.suspects for market in report.markets)


def section(title: str, text: str) -> str:
    """What stands under a heading."""
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_it_tells_what_changed_since_the_report_before_below_the_week() -> None:
    text = render_markdown(traced_report())
    changed = section("What changed since 2026-W43", text)
    assert "- level: USD/JPY is at 157.25. (before 156.80)" in changed
    assert f"- and {CHANGES_THERE - 12} more, on the page" in changed
    assert text.index("## The week") < text.index("## What changed") < text.index("## Coverage")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (Changes(against="2026-W43", against_revision=1), "No material change."),
        (Changes(note="This is the first report."), "This is the first report."),
        (Changes(), "There is no earlier report to compare with."),
    ],
)
def test_no_change_and_no_earlier_report_are_told_apart(changes: Changes, told: str) -> None:
    title = "What changed since 2026-W43" if changes.against else "What changed"
    assert told in section(title, render_markdown(traced_report(changes=changes)))


def test_the_coverage_says_what_is_stale_and_who_stood_in_for_whom() -> None:
    told = section("Coverage", render_markdown(traced_report()))
    assert "Stale: 1 of 1 policy rates (JP)" in told
    assert "USD/JPY, research rates by research agent 1 in place of research agent 2" in told


def test_every_figure_stands_with_its_verdict_and_what_decided() -> None:
    text = render_markdown(traced_report())
    (contested,) = (line for line in text.splitlines() if line.startswith(f"| {CHANGE} "))
    assert [cell.strip() for cell in contested.split("|")][4:6] == ["contested", "second source"]
    (single,) = (line for line in text.splitlines() if line.startswith(f"| {MOVE} "))
    assert "single source | formula check" in single


def test_a_contested_figure_is_marked_in_its_headline() -> None:
    report = traced_report()
    pair, *others = report.markets
    doubt = pair.verdicts[0].model_copy(update={"status": ClaimStatus.CONTESTED})
    contested = pair.model_copy(update={"verdicts": (doubt,)})
    text = render_markdown(traced_report(markets=(contested, *others)))
    assert "last 157.25 (contested), move +0.29 %," in text


def test_a_conflict_prints_its_positions_who_decided_and_the_dissent() -> None:
    told = section("Conflicts", render_markdown(traced_report()))
    assert "- JP, decision, decided by A. Analyst: +25 bp holds." in told
    assert "  - holds: research agent 1 states +25 bp from Bank of Japan (primary" in told
    assert "  - dissent: research agent 2 states 0 bp from a newspaper" in told
    assert "confidence 30 %, weight 0.30" in told


def test_what_was_withheld_or_left_out_is_counted_and_not_repeated() -> None:
    text = render_markdown(traced_report())
    told = section("What is missing and why", text)
    assert "- USD/JPY: 1 figure withheld, rejected by value check" in told
    assert "- USD/JPY: 1 sentence left out: event USD/JPY/news" in told
    assert "999.99" not in text


def test_a_window_over_the_years_end_has_both_years() -> None:
    report = sample_report()
    across = report.model_copy(update={"window": window("2020-W53")})
    told = "\nWeekly report, 27 Dec 2020 to 4 Jan 2021 07:00 UTC, with what was known"
    assert told in render_markdown(across)
    within = report.model_copy(update={"window": window("2021-W01")})
    assert "\nWeekly report, 3 Jan to 11 Jan 2021 07:00 UTC, with" in render_markdown(within)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(59.94, "59.9 s"), (59.96, "1 min 0 s"), (119.7, "2 min 0 s"), (125.0, "2 min 5 s")],
)
def test_a_run_took_no_minute_of_sixty_seconds(seconds: float, told: str) -> None:
    report = sample_report()
    timings = report.timings.model_copy(update={"seconds": seconds})
    assert duration_words(report.model_copy(update={"timings": timings, "revision": 1})).startswith(
        f"Took {told};"
    )
