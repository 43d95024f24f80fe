"""Calls one of the desk's tools, the way its agents do."""

import asyncio
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from temporalio.client import Client

from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult
from desk.contracts.names import Queue, WorkflowType
from starters.runs.following import check_server, until_closed
from starters.session import say
from starters.terminal.waits import reported_wait

LONGEST: Final = timedelta(minutes=1)
"""If the desk's process has just started on a busy machine, an answer can take half of this."""

LOOK_SECONDS: Final = 1.0
"""How often the server is asked whether it is still there."""


async def called_tool(client: Client, call: ToolCall, as_of: datetime, about: str) -> ToolResult:
    """Has a worker call a tool, and returns its result. Says so if that takes a while.

    The SDK waits without end for the result of a workflow if the server goes away.

    Args:
        client: Of the server.
        call: The call.
        as_of: The instant that the tool answers for.
        about: What the call finds out, in a few words: its summary in the Temporal UI.

    Raises:
        WorkflowFailureError: the call failed, or no worker made it within a minute.
        ServerUnreachable, RPCError: the server went away.
    """
    handle = await client.start_workflow(
        WorkflowType.TOOL_CALL,
        ToolRequest(call=call, as_of=as_of),
        id=f"look-{uuid4().hex[:12]}",
        task_queue=Queue.DESK,
        result_type=ToolResult,
        execution_timeout=LONGEST,
        static_summary=about,
    )
    most = f"at most {LONGEST.total_seconds():.0f} s; `desk doctor` says what is missing"
    what = f"a worker to say {about[0].lower()}{about[1:]}, {most}"
    with reported_wait(what, lambda text: say(f"desk: {text}")):
        async with until_closed(handle) as closed:
            while not closed.done():
                await asyncio.wait({closed}, timeout=LOOK_SECONDS)
                if not closed.done():
                    await check_server(client)
            result: ToolResult = closed.result()
    return result
