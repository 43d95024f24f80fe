"""A worker of a module such as `tests.support.counted_worker` in a fork of a process that has the
imports.

A fork is a process of its own, which can be killed like one that was started from nothing, and is
there a second and a half of processor time sooner.
"""

import asyncio
import importlib
import multiprocessing
import os
from collections.abc import Mapping

from desk.platform.settings import load_settings
from desk.platform.temporal.client import ServerUnreachable, connect
from tests.support.homes import PROJECT
from workers.hosting import Role

forking = multiprocessing.get_context("forkserver")
# Without the modules that are run, some of which read the environment when they are imported.
forking.set_forkserver_preload(
    [
        "desk.platform.mcp.pool",
        "tests.support.forked_worker",
        "workers.orchestrator",
        "workers.agents",
        "workers.sources",
    ]
)


def work(module: str, role: Role, environment: Mapping[str, str]) -> None:
    """Run the `main` of a module, a worker of a role, in an environment until killed."""
    os.chdir(PROJECT)
    os.environ.update(environment)
    asyncio.run(_work(module, role))


async def _work(module: str, role: Role) -> None:
    # It is sooner there than a server that is started again beside it.
    while not await _server_answers():
        await asyncio.sleep(0.05)
    await importlib.import_module(module).main(role)


async def _server_answers() -> bool:
    try:
        await connect(load_settings(PROJECT))
    except ServerUnreachable:
        return False
    return True
