"""What `desk episodes export` does."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from temporalio.client import Client

from desk.platform.settings import load_settings
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, say, with_desk
from starters.endings import ExitStatus
from starters.episodes_look import UnreadableEpisode, finished_episodes, look_in_batches
from starters.episodes_parquet import Rows, check_parquet, write_parquet
from starters.episodes_rows import rows_of
from starters.interrupts import interruptible
from starters.stock_choice import read_symbol

BATCH: Final = 64
"""Episodes whose trajectories are in memory at once, and that make a row group."""


def export_episodes(out: Path, *, symbol: str | None) -> ExitStatus:
    """Write what every finished episode did to a Parquet file.

    The exit status says whether a history could not be read; those are told, and left out.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    wanted = read_symbol(symbol) if symbol is not None else None
    place = out.expanduser().resolve()
    check_parquet(place)
    settings = load_settings()
    log_to_file(settings)
    reading = _Reading(wanted)

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


class _Reading:
    """The finished episodes of one export, and what could not be read of them."""

    def __init__(self, symbol: str | None) -> None:
        self._symbol = symbol
        self.forget()

    def forget(self) -> None:
        """Begin anew, as where the server went away in the middle."""
        self.episodes = 0
        self.unreadable: list[str] = []

    async def batches(self, client: Client) -> AsyncIterator[Rows]:
        """Their rows, in the order in which they ended."""
        async for batch in look_in_batches(client, await finished_episodes(client), BATCH):
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
