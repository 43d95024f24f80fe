"""What a weekly run holds while it runs, and while it waits to be asked for reruns."""

from datetime import UTC, datetime, timedelta

from contracts.config import ScheduleConfig
from contracts.report import MarketOutcome
from contracts.search_attributes import Outcome
from contracts.week_run import MarketState, WeekStatus
from domain.week_board import WeekBoard
from domain.weeks import window_of
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


def status(board: WeekBoard) -> WeekStatus:
    return board.status(NOW + timedelta(hours=1), timedelta(days=6))


def test_a_board_that_is_put_away_tells_the_same() -> None:
    told, recorded, details = status(board()), board().record_with(), board().details()
    away = board()
    away.put_away()
    assert status(away) == told
    assert away.details() == details
    assert away.record_with() == recorded
    away.put_away()
    away.put_away()
    assert away.record_with() == recorded
    assert status(away) == told


def test_a_board_that_was_put_away_takes_what_comes_back() -> None:
    away = board()
    away.put_away()
    away.outcomes["USD/JPY"] = outcome("USD/JPY")
    states = {line.market: line.state for line in status(away).markets}
    assert set(states.values()) == {MarketState.DONE}
    assert [line.market for line in away.record_with().outcomes] == list(MARKETS)


def test_a_board_that_goes_on_from_a_record_forgets_what_was_put_away() -> None:
    away, other = board(), board()
    away.put_away()
    other.outcomes["EUR/USD"] = outcome("USD/JPY")
    away.restore(other.record_with())
    assert away.record_with() == other.record_with()
