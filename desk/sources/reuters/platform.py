"""The news of LSEG's platform: parses headlines and stories from its JSON."""

import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote, urlencode

from desk.sources.news.feed import FeedEntry
from desk.sources.news.fetch import FeedRefused, FeedUnusable
from desk.sources.reuters.access import Access, GivenToken, MachineAccount, ServiceAccount
from desk.sources.reuters.exchange import CredentialsRejected, Patience, exchange
from desk.sources.serving.kept_answers import KeptAnswers

REFUSED_CREDENTIALS_SECONDS: Final = 600.0
"""How long refused credentials are not sent again, because LSEG locks accounts that try often."""

_MARGIN_SECONDS: Final = 30.0
_DEFAULT_LIFE_SECONDS: Final = 300.0
_LONGEST_TOKEN: Final = 16_000
_SCOPE: Final = "trapi"


@dataclass(frozen=True, slots=True, repr=False)
class _Token:
    """`due` is when to renew it, `over` when it expires, both by the clock of `SignOn`."""

    value: str
    refresh: str | None
    due: float
    over: float


@dataclass(frozen=True, slots=True, repr=False)
class NotAccepted:
    """A rejected token, and the platform's answer to it."""

    token: str
    answered: str


class SignOn:
    """Holds the token of an access. Thread-safe; threads share the token."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds and never runs backwards."""
        self._access = access
        self._clock = clock
        self._turn = threading.Lock()
        self._token: _Token | None = None
        self._refusal = ""
        self._barred_until = -math.inf

    def token(self, patience: Patience, *, instead_of: NotAccepted | None = None) -> str:
        """A token that remains valid for a while; a different one from that which was rejected.

        Raises:
            FeedRefused: the credentials are not accepted, now or within the last ten minutes.
            FeedUnusable: the platform could not be asked.
        """
        account = self._access.account
        if isinstance(account, GivenToken):
            if instead_of is not None:
                raise self._refused(instead_of.answered)
            return account.token.get_secret_value()
        if not self._turn.acquire(timeout=patience.left()):
            raise patience.exhausted()
        try:
            if instead_of is not None and self._token and self._token.value == instead_of.token:
                self._token = None
            if self._token is None or self._token.due <= self._clock():
                self._token = self._renewed(patience) or self._fresh(account, patience)
            return self._token.value
        finally:
            self._turn.release()

    def _refused(self, answered: str) -> FeedRefused:
        return FeedRefused(
            f"{answered} and does not accept the credentials; "
            f"check {', '.join(self._access.variables)}"
        )

    def _renewed(self, patience: Patience) -> _Token | None:
        """Renews the token with the refresh token of version 1, if there is a valid one."""
        account, last = self._access.account, self._token
        if not isinstance(account, MachineAccount) or last is None or last.refresh is None:
            return None
        if last.over <= self._clock():
            return None
        form = {
            "grant_type": "refresh_token",
            "refresh_token": last.refresh,
            "username": account.username.get_secret_value(),
            "client_id": account.app_key.get_secret_value(),
        }
        try:
            return self._got("v1", form, patience)
        except CredentialsRejected:
            return None

    def _fresh(self, account: MachineAccount | ServiceAccount, patience: Patience) -> _Token:
        if self._clock() < self._barred_until:
            raise self._refused(self._refusal)
        self._token = None
        version = "v1" if isinstance(account, MachineAccount) else "v2"
        try:
            return self._got(version, _form(account), patience)
        except CredentialsRejected as error:
            self._refusal, self._barred_until = (
                str(error),
                self._clock() + REFUSED_CREDENTIALS_SECONDS,
            )
            raise self._refused(str(error)) from error

    def _got(self, version: str, form: Mapping[str, str], patience: Patience) -> _Token:
        asked_at = self._clock()
        url = f"{self._access.url}/auth/oauth2/{version}/token"
        return _read(exchange(url, patience, form=form), asked_at)


def _form(account: MachineAccount | ServiceAccount) -> dict[str, str]:
    if isinstance(account, ServiceAccount):
        return {
            "grant_type": "client_credentials",
            "scope": _SCOPE,
            "client_id": account.client_id.get_secret_value(),
            "client_secret": account.client_secret.get_secret_value(),
        }
    return {
        "grant_type": "password",
        "scope": _SCOPE,
        "username": account.username.get_secret_value(),
        "password": account.password.get_secret_value(),
        "client_id": account.app_key.get_secret_value(),
        # A killed server leaves its session open, and an account has only one.
        "takeExclusiveSignOnControl": "true",
    }


def _read(answer: Mapping[str, Any], asked_at: float) -> _Token:
    value, refresh = _credential(answer, "access_token"), _credential(answer, "refresh_token")
    if value is None:
        raise FeedUnusable("the field `access_token` of its sign-on is missing or has changed")
    life = _seconds(answer.get("expires_in"))
    margin = min(_MARGIN_SECONDS, life / 2)
    return _Token(value, refresh, due=asked_at + life - margin, over=asked_at + life)


def _credential(answer: Mapping[str, Any], field: str) -> str | None:
    """Returns a value that is valid in a header."""
    value = answer.get(field)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_TOKEN:
        return None
    return value if value.isascii() and value.isprintable() and " " not in value else None


def _seconds(written: object) -> float:
    """The lifetime of a token, which version 1 writes as a string and version 2 as a number."""
    try:
        life = float(written)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return _DEFAULT_LIFE_SECONDS
    return life if math.isfinite(life) and life > 0 else _DEFAULT_LIFE_SECONDS


TIMEOUT_SECONDS = 5.0
CACHE_SECONDS = 600.0
MOST_CACHED = 64
PAGE: Final = 100
"""The most headlines that the platform returns at once."""

ARCHIVED_AFTER = timedelta(days=14 * 30)
"""The age from which headlines are requested from the archive: `lseg-data` does so from 14 months
on; the current ones reach back 15 months."""

REUTERS_CODE = "NS:RTRS"

_SOURCE_ROLES = frozenset({"sRole:source", "cRole:source"})
_STORY_ID = re.compile(r"urn:[A-Za-z0-9._:-]{1,190}")


@dataclass(frozen=True, slots=True)
class Headlines:
    """Headlines as the platform has them, newest first. `more` if there are more than a page
    holds."""

    entries: tuple[FeedEntry, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class StoryText:
    """The text of a story, and the unparsed date of this version; "" if it is absent."""

    words: str
    version_created: str


class LsegNews:
    """Requests news and caches it for ten minutes. Failures are not cached.

    Thread-safe; two threads with the same request at once both ask the platform.
    """

    def __init__(
        self,
        access: Access,
        *,
        now: Callable[[], datetime],
        clock: Callable[[], float] = time.monotonic,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        """`now` returns the present instant, because old news is in an archive. `clock` counts
        seconds."""
        self._url = f"{access.url}/data/news/v1"
        self._sign_on = SignOn(access, clock)
        self._now = now
        self._timeout_seconds = timeout_seconds
        self._pages = KeptAnswers[Headlines](CACHE_SECONDS, MOST_CACHED, clock)
        self._stories = KeptAnswers[StoryText](CACHE_SECONDS, MOST_CACHED, clock)

    def patience(self) -> Patience:
        """The time that one question may take, with all its requests."""
        return Patience(self._timeout_seconds)

    def headlines(
        self, query: str, start: datetime, end: datetime, patience: Patience
    ) -> Headlines:
        """The newest headlines of a query, at most a hundred, from `start` to `end`.

        Raises:
            FeedRefused: the platform refused.
            FeedUnusable: there was no answer, or no headlines in it.
        """
        question = {
            "query": query,
            "limit": str(PAGE),
            "dateFrom": _written(start),
            "dateTo": _written(end),
            "sort": "newToOld",
        }
        if start < self._now() - ARCHIVED_AFTER:
            question["archive"] = "true"
        address = f"{self._url}/headlines?{urlencode(question)}"
        cached = self._pages.get(address)
        if cached is None:
            cached = _headlines(self._asked(address, patience))
            self._pages.keep(address, cached)
        return cached

    def story(self, story_id: str, patience: Patience) -> StoryText:
        """A story by its id.

        Raises:
            FeedRefused: the platform refused, or has no such story.
            FeedUnusable: there was no answer, or no story in it.
        """
        if _STORY_ID.fullmatch(story_id) is None:
            raise FeedUnusable("the id of the story is none")
        cached = self._stories.get(story_id)
        if cached is None:
            address = f"{self._url}/stories/{quote(story_id, safe=':')}"
            cached = _story(self._asked(address, patience))
            self._stories.keep(story_id, cached)
        return cached

    def _asked(self, address: str, patience: Patience) -> dict[str, Any]:
        """Sends the request, and once more with a new token if the token is no longer accepted."""
        token = self._sign_on.token(patience)
        try:
            return exchange(address, patience, token=token)
        except CredentialsRejected as error:
            refused = NotAccepted(token, str(error))
        token = self._sign_on.token(patience, instead_of=refused)
        try:
            return exchange(address, patience, token=token)
        except CredentialsRejected as error:
            raise FeedRefused(f"{error}, also to a new token") from error


def _written(instant: datetime) -> str:
    whole = instant.astimezone(UTC).replace(tzinfo=None)
    return f"{whole.isoformat(timespec='milliseconds')}Z"


def _headlines(answer: Mapping[str, Any]) -> Headlines:
    rows = answer.get("data")
    if not isinstance(rows, list):
        raise FeedUnusable("its field `data` is missing or has changed")
    entries = tuple(_entry(row) for row in rows[:PAGE])
    for field, values in (
        ("storyId", [entry.identifier for entry in entries]),
        ("newsItem.itemMeta.title", [entry.title for entry in entries]),
        ("newsItem.itemMeta.versionCreated", [entry.published for entry in entries]),
        ("newsItem.contentMeta.infoSource", [entry.source for entry in entries]),
    ):
        if entries and not any(values):
            raise FeedUnusable(f"its field `{field}` is missing or has changed")
    return Headlines(entries, more=bool(_text(answer, "meta", "next")))


def _entry(row: object) -> FeedEntry:
    """Dates an entry by its version, because the current text was not known before."""
    return FeedEntry(
        title=_text(row, "newsItem", "itemMeta", "title", 0, "$"),
        link="",
        published=_text(row, "newsItem", "itemMeta", "versionCreated", "$"),
        updated="",
        source=_source(row),
        summary="",
        identifier=_text(row, "storyId"),
    )


def _source(row: object) -> str:
    named = _at(row, "newsItem", "contentMeta", "infoSource")
    for one in named if isinstance(named, list) else ():
        if _text(one, "_role") in _SOURCE_ROLES:
            return _text(one, "_qcode")
    return ""


def _story(answer: Mapping[str, Any]) -> StoryText:
    inline_data = _at(answer, "newsItem", "contentSet", "inlineData")
    words = _text(inline_data, 0, "$") or _text(inline_data, "$")
    if not words:
        raise FeedUnusable("its field `newsItem.contentSet.inlineData` is missing or has changed")
    return StoryText(words, _text(answer, "newsItem", "itemMeta", "versionCreated", "$"))


def _text(found: object, *path: str | int) -> str:
    value = _at(found, *path)
    return value if isinstance(value, str) else ""


def _at(found: object, *path: str | int) -> object:
    for step in path:
        if isinstance(step, int):
            found = found[step] if isinstance(found, list) and len(found) > step else None
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found
