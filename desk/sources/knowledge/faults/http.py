"""Faults over HTTP, on the wire: in place of the server's answer, or done to it."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from mcp.server import MCPServer

from desk.sources.knowledge.faults.faults import FaultKind, Faults, ToolRequest, tool_request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LARGEST_REQUEST = 4_000_000
"""Bytes of a request that are looked at; the server refuses larger ones by itself."""


class FaultyServer(MCPServer[Any]):
    """A server whose calls over HTTP have the faults that it is given, if it is given any."""

    faults: Faults | None = None

    def streamable_http_app(self, *arguments: Any, **options: Any) -> Any:
        """The application of the SDK, behind the faults."""
        application = super().streamable_http_app(*arguments, **options)
        if self.faults is not None:
            application.add_middleware(HttpFaults, faults=self.faults)
        return application


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
