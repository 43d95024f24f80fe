"""Addresses on this machine that take what is delivered: a webhook, and a bucket of S3."""

import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote

from tests.support.addresses.local import answering

OPTIONS = "AWS4-HMAC-SHA256"


@dataclass(frozen=True)
class Reply:
    """An answer: a status with headers, after a while."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: str | bytes = ""
    after_seconds: float = 0


@dataclass
class Room:
    """A webhook: the replies that it gives first, and then `ok`; what was posted to it."""

    replies: list[Reply] = field(default_factory=list)
    posted: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        """Take a message."""
        reply = self.replies.pop(0) if self.replies else Reply(body="ok")
        self.released.wait(reply.after_seconds)
        if reply.status == 200:
            self.posted.append(json.loads(body))
            self.keys.append(handler.headers["Idempotency-Key"])
        return reply


@dataclass
class Bucket:
    """A bucket behind the protocol of S3, signatures included; the replies that it gives first."""

    name: str = "research-desk"
    access_key: str = "AKIDTEST"
    secret_key: str = "a secret key"
    replies: list[Reply] = field(default_factory=list)
    objects: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    puts: list[str] = field(default_factory=list)
    gets: list[str] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    @property
    def variables(self) -> dict[str, str]:
        """What names it to a desk as the store of its workers."""
        return {
            "DESK_STORE": f"s3://{self.name}/desk",
            "DESK_STORE_ENDPOINT": self.url,
            "DESK_STORE_ACCESS_KEY_ID": self.access_key,
            "DESK_STORE_SECRET_ACCESS_KEY": self.secret_key,
        }

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> Reply:
        """Take an object, or give one or a list of them."""
        if self.replies:
            reply = self.replies.pop(0)
            self.released.wait(reply.after_seconds)
            return reply
        if not self._signed(handler, body):
            return _refusal(403, "SignatureDoesNotMatch")
        path, _, query = handler.path.partition("?")
        bucket, _, key = unquote(path).removeprefix("/").partition("/")
        if bucket != self.name:
            return _refusal(404, "NoSuchBucket")
        if handler.command == "GET":
            return self._given(key) if key else self._listed(parse_qs(query))
        with self.one_at_a_time:
            if handler.headers["If-None-Match"] == "*" and key in self.objects:
                return _refusal(412, "PreconditionFailed")
            self.objects[key] = body
        self.puts.append(key)
        self.types[key] = handler.headers.get("Content-Type", "")
        return Reply(headers=_about(body))

    def _given(self, key: str) -> Reply:
        if key not in self.objects:
            return _refusal(404, "NoSuchKey")
        self.gets.append(key)
        return Reply(headers=_about(self.objects[key]), body=self.objects[key])

    def _listed(self, query: dict[str, list[str]]) -> Reply:
        (prefix,) = query.get("prefix", [""])
        found = "".join(
            f"<Contents><Key>{key}</Key><Size>{len(content)}</Size>"
            f"<ETag>{dict(_about(content))['ETag']}</ETag>"
            "<LastModified>2026-11-02T07:00:00.000Z</LastModified></Contents>"
            for key, content in sorted(self.objects.items())
            if key.startswith(prefix)
        )
        told = f"<IsTruncated>false</IsTruncated>{found}"
        return Reply(body=f"<ListBucketResult>{told}</ListBucketResult>")

    def _signed(self, handler: BaseHTTPRequestHandler, body: bytes) -> bool:
        """Whether the request carries the signature, version 4, that the secret key gives it."""
        scheme, _, rest = handler.headers.get("Authorization", "").partition(" ")
        parts = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        access, *scope = parts.get("Credential", "").split("/")
        if scheme != OPTIONS or access != self.access_key:
            return False
        hashed = hashlib.sha256(body).hexdigest()
        if handler.headers.get("x-amz-content-sha256") != hashed:
            return False
        names = parts["SignedHeaders"].split(";")
        headers = "".join(f"{name}:{(handler.headers[name] or '').strip()}\n" for name in names)
        path, _, query = handler.path.partition("?")
        request = "\n".join([handler.command, path, query, headers, ";".join(names), hashed])
        digest = hashlib.sha256(request.encode()).hexdigest()
        told = "\n".join([OPTIONS, handler.headers["x-amz-date"], "/".join(scope), digest])
        key = f"AWS4{self.secret_key}".encode()
        for part in scope:
            key = hmac.digest(key, part.encode(), "sha256")
        return hmac.new(key, told.encode(), "sha256").hexdigest() == parts["Signature"]


def _about(content: bytes) -> tuple[tuple[str, str], ...]:
    return (
        ("ETag", f'"{hashlib.md5(content).hexdigest()}"'),
        ("Last-Modified", "Mon, 02 Nov 2026 07:00:00 GMT"),
    )


def _refusal(status: int, code: str) -> Reply:
    return Reply(status, (), f"<Error><Code>{code}</Code><Message>{code}</Message></Error>")


@contextmanager
def room(*replies: Reply) -> Iterator[Room]:
    """A webhook while the block lasts."""
    found = Room(list(replies))
    with _served(found.answer, found.released) as address:
        found.url = f"{address}/services/T000/B000/the-secret-part"
        yield found


@contextmanager
def bucket(replies: Sequence[Reply] = ()) -> Iterator[Bucket]:
    """A bucket while the block lasts."""
    found = Bucket(replies=list(replies))
    with _served(found.answer, found.released) as address:
        found.url = address
        yield found


@contextmanager
def _served(
    answer: Callable[[BaseHTTPRequestHandler, bytes], Reply], released: threading.Event
) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            reply = answer(self, body)
            content = reply.body if isinstance(reply.body, bytes) else reply.body.encode()
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("Content-Length", str(len(content)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_PUT = do_GET = do_POST  # noqa: N815

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                return

    with answering(Handler, released) as address:
        yield address
