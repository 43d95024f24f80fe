"""An MCP server over HTTP by the revision that has sessions, written by hand: it names one with its
first answer, and answers no request that does not name it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

SESSION = "session-of-the-test"
_RESULTS: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "older", "version": "1"},
    },
    "tools/list": {
        "tools": [
            {"name": name, "inputSchema": {"type": "object", "properties": {"as_of": {}}}}
            for name in ("mumble", "fetch_ticket")
        ]
    },
    "tools/call": {
        "content": [{"type": "text", "text": "held"}],
        "structuredContent": {"text": "held"},
    },
}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = message["method"]
        if method in _RESULTS and method != "initialize":
            named = self.headers.get("mcp-session-id")
            if named != SESSION:
                return self._answer(400, {"error": {"code": -32600, "message": "no session"}})
        if "id" not in message:
            return self._answer(202, None)
        known = {"result": _RESULTS.get(method)} if method in _RESULTS else None
        unknown = {"error": {"code": -32601, "message": f"no method {method}"}}
        return self._answer(200, {"jsonrpc": "2.0", "id": message["id"], **(known or unknown)})

    def do_GET(self) -> None:
        self._answer(405, None)

    do_DELETE = do_GET  # noqa: N815 - the library's name

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""

    def _answer(self, status: int, content: dict[str, Any] | None) -> None:
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("mcp-session-id", SESSION)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def server_with_sessions() -> Iterator[str]:
    """Its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        server.shutdown()
        thread.join()
