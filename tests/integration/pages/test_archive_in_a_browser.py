"""The archive in a headless Chromium, opened from disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.published
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.programs.week.archive.archive import write_archive
from desk.programs.week.document.publishing import publish
from tests.support.documents.answers import FINISHED_AT, ticket_record
from tests.support.documents.archives import report_of, shelve
from tests.support.outside.browser import Browser, browsing, chromium

PROGRAM = chromium()
NARROW = 360

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three weeks with an archive, the newest with its page."""
    directory = tmp_path_factory.mktemp("reports")
    shelve(directory, report_of("2026-W35", "+1.10"))
    shelve(directory, report_of("2026-W37", "-2.20"))
    shelve(directory, report_of("2026-W38"), "usdjpy")
    (directory / "weekly" / "notes.json").write_text("{}")
    publish(report_of("2026-W38"), directory)
    write_archive(directory)
    return directory


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert PROGRAM is not None
    with browsing(PROGRAM, tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def screen(browser: Browser) -> Browser:
    """The browser, wide and light, with nothing to complain of yet."""
    browser.resize(1_200)
    browser.complaints.clear()
    browser.asked_for.clear()
    return browser


def address(reports: Path, name: str = "index.html") -> str:
    return f"{reports.resolve().as_uri()}/{name}"


def focused(screen: Browser) -> str:
    """What has the focus, by its words or its name."""
    told: str = screen.ask(
        "(e => e.name || e.textContent.trim() || e.tagName)(document.activeElement)"
    )
    return told


def results(screen: Browser) -> list[str]:
    found: list[str] = screen.ask(
        "[...document.querySelectorAll('#found li')].map(line => line.textContent)"
    )
    return found


@pytest.mark.parametrize("name", ["index.html", "markets/USD-JPY.html", "search.html"])
def test_a_page_opens_from_disk_without_a_complaint_and_loads_nothing(
    screen: Browser, reports: Path, name: str
) -> None:
    screen.open(address(reports, name))
    assert screen.ask("document.querySelector('h1').textContent")
    assert screen.complaints == []
    assert screen.asked_for == [address(reports, name)]


@pytest.mark.parametrize("name", ["index.html", "markets/USD-JPY.html", "search.html?q=the"])
def test_nothing_is_wider_than_a_small_screen(screen: Browser, reports: Path, name: str) -> None:
    screen.resize(NARROW)
    screen.open(address(reports, name))
    assert screen.ask("document.documentElement.scrollWidth") <= NARROW
    cut = "[...document.querySelectorAll('body *')].filter(e => e.closest('.skip') === null && "
    cut += f"e.getBoundingClientRect().right > {NARROW}).map(e => e.outerHTML.slice(0, 90))"
    assert screen.ask(cut) == []


@pytest.mark.parametrize("width", [500, 700, 800, 960, 1_000])
def test_no_figure_of_the_movers_lies_over_another(
    screen: Browser, reports: Path, width: int
) -> None:
    (page,) = (reports / "weekly").glob("2026-W38-asia-g10-fx.html")
    screen.resize(width)
    screen.open(page.resolve().as_uri())
    over = """[...document.querySelectorAll('.movers tr')].flatMap(row => {
        const boxes = [...row.cells].map(cell => {
            const words = document.createRange(); words.selectNodeContents(cell)
            return words.getBoundingClientRect() }).filter(box => box.width)
        return boxes.slice(1).filter((box, at) => box.left < boxes[at].right)
    }).length"""
    assert screen.ask(over) == 0


def test_no_word_of_an_answers_table_is_broken_on_a_small_screen(
    screen: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "answer.html"
    answer = compile_answer(ticket_record(), finished_at=FINISHED_AT)
    page.write_text(render_answer_html(answer), encoding="utf-8")
    screen.resize(NARROW)
    screen.open(page.as_uri())
    words = ("28 Oct 2026", "Bangko Sentral ng Pilipinas", "The outcome is not in the source yet.")
    figures = ("4.50 %", "4.75 %", "+25 bp")
    row = "".join(f"<td>{cell}</td>" for cell in words)
    row += "".join(f'<td style="white-space: nowrap">{cell}</td>' for cell in figures)
    table = f"<table><tr>{row}</tr></table>"
    added = f"document.querySelector('.prose').insertAdjacentHTML('beforeend', '{table}')"
    screen.ask(f"{added} || true")
    lines = "(text => { const word = document.createRange(); word.setStart(text, 18);"
    lines += " word.setEnd(text, 27); return word.getClientRects().length })"
    assert screen.ask(f"{lines}(document.querySelector('.prose td:nth-child(2)').firstChild)") == 1


def test_no_word_of_a_stocks_steps_is_broken_on_a_small_screen(screen: Browser) -> None:
    screen.resize(NARROW)
    screen.open((Path(tests.published.__file__).parent / "episode.html").as_uri())
    broken = """[...document.querySelectorAll('#steps td.text')].filter(cell => {
        const lines = document.createRange(); lines.selectNodeContents(cell)
        const words = cell.textContent.trim().split(/\\s+/).length
        return new Set([...lines.getClientRects()].map(box => box.top)).size > words
    }).length"""
    assert screen.ask("document.querySelectorAll('#steps td.text').length") > 0
    assert screen.ask(broken) == 0


def test_the_pages_are_dark_where_that_is_asked_for(screen: Browser, reports: Path) -> None:
    grounds = []
    for dark in (False, True):
        screen.resize(1_200, dark=dark)
        screen.open(address(reports))
        grounds.append(screen.ask("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(17, 20, 24)"]


def test_the_keyboard_leads_from_the_index_to_a_search_and_a_market(
    screen: Browser, reports: Path
) -> None:
    screen.open(address(reports))
    seen = []
    for _ in range(3):
        screen.press("Tab")
        seen.append(focused(screen))
    assert seen == ["Skip to the content", "the newest report", "q"]
    screen.type("jpy")
    screen.press("Enter", leads_away=True)
    assert screen.ask("location.pathname").endswith("/search.html")
    assert focused(screen) == "q"
    screen.press("ArrowDown")
    assert focused(screen) == "USD/JPY"
    screen.press("Enter", leads_away=True)
    assert screen.ask("location.pathname").endswith("/markets/USD-JPY.html")
    assert screen.complaints == []


def test_the_skip_link_jumps_over_the_head(screen: Browser, reports: Path) -> None:
    screen.open(address(reports, "markets/USD-JPY.html"))
    screen.press("Tab")
    screen.press("Enter")
    screen.press("Tab")
    assert focused(screen) == "2026-W38"


def test_the_search_finds_as_one_types_whatever_the_case_and_the_signs(
    screen: Browser, reports: Path
) -> None:
    screen.open(address(reports, "search.html"))
    weeks = [line.split()[0] for line in results(screen)]
    assert weeks == ["2026-W38", "2026-W37", "2026-W35"]
    screen.type("usdjpy -1.02 %")
    assert results(screen)[0].startswith("2026-W38 USD/JPY")
    screen.ask("document.querySelector('[name=q]').value = ''")
    screen.type("usd/JPY")
    every = results(screen)
    assert every[0] == "USD/JPY across the weeks"
    assert any(line.startswith("2026-W37 USD/JPY") for line in every)
    screen.type(" 2026-W37")
    fewer = results(screen)
    assert fewer
    assert all(line.startswith("2026-W37") for line in fewer)
    assert screen.ask("document.getElementById('count').textContent") == f"{len(fewer)} found"
    screen.type(" nothing of the kind")
    assert results(screen) == []


@pytest.mark.parametrize("name", ["yen", "Japan", "bank of japan", "BoJ"])
def test_a_currency_is_found_by_what_it_its_country_and_its_bank_are_called(
    screen: Browser, reports: Path, name: str
) -> None:
    screen.open(address(reports, f"search.html?q={name.replace(' ', '%20')}"))
    found = results(screen)
    assert found[0] == "USD/JPY across the weeks"
    assert any(line.startswith("2026-W38 USD/JPY") for line in found)


def test_the_arrows_go_through_what_is_found_and_escape_goes_back(
    screen: Browser, reports: Path
) -> None:
    screen.open(address(reports, "search.html?q=JPY"))
    links = [line.split("USD/JPY")[0] + "USD/JPY" for line in results(screen)]
    assert len(links) > 2
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        screen.press(key)
    assert focused(screen) == links[0]
    screen.press("ArrowUp")
    assert focused(screen) == "q"
    screen.press("ArrowDown")
    screen.press("Escape")
    assert focused(screen) == "q"


def test_a_figure_of_the_archive_opens_its_trace_in_the_report(
    screen: Browser, reports: Path
) -> None:
    screen.open(address(reports, "markets/USD-JPY.html"))
    link = screen.ask("document.querySelector('a.f[href$=\"#trace-USD-JPY-last\"]').href")
    screen.open(link)
    shown = "[...document.querySelectorAll('.trace')].filter(e => e.checkVisibility()).map(e=>e.id)"
    assert screen.ask(shown) == ["trace-USD-JPY-last"]
    screen.ask("document.querySelector('#trace-USD-JPY-last .shut').click()")
    assert screen.ask("location.hash") == "#USD-JPY"
    assert screen.ask(shown) == []
    screen.ask("document.querySelector('[popovertarget=trace-USD-JPY-last]').click()")
    assert screen.ask(shown) == ["trace-USD-JPY-last"]
    assert screen.ask("document.querySelector('#trace-USD-JPY-last .shut').checkVisibility()") is (
        False
    )
    assert screen.complaints == []
