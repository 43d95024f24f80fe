"""What holds a run up, as far as the server can say."""

import time
from collections.abc import Callable
from typing import Any, Final

from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError

SILENCE_SECONDS = 5.0
"""How long a run may leave the query unanswered before the user is told."""

SILENT: Final = "the run does not answer: it waits for a worker"
LONGEST: Final = 300
GOES_ON: Final = "nothing holds the run up any more"


class LastTrouble:
    """What was said last to hold a run up: `tell` hears it once, and None once it is over."""

    def __init__(self, tell: Callable[[str | None], None]) -> None:
        self._tell = tell
        self.last: str | None = None

    def say(self, text: str | None) -> None:
        """Tell it where it is not what was told last."""
        if text != self.last:
            self.last = text
            self._tell(text)


class HeldUp:
    """Looks now and then at what holds a run up while it is followed, and says so, and says when it
    does so no more. `silent` is what to say of a run that does not answer; `at_once` has it looked
    at from the start, as for a run that has been at work before."""

    def __init__(
        self,
        tell: Callable[[str | None], None],
        *,
        silent: str = SILENT,
        at_once: bool = False,
    ) -> None:
        self._told = LastTrouble(tell)
        self._silent = silent
        self._heard = time.monotonic()
        self._looked = float("-inf") if at_once else self._heard
        self._is_silence = False

    async def look(
        self, handle: WorkflowHandle[Any, Any], *, answers: bool, leaving: bool = False
    ) -> None:
        """Look where it is time to: for a run that does not answer, now and then, and once more
        for what was said last when the run answers again or is about to be left."""
        now = time.monotonic()
        if answers:
            self._heard = now
        silent = not answers and now - self._heard > SILENCE_SECONDS
        fell_silent = silent and not self._is_silence
        may_be_over = answers and self._told.last is not None and (self._is_silence or leaving)
        if fell_silent or may_be_over or now - self._looked > SILENCE_SECONDS:
            self._looked = now
            try:
                trouble = await trouble_of(handle)
            except RPCError:
                return
            self._is_silence = silent and trouble is None
            self._told.say(trouble or (self._silent if silent else None))

    def say_silent(self, text: str) -> None:
        """Say why nothing can be heard of the run, until it answers."""
        self._is_silence = True
        self._told.say(text)


def in_sentences(note: Callable[[str], None]) -> Callable[[str | None], None]:
    """What tells in sentences alone: that it is over is one too."""
    return lambda text: note(text or GOES_ON)


async def trouble_of(handle: WorkflowHandle[Any, Any]) -> str | None:
    """A sentence on what keeps failing in a run; None when nothing does.

    Raises:
        RPCError: the server does not say.
    """
    described = (await handle.describe()).raw_description
    for pending in sorted(described.pending_activities, key=_rank):
        if pending.HasField("last_failure"):
            reason = " ".join(pending.last_failure.message.split())[:LONGEST]
            return f"{pending.activity_type.name} has failed and is tried again: {reason}"
    if described.HasField("pending_workflow_task") and described.pending_workflow_task.attempt > 1:
        return "the run's workflow task keeps failing: see `desk doctor` and the workers' log"
    return None


def _rank(pending: PendingActivityInfo) -> tuple[bool, str]:
    """The same order each time, which the server does not keep; a delivery holds up nothing."""
    return pending.activity_id.startswith("deliver."), pending.activity_id
