"""Chroma, in an environment of its own that is kept between runs: it is large, and few want it."""

import sys
from functools import cache
from pathlib import Path

from tests.support.processes.homes import PROJECT
from tests.support.sources import third_party

LOCK = PROJECT / "requirements-chroma.lock"


@cache
def chroma_environment() -> Path:
    """The environment of the extra `chroma`, with the server's program in `bin`. It is made where
    there is none, or one of another lock; where its packages cannot be had, the test is skipped."""
    return third_party._kept(
        "chroma", LOCK, sys.version, lambda environment: third_party._make(environment, LOCK)
    )


def importable(environment: Path) -> None:
    """Let this process import what the environment has and it lacks. Both are of locks that agree,
    so that nothing is there in two versions which Chroma and the desk share."""
    (packages,) = (environment / "lib").glob("python*/site-packages")
    if str(packages) not in sys.path:
        sys.path.append(str(packages))
