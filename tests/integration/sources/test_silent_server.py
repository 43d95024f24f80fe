"""A server that says nothing for a while is not taken for one that is gone."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import ServerUnreachable, connect
from starters.runs.following import HEALTH_SECONDS, check_server
from tests.support.processes.homes import home_settings


async def test_a_silent_server_is_asked_again_and_a_gone_one_is_not(tmp_path: Path) -> None:
    settings = home_settings(tmp_path)
    async with embedded_server(settings.home, settings.server) as server:
        client = await connect(settings)
        os.kill(server.pid, signal.SIGSTOP)
        asked = asyncio.create_task(check_server(client))
        try:
            await asyncio.sleep(2 * HEALTH_SECONDS.total_seconds())
            assert not asked.done()
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await asked
    with pytest.raises(ServerUnreachable):
        await check_server(client)
