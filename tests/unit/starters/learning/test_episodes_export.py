"""`desk episodes export` and what `desk episodes` prints: episodes as rows, and as a table."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import EpisodeStep, Recommended, StockRecommendation
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning
from desk.contracts.runs.episode import StockRequest
from desk.programs.episode.actions import Pointer, why_not
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.recommendation import balance
from starters.learning.episodes.export import (
    BOARD_METRICS,
    COLUMNS,
    METADATA,
    Rows,
    check_parquet,
    rows_of,
    write_parquet,
)
from starters.learning.episodes.listing import ListedEpisode
from starters.learning.episodes.show import board_lines, table_lines
from starters.terminal.exit_status import CommandError, UsageError
from tests.support.processes.homes import PROJECT

AS_OF = datetime(2024, 6, 12, 22, tzinfo=UTC)
DAY = date(2024, 6, 12)
BUY = StockRecommendation(
    action=Recommended.BUY, confidence=0.42, probability=0.55, reasons_for=("trend",)
)
POINTERS = (
    Pointer("trend", Leaning.UP, 0.6, (Metric.RSI,), "It rose: [[NVDA:rsi]]."),
    Pointer("stretch", Leaning.DOWN, 0.2, (Metric.RSI,), "It is high: [[NVDA:sma_200]]."),
)
CAME = {Metric.FORWARD_MOVE: Decimal("2.10"), Metric.REWARD: Decimal("0.43")}

ACTIONS = (
    StockAction.FETCH_NEWS,
    StockAction.GENERATE_RECOMMENDATION,
    StockAction.RUN_TA_BASIC,
    StockAction.GENERATE_INSIGHT,
    StockAction.GENERATE_RECOMMENDATION,
    StockAction.EVALUATE_PERFORMANCE,
)
"""The second is refused: there are no insights then."""


def written(board: StockBoard, action: StockAction) -> None:
    if action is StockAction.FETCH_NEWS:
        board.write_part(action, {}, DAY)
    elif action is StockAction.RUN_TA_BASIC:
        board.write_part(action, {Metric.LAST: Decimal("125.20"), Metric.RSI: 71.5}, DAY)
    elif action is StockAction.GENERATE_INSIGHT:
        board.write_insights(POINTERS)
    elif action is StockAction.GENERATE_RECOMMENDATION:
        board.write_recommendation(BUY)
    else:
        board.write_evaluation(CAME, DAY + timedelta(weeks=4))


def episode(actions: Sequence[StockAction] = ACTIONS, symbol: str = "NVDA") -> ListedEpisode:
    """A finished episode of these actions."""
    board = StockBoard(symbol, AS_OF)
    steps = []
    for number, action in enumerate(actions, 1):
        refused = why_not(board, action)
        if refused is None:
            written(board, action)
        evaluated = action is StockAction.EVALUATE_PERFORMANCE
        steps.append(
            EpisodeStep(
                number=number, action=action, refused=refused, board=board.snapshot(),
                reward=CAME[Metric.REWARD] if evaluated else Decimal(0),
                started_at=AS_OF + timedelta(seconds=number), ended_at=AS_OF + timedelta(minutes=1),
            )
        )  # fmt: skip
    return ListedEpisode(
        workflow_id=f"stock-{symbol}-0123456789ab", run_id="a-run", open=False,
        request=StockRequest(symbol=symbol, as_of=AS_OF), as_of=AS_OF, started_at=AS_OF,
        board=board.snapshot(), steps=tuple(steps), outcome=Outcome.COMPLETE,
    )  # fmt: skip


async def batches(*found: Rows) -> AsyncIterator[Rows]:
    for rows in found:
        yield rows


def test_a_step_stands_beside_the_blackboard_as_it_was_before_it() -> None:
    rows = list(rows_of(episode()))
    assert [row["action"] for row in rows] == list(ACTIONS)
    assert [row["last"] for row in rows] == [None, None, None, 125.2, 125.2, 125.2]
    assert [row["insights"] for row in rows] == [0, 0, 0, 0, 2, 2]
    assert [row["recommendation"] for row in rows] == [None] * 5 + ["buy"]
    assert rows[4]["taken"] == ["FETCH_NEWS", "RUN_TA_BASIC", "GENERATE_INSIGHT"]


def test_what_is_lacking_is_lacking_and_no_number() -> None:
    last = list(rows_of(episode()))[-1]
    known = {name for name in map(str, BOARD_METRICS) if last[name] is not None}
    assert known == {"last", "rsi"}
    assert last["episode_cash_move"] is None


def test_a_refused_step_says_why_and_changes_nothing() -> None:
    rows = list(rows_of(episode()))
    assert [row["refused"] is not None for row in rows] == [n == 1 for n in range(6)]
    assert "insights" in str(rows[1]["refused"])
    assert rows[2]["taken"] == ["FETCH_NEWS"]


def test_the_reward_comes_with_the_evaluation_which_ends_the_episode() -> None:
    rows = list(rows_of(episode()))
    assert [row["reward"] for row in rows] == [0, 0, 0, 0, 0, 0.43]
    assert [row["terminated"] for row in rows] == [False] * 5 + [True]
    assert not any(row["truncated"] for row in rows)
    assert {row["episode_reward"] for row in rows} == {0.43}


def test_steps_given_beyond_the_evaluation_are_refused_and_end_nothing_once_more() -> None:
    rows = list(rows_of(episode((*ACTIONS, StockAction.FETCH_NEWS, StockAction.RUN_TA_BASIC))))
    assert [row["terminated"] for row in rows] == [False] * 5 + [True, False, False]
    assert all(row["refused"] for row in rows[6:])
    assert not any(row["truncated"] for row in rows)


def test_an_episode_without_an_evaluation_is_cut_off_and_has_no_reward() -> None:
    rows = list(rows_of(episode(ACTIONS[:5])))
    assert [row["truncated"] for row in rows] == [False] * 4 + [True]
    assert {row["episode_reward"] for row in rows} == {None}


def test_insights_are_balanced_as_a_recommendation_weighs_them() -> None:
    last = list(rows_of(episode()))[-1]
    assert last["insight_balance"] == pytest.approx((0.6 - 0.2) / 2)
    assert last["insight_balance"] == balance(POINTERS)
    assert balance((Pointer("trend", Leaning.UP, 0.0, ()),)) is None


def test_every_row_has_every_column_and_no_other() -> None:
    assert all(set(row) == set(COLUMNS) for row in rows_of(episode()))


async def test_a_table_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    place = tmp_path / "episodes.parquet"
    one, two = list(rows_of(episode())), list(rows_of(episode(symbol="AAPL")))
    assert await write_parquet(place, batches(one, [], two)) == 12
    read = pq.ParquetFile(place)
    assert read.num_row_groups == 2
    assert read.read().to_pylist() == [*one, *two]
    metadata = {key.decode(): value.decode() for key, value in read.schema_arrow.metadata.items()}
    assert metadata.items() >= METADATA.items()
    assert list(tmp_path.iterdir()) == [place]


async def test_a_table_that_fails_in_the_middle_leaves_the_one_before(tmp_path: Path) -> None:
    place = tmp_path / "episodes.parquet"
    rows = list(rows_of(episode()))
    await write_parquet(place, batches(rows))

    async def failing() -> AsyncIterator[Rows]:
        yield rows
        raise OSError(28, "No space left on device")

    with pytest.raises(CommandError, match=r"episodes.parquet.*No space left"):
        await write_parquet(place, failing())
    assert pq.read_table(place).num_rows == len(rows)
    assert list(tmp_path.iterdir()) == [place]


async def test_no_episodes_are_a_table_without_rows(tmp_path: Path) -> None:
    place = tmp_path / "episodes.parquet"
    assert await write_parquet(place, batches()) == 0
    assert pq.read_table(place).column_names == list(COLUMNS)


def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory; name a file"):
        check_parquet(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="--out"):
        check_parquet(tmp_path / "file" / "episodes.parquet")


def test_without_the_package_the_one_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(CommandError, match="make install-episodes"):
        check_parquet(tmp_path / "episodes.parquet")


def test_every_column_is_described_in_the_document() -> None:
    document = (PROJECT / "docs/stock.md").read_text(encoding="utf-8")
    metrics = {*map(str, BOARD_METRICS)}
    assert [name for name in COLUMNS if name not in metrics and f"`{name}`" not in document] == []
    assert [name for name in metrics if f"`{name}`" not in document] == []


def test_an_episode_is_shown_with_its_steps_and_all_that_stands_on_its_blackboard() -> None:
    text = "\n".join(board_lines(episode()))
    for words in (
        "step 2        GENERATE_RECOMMENDATION (refused:",
        "news          lacking: news_count",
        "last 125.20, rsi 71.5 on 12 Jun 2024",
        "trend (up, 60 %): It rose: 71.5.",
        "stretch (down, 20 %): It is high: NVDA:sma_200.",
        "buy, confidence 42 %, 55 % likely to be higher in 4 weeks",
        "+0.43 (forward move +2.10 %)",
    ):
        assert words in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_list_says_what_was_recommended_and_what_came_of_it_or_when_that_is_due() -> None:
    waiting = episode(ACTIONS[:5]).model_copy(
        update={"open": True, "outcome": None, "waits_for": AS_OF + timedelta(weeks=4)}
    )
    lines = list(table_lines([episode(), waiting]))
    assert lines[1].split() == ["NVDA", "2024-06-12", "4", "buy", "42", "%", "+0.43", "–"]
    assert lines[3].split() == ["NVDA", "2024-06-12", "4", "buy", "42", "%", "–", "2024-07-10"]
    assert lines[2].strip() == "stock-NVDA-0123456789ab"


def test_an_advice_below_the_confidence_that_is_set_is_a_lean_in_the_list_too() -> None:
    found = episode()
    limits = found.request.policy.thresholds.model_copy(update={"recommended": 0.5})
    policy = found.request.policy.model_copy(update={"thresholds": limits})
    request = found.request.model_copy(update={"policy": policy})
    below = found.model_copy(update={"request": request})
    assert "leans to buy" in list(table_lines([below]))[1]
    text = "\n".join(board_lines(below))
    assert "leans to buy, confidence 42 %" in text
