"""A real desk in the process of the test: embedded server, workers of all roles, real sources."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

from desk.contracts.agents.config import RunConfig
from desk.contracts.names import Queue
from desk.contracts.runs.week import WeekRequest
from desk.contracts.week.report import ResearchReport
from desk.platform.server.embedded import embedded_server
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER
from starters.published.published_files import read_report
from starters.session import Desk
from tests.support.processes.homes import home_settings
from tests.support.processes.namespaces import Namespace
from workers.hosting import Role, hosted
from workflows.week.week import WeeklyResearchWorkflow


@asynccontextmanager
async def real_desk(
    directory: Path, markets: tuple[str, ...] = (), *, at: Namespace | None = None, **variables: str
) -> AsyncIterator[Desk]:
    """A desk at work in a directory of its own, for some of its markets or for all: on an embedded
    server, or as on one in a namespace."""
    settings = home_settings(directory, **variables)
    if markets:
        settings = with_markets(settings, markets)
    async with AsyncExitStack() as stack:
        if at is None:
            await stack.enter_async_context(embedded_server(settings.home, settings.server))
            client = await connect(settings)
        else:
            client = await connect(at.settings(directory, **variables))
        await stack.enter_async_context(hosted(client, settings, [Role.ALL]))
        yield Desk(client, settings, hosting=True)


def with_markets(settings: Settings, markets: tuple[str, ...]) -> Settings:
    """The settings with some of the configured markets only."""
    specs = tuple(spec for spec in settings.config.markets if spec.market in markets)
    config = settings.config.model_copy(update={"markets": specs})
    return settings.model_copy(update={"config": config})


async def researched(desk: Desk, week: str, run_id: str, *, learn: bool = False) -> ResearchReport:
    """The report of a week by a run that closes as soon as it is published."""
    await desk.client.execute_workflow(
        WeeklyResearchWorkflow.run,
        WeekRequest(config=closing_at_once(desk.settings.config), week=week, learn=learn),
        id=run_id,
        task_queue=Queue.DESK,
    )
    return read_report(report_file(desk.settings, week))


def report_file(settings: Settings, week: str, suffix: str = "json") -> Path:
    """Where a form of a week's latest report stands."""
    return settings.reports_dir / FOLDER / f"{week}-{DEFAULT_SLUG}.{suffix}"


def closing_at_once(config: RunConfig) -> RunConfig:
    """The configuration with no time for reruns."""
    policy = config.policy
    deadlines = policy.deadlines.model_copy(update={"open_for_reruns": timedelta(milliseconds=1)})
    return config.model_copy(update={"policy": policy.model_copy(update={"deadlines": deadlines})})
