"""The application of `desk serve`: its routes and its error pages."""

from http import HTTPStatus
from importlib.resources import files
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ExceptionHandler
from temporalio.service import RPCError

from desk.platform.temporal.client import ServerUnreachable
from starters.operations.serve.pages import access, decide, health, reports, retry, runs, start
from starters.operations.serve.pages.run_snapshots import RunSnapshots
from starters.operations.serve.serving.guard import ASSETS, HEADERS, LOGIN, Guard, NamedHosts
from starters.operations.serve.serving.hosting import DeskUnavailable
from starters.operations.serve.serving.site import (
    PACKAGE,
    REPORTS,
    STARTS,
    Site,
    site_of,
    style_sheet,
)
from starters.terminal.exit_status import CommandError, UsageError

LARGEST_FORM: Final = 64 * 1024
"""In bytes: a question of 4,000 characters, each encoded in nine, and the other fields."""

AWAY: Final = (
    "The Temporal server does not answer at the moment. What is under way goes on when it is back. "
    "`desk up` starts one; `desk doctor` says what is wrong."
)
NOT_SENT: Final = "What you sent may not have arrived: once it is back, look, and send it again."
_KEPT: Final = {"Cache-Control": "no-cache"}
_ASSET_TYPES: Final = {
    "htmx.min.js": "text/javascript",
    "serve.js": "text/javascript",
    "htmx.LICENSE": "text/plain",
}


def application(site: Site, hosts: list[str]) -> Starlette:
    """Builds the application of a site, for requests to one of the hosts."""
    app = Starlette(
        routes=[
            Route("/", runs.list_runs),
            Route("/runs/{workflow_id:path}", runs.show_run),
            *(Route(path, start.show_form) for path in STARTS),
            *(Route(path, start.take_form, methods=["POST"]) for path in STARTS),
            Route(decide.DECIDE, decide.list_waiting),
            Route(f"{decide.DECIDE}/{{workflow_id:path}}", decide.show_case),
            Route(f"{decide.DECIDE}/{{workflow_id:path}}", decide.decide, methods=["POST"]),
            Route("/retry", retry.retry, methods=["POST"]),
            Route("/rerun", decide.rerun, methods=["POST"]),
            Route("/scorecard", health.show_scorecard),
            Route("/agents", health.show_health),
            Route(REPORTS, reports.list_reports),
            Route(f"{REPORTS}/{{name:path}}", reports.show_file),
            Route(LOGIN, access.ask_token),
            Route(LOGIN, access.log_in, methods=["POST"]),
            Route("/logout", access.log_out, methods=["POST"]),
            Route(f"{ASSETS}{{name}}", asset),
        ],
        middleware=[
            Middleware(NamedHosts, names=hosts),
            Middleware(Guard, access=site.access),
            Middleware(RequestBodyLimitMiddleware, max_body_size=LARGEST_FORM),
        ],
        exception_handlers=_error_handlers(),
    )
    app.state.site = site
    app.state.looks = RunSnapshots()
    return app


async def asset(request: Request) -> Response:
    """Serves a script or the style of the pages."""
    name = request.path_params["name"]
    if name == "desk.css":
        return Response(style_sheet(), media_type="text/css", headers=_KEPT)
    if name not in _ASSET_TYPES:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    text = (files(PACKAGE) / "assets" / name).read_text(encoding="utf-8")
    return Response(text, media_type=_ASSET_TYPES[name], headers=_KEPT)


def _error_handlers() -> dict[type[Exception], ExceptionHandler]:
    return {
        HTTPException: _refused,
        UsageError: _not_usable,
        DeskUnavailable: _away,
        CommandError: _failed,
        ServerUnreachable: _away,
        RPCError: _away,
        Exception: _broken,
    }


def _message_page(
    request: Request, status: int, title: str, words: str, *, waits: bool = False
) -> Response:
    # A part of a page that is followed stays as it is: the page itself reports the failure.
    return site_of(request).page(
        request, "told.html.j2", status, title=title, words=words, waits=waits
    )


async def _refused(request: Request, error: Exception) -> Response:
    code = error.status_code if isinstance(error, HTTPException) else HTTPStatus.BAD_REQUEST
    words = {404: "There is no such page.", 405: "That address takes no such request."}
    phrase = HTTPStatus(code).phrase.capitalize()
    return _message_page(request, code, phrase, words.get(code, phrase))


async def _not_usable(request: Request, error: Exception) -> Response:
    return _message_page(request, HTTPStatus.NOT_FOUND, "That cannot be used", str(error))


async def _failed(request: Request, error: Exception) -> Response:
    return _message_page(request, HTTPStatus.CONFLICT, "That did not work", str(error))


async def _away(request: Request, error: Exception) -> Response:
    reads = request.method == "GET"
    words = AWAY if reads else f"{AWAY} {NOT_SENT}"
    return _message_page(
        request, HTTPStatus.SERVICE_UNAVAILABLE, "The desk is away", words, waits=reads
    )


async def _broken(request: Request, error: Exception) -> Response:
    words = "The page could not be made. The log of the desk says why: logs/desk.log in its home."
    page = _message_page(request, HTTPStatus.INTERNAL_SERVER_ERROR, "That went wrong", words)
    # Built outside the guard, which adds the headers to all other answers.
    page.headers.update(HEADERS)
    return page
