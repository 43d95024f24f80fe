"""Figures of the page that open where they come from, without a script."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest

from desk.analytics.figures import print_claim
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import ResearchReport, Sentence
from desk.documents.rendering.figures.links import FigureLinks, unique_anchors
from desk.documents.rendering.figures.traces import Traces
from desk.documents.rendering.words.wording import typographic
from desk.programs.week.document.rendering.html import render_html
from tests.support.documents.reports import sample_report
from tests.support.documents.traced_report import (
    CHANGE,
    CHANGES_THERE,
    MOVE,
    area_section,
    pair_section,
    traced_report,
)

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Buttons(HTMLParser):
    """The buttons of a page, the elements they open, and the text of each element with an id."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.popovers: dict[str, str] = {}
        self.buttons: list[dict[str, str | None]] = []
        self.texts: list[str] = []
        self.links: list[str] = []
        self._within: list[tuple[str, str | None]] = []
        self.nested: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("id"):
            self.ids.append(named["id"] or "")
        if "popover" in named:
            self.popovers[named["id"] or ""] = ""
        if tag == "a":
            self.links.append(named.get("href") or "")
        if tag == "button":
            self.nested += [name for name, _ in self._within if name in {"a", "button"}]
            self.buttons.append(named)
            self.texts.append("")
        if tag not in VOID:
            self._within.append((tag, named.get("id") if "popover" in named else None))

    def handle_endtag(self, tag: str) -> None:
        assert self._within.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for tag, popover in self._within:
            if popover:
                self.popovers[popover] += data
            if tag == "button":
                self.texts[-1] += data

    @property
    def figures(self) -> list[tuple[str, str]]:
        """What each figure's button shows, and what it opens."""
        couples = zip(self.buttons, self.texts, strict=True)
        return [
            (text, button["popovertarget"] or "")
            for button, text in couples
            if button.get("popovertargetaction") != "hide"
        ]


@cache
def page_text() -> str:
    """The report's page, rendered once."""
    return render_html(traced_report())


def page() -> Buttons:
    return Buttons(page_text())


def printed_figures(report: ResearchReport) -> set[str]:
    claims = (claim for market in report.markets for claim in market.claims)
    return {typographic(print_claim(claim)) for claim in claims}


def test_every_button_opens_an_element_that_is_there_once() -> None:
    shown = page()
    assert len(shown.ids) == len(set(shown.ids))
    assert len(shown.buttons) > 20
    for button in shown.buttons:
        assert button["popovertarget"] in shown.popovers
        assert button.get("interestfor", button["popovertarget"]) == button["popovertarget"]
    assert shown.nested == []


def test_every_claim_has_one_trace_and_every_trace_can_be_closed() -> None:
    shown = page()
    assert len(shown.popovers) == len(Traces(traced_report()).entries)
    closing = [b["popovertarget"] for b in shown.buttons if b["popovertargetaction"] == "hide"]
    assert sorted(map(str, closing)) == sorted(shown.popovers)


def test_a_figure_opens_the_trace_that_states_it() -> None:
    shown = page()
    for text, target in shown.figures:
        assert text in shown.popovers[target]


def test_each_column_of_the_movers_opens_its_own_figure() -> None:
    table = page_text().split('<table class="figures movers">')[1].split("</table>")[0]
    names = ("last", "move", "z-score", "window-low")
    opened = re.findall(r'popovertarget="([^"]+)"', table)
    assert opened == [f"trace-USD-JPY-{name}" for name in names]


def test_every_claimed_figure_of_the_page_is_a_button() -> None:
    report = traced_report(conflicts=())
    body = render_html(report).split('id="traces"')[0].split("<body>")[1]
    outside = re.sub(r"<button.*?</button>|<svg.*?</svg>|<[^>]*>", " ", body, flags=re.DOTALL)
    for figure in printed_figures(report):
        assert figure not in outside.replace("was 156.80", "").replace("before 156.80", "")


@pytest.mark.parametrize("section", ["changes", "movers", "rates", "calendar", "markets"])
def test_figures_open_their_trace_in_every_part_of_the_report(section: str) -> None:
    text = page_text()
    part = text.split(f'<section id="{section}">')[1].split("</section>")[0]
    assert '<button class="f' in part


def test_a_trace_tells_verdict_formula_inputs_evidence_and_place() -> None:
    shown = page()
    opened = dict(shown.figures)["+0.29\u00a0%"]
    words = " ".join(shown.popovers[opened].replace("SHA-256", " SHA-256 ").split())
    for told in (
        *("USD/JPY move", "+0.29 % percent, 30 Oct 2026"),
        *("Single source (formula check)", "(157.25 / 156.80 − 1) × 100"),
        *("USD/JPY previous 156.80", "ecb.get_historical", "start 2025-10-01; symbol USD/JPY"),
        *("authoritative, first published by European Central Bank", "2 Nov 2026 07:00 UTC"),
        *(f"weekly-{traced_report().week}/market/USD/JPY", "0199-run-of-the-market", "event 17"),
    ):
        assert told in words
    assert re.search(r"SHA-256 [0-9a-f]{64}", words)
    assert "fixing of 30 Oct 2026: 157.25" in shown.popovers["trace-USD-JPY-last"]


def test_contested_and_verified_figures_are_marked_and_a_single_source_is_not() -> None:
    text = page_text()
    links = FigureLinks(traced_report())
    assert 'class="f open"' in links.of(CHANGE, "+25 bp")
    assert 'class="f sure"' in links.of("USD/JPY:last", "157.25")
    assert 'class="f"' in links.of(MOVE, "+0.29 %")
    statuses = {card.verdict.status for card in links.cards.values() if card.verdict}
    assert statuses == set(ClaimStatus) - {ClaimStatus.REJECTED}
    assert "a source of another origin states the same of that day" in text.split('id="movers"')[0]


def test_a_screen_reader_hears_what_a_figure_is_and_how_far_it_can_be_relied_on() -> None:
    button = FigureLinks(traced_report()).of("USD/JPY:last", "157.25")
    assert 'aria-description="USD/JPY last, verified; ECB euro foreign exchange' in button


def test_what_nobody_claims_is_no_button() -> None:
    links = FigureLinks(traced_report())
    assert links.of("USD/JPY:year_high", "163.91") == "163.91"
    assert links.of(MOVE, "–") == "–"


def test_a_figure_other_than_the_claims_does_not_get_the_claims_trace() -> None:
    assert "<button" not in FigureLinks(traced_report()).of(MOVE, "+9.99 %")


def test_a_sentence_is_printed_as_it_stands_where_its_prose_says_otherwise() -> None:
    links = FigureLinks(traced_report())
    told = Sentence(prose=f"It moved [[{MOVE}]].", text="It moved +9.99 %.")
    assert links.sentence(told) == "It moved +9.99\u00a0%."
    unknown = Sentence(prose="It moved [[USD/JPY:nothing]].", text="It moved.")
    assert links.sentence(unknown) == "It moved."


def test_a_line_does_not_break_between_a_figure_and_its_brackets() -> None:
    told = Sentence(prose=f"It rose ([[{MOVE}]]).", text="It rose (+0.29 %).")
    printed = FigureLinks(traced_report()).sentence(told)
    assert re.search(
        r'rose <span class="n">\(<button [^>]*>\+0\.29\xa0%</button>\)\.</span>$', printed
    )


def test_the_first_changes_are_shown_and_the_others_a_tap_away() -> None:
    text = page_text().split('id="changes"')[1].split("</section>")[0]
    shown, folded = text.split("<details")
    assert "What changed since 2026-W43" in shown
    assert shown.count("<li>") == 12
    assert folded.count("<li>") == CHANGES_THERE - 12
    assert "before 156.80" in shown


def test_the_report_opens_with_the_week_and_ends_with_what_changed_and_its_coverage() -> None:
    text = page_text()
    marks = ("week", "calendar", "movers", "rates", "markets", "changes", "conflicts", "coverage")
    places = [text.index(f'id="{mark}"') for mark in (*marks, "sources")]
    assert places == sorted(places)
    coverage = text[places[-2] : places[-1]]
    assert "Stale: 1 of 1 policy rates (JP)" in coverage
    assert "research agent 1 in place of research agent 2" in coverage


def test_the_headlines_figures_are_links_that_open_their_trace() -> None:
    text = render_html(sample_report())
    headline = text.split('class="headline">')[1].split("</h1>")[0]
    linked = re.findall(r'<a class="f[^"]*" href="#([^"]+)"', headline)
    assert linked
    assert "<button" not in headline
    assert all(f'id="{target}"' in text for target in linked)


def test_a_conflict_prints_who_decided_and_the_dissent() -> None:
    text = page_text().split('id="conflicts"')[1].split("</section>")[0]
    assert "decided by A. Analyst" in text
    assert re.search(r"dissent</span> research agent 2 states 0\xa0bp from a newspaper", text)
    assert "weight 0.30" in text
    assert "no event explains it" in text


def test_a_rejected_figure_and_a_dropped_sentence_are_told_and_not_repeated() -> None:
    text = page_text()
    assert "USD/JPY: 1 figure withheld" in text
    assert "USD/JPY: 1 sentence left out" in text
    assert "999.99" not in text


def test_hostile_text_in_evidence_and_verdicts_is_escaped_and_its_address_no_link() -> None:
    evil = "<script>alert(1)</script>"
    report = traced_report()
    source = report.sources[0].model_copy(
        update={"name": evil, "origin": evil, "url": "javascript:alert(2)"}
    )
    verdict = pair_section().verdicts[0].model_copy(update={"words": evil, "origins": (evil,)})
    section = pair_section().model_copy(update={"verdicts": (verdict,)})
    text = render_html(
        traced_report(sources=(source,), markets=(section, area_section()), evidence=())
    )
    shown = Buttons(text)
    assert "<script" not in text
    assert evil in shown.popovers["trace-USD-JPY-last"]
    assert not [link for link in shown.links if link.startswith("javascript")]


def test_nothing_of_the_traces_is_printed_on_paper() -> None:
    text = page_text()
    paper = text[text.rindex("@media print") : text.index("</style>")]
    assert "#traces { display: none !important; }" in paper


def test_names_that_would_share_an_id_get_ids_of_their_own() -> None:
    ids = unique_anchors(("a/b", "a-b", "a b"), "source")
    assert list(ids.values()) == ["source-a-b", "source-a-b--2", "source-a-b--3"]
