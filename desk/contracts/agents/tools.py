"""A tool call, its result, and the parts of it that are stored as evidence."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, JsonValue

from desk.contracts.agents.capabilities import USUAL_CAPABILITY, Capability
from desk.contracts.base import Contract, Figure, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.names import CallFault

MAX_CALLS_A_TURN = 16

MOST_CALLS = 130
"""The maximum number of tool calls of one agent on a task."""

MOST_EVIDENCE = 400
"""The maximum number of tool results behind a market: those of three tasks."""

MOST_LOST = 40
"""The maximum number of tools that a node reports as lost."""

KEPT_ANSWER: Final = "research-desk/kept"
"""True in the metadata of an answer that one of the desk's servers gave from its cache."""

REACH_TOOL: Final = "check_reachable"
"""The tool of the desk's live servers that checks whether the provider can be reached."""

OFFLINE_FLAG: Final = "--offline"
"""The command line flag that makes a server of the desk fetch nothing."""

Seconds = Annotated[float, Field(ge=0.0)]


class SourceTier(StrEnum):
    """The tier of a source, which decides its weight in a vote."""

    AUTHORITATIVE = "authoritative"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    DERIVED = "derived"


GENERATED: Final = "Generated"
"""The prefix of the origin of generated facts, used for practice. After a colon the origin names
the generator and its seed."""


class Attribution(Contract):
    """The publisher of a server's answers and its tier. Taken from the desk's configuration, never
    from the server's own answers."""

    tier: SourceTier
    origin: ShortText


class ToolCall(Contract):
    """A tool call that an agent requests. `as_of` is not among the arguments: the desk adds it.

    With a `capability`, the call goes to the tool that this run routes the capability to, and the
    named tool is the default one; without, it goes to the named tool only. In a result, the call
    names the tool that was asked last, and carries the capability only if that is not the tool's
    default. `answer` is that of its `Route`.
    """

    call_id: ShortText
    server: ShortText
    tool: ShortText
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    capability: Annotated[Capability | None, Field(exclude_if=is_none)] = None
    answer: Annotated[dict[ShortText, ShortText], Field(max_length=20, exclude_if=is_empty)] = (
        Field(default_factory=dict)
    )

    @property
    def own_id(self) -> str:
        """The last part of the id, unique among the calls of its turn."""
        return self.call_id.rsplit("/", 1)[-1]


def capability_of(call: ToolCall) -> Capability | None:
    """Returns the capability that a call requests, or else its tool's default; None for any other
    tool."""
    return call.capability or USUAL_CAPABILITY.get((call.server, call.tool))


class ToolRequest(Contract):
    """A tool call with the instant after which no information may be used. `within` is the time
    limit for all attempts together; None in requests from before this limit existed. `together` are
    further calls of the turn that go to the same server in one request."""

    call: ToolCall
    as_of: Instant
    within: Annotated[timedelta | None, Field(gt=timedelta(0), exclude_if=is_none)] = None
    together: Annotated[
        tuple[ToolCall, ...], Field(max_length=MAX_CALLS_A_TURN, exclude_if=is_empty)
    ] = ()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls of the request, in order."""
        return (self.call, *self.together)


class ToolStatus(StrEnum):
    """How a tool call ended. `refused`: the tool rejected the request. `unavailable`: the tool
    could not be reached or did not answer."""

    OK = "ok"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"


class CallPlace(Contract):
    """The position of a call in Temporal's history.

    `event_id` is the event that scheduled the call. It is looked up when the report is published,
    and None when that history could not be read.
    """

    workflow_id: ShortText
    run_id: ShortText
    activity_id: ShortText
    event_id: int | None = None


class AskedBesides(Contract):
    """Another source that received the same question, and how that ended, in its own words. `fault`
    is that of `ToolResult`."""

    server: ShortText
    tool: ShortText
    status: ToolStatus
    words: Annotated[str, Field(max_length=300)] = ""
    fault: Annotated[CallFault | None, Field(exclude_if=is_none)] = None
    took: Annotated[Seconds | None, Field(exclude_if=is_none)] = None


class ToolResult(Contract):
    """A tool's result, as evidence.

    `content` is the tool's structured result when `status` is ok; otherwise it is None and `error`
    gives the reason. `content_hash` is the SHA-256 of the canonical JSON of `content`
    (`seal.content_hash`). `place` is None for calls that no workflow of the desk made.
    `in_place_of` names the source asked before and why it did not answer; `besides` are all other
    sources that were asked.

    `attribution` is set for a third-party server and for one whose publisher `.mcp.json` names;
    otherwise the content names its publisher. `fault` is why an `unavailable` call got no answer,
    as far as the source's worker knows. `took` is the duration of the attempt that was answered.
    `kept` says that the server answered from its cache, as far as it reports that. `cost_usd` is
    the call's share of the cost of the model's turn that requested it; None when that is zero.
    These last three differ from run to run and are in no report.

    `satisfies` is whether the answer is sufficient, as the source's worker judged it. Only the
    workflow that made the call reads it and drops it afterwards; None in results recorded before
    the field existed. The same holds for `together`, the results of the calls in the same request;
    those of them that are `unavailable` are retried one by one.
    """

    call: ToolCall
    status: ToolStatus
    content: JsonValue = None
    error: Text | None = None
    retrieved_at: Instant | None = None
    content_hash: ShortText | None = None
    place: CallPlace | None = None
    in_place_of: Annotated[Text | None, Field(exclude_if=is_none)] = None
    besides: Annotated[tuple[AskedBesides, ...], Field(max_length=4, exclude_if=is_empty)] = ()
    attribution: Annotated[Attribution | None, Field(exclude_if=is_none)] = None
    fault: Annotated[CallFault | None, Field(exclude_if=is_none)] = None
    took: Annotated[Seconds | None, Field(exclude_if=is_none)] = None
    kept: Annotated[bool, Field(exclude_if=is_empty)] = False
    cost_usd: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    satisfies: Annotated[bool | None, Field(exclude_if=is_none)] = None
    together: Annotated[
        tuple["ToolResult", ...], Field(max_length=MAX_CALLS_A_TURN, exclude_if=is_empty)
    ] = ()

    @property
    def each(self) -> tuple["ToolResult", ...]:
        """The results of all calls made together, as separate results in order."""
        return (self.model_copy(update={"together": ()}), *self.together)

    @property
    def evidence_id(self) -> str:
        """The id that claims refer to."""
        return self.call.call_id


class ToolSpec(Contract):
    """A tool as its server describes it. The description and the schema are the server's own.

    `capability` is the one in the tool's registration (its `_meta`); it only proposes a route.
    `last` means that the tool is described after the others, because no result of the agent has
    rested on one of its answers.
    """

    server: ShortText
    tool: ShortText
    description: Annotated[str, Field(max_length=4_000)] = ""
    input_schema: dict[str, JsonValue] = Field(default_factory=dict)
    capability: Annotated[Capability | None, Field(exclude_if=is_none)] = None
    last: Annotated[bool, Field(exclude_if=is_empty)] = False


Tools = Annotated[tuple[ToolSpec, ...], Field(max_length=400)]
"""Tools as their servers describe them."""

Openings = Annotated[
    dict[ShortText, Annotated[tuple[ToolCall, ...], Field(max_length=MAX_CALLS_A_TURN)]],
    Field(max_length=800),
]
"""The calls that tasks make before their first turn, by task id."""


class OpenCircuit(Contract):
    """A source that is not called for now: since when, after how many consecutive failures, the
    kind of the last one, and when the next attempt is made."""

    server: ShortText
    since: Instant
    next_try: Instant
    fault: CallFault
    failures: int


class SourceOutage(Contract):
    """A source that was not called for a while: since when, its fault at that time, and how many
    calls were skipped."""

    server: ShortText
    since: Instant
    fault: CallFault
    calls_not_made: int


class Reachability(Contract):
    """Whether a live server's provider can be reached.

    If not, `since` is the first attempt without an answer, when one was made, and `reason` says
    what happened to it. `answered_at` is the last known answer. If the provider can be reached,
    `silent` are the tools that still have nothing to answer from, and `reason` says why.
    """

    reachable: bool
    silent: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    since: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    reason: Annotated[Text | None, Field(exclude_if=is_none)] = None
    answered_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class UnreachableSource(Contract):
    """A live source that could not be reached for a run, or stopped answering during it.

    `unanswered` counts the questions without an answer. When it is 0, the source could not be
    reached when the run was planned, and was not offered to any agent. With `tools`, this applies
    to those tools alone and the source's others are offered. The other fields are those of
    `Reachability`.
    """

    server: ShortText
    tools: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    since: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    reason: Text
    answered_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    unanswered: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0

    def leaves_out(self, server: str, tool: str) -> bool:
        """Whether this outage excludes the given tool of the given server from the tools on
        offer."""
        return self.server == server and (not self.tools or tool in self.tools)

    @property
    def named(self) -> str:
        """The server, with the capabilities that have no answer: `cross_asset (yields)`."""
        asked = (str(USUAL_CAPABILITY.get((self.server, tool), tool)) for tool in self.tools)
        return f"{self.server} ({', '.join(asked)})" if self.tools else self.server


class ToolListing(Contract):
    """The tools of a server; `error` says why they could not be listed."""

    server: ShortText
    tools: Annotated[tuple[ToolSpec, ...], Field(max_length=200)] = ()
    error: Text | None = None


class DataSource(Contract):
    """A source as the report lists it: the tool, its arguments, the time and the publisher.

    `origin` is the first publisher of the figures. Two sources with the same origin count as one.
    """

    server: ShortText
    tool: ShortText
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    name: ShortText
    tier: SourceTier
    origin: ShortText | None = None
    url: Annotated[str, Field(max_length=500)] | None = None
    retrieved_at: Instant | None = None
    evidence_id: ShortText

    @property
    def generated(self) -> str | None:
        """The generator of its facts; None when they were published."""
        mark, _, generator = (self.origin or "").partition(": ")
        return generator if mark == GENERATED and generator else None
