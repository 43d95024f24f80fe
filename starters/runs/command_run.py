"""The run of a command: found or started, followed, printed, and left at Ctrl-C."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy

from desk.contracts.names import Queue
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import Settings
from starters.runs.progress import Progress
from starters.runs.server_runs import RunStart, ServerRun, run_described
from starters.session import Desk, require_workers, say, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.interrupts import interruptible
from workflows.engine.options import TASK_TIMEOUT

Result = TypeVar("Result")
Status = TypeVar("Status")
Outcome = TypeVar("Outcome")

LONGEST_SUMMARY = 100


def at_a_desk(
    settings: Settings,
    work: Callable[[Desk], Awaitable[ExitStatus]],
    parting_words: Callable[[], str],
) -> ExitStatus:
    """Does a command's work at a desk with workers. At Ctrl-C it prints the parting words."""

    async def with_workers(desk: Desk) -> ExitStatus:
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        return await work(desk)

    try:
        return interruptible(with_desk(settings, with_workers))
    except KeyboardInterrupt:
        say(f"desk: {parting_words()}")
        return ExitStatus.INTERRUPTED


async def start_run(
    client: Client, start: RunStart[Result], *, replace: bool = False
) -> ServerRun[Result]:
    """Starts a run, or finds the one that somebody started a moment ago.

    With `replace`, an open run of the same id is ended and replaced.

    Raises:
        UsageError: it could do nothing with what is asked, and was not started.
        CommandError: it is gone again.
    """
    if start.check is not None:
        await start.check(client)
    policy = WorkflowIDConflictPolicy
    signal, *sent = start.signal or (None,)
    handle = await client.start_workflow(
        start.workflow,
        start.request,
        id=start.workflow_id,
        task_queue=Queue.DESK,
        result_type=start.returns,
        start_signal=signal,
        start_signal_args=sent,
        search_attributes=start.attributes,
        id_conflict_policy=policy.TERMINATE_EXISTING if replace else policy.USE_EXISTING,
        task_timeout=TASK_TIMEOUT,
        static_summary=one_line(start.about)[:LONGEST_SUMMARY],
    )
    found = await run_described(client, handle.id, start.returns)
    if found is None:
        raise CommandError(f"the run {handle.id} was started and is gone again")
    return found


def when_it_goes_on(*, hosting: bool, external: bool) -> str:
    """The words on when a run goes on without its command: at once where another process hosts the
    desk. Whether a server of the user's own has workers is not known here."""
    return f"goes on {'when a desk is up' if hosting or external else 'at the desk that is up'}"


class CommandRun(ABC, Generic[Result, Status, Outcome]):
    """A run that a command starts or comes back to, and follows until its outcome is printed.

    `work` may be called again, at another desk, and goes on where it was. With `anew` a new run
    replaces the existing one. Without `wait` the run is only started.
    """

    def __init__(self, *, anew: bool, wait: bool = True) -> None:
        self._anew = anew
        self._wait = wait
        self._started = False
        self._asked_for = False
        self._hosting = False
        self._goes_on_when = when_it_goes_on(hosting=False, external=True)

    def carried_out(self, settings: Settings) -> ExitStatus:
        """Does the command's work.

        Raises:
            UsageError, CommandError: with what to do next.
        """
        return at_a_desk(settings, self.work, self._parting_words)

    async def work(self, desk: Desk) -> ExitStatus:
        """Finds or starts the run, follows it, and prints its outcome."""
        self._met(desk)
        await self._prepare(desk, lambda text: say(f"desk: {text}"))
        with self._shown() as progress:
            found, outcome = await self._begun(desk, progress)
            if outcome is None and self._wait:
                outcome = await self._outcome(found, progress)
        return self._left_alone(found) if outcome is None else self._print(desk, outcome)

    async def begun(
        self, desk: Desk, progress: Progress[Status]
    ) -> tuple[ServerRun[Result], Outcome | None]:
        """The run, found or started but not waited for, with its earlier outcome if it has one.

        Raises:
            UsageError, CommandError: with what to do next.
        """
        await self._prepare(desk, progress.note)
        return await self._begun(desk, progress)

    async def outcome(self, desk: Desk, progress: Progress[Status]) -> Outcome:
        """The outcome of the run, after starting or following it if needed.

        Raises:
            UsageError, CommandError: with what to do next.
        """
        self._met(desk)
        found, outcome = await self.begun(desk, progress)
        return await self._outcome(found, progress) if outcome is None else outcome

    def _met(self, desk: Desk) -> None:
        """Keeps what the words on a run that is left alone depend on."""
        self._hosting = desk.hosting
        self._goes_on_when = when_it_goes_on(hosting=desk.hosting, external=desk.settings.external)

    async def _begun(
        self, desk: Desk, progress: Progress[Status]
    ) -> tuple[ServerRun[Result], Outcome | None]:
        found = await self._find(desk)
        if not self._started:
            if found is not None and not self._anew:
                already = await self._already(found, progress)
                if already is not None:
                    return found, already
            if found is None or self._anew or not found.open:
                found = await self._start(desk, found, progress)
            self._started = True
        if found is None:
            raise CommandError(self._gone())
        return found, None

    async def _start(
        self, desk: Desk, replaced: ServerRun[Result] | None, progress: Progress[Status]
    ) -> ServerRun[Result]:
        if replaced is not None and replaced.open:
            progress.note(f"ending the open run {replaced.workflow_id} to {self._asking_anew}")
        models = self._models()
        if models:
            progress.note(models)
        start = self._run_start(replaced)
        # From here on the server may have it, whether its answer comes or not.
        self._asked_for = True
        return await start_run(desk.client, start, replace=self._anew)

    def _left_alone(self, found: ServerRun[Result]) -> ExitStatus:
        sys.stdout.write(f"{found.workflow_id}\n")
        sys.stdout.flush()
        say(f"desk: {self._goes_on()}")
        return ExitStatus.COMPLETE

    def _parting_words(self) -> str:
        """What to print after Ctrl-C."""
        if not (self._started or self._asked_for):
            return "stopped before anything was started"
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return f"{how} {self._goes_on()}"

    async def _prepare(self, desk: Desk, tell: Callable[[str], None]) -> None:
        """Decides what depends on the desk, and reports it."""

    _asking_anew: str
    """What a new run is for, after "to"."""

    @abstractmethod
    def _shown(self) -> AbstractContextManager[Progress[Status]]:
        """The display of its progress."""

    @abstractmethod
    async def _find(self, desk: Desk) -> ServerRun[Result] | None:
        """The existing run."""

    @abstractmethod
    async def _already(
        self, found: ServerRun[Result], progress: Progress[Status]
    ) -> Outcome | None:
        """The outcome that a run had before this command; None if it has to be waited for or a new
        run is needed."""

    @abstractmethod
    def _models(self) -> str | None:
        """The words on models that take part; None if none do."""

    @abstractmethod
    def _run_start(self, replaced: ServerRun[Result] | None) -> RunStart[Result]:
        """What a run is started with; `replaced` is the run that it replaces."""

    @abstractmethod
    async def _outcome(self, found: ServerRun[Result], progress: Progress[Status]) -> Outcome:
        """Waits for the run's outcome."""

    @abstractmethod
    def _print(self, desk: Desk, outcome: Outcome) -> ExitStatus:
        """Prints an outcome."""

    @abstractmethod
    def _goes_on(self) -> str:
        """The words on a run that goes on without this command."""

    @abstractmethod
    def _gone(self) -> str:
        """The words on a run that was followed and no longer exists."""
