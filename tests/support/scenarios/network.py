"""Two network namespaces of a scenario's own, joined by a line that loses and delays packets."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, NamedTuple

from tests.support.processes.homes import PROJECT
from tests.support.scenarios.router import DEVICE

NEAR, FAR = "198.18.0.1", "198.18.0.2"
"""Of the addresses set aside for measuring networks; they are inside the namespaces only."""

_PATIENCE_SECONDS: Final = 10


class NotAllowed(Exception):
    """This machine does not let us have namespaces; the message says what it refuses."""


class Quality(NamedTuple):
    """How bad a line is, in each direction: the share of packets that it loses, and how long the
    others take, drawn between the delay and the delay and the jitter together."""

    loss: float
    delay_ms: int
    jitter_ms: int


class Packets(NamedTuple):
    """What became of the packets."""

    given: int
    lost: int


@dataclass
class LossyLine:
    """The namespaces `near` and `far`, with an address each. `packets` is known afterwards."""

    near: str
    far: str
    packets: Packets | None = None

    def inside(self, namespace: str) -> list[str]:
        """What a command begins with that is to run in a namespace."""
        return ["ip", "netns", "exec", namespace]


@contextmanager
def lossy_line(quality: Quality) -> Iterator[LossyLine]:
    """The line for the time of a block; the namespaces are gone afterwards.

    Raises:
        NotAllowed: the machine does not let us have them.
    """
    own = secrets.token_hex(3)
    line = LossyLine(f"desk-{own}-near", f"desk-{own}-far")
    with ExitStack() as stack:
        for namespace in (line.near, line.far):
            _made(namespace)
            stack.callback(_ip, "netns", "delete", namespace)
        with _router(line, quality):
            _joined(line.near, NEAR, FAR)
            _joined(line.far, FAR, NEAR)
            yield line


def _made(namespace: str) -> None:
    if os.geteuid() != 0:
        raise NotAllowed("network namespaces need root")
    if shutil.which("ip") is None:
        raise NotAllowed("there is no command `ip`")
    try:
        _ip("netns", "add", namespace)
    except subprocess.CalledProcessError as error:
        raise NotAllowed(str(error.stderr).strip()) from None


def _joined(namespace: str, own: str, other: str) -> None:
    _ip("-n", namespace, "addr", "add", own, "peer", other, "dev", DEVICE)
    _ip("-n", namespace, "link", "set", DEVICE, "up")
    _ip("-n", namespace, "link", "set", "lo", "up")


def _ip(*arguments: str) -> None:
    subprocess.run(
        ["ip", *arguments], check=True, capture_output=True, text=True, timeout=_PATIENCE_SECONDS
    )


@contextmanager
def _router(line: LossyLine, quality: Quality) -> Iterator[None]:
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.support.scenarios.router", line.near, line.far),
            *("--loss", str(quality.loss), "--delay-ms", str(quality.delay_ms)),
            *("--jitter-ms", str(quality.jitter_ms)),
        ],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline().strip() != "ready":
            _, told = process.communicate(timeout=_PATIENCE_SECONDS)
            raise NotAllowed(told.strip().rpartition("\n")[2] or "the line could not be laid")
        yield
    finally:
        process.terminate()
        told, _ = process.communicate(timeout=_PATIENCE_SECONDS)
        with suppress(ValueError):
            line.packets = Packets(**json.loads(told))
