"""The calls of tools in a history: an activity makes one, or several of a turn together."""

from typing import NamedTuple

from desk.contracts.agents.tools import ToolCall, ToolRequest, ToolResult, ToolStatus
from desk.platform.temporal.history._events import ActivityEnded, ActivityScheduled, Ending
from desk.platform.temporal.history._history import RunHistory


class CallMade(NamedTuple):
    """A call and its result: None where it has none yet, or never will. One that had no answer
    among several is made `again` by an activity of its own."""

    call: ToolCall
    result: ToolResult | None = None
    again: bool = False


async def calls_of(
    history: RunHistory, asked: ActivityScheduled, ended: ActivityEnded | None
) -> tuple[CallMade, ...]:
    """The calls of a `call_tool` activity, in their order."""
    calls = (await history.decode(asked.input, ToolRequest)).calls
    if ended is None:
        return tuple(map(CallMade, calls))
    if ended.ending is not Ending.COMPLETED:
        again = len(calls) > 1 and ended.ending is not Ending.CANCELED
        return tuple(CallMade(call, None, again) for call in calls)
    results = (await history.decode(ended.result, ToolResult)).each
    made = [
        CallMade(call, result, again=len(calls) > 1 and result.status is ToolStatus.UNAVAILABLE)
        for call, result in zip(calls, results, strict=False)
    ]
    # A worker of an earlier version makes the first call alone.
    return (*made, *(CallMade(call, again=True) for call in calls[len(made) :]))
