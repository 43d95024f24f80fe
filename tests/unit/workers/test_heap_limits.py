"""Threads of a worker share their heaps, so that what one has freed is of use to the others."""

import subprocess
import sys
from typing import Final

import pytest

from tests.support.processes.homes import PROJECT
from workers.tuning import MAX_HEAPS

COUNTED: Final = """
import ctypes, sys, threading
from workers.tuning import limit_heaps

if sys.argv[1] == "shared":
    limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
held = threading.Barrier(16)


def take():
    held.wait()
    libc.malloc(1_000)
    held.wait()


threads = [threading.Thread(target=take) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


def heaps(how: str) -> int:
    """How many heaps sixteen threads at a time have, as glibc tells them."""
    command = [sys.executable, "-c", COUNTED, how]
    told = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    return told.count("<heap nr")


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has heaps of threads")
def test_threads_share_their_heaps() -> None:
    # The thread that is first in a heap may find it made while another was being counted.
    assert heaps("shared") <= MAX_HEAPS + 1 < heaps("each its own")
