"""A person works at the desk in a browser, by the keyboard and by the mouse in turns, while workers
are killed and come back. Every page says what holds it up, and goes on by itself. A day by the
keyboard alone is that of `tests/integration/pages/test_serve_in_a_browser.py`.

Real processes all through: the embedded server, a worker of each role whose second research agent
lies, `desk serve` and Chromium.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from desk.platform.server.embedded import embedded_server
from desk.platform.settings import load_settings
from starters.runs.stalls import BUSY
from tests.support.outside.browser import Browser, browsing, chromium
from tests.support.outside.hands import Hand
from tests.support.processes.command import DeskCommand, eventually
from tests.support.processes.homes import PROJECT, free_port, home_environment
from tests.support.processes.lying_worker import LyingFleet
from workers.hosting import Role

PROGRAM = chromium()
WEEK, LATER = "2026-W43", "2026-W44"
ROLES = tuple(role for role in Role if role is not Role.ALL)

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")


class Place(NamedTuple):
    """A desk without workers yet, and the file that names its sources."""

    desk: DeskCommand
    fleet: LyingFleet
    sources: Path


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    sources, config = tmp_path / "mcp.json", tmp_path / "desk.toml"
    working = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    broken = {**working, "central_banks": {"command": "no-such-program"}}
    sources.write_text(json.dumps({"mcpServers": broken}))
    # Where nobody is known to publish a fixing, nobody's word on it ends the matter.
    rules = (PROJECT / "desk.toml").read_text()
    config.write_text(rules.replace("European Central Bank", "Nobody"))
    environment = home_environment(
        tmp_path,
        LIES_ABOUT="USD/JPY",
        DESK_CONFIG=str(config),
        DESK_MCP_CONFIG=str(sources),
    )
    settings = load_settings(PROJECT, environment)
    desk = DeskCommand(tmp_path)
    desk.variables = {**environment, "TEMPORAL_ADDRESS": settings.server.address}
    fleet = LyingFleet(environment)
    async with embedded_server(settings.home, settings.server):
        try:
            yield Place(desk, fleet, sources)
        finally:
            fleet.end()


async def test_the_desk_is_worked_at_while_workers_are_killed(place: Place, tmp_path: Path) -> None:
    # In a thread, because this process watches over the server meanwhile.
    await asyncio.to_thread(at_work, place, tmp_path / "browser")


def at_work(place: Place, home: Path) -> None:
    """A day at the desk."""
    assert PROGRAM is not None
    with place.desk.serving(free_port()) as at, browsing(PROGRAM, home) as browser:
        browser.resize(1_200)
        day = Day(place, Hand(browser), at)
        for role in ROLES:
            place.fleet.start(role)
        day.workers_are_up()
        day.a_week_is_followed()
        day.a_dead_letter_is_tried_again()
        day.a_market_is_redone()
        day.a_conflict_is_decided()
        day.a_question_is_asked()


class Day:
    """What is done at the desk, one after the other."""

    def __init__(self, place: Place, hand: Hand, at: str) -> None:
        self._desk, self._fleet, self._sources = place
        self._hand = hand
        self._at = at

    @property
    def _screen(self) -> Browser:
        return self._hand.screen

    def workers_are_up(self) -> None:
        # Asked without the browser, in which a page takes a tenth of a second of processor time.
        def told() -> bool:
            page = httpx2.get(f"{self._at}/agents", timeout=30).text
            return "No worker polls" not in page and "Work since" in page

        eventually(told, "workers are up")

    def a_week_is_followed(self) -> None:
        self._fleet.kill(Role.RESEARCH)
        self._ask_for_week(WEEK, "EUR/USD")
        self._hand.reads("0 of 1 done")
        self._hand.reads("turn 1, waits for a worker")
        self._fleet.start(Role.RESEARCH)
        self._hand.reads("open for reruns")
        assert "waits for a worker" not in self._hand.text()
        assert "partial" in self._hand.text(".board")

    def a_dead_letter_is_tried_again(self) -> None:
        self._fleet.kill(Role.SOURCES)
        self._sources.write_text((PROJECT / ".mcp.json").read_text())
        self._fleet.start(Role.SOURCES)
        self._hand.follow("nav a[href='/decide']")
        assert "central_banks" in self._hand.text()
        self._hand.follow(f"button[aria-label='Try again: EUR/USD, {WEEK}']")
        self._hand.reads("revision 2")
        self._hand.reads("researched")

    def a_market_is_redone(self) -> None:
        self._hand.write("#reason", "the fixing of Friday was revised")
        self._hand.follow(".send button")
        self._hand.reads("revision 3")
        # Asked for elsewhere, it shows where the page is open.
        elsewhere = ("rerun", "EUR/USD", "--reason", "once more", "--week", WEEK, "--no-wait")
        assert self._desk(*elsewhere).code == 0
        self._hand.reads("revision 4")

    def a_conflict_is_decided(self) -> None:
        self._ask_for_week(LATER, "USD/JPY")
        self._hand.reads("A conflict of USD/JPY waits for a person")
        self._hand.follow("#case-1")
        for seen in ("157.25", "999.99", "A newspaper", "European Central Bank", "get_quote"):
            assert seen in self._hand.text(".pairwise")
        held = self._hand.text("#side-1").removeprefix("1: ")
        self._hand.choose("#choose-1")
        self._hand.write("#note", "nobody published the other")
        self._fleet.kill(Role.ORCHESTRATOR)
        self._hand.follow(".send button")
        assert "The answer is with the server" in self._hand.text()
        self._fleet.start(Role.ORCHESTRATOR)
        self._hand.reads("Decided", "[role=status].told")
        for told in (held, "nobody published the other"):
            assert told in self._hand.text("[role=status].told")
        self._hand.follow(".facts a")
        self._hand.reads("open for reruns")

    def a_question_is_asked(self) -> None:
        self._hand.follow("nav a[href='/ask']")
        self._hand.write("#question", "What holds up DESK-101?")
        self._fleet.kill(Role.ORCHESTRATOR)
        self._hand.follow(".send button")
        self._hand.reads(BUSY, "#live")
        self._fleet.start(Role.ORCHESTRATOR)
        self._hand.reads("complete")
        self._hand.follow("#form-1")
        assert "What holds up DESK-101?" in self._hand.text("h1")

    def _ask_for_week(self, week: str, markets: str) -> None:
        self._screen.open(f"{self._at}/week")
        self._hand.write("#week", week)
        self._hand.unfold("summary")
        self._hand.write("#markets", markets)
        self._hand.follow(".send button")
