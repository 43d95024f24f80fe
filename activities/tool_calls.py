"""Makes tool calls, as activities on the queue of the tool's server."""

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Final

from pydantic import ValidationError
from temporalio import activity
from temporalio.exceptions import ApplicationError

from activities.effects import effect_key, heartbeating, once
from activities.errors import parse_fault, permanent, transient
from activities.metrics import measured_call
from desk.agents.answer_form import publication_instant
from desk.agents.capabilities import is_answered
from desk.contracts.agents.tools import (
    REACH_TOOL,
    Reachability,
    ToolCall,
    ToolListing,
    ToolRequest,
    ToolResult,
    ToolStatus,
)
from desk.contracts.names import CallFault, FailureType, activity_id_parts, call_activity_id
from desk.platform.effects import EffectJournal
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolCaller, ToolUnreachable
from desk.trust.ledger.events import without_later
from desk.trust.seals import content_hash

ALLOWED: Final = timedelta(minutes=1)
"""The time for all attempts together, if the request does not give one."""

LEAST_SECONDS: Final = 1.0
"""The minimum time that must be left for another attempt."""

SETTLING_SECONDS: Final = 10.0
"""The maximum time for the first answer of a source with files of its own, including its start."""

ANSWER_SECONDS: Final = 2.5
"""How long a source that has started may take to report whether it can be reached."""

FRESH_SECONDS = 2.5
"""How long a run waits for the files of its sources to be up to date."""

LATER = "it was changed since, and what it said then cannot be had"
"""The error of an answer that its source dates after the as-of instant."""


class CallAttempt:
    """The current attempt at a call, and how long the attempts before it lasted."""

    def __init__(self, allowed: timedelta | None) -> None:
        details = activity.info().heartbeat_details
        self._allowed = (allowed or ALLOWED).total_seconds()
        self._began = monotonic()
        self.before = float(details[0]) if details else 0.0

    @property
    def seconds(self) -> float:
        """How long this attempt may last: slightly less than its timeout, so that the desk's own
        error says what timed out."""
        attempt = activity.info().start_to_close_timeout
        one = 0.9 * attempt.total_seconds() if attempt else 15.0
        return min(one, max(self._allowed - self.before, LEAST_SECONDS))

    @property
    def left(self) -> float:
        """Seconds left of this attempt."""
        return max(self.seconds - (monotonic() - self._began), 0.0)

    def failed(self, error: ToolUnreachable) -> ApplicationError:
        """Returns the error for Temporal after a failed attempt. It is retryable if another attempt
        may succeed and there is time for one, after the pause that the server asked for. Its first
        detail is the fault."""
        spent = self.before + monotonic() - self._began
        activity.heartbeat(spent)
        pause = error.after.total_seconds() if error.after else 0.0
        details = (error.fault, *error.details)
        if error.lasting or self._allowed - spent - pause < LEAST_SECONDS:
            return permanent(FailureType.TOOL_UNAVAILABLE, str(error), *details)
        return transient(
            FailureType.TOOL_UNAVAILABLE, str(error), *details, retry_after=error.after
        )


class ToolActivities:
    """Calls tools through the worker's MCP connections, each call once.

    `keeping` names the servers that cache files of their providers. Their first answer comes once
    these files are up to date.
    """

    def __init__(
        self, tools: ToolCaller, journal: EffectJournal, keeping: Sequence[str] = ()
    ) -> None:
        self._tools = tools
        self._journal = journal
        self._keeping = keeping
        self._settling: asyncio.Task[object] | None = None

    @activity.defn
    async def call_tool(self, request: ToolRequest) -> ToolResult:
        """Returns the tool's answer, as evidence. A refusal of the tool is a result as well.

        Several calls are each made, and recorded in the journal, as if alone. A call whose server
        could not be reached is then a result, which the workflow repeats alone.

        Raises:
            ApplicationError: `ToolUnavailable`, if the server could not be reached; retryable if
                another attempt may succeed and there is time for it. Its first detail is a
                `CallFault`.
        """
        attempt = CallAttempt(request.within)
        async with heartbeating(attempt.before):
            if not request.together:
                return await self._once(request.call, effect_key(), request, attempt)
            first, *others = await asyncio.gather(
                *(self._one_of_several(call, request, attempt) for call in request.calls)
            )
        return first.model_copy(update={"together": tuple(others)})

    @activity.defn
    async def list_tools(self, server: str) -> ToolListing:
        """Returns the tools that the server offers now. Not in the journal, because a listing has
        no effect.

        Raises:
            ApplicationError: `ToolUnavailable`, as for a call.
        """
        attempt = CallAttempt(None)
        async with heartbeating(attempt.before):
            try:
                tools = await self._tools.tools(server, timeout_seconds=attempt.seconds)
            except ToolUnreachable as error:
                raise attempt.failed(error) from None
        return ToolListing(server=server, tools=tools)

    @activity.defn
    async def reach(self, server: str) -> Reachability:
        """Returns whether a live source can be reached, as reported by its server within
        `ANSWER_SECONDS`.

        A server without a tool for this counts as reachable once it is connected. A server whose
        process is still starting is waited for as long as a start may take, because its tools would
        fail until then.

        A run calls this when it is planned. The answer comes once the servers' files are those that
        the run is to read, or when they have not arrived within `FRESH_SECONDS`.

        Raises:
            ApplicationError: `ToolUnavailable`, if the server could not be asked, or had not
                started in the attempt's time.
        """
        attempt, began = CallAttempt(None), monotonic()
        async with heartbeating():
            settling = self._settled(effect_key())
            try:
                return await self._reach(server, attempt)
            finally:
                waited = monotonic() - began
                await asyncio.wait({settling}, timeout=max(FRESH_SECONDS - waited, 0.0))

    async def _reach(self, server: str, attempt: CallAttempt) -> Reachability:
        try:
            reported = await self._reported_reach(server, attempt)
            if reported is None:
                await self._tools.tools(
                    server, timeout_seconds=max(attempt.left - ANSWER_SECONDS, LEAST_SECONDS)
                )
                reported = await self._reported_reach(server, attempt)
        except ToolUnreachable as error:
            raise permanent(FailureType.TOOL_UNAVAILABLE, str(error)) from None
        # A server that has started but is slow to report may be slow to answer calls too, but it
        # answers.
        return reported or Reachability(reachable=True)

    async def _reported_reach(self, server: str, attempt: CallAttempt) -> Reachability | None:
        """Returns the server's report, or None if it does not answer in time.

        Raises:
            ToolUnreachable: it could not be asked.
        """
        seconds = min(ANSWER_SECONDS, attempt.left)
        try:
            answer = await self._tools.call(_asking_reach(server, effect_key(), seconds))
        except ToolUnreachable as error:
            if error.fault is CallFault.TIMEOUT:
                return None
            raise
        try:
            return Reachability.model_validate(answer.content)
        except ValidationError:
            # A third-party server without this tool, or with a tool of this name that does
            # something else.
            return Reachability(reachable=True)

    def _settled(self, key: str) -> "asyncio.Task[object]":
        """Returns the task that asks every server that caches files. All waiting callers share it.
        It continues when they stop waiting, because a cancelled call closes its connection."""
        if self._settling is None or self._settling.done():
            self._settling = asyncio.create_task(self._settle(key))
        return self._settling

    async def _settle(self, key: str) -> None:
        calls = [
            self._tools.call(_asking_reach(server, f"{key}/{server}", SETTLING_SECONDS))
            for server in self._keeping
        ]
        # A refusal is an answer, and an unreachable server fails again when it is called.
        await asyncio.gather(*calls, return_exceptions=True)

    async def _one_of_several(
        self, call: ToolCall, request: ToolRequest, attempt: CallAttempt
    ) -> ToolResult:
        """Returns the result of one of several calls, under the journal key that the call would
        have alone, or a result with the error if it failed."""
        own = call_activity_id(_turn_of(activity.info().activity_id), call.own_id)
        try:
            return await self._once(call, effect_key(own), request, attempt)
        except ApplicationError as error:
            return ToolResult(
                call=call,
                status=ToolStatus.UNAVAILABLE,
                error=error.message[:4_000],
                fault=parse_fault(error).fault,
            )

    async def _once(
        self, call: ToolCall, key: str, request: ToolRequest, attempt: CallAttempt
    ) -> ToolResult:
        def made() -> Awaitable[ToolResult]:
            return self._call(call, key, request.as_of, attempt)

        return await once(self._journal, made, ToolResult, key=key)

    async def _call(
        self, call: ToolCall, key: str, as_of: datetime, attempt: CallAttempt
    ) -> ToolResult:
        with measured_call(call) as measure:
            answer = await self._answer(call, key, as_of, attempt)
            refused = answer.refusal is not None
            took = measure.answered(ToolStatus.REFUSED if refused else ToolStatus.OK)
        result = _evidence(call, as_of, answer)
        update = {"took": round(took, 3), "kept": answer.kept, "satisfies": is_answered(result)}
        return result.model_copy(update=update)

    async def _answer(
        self, call: ToolCall, key: str, as_of: datetime, attempt: CallAttempt
    ) -> ToolAnswer:
        arguments = {**call.arguments, "as_of": as_of.isoformat()}
        try:
            return await self._tools.call(
                ServerCall(call.server, call.tool, arguments, key, attempt.seconds)
            )
        except ToolUnreachable as error:
            raise attempt.failed(error) from None


def _asking_reach(server: str, key: str, seconds: float) -> ServerCall:
    return ServerCall(server, REACH_TOOL, {}, key, seconds)


def _turn_of(activity_id: str) -> str:
    """Returns the turn that an activity makes calls for."""
    parts = activity_id_parts(activity_id)
    return parts.turn_id if parts else activity_id


def _evidence(call: ToolCall, as_of: datetime, answer: ToolAnswer) -> ToolResult:
    now = datetime.now(UTC)
    if answer.refusal is not None:
        return ToolResult(
            call=call,
            status=ToolStatus.REFUSED,
            error=answer.refusal[:4_000],
            retrieved_at=now,
        )
    content = without_later(answer.content, as_of)
    result = ToolResult(
        call=call,
        status=ToolStatus.OK,
        content=content,
        retrieved_at=now,
        content_hash=content_hash(content),
        attribution=answer.attribution,
    )
    return _refused_if_later(result, as_of) if call.answer else result


def _refused_if_later(result: ToolResult, as_of: datetime) -> ToolResult:
    """Refuses an answer that its source dates after the as-of instant. Third-party servers do not
    know the instant."""
    when = publication_instant(result)
    if when is None or when <= as_of:
        return result
    update = {"status": ToolStatus.REFUSED, "error": LATER, "content": None, "content_hash": None}
    return result.model_copy(update=update)
