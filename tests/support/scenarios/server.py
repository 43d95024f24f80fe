"""The embedded Temporal server in a process of its own: `python -m tests.support.scenarios.server`.

It says `ready` when it answers. Killed, it takes the server with it.
"""

import asyncio

from desk.platform.server.embedded import embedded_server
from desk.platform.settings import load_settings
from tests.support.processes.homes import PROJECT


async def main() -> None:
    """Serve until killed."""
    settings = load_settings(PROJECT)
    async with embedded_server(settings.home, settings.server):
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
