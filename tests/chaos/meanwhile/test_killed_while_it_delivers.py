"""kill -9 of server and worker between a delivery and its completion: nobody gets it twice."""

import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client

from desk.contracts.agents.config import RetryConfig
from desk.contracts.names import Queue, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekStatus
from desk.contracts.week.delivery import (
    Deliveries,
    DeliveryState,
    EmailTarget,
    MailSecurity,
    ObjectStoreTarget,
    WebhookTarget,
)
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from tests.support.outside.mailbox import Mailbox, mail_server
from tests.support.outside.receivers import bucket, room
from tests.support.processes.counted_worker import read_notes
from tests.support.processes.fleet import WEEK, desk_at, status_once
from workers.hosting import Role
from workflows.week.week import WeeklyResearchWorkflow


def delivered(log: Path, stage: str) -> int:
    return sum(
        note["stage"] == stage and note["key"].startswith("delivery/") for note in read_notes(log)
    )


async def until(log: Path, stage: str, least: int) -> None:
    while delivered(log, stage) < least:
        await asyncio.sleep(0.01)


async def start(client: Client, settings: Settings, deliveries: Deliveries) -> None:
    """One market is enough to have a report."""
    (market,) = (spec for spec in settings.config.markets if spec.market == "JP")
    config = settings.config.model_copy(update={"markets": (market,)})
    await client.start_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=config, week=WEEK, deliveries=deliveries),
        id=week_run_id(WEEK),
        task_queue=Queue.DESK,
    )


def all_sent(status: WeekStatus) -> bool:
    """Whether the run knows that everything was delivered."""
    states = [line.state for line in status.deliveries]
    return bool(states) and DeliveryState.UNDER_WAY not in states


async def test_server_and_worker_killed_after_the_sending_send_nothing_twice(
    tmp_path: Path,
) -> None:
    with mail_server(Mailbox()) as box, room() as told, bucket() as there:
        wanted = Deliveries(
            email=EmailTarget(
                host="127.0.0.1",
                port=box.port,
                security=MailSecurity.NONE,
                sender="desk@example.com",
                recipients=("reader@example.com",),
            ),
            webhook=WebhookTarget(name="#fx-desk"),
            object_store=ObjectStoreTarget(bucket=there.name, endpoint=there.url),
            oldest=timedelta(days=36_500),
            retries=RetryConfig(max_attempts=20),
        )
        secrets = {
            "SLACK_WEBHOOK_URL": told.url,
            "AWS_ACCESS_KEY_ID": there.access_key,
            "AWS_SECRET_ACCESS_KEY": there.secret_key,
        }
        async with desk_at(tmp_path, (Role.ALL,), **secrets) as (settings, server, fleet, log):
            client = await connect(settings)
            await start(client, settings, wanted)
            await until(log, "started", 3)
            # The server stops listening first: what is delivered now, it never hears of.
            os.kill(server.pid, signal.SIGSTOP)
            await until(log, "done", 3)
            os.kill(server.pid, signal.SIGKILL)
            fleet.kill_all()
            fleet.start_all()
            status = await status_once(client, week_run_id(WEEK), all_sent)
    assert {line.state for line in status.deliveries} == {DeliveryState.DELIVERED}
    assert (len(box.messages), len(told.posted), len(there.puts)) == (1, 1, 3)
