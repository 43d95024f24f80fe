"""What a weekly run holds while it runs, and while it waits to be asked for reruns."""

from datetime import UTC, datetime, timedelta

from desk.analytics.weeks import window_of
from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import AgentId
from desk.contracts.runs.week import MarketState, Publication, RerunRequest, WeekStatus
from desk.contracts.week.report import (
    Contribution,
    Coverage,
    MarketOutcome,
    Revision,
    RevisionKind,
)
from desk.runs.boards.week_board import WeekBoard
from tests.support.builders import finding

NOW = datetime(2026, 11, 2, 7, tzinfo=UTC)
MARKETS = ("EUR/USD", "USD/JPY", "USD/TWD")


def outcome(market: str) -> MarketOutcome:
    return MarketOutcome(
        market=market,
        outcome=Outcome.RESEARCHED,
        results=(finding(market=market),),
    )


def board() -> WeekBoard:
    board = WeekBoard("2026-W44", window_of("2026-W44", ScheduleConfig()), MARKETS, started_at=NOW)
    board.outcomes["EUR/USD"] = outcome("EUR/USD")
    board.outcomes["USD/TWD"] = MarketOutcome(
        market="USD/TWD", outcome=Outcome.MISSING, missing=("no source",)
    )
    return board


PUBLICATION = Publication(
    files=PublishedFiles(html="w.html", markdown="w.md", json_file="w.json"),
    coverage=Coverage(expected=3, researched=3, threshold=0.9),
    outcome=Outcome.COMPLETE,
    headline="x",
)


def revision(number: int) -> Revision:
    return Revision(revision=number, kind=RevisionKind.FIRST, published_at=NOW)


def status(board: WeekBoard) -> WeekStatus:
    return board.status(NOW + timedelta(hours=1), timedelta(days=6))


def test_a_revision_takes_the_time_that_was_worked_on_it_and_not_what_it_waited_for() -> None:
    told = board()
    told.note_published(revision(1), PUBLICATION, at=NOW + timedelta(seconds=20))
    assert status(told).seconds == 20
    queued = told.queue(RerunRequest(market="USD/JPY"))
    asked = NOW + timedelta(minutes=10)
    assert told.begin_rerun(asked) == queued
    told.note_published(revision(2), PUBLICATION, at=asked + timedelta(seconds=7))
    assert status(told).seconds == 7


def test_a_board_that_is_put_away_tells_the_same() -> None:
    told, recorded, details = status(board()), board().record_with(), board().details()
    away = board()
    away.compress_outcomes()
    assert status(away) == told
    assert away.details() == details
    assert away.record_with() == recorded
    away.compress_outcomes()
    away.compress_outcomes()
    assert away.record_with() == recorded
    assert status(away) == told


def test_a_board_that_was_put_away_takes_what_comes_back() -> None:
    away = board()
    away.compress_outcomes()
    away.outcomes["USD/JPY"] = outcome("USD/JPY")
    states = {line.market: line.state for line in status(away).markets}
    assert set(states.values()) == {MarketState.DONE}
    assert [line.market for line in away.record_with().outcomes] == list(MARKETS)


def test_a_board_that_goes_on_from_a_record_forgets_what_was_put_away() -> None:
    away, other = board(), board()
    away.compress_outcomes()
    other.outcomes["EUR/USD"] = outcome("USD/JPY")
    away.restore(other.record_with())
    assert away.record_with() == other.record_with()


def test_a_market_is_told_with_what_it_has_cost_and_until_when_it_is_at_work() -> None:
    due = NOW + timedelta(minutes=20)
    spent = Usage(input_tokens=900, output_tokens=100, model="m")
    shown = board()
    shown.outcomes["EUR/USD"] = outcome("EUR/USD").model_copy(
        update={
            "agents": (
                Contribution(
                    agent=AgentId.RESEARCH_AGENT_1,
                    task_type=TaskType.RESEARCH_FX,
                    delivered=True,
                    usage=spent,
                ),
            )
        }
    )
    shown.running["USD/JPY"] = due
    lines = {line.market: line for line in status(shown).markets}
    assert lines["EUR/USD"].spent == spent
    assert (lines["USD/JPY"].state, lines["USD/JPY"].deadline) == (MarketState.RUNNING, due)
    assert lines["USD/JPY"].spent is None


def test_a_rerun_shows_on_a_board_that_was_put_away() -> None:
    away = board()
    away.compress_outcomes()
    away.running["EUR/USD"] = NOW + timedelta(minutes=20)
    (line,) = (m for m in status(away).markets if m.market == "EUR/USD")
    assert (line.state, line.outcome) == (MarketState.RUNNING, None)
    assert "| EUR/USD | … running |" in away.details()
    del away.running["EUR/USD"]
    (line,) = (m for m in status(away).markets if m.market == "EUR/USD")
    assert (line.state, line.outcome) == (MarketState.DONE, Outcome.RESEARCHED)
