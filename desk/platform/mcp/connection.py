"""One connection to an MCP server, owned from opening to closing by one task.

The MCP client must be closed by the task that opened it, and a transport error cancels that task
(notes of the `mcp` package, measured). An owner task keeps both away from the activities that
make the calls; a connection that broke is retired and the next call opens a new one.
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
from desk.platform.mcp.answers import offered_tools, timeless
from desk.platform.mcp.transports.http import HttpAnswer, Seen, watching
from desk.platform.mcp.transports.stdio import TOO_LARGE
from desk.platform.mcp.transports.targets import Target

OPENING_TIMEOUT_SECONDS = 15.0
CLOSING_TIMEOUT_SECONDS = 8.0
"""More than the client takes to end a process that does not go by itself (6.5 s)."""

FAULTS = {
    REQUEST_TIMEOUT: CallFault.TIMEOUT,
    CONNECTION_CLOSED: CallFault.RESET,
    PARSE_ERROR: CallFault.MALFORMED,
    TOO_LARGE: CallFault.TOO_LARGE,
}
"""What the codes of the client's own errors say. A server that uses one of them for an error of its
own says as much of itself."""

LOG = logging.getLogger(__name__)


class ConnectionFailed(Exception):
    """The server could not be reached, or went away: `fault` says in which way. `answered` is the
    HTTP status of its refusal, if there was one."""

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
        self._timeless: frozenset[str] = frozenset()
        self._heard = Seen()
        self._may_close = asyncio.Event()
        self._may_close.set()
        self._ready: asyncio.Future[Client] = loop.create_future()
        # A context of its own: background tasks of the client must not inherit the activity
        # that happened to open it.
        self._owner = loop.create_task(
            self._own(), name=f"mcp-{name}", context=contextvars.Context()
        )
        late = loop.call_later(
            OPENING_TIMEOUT_SECONDS, self._give_up, "did not answer in time", CallFault.UNREACHABLE
        )
        self._ready.add_done_callback(lambda _: late.cancel())

    async def client(self) -> Client:
        """The client, once connected.

        Raises:
            ConnectionFailed: it could not be opened in time.
        """
        return await asyncio.shield(self._ready)

    def is_timeless(self, tool: str) -> bool:
        """Whether a tool that the server listed takes no instant to answer for."""
        return tool in self._timeless

    @property
    def alive(self) -> bool:
        """Whether the owner still holds the connection and has not been told to end it."""
        return not self._owner.done() and not self._stop.is_set()

    @property
    def ready(self) -> bool:
        """Whether opening has ended, well or not."""
        return self._ready.done()

    @property
    def heard(self) -> Seen:
        """What the responses came to that belong to no call."""
        return self._heard

    @contextmanager
    def call_under_way(self) -> Iterator[None]:
        """Marks a call as in progress; `drain` waits until no call is."""
        self._calls += 1
        self._may_close.clear()
        try:
            yield
        finally:
            self._calls -= 1
            if self._calls == 0:
                self._may_close.set()

    async def drain(self, at_most_seconds: float) -> None:
        """Close once the calls under way have ended, or after the time given."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_seconds):
                await self._may_close.wait()
        await self.close()

    async def close(self) -> None:
        """Close the connection, whatever it is doing, and wait a bounded time for its owner."""
        self._stop.set()
        self._may_close.set()
        self._give_up("was closed while it was being opened")
        _, pending = await asyncio.wait([self._owner], timeout=CLOSING_TIMEOUT_SECONDS)
        if pending:
            LOG.warning("MCP server %s does not close and is left behind", self._name)
            self._owner.cancel()

    def _give_up(self, reason: str, fault: CallFault = CallFault.UNREACHABLE) -> None:
        """End an opening that is under way.

        The owner is cancelled once only: a second time would interrupt the client while it ends
        the server's process.
        """
        if self._ready.done():
            return
        self._stop.set()
        self._fail(reason, fault)
        self._owner.cancel()

    def _fail(self, reason: str, fault: CallFault, answered: HttpAnswer | None = None) -> None:
        words = f"MCP server {self._name} {reason}"
        self._ready.set_exception(ConnectionFailed(words, answered, fault))
        # Nobody may be waiting any more; retrieving it here keeps the log quiet.
        self._ready.exception()

    async def _own(self) -> None:
        with watching() as seen:
            self._heard = seen
            try:
                async with Client(self._target) as client:
                    # The client checks results by this listing; it comes before the first call.
                    await client.list_tools()
                    self._timeless = timeless(await offered_tools(client))
                    if isinstance(self._target, MCPServer):
                        client.session.validate_tool_result = _held_to_its_model  # type: ignore[method-assign]
                    if not self._ready.done():
                        self._ready.set_result(client)
                    await self._stop.wait()
            except (Exception, asyncio.CancelledError) as error:
                if not self._ready.done():
                    # What the client says of a status is either nothing or the whole address.
                    root = _root(error)
                    reason = str(seen.words or seen.answer or root) or type(root).__name__
                    self._fail(
                        f"cannot be opened: {reason}", seen.fault or _fault_of(root), seen.answer
                    )


async def _held_to_its_model(name: str, result: CallToolResult) -> None:
    """Of a server in this process: it has held its answer to the model that the tool's schema is
    made of. To check it against the schema once more takes a quarter of a call's time."""


def _root(error: BaseException) -> BaseException:
    """The first real error inside the groups in which task groups wrap it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _fault_of(error: BaseException) -> CallFault:
    told = FAULTS.get(error.code) if isinstance(error, MCPError) else None
    return told or CallFault.UNREACHABLE
