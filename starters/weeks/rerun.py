"""`desk rerun`: requests a rerun and follows it."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import typer
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.findings.claims import Claim
from desk.contracts.names import Message, WorkflowType
from desk.contracts.runs.week import MOST_REASON, RerunRequest, WeekResult
from desk.contracts.week.report import MOST_REVISIONS, MarketReport, ResearchReport
from desk.platform.settings import Settings, load_settings
from starters.monitoring.week_progress import shown_progress
from starters.published.published_files import report_if_here
from starters.runs.command_run import at_a_desk, start_run
from starters.runs.market_choice import known_market
from starters.runs.server_runs import RunStart
from starters.runs.summary import PublishedWeek, print_week
from starters.runs.watching import WeekProgress, published_by, wait_until_published
from starters.runs.week_choice import written_week
from starters.runs.week_results import EndedWithoutReport, last_record
from starters.runs.week_runs import (
    FoundRun,
    attributes_of,
    described,
    find_any_run,
    known_run,
    newest_week,
    request_of,
)
from starters.session import Desk
from starters.terminal.completion import markets
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.logs import log_to_file
from starters.terminal.options import of_week

EXAMPLE = 'Example: desk rerun USD/JPY --week 2026-W44 --reason "the fixing of Friday was revised"'


def rerun(
    market: Annotated[
        str,
        typer.Argument(metavar="MARKET", autocompletion=markets, help="Such as USD/JPY, or JP."),
    ],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why; printed in the report.")
    ],
    week: Annotated[
        str | None,
        of_week("ISO week such as 2026-W44; without it, the latest that was researched."),
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only ask; do not wait for the new revision.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")
    ] = False,
) -> ExitStatus:
    """Research one market again, and publish a new revision that says what was redone and why.

    The same from the Temporal CLI: temporal workflow signal --workflow-id weekly-2026-W44
    --name rerun_market --input '{"market":"USD/JPY","reason":"..."}'. A week that has closed is
    started again from its published result, and only that market is touched.
    """
    return rerun_market(RerunOptions(market, reason, week, not no_wait, as_json))


def changes_between(
    before: ResearchReport | None, after: ResearchReport | None, market: str
) -> tuple[str, ...]:
    """Lists everything that changed, a line each. Returns a single line if nothing changed, or if
    one of the reports is not available."""
    if before is None or after is None:
        return (f"{market}: what changed is not known here: one of the two reports is not at hand",)
    old, new = _section(before, market), _section(after, market)
    if new is None:
        return (f"{market} is not in the report",)
    if old is None:
        return (f"{market} is new in the report",)
    return tuple(_changes(old, new)) or (f"{market}: nothing changed, every figure is as it was",)


def _changes(old: MarketReport, new: MarketReport) -> Iterator[str]:
    if old.outcome is not new.outcome:
        yield f"{new.market}: {old.outcome} -> {new.outcome}"
    was = {claim.claim_id: claim for claim in old.claims}
    now = {claim.claim_id: claim for claim in new.claims}
    for name, claim in now.items():
        if name not in was:
            yield f"{name} is new: {_figure(claim)}"
        elif was[name].value != claim.value:
            yield f"{name}: {_figure(was[name])} -> {_figure(claim)}"
    yield from (f"{name} is gone (was {_figure(was[name])})" for name in was if name not in now)
    if len(old.events) != len(new.events):
        yield f"{new.market}: {len(old.events)} -> {len(new.events)} events"


def _figure(claim: Claim) -> str:
    return f"{claim.value:f} {claim.unit.replace('_', ' ')}"


def _section(report: ResearchReport, market: str) -> MarketReport | None:
    return next((section for section in report.markets if section.market == market), None)


async def signal_rerun(client: Client, found: FoundRun, week: str, rerun: RerunRequest) -> FoundRun:
    """Requests a rerun: of an open run by a signal, of a closed run by starting it again.

    Raises:
        EndedWithoutReport: there is no record to start again from.
    """
    if found.open:
        try:
            # Addressed by its id alone: it may have continued as new since it was looked up.
            await client.get_workflow_handle(found.workflow_id).signal(Message.RERUN_MARKET, rerun)
            return found
        except RPCError as error:
            # It closed since it was looked up; the code below handles closed runs.
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
        found = await known_run(client, found.workflow_id)
    request = await request_of(found)
    record = await last_record(found, week)
    start = RunStart(
        WorkflowType.WEEKLY_RESEARCH,
        found.workflow_id,
        request.model_copy(update={"week": week, "resume": record, "carried": None}),
        WeekResult,
        f"Research of {week}, reopened for {rerun.market}",
        attributes=attributes_of(week),
        signal=(Message.RERUN_MARKET, rerun),
    )
    return await start_run(client, start)


@dataclass(frozen=True)
class RerunOptions:
    """The options of `desk rerun`. `workflow_id` names the run if it is already known."""

    market: str
    reason: str
    week: str | None = None
    wait: bool = True
    as_json: bool = False
    workflow_id: str | None = None


def rerun_market(options: RerunOptions) -> ExitStatus:
    """Has a market researched again, and prints what changed.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    settings = load_settings()
    rerun = rerun_of(settings, options)
    log_to_file(settings)
    return at_a_desk(
        settings,
        rerun.work,
        lambda: f"detached; `desk status --week {rerun.week}` says how far the rerun is",
    )


def rerun_of(settings: Settings, options: RerunOptions) -> "MarketRerun":
    """Builds the rerun that the options ask for.

    Raises:
        UsageError: the market or the week is invalid, or the reason is empty or too long.
    """
    market, length = known_market(settings.config, options.market), len(options.reason.strip())
    if not length:
        raise UsageError("--reason is empty: the report says why a market was redone")
    if length > MOST_REASON:
        raise UsageError(f"--reason has {length:,} characters; at most {MOST_REASON:,}")
    week = written_week(options.week, datetime.now(UTC), settings.config.schedule)
    return MarketRerun(settings, options, market, week)


class MarketRerun:
    """One rerun. `work` may be called again at another desk, and does not repeat the request."""

    def __init__(
        self, settings: Settings, options: RerunOptions, market: str, week: str | None
    ) -> None:
        self._settings = settings
        self._options = options
        self._market = market
        self.week = week
        self._before: PublishedWeek | None = None
        self._asked: FoundRun | None = None

    async def work(self, desk: Desk) -> ExitStatus:
        """Requests the rerun, waits for its revision, and prints it."""
        found, week = await self._found(desk)
        before = self._before = self._before or await _published(found, week)
        old = report_if_here(before.files) if before else None
        if self._asked is None:
            found = self._asked = await self._ask(desk, found, week)
        if not self._options.wait:
            sys.stdout.write(f"asked {found.workflow_id} for a rerun of {self._market}\n")
            return ExitStatus.COMPLETE
        with shown_progress() as progress:
            published = await self._wait(found, week, before, progress)
        new = report_if_here(published.files)
        changes = changes_between(old, new, self._market)
        return print_week(desk, published, new, as_json=self._options.as_json, changes=changes)

    async def ask(self, desk: Desk) -> FoundRun:
        """Requests the rerun without waiting for it. Returns the run that does it.

        Raises:
            UsageError, CommandError: the message says what to do next.
        """
        found, week = await self._found(desk)
        self._before = await _published(found, week)
        return await self._ask(desk, found, week)

    async def _found(self, desk: Desk) -> tuple[FoundRun, str]:
        """Returns the run whose market is redone, with its week."""
        self.week = self.week or await self._newest_week(desk)
        return await self._find(desk, self.week), self.week

    async def _newest_week(self, desk: Desk) -> str:
        week = await newest_week(desk.client)
        if week is None:
            raise CommandError("no week has been researched yet; `desk run` does it")
        return week

    async def _find(self, desk: Desk, week: str) -> FoundRun:
        chosen = self._options.workflow_id
        found = (
            await described(desk.client, chosen)
            if chosen
            else await find_any_run(desk.client, week)
        )
        if found is None:
            raise CommandError(f"no run of {week}; `desk run --week {week}` researches it")
        return found

    async def _ask(self, desk: Desk, found: FoundRun, week: str) -> FoundRun:
        request = await request_of(found)
        if self._market not in request.config.market_names:
            raise UsageError(
                f"{self._market} is not among the markets of {found.workflow_id}; "
                f"`desk run --week {week} --markets {self._market}` researches it"
            )
        if self._before is not None and self._before.revision + 1 >= MOST_REVISIONS:
            raise CommandError(
                f"{week} has {self._before.revision} revisions, the most there can be"
            )
        rerun = RerunRequest(market=self._market, reason=self._options.reason.strip())
        return await signal_rerun(desk.client, found, week, rerun)

    async def _wait(
        self, found: FoundRun, week: str, before: PublishedWeek | None, progress: WeekProgress
    ) -> PublishedWeek:
        after, began = before.revision if before else 0, time.monotonic()
        published = await wait_until_published(
            found, week, progress, after=after, market=self._market
        )
        return published.model_copy(update={"seconds": time.monotonic() - began})


async def _published(found: FoundRun, week: str) -> PublishedWeek | None:
    """Returns the report to compare with, if any. Whether there is a record to start from is
    checked later."""
    try:
        return await published_by(found, week)
    except EndedWithoutReport:
        return None
