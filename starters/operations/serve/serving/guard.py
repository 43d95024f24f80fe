"""Who may use `desk serve`, and what a browser may do with its pages."""

import hmac
import time
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr
from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from desk.platform.settings import ServeSettings

COOKIE: Final = "desk-serve"
LOGIN: Final = "/login"
ASSETS: Final = "/assets/"
LOGGED_IN_SECONDS: Final = 12 * 3_600
"""How long a login lasts, in seconds."""

LONGEST_NAME: Final = 200
"""The most characters of the visitor's name from a proxy."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""The Content-Security-Policy of the desk's own pages: no inline script and no inline style."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # `no-referrer` would make browsers hide the origin of a form, which is checked.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The headers of every answer, unless it sets its own."""

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})

ONLY_FROM_HERE: Final = (
    "A form of the desk is sent from a page of the desk. Open the page, and try again.\n"
)
NO_ENTRY: Final = "The desk's pages are not for everybody: ask by the proxy in front of them.\n"


WRONG_HOST: Final = (
    "These pages are not served by that name. Ask by localhost or the address that `desk serve` "
    "printed, or add the name to desk.toml: hosts = [...] under [serve] (docs/serve.md).\n"
)
_KNOWN: Final = "desk.known_host"


@dataclass(frozen=True)
class Admission:
    """Who may enter: a visitor that sends the `token`, or that a trusted proxy from `proxies` names
    in the `header`. Everybody if neither is set."""

    token: SecretStr | None = None
    header: str | None = None
    proxies: tuple[IPv4Network | IPv6Network, ...] = field(default=())

    @classmethod
    def of(cls, settings: ServeSettings, token: SecretStr | None) -> "Admission":
        """Builds the configured access."""
        proxies = tuple(ip_network(each) for each in settings.proxies)
        return cls(token, settings.proxy_header, proxies)

    @property
    def is_open(self) -> bool:
        """Whether everybody who reaches the port may enter."""
        return self.token is None and self.header is None

    def named(self, asked: HTTPConnection) -> str | None:
        """Returns the visitor's name from a trusted proxy, or None if there is none."""
        if self.header is None or not self.is_proxy(asked):
            return None
        return asked.headers.get(self.header, "").strip()[:LONGEST_NAME] or None

    def lets_in(self, asked: HTTPConnection) -> bool:
        """Returns whether a request may enter."""
        if self.is_open or self.named(asked) is not None:
            return True
        _, _, bearer = asked.headers.get("authorization", "").partition("Bearer ")
        return self.is_token(bearer) or self._is_fresh(asked.cookies.get(COOKIE, ""))

    def is_token(self, sent: str) -> bool:
        """Returns whether the text is the token."""
        token = self.token.get_secret_value() if self.token else ""
        return bool(token) and hmac.compare_digest(sent.strip().encode(), token.encode())

    def pass_now(self) -> str:
        """Returns the cookie for a browser that has sent the token, valid for half a day."""
        issued = str(int(time.time()))
        return f"{issued}.{self._seal(issued)}"

    def is_proxy(self, asked: HTTPConnection) -> bool:
        """Returns whether a request comes from a trusted proxy's address."""
        try:
            address = ip_address(asked.client.host if asked.client else "")
        except ValueError:
            return False
        return any(address in network for network in self.proxies)

    def _is_fresh(self, kept: str) -> bool:
        issued, _, seal = kept.partition(".")
        if self.token is None or not (issued.isascii() and issued.isdigit()):
            return False
        sealed = hmac.compare_digest(seal.encode(), self._seal(issued).encode())
        return sealed and 0 <= time.time() - int(issued[:15]) < LOGGED_IN_SECONDS

    def _seal(self, issued: str) -> str:
        token = self.token.get_secret_value() if self.token else ""
        return hmac.new(token.encode(), f"desk serve {issued}".encode(), sha256).hexdigest()


class NamedHosts:
    """Passes on requests for one of the host names, and answers others with what to do."""

    def __init__(self, app: ASGIApp, names: list[str]) -> None:
        self._app = app
        self._checked = TrustedHostMiddleware(self._known, allowed_hosts=names, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        scope[_KNOWN] = False

        async def of_a_known_name(message: Message) -> None:
            if scope[_KNOWN]:
                await send(message)

        await self._checked(scope, receive, of_a_known_name)
        if not scope[_KNOWN]:
            await PlainTextResponse(WRONG_HOST, status_code=400)(scope, receive, send)

    async def _known(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_KNOWN] = True
        await self._app(scope, receive, send)


class Guard:
    """Passes on requests that may enter, and forms only from the desk's own pages. Adds the
    security headers to all answers."""

    def __init__(self, app: ASGIApp, access: Admission) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(HTTPConnection(scope), scope["method"])
        await (answer or self._app)(scope, receive, with_headers)

    def _refusal(self, asked: HTTPConnection, method: str) -> Response | None:
        path = asked.url.path
        if method not in _SAFE and not is_from_here(asked):
            return PlainTextResponse(ONLY_FROM_HERE, status_code=403)
        if path == LOGIN or path.startswith(ASSETS) or self._access.lets_in(asked):
            return None
        if self._access.token is None:
            return PlainTextResponse(NO_ENTRY, status_code=403)
        if method == "GET" and "hx-request" not in asked.headers:
            return RedirectResponse(LOGIN, status_code=303)
        return PlainTextResponse("Log in again.\n", status_code=401, headers={"HX-Refresh": "true"})


def is_from_here(asked: HTTPConnection) -> bool:
    """Returns whether a form was sent by a page of this address, as the browser states. Browsers
    state it for every form."""
    origin = asked.headers.get("origin")
    if origin is None:
        return asked.headers.get("sec-fetch-site") == "same-origin"
    try:
        sender = urlsplit(origin).netloc
    except ValueError:
        return False
    return sender.lower() == asked.headers.get("host", "").lower()
