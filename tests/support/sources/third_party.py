"""MCP servers of other people, each in an environment of its own that is kept between runs.

Everything in an environment is locked with its hashes in `tests/support/third_party`. A lock of
packages of Python is made anew by

    echo rba-mcp==0.8.14 | .venv/bin/uv pip compile - --universal --python-version 3.11 \\
        --generate-hashes --no-emit-index-url --no-header --quiet \\
        --output-file tests/support/third_party/rba-mcp.lock

and one of packages of npm, in its folder, by

    npm install --package-lock-only --omit-lockfile-registry-resolved
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.processes.homes import PROJECT

LOCKS = PROJECT / "tests" / "support" / "third_party"
ENVIRONMENTS = PROJECT / ".venv" / "third-party"
"""Within the project's own environment, so that whatever leaves that alone leaves these alone."""

MADE_FROM = "made-from"
"""The file that is written last: what an environment was made of."""


@cache
def installed(package: str) -> Path:
    """The environment of a server, with its programs in `bin`. It is made where there is none, or
    one of another lock or another Python; where its packages cannot be had, the test is skipped."""
    lock = LOCKS / f"{package}.lock"
    return _kept(package, lock, sys.version, lambda environment: _make(environment, lock))


@cache
def installed_by_npm(package: str) -> Path:
    """The environment of a server that runs on Node, with its packages in `node_modules`; made, or
    the test skipped, as one of Python's is."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"there is no Node here to run {package} with")
    lock = LOCKS / package / "package-lock.json"
    return _kept(package, lock, npm, lambda environment: _make_by_npm(npm, environment, lock))


def _kept(package: str, lock: Path, by: str, make: Callable[[Path], None]) -> Path:
    """The environment of a lock, made where it is not that of this lock and of what made it."""
    environment = ENVIRONMENTS / package
    wanted = f"{by} {sha256(lock.read_bytes()).hexdigest()}"
    made_from = environment / MADE_FROM
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{environment}.lock"):
        if not made_from.exists() or made_from.read_text() != wanted:
            make(environment)
            made_from.write_text(wanted)
    return environment


def _make(environment: Path, lock: Path) -> None:
    _uv("venv", "--clear", "--python", sys.executable, str(environment))
    # Compiled now, the first start of a server is as quick as the later ones.
    wheels_only = ("--require-hashes", "--only-binary", ":all:", "--compile-bytecode")
    _uv("pip", "install", "--python", str(environment), *wheels_only, "-r", str(lock))


def _uv(*arguments: str) -> None:
    command = [sys.executable, "-m", "uv", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if "Hash mismatch" in done.stderr:
        pytest.fail(f"a package is not the one that was locked: {done.stderr}")
    if done.returncode != 0:
        pytest.skip(f"the server's packages cannot be installed here: {done.stderr[-300:]}")


def _make_by_npm(npm: str, environment: Path, lock: Path) -> None:
    environment.mkdir(exist_ok=True)
    for file in (lock, lock.with_name("package.json")):
        shutil.copy(file, environment)
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=environment, capture_output=True, text=True)
    if "EINTEGRITY" in done.stderr:
        pytest.fail(f"a package is not the one that was locked: {done.stderr}")
    if done.returncode != 0:
        pytest.skip(f"the server's packages cannot be installed here: {done.stderr[-300:]}")
