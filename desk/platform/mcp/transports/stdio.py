"""MCP over stdio: runs a server's process, and does not read lines that are too long.

The MCP client buffers a line until it ends, however long it is, and leaves a call waiting whose
answer cannot be read. Here such a call fails at once, and concurrent calls go on.
"""

import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Final, NamedTuple, TypeVar

import anyio
from anyio.abc import AsyncResource, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import StdioServerParameters
from mcp.client import Transport as Connectable
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)

LONG_LINE_EXCERPT: Final = 4_096
"""Bytes that are kept of the beginning and of the end of a line that is too long."""

_ID: Final = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION: Final = rb'"jsonrpc"\s*:\s*"2\.0"'
_AT_THE_BEGINNING: Final = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID)
_AT_THE_END: Final = re.compile(_ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*$")


class LongLine(NamedTuple):
    """A line that is too long: its beginning, its end, and its size in bytes."""

    beginning: bytes
    end: bytes
    size: int


class Lines:
    """Splits chunks into lines. Keeps only a `LongLine` of a line with more than `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._chunks: list[bytes] = []
        self._size = 0
        self._long: LongLine | None = None

    def of(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """Yields the lines that a further chunk completes."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._taken()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._long is not None:
            end = (self._long.end + piece)[-LONG_LINE_EXCERPT:]
            self._long = self._long._replace(end=end, size=self._size)
        elif self._size > self._most:
            line = b"".join([*self._chunks, piece])
            self._long = LongLine(line[:LONG_LINE_EXCERPT], line[-LONG_LINE_EXCERPT:], self._size)
            self._chunks.clear()
        else:
            self._chunks.append(piece)

    def _taken(self) -> bytes | LongLine:
        line = self._long or b"".join(self._chunks)
        self._chunks, self._size, self._long = [], 0, None
        return line


def request_of(line: bytes | LongLine) -> RequestId | None:
    """The id of the request that a line answers, if it is at the beginning or at the end, where
    servers write it. Ids that an answer quotes in between are ignored."""
    beginning, end = (line, line) if isinstance(line, bytes) else (line.beginning, line.end)
    found = _AT_THE_BEGINNING.match(beginning) or _AT_THE_END.search(end[-LONG_LINE_EXCERPT:])
    if found is None:
        return None
    try:
        named: RequestId = json.loads(found.group(1))
    except ValueError:
        return None
    return named


TOO_LARGE: Final = -32_470
"""The error code that replaces an answer with too many bytes."""

FLUSH_SECONDS: Final = 0.5
EXIT_SECONDS: Final = 2.0
TERMINATION_SECONDS: Final = 2.0
KILL_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.01

LOG = logging.getLogger(__name__)

_Stream = TypeVar("_Stream", bound=AsyncResource)

Incoming = SessionMessage | Exception


def stdio_target(server: StdioServerParameters, most_bytes: int) -> Connectable:
    """The way to a server that runs as a process. Entering it starts the process, leaving it ends
    it."""
    return _process(server, most_bytes)


@asynccontextmanager
async def _process(
    server: StdioServerParameters, most_bytes: int
) -> AsyncIterator[
    tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]
]:
    try:
        process = await anyio.open_process(
            [server.command, *server.args],
            env=get_default_environment() | (server.env or {}),
            stderr=None,
            cwd=server.cwd,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise FileNotFoundError(_what_is_missing(server, error)) from None
    # Await nothing before the process has an owner: a cancellation would leave it running.
    conversation = _Conversation(server.command, process, most_bytes)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(conversation.read_output)
        tasks.start_soon(conversation.write_input)
        try:
            yield conversation.incoming, conversation.outgoing
        finally:
            with anyio.CancelScope(shield=True):
                await conversation.end()
            tasks.cancel_scope.cancel()


def _what_is_missing(server: StdioServerParameters, error: FileNotFoundError) -> str:
    if server.cwd is not None and str(error.filename) == str(server.cwd):
        return f"its folder '{server.cwd}' is not there; make it or correct .mcp.json"
    return f"its command '{server.command}' is not there; install it or correct .mcp.json"


class _Conversation:
    """The messages between a process and the session."""

    def __init__(self, command: str, process: Process, most_bytes: int) -> None:
        self._command = command
        self._process = process
        self._stdin, self._stdout = _piped(process.stdin), _piped(process.stdout)
        self._most_bytes = most_bytes
        self._pending: set[RequestId] = set()
        self._warned = False
        self._sent_all = anyio.Event()
        self._incoming_writer, self.incoming = anyio.create_memory_object_stream[Incoming](0)
        self.outgoing, self._outgoing_reader = anyio.create_memory_object_stream[SessionMessage](0)

    async def read_output(self) -> None:
        """Forwards the process's output to the session, until it ends."""
        lines = Lines(self._most_bytes)
        try:
            async with self._incoming_writer:
                try:
                    async for chunk in self._stdout:
                        for line in lines.of(chunk):
                            for message in self._messages(line):
                                await self._incoming_writer.send(SessionMessage(message))
                finally:
                    await self._drain()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            # Either end is closed, which the session notices by itself.
            return

    async def write_input(self) -> None:
        """Writes the session's messages to the process."""
        try:
            async with self._outgoing_reader:
                async for sent in self._outgoing_reader:
                    self._note(sent.message)
                    line = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await self._stdin.send(line.encode() + b"\n")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            # The session must be told, or its requests would hang.
            await self._incoming_writer.aclose()
        finally:
            self._sent_all.set()

    async def end(self) -> None:
        """Closes the input, waits, then kills the process and all that it has started. Every wait
        is bounded."""
        self.incoming.close()
        self.outgoing.close()
        with anyio.move_on_after(FLUSH_SECONDS):
            await self._sent_all.wait()
        await self._stop()
        for stream in (self.incoming, self.outgoing, self._incoming_writer, self._outgoing_reader):
            await stream.aclose()
        await anyio.lowlevel.checkpoint()

    def _note(self, message: JSONRPCMessage) -> None:
        """Records which requests wait for an answer."""
        if isinstance(message, JSONRPCRequest):
            self._pending.add(message.id)
        elif isinstance(message, JSONRPCNotification):
            self._pending.discard((message.params or {}).get("requestId", 0))

    def _messages(self, line: bytes | LongLine) -> Iterator[JSONRPCMessage]:
        """Yields the message in a line, or an error in place of an unreadable answer."""
        if isinstance(line, LongLine):
            words = f"the answer has {line.size} bytes, and {self._most_bytes} are read"
            yield from self._failed(line, ErrorData(code=TOO_LARGE, message=words))
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            yield from self._unreadable(line)
            return
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._pending.discard(message.id)
        yield message

    def _unreadable(self, line: bytes) -> Iterator[JSONRPCMessage]:
        """Fails the request of a damaged answer. Skips other lines, because many servers print
        lines of their own between messages."""
        if b'"jsonrpc"' in line:
            yield from self._failed(line, ErrorData(code=PARSE_ERROR, message="it is no JSON"))
        elif line.strip() and not self._warned:
            self._warned = True
            LOG.warning("%s writes lines that are no messages; they are passed over", self._command)

    def _failed(self, line: bytes | LongLine, error: ErrorData) -> Iterator[JSONRPCMessage]:
        """Yields the error for the request that the line answers, or for all waiting requests if
        the line does not say which."""
        named = request_of(line)
        for request in [named] if named in self._pending else list(self._pending):
            self._pending.discard(request)
            yield JSONRPCError(jsonrpc="2.0", id=request, error=error)

    async def _drain(self) -> None:
        """Reads the rest of the output, because a process that is blocked in writing could not
        exit."""
        ended = (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)
        with anyio.CancelScope(shield=True), suppress(*ended):
            while True:
                await self._stdout.receive()

    async def _stop(self) -> None:
        await _closed(self._stdin)
        if not await self._has_ended(EXIT_SECONDS):
            await terminate_posix_process_tree(self._process, TERMINATION_SECONDS)
            if not await self._has_ended(KILL_SECONDS):
                LOG.warning("process %d of an MCP server survives its end", self._process.pid)
        await _closed(self._stdout)

    async def _has_ended(self, within: float) -> bool:
        """Whether the process exits in time. Looks at its exit status, because waiting for the
        process would also wait for its pipes, which other processes may hold."""
        with anyio.move_on_after(within):
            while self._process.returncode is None:  # noqa: ASYNC110
                await anyio.sleep(_LOOK_SECONDS)
        return self._process.returncode is not None


def _piped(stream: _Stream | None) -> _Stream:
    if stream is None:
        raise OSError("the process has no pipe")
    return stream


async def _closed(stream: AsyncResource) -> None:
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await stream.aclose()
