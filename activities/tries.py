"""The tries of an activity at one call: how long this one may last, and whether another follows.

Temporal counts tries and not the time that they take together. That is carried from one to the
next with the heartbeats; the time in which no worker took the call up is not in it.
"""

from datetime import timedelta
from time import monotonic
from typing import Final

from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.errors import permanent, transient
from desk.contracts.names import FailureType
from desk.platform.mcp.tool_calling import ToolUnreachable

ALLOWED: Final = timedelta(minutes=1)
"""For all tries, where whoever asks does not say."""

LEAST_SECONDS: Final = 1.0
"""What must be left for another try."""


class Tries:
    """The try that begins now, and how long those before it lasted."""

    def __init__(self, allowed: timedelta | None) -> None:
        told = activity.info().heartbeat_details
        self._allowed = (allowed or ALLOWED).total_seconds()
        self._began = monotonic()
        self.before = float(told[0]) if told else 0.0

    @property
    def seconds(self) -> float:
        """How long this try may last: a little less than the attempt, so that the timeout is ours
        and says what it is."""
        attempt = activity.info().start_to_close_timeout
        one = 0.9 * attempt.total_seconds() if attempt else 15.0
        return min(one, max(self._allowed - self.before, LEAST_SECONDS))

    def failed(self, error: ToolUnreachable) -> ApplicationError:
        """What to tell Temporal of this try: to try again where that may help and there is time,
        after the pause that the server asked for where it did. The first detail is the fault."""
        spent = self.before + monotonic() - self._began
        activity.heartbeat(spent)
        pause = error.after.total_seconds() if error.after else 0.0
        details = (error.fault, *error.details)
        if error.lasting or self._allowed - spent - pause < LEAST_SECONDS:
            return permanent(FailureType.TOOL_UNAVAILABLE, str(error), *details)
        return transient(
            FailureType.TOOL_UNAVAILABLE, str(error), *details, retry_after=error.after
        )
