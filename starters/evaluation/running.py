"""Runs the tasks of an evaluation, several concurrently, up to their documents and checks.

They run on a separate desk beside the user's: in a temporary folder, on frozen evidence. The cost
of a run is counted from its history and its children's.
"""

import asyncio
import json
import time
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, JsonValue
from temporalio.client import Client, WorkflowFailureError
from temporalio.service import RPCError

from desk.contracts.agents.config import AgentConfig, RunConfig
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.base import Contract, Text
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import ActivityName, AgentId, WorkflowType
from desk.contracts.runs.week import WeekRequest, WeekStatus
from desk.evaluation.scores import Suite, TaskCheck, TaskScore, Verdict, Work
from desk.evaluation.table import EvaluationTable, lines_of, work_lines
from desk.platform.settings import DEFAULTS, McpTransport, Settings, load_settings
from desk.platform.temporal.history import RunHistory, calls_of, fetch_chain, fetch_history
from starters.evaluation.suites import SuiteRuns, runs_of
from starters.runs.command_run import start_run
from starters.runs.server_runs import RunStart, ServerRun, run_described, why_it_ended
from starters.runs.watching import wait_until_published
from starters.session import Desk, at_temporary_desk, say, temporary_desk_settings
from starters.terminal.exit_status import CommandError

KNOWLEDGE: Final = "knowledge"
CORPUS: Final = "corpus"
MCP_JSON: Final = ".mcp.json"

ESCALATION: Final = timedelta(seconds=2)
"""How long a conflict waits for a person. An evaluation has none."""

PATIENT: Final = {
    "task": timedelta(minutes=25),
    "tool_tries": timedelta(minutes=10),
    "tool_call": timedelta(minutes=2),
}
TRIES: Final = 20
"""How often a late task is retried. The load of the machine must not affect the result, so a task
is also retried if a worker was held up longer than its heartbeat timeout."""


def evaluation_desk(
    settings: Settings, folder: Path, model: str, *, usd: Decimal | None
) -> Settings:
    """Builds the settings of a desk in a folder, with the markets, rules and packaged sources that
    are shipped with the desk, independent of the user's. Its corpus is the folder `corpus`.

    All agents are the model, reached by the user's settings. Each run may cost at most `usd`.
    `builtin` calls no model and needs no key.
    """
    usual = load_settings(folder, {})
    apart = temporary_desk_settings(settings, folder)
    by_model = model != BUILTIN
    return apart.model_copy(
        update={
            "config": _config(usual.config, model, usd),
            "deliveries": None,
            "project_dir": folder,
            "desk_config": usual.desk_config,
            "mcp_config": _sources(folder),
            "mcp_transport": McpTransport.IN_PROCESS,
            "memory": usual.memory,
            "payload_keys": None,
            "signing_key": None,
            "metrics_address": None,
            "anthropic_api_key": settings.anthropic_api_key if by_model else None,
        }
    )


def _sources(folder: Path) -> Path:
    """Writes the packaged sources; `knowledge` has the corpus of the evaluation."""
    written = json.loads((DEFAULTS / MCP_JSON).read_text(encoding="utf-8"))
    written["mcpServers"][KNOWLEDGE]["args"] += ["--corpus", str(folder / CORPUS)]
    path = folder / MCP_JSON
    path.write_text(json.dumps(written), encoding="utf-8")
    return path


def _config(usual: RunConfig, model: str, usd: Decimal | None) -> RunConfig:
    """The default rules with one model for all agents. A conflict gets its default at once, because
    no person decides it."""
    entries = {entry.agent: entry for entry in usual.policy.agents}
    agents = tuple(
        entries.get(agent, AgentConfig(agent=agent)).model_copy(update={"model": model})
        for agent in AgentId.known()
    )
    deadlines = usual.policy.deadlines.model_copy(
        update={**PATIENT, "escalation": ESCALATION, "reminder": ESCALATION}
    )
    retries = usual.policy.retries.model_copy(update={"max_attempts": TRIES})
    budget = usual.policy.budget
    if usd is not None:
        budget = budget.model_copy(update={"usd": usd})
    policy = usual.policy.model_copy(
        update={"agents": agents, "deadlines": deadlines, "retries": retries, "budget": budget}
    )
    return usual.model_copy(update={"policy": policy})


class TurnTaken(Contract):
    """The part of a turn that is counted. The contents of a result are not."""

    result: JsonValue = None
    rejected: Annotated[tuple[JsonValue, ...], Field(max_length=100)] = ()
    feedback: Annotated[Text | None, Field(validation_alias="objection")] = None
    usage: Usage = Usage()

    @property
    def by_model(self) -> bool:
        """Whether a model took the turn."""
        return self.usage.model != BUILTIN

    @property
    def sent_back(self) -> bool:
        """Whether the desk refused the model's answer."""
        return self.by_model and (self.feedback is not None or bool(self.rejected))

    @property
    def stands(self) -> bool:
        """Whether it is a model's result that the desk fully accepted."""
        return self.by_model and self.result is not None and not self.sent_back


async def work_of(client: Client, workflow_id: str, run_id: str) -> Work:
    """Counts what a run cost, without its duration, including its children and the executions that
    it continued."""
    histories = [each async for each in fetch_chain(client, workflow_id, run_id)]
    counted = await asyncio.gather(*(_counted(client, each) for each in histories))
    return _sum(counted)


async def _counted(client: Client, history: RunHistory) -> Work:
    own = await _own(history)
    children = [
        child.started
        for child in history.children
        if child.started and child.initiated.workflow_type != WorkflowType.HYPOTHESIS
    ]
    below = [
        await _counted(client, await fetch_history(client, child.workflow_id, child.run_id))
        for child in children
    ]
    return _sum((own, *below))


async def _own(history: RunHistory) -> Work:
    turns: dict[str, list[TurnTaken]] = {}
    calls = 0
    for activity in history.activities:
        name, ended = activity.scheduled.name, activity.ended
        if name == ActivityName.CALL_TOOL:
            made = await calls_of(history, activity.scheduled, ended)
            calls += sum(not call.again for call in made)
        if name == ActivityName.TAKE_TURN and activity.completed and ended is not None:
            taken = await history.decode(ended.result, TurnTaken)
            task = activity.scheduled.activity_id.rpartition(".")[0]
            turns.setdefault(task, []).append(taken)
    every = [turn for each in turns.values() for turn in each]
    return Work(
        turns=len(every),
        model_turns=sum(turn.by_model for turn in every),
        objected=sum(turn.sent_back for turn in every),
        mended=sum(_corrected_turns(each) for each in turns.values()),
        tool_calls=calls,
        tokens=sum(turn.usage.tokens for turn in every),
        cost_usd=sum((turn.usage.cost_usd for turn in every), Work().cost_usd),
        unpriced_calls=sum(turn.usage.unpriced_calls for turn in every),
    )


def _corrected_turns(turns: list[TurnTaken]) -> int:
    """Returns how many of a task's refused turns were followed by an accepted answer."""
    last = len(turns) - next((n for n, t in enumerate(reversed(turns)) if t.stands), len(turns))
    return sum(turn.sent_back for turn in turns[:last])


def _sum(works: Iterable[Work]) -> Work:
    total = Work()
    for work in works:
        total = total.plus(work)
    return total


SIDE_BY_SIDE: Final = 4
"""The number of concurrent runs. They wait most of their time."""

SECONDS_A_TASK: Final = 1_800.0
"""The longest that a run may take, including that of a week."""

LONGEST_ERROR: Final = 600
PAUSE_SECONDS: Final = 2.0
TOLD_EVERY: Final = 10


class Silent:
    """Shows no progress. An evaluation reports its tasks as they end."""

    def update(self, status: WeekStatus) -> None:
        """Does nothing."""

    def note(self, text: str) -> None:
        """Does nothing."""


class RunningTasks:
    """The tasks of some suites on a desk. Reports every tenth finished task on standard error."""

    def __init__(self, desk: Desk, suites: Sequence[SuiteRuns]) -> None:
        self._desk = desk
        self._suites = suites
        self._ended = 0
        self._room = asyncio.Semaphore(SIDE_BY_SIDE)
        self._left = TRIES

    async def scores(self) -> tuple[TaskScore, ...]:
        """Returns the score of every task, in the order of the suites and their tasks."""
        return tuple(await asyncio.gather(*self._all()))

    def _all(self) -> Iterator[Coroutine[Any, Any, TaskScore]]:
        for suite in self._suites:
            for number, (name, asked) in enumerate(suite.asked):
                yield self._one(suite, number, name, asked)

    async def _one(self, suite: SuiteRuns, number: int, name: str, asked: str) -> TaskScore:
        async with self._room:
            began = time.monotonic()
            checks, work, error = await self._run_with_retries(suite, number, name)
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

    async def _run_with_retries(
        self, suite: SuiteRuns, number: int, name: str
    ) -> tuple[tuple[TaskCheck, ...], Work, str | None]:
        """Returns the outcome of a task. Retries if the server does not answer in time, up to
        `TRIES` times for all tasks together; the run continues meanwhile.

        Raises:
            RPCError: the server has failed to answer too often.
        """
        while True:
            try:
                return await self._run(suite, number, name)
            except RPCError:
                if not self._left:
                    raise
                self._left -= 1
                await asyncio.sleep(PAUSE_SECONDS)

    async def _run(
        self, suite: SuiteRuns, number: int, name: str
    ) -> tuple[tuple[TaskCheck, ...], Work, str | None]:
        work = Work()
        run: ServerRun[Any] | None = None
        try:
            async with asyncio.timeout(SECONDS_A_TASK):
                start = suite.start(number, self._desk.settings)
                client = self._desk.client
                run = await run_described(client, start.workflow_id, start.returns)
                run = run or await start_run(client, start)
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
        """Returns the files of a run's document. Terminates a week that waits for reruns."""
        if not isinstance(start.request, WeekRequest):
            result = await run.handle.result()
            files: PublishedFiles = result.files
            return files
        published = await wait_until_published(run, start.request.week or "", Silent())
        with suppress(RPCError):
            await run.handle.terminate("its report has been evaluated")
        return published.files

    async def _work(self, run: ServerRun[Any]) -> Work:
        """Counts what a run cost, including the executions in which it continued."""
        latest = await run_described(run.client, run.workflow_id, run.returns) or run
        return await work_of(run.client, latest.workflow_id, latest.run_id)


def _failed(name: str) -> TaskCheck:
    return TaskCheck(check_id=f"{name}/run", kind="run", verdict=Verdict.FAILED)


@dataclass(frozen=True)
class EvaluationOptions:
    """What to evaluate. Without `tasks` each suite has its default number. `budget_usd` is for all
    tasks together."""

    model: str
    suites: Sequence[Suite]
    seed: int
    tasks: int | None = None
    budget_usd: float | None = None


async def evaluated(settings: Settings, asked: EvaluationOptions) -> EvaluationTable:
    """Runs an evaluation on a separate desk, and returns its table.

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

    scores = await at_temporary_desk("desk-eval-", settings_in, work, (Role.ALL,))
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


def _share(settings: Settings, asked: EvaluationOptions, count: int) -> Decimal | None:
    """Returns what each task may cost: an equal part of the budget, or the desk's limit for one
    run. Returns None if the desk has no limit."""
    usual = settings.config.policy.budget.usd
    whole = usual if asked.budget_usd is None else Decimal(str(asked.budget_usd))
    return None if whole is None else round(whole / max(count, 1), 6)
