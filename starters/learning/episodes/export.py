"""The implementation of `desk episodes export`: an episode as rows of a Parquet file."""

import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from temporalio.client import Client

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import MeasuredFigure
from desk.contracts.episode.stock import Blackboard, EpisodeStep
from desk.contracts.findings.claims import Metric
from desk.documents.publishing.files import publish_folder, published
from desk.platform.settings import load_settings
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS
from desk.programs.episode.recommendation import balance
from starters.learning.episodes.listing import (
    ListedEpisode,
    UnreadableEpisode,
    finished_episodes,
    list_in_batches,
)
from starters.questions.stock.choice import read_symbol
from starters.session import Desk, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file

SCHEMA_VERSION: Final = "1"
"""The version of the columns. It changes when a column changes its meaning or is removed."""

BOARD_METRICS: Final[tuple[Metric, ...]] = tuple(
    metric for action in DATA for metric in PART_METRICS[action]
)
"""The figures of the five parts with data, one column each."""

OF_EPISODE: Final = "episode_"
"""The prefix of columns that are only known at the end of an episode."""

Cell = object
"""A value in a column: text, number, truth value, instant or names; None if missing."""


class ColumnKind(StrEnum):
    """The type of a column."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole number"
    TRUTH = "yes or no"
    INSTANT = "instant"
    NAMES = "names"


COLUMNS: Final[Mapping[str, ColumnKind]] = {
    "workflow_id": ColumnKind.TEXT,
    "run_id": ColumnKind.TEXT,
    "symbol": ColumnKind.TEXT,
    "as_of": ColumnKind.INSTANT,
    "weeks": ColumnKind.WHOLE,
    "cost": ColumnKind.NUMBER,
    "given_steps": ColumnKind.TRUTH,
    "step": ColumnKind.WHOLE,
    "action": ColumnKind.TEXT,
    "reason": ColumnKind.TEXT,
    "refused": ColumnKind.TEXT,
    "reward": ColumnKind.NUMBER,
    "charge": ColumnKind.NUMBER,
    "terminated": ColumnKind.TRUTH,
    "truncated": ColumnKind.TRUTH,
    "started_at": ColumnKind.INSTANT,
    "ended_at": ColumnKind.INSTANT,
    "taken": ColumnKind.NAMES,
    **{str(metric): ColumnKind.NUMBER for metric in BOARD_METRICS},
    "insights": ColumnKind.WHOLE,
    "insight_balance": ColumnKind.NUMBER,
    "recommendation": ColumnKind.TEXT,
    "confidence": ColumnKind.NUMBER,
    "probability": ColumnKind.NUMBER,
    "generated": ColumnKind.TEXT,
    f"{OF_EPISODE}outcome": ColumnKind.TEXT,
    f"{OF_EPISODE}recommendation": ColumnKind.TEXT,
    **{f"{OF_EPISODE}{metric}": ColumnKind.NUMBER for metric in EVALUATION_METRICS},
}


def rows_of(episode: ListedEpisode) -> Iterator[dict[str, Cell]]:
    """Yields a row for each step of a finished episode, by `COLUMNS`."""
    if episode.board is None:
        return
    shared = _shared(episode)
    ended = _of_episode(episode, episode.board)
    last = len(episode.steps)
    before = Blackboard(symbol=episode.board.symbol, as_of=episode.as_of, weeks=episode.board.weeks)
    for step in episode.steps:
        yield {**shared, **_step(step, last), **_board(before), **ended}
        before = step.board


def _shared(episode: ListedEpisode) -> dict[str, Cell]:
    request = episode.request
    return {
        "workflow_id": episode.workflow_id,
        "run_id": episode.run_id,
        "symbol": request.symbol,
        "as_of": episode.as_of,
        "weeks": request.weeks,
        "cost": float(request.cost),
        "given_steps": bool(request.steps),
    }


def _step(step: EpisodeStep, last: int) -> dict[str, Cell]:
    evaluated = step.board.evaluation is not None
    return {
        "step": step.number,
        "action": str(step.action),
        "reason": step.reason,
        "refused": step.refused,
        "reward": float(step.reward),
        "charge": float(step.charge),
        # Given steps after the evaluation are refused, and do not terminate again.
        "terminated": evaluated and step.refused is None,
        "truncated": step.number == last and not evaluated,
        "started_at": step.started_at,
        "ended_at": step.ended_at,
    }


def _board(board: Blackboard) -> dict[str, Cell]:
    said = board.recommendation
    return {
        "taken": [str(action) for action in board.taken],
        **dict.fromkeys(map(str, BOARD_METRICS)),
        **{name: value for action in DATA for name, value in _part(board, action)},
        "insights": len(board.insights),
        "insight_balance": balance(board.insights),
        "recommendation": str(said) if said else None,
        "confidence": board.confidence if said else None,
        "probability": board.probability,
        "generated": board.generated,
    }


def _part(board: Blackboard, action: StockAction) -> Iterator[tuple[str, float]]:
    part = getattr(board, PART_FIELDS[action])
    for figure in part.figures if part is not None else ():
        yield _named(figure)


def _of_episode(episode: ListedEpisode, board: Blackboard) -> dict[str, Cell]:
    evaluation = board.evaluation
    figures = evaluation.figures if evaluation else ()
    return {
        **{f"{OF_EPISODE}{metric}": None for metric in EVALUATION_METRICS},
        **{f"{OF_EPISODE}{name}": value for name, value in map(_named, figures)},
        f"{OF_EPISODE}outcome": str(episode.outcome) if episode.outcome else None,
        f"{OF_EPISODE}recommendation": str(board.recommendation) if board.recommendation else None,
    }


def _named(figure: MeasuredFigure) -> tuple[str, float]:
    return str(figure.metric), float(Decimal(figure.value))


METADATA: Final[Mapping[str, str]] = {
    "research_desk.table": "episode_steps",
    "research_desk.schema_version": SCHEMA_VERSION,
}

Rows = Sequence[Mapping[str, Cell]]


def check_parquet(place: Path) -> None:
    """Checks that a table can be written to a path, before anything is read.

    Raises:
        CommandError: pyarrow is not installed.
        UsageError: the path is not writable.
    """
    _pyarrow()
    if place.is_dir():
        raise UsageError(f"--out {place} is a directory; name a file, such as episodes.parquet")
    try:
        publish_folder(place.parent)
    except OSError as error:
        raise UsageError(f"--out {place}: {error.strerror}; name another file") from None
    if not os.access(place.parent, os.W_OK):
        raise UsageError(f"--out {place.parent} is not writable; name another folder")


async def write_parquet(place: Path, batches: AsyncIterator[Rows]) -> int:
    """Writes batches of rows by `COLUMNS`, each as a row group. Returns the number of rows.

    A reader sees either the earlier file or all of the new one.

    Raises:
        CommandError: it could not be written, or pyarrow is not installed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    waiting = place.with_name(f".{place.name}.{os.getpid()}.new")
    count = 0
    try:
        with pq.ParquetWriter(waiting, schema, compression="zstd") as writer:
            async for rows in batches:
                if rows:
                    writer.write_table(pa.Table.from_pylist(list(rows), schema=schema))
                    count += len(rows)
        published(waiting)
        waiting.replace(place)
    except OSError as error:
        raise CommandError(f"{place} could not be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
    return count


def _schema() -> Any:
    pa = _pyarrow()
    types = {
        ColumnKind.TEXT: pa.string(),
        ColumnKind.NUMBER: pa.float64(),
        ColumnKind.WHOLE: pa.int32(),
        ColumnKind.TRUTH: pa.bool_(),
        ColumnKind.INSTANT: pa.timestamp("us", tz="UTC"),
        ColumnKind.NAMES: pa.list_(pa.string()),
    }
    fields = [(name, types[kind]) for name, kind in COLUMNS.items()]
    return pa.schema(fields, metadata=dict(METADATA))


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise CommandError(
            "Parquet is written by pyarrow, which is not installed: run"
            f" {install_words(Extra.EPISODES)}"
        ) from None
    return pyarrow


BATCH: Final = 64
"""The number of episodes whose trajectories are in memory at once, and that make a row group."""


def export_episodes(out: Path, *, symbol: str | None) -> ExitStatus:
    """Writes the steps of every finished episode to a Parquet file.

    Unreadable histories are reported and omitted; the exit status then says so.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    wanted = read_symbol(symbol) if symbol is not None else None
    place = out.expanduser().resolve()
    check_parquet(place)
    settings = load_settings()
    log_to_file(settings)
    reading = _EpisodeExport(wanted)

    async def work(desk: Desk) -> int:
        reading.forget()
        return await write_parquet(place, reading.batches(desk.client))

    rows = interruptible(with_desk(settings, work, server_only=True))
    for words in reading.unreadable:
        say(f"desk: {words}")
    sys.stdout.write(
        f"{place}: {_counted(reading.episodes, 'episode')}, {_counted(rows, 'step')}\n"
    )
    return ExitStatus.INCOMPLETE if reading.unreadable else ExitStatus.COMPLETE


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


class _EpisodeExport:
    """The finished episodes of one export, and which of them could not be read."""

    def __init__(self, symbol: str | None) -> None:
        self._symbol = symbol
        self.forget()

    def forget(self) -> None:
        """Starts over, such as after the server went away."""
        self.episodes = 0
        self.unreadable: list[str] = []

    async def batches(self, client: Client) -> AsyncIterator[Rows]:
        """Yields their rows, in the order in which they ended."""
        async for batch in list_in_batches(client, await finished_episodes(client), BATCH):
            rows = []
            for episode in batch:
                if isinstance(episode, UnreadableEpisode):
                    self.unreadable.append(episode.why)
                    continue
                if self._symbol not in (None, episode.request.symbol):
                    continue
                if episode.board is None:
                    self.unreadable.append(f"{episode.workflow_id}: {episode.note}")
                    continue
                self.episodes += 1
                rows += list(rows_of(episode))
            yield rows
