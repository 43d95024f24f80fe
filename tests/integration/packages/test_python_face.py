"""A desk that Python is at: weeks, questions, how far it is, how its forecasts did."""

import asyncio
from collections.abc import Iterator

import pytest

from desk import Desk
from desk.contracts.agents.search_attributes import Phase
from desk.platform.temporal.client import ServerUnreachable
from starters.terminal.exit_status import CommandError
from tests.support.processes.command import DeskCommand

WEEK = "2026-W44"
MARKETS = ["USD/JPY", "JP"]
QUESTION = "What is the status of DESK-103?"


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        yield command


@pytest.fixture
def told() -> list[str]:
    """What a desk said of what was going on."""
    return []


@pytest.fixture
def desk(command: DeskCommand, told: list[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The same desk as Python is at it, by the address of its server."""
    for name, value in command.variables.items():
        monkeypatch.setenv(name, value)
    return Desk(command.address, tell=told.append)


def test_a_week_is_run_and_its_report_loaded(desk: Desk, command: DeskCommand) -> None:
    report = desk.run(WEEK, markets=MARKETS)
    assert report.week == WEEK
    assert list(report.movers()["market"]) == ["USD/JPY"]
    assert report.trace("USD/JPY:move").evidence
    assert command("audit", str(report.path)).code == 0
    assert desk.status(WEEK).phase is Phase.OPEN_FOR_RERUNS


def test_a_week_that_is_published_is_not_run_again(desk: Desk) -> None:
    first, again = (desk.run(WEEK, markets=each).document for each in (MARKETS, tuple(MARKETS)))
    assert first.timings.run_id == again.timings.run_id


async def test_a_notebook_whose_loop_runs_asks_as_well(desk: Desk, told: list[str]) -> None:
    answer = desk.ask(QUESTION)  # plain, within a running loop
    assert "Blocked" in answer.summary
    assert told == ["the graph is tickets; --graph names another"]
    same = await desk.ask_async(QUESTION)
    assert same.document == answer.document


async def test_two_questions_are_asked_side_by_side(desk: Desk) -> None:
    answers = await asyncio.gather(
        desk.ask_async(QUESTION), desk.ask_async("What is the status of DESK-101?")
    )
    assert [answer.answered for answer in answers] == [True, True]


def test_a_scorecard_is_there_once_a_run_has_told(desk: Desk) -> None:
    desk.run(WEEK, markets=MARKETS)
    scores = desk.scorecard()
    assert scores is not None
    assert list(scores.table().columns)[:2] == ["of", "scored"]


def test_a_week_without_a_run_says_what_to_do(desk: Desk) -> None:
    advice = "`desk run --week 2026-W40` researches one"
    with pytest.raises(CommandError, match=f"no run of 2026-W40 is known; {advice}"):
        desk.status("2026-W40")


def test_an_address_that_nobody_is_at_is_named(
    command: DeskCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_HOME", command.variables["DESK_HOME"])
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:1"):
        Desk("127.0.0.1:1").status(WEEK)
