"""MCP over stdio: a server's process, of whose lines none is read that is too long.

The MCP client keeps a line until it ends, however long it is, and leaves a call waiting whose
answer cannot be read. Here such a call is failed at once, and those beside it go on.
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

KEPT_OF_LONG: Final = 4_096
"""Bytes of the beginning and of the end of a line that is too long."""

_ID: Final = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION: Final = rb'"jsonrpc"\s*:\s*"2\.0"'
_AT_THE_BEGINNING: Final = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID)
_AT_THE_END: Final = re.compile(_ID + rb"\s*(?:,\s*" + _VERSION + rb"\s*)?\}\s*$")


class LongLine(NamedTuple):
    """A line that was not kept: how it begins, how it ends, and how many bytes it has."""

    beginning: bytes
    end: bytes
    size: int


class Lines:
    """Lines out of chunks. Of one with more than `most` bytes no more than a `LongLine` is kept."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._chunks: list[bytes] = []
        self._size = 0
        self._long: LongLine | None = None

    def of(self, chunk: bytes) -> Iterator[bytes | LongLine]:
        """The lines that a further chunk completes."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._taken()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._long is not None:
            end = (self._long.end + piece)[-KEPT_OF_LONG:]
            self._long = self._long._replace(end=end, size=self._size)
        elif self._size > self._most:
            line = b"".join([*self._chunks, piece])
            self._long = LongLine(line[:KEPT_OF_LONG], line[-KEPT_OF_LONG:], self._size)
            self._chunks.clear()
        else:
            self._chunks.append(piece)

    def _taken(self) -> bytes | LongLine:
        line = self._long or b"".join(self._chunks)
        self._chunks, self._size, self._long = [], 0, None
        return line


def request_of(line: bytes | LongLine) -> RequestId | None:
    """The id of the request that a line answers, where it stands at the beginning or at the end,
    as servers write it. What an answer quotes in between is not taken for it."""
    beginning, end = (line, line) if isinstance(line, bytes) else (line.beginning, line.end)
    found = _AT_THE_BEGINNING.match(beginning) or _AT_THE_END.search(end[-KEPT_OF_LONG:])
    if found is None:
        return None
    try:
        named: RequestId = json.loads(found.group(1))
    except ValueError:
        return None
    return named


TOO_LARGE: Final = -32_470
"""The code of the error that stands for an answer with too many bytes."""

FLUSH_SECONDS: Final = 0.5
EXIT_SECONDS: Final = 2.0
TERMINATION_SECONDS: Final = 2.0
KILL_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.01

LOG = logging.getLogger(__name__)

_Stream = TypeVar("_Stream", bound=AsyncResource)

Incoming = SessionMessage | Exception


def stdio_target(server: StdioServerParameters, most_bytes: int) -> Connectable:
    """The way to a server as a process. Whoever enters it starts the process, and ends it."""
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
    # Nothing is awaited before the process has an owner: a cancellation would leave it behind.
    conversation = _Conversation(server.command, process, most_bytes)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(conversation.hear)
        tasks.start_soon(conversation.speak)
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
    """What a process and the session say to each other."""

    def __init__(self, command: str, process: Process, most_bytes: int) -> None:
        self._command = command
        self._process = process
        self._stdin, self._stdout = _piped(process.stdin), _piped(process.stdout)
        self._most_bytes = most_bytes
        self._asked: set[RequestId] = set()
        self._talkative = False
        self._spoken = anyio.Event()
        self._heard, self.incoming = anyio.create_memory_object_stream[Incoming](0)
        self.outgoing, self._said = anyio.create_memory_object_stream[SessionMessage](0)

    async def hear(self) -> None:
        """Hand on what the process writes, until it ends."""
        lines = Lines(self._most_bytes)
        try:
            async with self._heard:
                try:
                    async for chunk in self._stdout:
                        for line in lines.of(chunk):
                            for message in self._messages(line):
                                await self._heard.send(SessionMessage(message))
                finally:
                    await self._drain()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
            # Either end is closed, which the session sees by itself.
            return

    async def speak(self) -> None:
        """Write what the session says."""
        try:
            async with self._said:
                async for said in self._said:
                    self._note(said.message)
                    line = said.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await self._stdin.send(line.encode() + b"\n")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            # The session must hear of it, or its requests would hang.
            await self._heard.aclose()
        finally:
            self._spoken.set()

    async def end(self) -> None:
        """Close the input, wait, then end the process with all that it has started. Every wait is
        bounded."""
        self.incoming.close()
        self.outgoing.close()
        with anyio.move_on_after(FLUSH_SECONDS):
            await self._spoken.wait()
        await self._stop()
        for stream in (self.incoming, self.outgoing, self._heard, self._said):
            await stream.aclose()
        await anyio.lowlevel.checkpoint()

    def _note(self, message: JSONRPCMessage) -> None:
        """Keep which requests wait for an answer."""
        if isinstance(message, JSONRPCRequest):
            self._asked.add(message.id)
        elif isinstance(message, JSONRPCNotification):
            self._asked.discard((message.params or {}).get("requestId", 0))

    def _messages(self, line: bytes | LongLine) -> Iterator[JSONRPCMessage]:
        """The message in a line; of an answer that cannot be read, an error in its place."""
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
            self._asked.discard(message.id)
        yield message

    def _unreadable(self, line: bytes) -> Iterator[JSONRPCMessage]:
        """An answer that is damaged fails. Many a server prints lines of its own between its
        messages: they are passed over."""
        if b'"jsonrpc"' in line:
            yield from self._failed(line, ErrorData(code=PARSE_ERROR, message="it is no JSON"))
        elif line.strip() and not self._talkative:
            self._talkative = True
            LOG.warning("%s writes lines that are no messages; they are passed over", self._command)

    def _failed(self, line: bytes | LongLine, error: ErrorData) -> Iterator[JSONRPCMessage]:
        """The error, to the request that the line answers; to all that wait where it does not say
        which."""
        named = request_of(line)
        for request in [named] if named in self._asked else list(self._asked):
            self._asked.discard(request)
            yield JSONRPCError(jsonrpc="2.0", id=request, error=error)

    async def _drain(self) -> None:
        """A process that is stuck in writing could not end by itself."""
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
        """By its exit status: to wait for the process is to wait for its pipes too, which others
        may hold."""
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
