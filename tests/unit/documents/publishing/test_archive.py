"""The archive of the published reports."""

import errno
import json
import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from desk.analytics.figures import print_figure
from desk.contracts.findings.claims import Unit
from desk.contracts.findings.results import Forecast, Leaning, View, ViewKind
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.drawing.charts import LINE, SHADE
from desk.documents.rendering.words.wording import typographic
from desk.programs.week.archive.archive import Archive, ArchiveError, write_archive
from desk.programs.week.archive.pages import archive_pages
from desk.programs.week.archive.reading import LeftOut, listing_of
from desk.programs.week.archive.week import ArchivedWeek, archived_week
from desk.programs.week.document.publishing import publish
from tests.support.documents.advised import sample_advice, sample_scorecard
from tests.support.documents.archives import report_of, shelve
from tests.support.documents.reports import (
    report_telling,
)
from tests.unit.documents.rendering.test_reporting_html import Page

SAID = re.compile(r'<script type="application/json" id="said">(.*?)</script>', re.S)


def page(directory: Path, name: str = "index.html") -> str:
    return (directory / name).read_text(encoding="utf-8")


def section(text: str, name: str) -> str:
    found = re.search(rf'<section id="{name}">(.*?)</section>', text, re.S)
    assert found, name
    return found[1]


def names(directory: Path) -> set[str]:
    """Every file but the reports' own."""
    files = {p.relative_to(directory).as_posix() for p in directory.rglob("*") if p.is_file()}
    return {name for name in files if not name.startswith("weekly/")}


def table(directory: Path, market: str = "USD-JPY") -> list[str]:
    """The rows of a market's page, in words."""
    rows = re.findall(
        r"<tr[ >].*?</tr>", section(page(directory, f"markets/{market}.html"), "moves"), re.S
    )
    spaced = [row.replace("</t", " </t") for row in rows[1:]]
    return [" ".join(Page(f"<table>{row}</table>").words.split()) for row in spaced]


def test_every_market_has_a_page_and_the_weeks_an_index(tmp_path: Path) -> None:
    for week in ("2026-W37", "2026-W38"):
        shelve(tmp_path, report_of(week))
    archive = write_archive(tmp_path)
    markets = {f"markets/{m.market.replace('/', '-')}.html" for m in report_of("2026-W38").markets}
    assert names(tmp_path) == {"index.html", "search.html"} | markets
    assert archive == Archive(
        tmp_path / "index.html", ("2026-W37", "2026-W38"), 0, len(markets), ()
    )


def test_the_index_tells_coverage_and_the_biggest_moves(tmp_path: Path) -> None:
    report = report_of("2026-W38", move="-9.87")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    entry = section(page(tmp_path), "weeks")
    words = Page(entry).words
    coverage = report.coverage
    assert f"{coverage.researched} of {coverage.expected} markets" in words
    assert "incomplete" in words
    ordered = sorted(report.movers, key=lambda row: -abs(row.move))[:3]
    assert ordered[0].market == "USD/JPY"
    told = [f"{row.market} {typographic(print_figure(row.move, Unit.PERCENT))}" for row in ordered]
    at = [words.index(line) for line in told]
    assert at == sorted(at)
    assert 'class="down"' in entry


def test_a_market_is_followed_from_week_to_week_and_gaps_are_told(tmp_path: Path) -> None:
    moves = {"2026-W30": "+1.10", "2026-W31": "-2.20", "2026-W35": "+3.30", "2026-W37": "+4.40"}
    for week, move in moves.items():
        shelve(tmp_path, report_of(week, move))
    write_archive(tmp_path)
    rows = table(tmp_path)
    heads = [row.split(" ")[0] for row in rows]
    assert heads == ["2026-W37", "2026-W36", "2026-W35", "2026-W32", "2026-W31", "2026-W30"]
    assert rows[1] == "2026-W36 no report"
    assert rows[3] == "2026-W32 to W34 no report"
    assert "+4.40 %" in rows[0]
    assert "−2.20 %" in rows[4]


def test_the_calendar_has_a_place_for_each_week_and_says_which_are_missing(tmp_path: Path) -> None:
    for week in ("2020-W51", "2021-W02", "2026-W38"):
        shelve(tmp_path, report_of(week))
    write_archive(tmp_path)
    calendar = section(page(tmp_path), "calendar")
    assert re.findall(r"<h3>(\d+)</h3>", calendar) == ["2026", "2021", "2020"]
    missing = re.findall(r'title="([^"]+): no report"', calendar)
    assert {"2020-W52", "2020-W53", "2021-W01", "2026-W01", "2026-W37"} <= set(missing)
    assert "2020-W50" not in missing
    assert "2026-W39" not in missing
    assert not [week for week in missing if week.startswith(("2022", "2023", "2024", "2025"))]


def test_a_market_has_its_scorecard_week_by_week_where_it_is_new(tmp_path: Path) -> None:
    full = sample_scorecard("EUR/USD", "USD/JPY")
    fewer = sample_scorecard("EUR/USD")
    cards = {"2026-W35": fewer, "2026-W36": full, "2026-W37": full, "2026-W38": None}
    for week, card in cards.items():
        advice = sample_advice(scorecard=card)
        shelve(tmp_path, report_of(week).model_copy(update={"advice": advice}))
    write_archive(tmp_path)
    text = page(tmp_path, "markets/USD-JPY.html")
    (row,) = (row for row in full.rows if row.of == "USD/JPY")
    (scores,) = re.findall(r'<div class="scroll" id="scorecard">.*?</div>', text, re.S)
    assert re.findall(r"2026-W\d\d(?=</a>)", scores) == ["2026-W36"]
    assert "2026-W36-asia-g10-fx.html#scorecard" in scores
    words = Page(scores).words
    assert f"{row.hits} of {row.decided}" in words and f"{row.brier:.3f}" in words
    assert 'id="scorecard"' not in page(tmp_path, "markets/USD-KRW.html")


def test_a_market_that_has_no_figure_says_why(tmp_path: Path) -> None:
    report = report_of("2026-W38")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    reasons = {line.market: line.reason for line in report.coverage.missing}
    assert table(tmp_path, "USD-TWD") == [f"2026-W38 {typographic(reasons['USD/TWD'])}"]


def test_a_market_that_a_report_does_not_have_keeps_its_page(tmp_path: Path) -> None:
    report = report_of("2026-W38")
    fewer = tuple(market for market in report.markets if market.market != "USD/JPY")
    shelve(tmp_path, report_of("2026-W37"))
    shelve(tmp_path, report.model_copy(update={"markets": fewer}))
    write_archive(tmp_path)
    assert table(tmp_path)[0] == "2026-W38 not in the report"


def test_of_a_weeks_revisions_only_the_last_counts(tmp_path: Path) -> None:
    first = report_of("2026-W38", "+1.11").model_copy(update={"revision": 1})
    second = report_of("2026-W38", "+2.22").model_copy(update={"revision": 2})
    shelve(tmp_path, first, revision=True)
    shelve(tmp_path, second, revision=True)
    shelve(tmp_path, second)
    write_archive(tmp_path)
    (row,) = table(tmp_path)
    assert "+2.22" in row
    assert "1.11" not in page(tmp_path) + page(tmp_path, "search.html")
    assert "revision 2" in section(page(tmp_path), "weeks")


def test_where_the_latest_is_damaged_the_last_whole_revision_stands_in(tmp_path: Path) -> None:
    for number, move in ((1, "+1.11"), (2, "+2.22"), (10, "+3.33")):
        report = report_of("2026-W38", move).model_copy(update={"revision": number})
        path = shelve(tmp_path, report, revision=True)
    path.write_text(path.read_text()[:9_000])
    shelve(tmp_path, report_of("2026-W38")).write_text("")
    archive = write_archive(tmp_path)
    assert "+2.22" in table(tmp_path)[0]
    assert 'href="weekly/2026-W38-asia-g10-fx.r2.html"' in page(tmp_path)
    assert [file.name for file in archive.left_out] == [
        "2026-W38-asia-g10-fx.json",
        "2026-W38-asia-g10-fx.r10.json",
    ]


def test_reports_of_some_markets_are_kept_apart(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W38", "+1.11"))
    shelve(tmp_path, report_of("2026-W39", "+2.22"), "usdjpy")
    archive = write_archive(tmp_path)
    assert (archive.weeks, archive.partial) == (("2026-W38",), 1)
    (row,) = table(tmp_path)
    assert "+1.11" in row
    assert "2026-W39" not in section(page(tmp_path), "weeks") + section(page(tmp_path), "calendar")
    assert 'href="weekly/2026-W39-usdjpy.html"' in section(page(tmp_path), "partial")
    assert "2.22" not in page(tmp_path) + page(tmp_path, "search.html")


def without(key: str) -> str:
    """A report in a form that lacks something, as an older version's would."""
    fields = json.loads(report_of("2026-W38").model_dump_json())
    del fields["markets"][0][key]
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "damaged: it is no complete JSON"),
        ('{"week": "2026-W38", ', "damaged: it is no complete JSON"),
        ("[" * 100_000, "damaged: it is no complete JSON"),
        ("[1, 2]", "no report in the form of this version: its content does not fit"),
        ("{}", "no report in the form of this version: week does not fit"),
        (without("kind"), "no report in the form of this version: markets.0.kind does not fit"),
        (report_of("2026-W20").model_dump_json(), "it holds a report of 2026-W20"),
    ],
)
def test_a_file_that_is_no_report_is_named_and_skipped(
    tmp_path: Path, text: str, reason: str
) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    bad = shelve(tmp_path, report_of("2026-W38"))
    bad.write_text(text)
    archive = write_archive(tmp_path)
    assert archive.weeks == ("2026-W37",)
    assert archive.left_out == (LeftOut(bad.name, reason),)
    words = Page(section(page(tmp_path), "left-out")).words
    assert bad.name in words
    assert reason in words


def test_bytes_a_foreign_name_and_a_folder_are_named_and_skipped(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    shelve(tmp_path, report_of("2026-W36")).write_bytes(b"\xff\xfe\x00")
    weekly = tmp_path / "weekly"
    (weekly / "<b>notes.json").write_text("{}")
    (weekly / "2026-W35-asia-g10-fx.json").mkdir()
    (weekly / ".2026-W34-asia-g10-fx.json").write_text("{}")
    shelve(tmp_path, report_of("2026-W33")).with_suffix(".html").unlink()
    archive = write_archive(tmp_path)
    assert archive.weeks == ("2026-W37",)
    assert {file.name for file in archive.left_out} == {
        *("<b>notes.json", "2026-W35-asia-g10-fx.json", "2026-W36-asia-g10-fx.json"),
        "2026-W33-asia-g10-fx.json",
    }
    assert "<b>notes" not in page(tmp_path)
    assert "&lt;b&gt;notes.json" in page(tmp_path)


@pytest.mark.parametrize("week", ["0001-W01", "9999-W52"])
def test_the_ends_of_the_calendar_do_no_harm(tmp_path: Path, week: str) -> None:
    shelve(tmp_path, report_of("2026-W38"))
    shelve(tmp_path, report_of(week))
    assert week in write_archive(tmp_path).weeks
    assert len(page(tmp_path)) < 200_000


def test_a_folder_without_reports_has_an_empty_archive(tmp_path: Path) -> None:
    assert write_archive(tmp_path) == Archive(tmp_path / "index.html", (), 0, 0, ())
    assert "No weekly report" in page(tmp_path)


def hostile_report() -> ResearchReport:
    """The sample, with texts that try to run a script and to leave the data they stand in."""
    report = report_telling(
        '</script><script>alert(a)</script><!--<img src=x onerror="b()"> {{ mark }}'
    )
    bank = '"><script>alert(b)</script>'
    rates = tuple(row.model_copy(update={"bank": bank}) for row in report.policy_rates)
    calendar = tuple(row.model_copy(update={"bank": bank}) for row in report.calendar)
    return report.model_copy(update={"policy_rates": rates, "calendar": calendar})


def test_hostile_texts_stay_texts_in_every_page(tmp_path: Path) -> None:
    shelve(tmp_path, hostile_report())
    write_archive(tmp_path)
    for name in names(tmp_path):
        looked = Page(page(tmp_path, name))
        scripts = looked.tags.count("script")
        assert scripts == (2 if name == "search.html" else 0), name
        assert "img" not in looked.tags
        assert looked.loads in ([], ["action=search.html"], ["action=../search.html"])
        assert all(not link.startswith(("javascript:", "data:")) for link in looked.links)
    assert "<script>alert(a)</script>" in Page(page(tmp_path, "markets/EUR-USD.html")).words
    found = SAID.search(page(tmp_path, "search.html"))
    assert found
    said = json.loads(found[1])["said"]
    assert any("</script><script>alert(a)</script><!--" in text for *_, text in said)


def test_no_page_asks_for_anything_and_one_script_is_allowed_by_its_hash(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W38"))
    write_archive(tmp_path)
    for name in names(tmp_path):
        text = page(tmp_path, name)
        assert "default-src 'none'" in text
        assert ("script-src 'sha256-" in text) is (name == "search.html")
        assert not {"link", "iframe", "img", "object"} & set(Page(text).tags)
        assert not re.search(r"@import|url\(|unsafe-eval", text)


def test_every_link_leads_to_something_that_is_there(tmp_path: Path) -> None:
    publish(report_of("2026-W38"), tmp_path)
    write_archive(tmp_path)
    ids = {
        path: set(Page(path.read_text()).ids) | {""}
        for path in tmp_path.rglob("*.html")
        if "weekly" not in path.parts or ".r" not in path.name
    }
    traced = 0
    for name in names(tmp_path):
        for link in Page(page(tmp_path, name)).links:
            if link.startswith("http"):
                continue
            address, _, place = link.partition("#")
            here = (tmp_path / name).resolve()
            target = (here.parent / address).resolve() if address else here
            assert place in ids[target], (name, link)
            traced += place.startswith("trace-")
    assert traced > 40


def test_a_figure_has_the_words_and_the_mark_of_its_report(tmp_path: Path) -> None:
    report = report_of("2026-W38")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    row = section(page(tmp_path, "markets/USD-JPY.html"), "moves")
    address = "../weekly/2026-W38-asia-g10-fx.html#trace-USD-JPY-last"
    (mark, words) = re.findall(rf'<a class="(f[^"]*)" href="{address}">([^<]+)</a>', row)[0]
    (section_of,) = (m for m in report.markets if m.market == "USD/JPY")
    (claim,) = (c for c in section_of.claims if c.claim_id == "USD/JPY:last")
    assert words == typographic(print_figure(claim.value, claim.unit))
    assert mark.startswith("f")


def test_the_same_reports_give_the_same_pages(tmp_path: Path) -> None:
    for name in ("one", "other"):
        for week in ("2026-W38", "2026-W36"):
            shelve(tmp_path / name, report_of(week))
        write_archive(tmp_path / name)
    assert all(
        page(tmp_path / "one", name) == page(tmp_path / "other", name)
        for name in names(tmp_path / "one")
    )


def test_a_report_that_changes_or_goes_is_followed(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    later = shelve(tmp_path, report_of("2026-W38", "+1.11"))
    write_archive(tmp_path)
    shelve(tmp_path, report_of("2026-W38", "+2.22"))
    write_archive(tmp_path)
    assert "+2.22" in table(tmp_path)[0]
    later.unlink()
    assert write_archive(tmp_path).weeks == ("2026-W37",)
    assert "2026-W38" not in page(tmp_path)


def test_pages_of_markets_that_no_report_has_go_and_those_of_others_stay(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    write_archive(tmp_path)
    (tmp_path / "markets" / "mine.html").write_text("my own notes")
    fewer = tuple(m for m in report_of("2026-W37").markets if m.market != "USD/JPY")
    shelve(tmp_path, report_of("2026-W37").model_copy(update={"markets": fewer}))
    write_archive(tmp_path)
    assert "markets/USD-JPY.html" not in names(tmp_path)
    assert page(tmp_path, "markets/mine.html") == "my own notes"


def test_a_page_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W38"))
    (tmp_path / "index.html").write_text("my own page")
    with pytest.raises(ArchiveError, match=r"index\.html was not written by the desk"):
        write_archive(tmp_path)
    assert names(tmp_path) == {"index.html"}
    assert page(tmp_path) == "my own page"


def test_a_full_disk_leaves_the_pages_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    write_archive(tmp_path)
    before = {name: page(tmp_path, name) for name in names(tmp_path)}
    shelve(tmp_path, report_of("2026-W38"))
    write = Path.write_text
    calls: list[Path] = []

    def full(path: Path, text: str, **how: str) -> int:
        calls.append(path)
        if len(calls) == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, text, **how)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ArchiveError, match="No space left"):
        write_archive(tmp_path)
    assert {name: page(tmp_path, name) for name in names(tmp_path)} == before


def test_what_is_published_meanwhile_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve(tmp_path, report_of("2026-W37"))
    replace = Path.replace
    calls: list[Path] = []

    def published_then(path: Path, target: Path) -> Path:
        if not calls:
            shelve(tmp_path, report_of("2026-W38"))
        calls.append(target)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", published_then)
    assert write_archive(tmp_path).weeks == ("2026-W37", "2026-W38")
    assert "2026-W38" in page(tmp_path)


def test_the_searched_texts_are_the_reports_own(tmp_path: Path) -> None:
    report = report_of("2026-W38")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    found = SAID.search(page(tmp_path, "search.html"))
    assert found
    held = json.loads(found[1])
    assert held["weeks"] == [["2026-W38", "weekly/2026-W38-asia-g10-fx.html"]]
    yen = next(market for market in held["markets"] if market[0] == "USD/JPY")
    assert yen[1:4] == ["", "markets/USD-JPY.html", "USD-JPY"]
    assert {"yen", "Japan", "BoJ", "dollar", "Fed"} <= set(yen[4].split())
    assert report.lead is not None
    own = {typographic(line.text) for line in (report.lead.headline, *report.summary)}
    own |= {typographic(event.text) for market in report.markets for event in market.events}
    own |= {typographic(f"missing: {line.reason}") for line in report.coverage.missing}
    assert own >= {text for *_, text in held["said"]}
    assert any(text == typographic(report.summary[0].text) for *_, text in held["said"])


def test_a_markets_page_draws_its_year_and_marks_the_decisions_of_its_banks(
    tmp_path: Path,
) -> None:
    report = report_of("2026-W38")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    text = page(tmp_path, "markets/USD-JPY.html")
    assert 'aria-label="USD/JPY, daily fixings over 52 weeks' in text
    price = text.split('id="price"')[1].split("</section>")[0]
    assert "Bank of Japan raised" in price
    # Where the euro is dearest, the line is highest, for all that the dollar is cheapest there.
    own = page(tmp_path, "markets/EUR-USD.html")
    levels = [
        (float(height), float(level.replace(",", "")))
        for height, level in re.findall(r'<text [^>]*? y="([\d.]+)"[^>]*>([\d.,]+)</text>', own)
        if "." in level
    ]
    assert sorted(levels) == sorted(levels, key=lambda each: -each[1])
    assert len(levels) >= 2
    assert 'aria-label="JP, policy rate over 52 weeks' in page(tmp_path, "markets/JP.html")
    assert 'id="price"' not in page(tmp_path, "markets/USD-TWD.html")


def forecasting(report: ResearchReport, *, weeks_before: int) -> ResearchReport:
    """A report that was written so many weeks earlier, with a forecast of USD/JPY."""
    view = View(
        subject="USD/JPY",
        kind=ViewKind.DIRECTION,
        leaning=Leaning.UP,
        confidence=0.8,
        forecast=Forecast(probability=0.6, weeks=4, deviation=0.02),
    )
    markets = tuple(
        part.model_copy(update={"views": (view,)}) if part.market == "USD/JPY" else part
        for part in report.markets
    )
    as_of = report.as_of - timedelta(weeks=weeks_before)
    return report.model_copy(update={"markets": markets, "as_of": as_of})


def test_a_markets_forecasts_are_told_with_how_they_came_out(tmp_path: Path) -> None:
    early = forecasting(report_of("2026-W38"), weeks_before=5)
    shelve(tmp_path, early)
    shelve(tmp_path, forecasting(report_of("2026-W43"), weeks_before=0))
    write_archive(tmp_path)
    text = section(page(tmp_path, "markets/USD-JPY.html"), "forecasts")
    newest, oldest = re.findall(r"<tr><th scope=\"row\">.*?</tr>", text)[:2]
    assert "2026-W43" in newest
    assert "not due yet" in newest
    assert "2026-W38" in oldest
    assert re.search(r"(higher|lower|unchanged), (within|outside)", oldest)
    assert "forecasts as ranges" in page(tmp_path, "markets/USD-JPY.html")


def test_a_forecast_that_is_due_without_a_fixing_is_not_called_not_due(tmp_path: Path) -> None:
    newest = report_of("2026-W43")
    markets = tuple(
        part.model_copy(update={"days": part.days[:-30], "values": part.values[:-30]})
        for part in newest.markets
    )
    shelve(tmp_path, forecasting(report_of("2026-W38"), weeks_before=5))
    shelve(tmp_path, newest.model_copy(update={"markets": markets}))
    write_archive(tmp_path)
    text = section(page(tmp_path, "markets/USD-JPY.html"), "forecasts")
    assert "due, and no fixing is known" in text
    assert "not due yet" not in text
    # The line ends before the week, which is not shaded then.
    price = section(page(tmp_path, "markets/USD-JPY.html"), "price")
    assert LINE in price and SHADE not in price


def test_forecasts_are_drawn_as_one_shape_however_many(tmp_path: Path) -> None:
    weeks = ("2026-W38", "2026-W39", "2026-W40")
    for before, week in enumerate(weeks):
        shelve(tmp_path, forecasting(report_of(week), weeks_before=6 - before))
    shelve(tmp_path, forecasting(report_of("2026-W43"), weeks_before=0))
    write_archive(tmp_path)
    text = page(tmp_path, "markets/USD-JPY.html")
    assert section(text, "price").count("fill: var(--bar)") == 1
    assert len(re.findall(r"<tr><th scope=\"row\">", section(text, "forecasts"))) == len(weeks) + 1


def test_pages_are_made_one_after_the_other_and_the_front_page_last(tmp_path: Path) -> None:
    shelve(tmp_path, report_of("2026-W38"))
    (file,) = listing_of(tmp_path).files
    week = archived_week(file)
    assert isinstance(week, ArchivedWeek)
    made = archive_pages((week,), ())
    first, _ = next(made)
    assert first.startswith("markets/")
    *_, (last, _) = made
    assert last == "index.html"


def test_the_index_draws_a_line_for_each_market_and_bars_for_each_week(tmp_path: Path) -> None:
    report = report_of("2026-W38")
    shelve(tmp_path, report)
    write_archive(tmp_path)
    text = page(tmp_path)
    drawn = [part for part in report.markets if part.days]
    assert section(text, "markets").count('class="spark"') >= len(drawn)
    assert section(text, "weeks").count("<rect") == len(report.movers)


def test_the_front_page_has_the_last_figure_of_a_pair_that_the_newest_week_has_not(
    tmp_path: Path,
) -> None:
    shelve(tmp_path, report_of("2026-W42"))
    newest = report_of("2026-W43")
    without = tuple(
        part.model_copy(update={"claims": ()}) if part.market == "USD/JPY" else part
        for part in newest.markets
    )
    shelve(tmp_path, newest.model_copy(update={"markets": without}))
    write_archive(tmp_path)
    (line,) = re.findall(r'<li><a href="markets/USD-JPY.*?</li>', page(tmp_path))
    assert "in 2026-W42</small>" in line
