"""One connection to an MCP server, owned by one task from opening to closing.

The task that opened an MCP client must also close it, and a transport error cancels that task
(measured with the `mcp` package). An owner task keeps both away from the activities that make the
calls. A broken connection is retired, and the next call opens a new one.
"""

import asyncio
import contextvars
import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mcp import Client, MCPError
from mcp.server import MCPServer
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, REQUEST_TIMEOUT, CallToolResult

from desk.contracts.names import CallFault
from desk.platform.mcp.answers import offered_tools, tools_without_as_of
from desk.platform.mcp.transports.http import HttpAnswer, ResponseOutcome, recording_responses
from desk.platform.mcp.transports.stdio import TOO_LARGE
from desk.platform.mcp.transports.targets import Target

OPENING_TIMEOUT_SECONDS = 15.0
CLOSING_TIMEOUT_SECONDS = 8.0
"""More than the client takes to kill a process that does not exit by itself (6.5 s)."""

FAULTS = {
    REQUEST_TIMEOUT: CallFault.TIMEOUT,
    CONNECTION_CLOSED: CallFault.RESET,
    PARSE_ERROR: CallFault.MALFORMED,
    TOO_LARGE: CallFault.TOO_LARGE,
}
"""What the client's own error codes mean. A server that uses one of these codes for an error of its
own is treated in the same way."""

LOG = logging.getLogger(__name__)


class ConnectionFailed(Exception):
    """The server could not be reached, or the connection was lost: `fault` says how. `answered` is
    the HTTP status of its refusal, if there was one."""

    def __init__(
        self,
        words: str,
        answered: HttpAnswer | None = None,
        fault: CallFault = CallFault.UNREACHABLE,
    ) -> None:
        super().__init__(words)
        self.answered = answered
        self.fault = fault


class McpConnection:
    """A live client, from `open` until `close`."""

    def __init__(self, name: str, target: Target) -> None:
        loop = asyncio.get_running_loop()
        self._name = name
        self._target = target
        self._stop = asyncio.Event()
        self._calls = 0
        self._without_as_of: frozenset[str] = frozenset()
        self._heard = ResponseOutcome()
        self._may_close = asyncio.Event()
        self._may_close.set()
        self._ready: asyncio.Future[Client] = loop.create_future()
        # An own context: background tasks of the client must not inherit the activity that
        # happened to open it.
        self._owner = loop.create_task(
            self._own(), name=f"mcp-{name}", context=contextvars.Context()
        )
        late = loop.call_later(
            OPENING_TIMEOUT_SECONDS, self._give_up, "did not answer in time", CallFault.UNREACHABLE
        )
        self._ready.add_done_callback(lambda _: late.cancel())

    async def client(self) -> Client:
        """Returns the client, once connected.

        Raises:
            ConnectionFailed: it could not be opened in time.
        """
        return await asyncio.shield(self._ready)

    def ignores_as_of(self, tool: str) -> bool:
        """Whether a listed tool takes no `as_of` argument."""
        return tool in self._without_as_of

    @property
    def alive(self) -> bool:
        """Whether the connection is open and is not being closed."""
        return not self._owner.done() and not self._stop.is_set()

    @property
    def ready(self) -> bool:
        """Whether opening has finished, successfully or not."""
        return self._ready.done()

    @property
    def heard(self) -> ResponseOutcome:
        """What was recorded of the responses that belong to no call."""
        return self._heard

    @contextmanager
    def call_in_flight(self) -> Iterator[None]:
        """Marks a call as in flight. `drain` waits until there is none."""
        self._calls += 1
        self._may_close.clear()
        try:
            yield
        finally:
            self._calls -= 1
            if self._calls == 0:
                self._may_close.set()

    async def drain(self, at_most_seconds: float) -> None:
        """Closes once the calls in flight have ended, or after the given time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                await self._may_close.wait()
        await self.close()

    async def close(self) -> None:
        """Closes the connection in any state, and waits a bounded time for its owner task."""
        self._stop.set()
        self._may_close.set()
        self._give_up("was closed while it was being opened")
        _, pending = await asyncio.wait([self._owner], timeout=CLOSING_TIMEOUT_SECONDS)
        if pending:
            LOG.warning("MCP server %s does not close and is left behind", self._name)
            self._owner.cancel()

    def _give_up(self, reason: str, fault: CallFault = CallFault.UNREACHABLE) -> None:
        """Aborts an opening in progress.

        The owner is cancelled only once: a second cancellation would interrupt the client while it
        kills the server's process.
        """
        if self._ready.done():
            return
        self._stop.set()
        self._fail(reason, fault)
        self._owner.cancel()

    def _fail(self, reason: str, fault: CallFault, answered: HttpAnswer | None = None) -> None:
        words = f"MCP server {self._name} {reason}"
        self._ready.set_exception(ConnectionFailed(words, answered, fault))
        # There may be no waiter left; retrieving the exception here avoids a warning in the log.
        self._ready.exception()

    async def _own(self) -> None:
        with recording_responses() as seen:
            self._heard = seen
            try:
                async with Client(self._target) as client:
                    # The client validates results with this listing, so it comes first.
                    await client.list_tools()
                    self._without_as_of = tools_without_as_of(await offered_tools(client))
                    if isinstance(self._target, MCPServer):
                        client.session.validate_tool_result = _already_validated  # type: ignore[method-assign]
                    if not self._ready.done():
                        self._ready.set_result(client)
                    await self._stop.wait()
            except (Exception, asyncio.CancelledError) as error:
                if not self._ready.done():
                    # The client's own error for a status is empty or contains the whole address.
                    root = _root(error)
                    reason = str(seen.words or seen.answer or root) or type(root).__name__
                    self._fail(
                        f"cannot be opened: {reason}", seen.fault or _fault_of(root), seen.answer
                    )


async def _already_validated(name: str, result: CallToolResult) -> None:
    """Skips validation for a server in this process, which has validated its answer with the model
    that the tool's schema is generated from. Validating it again takes a quarter of a call's
    time."""


def _root(error: BaseException) -> BaseException:
    """The first real error inside the exception groups of task groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _fault_of(error: BaseException) -> CallFault:
    known = FAULTS.get(error.code) if isinstance(error, MCPError) else None
    return known or CallFault.UNREACHABLE
