"""A Messages API on this machine, by a third implementation: llmock, a package of Python.

It knows no `output_config`, counts no cache, and says nothing of a request's headers: what it
answers is scripted where that matters.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.support.processes.homes import free_port
from tests.support.sources.programs import serving
from tests.support.sources.third_party import installed


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
    server = Llmock(f"http://127.0.0.1:{port}")
    with serving((program, "serve", "--port", str(port)), f"{server.address}/health"):
        yield server
