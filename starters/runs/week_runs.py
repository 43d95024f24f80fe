"""The runs of a week: finding them, choosing the one that the user means, and starting them."""

import re
from typing import Any, Final

from temporalio.client import Client, WorkflowHandle
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import SearchAttribute
from desk.contracts.names import WorkflowType, week_run_id
from desk.contracts.runs.week import WeekRequest, WeekResult
from desk.contracts.week.delivery import Deliveries
from desk.contracts.weeks import parse_week
from starters.runs.server_runs import RunStart, ServerRun, run_described, started_with
from starters.terminal.exit_status import CommandError, UsageError

Run = WorkflowHandle[Any, WeekResult]
FoundRun = ServerRun[WeekResult]

WEEK: Final = SearchAttributeKey.for_keyword(SearchAttribute.RESEARCH_WEEK)


async def find_run(client: Client, week: str, subset: str | None) -> FoundRun | None:
    """Returns the newest run of a week, or of a subset of its markets. Returns None if there is
    none.

    A full run has the week's own id, or one that the schedule gave it. Visibility is delayed, so
    the week's own id is also looked up directly.
    """
    own_id = week_run_id(week, subset)
    if subset:
        return await described(client, own_id)
    full = {i for i in await run_ids(client, week) if not is_subset_run(i, week)}
    return _newest([await described(client, workflow_id) for workflow_id in full | {own_id}])


async def find_any_run(client: Client, week: str) -> FoundRun | None:
    """Like `find_run`, but falls back to the newest run of some of the markets."""
    full = await find_run(client, week, None)
    if full is not None:
        return full
    return _newest([await described(client, i) for i in await run_ids(client, week)])


def _newest(found: list[FoundRun | None]) -> FoundRun | None:
    runs = [run for run in found if run is not None]
    return max(runs, key=lambda run: run.started_at, default=None)


async def run_ids(client: Client, week: str | None = None) -> list[str]:
    """Returns the workflow ids of the runs of a week, or of all weeks, newest first."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}"'
    if week is not None:
        query += f' AND {SearchAttribute.RESEARCH_WEEK} = "{week}"'
    runs = [run async for run in client.list_workflows(query)]
    runs.sort(key=lambda run: run.start_time, reverse=True)
    return list(dict.fromkeys(run.id for run in runs))


async def newest_week(client: Client) -> str | None:
    """Returns the latest week that has a run, or None when there is none."""
    query = f'WorkflowType = "{WorkflowType.WEEKLY_RESEARCH}"'
    runs = [run async for run in client.list_workflows(query)]
    weeks = [run.typed_search_attributes.get(WEEK) for run in runs]
    return max((week for week in weeks if week), default=None)


def is_subset_run(workflow_id: str, week: str) -> bool:
    """Returns whether an id is that of a run of a subset of a week's markets."""
    return workflow_id.startswith(f"{week_run_id(week)}-")


async def described(client: Client, workflow_id: str) -> FoundRun | None:
    """Returns the latest run with an id, or None if the server knows none."""
    return await run_described(client, workflow_id, WeekResult)


def week_start(
    week: str,
    config: RunConfig,
    *,
    subset: str | None = None,
    workflow_id: str | None = None,
    deliveries: Deliveries | None = None,
    learn: bool = True,
) -> RunStart[WeekResult]:
    """What the run of a week is started with."""
    return RunStart(
        WorkflowType.WEEKLY_RESEARCH,
        workflow_id or week_run_id(week, subset),
        WeekRequest(config=config, week=week, subset=subset, deliveries=deliveries, learn=learn),
        WeekResult,
        f"Research of {week}" + (f" ({subset})" if subset else ""),
        attributes=attributes_of(week),
    )


async def known_run(client: Client, workflow_id: str) -> FoundRun:
    """Returns a run that was started a moment ago.

    Raises:
        CommandError: the server does not know it.
    """
    found = await described(client, workflow_id)
    if found is None:
        raise CommandError(f"the run {workflow_id} was started and is gone again")
    return found


async def request_of(found: FoundRun) -> WeekRequest:
    """Reads the request of a run from its history: its markets, rules and subset."""
    return await started_with(found, WeekRequest)


def attributes_of(week: str) -> TypedSearchAttributes:
    """The search attributes that a run has from its first event on."""
    return TypedSearchAttributes([SearchAttributePair(WEEK, week)])


_WEEK: Final = re.compile(r"\d{4}-?[Ww]\d+")


def week_in(run: str) -> str | None:
    """Returns the week that was written, or None if it is a workflow id.

    Raises:
        UsageError: it looks like a week and is not one.
    """
    if not _WEEK.fullmatch(run.strip()):
        return None
    try:
        return parse_week(run)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def run_named(client: Client, run: str, week: str | None) -> FoundRun:
    """Returns the newest run of the week, or the latest run with the workflow id.

    Raises:
        CommandError: there is none.
    """
    if week is not None:
        found = await find_any_run(client, week)
        advice = f"`desk run --week {week}` researches it"
    else:
        found, advice = await described(client, run), "`temporal workflow list` lists what there is"
    if found is None:
        raise CommandError(f"no run of {week or run} is known; {advice}")
    return found
