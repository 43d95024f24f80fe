"""Plays a tape: activities that return the recorded outcome instead of having an effect."""

import asyncio
import json
from collections.abc import Sequence
from typing import Final, TypeVar

from pydantic import BaseModel
from temporalio import activity
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from activities.effects import heartbeating
from activities.errors import permanent
from desk.contracts.agents.tools import Reachability, ToolListing, ToolRequest, ToolResult
from desk.contracts.findings.escalations import EscalationDecision, EscalationRequest
from desk.contracts.learning.lessons import Advice, Lesson, LessonSources
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import FailureType, id_within
from desk.contracts.runs.judgement import FindingsToJudge, JudgedFindings
from desk.contracts.runs.tape import Effect, TakeFailure, Tape
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.runs.week import RevisionHistory, RevisionQuery
from desk.programs.judging.findings import judged_findings
from desk.programs.turns import judged
from desk.runs.tapes import TakeKey, differing, digests_of, place_of

T = TypeVar("T", bound=BaseModel)

MOST_NAMED: Final = 12
"""The maximum number of places that a message lists."""


class TapePlayer:
    """A tape being played: what has been requested, and the first request that did not match.

    A workflow continues after a failed activity and would publish a report with a gap. `fault` is
    therefore set as well, and the caller stops playing the tape.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._takes = {place_of(take): take for take in tape.takes}
        self._unplayed = dict.fromkeys(self._takes)
        self.fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def holds(self, effect: Effect) -> bool:
        """Returns whether the tape has any effect of the kind. Older tapes lack kinds that were
        added later."""
        return any(place.effect is effect for place in self._takes)

    @property
    def unplayed(self) -> tuple[TakeKey, ...]:
        """The recorded effects that the run has not requested yet."""
        return tuple(self._unplayed)

    def play(self, effect: Effect, request: BaseModel | str, kind: type[T]) -> T:
        """Returns the recorded outcome of an effect.

        Raises:
            ApplicationError: the recorded failure, with the same words; or `TapeMismatch`, if the
                tape does not contain the effect or contains the answer to another request.
        """
        info = activity.info()
        try:
            path = id_within(info.workflow_id or "", self._tape.workflow_id)
        except ValueError as error:
            raise self.mismatch(str(error)) from None
        place = TakeKey(path, info.activity_id, effect)
        take = self._takes.get(place)
        if take is None:
            raise self.mismatch(f"the run asks for {place}; the tape holds {self._contents(path)}")
        if differs := differing(take.asked, digests_of(effect, request)):
            words = f"{place} asks something else than when it was recorded: {', '.join(differs)}"
            raise self.mismatch(f"{words} differ")
        self._unplayed.pop(place, None)
        if take.failure is not None:
            raise _error(take.failure)
        return kind.model_validate_json(json.dumps(take.result))

    def mismatch(self, words: str) -> ApplicationError:
        """Returns the error for a request that does not match the tape. The first one is stored as
        `fault`."""
        if not self.fault.done():
            self.fault.set_result(words)
        return permanent(FailureType.TAPE_MISMATCH, words)

    def _contents(self, path: str) -> str:
        """Describes what the tape has of a workflow, or else which workflows it has."""
        own = [f"{p.effect} {p.activity_id}" for p in self._takes if p.workflow == path]
        if own:
            return f"of {path or 'the run'} {_listed(own)}"
        return f"nothing of {path}, only of {_listed(sorted({p.workflow for p in self._takes}))}"


class TapedActivities:
    """The activities whose outcomes a tape contains, registered under the names of the real
    ones."""

    def __init__(self, player: TapePlayer) -> None:
        self._player = player

    @activity.defn
    async def take_turn(self, request: TurnRequest) -> Turn:
        """Returns the recorded turn. Raises as `TapePlayer.play`."""
        async with heartbeating():
            turn = self._player.play(Effect.TURN, request, Turn)
        # A tape may be older than judging.
        return turn if turn.judged else judged(turn, request)

    @activity.defn
    async def call_tool(self, request: ToolRequest) -> ToolResult:
        """Returns the recorded answer of the tool. Raises as `TapePlayer.play`."""
        async with heartbeating():
            return self._player.play(Effect.TOOL_CALL, request, ToolResult)

    @activity.defn
    async def list_tools(self, server: str) -> ToolListing:
        """Returns the recorded listing of the server. Raises as `TapePlayer.play`."""
        async with heartbeating():
            return self._player.play(Effect.TOOL_LISTING, server, ToolListing)

    @activity.defn
    async def reach(self, server: str) -> Reachability:
        """Returns whether the source could be reached, as recorded. Raises as `TapePlayer.play`."""
        async with heartbeating():
            if not self._player.holds(Effect.REACH):
                return Reachability(reachable=True)
            return self._player.play(Effect.REACH, server, Reachability)

    @activity.defn
    async def read_revisions(self, query: RevisionQuery) -> RevisionHistory:
        """Returns the recorded revisions of the week. Raises as `TapePlayer.play`."""
        async with heartbeating():
            return self._player.play(Effect.REVISIONS, query, RevisionHistory)

    @activity.defn
    async def decide_escalation(self, request: EscalationRequest) -> EscalationDecision:
        """Returns the recorded decision of the conflict. Raises as `TapePlayer.play`."""
        async with heartbeating():
            return self._player.play(Effect.DECISION, request, EscalationDecision)

    @activity.defn
    async def ask_learning(self, question: RecordQuery) -> Advice:
        """Returns the recorded advice. Raises as `TapePlayer.play`."""
        async with heartbeating():
            return self._player.play(Effect.ADVICE, question, Advice)

    @activity.defn
    async def judge_findings(self, asked: FindingsToJudge) -> JudgedFindings:
        """Returns the recorded conflicts. Raises as `TapePlayer.play`."""
        async with heartbeating():
            if not self._player.holds(Effect.JUDGEMENT):
                return judged_findings(asked)
            return self._player.play(Effect.JUDGEMENT, asked, JudgedFindings)

    @activity.defn
    async def tell_learning(self, lesson: Lesson, sources: LessonSources | None = None) -> None:
        """Does nothing: nothing is learned from a tape."""
        async with heartbeating():
            return

    @activity.defn(dynamic=True)
    async def any_other(self, arguments: Sequence[RawValue]) -> None:
        """Handles every other activity.

        Raises:
            ApplicationError: `TapeMismatch`, always: tapes do not contain such an effect.
        """
        async with heartbeating():
            raise self._player.mismatch(
                f"the run asks for the activity {activity.info().activity_type}, with "
                f"{len(arguments)} arguments, which tapes do not know"
            )


def _error(failure: TakeFailure) -> ApplicationError:
    """Returns the recorded failure, made non-retryable: its retries are on the tape as well."""
    error = ApplicationError(
        failure.message, *failure.details, type=failure.error_type, non_retryable=True
    )
    if failure.cause is not None:
        error.__cause__ = _error(failure.cause)
    return error


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name or "the run itself" for name in names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else shown
