"""The tools that a week's models are told of, as their servers describe them now."""

import asyncio
from collections.abc import Iterable

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from activities.tool_calls import ToolActivities
from desk.agents.roster import WEEK_AGENTS, profile_in
from desk.contracts.agents.tools import ToolListing
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.config import RunPolicy
from desk.contracts.names import AgentId, source_queue
from desk.contracts.week.run import Tools
from workflows.options import HEARTBEAT_TIMEOUT, cause, priority, retry_policy


async def tools_of(policy: RunPolicy, agents: Iterable[AgentId] = WEEK_AGENTS) -> Tools:
    """The tools on the lists of those agents that are models; none where all are built in.

    A source that cannot be asked offers nothing: the week goes on without it.
    """
    profiles = [profile_in(policy, agent) for agent in agents]
    listed = {tool for profile in profiles if profile.model != BUILTIN for tool in profile.tools}
    servers = sorted({tool.server for tool in listed})
    if policy.sources:
        servers = [server for server in servers if server in policy.sources]
    listings = await asyncio.gather(*(_listing(server, policy) for server in servers))
    named = {(tool.server, tool.tool) for tool in listed}
    return tuple(
        spec for listing in listings for spec in listing.tools if (spec.server, spec.tool) in named
    )


async def _listing(server: str, policy: RunPolicy) -> ToolListing:
    allowed = policy.deadlines.tool_call
    try:
        return await workflow.execute_activity_method(
            ToolActivities.list_tools,
            server,
            task_queue=source_queue(server),
            activity_id=f"list_tools.{server}",
            summary=f"What {server} offers",
            start_to_close_timeout=allowed,
            schedule_to_close_timeout=2 * allowed,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=retry_policy(policy.retries),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("%s offers no tool to the models: %s", server, cause(error))
        return ToolListing(server=server, error=cause(error))
