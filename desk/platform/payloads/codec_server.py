"""Unpacks payloads for the Temporal UI and `temporal`, which send them here to be shown.

The embedded server starts it. With your own server, run `python -m
desk.platform.payloads.codec_server --port 8234 --ui http://localhost:8080`. It decrypts payloads
only for requests with `Authorization: Bearer` and the token in `DESK_CODEC_TOKEN`.
"""

import argparse
import json
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

from desk.platform.settings import Settings, SettingsError, load_settings
from desk.platform.settings.payload_keys import Keyring

if TYPE_CHECKING:
    from temporalio.api.common.v1 import Payload

LARGEST_REQUEST = 16 * 1024 * 1024
LARGEST_ANSWER = 64 * 1024 * 1024
"""The limit of a request's payloads, in bytes, decompressed and before base64."""

_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class PayloadAccess(NamedTuple):
    """What decrypting needs: the keys, and the token that a request must carry."""

    keys: Keyring
    token: SecretStr


@contextmanager
def codec_server(ip: str, ui_url: str, access: PayloadAccess | None = None) -> Iterator[str]:
    """Runs an endpoint that unpacks payloads, for the duration of the block. Yields its address.

    It listens on a free port. In a browser, only pages of the UI may use it. A request that names a
    host other than this machine, `ip` or the UI's is refused, whoever sends it. Without an
    `access`, encrypted payloads are returned unchanged; with one, a request without its token is
    refused.
    """
    with _server(ip, 0, ui_url, access) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{ip}:{server.server_port}"
        finally:
            server.shutdown()


def main() -> None:
    """Serves until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8234)
    parser.add_argument("--ui", default="http://localhost:8080", help="where the UI's pages are")
    chosen = parser.parse_args()
    try:
        access = payload_access(load_settings())
    except SettingsError as error:
        sys.exit(str(error))
    with _server(chosen.host, chosen.port, chosen.ui, access) as server:
        server.serve_forever()


def payload_access(settings: Settings) -> PayloadAccess | None:
    """What decrypts the payloads of a desk. None without keys or without a token."""
    if settings.payload_keys is None or settings.codec_token is None:
        return None
    return PayloadAccess(settings.payload_keys, settings.codec_token)


def _server(ip: str, port: int, ui_url: str, access: PayloadAccess | None) -> ThreadingHTTPServer:
    class Endpoint(_Endpoint):
        token = access.token if access else None
        decrypted = staticmethod(_decrypting(access) if access else _unchanged)
        origins = _origins(ui_url)
        hosts = frozenset({*_THIS_MACHINE, ip, urlsplit(ui_url).hostname or ip})

    server = ThreadingHTTPServer((ip, port), Endpoint)
    server.daemon_threads = True
    return server


def _origins(ui_url: str) -> frozenset[str]:
    """The origins by which a browser names the UI's pages. A UI on this machine has two names."""
    ui = urlsplit(ui_url)
    names = {ui.hostname or ""}
    if names & {"localhost", "127.0.0.1", "0.0.0.0"}:  # noqa: S104 - compared, not listened on
        names |= {"localhost", "127.0.0.1"}
    return frozenset(_origin(ui, name) for name in names)


def _origin(ui: SplitResult, name: str) -> str:
    host = f"[{name}]" if ":" in name else name
    if ui.port in (None, _DEFAULT_PORTS.get(ui.scheme)):
        return f"{ui.scheme}://{host}"
    return f"{ui.scheme}://{host}:{ui.port}"


class _Endpoint(BaseHTTPRequestHandler):
    origins: frozenset[str]
    hosts: frozenset[str]
    token: SecretStr | None
    decrypted: "staticmethod[[Payload], Payload]"
    timeout = 30.0

    def do_GET(self) -> None:
        """Answers with no content, to show that the endpoint is up."""
        self._answer(self._refusal() or HTTPStatus.NO_CONTENT)

    def do_OPTIONS(self) -> None:
        self._answer(self._refusal() or HTTPStatus.NO_CONTENT)

    def do_POST(self) -> None:
        refusal = self._refusal() or self._refusal_of_sender() or self._refusal_of_length()
        if refusal:
            self._answer(refusal)
            return
        try:
            payloads = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["payloads"]
            answer = json.dumps({"payloads": _decoded_all(payloads, self.decrypted)})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._answer(HTTPStatus.BAD_REQUEST)
            return
        self._answer(HTTPStatus.OK, answer.encode())

    def _refusal(self) -> HTTPStatus | None:
        """Refuses other pages by their origin, and names that were made to resolve to here by the
        host."""
        if _host(self.headers.get("Host", "")) not in self.hosts:
            return HTTPStatus.MISDIRECTED_REQUEST
        origin = self.headers.get("Origin")
        return HTTPStatus.FORBIDDEN if origin and origin not in self.origins else None

    def _refusal_of_sender(self) -> HTTPStatus | None:
        if self.token is None:
            return None
        wanted = f"Bearer {self.token.get_secret_value()}".encode()
        sent = self.headers.get("Authorization", "").encode()
        return None if compare_digest(sent, wanted) else HTTPStatus.UNAUTHORIZED

    def _refusal_of_length(self) -> HTTPStatus | None:
        length = self.headers.get("Content-Length")
        if length is None:
            return HTTPStatus.LENGTH_REQUIRED
        if not (length.isascii() and length.isdigit()):
            return HTTPStatus.BAD_REQUEST
        if len(length) > len(str(LARGEST_REQUEST)) or int(length) > LARGEST_REQUEST:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return None

    def _answer(self, status: HTTPStatus, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Vary", "Origin")
        origin = self.headers.get("Origin")
        if origin in self.origins:
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Methods", "POST, OPTIONS")
            self.send_header(
                "Access-Control-Allow-Headers", "authorization, content-type, x-namespace"
            )
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        """Logs nothing: a command's standard error is for its user."""


def _host(header: str) -> str:
    """The name in a Host header, without its port. Empty if there is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _unchanged(payload: "Payload") -> "Payload":
    return payload


def _decrypting(access: PayloadAccess) -> "Callable[[Payload], Payload]":
    from desk.platform.payloads.codec import CompressingCodec
    from desk.platform.payloads.encryption import EncryptingCodec

    return EncryptingCodec(CompressingCodec(), access.keys).decrypted


def _decoded_all(
    payloads: list[dict[str, Any]], decrypted: "Callable[[Payload], Payload]"
) -> list[dict[str, Any]]:
    room, decoded = LARGEST_ANSWER, []
    for payload in payloads:
        plain, size = _decoded(payload, room, decrypted)
        room -= size
        decoded.append(plain)
    return decoded


def _decoded(
    payload: dict[str, Any], at_most: int, decrypted: "Callable[[Payload], Payload]"
) -> tuple[dict[str, Any], int]:
    """Decodes one payload in the JSON form of the protocol, whose bytes are base64. Returns it with
    its size."""
    # Imported when first needed: the server needs the endpoint's address before it can start, and
    # starts while these are imported elsewhere.
    from temporalio.api.common.v1 import Payload

    from desk.platform.payloads.codec import unpacked

    given = Payload(
        metadata={k: b64decode(v) for k, v in payload.get("metadata", {}).items()},
        data=b64decode(payload.get("data", "")),
    )
    plain = unpacked(decrypted(given), at_most)
    shown = {
        "metadata": {key: b64encode(value).decode() for key, value in plain.metadata.items()},
        "data": b64encode(plain.data).decode(),
    }
    return shown, plain.ByteSize()


if __name__ == "__main__":
    main()
