"""Being signed on to LSEG's platform: one token, got when first needed and renewed in time."""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from desk.sources.news.fetch import FeedRefused, FeedUnusable
from desk.sources.reuters.access import Access, GivenToken, MachineAccount, ServiceAccount
from desk.sources.reuters.exchange import NotLetIn, Patience, exchange

BARRED_SECONDS: Final = 600.0
"""How long credentials that were refused are not sent again: LSEG locks accounts that try often."""

_MARGIN_SECONDS: Final = 30.0
_LIFE_UNLESS_SAID: Final = 300.0
_LONGEST_TOKEN: Final = 16_000
_SCOPE: Final = "trapi"


@dataclass(frozen=True, slots=True, repr=False)
class _Token:
    """`due` is when to renew it, `over` when it ends, both by the clock of `SignOn`."""

    value: str
    refresh: str | None
    due: float
    over: float


@dataclass(frozen=True, slots=True, repr=False)
class NotAccepted:
    """A token, and what the platform answered to it."""

    token: str
    answered: str


class SignOn:
    """Keeps the token of an access. Safe to use from several threads, which share it."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` counts seconds and never runs backwards."""
        self._access = access
        self._clock = clock
        self._turn = threading.Lock()
        self._token: _Token | None = None
        self._refusal = ""
        self._barred_until = -math.inf

    def token(self, patience: Patience, *, instead_of: NotAccepted | None = None) -> str:
        """A token that is good for a while yet; another one than that which was not accepted.

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
        """By the refresh token of version 1, where there is one that is still good."""
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
        except NotLetIn:
            return None

    def _fresh(self, account: MachineAccount | ServiceAccount, patience: Patience) -> _Token:
        if self._clock() < self._barred_until:
            raise self._refused(self._refusal)
        self._token = None
        version = "v1" if isinstance(account, MachineAccount) else "v2"
        try:
            return self._got(version, _form(account), patience)
        except NotLetIn as error:
            self._refusal, self._barred_until = str(error), self._clock() + BARRED_SECONDS
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
        # A server that was killed leaves its session open, and there is only one an account.
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
    """What can stand in a header."""
    value = answer.get(field)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_TOKEN:
        return None
    return value if value.isascii() and value.isprintable() and " " not in value else None


def _seconds(written: object) -> float:
    """Version 1 writes the life of a token as a string, version 2 as a number."""
    try:
        life = float(written)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return _LIFE_UNLESS_SAID
    return life if math.isfinite(life) and life > 0 else _LIFE_UNLESS_SAID
