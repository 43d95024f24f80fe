"""A line between two network namespaces that loses and delays what goes over it.

`python -m tests.support.scenarios.router FIRST SECOND --loss 0.05 --delay-ms 50 --jitter-ms 20`.
Each namespace gets a TUN device `line0`; this process takes the IP packets of one and gives them to
the other later, or not at all. The kernel's own module for this, netem, is not in every kernel.
"""

import argparse
import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import signal
import struct
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import FrameType

DEVICE = "line0"
NAMESPACES = Path("/var/run/netns")

_SET_INTERFACE = 0x400454CA
_TUN_WITHOUT_HEADER = 0x0001 | 0x1000
_NETWORK = 0x40000000
_LARGEST_PACKET = 65_536


@dataclass
class Line:
    """Packets on their way, and what became of those before."""

    loss: float
    delay: float
    jitter: float
    draws: random.Random
    given: int = 0
    lost: int = 0
    _order: Iterator[int] = field(default_factory=count)
    _on_the_way: list[tuple[float, int, int, bytes]] = field(default_factory=list)

    def take(self, packet: bytes, to: int) -> None:
        """A packet that goes on its way, or is lost."""
        if self.draws.random() < self.loss:
            self.lost += 1
            return
        arrives = time.monotonic() + self.delay + self.draws.uniform(0, self.jitter)
        heapq.heappush(self._on_the_way, (arrives, next(self._order), to, packet))

    def give(self) -> float | None:
        """Give what has arrived; the seconds until the next arrives, None where nothing will."""
        while self._on_the_way:
            wait = self._on_the_way[0][0] - time.monotonic()
            if wait > 0:
                return wait
            _, _, to, packet = heapq.heappop(self._on_the_way)
            self.given += 1
            os.write(to, packet)
        return None


def device_in(namespace: str) -> int:
    """A TUN device in a namespace, as a descriptor of this process, which stays in its own."""
    library = ctypes.CDLL(None, use_errno=True)
    own = os.open("/proc/self/ns/net", os.O_RDONLY)
    other = os.open(NAMESPACES / namespace, os.O_RDONLY)
    try:
        _enter(library, other)
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(
            device, _SET_INTERFACE, struct.pack("16sH22x", DEVICE.encode(), _TUN_WITHOUT_HEADER)
        )
    finally:
        _enter(library, own)
        os.close(own)
        os.close(other)
    return device


def _enter(library: ctypes.CDLL, namespace: int) -> None:
    if library.setns(namespace, _NETWORK) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _stop(signal_number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Be the line until told to stop; then print what became of the packets, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--loss", type=float, default=0.0)
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument("--jitter-ms", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    first, second = device_in(asked.first), device_in(asked.second)
    line = Line(
        asked.loss, asked.delay_ms / 1000, asked.jitter_ms / 1000, random.Random(asked.seed)
    )
    print("ready", flush=True)
    try:
        while True:
            ready, _, _ = select.select([first, second], [], [], line.give())
            for device in ready:
                line.take(os.read(device, _LARGEST_PACKET), second if device == first else first)
    except KeyboardInterrupt:
        json.dump({"given": line.given, "lost": line.lost}, sys.stdout)


if __name__ == "__main__":
    main()
