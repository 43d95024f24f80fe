"""An endpoint of the Messages protocol that knows little of it, over a socket.

It refuses `output_config`, `tool_choice` and `cache_control` in the words of servers that know no
such fields, and answers with prose around its JSON, or fenced, as small models do.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Says = Callable[[Request], str | list[dict[str, Any]]]
"""The words of an answer, or its content blocks."""

UNKNOWN = ("output_config", "tool_choice", "cache_control")
REFUSAL = (
    "[{{'type': 'extra_forbidden', 'loc': ('body', '{}'),"
    " 'msg': 'Extra inputs are not permitted'}}]"
)
"""As servers that check their requests with pydantic answer, vLLM among them."""


@dataclass
class WeakEndpoint:
    """A running endpoint: what it refuses, what it says, and what it was asked so far."""

    says: Says
    refuses: tuple[str, ...] = UNKNOWN
    counts: bool = True
    url: str = ""
    asked: list[Request] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def answer(self, request: Request) -> tuple[int, Request]:
        """The status and the body."""
        self.asked.append(request)
        unknown = next((name for name in self.refuses if _holds(request, name)), None)
        if unknown is not None:
            self.refused.append(unknown)
            told = {"type": "invalid_request_error", "message": REFUSAL.format(unknown)}
            return 400, {"type": "error", "error": told}
        said = self.says(request)
        content = [{"type": "text", "text": said}] if isinstance(said, str) else said
        calls = any(block["type"] == "tool_use" for block in content)
        message: Request = {
            "id": "msg_weak",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
        }
        if self.counts:
            message["usage"] = {"input_tokens": 50, "output_tokens": 10}
        return 200, message


@contextmanager
def weak_endpoint(says: Says, **more: Any) -> Iterator[WeakEndpoint]:
    """The endpoint, served until the test is done."""
    weak = WeakEndpoint(says, **more)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Nothing is logged."""

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            status, body = weak.answer(json.loads(self.rfile.read(length)))
            sent = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    weak.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield weak
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def is_probe(request: Request) -> bool:
    """Whether a request finds out what the endpoint knows."""
    return "two and two" in json.dumps(request["messages"])


def _holds(request: Request, name: str) -> bool:
    """Whether a field is in a request, in its system prompt or its messages too."""
    return f'"{name}":' in json.dumps(request)
