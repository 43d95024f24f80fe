"""An address on this machine that stands in for a Jira and a Confluence of Atlassian's.

It speaks as much of the REST API of their Data Center editions as `mcp-atlassian` asks for to read
an issue or a page and to search: https://docs.atlassian.com/software/jira/docs/api/REST/ and
https://docs.atlassian.com/ConfluenceServer/rest/.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.support.addresses.local import answering

TOKEN: Final = "personal-token-of-the-desk"

Json = dict[str, Any]


def issue(key: str, summary: str, status: str, assignee: str | None) -> Json:
    """An issue as Jira writes it."""
    person = {"name": "x", "displayName": assignee, "emailAddress": "x@desk.example"}
    return {
        "id": "10001",
        "key": key,
        "self": f"https://jira.example/rest/api/2/issue/{key}",
        "fields": {
            "summary": summary,
            "status": {"name": status, "statusCategory": {"key": "x", "name": status}},
            "assignee": person if assignee else None,
            "updated": "2026-10-29T09:00:00.000+0000",
        },
    }


def page(page_id: str, title: str, html: str) -> Json:
    """A page as Confluence writes it, in its storage format."""
    return {
        "id": page_id,
        "type": "page",
        "status": "current",
        "title": title,
        "space": {"key": "FX", "name": "Currencies"},
        "version": {"number": 3, "when": "2026-10-28T09:00:00.000Z"},
        "body": {"storage": {"value": html, "representation": "storage"}},
        "_links": {"webui": f"/pages/viewpage.action?pageId={page_id}"},
    }


@dataclass
class Atlassian:
    """A running pair of them. `asked` are the requests, as method, path and query.

    `failing` is the status with which each is answered until it is 0 again; while `stalls`, none is
    answered at all.
    """

    url: str = ""
    issues: Mapping[str, Json] = field(default_factory=dict)
    pages: Mapping[str, Json] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    failing: int = 0
    stalls: bool = False
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, query: Mapping[str, list[str]]) -> tuple[int, object]:
        """The status and the content for a request that gave the right token."""
        if self.failing:
            return self.failing, {"errorMessages": [f"a failure of Jira's: {self.failing}"]}
        *_, name = path.split("/")
        if "/rest/api/2/issue/" in path:
            return _found(self.issues.get(name), "Issue Does Not Exist")
        if path.endswith("/rest/api/2/field"):
            return 200, []
        if "/rest/api/content/" in path and name.isdigit():
            return _found(self.pages.get(name), "No content found with id")
        if path.endswith(("/rest/api/search", "/rest/api/content/search")):
            return 200, self._search(query.get("cql", [""])[0])
        return 404, {"message": f"nothing at {path}"}

    def _search(self, cql: str) -> Json:
        words = cql.partition('"')[2].partition('"')[0].lower()
        hits = [found for found in self.pages.values() if words in json.dumps(found).lower()]
        return {
            "results": [
                {
                    "content": found,
                    "title": found["title"],
                    "excerpt": found["body"]["storage"]["value"][:80],
                    "url": found["_links"]["webui"],
                    "lastModified": found["version"]["when"],
                }
                for found in hits
            ],
            "start": 0,
            "limit": 10,
            "size": len(hits),
            "totalSize": len(hits),
            "_links": {},
        }


def _found(item: Json | None, otherwise: str) -> tuple[int, object]:
    return (200, item) if item else (404, {"errorMessages": [otherwise], "errors": {}})


@contextmanager
def atlassian(issues: Mapping[str, Json], pages: Mapping[str, Json]) -> Iterator[Atlassian]:
    """Both, Jira at the root and Confluence under `/wiki`, while the block lasts."""
    upstream = Atlassian(issues=issues, pages=pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            upstream.asked.append(f"GET {self.path}")
            if upstream.stalls:
                upstream.released.wait()
            status: int = 401
            content: object = {"message": "Client must be authenticated"}
            if self.headers.get("Authorization") == f"Bearer {TOKEN}":
                status, content = upstream.answer(asked.path, parse_qs(asked.query))
            self._send(status, content)

        def do_POST(self) -> None:
            self._write()

        def do_PUT(self) -> None:
            self._write()

        def do_DELETE(self) -> None:
            self._write()

        def _write(self) -> None:
            upstream.asked.append(f"{self.command} {self.path}")
            self._send(405, {"message": "nothing is written here"})

        def _send(self, status: int, content: object) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with answering(Handler, upstream.released) as address:
        upstream.url = address
        yield upstream
