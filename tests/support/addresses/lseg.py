"""An address on this machine that stands in for LSEG's Data Platform: signing on, and its news.

The shapes are those of `/auth/oauth2/v1` and `/v2` and of `/data/news/v1`; the package `lseg-data`
is run against it too.
"""

import base64
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from itertools import count
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.addresses.feeds import Answer
from tests.support.addresses.local import answering

APP_KEY, USERNAME, PASSWORD = "app-key-0001", "GE-A-00000001-1-0001", "pass-word-0001"
CLIENT_ID, CLIENT_SECRET = "client-id-0001", "client-secret-0001"
SCOPES = "trapi trapi.data.news.read trapi.data.news.analyze"

TOKEN_V1, TOKEN_V2 = "/auth/oauth2/v1/token", "/auth/oauth2/v2/token"
REVOKE = "/auth/oauth2/v1/revoke"
HEADLINES, STORIES = "/data/news/v1/headlines", "/data/news/v1/stories"


@dataclass(frozen=True)
class Story:
    """A story as it stands since `published_at`; its id names its version."""

    headline: str
    published_at: datetime
    story_id: str
    text: str = ""
    source: str = "NS:RTRS"
    first_created: datetime | None = None


@dataclass(frozen=True)
class Asked:
    """A request: its path, its query or form, and what it brought to be let in."""

    path: str
    values: Mapping[str, str]
    authorization: str | None


@dataclass
class Platform:
    """What the address answers with, which a test may change, and what it was asked.

    `matches` says which stories a query finds. `instead` has an answer for a path in place of the
    platform's own, or for all that begin with it. `tokens` and `refreshable` are those that are
    good at the moment.
    """

    stories: tuple[Story, ...] = ()
    matches: Callable[[str, Story], bool] = lambda query, story: True
    expires_in: int = 600
    instead: dict[str, Answer] = field(default_factory=dict)
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    refreshable: set[str] = field(default_factory=set)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [asked.path for asked in self.asked]

    def queries(self) -> list[str]:
        """The searches that were asked for, in order."""
        return [asked.values["query"] for asked in self.asked if asked.path == HEADLINES]

    def end_all_sessions(self) -> None:
        """As when another program signs on with the same account."""
        self.tokens.clear()
        self.refreshable.clear()


def in_json(body: object, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON."""
    content = json.dumps(body, ensure_ascii=False).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(content, status, {"Content-Type": "application/json"} | named)


def denied(status: int, error: str, description: str) -> Answer:
    """A refusal of the platform's token service."""
    return in_json({"error": error, "error_description": description}, status)


def failed(status: int, message: str, **headers: str) -> Answer:
    """A failure of the platform's news service."""
    error = {"id": "5d8f1b0e", "code": str(status), "message": message, "status": "Failed"}
    return in_json({"error": error}, status, **headers)


@contextmanager
def lseg(*stories: Story) -> Iterator[Platform]:
    """An address that answers like the platform. Nobody is signed on."""
    platform, released = Platform(stories), threading.Event()
    with answering(_handler(platform, released), released) as platform.url:
        yield platform


def _handler(platform: Platform, released: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._answer(unquote(parts.path), parts.query, _news)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            self._answer(self.path, body, _signing_on)

        def _answer(
            self, path: str, written: str, own: Callable[[Platform, Asked], Answer]
        ) -> None:
            values = {name: found[0] for name, found in parse_qs(written).items()}
            asked = Asked(path, values, self.headers.get("Authorization"))
            platform.asked.append(asked)
            instead = (a for start, a in platform.instead.items() if path.startswith(start))
            self._send(next(instead, None) or own(platform, asked))

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content) + answer.stalls))
            self.end_headers()
            step = 1 if answer.pause_seconds else max(1, len(answer.content))
            with suppress(OSError):
                for start in range(0, len(answer.content), step):
                    self.wfile.write(answer.content[start : start + step])
                    if answer.pause_seconds and released.wait(answer.pause_seconds):
                        return
            if answer.stalls:
                released.wait()

    return Handler


def _signing_on(platform: Platform, asked: Asked) -> Answer:
    form = asked.values
    if asked.path == REVOKE:
        platform.tokens.discard(form.get("token", ""))
        platform.refreshable.discard(form.get("token", ""))
        return Answer(b"")
    if asked.path == TOKEN_V2:
        return _by_client(platform, form)
    if asked.path != TOKEN_V1:
        return Answer(b"<html>Not here</html>", 404)
    if form.get("client_id") != APP_KEY:
        return denied(401, "invalid_client", "Invalid Application Credential.")
    if form.get("grant_type") == "refresh_token":
        return _by_refreshing(platform, form)
    return _by_password(platform, form)


def _by_password(platform: Platform, form: Mapping[str, str]) -> Answer:
    if (form.get("grant_type"), form.get("scope")) != ("password", "trapi"):
        return denied(400, "invalid_request", "Malformed request.")
    if (form.get("username"), form.get("password")) != (USERNAME, PASSWORD):
        return denied(400, "access_denied", "Invalid username or password.")
    if platform.tokens and form.get("takeExclusiveSignOnControl") != "true":
        return denied(400, "access_denied", "Session quota is reached.")
    platform.end_all_sessions()
    return _signed_on(platform)


def _by_refreshing(platform: Platform, form: Mapping[str, str]) -> Answer:
    """The token before stays good, for requests that are under way."""
    refresh = form.get("refresh_token", "")
    if refresh not in platform.refreshable or form.get("username") != USERNAME:
        return denied(400, "access_denied", "Refresh token is expired.")
    platform.refreshable.discard(refresh)
    return _signed_on(platform)


def _signed_on(platform: Platform) -> Answer:
    number = next(platform.numbers)
    token, refresh = f"access-token-{number}", f"refresh-token-{number}"
    platform.tokens.add(token)
    platform.refreshable.add(refresh)
    return in_json(
        {
            "access_token": token,
            "refresh_token": refresh,
            "expires_in": str(platform.expires_in),
            "scope": SCOPES,
            "token_type": "Bearer",
        }
    )


def _by_client(platform: Platform, form: Mapping[str, str]) -> Answer:
    if (form.get("grant_type"), form.get("scope")) != ("client_credentials", "trapi"):
        return denied(400, "unsupported_grant_type", "Malformed request.")
    if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
        return denied(401, "invalid_client", "Invalid client or client credentials.")
    token = f"access-token-{next(platform.numbers)}"
    platform.tokens.add(token)
    return in_json(
        {
            "access_token": token,
            "expires_in": platform.expires_in,
            "scope": SCOPES,
            "token_type": "Bearer",
        }
    )


def _news(platform: Platform, asked: Asked) -> Answer:
    kind, _, token = (asked.authorization or "").partition(" ")
    if kind != "Bearer" or token not in platform.tokens:
        return failed(401, "token expired")
    if asked.path == HEADLINES:
        return _headlines(platform, asked.values)
    story_id = asked.path.removeprefix(f"{STORIES}/")
    for story in platform.stories:
        if story.story_id == story_id:
            return in_json({"newsItem": _whole(story)})
    return failed(404, "Error while calling the NEP backend: Story not found")


def _headlines(platform: Platform, asked: Mapping[str, str]) -> Answer:
    """At most a hundred of them on a page, ten where no number is asked for."""
    if "cursor" in asked:
        asked = json.loads(base64.b64decode(asked["cursor"]))
    limit, skipped = int(asked.get("limit", 10)), int(asked.get("skipped", 0))
    if not asked.get("query") or not 0 <= limit <= 100:
        return failed(400, "Validation error")
    first, last = (_instant(asked[name]) for name in ("dateFrom", "dateTo"))
    found = [
        story
        for story in sorted(platform.stories, key=lambda one: one.published_at, reverse=True)
        if first <= story.published_at <= last and platform.matches(asked["query"], story)
    ]
    page = found[skipped : skipped + limit]
    meta: dict[str, object] = {"count": len(page), "pageLimit": limit}
    if len(found) > skipped + limit:
        following = {**asked, "skipped": str(skipped + limit)}
        meta["next"] = base64.b64encode(json.dumps(following).encode()).decode()
    return in_json({"data": [headline_row(story) for story in page], "meta": meta})


def headline_row(story: Story) -> dict[str, object]:
    """A story among the headlines."""
    return {"storyId": story.story_id, "newsItem": _named(story, "sRole:source")}


def _named(story: Story, role: str) -> dict[str, object]:
    source = {"_qcode": story.source, "_role": role}
    return {
        "_version": 1,
        "contentMeta": {
            "audience": [{"_qcode": "NP:RITV"}],
            "creator": [source],
            "infoSource": [source, {"_qcode": story.source, "_role": "sRole:origProv"}],
            "language": [{"_tag": "en"}],
            "subject": [{"_qcode": "N2:CEN"}, {"_qcode": "G:A"}],
            "urgency": {"$": 3},
        },
        "itemMeta": {
            "firstCreated": {"$": _written(story.first_created or story.published_at)},
            "versionCreated": {"$": _written(story.published_at)},
            "title": [{"$": story.headline}],
        },
    }


def _whole(story: Story) -> dict[str, object]:
    markup = f"<html><body><p>{story.text}</p></body></html>"
    content = {
        "inlineXML": [{"_contenttype": "application/xhtml+xml", "$": markup}],
        "inlineData": [{"_contenttype": "text/plain", "_dir": "ltr", "$": story.text}],
    }
    return _named(story, "cRole:source") | {"contentSet": content}


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _instant(written: str) -> datetime:
    # lseg-data writes nanoseconds.
    seconds, _, fraction = written.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{seconds}.{(fraction or '0')[:6]:0<6}+00:00")


def without(row: Mapping[str, object], *path: str) -> dict[str, object]:
    """A row of headlines that lacks the field at the end of a path."""
    first, *further = path
    kept = {name: value for name, value in row.items() if name != first or further}
    if further:
        inner = row[first]
        assert isinstance(inner, dict)
        kept[first] = without(inner, *further)
    return kept


ROW = headline_row(Story("BOJ holds", datetime(2026, 10, 30, 3, tzinfo=UTC), "urn:newsml:1:nL1:1"))
_META, _CONTENT = ("newsItem", "itemMeta"), ("newsItem", "contentMeta")

UNUSABLE: Mapping[str, tuple[Answer, str]] = {
    "an empty body": (Answer(b" \n"), "is empty"),
    "a web page": (Answer(b"\n<!DOCTYPE html><html><body>Sign in</body></html>"), "HTML"),
    "JSON cut off": (Answer(in_json({"data": [ROW]}).content[:-9]), "no JSON"),
    "JSON without an end": (Answer(b'{"data":' + b"[" * 100_000), "no JSON"),
    "another encoding": (Answer('{"data": "Zürich"}'.encode("latin-1")), "not text in UTF-8"),
    "UTF-16": (Answer('{"data": []}'.encode("utf-16")), "not text in UTF-8"),
    "a list": (in_json([ROW]), "no JSON object"),
    "no headlines": (in_json({"headlines": [ROW]}), "`data` is missing or has changed"),
    "headlines by number": (in_json({"data": {"0": ROW}}), "`data` is missing or has changed"),
    "no story ids": (in_json({"data": [without(ROW, "storyId")]}), "`storyId` is missing"),
    "no titles": (in_json({"data": [without(ROW, *_META, "title")]}), "itemMeta.title` is missing"),
    "no dates": (
        in_json({"data": [without(ROW, *_META, "versionCreated")]}),
        "itemMeta.versionCreated` is missing",
    ),
    "no sources": (
        in_json({"data": [without(ROW, *_CONTENT, "infoSource")]}),
        "contentMeta.infoSource` is missing",
    ),
    "rows of text": (in_json({"data": ["BOJ holds"]}), "`storyId` is missing"),
    "an error of the platform": (failed(503, "Service unavailable"), "503 Service Unavailable"),
    "another place": (Answer(b"", 302, {"Location": "https://elsewhere.example"}), "302 Found"),
    "nothing new": (Answer(b"", 304), "304"),
    "more than a page holds": (Answer(b" " * (2 * 1024 * 1024 + 1)), "above 2097152 bytes"),
}
"""What is no page of headlines, and a word of the reason that is given for it."""
