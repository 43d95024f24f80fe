"""A Messages API on this machine, by a third implementation: llmock, a package of Python.

It knows no `output_config`, counts no cache, and says nothing of a request's headers: what it
answers is scripted where that matters.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.support.homes import free_port
from tests.support.third_party import installed

PATIENCE_SECONDS = 20


@dataclass(frozen=True)
class Llmock:
    """A running server."""

    address: str

    @property
    def url(self) -> str:
        """Where its Messages API is."""
        return f"{self.address}/anthropic"

    def will(self, *behaviours: dict[str, Any]) -> None:
        """Forget what was, and do this next, each once."""
        self._post("reset")
        if behaviours:
            self._post("scenario", {"behaviors": list(behaviours)})

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests since then, oldest first."""
        found: list[dict[str, Any]] = httpx2.get(f"{self.address}/_llmock/requests").json()[
            "requests"
        ]
        return found

    def _post(self, what: str, body: object = None) -> None:
        httpx2.post(f"{self.address}/_llmock/{what}", json=body).raise_for_status()


@contextmanager
def llmock() -> Iterator[Llmock]:
    """The server; where its packages cannot be had, the test is skipped."""
    program, port = installed("llmock") / "bin" / "llmock", free_port()
    process = subprocess.Popen(
        [program, "serve", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        server = Llmock(f"http://127.0.0.1:{port}")
        _wait_for(server)
        yield server
    finally:
        process.kill()
        process.wait()


def _wait_for(server: Llmock) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            httpx2.get(f"{server.address}/health", timeout=1)
            return
        except httpx2.HTTPError:
            assert time.monotonic() < deadline, "llmock does not start"
            time.sleep(0.05)
