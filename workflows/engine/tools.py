"""An agent's tools: what their servers offer, and its calls, which go to the source's queue and end
by the task's deadline. What an agent asks for by capability is put to its routes in their order,
until one satisfies."""

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
    answer_among,
    as_routed,
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
from workflows.engine.options import (
    HEARTBEAT_TIMEOUT,
    ActivityBounds,
    cause,
    fault_told,
    priority,
    retry_policy,
    task_bounds,
)


async def tools_of(policy: RunPolicy, agents: Iterable[AgentId]) -> Tools:
    """The tools on the lists of those agents that are models; none where all are built in.

    A source that cannot be asked offers nothing: the week goes on without it.
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
"""Runs that were planned before this change take every source for one that can be reached."""

REACHING = timedelta(seconds=2.8)
"""How long a run waits for a live source's worker to take the question whether the source can be
reached, and then for its answer. All are asked side by side."""


async def policy_now(policy: RunPolicy, agents: Iterable[AgentId]) -> RunPolicy:
    """The policy with `unreachable`: the live sources of these agents that cannot be reached now,
    and those with tools that have no data to answer from. They are asked side by side. The policy
    is unchanged where there are no live sources, and in runs that were planned before sources were
    asked."""
    # What could not be reached before is offered to nobody, and has to be asked again all the same.
    every = policy.model_copy(update={"unreachable": ()})
    tools = {tool.server for agent in agents for tool in profile_in(every, agent).tools}
    live = sorted(LIVE_SOURCES & tools & {*policy.sources})
    if not live or not workflow.patched(SOURCES_REACHED):
        return policy
    told = await asyncio.gather(*(_reachability(server, policy) for server in live))
    unreachable = tuple(
        UnreachableSource(
            server=server,
            tools=reach.silent if reach.reachable else (),
            since=reach.since,
            reason=reach.reason or "it does not say why",
            answered_at=reach.answered_at,
        )
        for server, reach in zip(live, told, strict=True)
        if not reach.reachable or reach.silent
    )
    return policy.model_copy(update={"unreachable": unreachable})


async def _reachability(server: str, policy: RunPolicy) -> Reachability:
    """What the source's worker says. A source whose worker does not take the question in time
    cannot be reached; one whose worker took it and was held up may be, and is offered."""
    try:
        return await workflow.execute_activity_method(
            ToolActivities.reach,
            server,
            task_queue=source_queue(server),
            activity_id=f"reach.{server}",
            summary=f"Whether {server} can be reached",
            # No limit over both, which could not tell one from the other.
            schedule_to_start_timeout=REACHING,
            start_to_close_timeout=REACHING,
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
                reason = f"no worker took its questions within {REACHING.total_seconds()} s"
            case _:
                reason = cause(error)
        return Reachability(reachable=False, since=workflow.now(), reason=reason)


_Routed = tuple[ToolCall, ...] | ToolResult
_Answering = asyncio.Task[dict[str, ToolResult]]

SHORTEST_TRY = timedelta(seconds=1)
"""What a call has that is asked again by itself, however long it took among others."""

LONGEST_SUMMARY = 180
"""Bytes; the server takes 200."""


class ToolAsking:
    """The tool calls of one agent on one assignment."""

    def __init__(
        self, profile: AgentProfile, assignment: TaskAssignment, policy: RunPolicy
    ) -> None:
        self._profile = profile
        self._assignment = assignment
        self._policy = policy
        self.outages: tuple[SourceOutage, ...] = ()

    async def ask(self, turn: str, calls: Iterable[ToolCall]) -> tuple[ToolResult, ...]:
        """The results of a turn's calls, in their order.

        The calls are made side by side. Those that go first to one server that is asked several
        questions at once are one activity; a call that gets no answer there is made again by
        itself, and no other. A call that fails is a result that says so: the agent may know another
        way.
        """
        routed = {call_activity_id(turn, call.own_id): self._routed(call) for call in calls}
        shared = self._shared(turn, routed)
        found = (self._found(place, way, shared.get(place)) for place, way in routed.items())
        results = await asyncio.gather(*found)
        return tuple(result.model_copy(update={"satisfies": None}) for result in results)

    def _routed(self, call: ToolCall) -> _Routed:
        """The call as each of its routes is asked, in their order; or why none can be asked."""
        if call.capability is not None:
            return self._by_capability(call, call.capability)
        if not self._profile.may_call(call.server, call.tool):
            return self._refused(call, f"{call.server}.{call.tool}")
        if self._policy.sources and call.server not in self._policy.sources:
            return _nobody(call, call.server)
        left_out = why_left_out(call.server, call.tool, self._policy)
        if left_out is not None:
            return _unavailable(call, left_out)
        return (as_routed(call, self._policy),)

    def _by_capability(self, call: ToolCall, capability: Capability) -> _Routed:
        if capability not in self._profile.capabilities:
            return self._refused(call, capability)
        routes = routes_to(capability, self._policy)
        if not routes:
            ways = configured(capability, self._policy)
            told = (why_left_out(way.server, way.tool, self._policy) for way in ways)
            left_out = "; ".join(dict.fromkeys(reason for reason in told if reason))
            if left_out:
                return _unavailable(call, left_out)
            return _nobody(call, *(way.server for way in ways))
        allowed = [r for r in routes if self._profile.may_call(r.server, r.tool)]
        return tuple(call_by(r, call) for r in allowed) or self._refused(call, capability)

    def _shared(self, turn: str, routed: Mapping[str, _Routed]) -> Mapping[str, _Answering]:
        """What answers the first calls to servers that are asked several at once, by the ids under
        which each would be asked alone."""
        first: defaultdict[str, dict[str, ToolCall]] = defaultdict(dict)
        for place, way in routed.items():
            if not isinstance(way, ToolResult) and way[0].server in self._policy.together:
                first[way[0].server][place] = way[0]
        groups = [calls for calls in first.values() if len(calls) > 1]
        answering = [asyncio.create_task(self._together(turn, calls)) for calls in groups]
        return {
            place: task for calls, task in zip(groups, answering, strict=True) for place in calls
        }

    async def _together(self, turn: str, calls: Mapping[str, ToolCall]) -> dict[str, ToolResult]:
        """What there is an answer to. The half of the time that is left is for the others."""
        first, *others = calls.values()
        place = calls_activity_id(turn, first.server, len(calls))
        request = self._request(first, self._policy.deadlines.tool_tries, others)
        try:
            result = await self._activity(request, place, sources_left=2)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return {}
        # A worker of an earlier version makes the first call alone.
        answers = zip(calls, result.each, strict=False)
        return {
            own: _with_place(answer, place)
            for own, answer in answers
            if answer.status is not ToolStatus.UNAVAILABLE
        }

    async def _found(self, place: str, routed: _Routed, shared: _Answering | None) -> ToolResult:
        """The first answer that satisfies; a source asked after another has the activity's id
        with its number. No time is left for the next source where the deadline has passed."""
        if isinstance(routed, ToolResult):
            return routed
        began, results = workflow.now(), list[ToolResult]()
        for number, call in enumerate(routed):
            given = (await shared).get(place) if shared and not results else None
            if given is None:
                own = f"{place}.{number + 1}" if number else place
                taken = workflow.now() - began if shared and not results else timedelta(0)
                given = await self._answer(call, own, taken, sources_left=len(routed) - number)
            results.append(given)
            if satisfies(given) or workflow.now() >= self._assignment.deadline:
                break
        return answer_among(results)

    async def _answer(
        self, call: ToolCall, activity_id: str, taken: timedelta, *, sources_left: int
    ) -> ToolResult:
        """What the source said, or that it could not be asked; with its place in the history.
        `taken` is what it took to ask it among others, in vain."""
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
        return await workflow.execute_activity_method(
            ToolActivities.call_tool,
            request,
            task_queue=source_queue(server),
            activity_id=activity_id,
            summary=summary.encode()[:LONGEST_SUMMARY].decode(errors="ignore"),
            **self._bounds(sources_left, tried=tried),
        )

    def _fault(self, error: ActivityError) -> CallFault | None:
        """Why there was no answer, as the source's worker says. What was not asked is noted."""
        told = fault_told(error.cause)
        if told.circuit is not None:
            self.outages = merged_outages((*self.outages, outage_of(told.circuit)))
        return told.fault

    def _bounds(self, sources_left: int, *, tried: bool) -> ActivityBounds:
        """A source leaves time for those that could stand in for it, and for the agent. What was
        `tried` among others has one try less."""
        bounds = task_bounds(self._assignment, self._policy, self._policy.deadlines.tool_call)
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
    """A call that the desk itself says no to."""
    return ToolResult(call=call, status=ToolStatus.REFUSED, error=reason)


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


def _nobody(call: ToolCall, *servers: str) -> ToolResult:
    named = " or ".join(dict.fromkeys(servers))
    return _unavailable(call, f"no source {named} is configured in .mcp.json")


def _unavailable(call: ToolCall, reason: str) -> ToolResult:
    return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=reason)
