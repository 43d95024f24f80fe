"""Faults on the wire of a server: in place of its answers over HTTP and stdio, or done to them."""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, BinaryIO, Final

from tests.support.knowledge.faults import FaultKind, Faults, ToolRequest, tool_request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LARGEST_REQUEST = 4_000_000
"""Bytes of a request that are looked at; the server refuses larger ones by itself."""


class HttpFaults:
    """An ASGI application around another one. Only calls of tools are hit."""

    def __init__(self, app: Application, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or let it fail."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        request = _Request(receive)
        await request.read()
        call = tool_request(request.body) if request.whole else None
        if call is None:
            await self._app(scope, request.replayed(), send)
            return
        fault = self._faults.drawn(call)
        await asyncio.sleep(fault.latency)
        await self._fail(fault.kind, call, scope, request, send)

    async def _fail(
        self,
        kind: FaultKind | None,
        call: ToolRequest,
        scope: Message,
        request: "_Request",
        send: Send,
    ) -> None:
        if kind is FaultKind.INTERNAL_ERROR:
            await _say(send, 500, b"text/plain", b"Internal Server Error")
            return
        if kind is FaultKind.TIMEOUT:
            await request.gone()
            return
        if kind is FaultKind.DUPLICATE:
            self._faults.handled(call)
            await self._app(scope, request.replayed(), _Answer())
        self._faults.handled(call)
        if kind in (None, FaultKind.DUPLICATE):
            await self._app(scope, request.replayed(), send)
            return
        answer = _Answer()
        await self._app(scope, request.replayed(), answer)
        if kind is FaultKind.MALFORMED:
            await _say(
                send, 200, b"application/json", b"<html>" + answer.body[: 1 + len(call.tool)]
            )
            return
        await _break_off(send, answer)


class _Request:
    """The body of a request, as far as it is looked at, to be given on."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: list[Message] = []
        self.body = b""
        self.whole = False

    async def read(self) -> None:
        while not self.whole and len(self.body) <= LARGEST_REQUEST:
            message = await self._receive()
            self._messages.append(message)
            if message["type"] != "http.request":
                return
            self.body += message.get("body", b"")
            self.whole = not message.get("more_body", False)

    def replayed(self) -> Receive:
        """What was read from the beginning, then what comes."""
        left = list(self._messages)

        async def receive() -> Message:
            return left.pop(0) if left else await self._receive()

        return receive

    async def gone(self) -> None:
        """Until the client gives up."""
        while (await self._receive())["type"] != "http.disconnect":
            pass


class _Answer:
    """An answer that is kept back."""

    def __init__(self) -> None:
        self.start: Message = {"type": "http.response.start", "status": 200, "headers": []}
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


async def _say(send: Send, status: int, media_type: bytes, body: bytes) -> None:
    headers = [(b"content-type", media_type), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _break_off(send: Send, answer: _Answer) -> None:
    """Half of an answer whose header tells the length of the whole.

    The web server closes the connection of an application that ends before its answer does.
    """
    await send(answer.start)
    half = answer.body[: len(answer.body) // 2]
    await send({"type": "http.response.body", "body": half, "more_body": True})


BROKEN_OFF: Final = 70
"""The exit status after half an answer."""

_INTERNAL_ERROR: Final = -32603


@contextmanager
def faults_over_stdio(faults: Faults) -> Iterator[None]:
    """While it lasts, `sys.stdin` and `sys.stdout` are pipes of a filter that holds the faults.

    What is printed by the way goes to standard error, as it does without the filter.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    server_reads, to_server = os.pipe()
    from_server, server_writes = os.pipe()
    given = sys.stdin, sys.stdout
    sys.stdin = TextIOWrapper(os.fdopen(server_reads, "rb"), encoding="utf-8")
    sys.stdout = TextIOWrapper(os.fdopen(server_writes, "wb"), encoding="utf-8")
    wire = _FaultyWire(faults, os.fdopen(to_server, "wb"), os.fdopen(wire_out, "wb"))
    asking = threading.Thread(target=wire.ask, args=(os.fdopen(wire_in, "rb"),), daemon=True)
    answering = threading.Thread(target=wire.answer, args=(os.fdopen(from_server, "rb"),))
    asking.start()
    answering.start()
    try:
        yield
    finally:
        sys.stdout.close()
        answering.join()
        sys.stdin, sys.stdout = given


class _FaultyWire:
    """Lines to the server and lines from it, each a JSON-RPC message."""

    def __init__(self, faults: Faults, to_server: BinaryIO, to_client: BinaryIO) -> None:
        self._faults = faults
        self._to_server = to_server
        self._to_client = to_client
        self._writing = threading.Lock()
        self._waiting: set[threading.Timer] = set()
        self._harmed: dict[str | int, FaultKind] = {}

    def ask(self, lines: BinaryIO) -> None:
        """Give the client's lines to the server, those that have latency later; then its end."""
        for line in lines:
            call = tool_request(line)
            if call is None:
                self._give(self._to_server, line)
                continue
            fault = self._faults.drawn(call)
            if not fault.latency:
                self._hit(line, call, fault.kind)
                continue
            timer = threading.Timer(fault.latency, self._hit, (line, call, fault.kind))
            self._waiting = {held for held in self._waiting if held.is_alive()} | {timer}
            timer.start()
        for timer in self._waiting:
            timer.cancel()
        with suppress(OSError):
            self._to_server.close()

    def answer(self, lines: BinaryIO) -> None:
        """Give the server's lines to the client, with what is done to them."""
        for line in lines:
            kind = self._harmed.pop(_answered(line), None) if self._harmed else None
            if kind is FaultKind.MALFORMED:
                line = b"<html>" + line[: len(line) // 2].replace(b"{", b"(") + b"\n"
            if kind is FaultKind.TRUNCATED:
                self._give(self._to_client, line[: len(line) // 2])
                os._exit(BROKEN_OFF)
            self._give(self._to_client, line)
            if kind is FaultKind.DUPLICATE:
                self._give(self._to_client, line)

    def _hit(self, line: bytes, call: ToolRequest, kind: FaultKind | None) -> None:
        if kind is FaultKind.TIMEOUT:
            return
        if kind is FaultKind.INTERNAL_ERROR:
            error = {"code": _INTERNAL_ERROR, "message": "Internal error"}
            told = {"jsonrpc": "2.0", "id": call.request_id, "error": error}
            self._give(self._to_client, json.dumps(told).encode() + b"\n")
            return
        if kind is not None:
            self._harmed[call.request_id] = kind
        self._faults.handled(call)
        self._give(self._to_server, line)

    def _give(self, stream: BinaryIO, line: bytes) -> None:
        # Who reads may have gone; the server is told so by the end of its input.
        with self._writing, suppress(OSError, ValueError):
            stream.write(line)
            stream.flush()


def _answered(line: bytes) -> str | int:
    """The id of the request that a line answers; an empty one where it answers none."""
    with suppress(ValueError, RecursionError):
        told = json.loads(line)
        if isinstance(told, dict) and ("result" in told or "error" in told):
            found = told.get("id")
            return found if isinstance(found, str | int) else ""
    return ""
