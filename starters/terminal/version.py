"""`desk --version`."""

import platform
import subprocess
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Final

PROJECT: Final = "research-desk"
SDK: Final = "temporalio"

PATIENCE_SECONDS: Final = 5.0
"""The embedded server's program prints its version in a tenth of a second."""


def version_line() -> str:
    """The versions of the desk, the interpreter, Temporal's SDK and the embedded server."""
    return ", ".join(_versions())


def _versions() -> Iterator[str]:
    yield f"{PROJECT} {installed(PROJECT)}"
    yield f"Python {platform.python_version()}"
    yield f"Temporal SDK {installed(SDK)}"
    yield _server()


def installed(package: str) -> str:
    """The installed version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _server() -> str:
    from desk.platform.server.embedded import temporal_binary
    from desk.platform.server.failure import ServerFailed

    try:
        asked = [str(temporal_binary()), "--version"]
        told = subprocess.run(
            asked, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
        )
    except (ServerFailed, OSError, subprocess.SubprocessError):
        return "no embedded Temporal server"
    return told.stdout.strip()
