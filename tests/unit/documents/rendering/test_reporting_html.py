"""The HTML form."""

import re
import tempfile
from decimal import Decimal
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from desk.analytics.figures import print_figure
from desk.analytics.links import web_link
from desk.contracts.agents.tools import DataSource, SourceTier
from desk.contracts.findings.claims import Unit
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.figures.links import anchor
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.words.wording import typographic
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.programs.week.document.rendering.wording import dollar_cell
from tests.support.documents.reports import (
    report_telling,
    sample_record,
    sample_report,
)

VOID = {"meta", "br", "hr", "img", "input", "link"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LEAST_CONTRAST = 4.5
"""For text, by the WCAG's level AA."""


class Page(HTMLParser):
    """What a test wants to know about a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.words = ""
        self.feed(text)

    def updatepos(self, i: int, j: int) -> int:
        # Nobody asks for lines: to count them is a third of the time.
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "xlink:href"}:
                self.links.append(value or "")
            if name in {"src", "srcset", "action"} or name.startswith("on"):
                self.loads.append(f"{name}={value}")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def hostile_report() -> ResearchReport:
    """The sample, with an event and a source that try to run a script."""
    source = DataSource(
        server="x",
        tool="x",
        arguments={"</td><script>": "<b>"},
        name='"><script>alert(4)</script>',
        tier=SourceTier.SECONDARY,
        url="data:text/html,<script>alert(5)</script>",
        evidence_id='"><script>',
    )
    report = report_telling('<script>alert(a)</script><img src=x onerror="alert(b)"> {{ report }}')
    return report.model_copy(update={"sources": (*report.sources, source)})


def test_the_page_is_well_formed_and_its_ids_are_unique() -> None:
    page = Page(render_html(sample_report()))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))


def test_links_within_the_page_lead_somewhere() -> None:
    page = Page(render_html(sample_report()))
    inner = {link[1:] for link in page.links if link.startswith("#")}
    assert inner
    assert inner <= set(page.ids)


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    text = render_html(sample_report())
    page = Page(text)
    assert page.loads == []
    assert not {"script", "link", "iframe", "img", "object"} & set(page.tags)
    assert "@import" not in text
    assert "url(http" not in text


def test_text_from_outside_cannot_run_a_script() -> None:
    text = render_html(hostile_report())
    page = Page(text)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert page.loads == []
    assert "<script>alert(a)</script>" in page.words
    assert "{{ report }}" in page.words
    assert '"><script>alert(4)</script>' in page.words


def test_no_page_of_a_report_has_a_control_character() -> None:
    report = sample_report(sample_record())
    line = report.summary[0].model_copy(update={"text": "rates \x1b[31mfell\x9b0m\x07"})
    report = report.model_copy(update={"summary": (line,)})
    for form in (render_html(report), render_markdown(report)):
        assert "fell" in form
        assert CONTROL.search(form) is None


def test_only_web_addresses_become_links() -> None:
    page = Page(render_html(hostile_report()))
    assert {link.split(":")[0] for link in page.links if not link.startswith("#")} == {"https"}


def test_missing_markets_stand_with_their_reasons_in_the_coverage() -> None:
    text = render_html(sample_report())
    told = Page(text.split("<main")[0]).words
    assert re.search(r"9 of 11 markets researched \(the threshold is [^)]+\), incomplete", told)
    head = Page(text.split('<section id="coverage">')[1].split("</section>")[0]).words
    assert "USD/TWD is missing: no configured source has USD/TWD" in head
    assert "USD/KRW is missing" in head
    assert "GBP/USD is partial" in head


def test_every_pair_is_ranked_with_its_move_and_one_without_says_that_it_is_missing() -> None:
    report = sample_report()
    text = render_html(report)
    ranked = Page(text.split('<table class="bars">')[1].split("</table>")[0]).words
    for row in report.movers:
        move = typographic(print_figure(row.move, Unit.PERCENT))
        assert re.search(rf"{row.market}\s*the dollar \w+{re.escape(move)}", ranked), row.market
    assert "USD/TWDmissing" in ranked


def test_every_pair_with_a_history_has_a_chart_that_is_drawn_once() -> None:
    report = sample_report()
    with_history = {market.market for market in report.markets if market.days}
    text = render_html(report)
    labels = re.findall(r'aria-label="([A-Z/]+), daily fixings', text)
    assert set(labels) == with_history
    drawn = re.findall(r'aria-label="[A-Z/]+, daily fixings[^>]*>\s*<(\w+)', text)
    assert drawn.count("use") == len(report.movers)
    assert drawn.count("g") == len(with_history)


def test_a_pair_is_drawn_in_one_sense_among_others_and_beside_its_own_levels() -> None:
    drawn = re.findall(
        r'aria-label="EUR/USD, daily fixings([^>]*)>\s*<(\w+)([^>]*)', render_html(sample_report())
    )
    among_others, beside_its_levels = drawn
    assert "upside down" in among_others[0] and among_others[1] != "use"
    assert "upside down" in beside_its_levels[0] and beside_its_levels[1] == "use"
    assert "transform" not in beside_its_levels[2]


def test_the_page_paints_a_fall_of_the_dollar_in_one_colour_however_the_pair_is_quoted() -> None:
    text = render_html(sample_report())
    for row in sample_report().movers:
        base = row.market.startswith("USD")
        way = "up" if (row.move > 0) == base else "down"
        colours = re.findall(
            r'class="(up|down)"><button class="f[^>]*'
            rf'popovertarget="trace-{anchor(row.market)}-move"',
            text,
        )
        assert set(colours) == {way}, row.market


@pytest.mark.parametrize(
    ("move", "edition", "says", "sign"),
    [
        ("0.09", 2, "little changed", "≈"),
        ("0.09", 1, "up", "▲"),
        ("0.11", 2, "up", "▲"),
        ("-0.11", 2, "down", "▼"),
    ],
)
def test_the_column_of_the_dollar_says_so_of_a_move_that_is_little_changed(
    move: str, edition: int, says: str, sign: str
) -> None:
    """As the lead does, from the edition of its rules on that does so."""
    report = sample_report()
    assert report.lead is not None
    row = report.movers[0].model_copy(update={"market": "USD/JPY", "move": Decimal(move)})
    lead = report.lead.model_copy(update={"edition": edition})
    report = report.model_copy(update={"movers": (row,), "lead": lead})
    assert dollar_cell(row, report) == says
    html = render_html(report)
    assert f'aria-label="the dollar {says}">{sign}<' in html
    colours = re.findall(r'<td class="(up|down|)">(?!<b)', html.split('id="movers"')[1])
    assert colours[0] == says.replace("little changed", "")
    card = html.split('id="USD-JPY"')[1].split('class="keys"')[1]
    assert re.findall(r'<span class="(up|down|)">', card)[0] == colours[0]
    assert re.search(rf"\| USD/JPY .*\| {says} +\|", render_markdown(report))


def test_rendering_twice_gives_the_same_page() -> None:
    assert render_html(sample_report()) == render_html(sample_report())


def test_a_report_without_a_single_market_still_renders() -> None:
    text = Page(render_html(sample_report(sample_record([])))).words
    assert "0 of 11 markets researched" in text


@pytest.mark.parametrize(
    ("written", "set_in_type"),
    [
        ("-1.02 % (-1.5 σ)", "−1.02\u00a0% (−1.5\u00a0σ)"),
        ("on 2026-09-18", "on 2026-09-18"),
        ("a 52-week high", "a 52-week high"),
        ("+25 bp", "+25\u00a0bp"),
    ],
)
def test_minus_signs_and_units_are_set_well(written: str, set_in_type: str) -> None:
    assert typographic(written) == set_in_type


@pytest.mark.parametrize(
    "address", ["java\nscript:alert(1)", "https://a b", "https://", "//x.org", "HTTPS://[x"]
)
def test_an_address_that_is_no_web_address_is_no_link(address: str) -> None:
    assert web_link(address) is None


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_what_it_is_printed_on(scheme: int) -> None:
    css = files("desk.documents.rendering").joinpath("templates/page.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", css, re.S)
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[scheme]))
    couples = [
        ("ink", "mark"),
        *[(ink, "page") for ink in ("ink", "faint", "up", "down", "accent", "warn")],
    ]
    couples += [("faint", "shade"), ("faint", "card"), ("ink", "warn-page")]
    for ink, ground in couples:
        assert _contrast(colours[ink], colours[ground]) >= LEAST_CONTRAST, (ink, ground)


def _contrast(one: str, other: str) -> float:
    """The WCAG's contrast ratio of two colours."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_page_is_the_same_where_compiled_templates_can_be_kept_and_where_they_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for folder in (tmp_path, tmp_path, tmp_path / "missing"):
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        page_environment.cache_clear()
        pages.append(render_html(sample_report()))
    page_environment.cache_clear()
    assert any(tmp_path.rglob("*.cache"))
    assert len(set(pages)) == 1
