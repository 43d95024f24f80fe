"""The process that answers for all providers, and whose failures can be switched.

GET    /NAME/…                       what the provider NAME answers
PUT    /_failures/NAME?kind=slow     from now on it fails so; `after=3`: after three more answers
DELETE /_failures/NAME               it is well again; `*` is all of them
PUT    /_until/2026-11-02            nothing later was published yet
GET    /_asked                       how often each was asked, as JSON
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.standins.provider import NOT_FOUND, Ask, Failure, Reply, providers, today

SLOW_SECONDS = 60.0
LOOPBACK = "127.0.0.1"
EVERYBODY = "*"

_MAINTENANCE = b"<!DOCTYPE html><html><body><h1>We are down for maintenance</h1></body></html>"
_REDIRECTED = "_redirected/"


@dataclass
class Standins:
    """All providers as they stand: at `url`, each in whichever way it fails.

    `until` is the last day of which anything was published yet; None for the present day. `asked`
    counts the requests by provider, and `paths` has what they were for.
    """

    url: str = ""
    until: date | None = None
    asked: Counter[str] = field(default_factory=Counter)
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    _failures: dict[str, tuple[Failure, int]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fail(self, name: str, kind: Failure, *, after: int = 0) -> None:
        """From now on a provider fails so, once it has answered `after` more requests; `*` is all
        of them, counted together.

        Raises:
            ValueError: there is no such provider.
        """
        if name != EVERYBODY and name not in providers():
            raise ValueError(f"no stand-in is named {name}")
        with self._lock:
            self._failures[name] = (kind, after)

    def mend(self, name: str = EVERYBODY) -> None:
        """A provider is well again; without a name all are."""
        with self._lock:
            if name == EVERYBODY:
                self._failures.clear()
            self._failures.pop(name, None)

    def address(self, name: str) -> str:
        """Where a provider stands."""
        return f"{self.url}/{name}"

    def reply(self, name: str, path: str, form: str = "", cookie: str = "") -> Reply | None:
        """What a provider answers to a path behind its own; None closes the connection."""
        provider = providers().get(name)
        if provider is None:
            return NOT_FOUND
        failure = self._noted(name, path)
        if path.startswith(_REDIRECTED):
            path, failure = path.removeprefix(_REDIRECTED), None
        usual = Ask(path, self.until or today(), failure, form, cookie)
        match failure:
            case None | Failure.RENAMED | Failure.REVISED | Failure.LATE:
                return provider.answer(usual)
            case Failure.SLOW:
                self.released.wait(SLOW_SECONDS)
                return provider.answer(usual)
            case Failure.TRUNCATED:
                whole = provider.answer(usual)
                half = whole.content[: len(whole.content) // 2]
                return Reply(half, whole.content_type, whole.status, whole.headers)
            case Failure.CLOSED:
                return None
            case _:
                return _refusal(failure, name, path)

    def _noted(self, name: str, path: str) -> Failure | None:
        with self._lock:
            self.asked[name] += 1
            self.paths.append(f"/{name}/{path}")
            for key in (name, EVERYBODY):
                kind, after = self._failures.get(key, (None, 0))
                if kind is None:
                    continue
                if after == 0:
                    return kind
                self._failures[key] = (kind, after - 1)
        return None


def _refusal(failure: Failure, name: str, path: str) -> Reply:
    match failure:
        case Failure.REDIRECT:
            place = {"Location": f"/{name}/{_REDIRECTED}{path}"}
            return Reply(b"", status=HTTPStatus.FOUND, headers=place)
        case Failure.REDIRECT_LOOP:
            return Reply(b"", status=HTTPStatus.FOUND, headers={"Location": f"/{name}/{path}"})
        case Failure.TOO_MANY:
            pause = {"Retry-After": "30"}
            return Reply(b"slow down", status=HTTPStatus.TOO_MANY_REQUESTS, headers=pause)
        case Failure.HTML:
            return Reply(_MAINTENANCE, "text/html; charset=utf-8")
        case Failure.EMPTY:
            return Reply(b"")
        case _:
            return Reply(b"it went wrong", status=HTTPStatus.INTERNAL_SERVER_ERROR)


@contextmanager
def serving(port: int = 0) -> Iterator[Standins]:
    """All stand-ins, while the block lasts; without a port on a free one."""
    standins = Standins()

    class Bound(_Handler):
        """The handler of these stand-ins."""

        world = standins

    server = ThreadingHTTPServer((LOOPBACK, port), Bound)
    # A connection that its client keeps open must not hold up the end.
    server.daemon_threads = True
    standins.url = f"http://{LOOPBACK}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield standins
    finally:
        standins.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    world: Standins

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        """A provider's answer, or what was asked so far."""
        first, rest = self._place()
        if first == "_asked":
            self._send(Reply(json.dumps(self.world.asked).encode(), "application/json"))
        else:
            self._answer(first, rest)

    def do_POST(self) -> None:
        """A provider's answer to a form or to JSON."""
        length = int(self.headers.get("Content-Length") or 0)
        self._answer(*self._place(), self.rfile.read(length).decode("utf-8", "replace"))

    def do_PUT(self) -> None:
        """A switch is set."""
        first, rest = self._place()
        parts = urlsplit(rest)
        said = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        try:
            if first == "_failures":
                kind = Failure(said.get("kind", Failure.ERROR))
                self.world.fail(parts.path, kind, after=int(said.get("after", "0")))
            elif first == "_until":
                self.world.until = date.fromisoformat(parts.path)
            else:
                raise ValueError(f"nothing is set at /{first}")
        except ValueError as error:
            self._send(Reply(f"{error}\n".encode(), status=HTTPStatus.BAD_REQUEST))
            return
        self._send(Reply(b"so it is\n"))

    def do_DELETE(self) -> None:
        """A provider is well again."""
        self.world.mend(urlsplit(self._place()[1]).path or EVERYBODY)
        self._send(Reply(b"so it is\n"))

    def _place(self) -> tuple[str, str]:
        first, _, rest = self.path.lstrip("/").partition("/")
        return first.partition("?")[0], rest

    def _answer(self, name: str, path: str, form: str = "") -> None:
        reply = self.world.reply(name, path, form, self.headers.get("Cookie") or "")
        if reply is None:
            self.close_connection = True
        else:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(reply.content)
        except OSError:
            # Whoever asked has gone.
            self.close_connection = True
