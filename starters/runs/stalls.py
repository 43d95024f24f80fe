"""What holds up a run, as far as the server can say."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client, WorkflowHandle
from temporalio.service import RPCError

from desk.contracts.names import Queue
from desk.documents.rendering.words.wording import activity_words
from desk.platform.temporal.history import failing_task

SILENCE_SECONDS = 5.0
"""How long a run may leave the query unanswered before the user is told that there is no worker."""

BUSY_SECONDS = 30.0
"""The same if there is a worker, which may be busy."""

SILENT: Final = "the run waits for a worker: `desk up` or `desk worker all` starts one"
BUSY: Final = (
    "the run's worker has not answered for a while: it is busy, or was stopped a moment ago; what "
    "is done is kept"
)
LONGEST: Final = 300
GOES_ON: Final = "nothing holds the run up any more"


class LastProblem:
    """The last reported problem. Calls `tell` with each new problem, and with None once it is
    over."""

    def __init__(self, tell: Callable[[str | None], None]) -> None:
        self._tell = tell
        self.last: str | None = None

    def say(self, text: str | None) -> None:
        """Reports a problem, unless it is the last reported one."""
        if text != self.last:
            self.last = text
            self._tell(text)


class StallMonitor:
    """Checks at intervals what holds up a followed run. Reports each problem, and its end.

    `silent` is the message for a run that does not answer. With `at_once` the run is checked from
    the start, because it was running before. `polled` returns whether there is a worker: a busy
    worker is not a problem.
    """

    def __init__(
        self,
        tell: Callable[[str | None], None],
        *,
        silent: str = SILENT,
        at_once: bool = False,
        polled: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._told = LastProblem(tell)
        self._silent = silent
        self._polled = polled
        self._heard = time.monotonic()
        self._looked = float("-inf") if at_once else self._heard
        self._is_silence = False

    async def check(
        self, handle: WorkflowHandle[Any, Any], *, answers: bool, leaving: bool = False
    ) -> None:
        """Checks if a check is due: at intervals for a run that does not answer, and once more when
        the run answers again or is about to be left."""
        now = time.monotonic()
        if answers:
            self._heard = now
        silent = not answers and now - self._heard > SILENCE_SECONDS
        fell_silent = silent and not self._is_silence
        may_be_over = answers and self._told.last is not None and (self._is_silence or leaving)
        if fell_silent or may_be_over or now - self._looked > SILENCE_SECONDS:
            self._looked = now
            try:
                trouble = await problem_of(handle)
                quiet = silent and trouble is None
                words = await self._silence(now - self._heard) if quiet else None
            except RPCError:
                return
            self._is_silence = quiet
            self._told.say(trouble or words)

    async def _silence(self, seconds: float) -> str | None:
        """Returns the message for a run that has not answered for that long, or None if that is
        normal."""
        if self._polled is None or not await self._polled():
            return self._silent
        return BUSY if seconds > BUSY_SECONDS else None

    def report_silence(self, text: str) -> None:
        """Reports why the run cannot be reached, until it answers."""
        self._is_silence = True
        self._told.say(text)


def with_recovery_note(note: Callable[[str], None]) -> Callable[[str | None], None]:
    """Returns a callback that also reports the end of a problem as a sentence."""
    return lambda text: note(text or GOES_ON)


async def is_polled(client: Client) -> bool:
    """Returns whether a worker that can run workflows polled recently.

    Raises:
        RPCError: the server does not say.
    """
    from workers.health import unpolled

    return not await unpolled(client, None, [Queue.DESK])


async def why_silent(client: Client) -> str:
    """Returns the likely reason why a run does not answer.

    Raises:
        RPCError: the server does not say.
    """
    return BUSY if await is_polled(client) else SILENT


async def problem_of(handle: WorkflowHandle[Any, Any]) -> str | None:
    """Describes what keeps failing in a run. Returns None when nothing does.

    Raises:
        RPCError: the server does not say.
    """
    described = (await handle.describe()).raw_description
    for pending in sorted(described.pending_activities, key=_rank):
        if pending.HasField("last_failure"):
            reason = " ".join(pending.last_failure.message.split())[:LONGEST]
            what = activity_words(pending.activity_type.name, pending.activity_id)
            return f"{what} has failed and is tried again: {reason}"
    if described.HasField("pending_workflow_task") and described.pending_workflow_task.attempt > 1:
        failed = await failing_task(handle)
        if failed is not None:
            words = " ".join(failed.split())[:LONGEST]
            return f"the workflow task fails and is tried again: {words}; see the workers' log"
    return None


def _rank(pending: PendingActivityInfo) -> tuple[bool, str]:
    """A stable sort key for problems. A failing delivery does not hold up the run and comes
    last."""
    return pending.activity_id.startswith("deliver."), pending.activity_id
