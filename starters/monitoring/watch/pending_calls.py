"""The arguments of pending tool calls."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from google.protobuf.message import DecodeError
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.client import Client
from temporalio.service import RPCError

from desk.analytics.names.shortening import on_one_line
from desk.contracts.agents.tools import ToolCall, ToolRequest
from desk.contracts.names import activity_id_parts
from desk.documents.rendering.words.wording import one_line
from desk.platform.temporal.history import decoded, fetch_last_scheduled

LONG_SECONDS: Final = 1.0
"""A shorter call is over before anybody could read what it asks."""

LONGEST: Final = 120
MOST_KEPT: Final = 500


class PendingCalls:
    """Describes tool calls that have been pending for a while. Each call is read once, from the
    history of its workflow."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()

    async def of(
        self,
        client: Client,
        workflow_id: str,
        run_id: str,
        activities: Iterable[PendingActivityInfo],
    ) -> Mapping[str, tuple[str, ...]]:
        """Returns the descriptions of such calls, by activity id. Omits calls that cannot be
        read."""
        now = datetime.now(UTC)
        waited = [each.activity_id for each in activities if _is_long(each, now)]
        if any((run_id, activity) not in self._known for activity in waited):
            with suppress(RPCError):
                await self._read(client, workflow_id, run_id, waited)
        return {each: words for each in waited if (words := self._known.get((run_id, each)))}

    async def _read(
        self, client: Client, workflow_id: str, run_id: str, waited: Iterable[str]
    ) -> None:
        scheduled = await fetch_last_scheduled(client, workflow_id, run_id)
        for activity in waited:
            words: tuple[str, ...] = ()
            if activity in scheduled:
                try:
                    asked = await decoded(
                        client.data_converter, scheduled[activity].input, ToolRequest
                    )
                    words = tuple(map(call_words, asked.calls))
                except (ValueError, OSError, RuntimeError, DecodeError):
                    # Its payload is stored elsewhere, or is of another version.
                    words = ()
            self._known[run_id, activity] = words
        while len(self._known) > MOST_KEPT:
            self._known.popitem(last=False)


def call_words(call: ToolCall) -> str:
    """Describes a call on one line, cut: `ecb.get_quote symbol USD/JPY`."""
    given = ", ".join(f"{name} {value}" for name, value in sorted(call.arguments.items()))
    return on_one_line(one_line(f"{call.server}.{call.tool} {given}"), LONGEST)


def _is_long(activity: PendingActivityInfo, now: datetime) -> bool:
    parts = activity_id_parts(activity.activity_id)
    if parts is None or parts.call is None:
        return False
    asked_at = activity.scheduled_time.ToDatetime(UTC)
    return activity.attempt > 1 or (now - asked_at).total_seconds() > LONG_SECONDS
