"""A Messages API on this machine, by another implementation: aimock, a package of npm."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.processes.homes import PROJECT, free_port
from tests.support.sources.programs import serving

FOLDER = PROJECT / "tests" / "support" / "aimock"
PROGRAM = FOLDER / "node_modules" / ".bin" / "llmock"


@dataclass(frozen=True)
class ModelServer:
    """A running server. `asked` are the requests so far, oldest first."""

    url: str

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The bodies of the requests as they came in."""
        entries = httpx2.get(f"{self.url}/__aimock/journal", timeout=60).json()
        return [entry["body"] for entry in entries if "messages" in entry["path"]]


@contextmanager
def model_server(directory: Path, fixtures: Sequence[dict[str, Any]]) -> Iterator[ModelServer]:
    """The server with its script; a test that wants it is skipped where there is no Node."""
    script = directory / "fixtures.json"
    script.write_text(json.dumps({"fixtures": list(fixtures)}))
    port = free_port()
    command = (installed(), "-p", str(port), "-f", str(script), "--strict", "--log-level", "warn")
    server = ModelServer(f"http://127.0.0.1:{port}")
    with serving(command, f"{server.url}/__aimock/journal"):
        yield server


@cache
def installed() -> Path:
    """The program, installed from the locked package where it is not there yet."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no Node here to run aimock with")
    if not PROGRAM.exists():
        done = subprocess.run(
            [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
            cwd=FOLDER,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            pytest.skip(f"aimock cannot be installed here: {done.stderr[-300:]}")
    return PROGRAM
