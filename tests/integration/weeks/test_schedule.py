"""`desk schedule` at a server without workers: what is on the server afterwards."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, ScheduleOverlapPolicy
from temporalio.common import SearchAttributeKey

from desk.contracts.names import SCHEDULE_ID
from desk.contracts.runs.week import WeekRequest
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from desk.runs.schedule.schedule_spec import backfilled_weeks
from starters.runs.week_runs import FoundRun, described, request_of
from starters.session import Desk
from starters.terminal.exit_status import CommandError
from starters.weeks import schedule
from starters.weeks.schedule import Applied, apply_schedule_config
from tests.support.processes.namespaces import Namespace

SCHEDULED_START = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


@pytest.fixture
async def desk(namespace: Namespace, tmp_path: Path) -> Desk:
    settings = namespace.settings(tmp_path)
    return Desk(await connect(settings), settings, hosting=False)


def earlier(settings: Settings) -> Settings:
    schedule = settings.config.schedule.model_copy(update={"hour": 5})
    config = settings.config.model_copy(update={"schedule": schedule})
    return settings.model_copy(update={"config": config})


async def paused(client: Client) -> bool:
    described = await client.get_schedule_handle(SCHEDULE_ID).describe()
    return described.schedule.state.paused


async def test_applying_twice_changes_nothing(desk: Desk) -> None:
    assert await apply_schedule_config(desk.client, desk.settings.config) is Applied.CREATED
    assert await apply_schedule_config(desk.client, desk.settings.config) is Applied.UNCHANGED


async def test_what_is_on_the_server_is_what_desk_toml_says(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    there = await desk.client.get_schedule_handle(SCHEDULE_ID).describe()
    first = there.info.next_action_times[0]
    assert first.weekday() == 0
    assert first > datetime.now(UTC)
    assert there.schedule.policy.overlap is ScheduleOverlapPolicy.ALLOW_ALL
    assert there.schedule.policy.catchup_window == timedelta(days=3)
    assert there.schedule.spec.time_zone_name == "Europe/London"


async def test_applying_says_in_a_few_lines_what_it_did_and_when_runs_start(desk: Desk) -> None:
    def first_line(lines: list[str]) -> str:
        assert len(lines) <= 6, lines
        return lines[0]

    made = first_line(await schedule.apply_schedule(desk))
    assert made.startswith(f"{SCHEDULE_ID}: created; Research of the week before, every Monday")
    assert first_line(await schedule.apply_schedule(desk)).startswith(f"{SCHEDULE_ID}: unchanged;")
    await schedule.pause_schedule(desk)
    changed = await schedule.apply_schedule(Desk(desk.client, earlier(desk.settings), hosting=True))
    assert first_line(changed).startswith(f"{SCHEDULE_ID}: updated (times")
    assert "paused" in changed[1] and not any("next" in line for line in changed)


async def test_a_paused_schedule_stays_paused_when_it_changes(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    await schedule.pause_schedule(desk)
    changed = earlier(desk.settings).config
    assert await apply_schedule_config(desk.client, changed) is Applied.UPDATED
    assert await paused(desk.client)
    await schedule.resume_schedule(desk)
    assert not await paused(desk.client)


async def test_the_schedule_starts_a_past_week_as_the_run_of_that_week(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    await schedule.pause_schedule(desk)
    config = desk.settings.config
    for week in backfilled_weeks("2026-W42", "2026-W44", config.schedule):
        await schedule.start_past_week(desk.client, week.start, config)
        run = await started(desk.client, week.workflow_id)
        assert run.open
        found = await run.handle.describe()
        assert found.typed_search_attributes.get(SCHEDULED_START) == week.start
        assert await request_of(run) == WeekRequest(config=config, learn=True)


async def started(client: Client, workflow_id: str) -> FoundRun:
    async with asyncio.timeout(60):
        while (found := await described(client, workflow_id)) is None:
            await asyncio.sleep(0.05)
    return found


async def test_a_backfill_makes_a_schedule_that_starts_nothing_by_itself(desk: Desk) -> None:
    config = desk.settings.config
    told = await schedule.ready_for_backfill(desk.client, config, look_only=True)
    assert "no schedule yet" in str(told)
    with pytest.raises(CommandError):
        await schedule.show_schedule(desk)
    told = await schedule.ready_for_backfill(desk.client, config, look_only=False)
    assert "starts nothing by itself" in str(told)
    shown = await schedule.show_schedule(desk)
    assert "paused" in shown[0]
    assert not any("next" in line for line in shown)
    assert await schedule.ready_for_backfill(desk.client, config, look_only=False) is None
    # To put it into force is another decision, as is a pause of a person's.
    assert any("next" in line for line in await schedule.apply_schedule(desk))
    assert "active" in (await schedule.show_schedule(desk))[0]
    await schedule.pause_schedule(desk)
    await schedule.apply_schedule(desk)
    assert "paused" in (await schedule.show_schedule(desk))[0]


async def test_a_backfill_of_other_times_than_those_in_force_is_refused(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    with pytest.raises(CommandError, match="`desk schedule apply` first"):
        await schedule.ready_for_backfill(
            desk.client, earlier(desk.settings).config, look_only=True
        )


async def test_a_trigger_starts_a_run_and_says_which(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    (line,) = await schedule.trigger_schedule(desk)
    run = await started(desk.client, line.split()[-1])
    assert run.open
    details = await (await run.handle.describe()).static_details()
    assert details is not None and f"the schedule `{SCHEDULE_ID}`" in details


async def test_show_says_when_desk_toml_differs(desk: Desk) -> None:
    await schedule.apply_schedule(desk)
    assert "differs" not in "".join(await schedule.show_schedule(desk))
    changed = Desk(desk.client, earlier(desk.settings), hosting=True)
    assert "desk.toml differs" in (await schedule.show_schedule(changed))[-1]


async def test_a_schedule_that_was_made_before_runs_could_learn_says_so(desk: Desk) -> None:
    config = desk.settings.config
    before = schedule._schedule(config, desk.settings.deliveries, learn=False)
    await desk.client.create_schedule(SCHEDULE_ID, before)
    request = await schedule.scheduled_request(desk.client)
    assert request is not None and not request.learn
    told = "".join(await schedule.show_schedule(desk))
    assert schedule.MADE_BEFORE in told and "differs" not in told
    ready = schedule.ready_for_backfill
    assert await ready(desk.client, config, desk.settings.deliveries, look_only=False) is None
    await schedule.apply_schedule(desk)
    assert schedule.MADE_BEFORE not in "".join(await schedule.show_schedule(desk))
    request = await schedule.scheduled_request(desk.client)
    assert request is not None and request.learn


async def test_without_a_schedule_every_action_says_how_to_make_one(desk: Desk) -> None:
    for action in (
        schedule.show_schedule,
        schedule.pause_schedule,
        schedule.resume_schedule,
        schedule.trigger_schedule,
        schedule.delete_schedule,
    ):
        with pytest.raises(CommandError, match="`desk schedule apply` creates it"):
            await action(desk)
    await schedule.apply_schedule(desk)
    await schedule.delete_schedule(desk)
    with pytest.raises(CommandError):
        await schedule.show_schedule(desk)
