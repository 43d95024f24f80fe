"""The activities of other roles that an orchestrator also runs if the server is the desk's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import activity

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import Reachability, ToolListing, ToolRequest, ToolResult


class LazyTools:
    """The tool call activities of a worker whose main work is another. The pool of sources and the
    other dependencies are created for the first call."""

    def __init__(self, made: Callable[[], ToolActivities]) -> None:
        self._made = made

    @property
    def all(self) -> Sequence[Callable[..., Any]]:
        """The activities."""
        return (self.call_tool, self.list_tools, self.reach)

    @activity.defn
    async def call_tool(self, request: ToolRequest) -> ToolResult:
        """See `ToolActivities`."""
        return await self._made().call_tool(request)

    @activity.defn
    async def list_tools(self, server: str) -> ToolListing:
        """See `ToolActivities`."""
        return await self._made().list_tools(server)

    @activity.defn
    async def reach(self, server: str) -> Reachability:
        """See `ToolActivities`."""
        return await self._made().reach(server)


@dataclass(frozen=True)
class OtherRoles:
    """The activities of other roles that an orchestrator registers. `queues` are those whose
    workers run in its process: their activities are scheduled on its own queue."""

    activities: Sequence[Callable[..., Any]] = ()
    queues: frozenset[str] = field(default_factory=frozenset)


NO_OTHER_ROLES = OtherRoles()
