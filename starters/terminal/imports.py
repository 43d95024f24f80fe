"""Imports without garbage collection."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def imports_without_gc() -> Iterator[None]:
    """Disables garbage collection within the block, and excludes the objects that exist at its end
    from later collections: modules live as long as the process. This saves a sixth of a command's
    start, and half a second of a `desk run`."""
    known, collected = len(sys.modules), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        if collected:
            gc.enable()
