"""What lets the Temporal UI show packed payloads: its pages send them here to be unpacked.

The embedded server brings it along; for a server of one's own:
`python -m infra.codec_server --port 8234 --ui http://localhost:8080`.
"""

import argparse
import json
import threading
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LARGEST_REQUEST = 16 * 1024 * 1024


@contextmanager
def codec_server(ip: str, ui_url: str) -> Iterator[str]:
    """The address of an endpoint that unpacks payloads, for the time of the block.

    It listens on a free port, and only pages of the UI may read its answers in a browser.
    """
    with _server(ip, 0, ui_url) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{ip}:{server.server_port}"
        finally:
            server.shutdown()


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8234)
    parser.add_argument("--ui", default="http://localhost:8080", help="where the UI's pages are")
    chosen = parser.parse_args()
    with _server(chosen.host, chosen.port, chosen.ui) as server:
        server.serve_forever()


def _server(ip: str, port: int, ui_url: str) -> ThreadingHTTPServer:
    class Endpoint(_Endpoint):
        allowed_origin = ui_url

    server = ThreadingHTTPServer((ip, port), Endpoint)
    server.daemon_threads = True
    return server


class _Endpoint(BaseHTTPRequestHandler):
    allowed_origin: str

    def do_GET(self) -> None:
        """Only to say that it is there."""
        self._answer(HTTPStatus.NO_CONTENT, b"")

    def do_OPTIONS(self) -> None:
        self._answer(HTTPStatus.NO_CONTENT, b"")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if length > LARGEST_REQUEST:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"")
            return
        try:
            payloads = json.loads(self.rfile.read(length))["payloads"]
            answer = json.dumps({"payloads": [_decoded(payload) for payload in payloads]})
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error):
            self._answer(HTTPStatus.BAD_REQUEST, b"")
            return
        self._answer(HTTPStatus.OK, answer.encode())

    def _answer(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", self.allowed_origin)
        self.send_header("Access-Control-Allow-Methods", "POST, OPTIONS")
        self.send_header("Access-Control-Allow-Headers", "content-type, x-namespace")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        """Say nothing: a command's standard error is for its user."""


def _decoded(payload: dict[str, Any]) -> dict[str, Any]:
    """One payload in the JSON form of the protocol, whose bytes are base64."""
    # Imported when first needed: the endpoint's address is wanted before the server can start,
    # and the server starts while these are being imported elsewhere.
    from temporalio.api.common.v1 import Payload

    from infra.payload_codec import unpacked

    plain = unpacked(
        Payload(
            metadata={k: b64decode(v) for k, v in payload.get("metadata", {}).items()},
            data=b64decode(payload.get("data", "")),
        )
    )
    return {
        "metadata": {key: b64encode(value).decode() for key, value in plain.metadata.items()},
        "data": b64encode(plain.data).decode(),
    }


if __name__ == "__main__":
    main()
