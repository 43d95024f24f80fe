"""Running the tasks of an evaluation, some side by side, each to its document and its checks."""

import asyncio
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from temporalio.client import WorkflowFailureError
from temporalio.service import RPCError

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.runs.week import WeekRequest, WeekStatus
from desk.evaluation.scores import Suite, TaskCheck, TaskScore, Verdict, Work
from desk.evaluation.table import EvaluationTable, lines_of, work_lines
from desk.evaluation.work import work_of
from desk.platform.settings import Settings
from starters.evaluation.apart import CORPUS, evaluation_desk
from starters.evaluation.suites import SuiteRuns, runs_of
from starters.runs.command_run import start_run
from starters.runs.server_runs import RunStart, ServerRun, run_described, why_it_ended
from starters.runs.watching import wait_until_published
from starters.session import Desk, at_a_desk_apart, say
from starters.terminal.exit_status import CommandError

SIDE_BY_SIDE: Final = 4
"""Runs at a time: they wait for most of theirs."""

SECONDS_A_TASK: Final = 1_800.0
"""As long as a run may take, that of a week included."""

LONGEST_ERROR: Final = 600
TOLD_EVERY: Final = 10


class Silent:
    """Shows no progress: an evaluation tells of its tasks as they end."""

    def update(self, status: WeekStatus) -> None:
        """Nothing is shown."""

    def note(self, text: str) -> None:
        """Nothing is shown."""


class RunningTasks:
    """The tasks of some suites at a desk. Every tenth that has ended is told on standard error."""

    def __init__(self, desk: Desk, suites: Sequence[SuiteRuns]) -> None:
        self._desk = desk
        self._suites = suites
        self._ended = 0
        self._room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def scores(self) -> tuple[TaskScore, ...]:
        """What every task came to, in the order of the suites and of their tasks."""
        return tuple(await asyncio.gather(*self._all()))

    def _all(self) -> Iterator[Coroutine[Any, Any, TaskScore]]:
        for suite in self._suites:
            for number, (name, asked) in enumerate(suite.asked):
                yield self._one(suite, number, name, asked)

    async def _one(self, suite: SuiteRuns, number: int, name: str, asked: str) -> TaskScore:
        async with self._room:
            began = time.monotonic()
            checks, work, error = await self._run(suite, number, name)
            seconds = round(time.monotonic() - began, 3)
        score = TaskScore(
            task_id=name,
            suite=suite.suite,
            asked=asked,
            checks=checks,
            work=work.model_copy(update={"seconds": seconds}),
            error=error,
        )
        self._tell()
        return score

    def _tell(self) -> None:
        self._ended += 1
        count = sum(len(suite.asked) for suite in self._suites)
        if self._ended % TOLD_EVERY == 0 or self._ended == count:
            say(f"desk: {self._ended} of {count} tasks")

    async def _run(
        self, suite: SuiteRuns, number: int, name: str
    ) -> tuple[tuple[TaskCheck, ...], Work, str | None]:
        work = Work()
        run: ServerRun[Any] | None = None
        try:
            async with asyncio.timeout(SECONDS_A_TASK):
                start = suite.start(number, self._desk.settings)
                run = await start_run(self._desk.client, start)
                files = await self._published(start, run)
                work = await self._work(run)
            checks, dropped = suite.checks(number, Path(files.json_file))
            return checks, work.model_copy(update={"dropped": dropped}), None
        except (WorkflowFailureError, CommandError, TimeoutError) as error:
            told = why_it_ended(error) if isinstance(error, WorkflowFailureError) else str(error)
            if run is not None:
                work = await self._work(run)
            return (_failed(name),), work, (told or "it took too long")[:LONGEST_ERROR]

    async def _published(self, start: RunStart[Any], run: ServerRun[Any]) -> PublishedFiles:
        """The files of a run's document. A week that waits for reruns is ended."""
        if not isinstance(start.request, WeekRequest):
            result = await run.handle.result()
            files: PublishedFiles = result.files
            return files
        published = await wait_until_published(run, start.request.week or "", Silent())
        with suppress(RPCError):
            await run.handle.terminate("its report has been evaluated")
        return published.files

    async def _work(self, run: ServerRun[Any]) -> Work:
        """What a run took, those that it went on in included."""
        latest = await run_described(run.client, run.workflow_id, run.returns) or run
        return await work_of(run.client, latest.workflow_id, latest.run_id)


def _failed(name: str) -> TaskCheck:
    return TaskCheck(check_id=f"{name}/run", kind="run", verdict=Verdict.FAILED)


@dataclass(frozen=True)
class EvaluationAsked:
    """What an evaluation is of. Without `tasks` each suite has as many as usual; `budget_usd` is
    for all of them together."""

    model: str
    suites: Sequence[Suite]
    seed: int
    tasks: int | None = None
    budget_usd: float | None = None


async def evaluated(settings: Settings, asked: EvaluationAsked) -> EvaluationTable:
    """The table of an evaluation, at a desk apart.

    Raises:
        CommandError: a suite needs a package that is not installed.
    """
    from workers.hosting import Role

    began = time.monotonic()
    chosen: list[SuiteRuns] = []

    def settings_in(folder: Path) -> Settings:
        chosen[:] = runs_of(asked.suites, asked.seed, asked.tasks, folder / CORPUS)
        count = sum(len(each.asked) for each in chosen)
        return evaluation_desk(settings, folder, asked.model, usd=_share(settings, asked, count))

    async def work(desk: Desk) -> tuple[TaskScore, ...]:
        return await RunningTasks(desk, chosen).scores()

    scores = await at_a_desk_apart("desk-eval-", settings_in, work, (Role.ALL,))
    return EvaluationTable(
        model=asked.model,
        seed=asked.seed,
        asked={each.suite: len(each.asked) for each in chosen},
        made_at=datetime.now(UTC),
        seconds=round(time.monotonic() - began, 1),
        lines=lines_of(scores),
        work=work_lines(scores),
        tasks=scores,
    )


def _share(settings: Settings, asked: EvaluationAsked, count: int) -> Decimal | None:
    """What each of so many tasks may cost: together as much as was said, or one run of the desk;
    None where the desk has no limit."""
    usual = settings.config.policy.budget.usd
    whole = usual if asked.budget_usd is None else Decimal(str(asked.budget_usd))
    return None if whole is None else round(whole / max(count, 1), 6)
