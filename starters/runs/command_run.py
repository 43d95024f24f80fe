"""The run of a command: finds or starts it, follows it, prints its outcome, and detaches at
Ctrl-C."""

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
    """Runs a command's work at a desk with workers. Prints the parting words at Ctrl-C, unless the
    work was done, and its workers were finishing that of other commands."""
    done = False

    async def with_workers(desk: Desk) -> ExitStatus:
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        nonlocal done
        status = await work(desk)
        done = True
        return status

    try:
        return interruptible(with_desk(settings, with_workers))
    except KeyboardInterrupt:
        say(f"desk: {'stopped' if done else parting_words()}")
        return ExitStatus.INTERRUPTED


async def start_run(
    client: Client, start: RunStart[Result], *, replace: bool = False
) -> ServerRun[Result]:
    """Starts a run, or finds the open run with the same id.

    With `replace`, terminates an open run of the same id and starts a new one.

    Raises:
        UsageError: the run could not use its request, and was not started.
        CommandError: the started run no longer exists.
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


def continuation_words(*, hosting: bool, external: bool) -> str:
    """Says when a run continues without its command: at once if another process hosts the desk.
    Whether the user's own server has workers is not known here."""
    return f"goes on {'when a desk is up' if hosting or external else 'at the desk that is up'}"


class CommandRun(ABC, Generic[Result, Status, Outcome]):
    """A run that a command starts or finds again, and follows until its outcome is printed.

    `work` may be called again at another desk and then continues. With `anew` a new run replaces
    the existing one. Without `wait` the run is only started.
    """

    def __init__(self, *, anew: bool, wait: bool = True) -> None:
        self._anew = anew
        self._wait = wait
        self._started = False
        self._asked_for = False
        self._hosting = False
        self._continuation = continuation_words(hosting=False, external=True)

    def run_command(self, settings: Settings) -> ExitStatus:
        """Runs the command.

        Raises:
            UsageError, CommandError: the message says what to do next.
        """
        return at_a_desk(settings, self.work, self._parting_words)

    async def work(self, desk: Desk) -> ExitStatus:
        """Finds or starts the run, follows it, and prints its outcome."""
        self._remember_desk(desk)
        await self._prepare(desk, lambda text: say(f"desk: {text}"))
        with self._shown() as progress:
            found, outcome = await self._begun(desk, progress)
            if outcome is None and self._wait:
                outcome = await self._outcome(found, progress)
        return self._print_detached(found) if outcome is None else self._print(desk, outcome)

    async def begun(
        self, desk: Desk, progress: Progress[Status]
    ) -> tuple[ServerRun[Result], Outcome | None]:
        """Finds or starts the run without waiting for it. Returns it with its earlier outcome, if
        any.

        Raises:
            UsageError, CommandError: the message says what to do next.
        """
        await self._prepare(desk, progress.note)
        return await self._begun(desk, progress)

    async def outcome(self, desk: Desk, progress: Progress[Status]) -> Outcome:
        """Returns the outcome of the run, after starting or following it if needed.

        Raises:
            UsageError, CommandError: the message says what to do next.
        """
        self._remember_desk(desk)
        found, outcome = await self.begun(desk, progress)
        return await self._outcome(found, progress) if outcome is None else outcome

    def _remember_desk(self, desk: Desk) -> None:
        """Saves what the message about a detached run depends on."""
        self._hosting = desk.hosting
        self._continuation = continuation_words(
            hosting=desk.hosting, external=desk.settings.external
        )

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
            progress.note(
                f"ending the open run {replaced.workflow_id} to {self._purpose_of_restart}"
            )
        models = self._models()
        if models:
            progress.note(models)
        start = self._run_start(replaced)
        # The server may have received the request even if its answer is lost.
        self._asked_for = True
        return await start_run(desk.client, start, replace=self._anew)

    def _print_detached(self, found: ServerRun[Result]) -> ExitStatus:
        sys.stdout.write(f"{found.workflow_id}\n")
        sys.stdout.flush()
        say(f"desk: {self._continues()}")
        return ExitStatus.COMPLETE

    def _parting_words(self) -> str:
        """What to print after Ctrl-C."""
        if not (self._started or self._asked_for):
            return "stopped before anything was started"
        how = "stopped; what is done is kept, and" if self._hosting else "detached;"
        return f"{how} {self._continues()}"

    async def _prepare(self, desk: Desk, tell: Callable[[str], None]) -> None:
        """Makes the choices that depend on the desk, and reports them."""

    _purpose_of_restart: str
    """What a new run is for, as the words after "to"."""

    @abstractmethod
    def _shown(self) -> AbstractContextManager[Progress[Status]]:
        """Shows the run's progress within the block."""

    @abstractmethod
    async def _find(self, desk: Desk) -> ServerRun[Result] | None:
        """Finds the existing run. Returns None if there is none."""

    @abstractmethod
    async def _already(
        self, found: ServerRun[Result], progress: Progress[Status]
    ) -> Outcome | None:
        """Returns the outcome that a run had before this command. Returns None if the outcome must
        be waited for, or if a new run is needed."""

    @abstractmethod
    def _models(self) -> str | None:
        """Describes the models that take part. Returns None if none do."""

    @abstractmethod
    def _run_start(self, replaced: ServerRun[Result] | None) -> RunStart[Result]:
        """The request with which the run is started; `replaced` is the run that it replaces."""

    @abstractmethod
    async def _outcome(self, found: ServerRun[Result], progress: Progress[Status]) -> Outcome:
        """Waits for the run's outcome."""

    @abstractmethod
    def _print(self, desk: Desk, outcome: Outcome) -> ExitStatus:
        """Prints an outcome."""

    @abstractmethod
    def _continues(self) -> str:
        """Says that the run continues without this command."""

    @abstractmethod
    def _gone(self) -> str:
        """Says that the followed run no longer exists."""
