"""The ports of an embedded server: those that were chosen, else the first free ones."""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from desk.platform.server.server_failure import PortInUse
from desk.platform.settings import ServerSettings

MOST_TRIED: Final = 200
"""So many desks have room on a machine."""

_VARIABLES: Final = {"port": "DESK_SERVER_PORT", "ui_port": "DESK_UI_PORT"}


@contextmanager
def free_ports(server: ServerSettings) -> Iterator[ServerSettings]:
    """The settings with ports that are free, kept from other desks for the time of the block.

    A port that was chosen is taken or refused. Instead of a usual one that is taken, the next free
    one is.

    Raises:
        PortInUse: a chosen port is taken, or there is no free one.
    """
    usual = ServerSettings()
    with ExitStack() as held:
        ports = {
            name: _first_free(server, name, held)
            if getattr(server, name) == getattr(usual, name)
            else _chosen(server, name)
            for name in _VARIABLES
        }
        yield server.model_copy(update=ports)


def _chosen(server: ServerSettings, name: str) -> int:
    port: int = getattr(server, name)
    if not _is_free(server.ip, port):
        raise _in_use(server, name)
    return port


def _first_free(server: ServerSettings, name: str, held: ExitStack) -> int:
    first: int = getattr(server, name)
    others = {getattr(server, other) for other in _VARIABLES if other != name}
    for port in range(first, first + MOST_TRIED):
        if port not in others and _is_ours(port, held) and _is_free(server.ip, port):
            return port
    raise _in_use(server, name)


def _is_ours(port: int, held: ExitStack) -> bool:
    """Whether no other desk has the port, or is about to: a server binds it a while after it was
    found free, and two that start side by side would both find it so."""
    lock = FileLock(Path(tempfile.gettempdir()) / f"desk-port-{port}.lock")
    try:
        held.enter_context(lock.acquire(blocking=False))
    except Timeout:
        return False
    except OSError:
        # No folder for locks, or a lock of another user's: it goes by the port itself.
        return True
    return True


def _is_free(ip: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in ip else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError:
            return False
    return True


def _in_use(server: ServerSettings, name: str) -> PortInUse:
    return PortInUse(getattr(server, name), f"server.{name}", _VARIABLES[name])
