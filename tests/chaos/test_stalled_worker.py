"""A worker that is held up while it waits for an answer that is paid for keeps the answer."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

from desk.platform.temporal.client import connect
from tests.chaos.test_killed_processes import published
from tests.support.models.billing import billing
from tests.support.models.model_server import model_server
from tests.support.models.model_week import KEY, Scripted
from tests.support.processes.fleet import desk_at, start
from workers.hosting import Role

MARKETS = ("USD/JPY", "JP")
STALL_SECONDS = 10


async def test_a_worker_that_is_held_up_for_ten_seconds_asks_no_model_twice(tmp_path: Path) -> None:
    with model_server(tmp_path, Scripted().fixtures(*MARKETS)) as model:
        async with billing(model.url, 1.0) as bill:
            variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": bill.url}
            async with desk_at(tmp_path, **variables) as (settings, _, fleet, _log):
                client = await connect(settings)
                await start(client, settings, MARKETS)
                # The plan, then the agents: all of them wait for their answers now.
                await bill.asked(3)
                research = fleet.pid(Role.RESEARCH)
                os.kill(research, signal.SIGSTOP)
                await asyncio.sleep(STALL_SECONDS)
                os.kill(research, signal.SIGCONT)
                await published(client)
    assert set(Counter(bill.calls).values()) == {1}
