"""Opens what an upgrade finds open, with the code of whichever version it is run in: a week that
takes reruns, a week that waits for a person, and an episode and a hypothesis that wait for their
day.

`python - SECONDS`, in the folder of that version, with this file as its input.
"""

import asyncio
import os
import sys
from datetime import UTC, datetime, timedelta

from desk.contracts.config import RunConfig
from desk.contracts.episode.stock import StockAction
from desk.contracts.names import Queue, week_run_id
from desk.contracts.week.run import WeekRequest
from desk.platform.settings import load_settings
from desk.platform.temporal.client import connect
from desk.programs.episode.horizon import SETTLING
from tests.support.homes import PROJECT
from tests.support.hypotheses import begun, hypothesis, hypothesis_request
from tests.support.stocks import episode, start_episode
from workflows.week.week import WeeklyResearchWorkflow


async def main(ahead: timedelta) -> None:
    """Start them. What is waited for is so far ahead, and given up a second later."""
    settings = load_settings(PROJECT)
    client, config = await connect(settings), settings.config
    for week, market in (("2026-W43", "JP"), ("2026-W44", "USD/JPY")):
        markets = tuple(spec for spec in config.markets if spec.market == market)
        await client.start_workflow(
            WeeklyResearchWorkflow.run,
            WeekRequest(config=RunConfig(markets=markets, policy=config.policy), week=week),
            id=week_run_id(week),
            task_queue=Queue.DESK,
        )
    # Of so late a time the packages have no price: nothing is known of it that a wait could be for.
    steps = (
        StockAction.FETCH_NEWS,
        StockAction.GENERATE_INSIGHT,
        StockAction.GENERATE_RECOMMENDATION,
        StockAction.EVALUATE_PERFORMANCE,
    )
    as_of = datetime.now(UTC) - timedelta(weeks=4) - SETTLING + ahead
    given_up_after = timedelta(seconds=1)
    request = episode(symbol="AAPL", steps=steps, as_of=as_of, given_up_after=given_up_after)
    await start_episode(client, request, run_id="stock-open")
    now = datetime.now(UTC)
    about = hypothesis(level_on=(now - timedelta(days=7)).date(), due=now + ahead, weeks=1)
    waits = hypothesis_request(
        about, swarm="swarm-open", made_as_of=now, given_up_after=given_up_after
    )
    await begun(client, waits)


if __name__ == "__main__":
    asyncio.run(main(timedelta(seconds=float(sys.argv[1]))))
    # Threads of Temporal's core outlive the client and can abort an orderly end.
    os._exit(0)
