"""An MCP server behind HTTP that lets in who has the token, and can be told to have trouble."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from tests.support.sources.foreign_server import build_foreign_server

TOKEN = "sk-guarded-0123456789"
START_SECONDS = 60


@dataclass(frozen=True)
class Trouble:
    """An answer to one request in place of the server's own."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"<html>no</html>"


@dataclass
class Guard:
    """An application before the server's: `troubles` are used up one a POST, `requests` counts."""

    app: Any
    token: str = TOKEN
    troubles: list[Trouble] = field(default_factory=list)
    requests: int = 0
    url: str = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self.requests += 1
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        if headers.get("authorization") != f"Bearer {self.token}":
            await _say(Trouble(401, {"www-authenticate": "Bearer"}), send)
        elif self.troubles and scope["method"] == "POST":
            await _say(self.troubles.pop(0), send)
        else:
            await self.app(scope, receive, send)


async def _say(trouble: Trouble, send: Any) -> None:
    headers = [(name.encode(), value.encode()) for name, value in trouble.headers.items()]
    start = {"type": "http.response.start", "status": trouble.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": trouble.body})


@contextmanager
def guarded(*, sse: bool = False) -> Iterator[Guard]:
    """The guard of a server that answers at `guard.url`."""
    server = build_foreign_server()
    app = server.sse_app() if sse else server.streamable_http_app(json_response=True)
    guard = Guard(app)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        guard.url = f"http://127.0.0.1:{listener.getsockname()[1]}/{'sse' if sse else 'mcp'}"
        config = uvicorn.Config(guard, log_config=None, timeout_graceful_shutdown=1, ws="none")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=asyncio.run, args=(running.serve([listener]),))
        thread.start()
        try:
            yield guard
        finally:
            running.should_exit = True
            thread.join(START_SECONDS)
