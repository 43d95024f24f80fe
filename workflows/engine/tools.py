"""The tool calls of agents: lists the tools that the servers offer, and makes the calls.

A call is an activity on the queue of its source and ends by the task's deadline. A call by
capability tries the configured sources in their order, until one gives a satisfying answer.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, TimeoutType, is_cancelled_exception
from temporalio.exceptions import TimeoutError as TimedOut

from activities.tool_calls import ToolActivities
from desk.agents.capabilities import (
    as_routed,
    best_answer,
    call_by,
    configured,
    is_unreachable,
    routes_to,
    satisfies,
    why_left_out,
)
from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in
from desk.contracts.agents.capabilities import LIVE_SOURCES, Capability
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import (
    CallPlace,
    Reachability,
    SourceOutage,
    ToolCall,
    ToolListing,
    ToolRequest,
    ToolResult,
    Tools,
    ToolStatus,
    UnreachableSource,
)
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import (
    AgentId,
    CallFault,
    call_activity_id,
    calls_activity_id,
    source_queue,
)
from desk.runs.assignments import merged_outages, outage_of, share_of
from workflows.engine.heartbeat_retry import with_heartbeat_retry
from workflows.engine.options import (
    ActivityBounds,
    cause,
    parse_fault,
    priority,
    retry_policy,
    task_bounds,
)


async def tools_of(policy: RunPolicy, agents: Iterable[AgentId]) -> Tools:
    """Returns the descriptions of the tools that agents with models may call. Empty if all agents
    are built in.

    A server that cannot be asked is logged and left out.
    """
    profiles = [profile_in(policy, agent) for agent in agents]
    listed = {tool for profile in profiles if profile.model != BUILTIN for tool in profile.tools}
    servers = sorted({tool.server for tool in listed})
    if policy.sources:
        servers = [server for server in servers if server in policy.sources]
    servers = [server for server in servers if not is_unreachable(server, policy)]
    listings = await asyncio.gather(*(_listing(server, policy) for server in servers))
    named = {(tool.server, tool.tool) for tool in listed}
    return tuple(
        spec for listing in listings for spec in listing.tools if (spec.server, spec.tool) in named
    )


SOURCES_REACHED = "sources-reached"
"""The patch for runs that were planned before reachability was checked. In these every source
counts as reachable."""

REACH_START_TIMEOUT = timedelta(seconds=2.8)
"""How long a run waits for a source's worker to start checking whether the source can be reached.
All sources are checked concurrently."""

REACH_RUN_TIMEOUT = timedelta(seconds=20)
"""How long a run waits for the result of the check. A process may take 15 s to start; one that has
started answers within three."""


async def with_reachability(policy: RunPolicy, agents: Iterable[AgentId]) -> RunPolicy:
    """Returns the policy with `unreachable` set: the live sources that cannot be reached now, and
    the tools of live sources that have no data.

    The sources of `agents` are checked concurrently. Returns the same object if the policy has no
    live sources, or if the run was planned before sources were checked.
    """
    # Agents are not offered a source that was unreachable before, but it is checked again.
    every = policy.model_copy(update={"unreachable": ()})
    tools = {tool.server for agent in agents for tool in profile_in(every, agent).tools}
    live = sorted(LIVE_SOURCES & tools & {*policy.sources})
    if not live or not workflow.patched(SOURCES_REACHED):
        return policy
    reaches = await asyncio.gather(*(_reachability(server, policy) for server in live))
    unreachable = tuple(
        UnreachableSource(
            server=server,
            tools=reach.silent if reach.reachable else (),
            since=reach.since,
            reason=reach.reason or "it does not say why",
            answered_at=reach.answered_at,
        )
        for server, reach in zip(live, reaches, strict=True)
        if not reach.reachable or reach.silent
    )
    return policy.model_copy(update={"unreachable": unreachable})


async def _reachability(server: str, policy: RunPolicy) -> Reachability:
    """Returns whether a source can be reached, as reported by its worker.

    A source counts as unreachable if no worker starts the check in time. If a worker started it and
    did not answer in time, the source counts as reachable.
    """
    try:
        return await workflow.execute_activity_method(
            ToolActivities.reach,
            server,
            task_queue=source_queue(server),
            activity_id=f"reach.{server}",
            summary=f"Whether {server} can be reached",
            # No schedule-to-close timeout, which could not distinguish the two.
            schedule_to_start_timeout=REACH_START_TIMEOUT,
            start_to_close_timeout=REACH_RUN_TIMEOUT,
            retry_policy=RetryPolicy(maximum_attempts=1),
            priority=priority(1),
        )
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        match error.cause:
            case TimedOut(type=TimeoutType.START_TO_CLOSE):
                return Reachability(reachable=True)
            case TimedOut(type=TimeoutType.SCHEDULE_TO_START):
                reason = (
                    f"no worker took its questions within {REACH_START_TIMEOUT.total_seconds()} s"
                )
            case _:
                reason = cause(error)
        return Reachability(reachable=False, since=workflow.now(), reason=reason)


_Routed = tuple[ToolCall, ...] | ToolResult
"""A call once for each of its routes, or the result that says why it has none."""

_Answering = asyncio.Task[dict[str, ToolResult]]
"""An activity that makes several calls. Its result maps the activity id that each call would have
alone to its answer."""

SHORTEST_TRY = timedelta(seconds=1)
"""The minimum time for a call that is repeated alone, however long the shared activity took."""

LONGEST_SUMMARY = 180
"""The maximum length of an activity's summary in bytes. The server accepts 200."""


class TaskToolCalls:
    """The tool calls of one agent on one assignment."""

    def __init__(
        self, profile: AgentProfile, assignment: TaskAssignment, policy: RunPolicy
    ) -> None:
        self._profile = profile
        self._assignment = assignment
        self._policy = policy
        self.outages: tuple[SourceOutage, ...] = ()

    async def ask(self, turn: str, calls: Iterable[ToolCall]) -> tuple[ToolResult, ...]:
        """Returns the results of a turn's calls, in the order of the calls.

        Calls are made concurrently. Calls whose first route leads to the same server of
        `RunPolicy.together` share one activity; one that gets no answer there is repeated alone. A
        failed call is a result with its error, so that the agent can try something else.
        """
        routed = {call_activity_id(turn, call.own_id): self._routed(call) for call in calls}
        shared = self._shared(turn, routed)
        found = (self._found(own_id, along, shared.get(own_id)) for own_id, along in routed.items())
        results = await asyncio.gather(*found)
        return tuple(result.model_copy(update={"satisfies": None}) for result in results)

    def _routed(self, call: ToolCall) -> _Routed:
        """Returns the call once for each route, in the order of the routes, or the result that says
        why it cannot be made."""
        if call.capability is not None:
            return self._by_capability(call, call.capability)
        if not self._profile.may_call(call.server, call.tool):
            return self._refused(call, f"{call.server}.{call.tool}")
        if self._policy.sources and call.server not in self._policy.sources:
            return _not_configured(call, call.server)
        left_out = why_left_out(call.server, call.tool, self._policy)
        if left_out is not None:
            return _unavailable(call, left_out)
        return (as_routed(call, self._policy),)

    def _by_capability(self, call: ToolCall, capability: Capability) -> _Routed:
        if capability not in self._profile.capabilities:
            return self._refused(call, capability)
        routes = routes_to(capability, self._policy)
        if not routes:
            every = configured(capability, self._policy)
            reasons = (why_left_out(route.server, route.tool, self._policy) for route in every)
            left_out = "; ".join(dict.fromkeys(reason for reason in reasons if reason))
            if left_out:
                return _unavailable(call, left_out)
            return _not_configured(call, *(route.server for route in every))
        allowed = [r for r in routes if self._profile.may_call(r.server, r.tool)]
        return tuple(call_by(r, call) for r in allowed) or self._refused(call, capability)

    def _shared(self, turn: str, routed: Mapping[str, _Routed]) -> Mapping[str, _Answering]:
        """Starts the shared activities. Returns them by the activity id that each of their calls
        would have alone."""
        first: defaultdict[str, dict[str, ToolCall]] = defaultdict(dict)
        for own_id, along in routed.items():
            if not isinstance(along, ToolResult) and along[0].server in self._policy.together:
                first[along[0].server][own_id] = along[0]
        groups = [calls for calls in first.values() if len(calls) > 1]
        answering = [asyncio.create_task(self._together(turn, calls)) for calls in groups]
        return {
            own_id: task for calls, task in zip(groups, answering, strict=True) for own_id in calls
        }

    async def _together(self, turn: str, calls: Mapping[str, ToolCall]) -> dict[str, ToolResult]:
        """Returns the answers of a shared activity by activity id, without calls that got none. The
        activity may take half of the time that is left; the other half is for repeating calls
        alone."""
        first, *others = calls.values()
        activity_id = calls_activity_id(turn, first.server, len(calls))
        request = self._request(first, self._policy.deadlines.tool_tries, others)
        try:
            result = await self._activity(request, activity_id, sources_left=2)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return {}
        # A worker of an earlier version makes only the first call.
        answers = zip(calls, result.each, strict=False)
        return {
            own_id: _with_place(answer, activity_id)
            for own_id, answer in answers
            if answer.status is not ToolStatus.UNAVAILABLE
        }

    async def _found(self, own_id: str, routed: _Routed, shared: _Answering | None) -> ToolResult:
        """Returns the first satisfying answer along the routes, or else the best of those given.

        The second route and later ones have their number in the activity id. No further route is
        tried after the task's deadline.
        """
        if isinstance(routed, ToolResult):
            return routed
        began, results = workflow.now(), list[ToolResult]()
        for number, call in enumerate(routed):
            given = (await shared).get(own_id) if shared and not results else None
            if given is None:
                activity_id = f"{own_id}.{number + 1}" if number else own_id
                taken = workflow.now() - began if shared and not results else timedelta(0)
                given = await self._answer(
                    call, activity_id, taken, sources_left=len(routed) - number
                )
            results.append(given)
            if satisfies(given) or workflow.now() >= self._assignment.deadline:
                break
        return best_answer(results)

    async def _answer(
        self, call: ToolCall, activity_id: str, taken: timedelta, *, sources_left: int
    ) -> ToolResult:
        """Returns the answer of one source with its activity id, or a result that says why there is
        none.

        `taken` is how long a shared activity tried the same call without success.
        """
        within = max(self._policy.deadlines.tool_tries - taken, SHORTEST_TRY)
        try:
            result = await self._activity(
                self._request(call, within),
                activity_id,
                sources_left=sources_left,
                tried=taken > timedelta(0),
            )
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            result = ToolResult(
                call=call,
                status=ToolStatus.UNAVAILABLE,
                error=cause(error),
                fault=self._fault(error),
            )
        return _with_place(result, activity_id)

    def _request(
        self, call: ToolCall, within: timedelta, together: Iterable[ToolCall] = ()
    ) -> ToolRequest:
        as_of = self._assignment.window.end
        return ToolRequest(call=call, as_of=as_of, within=within, together=tuple(together))

    async def _activity(
        self, request: ToolRequest, activity_id: str, *, sources_left: int, tried: bool = False
    ) -> ToolResult:
        market, server = self._assignment.market, request.call.server
        subject = market.market if market else self._assignment.task_id
        tools = ", ".join(call.tool for call in request.calls)
        summary = f"{server}.{tools} for {subject}"

        async def called(heartbeat: timedelta) -> ToolResult:
            return await workflow.execute_activity_method(
                ToolActivities.call_tool,
                request,
                task_queue=source_queue(server),
                activity_id=activity_id,
                summary=summary.encode()[:LONGEST_SUMMARY].decode(errors="ignore"),
                **self._bounds(heartbeat, sources_left, tried=tried),
            )

        return await with_heartbeat_retry(called)

    def _fault(self, error: ActivityError) -> CallFault | None:
        """Returns why a call got no answer, as reported by the source's worker. A call skipped
        because its source keeps failing is added to `outages`."""
        failure = parse_fault(error.cause)
        if failure.circuit is not None:
            self.outages = merged_outages((*self.outages, outage_of(failure.circuit)))
        return failure.fault

    def _bounds(self, heartbeat: timedelta, sources_left: int, *, tried: bool) -> ActivityBounds:
        """Returns the options of a call. They leave time for the routes after it and for the agent.
        A call that was `tried` in a shared activity has one attempt less."""
        one_attempt = self._policy.deadlines.tool_call
        bounds = task_bounds(self._assignment, self._policy, one_attempt, heartbeat)
        allowed, retries = bounds["schedule_to_close_timeout"], bounds["retry_policy"]
        if tried:
            retries = replace(retries, maximum_attempts=max(1, retries.maximum_attempts - 1))
        return {
            **bounds,
            "schedule_to_close_timeout": share_of(allowed, sources_left),
            "retry_policy": retries,
        }

    def _refused(self, call: ToolCall, what: str) -> ToolResult:
        return refused(call, f"{what} is not on the list of {self._profile.agent}")


def _with_place(result: ToolResult, activity_id: str) -> ToolResult:
    info = workflow.info()
    place = CallPlace(workflow_id=info.workflow_id, run_id=info.run_id, activity_id=activity_id)
    return result.model_copy(update={"place": place})


def refused(call: ToolCall, reason: str) -> ToolResult:
    """Returns the result of a call that the desk itself refuses."""
    return ToolResult(call=call, status=ToolStatus.REFUSED, error=reason)


async def _listing(server: str, policy: RunPolicy) -> ToolListing:
    allowed = policy.deadlines.tool_call

    async def listed(heartbeat: timedelta) -> ToolListing:
        return await workflow.execute_activity_method(
            ToolActivities.list_tools,
            server,
            task_queue=source_queue(server),
            activity_id=f"list_tools.{server}",
            summary=f"What {server} offers",
            start_to_close_timeout=allowed,
            schedule_to_close_timeout=2 * allowed,
            heartbeat_timeout=heartbeat,
            retry_policy=retry_policy(policy.retries),
            priority=priority(1),
        )

    try:
        return await with_heartbeat_retry(listed)
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise
        workflow.logger.warning("%s offers no tool to the models: %s", server, cause(error))
        return ToolListing(server=server, error=cause(error))


def _not_configured(call: ToolCall, *servers: str) -> ToolResult:
    named = " or ".join(dict.fromkeys(servers))
    return _unavailable(call, f"no source {named} is configured in .mcp.json")


def _unavailable(call: ToolCall, reason: str) -> ToolResult:
    return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=reason)
