"""The activities of other roles that an orchestrator does as well, where the server is the desk's
own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import activity

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import Reachability, ToolListing, ToolRequest, ToolResult


class LazyTools:
    """The activities of tool calls, for a worker whose main work is another: the pool of sources
    and the rest of what they need is made for the first call."""

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
    """The activities of other roles that an orchestrator registers, and the `queues` of those roles
    whose workers are in its process: their activities it asks for on its own queue."""

    activities: Sequence[Callable[..., Any]] = ()
    queues: frozenset[str] = field(default_factory=frozenset)


NO_OTHER_ROLES = OtherRoles()
