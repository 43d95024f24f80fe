"""A worker process of one role that writes down every effect: `python -m ... ROLE`.

The real workers, with a line in `EFFECT_LOG` before and after each turn and each tool call, and a
pause in between that makes it likely that a kill finds them at work.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

import workers.analysts
from activities.heartbeats import effect_key
from contracts.turns import Turn, TurnRequest
from infra.mcp_pool import McpPool
from infra.settings import load_settings
from infra.temporal import connect
from infra.tool_calling import ToolAnswer
from tests.support.homes import PROJECT
from workers.hosting import Role, hosted

PAUSE_SECONDS = float(os.environ.get("EFFECT_PAUSE", "0.1"))


def note(stage: str, key: str) -> None:
    """One line, in one write, so that lines of several processes do not mix."""
    line = json.dumps({"stage": stage, "key": key, "pid": os.getpid()}) + "\n"
    handle = os.open(os.environ["EFFECT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(handle, line.encode())
    finally:
        os.close(handle)


def read_notes(path: Path) -> list[dict[str, str]]:
    """The lines so far, oldest first."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def count_effects() -> None:
    """Put the notes around the real turns and tool calls."""
    take_turn, call = workers.analysts.analyst, McpPool.call

    async def noted_turn(request: TurnRequest) -> Turn:
        key = effect_key()
        note("started", key)
        await asyncio.sleep(PAUSE_SECONDS)
        turn = await take_turn(request)
        note("done", key)
        return turn

    async def noted_call(
        pool: McpPool,
        server: str,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        key: str,
        timeout_seconds: float,
    ) -> ToolAnswer:
        note("started", key)
        await asyncio.sleep(PAUSE_SECONDS)
        answer = await call(pool, server, tool, arguments, key=key, timeout_seconds=timeout_seconds)
        note("done", key)
        return answer

    workers.analysts.analyst = noted_turn
    McpPool.call = noted_call  # type: ignore[method-assign, assignment]


async def main(role: Role) -> None:
    """Work until killed."""
    settings = load_settings(PROJECT)
    count_effects()
    client = await connect(settings)
    async with hosted(client, settings, [role]):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Role(sys.argv[1])))
