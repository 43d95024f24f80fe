"""`desk serve` in a headless Chromium."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, browsing, chromium
from tests.support.command import DeskCommand, eventually
from tests.support.homes import free_port

PROGRAM = chromium()

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> DeskCommand:
    return DeskCommand(tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="module")
def address(desk: DeskCommand) -> Iterator[str]:
    with desk.serving(free_port()) as served:
        yield served


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


def text(screen: Browser, selector: str = "main") -> str:
    found = screen.ask(f"document.querySelector('{selector}')?.innerText ?? ''")
    assert isinstance(found, str)
    return found


def until(screen: Browser, words: str, selector: str = "main") -> None:
    """Return once the page that is open says something."""
    eventually(lambda: words in text(screen, selector), words)


def test_a_run_of_the_command_line_is_followed_to_its_report(
    desk: DeskCommand, address: str, screen: Browser
) -> None:
    screen.open(f"{address}/")
    assert "Nothing is at work" in text(screen)
    ran = desk("run", "--week", "2026-W37", "--markets", "USD/JPY,JP")
    assert ran.code == 0, ran.err
    # The page looks for itself.
    until(screen, "Research of 2026-W37")
    screen.ask("document.querySelector('#live a').click()")
    until(screen, "2 of 2 done")
    screen.open(f"{address}{screen.ask('''document.querySelector('#form-1').pathname''')}")
    assert "2026-W37" in text(screen, "h1")
    assert screen.complaints == []
    assert all(each.startswith((address, "about:", "data:")) for each in screen.asked_for)
