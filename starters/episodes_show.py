"""What `desk episodes list` and `desk episodes show` do."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from temporalio.client import Client, WorkflowExecution

from desk.contracts.names import Queue
from desk.platform.settings import load_settings
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, require_workers, say, with_desk
from starters.endings import CommandError, ExitStatus, UsageError
from starters.episodes_look import (
    ListedEpisode,
    UnreadableEpisode,
    look_at,
    newest_episodes,
)
from starters.episodes_table import board_lines, table_lines
from starters.interrupts import interruptible
from starters.stock_choice import read_symbol

NONE = "no episodes; `desk stock` researches a stock and makes one"

BATCH: Final = 8
"""Episodes that are read at once."""

Found = TypeVar("Found")
Work = Callable[[Desk], Awaitable[Found]]


class Listing(NamedTuple):
    """The newest episodes, those that could not be read, and whether `more` were left unread."""

    found: tuple[ListedEpisode, ...]
    unreadable: tuple[UnreadableEpisode, ...]
    more: bool


def list_episodes(*, symbol: str | None, limit: int, as_json: bool) -> ExitStatus:
    """Print the newest episodes that the server keeps, those of one stock alone where asked.

    The exit status says whether a history could not be read; those are told, and left out.

    Raises:
        UsageError: that is no symbol.
    """
    wanted = read_symbol(symbol) if symbol is not None else None

    async def work(desk: Desk) -> Listing:
        return await newest_listed(desk.client, wanted, limit)

    listing = _told(work)
    if as_json:
        text = "[" + ",\n".join(each.model_dump_json(indent=2) for each in listing.found) + "]"
    else:
        none = NONE if wanted is None else f"no episodes of {wanted}"
        text = "\n".join(table_lines(listing.found)) or none
    sys.stdout.write(f"{text}\n")
    for each in listing.unreadable:
        say(f"desk: {each.why}")
    if listing.more:
        say(f"desk: these are the newest {limit}; `--limit N` looks further back")
    return ExitStatus.INCOMPLETE if listing.unreadable else ExitStatus.COMPLETE


async def newest_listed(client: Client, symbol: str | None, limit: int) -> Listing:
    """The newest episodes, `limit` at most; older ones are not read.

    Raises:
        RPCError: the server went away.
    """
    runs = await newest_episodes(client, symbol)
    found: list[ListedEpisode] = []
    unreadable: list[UnreadableEpisode] = []
    read = 0
    while read < len(runs) and len(found) < limit:
        batch = runs[read : read + min(BATCH, limit - len(found))]
        read += len(batch)
        for each in await look_at(client, batch):
            if isinstance(each, UnreadableEpisode):
                unreadable.append(each)
            elif symbol in (None, each.request.symbol):
                found.append(each)
    return Listing(tuple(found), tuple(unreadable), more=read < len(runs))


def show_episode(written: str, *, as_json: bool) -> ExitStatus:
    """Print one episode with its blackboard as it stands.

    Raises:
        UsageError: none has that id, or more than one begins with it.
        CommandError: its history cannot be read.
    """

    async def work(desk: Desk) -> list[ListedEpisode | UnreadableEpisode]:
        return await look_at(
            desk.client, [episode_named(await newest_episodes(desk.client), written)]
        )

    found = _told(work)
    if not found:
        raise UsageError(f"no episode '{written}'; `desk episodes list` lists them")
    (episode,) = found
    if isinstance(episode, UnreadableEpisode):
        raise CommandError(episode.why)
    text = episode.model_dump_json(indent=2) if as_json else "\n".join(board_lines(episode))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def episode_named(runs: Sequence[WorkflowExecution], written: str) -> WorkflowExecution:
    """The episode whose id is, or alone begins with, what the user wrote.

    Raises:
        UsageError: there is none, or more than one.
    """
    wanted = written.strip()
    exact = [run for run in runs if run.id == wanted]
    matching = exact or [run for run in runs if wanted and run.id.startswith(wanted)]
    if not matching:
        raise UsageError(f"no episode '{written}'; `desk episodes list` lists them")
    if len(matching) > 1:
        ids = ", ".join(run.id for run in matching[:4])
        raise UsageError(
            f"{len(matching)} episodes begin with '{written}': {ids}; write more of it"
        )
    return matching[0]


def _told(work: Work[Found]) -> Found:
    settings = load_settings()
    log_to_file(settings)

    async def asked(desk: Desk) -> Found:
        if not desk.hosting:
            # Workers answer for the open ones; without them there is nobody to ask.
            await require_workers(desk, Queue.DESK)
        return await work(desk)

    return interruptible(with_desk(settings, asked))
