"""`desk schedule`: the weekly schedule on the server."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

import typer
from temporalio.api.common.v1 import Payload
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleBackfill,
    ScheduleCalendarSpec,
    ScheduleDescription,
    ScheduleHandle,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleRange,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.config import RunConfig
from desk.contracts.names import SCHEDULE_ID, SCHEDULED_RUN_ID, Queue, WorkflowType
from desk.contracts.runs.week import WeekRequest
from desk.contracts.week.delivery import Deliveries
from desk.platform.settings import load_settings
from desk.runs.schedule import Overlap, WeeklySchedule, weekly_schedule
from starters.session import Desk, say, with_desk
from starters.sources.refresh import schedule_warning
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from workflows.engine.options import TASK_TIMEOUT

EXAMPLE = "Example: desk schedule apply && desk schedule show"

_OVERLAPS = {Overlap.ALLOW_ALL: ScheduleOverlapPolicy.ALLOW_ALL}
MADE_BEFORE = "the schedule was made before runs could learn; `desk schedule apply` brings learning"
FOR_BACKFILLS = (
    "made for a backfill and starts nothing by itself; `desk schedule apply` has it start weeks"
)
"""The note of a schedule that was created for a backfill and never applied."""

_AROUND = timedelta(seconds=30)
"""How far a backfill's range extends to both sides of the start it is about."""

_BY_SCHEDULE = (
    f"Started by the schedule `{SCHEDULE_ID}`. Its search attribute `ResearchWeek` names the week."
)

schedule = typer.Typer(
    help="The weekly schedule, as desk.toml has it.", epilog=EXAMPLE, no_args_is_help=True
)


@schedule.command(epilog="Example: desk schedule apply")
def apply() -> ExitStatus:
    """Put the schedule of desk.toml into force; again changes nothing, and paused stays paused."""
    return at_the_server(apply_schedule)


@schedule.command(epilog="Example: desk schedule show")
def show() -> ExitStatus:
    """Show the schedule, its next starts and its latest runs."""
    return at_the_server(show_schedule)


@schedule.command(epilog="Example: desk schedule pause")
def pause() -> ExitStatus:
    """Start no more runs until it is resumed."""
    return at_the_server(pause_schedule)


@schedule.command(epilog="Example: desk schedule resume")
def resume() -> ExitStatus:
    """Start runs again."""
    return at_the_server(resume_schedule)


@schedule.command(epilog="Example: desk schedule trigger")
def trigger() -> ExitStatus:
    """Start a run now, of the latest week whose as-of instant has passed.

    Unlike `desk run`, it takes that week also when the data do not reach it yet, or when it is
    published already: then the report gets a new revision.
    """
    return at_the_server(trigger_schedule)


@schedule.command(epilog="Example: desk schedule delete")
def delete() -> ExitStatus:
    """Take the schedule away; runs and reports stay."""
    return at_the_server(delete_schedule)


class Applied(StrEnum):
    """What applying the schedule did."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


Action = Callable[[Desk], Awaitable[list[str]]]


def at_the_server(action: Action) -> ExitStatus:
    """Changes the schedule, and prints the result.

    Raises:
        CommandError: there is no schedule, or no server.
    """
    settings = load_settings()
    log_to_file(settings)

    async def work(desk: Desk) -> ExitStatus:
        lines = await action(desk)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        if desk.hosting:
            say("desk: the schedule starts runs only while `desk up` runs")
        return ExitStatus.COMPLETE

    return interruptible(with_desk(settings, work, server_only=True))


async def apply_schedule(desk: Desk) -> list[str]:
    """Applies the schedule of `desk.toml`, and says what differed; a paused schedule stays paused.
    Warns if the data will be older than the week of the next run."""
    config, deliveries = desk.settings.config, desk.settings.deliveries
    there = await _described(desk.client.get_schedule_handle(SCHEDULE_ID))
    wanted = _schedule(config, deliveries)
    changed = await _differences(desk.client, there.schedule, wanted) if there else []
    done = await apply_schedule_config(desk.client, config, deliveries)
    warning = await asyncio.to_thread(schedule_warning, desk.settings, datetime.now(UTC))
    what = f"{done} ({', '.join(changed)})" if changed else str(done)
    paused = bool(there and there.schedule.state.paused and not _for_backfills(there.schedule))
    return [
        f"{SCHEDULE_ID}: {what}; {weekly_schedule(config.schedule).note}",
        *(["  paused; `desk schedule resume` has it start runs"] if paused else []),
        *await _next_starts(desk),
        *([warning] if warning else []),
    ]


async def apply_schedule_config(
    client: Client, config: RunConfig, deliveries: Deliveries | None = None
) -> Applied:
    """Creates the schedule, or changes only what differs. A schedule that a person has paused stays
    paused; one that was created for a backfill does not."""
    wanted = _schedule(config, deliveries)
    handle = client.get_schedule_handle(SCHEDULE_ID)
    there = await _described(handle)
    if there is None:
        try:
            await client.create_schedule(SCHEDULE_ID, wanted)
        except ScheduleAlreadyRunningError:
            return await apply_schedule_config(client, config, deliveries)
        return Applied.CREATED
    if await _same(client, there.schedule, wanted) and not _for_backfills(there.schedule):
        return Applied.UNCHANGED

    def change(now: ScheduleUpdateInput) -> ScheduleUpdate:
        before = now.description.schedule
        wanted.state.paused = before.state.paused and not _for_backfills(before)
        return ScheduleUpdate(schedule=wanted)

    await handle.update(change)
    return Applied.UPDATED


def _for_backfills(schedule: Schedule) -> bool:
    return schedule.state.paused and schedule.state.note == FOR_BACKFILLS


async def _create_for_backfills(
    client: Client, config: RunConfig, deliveries: Deliveries | None
) -> None:
    """Creates the schedule paused: it is needed only to start past weeks."""
    wanted = _schedule(config, deliveries)
    wanted.state = ScheduleState(note=FOR_BACKFILLS, paused=True)
    # Another process may have created it a moment ago.
    with suppress(ScheduleAlreadyRunningError):
        await client.create_schedule(SCHEDULE_ID, wanted)


async def show_schedule(desk: Desk) -> list[str]:
    """Describes the schedule on the server, its next starts and its latest runs."""
    there = await _existing(desk.client)
    state = there.schedule.state
    lines = [
        f"{SCHEDULE_ID}: {'paused' if state.paused else 'active'}",
        *([state.note] if state.note else []),
        *await _next_starts(desk),
        f"{there.info.num_actions} runs started, "
        f"{there.info.num_actions_missed_catchup_window} missed",
    ]
    for taken in there.info.recent_actions[-5:]:
        run = getattr(taken.action, "workflow_id", "")
        lines.append(f"  {taken.scheduled_at:%Y-%m-%d %H:%M} UTC  {run}")
    learns = await _learns(desk.client, there.schedule)
    if not learns:
        lines.append(f"its runs learn nothing: {MADE_BEFORE}")
    wanted = _schedule(desk.settings.config, desk.settings.deliveries, learn=learns)
    if not await _same(desk.client, there.schedule, wanted):
        lines.append("desk.toml differs from this; `desk schedule apply` puts it into force")
    return lines


async def pause_schedule(desk: Desk) -> list[str]:
    """Pauses the schedule: no runs start until it is resumed."""
    await _existing(desk.client)
    await desk.client.get_schedule_handle(SCHEDULE_ID).pause(note="paused by `desk schedule pause`")
    return [f"{SCHEDULE_ID}: paused"]


async def resume_schedule(desk: Desk) -> list[str]:
    """Resumes the schedule."""
    await _existing(desk.client)
    note = weekly_schedule(desk.settings.config.schedule).note
    await desk.client.get_schedule_handle(SCHEDULE_ID).unpause(note=note)
    return [f"{SCHEDULE_ID}: active", *await _next_starts(desk)]


async def trigger_schedule(desk: Desk) -> list[str]:
    """Starts a run now. Its week is the latest complete one, whether the data cover it or not."""
    before = (await _existing(desk.client)).info.num_actions
    handle = desk.client.get_schedule_handle(SCHEDULE_ID)
    await handle.trigger(overlap=ScheduleOverlapPolicy.ALLOW_ALL)
    for _ in range(50):
        info = (await handle.describe()).info
        if info.num_actions > before and info.recent_actions:
            run = getattr(info.recent_actions[-1].action, "workflow_id", "")
            return [f"{SCHEDULE_ID}: started {run}"]
        await asyncio.sleep(0.1)
    return [f"{SCHEDULE_ID}: asked for a run; `desk schedule show` lists it when it has started"]


async def delete_schedule(desk: Desk) -> list[str]:
    """Deletes the schedule; runs and reports stay."""
    await _existing(desk.client)
    await desk.client.get_schedule_handle(SCHEDULE_ID).delete()
    return [f"{SCHEDULE_ID}: deleted"]


async def ready_for_backfill(
    client: Client,
    config: RunConfig,
    deliveries: Deliveries | None = None,
    *,
    look_only: bool,
) -> str | None:
    """Makes sure that past weeks can be started through the schedule. Returns what the user should
    know.

    Without a schedule, creates one that starts nothing by itself, unless `look_only` is set.

    Raises:
        CommandError: the schedule on the server has other times than `desk.toml`.
    """
    there = await _described(client.get_schedule_handle(SCHEDULE_ID))
    if there is None:
        if look_only:
            return "there is no schedule yet; without --dry-run this would create it"
        await _create_for_backfills(client, config, deliveries)
        return f"there was no schedule: {SCHEDULE_ID} is {FOR_BACKFILLS}"
    learns = await _learns(client, there.schedule)
    wanted = _schedule(config, deliveries, learn=learns)
    if not _same_times(there.schedule, wanted):
        raise CommandError(
            "desk.toml has other times than the schedule on the server; `desk schedule apply` first"
        )
    if not await _same(client, there.schedule, wanted):
        return (
            "desk.toml differs from the schedule on the server, whose configuration the runs get; "
            "`desk schedule apply` puts desk.toml into force"
        )
    return None


async def scheduled_request(client: Client) -> WeekRequest | None:
    """Returns the request with which the schedule starts its runs. Returns None if it starts no
    weeks, is gone, or cannot be read here.

    A request from before runs could learn has `learn` unset.
    """
    there = await _described(client.get_schedule_handle(SCHEDULE_ID))
    return await _request(client, there.schedule) if there else None


async def start_past_week(client: Client, start: datetime, config: RunConfig) -> None:
    """Asks the schedule for the run that it starts, or would have started, at an instant."""
    await client.get_schedule_handle(SCHEDULE_ID).backfill(
        ScheduleBackfill(
            start_at=start - _AROUND,
            end_at=start + _AROUND + config.schedule.jitter,
            # The server's default would skip it while another run is open.
            overlap=ScheduleOverlapPolicy.ALLOW_ALL,
        )
    )


async def _request(client: Client, schedule: Schedule) -> WeekRequest | None:
    action = schedule.action
    given = action.args if isinstance(action, ScheduleActionStartWorkflow) else ()
    encoded = [argument for argument in given if isinstance(argument, Payload)]
    try:
        decoded = await client.data_converter.decode(encoded, [WeekRequest])
    except (ValueError, OSError, RuntimeError):
        return None
    return next((each for each in decoded if isinstance(each, WeekRequest)), None)


async def _learns(client: Client, schedule: Schedule) -> bool:
    """Returns whether its runs learn. A schedule of something else differs from `desk.toml` in any
    case."""
    request = await _request(client, schedule)
    return request is None or request.learn


def _schedule(config: RunConfig, deliveries: Deliveries | None, *, learn: bool = True) -> Schedule:
    spec = weekly_schedule(config.schedule)
    return Schedule(
        action=ScheduleActionStartWorkflow(
            WorkflowType.WEEKLY_RESEARCH,
            WeekRequest(config=config, deliveries=deliveries, learn=learn),
            id=SCHEDULED_RUN_ID,
            task_queue=Queue.DESK,
            task_timeout=TASK_TIMEOUT,
            static_summary="Research of the week before",
            static_details=_BY_SCHEDULE,
        ),
        spec=ScheduleSpec(
            calendars=[
                ScheduleCalendarSpec(
                    day_of_week=[ScheduleRange(spec.day_of_week)],
                    hour=[ScheduleRange(spec.hour)],
                    minute=[ScheduleRange(spec.minute)],
                )
            ],
            time_zone_name=spec.time_zone,
            jitter=spec.jitter,
        ),
        policy=_policy(spec),
        state=ScheduleState(note=spec.note),
    )


def _policy(spec: WeeklySchedule) -> SchedulePolicy:
    return SchedulePolicy(overlap=_OVERLAPS[spec.overlap], catchup_window=spec.catchup_window)


async def _same(client: Client, there: Schedule, wanted: Schedule) -> bool:
    return not await _differences(client, there, wanted)


async def _differences(client: Client, there: Schedule, wanted: Schedule) -> list[str]:
    """Names what a schedule has otherwise than `desk.toml`."""
    same_action = await _action_key(client, there) == await _action_key(client, wanted)
    same = {
        "times": _same_times(there, wanted),
        "missed starts": there.policy == wanted.policy,
        "what its runs are started with": same_action,
    }
    return [name for name, equal in same.items() if not equal]


def _same_times(there: Schedule, wanted: Schedule) -> bool:
    return _times(there) == _times(wanted)


def _times(schedule: Schedule) -> tuple[object, ...]:
    spec = schedule.spec
    calendars = [
        tuple((part.start, part.end or part.start) for part in (*c.day_of_week, *c.hour, *c.minute))
        for c in spec.calendars
    ]
    return calendars, spec.time_zone_name, spec.jitter or timedelta(0)


async def _action_key(client: Client, schedule: Schedule) -> tuple[object, ...]:
    """What a schedule starts, for comparison. The server returns arguments encoded, so both sides
    are compared encoded."""
    action = schedule.action
    if not isinstance(action, ScheduleActionStartWorkflow):
        return (action,)
    encoded = [
        argument
        if hasattr(argument, "SerializeToString")
        else (await client.data_converter.encode([argument]))[0]
        for argument in action.args
    ]
    contents = [payload.data for payload in encoded]
    return action.workflow, action.id, action.task_queue, action.task_timeout, contents


async def _described(handle: ScheduleHandle) -> ScheduleDescription | None:
    try:
        return await handle.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise


async def _existing(client: Client) -> ScheduleDescription:
    there = await _described(client.get_schedule_handle(SCHEDULE_ID))
    if there is None:
        raise CommandError("there is no schedule yet; `desk schedule apply` creates it")
    return there


async def _next_starts(desk: Desk) -> list[str]:
    """Lists the next starts, if any."""
    there = await _existing(desk.client)
    if there.schedule.state.paused:
        return []
    zone = desk.settings.config.schedule.time_zone
    return [
        f"  next  {at.astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M} {zone}"
        for at in there.info.next_action_times[:3]
    ]
