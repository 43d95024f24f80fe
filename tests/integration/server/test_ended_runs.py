"""What is known of a week whose latest run ended badly, at a real server.

A small workflow stands in for the weekly one: it publishes, and then returns, or waits.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.worker import Worker

from activities.publishing.publishing import PublishingActivities
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import ActivityName, Queue, WorkflowType
from desk.contracts.runs.week import (
    Publication,
    PublishRequest,
    RerunRequest,
    WeekRequest,
    WeekResult,
)
from starters.runs.command_run import start_run
from starters.runs.watching import published_by
from starters.runs.week_results import EndedWithoutReport, last_record, last_result
from starters.runs.week_runs import FoundRun, described, request_of, week_start
from starters.weeks.rerun import signal_rerun
from tests.support.documents.reports import sample_record, sample_report
from tests.support.processes.homes import home_settings

RECORD = sample_record()
WEEK = RECORD.week
CONFIG = home_settings(Path("unused")).config
FILES = PublishedFiles(markdown="w.md", html="w.html", json_file="w.json")
SECONDS = timedelta(seconds=60)


@activity.defn
async def publish_report(request: PublishRequest) -> Publication:
    """Publish nothing, and say that it was."""
    coverage = sample_report().coverage
    return Publication(files=FILES, coverage=coverage, outcome=Outcome.COMPLETE, headline="x")


@workflow.defn(name=WorkflowType.WEEKLY_RESEARCH, sandboxed=False)
class PublishingOrNot:
    """The subset says what it does: `returns`, `waits` after it published, or `nothing`, as
    without one."""

    @workflow.run
    async def run(self, request: WeekRequest) -> WeekResult:
        """What was published."""
        if request.subset in (None, "nothing"):
            await workflow.wait_condition(lambda: False)
        publication = await workflow.execute_activity(
            publish_report,
            PublishRequest(record=RECORD, config=request.config, workflow_id="w", run_id="r"),
            start_to_close_timeout=SECONDS,
        )
        if request.subset == "waits":
            await workflow.wait_condition(lambda: False)
        return WeekResult(
            outcome=publication.outcome,
            coverage=publication.coverage,
            files=publication.files,
            record=RECORD,
        )


@pytest.fixture
async def client(server: Client) -> AsyncIterator[Client]:
    async with Worker(
        server,
        task_queue=Queue.DESK,
        workflows=[PublishingOrNot],
        activities=[publish_report],
    ):
        yield server


async def returned(client: Client) -> None:
    """A run that published and closed."""
    run = await start(client, "returns")
    await run.handle.result()


async def start(client: Client, how: str) -> FoundRun:
    return await start_run(
        client, week_start(WEEK, CONFIG, subset=how, workflow_id=f"weekly-{WEEK}")
    )


async def ended(client: Client, how: str) -> FoundRun:
    """A run that was terminated, once it had published where it does."""
    run = await start(client, how)
    if how == "waits":
        await until_published(run)
    await run.handle.terminate("by hand")
    return await latest(client)


async def until_published(run: FoundRun) -> None:
    async with asyncio.timeout(60):
        while not await activity_done(run):
            await asyncio.sleep(0.05)


async def activity_done(run: FoundRun) -> bool:
    events = [event async for event in run.handle.fetch_history_events()]
    return any(event.HasField("activity_task_completed_event_attributes") for event in events)


async def latest(client: Client) -> FoundRun:
    found = await described(client, f"weekly-{WEEK}")
    assert found is not None
    return found


async def test_a_run_that_ended_badly_without_a_report_says_so(client: Client) -> None:
    found = await ended(client, "nothing")
    with pytest.raises(EndedWithoutReport, match="ended without a report"):
        await last_result(found, WEEK)
    with pytest.raises(EndedWithoutReport):
        await last_record(found, WEEK)


async def test_who_asks_a_run_without_a_report_for_a_rerun_is_told_what_to_do(
    client: Client,
) -> None:
    run = await start_run(client, week_start(WEEK, CONFIG, workflow_id=f"weekly-{WEEK}"))
    await run.handle.cancel()
    with suppress(WorkflowFailureError):
        await run.handle.result()
    asked = RerunRequest(market=CONFIG.market_names[0], reason="again")
    with pytest.raises(EndedWithoutReport, match=rf"; `desk run --week {WEEK}` researches it anew"):
        await signal_rerun(client, await latest(client), WEEK, asked)


async def test_so_is_who_asks_a_run_of_some_markets(client: Client) -> None:
    found = await ended(client, "nothing")
    markets = ",".join(CONFIG.market_names)
    with pytest.raises(EndedWithoutReport, match=f"desk run --week {WEEK} --markets {markets}`"):
        await last_record(found, WEEK)


async def test_what_a_run_published_before_it_was_terminated_counts(client: Client) -> None:
    found = await ended(client, "waits")
    result = await last_result(found, WEEK)
    assert (result.record, result.files) == (RECORD, FILES)
    published = await published_by(found, WEEK)
    assert published is not None and published.revision == RECORD.revisions[-1].revision


@pytest.mark.parametrize("earlier", ["returns", "waits"])
async def test_a_bad_end_does_not_hide_what_an_earlier_run_published(
    client: Client, earlier: str
) -> None:
    if earlier == "returns":
        await returned(client)
    else:
        await ended(client, "waits")
    found = await ended(client, "nothing")
    async with asyncio.timeout(60):
        # The server lists a closed run a moment after it closed.
        while True:
            try:
                result = await last_result(found, WEEK)
                break
            except EndedWithoutReport:
                await asyncio.sleep(0.05)
    assert (result.record, result.files) == (RECORD, FILES)


async def test_a_resumed_run_that_ended_badly_is_resumed_from_the_same_record(
    client: Client,
) -> None:
    handle = await client.start_workflow(
        WorkflowType.WEEKLY_RESEARCH,
        WeekRequest(config=CONFIG, week=WEEK, subset="nothing", resume=RECORD),
        id=f"weekly-{WEEK}",
        task_queue=Queue.DESK,
    )
    await handle.terminate("by hand")
    found = await latest(client)
    assert await last_record(found, WEEK) == RECORD
    asked = RerunRequest(market=CONFIG.market_names[0], reason="again")
    reopened = await signal_rerun(client, found, WEEK, asked)
    assert reopened.open and reopened.run_id != found.run_id
    assert (await request_of(reopened)).resume == RECORD


def test_the_publishing_activity_of_the_desk_has_the_name_that_is_looked_for() -> None:
    assert (
        PublishingActivities.publish_report.__name__
        == ActivityName.PUBLISH_REPORT
        == publish_report.__name__
    )
