"""`desk serve` in a headless Chromium, by the keyboard: ask, follow, decide, redo, try again."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desk.contracts.names import Queue
from desk.platform.settings import load_settings
from desk.platform.temporal.client import connect
from tests.support.outside.browser import Browser, browsing, chromium
from tests.support.processes.command import DeskCommand, eventually
from tests.support.processes.homes import PROJECT, free_port
from tests.support.runs.cases import WORKFLOW_ID, case
from workflows.escalation import EscalationWorkflow

PROGRAM = chromium()
PORT = free_port()
AT = f"http://127.0.0.1:{PORT}"
WEEK = "2026-W37"

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An `.mcp.json` whose source of policy rates cannot be started."""
    working = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    broken = {**working, "central_banks": {"command": "no-such-program"}}
    file = tmp_path_factory.mktemp("sources") / "mcp.json"
    file.write_text(json.dumps({"mcpServers": broken}))
    return file


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> DeskCommand:
    return DeskCommand(tmp_path_factory.mktemp("desk"), DESK_MCP_CONFIG=str(sources))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert PROGRAM is not None
    with browsing(PROGRAM, tmp_path_factory.mktemp("browser")) as opened:
        opened.resize(1_200)
        yield opened


def text(screen: Browser, selector: str = "main") -> str:
    found = screen.ask(f"document.querySelector('{selector}')?.innerText ?? ''")
    assert isinstance(found, str)
    return found


def until(screen: Browser, words: str, selector: str = "main") -> None:
    """Return once the page that is open says something, which it does by itself."""
    try:
        eventually(lambda: words in text(screen, selector), f"{words!r} on the page")
    except AssertionError as missing:
        raise AssertionError(f"{missing}: {text(screen)}") from None


def focused(screen: Browser) -> str:
    """What has the focus, by its name or its words."""
    told = screen.ask("(e => e.id || e.innerText.trim() || e.tagName)(document.activeElement)")
    assert isinstance(told, str)
    return told


def begins_at(screen: Browser, field: str) -> None:
    """Return once a page has put the focus to its first field."""
    eventually(lambda: focused(screen) == field, f"the focus is on {field}")


def go_to(screen: Browser, wanted: str) -> None:
    """Press Tab until something has the focus."""
    seen = []
    for _ in range(60):
        screen.press("Tab")
        seen.append(focused(screen))
        if seen[-1] == wanted:
            assert screen.ask("document.activeElement.matches(':focus-visible')")
            return
    raise AssertionError(f"Tab does not lead to {wanted}: {seen}")


def test_the_desk_is_worked_at_by_the_keyboard_alone(
    desk: DeskCommand, sources: Path, browser: Browser
) -> None:
    with desk.serving(PORT):
        a_week_is_asked_for_and_followed(browser)
        browser.open(f"{AT}/")
    # The page stays open, and goes on by itself once the desk is served again.
    until(browser, "does not answer", "#notice")
    sources.write_text((PROJECT / ".mcp.json").read_text())
    with desk.serving(PORT):
        eventually(lambda: text(browser, "#notice") == "", "the notice goes")
        browser.complaints.clear()
        what_failed_is_tried_again(browser)
        a_market_is_redone(browser)
        a_question_is_asked_and_its_answer_read(browser)
        how_the_desk_does_is_told(browser)
    assert all(each.startswith((AT, "about:", "data:")) for each in browser.asked_for)


def a_week_is_asked_for_and_followed(screen: Browser) -> None:
    screen.open(f"{AT}/week")
    begins_at(screen, "week")
    assert "it costs nothing" in text(screen)
    screen.type("2026-W99")
    screen.press("Enter", leads_away=True)
    assert "2026-W99" in text(screen, "[role=alert]")
    begins_at(screen, "week")
    screen.ask("document.getElementById('week').value = ''")
    screen.type(WEEK)
    go_to(screen, "markets")
    screen.type("USD/JPY")
    screen.press("Enter", leads_away=True)
    until(screen, "1 of 1 done")
    until(screen, "partial")
    until(screen, "the report")
    what_has_not_changed_stays_and_what_is_pressed_waits(screen)


def what_has_not_changed_stays_and_what_is_pressed_waits(screen: Browser) -> None:
    """The page asks every few seconds; its clock goes on, and a link in it is the link it was."""
    clock = "[...document.querySelectorAll('#live dt')].find(e => e.innerText == 'Since it began')"
    screen.ask(
        f"const clock = () => {clock}.nextElementSibling; window.link = "
        "document.getElementById('form-1'); clock().textContent = 'stopped';"
        "window.seen = 0; window.held = true;"
        "window.press = kind => link.dispatchEvent(new PointerEvent(kind, {bubbles: true}));"
        "addEventListener('htmx:beforeSwap',"
        " () => { seen++; if (held) press('pointerdown') }, true)"
    )
    eventually(lambda: screen.ask("seen") >= 2, "the page was answered twice")
    assert screen.ask("clock().textContent") == "stopped"
    screen.ask("held = false; press('pointerup')")
    eventually(lambda: screen.ask("clock().textContent") != "stopped", "the clock goes on")
    assert screen.ask("link.isConnected")


def what_failed_is_tried_again(screen: Browser) -> None:
    screen.open(f"{AT}/decide")
    eventually(lambda: _listed(screen), "the dead letter is listed")
    go_to(screen, "Try again")
    screen.press("Enter", leads_away=True)
    until(screen, "revision 2")
    until(screen, "researched")


def _listed(screen: Browser) -> bool:
    if "Try again" not in text(screen):
        screen.open(f"{AT}/decide")
    return "Try again" in text(screen)


def a_market_is_redone(screen: Browser) -> None:
    go_to(screen, "reason")
    screen.type("the fixing of Friday <b>was revised</b>")
    screen.press("Enter", leads_away=True)
    until(screen, "revision 3")
    assert screen.complaints == []


def a_question_is_asked_and_its_answer_read(screen: Browser) -> None:
    screen.open(f"{AT}/ask")
    begins_at(screen, "question")
    screen.type("What holds up DESK-101?")
    go_to(screen, "Ask")
    screen.press("Enter", leads_away=True)
    assert "The graph is tickets" in text(screen)
    until(screen, "complete")
    go_to(screen, "form-1")
    screen.press("Enter", leads_away=True)
    assert "What holds up DESK-101?" in text(screen, "h1")
    assert screen.complaints == []


def how_the_desk_does_is_told(screen: Browser) -> None:
    screen.open(f"{AT}/agents")
    assert "healthy" in text(screen)
    assert "central banks" in text(screen)
    screen.open(f"{AT}/scorecard")
    assert "Forecasts" in text(screen)
    assert screen.complaints == []


async def test_a_conflict_is_decided_with_both_sides_in_view(
    desk: DeskCommand, browser: Browser
) -> None:
    with desk.serving(PORT):
        client = await connect(load_settings(PROJECT, desk.variables))
        await client.start_workflow(
            EscalationWorkflow.run, case(datetime.now(UTC)), id=WORKFLOW_ID, task_queue=Queue.DESK
        )
        browser.open(f"{AT}/decide/{WORKFLOW_ID}")
        both = text(browser)
        assert "157.25" in both
        assert "151.1" in both
        assert "European Central Bank" in both
        go_to(browser, "choose-1")
        browser.press("ArrowDown")
        assert focused(browser) == "choose-2"
        go_to(browser, "note")
        browser.type("misread <script>alert(1)</script>")
        browser.press("Enter", leads_away=True)
        until(browser, "Decided", "[role=status].told")
        assert "misread <script>alert(1)</script>" in text(browser)
        shown = desk("escalations", "show", WORKFLOW_ID, "--json").json
        assert shown["status"]["decision"]["answer"]["position"] == 1
    assert browser.complaints == []
