"""The reasons why the embedded server does not run, and what to do about each."""

from pathlib import Path

from desk.platform.settings import ServerSettings


class ServerFailed(Exception):
    """The embedded server does not run. The message says why and where to look."""


class PortInUse(ServerFailed):
    """Another program listens on one of the server's ports."""

    def __init__(self, port: int, setting: str, variable: str) -> None:
        super().__init__(
            f"port {port} is in use by another program; stop that, or choose another port with "
            f"{setting} in desk.toml or {variable} in the environment"
        )
        self.port = port


class DatabaseUnusable(ServerFailed):
    """The server's database file cannot be used."""


class TooBusy(ServerFailed):
    """The server timed out while starting, because the machine was overloaded and its parts were
    not ready in time. Another start may succeed."""

    def __init__(self, log_file: Path) -> None:
        super().__init__(
            "the Temporal server did not start in the time that it gives itself, because this "
            f"machine has too much to do; try again when it has less (see {log_file})"
        )


class DiskFull(ServerFailed):
    """The disk of the home has too little room for the server."""

    def __init__(self, home: Path, free: int, needed: int) -> None:
        super().__init__(
            f"there is no space left in {home}: {free // 2**20} MB are free and the Temporal "
            f"server needs {needed // 2**20} MB; free some and try again"
        )


_DAMAGED = ("not a database", "malformed", "no such table", "disk image", "file is encrypted")
_LOCKED = ("database is locked", "SQLITE_BUSY")
_WAITED_TOO_LONG = "failed starting server: failed to start service"
_UNREADABLE = ("unable to open database file", "readonly database", "permission denied")


def explained(words: str, server: ServerSettings, database: Path, log_file: Path) -> ServerFailed:
    """Finds the reason why the server ended in its output. It is in the last line, sometimes after
    a long stack trace."""
    if "address already in use" in words:
        if f"UI port {server.ui_port}" in words:
            return PortInUse(server.ui_port, "server.ui_port", "DESK_UI_PORT")
        return PortInUse(server.port, "server.port", "DESK_SERVER_PORT")
    for signs, sentence in (
        (_LOCKED, f"{database} is in use by another program; end that and try again"),
        (_UNREADABLE, f"{database} cannot be opened; check that its folder is writable"),
        (
            _DAMAGED,
            f"{database} is damaged; move it away and try again: the history of past runs goes "
            "with it, published reports stay",
        ),
    ):
        if any(sign in words for sign in signs):
            return DatabaseUnusable(sentence)
    if _WAITED_TOO_LONG in words and "context deadline exceeded" in words:
        return TooBusy(log_file)
    last = words.strip().splitlines()[-1][:300] if words.strip() else "no reason given"
    return ServerFailed(f"the Temporal server stopped: {last} (see {log_file})")
