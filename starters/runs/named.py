"""The run that a person means who writes a week or a workflow id."""

import re
from typing import Final

from temporalio.client import Client

from desk.analytics.weeks import parse_week
from starters.runs.week_runs import FoundRun, described, find_any_run
from starters.terminal.exit_status import CommandError, UsageError

_WEEK: Final = re.compile(r"\d{4}-?[Ww]\d+")


def week_in(run: str) -> str | None:
    """The week that was written; None where it is a workflow id.

    Raises:
        UsageError: it looks like a week and is none.
    """
    if not _WEEK.fullmatch(run.strip()):
        return None
    try:
        return parse_week(run)
    except ValueError as error:
        raise UsageError(str(error)) from None


async def run_named(client: Client, run: str, week: str | None) -> FoundRun:
    """The newest run of the week, or the latest run of the workflow id.

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
