"""A tool call, its result, and what is kept of it as evidence."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, JsonValue

from desk.contracts.agents.capabilities import USUAL_CAPABILITY, Capability
from desk.contracts.base import Contract, Figure, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.names import CallFault

MAX_CALLS_A_TURN = 16

MOST_CALLS = 130
"""Calls of tools that one agent can make on a task."""

MOST_EVIDENCE = 400
"""Tool results that a market can rest on: those of three tasks."""

MOST_LOST = 40
"""Tools that a node is told to have lost."""

KEPT_ANSWER: Final = "research-desk/kept"
"""True in the metadata of an answer for which a server of ours asked its source nothing anew."""

REACH_TOOL: Final = "check_reachable"
"""The tool of a live server of ours that says whether its provider can be reached."""

OFFLINE_FLAG: Final = "--offline"
"""What a server of ours is started with that fetches nothing."""

Seconds = Annotated[float, Field(ge=0.0)]


class SourceTier(StrEnum):
    """How much a source's word weighs."""

    AUTHORITATIVE = "authoritative"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    DERIVED = "derived"


GENERATED: Final = "Generated"
"""How the origin begins of facts that nobody published, as for practice; after a colon it says by
what, and with which seed, they were made."""


class Attribution(Contract):
    """Who published a server's answers, and how much that counts. It is taken from the desk's
    configuration, never from the server's own words."""

    tier: SourceTier
    origin: ShortText


class ToolCall(Contract):
    """What an agent asks for. `as_of` is not among the arguments: the desk adds it.

    With a `capability` it is answered by whoever has that in this run, and the tool named is the
    one that usually does; without, by the tool named and by no other. What a result names as its
    call is who was asked in the end; the capability stands there only where the tool is not one
    that usually has it. `answer` is that of its `Route`.
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
        """What tells it from the other calls of its turn."""
        return self.call_id.rsplit("/", 1)[-1]


def capability_of(call: ToolCall) -> Capability | None:
    """What a call asks for, or what its tool usually has; None for any other tool."""
    return call.capability or USUAL_CAPABILITY.get((call.server, call.tool))


class ToolRequest(Contract):
    """A tool call with the instant after which nothing may be seen. `within` is how long all tries
    at it may last together; None where it was asked before there was such a bound. `together` are
    further calls of the turn that are put to the same server with it."""

    call: ToolCall
    as_of: Instant
    within: Annotated[timedelta | None, Field(gt=timedelta(0), exclude_if=is_none)] = None
    together: Annotated[
        tuple[ToolCall, ...], Field(max_length=MAX_CALLS_A_TURN, exclude_if=is_empty)
    ] = ()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """All calls of it, in their order."""
        return (self.call, *self.together)


class ToolStatus(StrEnum):
    """How a tool call ended. `refused`: the tool said no. `unavailable`: it could not be asked."""

    OK = "ok"
    REFUSED = "refused"
    UNAVAILABLE = "unavailable"


class CallPlace(Contract):
    """Where a call stands in Temporal's history.

    `event_id` is the event with which the call was scheduled. It is looked up when the report is
    published, and None where that history could not be read any more.
    """

    workflow_id: ShortText
    run_id: ShortText
    activity_id: ShortText
    event_id: int | None = None


class AskedBesides(Contract):
    """Another source that was asked the same, and how that ended, in its own words. `fault` is that
    of `ToolResult`."""

    server: ShortText
    tool: ShortText
    status: ToolStatus
    words: Annotated[str, Field(max_length=300)] = ""
    fault: Annotated[CallFault | None, Field(exclude_if=is_none)] = None
    took: Annotated[Seconds | None, Field(exclude_if=is_none)] = None


class ToolResult(Contract):
    """What a tool returned, as evidence.

    `content` is the tool's structured result when `status` is ok, else None and `error` says why.
    `content_hash` is the SHA-256 of the canonical JSON of `content` (`seal.content_hash`).
    `place` is None for calls that no workflow of the desk made. `in_place_of` says who was asked
    before, and why they did not answer; `besides` are all others that were asked.

    `attribution` is set for a server that is not of this project, or of which `.mcp.json` says
    whose word it is; without it, whose word the content is stands in the content. `fault` is why a
    call that is `unavailable` had no answer, as far as the source's worker could say. `took` is how
    long the try that was answered lasted. `kept` says that the server needed no new question of its
    source, as far as it tells. `cost_usd` is its share of what the model's turn cost that asked;
    None where that is nothing. These three differ from run to run, and no report has them.

    `satisfies` is whether nobody else needs to be asked, as the source's worker judged it: for the
    workflow that asked, which hands it on to nobody. None in what was recorded before it. So are
    `together`, the results of the calls that were made with this one; what is `unavailable` among
    several is asked once more by itself.
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
        """The results of all calls that were made together, each by itself, in their order."""
        return (self.model_copy(update={"together": ()}), *self.together)

    @property
    def evidence_id(self) -> str:
        """What claims refer to."""
        return self.call.call_id


class ToolSpec(Contract):
    """A tool as its server describes it. The words and the schema are the server's own.

    `capability` is the one that the tool's registration names (in its `_meta`). It only proposes a
    route. `last`: the tool is described after the others, because the agent's results have rested
    on none of its answers.
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
"""What tasks ask before their first turn, by the ids of the tasks."""


class OpenCircuit(Contract):
    """A source that is not asked for the time being: since when, after how many failures in a row
    and of which kind the last was, and when a call tries again."""

    server: ShortText
    since: Instant
    next_try: Instant
    fault: CallFault
    failures: int


class SourceOutage(Contract):
    """A source that was not asked for a time: since when, what was wrong with it then, and how many
    calls were not made for it."""

    server: ShortText
    since: Instant
    fault: CallFault
    calls_not_made: int


class Reachability(Contract):
    """Whether what a live server fetches from can be reached.

    Where it cannot, `since` is the first try without an answer, where one was made, and `reason`
    says what became of it. `answered_at` is the last answer that is known of. Of one that can,
    `silent` are the tools that have nothing to answer from all the same, and `reason` says why.
    """

    reachable: bool
    silent: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    since: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    reason: Annotated[Text | None, Field(exclude_if=is_none)] = None
    answered_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class UnreachableSource(Contract):
    """A live source that could not be reached for a run, or stopped answering during it.

    With `unanswered` it was asked, and so many questions had no answer; without, it could not be
    reached when the run was planned, and was offered to nobody. With `tools` that holds of these
    alone, and the source's others are offered. The other fields are those of `Reachability`.
    """

    server: ShortText
    tools: Annotated[tuple[ShortText, ...], Field(max_length=20, exclude_if=is_empty)] = ()
    since: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    reason: Text
    answered_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None
    unanswered: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0

    def leaves_out(self, server: str, tool: str) -> bool:
        """Whether a tool of a server is offered to nobody for it."""
        return self.server == server and (not self.tools or tool in self.tools)

    @property
    def named(self) -> str:
        """The server, with what is asked of it that has no answer: `cross_asset (yields)`."""
        asked = (str(USUAL_CAPABILITY.get((self.server, tool), tool)) for tool in self.tools)
        return f"{self.server} ({', '.join(asked)})" if self.tools else self.server


class ToolListing(Contract):
    """What a server offers; `error` says why it could not be asked."""

    server: ShortText
    tools: Annotated[tuple[ToolSpec, ...], Field(max_length=200)] = ()
    error: Text | None = None


class DataSource(Contract):
    """A source as the report lists it: which tool was asked what, when, and by whose authority.

    `origin` is who first published the figures. Two sources with one origin are one witness.
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
        """By what its facts were made, where nobody published them."""
        mark, _, generator = (self.origin or "").partition(": ")
        return generator if mark == GENERATED and generator else None
