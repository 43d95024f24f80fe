"""What `desk messages` does."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from desk.contracts.agents.messages import AgentMessage, MessageType
from desk.platform.settings import load_settings
from desk.runs.messages import chosen
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, with_desk
from starters.endings import ExitStatus, UsageError
from starters.interrupts import interruptible
from starters.messages_history import entries_of
from starters.messages_lines import lines_of
from starters.run_named import run_named, week_in


def show_messages(run: str, *, market: str | None, kind: str | None, as_json: bool) -> ExitStatus:
    """Print a run's history as its messages; as JSON one a line.

    Raises:
        UsageError: the week or the type is none, or the run has no such market.
        CommandError: there is no such run, or its history cannot be read.
    """
    settings = load_settings()
    week = week_in(run)
    wanted = type_in(kind) if kind is not None else None
    log_to_file(settings)

    async def work(desk: Desk) -> Sequence[AgentMessage]:
        found = await run_named(desk.client, run.strip(), week)
        return chosen(await entries_of(found, market, datetime.now(UTC)), kind=wanted)

    messages = interruptible(with_desk(settings, work, server_only=True))
    lines = (message.model_dump_json() for message in messages) if as_json else lines_of(messages)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return ExitStatus.COMPLETE


def type_in(written: str) -> MessageType:
    """The type of message that was meant; `heart-beat` and `Heartbeat` are `heartbeat`.

    Raises:
        UsageError: there is no such type; the message has all of them.
    """
    for kind in MessageType:
        if _key(kind) == _key(written):
            return kind
    raise UsageError(f"no type '{written.strip()}'; types: {', '.join(MessageType)}")


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "").replace("-", "")
