"""What an orchestrator does of the other roles' work, at a desk whose server is its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import activity

from activities.tool_calls import ToolActivities
from desk.contracts.agents.tools import Reachability, ToolListing, ToolRequest, ToolResult


class ToolsAtHand:
    """Tool calls of a worker that has other work. What they need is made for the first one."""

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
class AtHand:
    """The activities of other roles that it does where they come to it, and the queues of those
    that it has come to it: of roles whose workers are in this process."""

    activities: Sequence[Callable[..., Any]] = ()
    queues: frozenset[str] = field(default_factory=frozenset)


NOTHING_AT_HAND = AtHand()
