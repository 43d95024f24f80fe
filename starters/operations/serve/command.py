"""`desk serve`."""

import webbrowser
from ipaddress import ip_address
from typing import Annotated, Final

import typer

from desk.platform.settings import ServeSettings, Settings, load_settings
from starters.session import Desk, say
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file

EXAMPLE = "Example: desk serve --open"

SHORTEST_TOKEN: Final = 16
"""The shortest token, in characters: a random one of this length cannot be guessed."""

THIS_MACHINE: Final = ("localhost", "127.0.0.1", "[::1]")
_ANY: Final = ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on

Host = Annotated[
    str | None,
    typer.Option(
        "--host",
        metavar="IP",
        help="The address it listens at; by default 127.0.0.1, which this machine alone reaches.",
        show_default=False,
    ),
]

Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        metavar="N",
        min=0,
        max=65_535,
        help="Its port, 8250 by default; 0 takes a free one.",
        show_default=False,
    ),
]


def serve(
    host: Host = None,
    port: Port = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> ExitStatus:
    """Serve the desk's pages to a browser until Ctrl-C: follow runs, ask, decide, read.

    Uses the running desk, or hosts it. At an address that is not loopback it needs a token in
    DESK_SERVE_TOKEN, or a proxy that desk.toml names.
    """
    settings = load_settings()
    chosen = {"ip": host, "port": port}
    given = {name: value for name, value in chosen.items() if value is not None}
    where = settings.serve.model_copy(update=given)
    check_access(settings, where)
    log_to_file(settings)
    return _served(settings, where, browse=browse)


def check_access(settings: Settings, where: ServeSettings) -> None:
    """Checks that other machines can only get in with a token or through a proxy.

    Raises:
        UsageError: the address is not an IP address, or is open to other machines without a token
            or a proxy.
    """
    try:
        is_here = ip_address(where.ip).is_loopback
    except ValueError:
        raise UsageError(f"--host is '{where.ip}'; allowed: an IP address, as 127.0.0.1") from None
    token = settings.serve_token
    if token is not None and len(token.get_secret_value()) < SHORTEST_TOKEN:
        raise UsageError(
            f"DESK_SERVE_TOKEN is shorter than {SHORTEST_TOKEN} characters; "
            "`openssl rand -hex 24` makes one"
        )
    if not is_here and token is None and where.proxy_header is None:
        raise UsageError(
            f"{where.ip} is open to other machines; set DESK_SERVE_TOKEN to a token "
            "(`openssl rand -hex 24` makes one), or name a proxy's header in desk.toml, "
            "serve.proxy_header (docs/serve.md)"
        )


def hosts_of(where: ServeSettings) -> list[str]:
    """The host names that requests may use. A page under any other name may be a rebinding
    attack."""
    address = f"[{where.ip}]" if ":" in where.ip else where.ip
    own = [] if where.ip in _ANY else [address]
    return [*THIS_MACHINE, *own, *where.hosts]


def address_of(where: ServeSettings, port: int) -> str:
    """The address of the pages for a browser on this machine."""
    ip = "127.0.0.1" if where.ip == _ANY[0] else "::1" if where.ip == _ANY[1] else where.ip
    return f"http://{f'[{ip}]' if ':' in ip else ip}:{port}/"


def _served(settings: Settings, where: ServeSettings, *, browse: bool) -> ExitStatus:
    # The server and the renderer take longer to import than `--help` may take.
    from starters.operations.serve.application import application
    from starters.operations.serve.serving.guard import Admission
    from starters.operations.serve.serving.hosting import DeskKeeper, listening, serve_until_stopped
    from starters.operations.serve.serving.site import Site

    opened = listening(where.ip, where.port, "`--port 0` takes a free one")
    address = address_of(where, opened.getsockname()[1])

    def announce(desk: Desk) -> None:
        token = "; it asks for the token" if settings.serve_token is not None else ""
        say(f"the desk in a browser  {address}{token}")
        say("Ctrl-C stops it" + (", and the server and workers with it" if desk.hosting else ""))
        if browse and not webbrowser.open(address):
            say(f"no browser was found here; open {address} in one")

    async def work() -> ExitStatus:
        keeper = DeskKeeper()
        site = Site(settings, keeper, Admission.of(where, settings.serve_token))
        return await serve_until_stopped(
            application(site, hosts_of(where)), opened, keeper, settings, announce
        )

    return interruptible(work())
