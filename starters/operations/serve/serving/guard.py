"""Who gets in at `desk serve`, and what a browser may do with its pages."""

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
"""So long a browser need not send the token again."""

LONGEST_NAME: Final = 200
"""Characters of what a proxy says of who asks."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""The Content-Security-Policy of the desk's own pages: no script and no style inside of them."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # `no-referrer` would have browsers hide the origin of a form, which is looked at.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer has that has none of its own."""

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
    """Who gets in: whoever sends the `token`, or whom a proxy names in the `header`, which is
    believed from its `proxies`; everybody where there is neither."""

    token: SecretStr | None = None
    header: str | None = None
    proxies: tuple[IPv4Network | IPv6Network, ...] = field(default=())

    @classmethod
    def of(cls, settings: ServeSettings, token: SecretStr | None) -> "Admission":
        """The access that is configured."""
        proxies = tuple(ip_network(each) for each in settings.proxies)
        return cls(token, settings.proxy_header, proxies)

    @property
    def is_open(self) -> bool:
        """Whether everybody who reaches the port gets in."""
        return self.token is None and self.header is None

    def named(self, asked: HTTPConnection) -> str | None:
        """Who asks, as the proxy says it; None where none does that is believed."""
        if self.header is None or not self.is_proxy(asked):
            return None
        return asked.headers.get(self.header, "").strip()[:LONGEST_NAME] or None

    def lets_in(self, asked: HTTPConnection) -> bool:
        """Whether a request gets in."""
        if self.is_open or self.named(asked) is not None:
            return True
        _, _, bearer = asked.headers.get("authorization", "").partition("Bearer ")
        return self.is_token(bearer) or self._is_fresh(asked.cookies.get(COOKIE, ""))

    def is_token(self, sent: str) -> bool:
        """Whether the text is the token."""
        token = self.token.get_secret_value() if self.token else ""
        return bool(token) and hmac.compare_digest(sent.strip().encode(), token.encode())

    def pass_now(self) -> str:
        """What a browser that has sent the token keeps in its place, good for half a day."""
        issued = str(int(time.time()))
        return f"{issued}.{self._seal(issued)}"

    def is_proxy(self, asked: HTTPConnection) -> bool:
        """Whether a request comes from an address that is believed."""
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
    """Lets through what asks by one of the names, and says to anybody else what to do."""

    def __init__(self, app: ASGIApp, names: list[str]) -> None:
        self._app = app
        self._checked = TrustedHostMiddleware(self._known, allowed_hosts=names, www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
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
    """Lets through who may come in, and what a page of the desk itself asks for; all answers have
    the headers that keep a browser from doing more with them than is meant."""

    def __init__(self, app: ASGIApp, access: Admission) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
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
    """Whether a page of this very address has sent a form, as the browser says; a browser says it
    of every form, and nobody else has a form to send."""
    origin = asked.headers.get("origin")
    if origin is None:
        return asked.headers.get("sec-fetch-site") == "same-origin"
    try:
        sender = urlsplit(origin).netloc
    except ValueError:
        return False
    return sender.lower() == asked.headers.get("host", "").lower()
