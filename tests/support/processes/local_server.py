"""Temporal servers of the SDK for tests."""

import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from temporalio.client import Client, Plugin
from temporalio.testing import WorkflowEnvironment

from desk.platform.server.embedded import DYNAMIC_CONFIG

TRIES: Final = 5
"""The SDK gives a server five seconds to start, which it exceeds where the processors are busy."""

TUNED: Final = tuple(
    part
    for value in DYNAMIC_CONFIG
    if "SearchAttributes" not in value
    for part in ("--dynamic-config-value", value)
)
"""What the embedded server is set to, but for search attributes: a namespace has them at once."""


def binary(name: str) -> str:
    """A program that the virtual environment brings."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed: run `make install-dev`")
    return found


@asynccontextmanager
async def local_server(*options: str, plugins: Sequence[Plugin] = ()) -> AsyncIterator[Client]:
    """A client of a development server, set as the embedded one is and with these options, which
    runs until the block is left.

    Raises:
        RuntimeError: it could not be started.
    """
    environment = await started(
        lambda: WorkflowEnvironment.start_local(
            dev_server_existing_path=binary("temporal"),
            dev_server_extra_args=(*TUNED, *options),
            dev_server_log_level="error",
            plugins=plugins,
        )
    )
    async with environment:
        yield environment.client


async def started(start: Callable[[], Awaitable[WorkflowEnvironment]]) -> WorkflowEnvironment:
    """A server of the SDK, which is started anew where it was too slow.

    Raises:
        RuntimeError: it could not be started, or was too slow each time.
    """
    for _ in range(TRIES - 1):
        try:
            return await start()
        except RuntimeError as error:
            if "did not start within" not in str(error):
                raise
    return await start()
