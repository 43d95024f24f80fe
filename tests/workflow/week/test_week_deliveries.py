"""A week's revisions are delivered beside its run, and a channel that fails changes nothing."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle

from desk.contracts.agents.config import RetryConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import Message
from desk.contracts.runs.week import RerunRequest, WeekRequest, WeekStatus
from desk.contracts.week.delivery import (
    Channel,
    Deliveries,
    DeliveryState,
    EmailTarget,
    MailSecurity,
    ObjectStoreTarget,
    WebhookTarget,
)
from starters.monitoring.week_status import closed_status, status_lines
from tests.support.outside.mailbox import Mailbox, mail_server
from tests.support.outside.receivers import Bucket, Reply, Room, bucket, room
from tests.support.runs.desk import WEEK, desk_config, desk_workers, start_week

SOON = RetryConfig(max_attempts=3, first_pause=timedelta(milliseconds=50))


def wanted(
    box: Mailbox | None = None,
    told: Room | None = None,
    there: Bucket | None = None,
    **more: object,
) -> Deliveries:
    """Deliveries to what listens here, of a week however old."""
    email = EmailTarget(
        host="127.0.0.1",
        port=box.port if box else 1,
        security=MailSecurity.NONE,
        sender="desk@example.com",
        recipients=("reader@example.com",),
    )
    return Deliveries.model_validate(
        {
            "email": email if box else None,
            "webhook": WebhookTarget(name="#fx-desk") if told else None,
            "object_store": ObjectStoreTarget(bucket=there.name, endpoint=there.url)
            if there
            else None,
            "oldest": timedelta(days=36_500),
            "retries": SOON,
            **more,
        }
    )


def secrets(told: Room, there: Bucket) -> dict[str, str]:
    return {
        "SLACK_WEBHOOK_URL": told.url,
        "AWS_ACCESS_KEY_ID": there.access_key,
        "AWS_SECRET_ACCESS_KEY": there.secret_key,
    }


async def activities_of(handle: WorkflowHandle[Any, Any]) -> list[str]:
    return [
        event.activity_task_scheduled_event_attributes.activity_id
        async for event in handle.fetch_history_events()
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    ]


async def test_each_revision_goes_out_once_on_every_channel(client: Client, tmp_path: Path) -> None:
    with mail_server(Mailbox()) as box, room() as told, bucket() as there:
        async with desk_workers(client, tmp_path, secrets=secrets(told, there)):
            run = await start_week(client, desk_config(), deliveries=wanted(box, told, there))
            await run.signal(Message.RERUN_MARKET, RerunRequest(market="JP", reason="again"))
            result = await run.result()
    assert [(line.revision, line.channel, line.state) for line in result.deliveries] == [
        (revision, channel, DeliveryState.DELIVERED) for revision in (1, 2) for channel in Channel
    ]
    assert (len(box.messages), len(told.posted), len(there.puts)) == (2, 2, 6)
    assert len({message["Message-ID"] for message in box.messages}) == 2
    told_in_status = "\n".join(status_lines(closed_status(result)))
    assert (
        "Delivery  revision 2 by object store, delivered: 3 files in the bucket" in told_in_status
    )


async def test_a_channel_that_fails_changes_nothing_else(client: Client, tmp_path: Path) -> None:
    refusal = Reply(404, (), "no_service")
    with room(refusal) as told, bucket([Reply(503), Reply(503)]) as there:
        async with desk_workers(client, tmp_path, secrets=secrets(told, there)):
            run = await start_week(client, desk_config(), deliveries=wanted(None, told, there))
            result = await run.result()
    assert result.outcome is Outcome.COMPLETE
    assert Path(result.files.html).is_file()
    failed, delivered = result.deliveries
    assert failed.state is DeliveryState.FAILED
    told_why = "the webhook of #fx-desk answers 404: no_service; see SLACK_WEBHOOK_URL"
    assert failed.note == told_why
    assert delivered.state is DeliveryState.DELIVERED
    assert told.posted == []


async def test_a_delivery_is_given_up_after_its_attempts(client: Client, tmp_path: Path) -> None:
    with room(*[Reply(500)] * 20) as told:
        async with desk_workers(client, tmp_path, secrets={"SLACK_WEBHOOK_URL": told.url}):
            run = await start_week(client, desk_config(), deliveries=wanted(told=told))
            result = await run.result()
        assert len(told.replies) == 20 - SOON.max_attempts
    assert result.deliveries[0].state is DeliveryState.FAILED
    assert result.outcome is Outcome.COMPLETE


async def test_nobody_waits_for_a_delivery(client: Client, tmp_path: Path) -> None:
    """The run is open for reruns, and answers, while a channel takes its time."""
    with room(Reply(after_seconds=20)) as told:
        async with desk_workers(client, tmp_path, secrets={"SLACK_WEBHOOK_URL": told.url}):
            run = await start_week(client, desk_config(), deliveries=wanted(told=told))
            while not (status := await run.query(Message.STATUS, result_type=WeekStatus)).files:
                pass
            assert [line.state for line in status.deliveries] == [DeliveryState.UNDER_WAY]
            await run.terminate()


async def test_a_run_does_not_close_before_its_deliveries_have_ended(
    client: Client, tmp_path: Path
) -> None:
    with room(Reply(500), Reply(500)) as told:
        async with desk_workers(client, tmp_path, secrets={"SLACK_WEBHOOK_URL": told.url}):
            config = desk_config(open_for_seconds=0.001)
            result = await (await start_week(client, config, deliveries=wanted(told=told))).result()
    assert [line.state for line in result.deliveries] == [DeliveryState.DELIVERED]
    assert len(told.posted) == 1


async def test_an_old_week_and_a_few_markets_are_kept_to_the_desk(
    client: Client, tmp_path: Path
) -> None:
    with room() as told:
        async with desk_workers(client, tmp_path, secrets={"SLACK_WEBHOOK_URL": told.url}):
            old = wanted(told=told, oldest=timedelta(seconds=1))
            requests: list[dict[str, object]] = [
                {"deliveries": old},
                {"deliveries": wanted(told=told), "subset": "few"},
            ]
            for number, more in enumerate(requests):
                run = await start_week(client, desk_config(), run_id=f"run-{number}", **more)
                assert (await run.result()).deliveries == ()
    assert told.posted == []


async def test_without_deliveries_nothing_is_different(client: Client, tmp_path: Path) -> None:
    async with desk_workers(client, tmp_path):
        run = await start_week(client, desk_config())
        await run.result()
    assert not any(name.startswith("deliver") for name in await activities_of(run))
    assert "deliveries" not in WeekRequest(config=desk_config(), week=WEEK).model_dump()
