"""Logging a browser in with the token, and out again."""

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starters.operations.serve.serving.guard import COOKIE, LOGGED_IN_SECONDS, LOGIN
from starters.operations.serve.serving.site import site_of

PAUSE_SECONDS: Final = 0.5
"""The pause before a wrong token is refused, which slows guessing down."""


async def ask_token(request: Request) -> Response:
    """Shows the form for the token."""
    if site_of(request).access.token is None:
        return RedirectResponse("/", status_code=303)
    return site_of(request).page(request, "login.html.j2", wrong=False)


async def log_in(request: Request) -> Response:
    """Logs in a browser that sends the token."""
    site = site_of(request)
    sent = (await request.form()).get("token")
    if not isinstance(sent, str) or not site.access.is_token(sent):
        await asyncio.sleep(PAUSE_SECONDS)
        return site.page(request, "login.html.j2", 403, wrong=True)
    answer = RedirectResponse("/", status_code=303)
    by_https = request.headers.get("x-forwarded-proto") == "https"
    answer.set_cookie(
        COOKIE,
        site.access.pass_now(),
        max_age=LOGGED_IN_SECONDS,
        httponly=True,
        samesite="strict",
        secure=by_https and site.access.is_proxy(request),
    )
    return answer


async def log_out(request: Request) -> Response:
    """Logs the browser out."""
    answer = RedirectResponse(LOGIN, status_code=303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
