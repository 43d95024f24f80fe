"""One request to LSEG's platform. Returns JSON, or raises the reason why there is none."""

import json
import time
from collections.abc import Mapping
from typing import Any

import httpx2

from desk.sources.news.fetch import FeedRefused, FeedUnusable
from desk.sources.serving.downloads import NotDownloaded, asked_pause, download, status_of

LARGEST_ANSWER = 2 * 1024 * 1024
"""In bytes. A page of a hundred headlines with all their codes takes less than half of that."""

_HEADERS = {"Accept": "application/json", "User-Agent": "research-desk/0.1"}
_UNAUTHORIZED, _NOT_PERMITTED, _TOO_MANY = 401, 403, 429


class CredentialsRejected(Exception):
    """The platform does not accept the request's credentials, or no longer does."""


class Patience:
    """The remaining time of a question, over all the requests that it needs."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def left(self) -> float:
        """The remaining seconds.

        Raises:
            FeedUnusable: none are left.
        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self.exhausted()
        return left

    def exhausted(self) -> FeedUnusable:
        """The error for a question whose time has run out."""
        return FeedUnusable(f"it did not answer within {self._seconds:g} seconds")


def exchange(
    url: str,
    patience: Patience,
    *,
    token: str | None = None,
    form: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON object at an address, or in the response to a form. One attempt.

    Redirects are not followed, because credentials must not be sent elsewhere.

    Raises:
        CredentialsRejected: the answer was 401, or 400 or 403 to a form.
        FeedRefused: it was another 4xx.
        FeedUnusable: there was no answer, or it was late, an error, too large or not a JSON object.
    """
    check = _require_credentials_accepted if form is None else _require_sign_on_accepted
    headers = _HEADERS if token is None else _HEADERS | {"Authorization": f"Bearer {token}"}
    try:
        content = download(
            url,
            check,
            timeout_seconds=patience.left(),
            largest=LARGEST_ANSWER,
            headers=headers,
            form=form,
            follow_redirects=False,
        )
    except NotDownloaded as error:
        patience.left()
        raise FeedUnusable(str(error)) from error
    return _json_object(content)


def _require_sign_on_accepted(answer: httpx2.Response) -> None:
    """Version 1 of the sign-on answers 400 for a wrong password, version 2 answers 401."""
    if answer.status_code in (400, _UNAUTHORIZED, _NOT_PERMITTED):
        raise CredentialsRejected(f"it answered {status_of(answer)}")
    _require_success(answer)


def _require_credentials_accepted(answer: httpx2.Response) -> None:
    if answer.status_code == _UNAUTHORIZED:
        raise CredentialsRejected(f"it answered {status_of(answer)}")
    if answer.status_code == _NOT_PERMITTED:
        raise FeedRefused(
            f"it answered {status_of(answer)}; the account may lack the right to read news "
            "(trapi.data.news.read)"
        )
    _require_success(answer)


def _require_success(answer: httpx2.Response) -> None:
    if answer.status_code == httpx2.codes.OK:
        return
    answered = f"it answered {status_of(answer)}"
    if answer.status_code == _TOO_MANY:
        wait = asked_pause(answer.headers.get("retry-after"))
        raise FeedRefused(f"{answered} and {wait}" if wait else answered)
    if answer.is_client_error:
        raise FeedRefused(answered)
    if answer.is_server_error:
        raise FeedUnusable(f"{answered}, an error of its own")
    raise FeedUnusable(f"{answered} and no JSON")


def _json_object(content: bytes) -> dict[str, Any]:
    if not content.strip():
        raise FeedUnusable("its answer is empty")
    if content.lstrip().startswith(b"<"):
        raise FeedUnusable("its answer is a web page (HTML) and no JSON")
    try:
        found = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FeedUnusable("its answer is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise FeedUnusable("its answer is no JSON") from error
    if not isinstance(found, dict):
        raise FeedUnusable("its answer is no JSON object")
    return found
