"""Addresses on this machine that stand in for news feeds, and the shapes in which feeds come."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from html import escape
from http.server import BaseHTTPRequestHandler

from tests.support.addresses.local import answering

_BOMB = "".join(
    f'<!ENTITY a{n} "{"".join(f"&a{n - 1};" for _ in range(10))}">' for n in range(1, 9)
)


@dataclass(frozen=True)
class Answer:
    """What an address answers. With `stalls` it sends its content and hangs; with
    `pause_seconds` it waits after every byte."""

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False
    pause_seconds: float = 0


@contextmanager
def feeds(
    answer: Answer, by_path: Mapping[str, Answer] | None = None, asked: list[str] | None = None
) -> Iterator[str]:
    """The root of addresses that give `answer`, or what `by_path` has for the path.

    The paths asked for, with their queries, are added to `asked`.
    """
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if asked is not None:
                asked.append(self.path)
            found = (by_path or {}).get(self.path.partition("?")[0], answer)
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(found.content) + found.stalls))
            self.end_headers()
            self._send(found)
            if found.stalls:
                released.wait()

        def _send(self, found: Answer) -> None:
            step = 1 if found.pause_seconds else max(1, len(found.content))
            with suppress(OSError):
                for start in range(0, len(found.content), step):
                    self.wfile.write(found.content[start : start + step])
                    if found.pause_seconds and released.wait(found.pause_seconds):
                        return

    with answering(Handler, released) as address:
        yield address


def item(
    title: str,
    published: datetime | str | None,
    *,
    source: str | None = None,
    link: str = "https://news.google.com/rss/articles/CBMiAAA?oc=5",
    description: str = "",
) -> str:
    """An item of RSS 2.0 as Google News and most banks write it."""
    written = format_datetime(published) if isinstance(published, datetime) else published
    lines = [f"<title>{escape(title)}</title><link>{escape(link)}</link>"]
    lines.append(f"<description>{escape(description)}</description>")
    if written is not None:
        lines.append(f"<pubDate>{escape(written)}</pubDate>")
    if source is not None:
        lines.append(f'<source url="https://publisher.example">{escape(source)}</source>')
    return f"<item>{''.join(lines)}</item>"


def rss(*items: str) -> Answer:
    """A feed in RSS 2.0."""
    body = f"<channel><title>A feed</title>{''.join(items)}</channel>"
    return _xml(f'<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/">{body}</rss>')


def rdf(title: str, date: str) -> Answer:
    """A feed of one item in RSS 1.0 with `dc:date`, as the RBA, SNB and BoC write it."""
    link = "https://bank.example/1"
    return _xml(
        '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f'<channel rdf:about="https://bank.example"><title>A bank</title></channel>'
        f'<item rdf:about="{link}"><title>{escape(title)}</title><link>{link}</link>'
        f"<description>In short</description><dc:date>{date}</dc:date></item></rdf:RDF>"
    )


def atom(title: str, published: str | None, updated: str) -> Answer:
    """A feed of one entry in Atom."""
    first = f"<published>{published}</published>" if published else ""
    return _xml(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>A bank</title><id>urn:1</id>'
        f'<entry><title>{escape(title)}</title><link href="https://bank.example/1"/>'
        f"<id>urn:2</id>{first}<updated>{updated}</updated></entry></feed>"
    )


def _xml(body: str) -> Answer:
    content = f'<?xml version="1.0" encoding="UTF-8"?>{body}'.encode()
    return Answer(content, headers={"Content-Type": "application/xml; charset=UTF-8"})


_WHOLE = rss(item("Yen falls - Reuters", "Fri, 30 Oct 2026 12:00:00 GMT")).content

UNUSABLE: Mapping[str, tuple[Answer, str]] = {
    "an empty body": (Answer(b""), "is empty"),
    "a web page": (Answer(b"\n<!DOCTYPE html><html><body>Before you go on</body></html>"), "HTML"),
    "a page in XHTML": (Answer(b'<?xml version="1.0"?><html><body/></html>'), "HTML"),
    "malformed XML": (Answer(_WHOLE.replace(b"</title>", b"", 1)), "malformed"),
    "a feed cut off": (Answer(_WHOLE[:-40]), "malformed"),
    "JSON": (Answer(b'{"error": "gone"}'), "malformed"),
    "XML that is no feed": (Answer(b'<?xml version="1.0"?><catalogue/>'), "no feed"),
    "an entity bomb": (
        Answer(
            f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a0 "ha">{_BOMB}]><rss version="2.0">'
            "<channel><item><title>&a8;</title></item></channel></rss>".encode()
        ),
        "entities",
    ),
    "an entity bomb in UTF-16": (
        Answer(
            f'<?xml version="1.0" encoding="utf-16"?><!DOCTYPE rss [<!ENTITY a0 "ha">{_BOMB}]>'
            '<rss version="2.0"><channel><title>&a8;</title></channel></rss>'.encode("utf-16")
        ),
        "entities",
    ),
    "an error of the server": (Answer(b"sorry", 503), "503"),
    "a redirect that leads nowhere": (Answer(b"", 304), "304"),
    "more than a feed holds": (Answer(b" " * (1024 * 1024 + 1)), "above 1048576 bytes"),
}
"""What is no feed, and a word of the reason that is given for it."""
