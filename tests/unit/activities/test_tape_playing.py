"""What a tape answers: the same as then to the same question, and an error to any other."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.taped import TapedActivities, TapePlayer
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import ToolListing, ToolSpec
from desk.contracts.learning.lessons import Advice
from desk.contracts.names import FailureType, id_within
from desk.contracts.runs.judgement import FindingsToJudge, JudgedFindings, Scope
from desk.contracts.runs.tape import Effect, Take, TakeFailure
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.runs.tapes import differing, digests_of
from tests.support.runs.learning import as_of, lesson, question
from tests.support.runs.tapes import ASKED_AT, MARKET_RUN, RUN, TURN, take, tape, turn_request
from workflows.engine.options import cause

T = TypeVar("T")


async def asked(
    played: Callable[..., Awaitable[T]],
    request: object,
    workflow_id: str = MARKET_RUN,
    activity_id: str = TURN,
) -> T:
    environment = ActivityEnvironment()
    environment.info = replace(
        environment.info, workflow_id=workflow_id, activity_id=activity_id, activity_type="other"
    )
    answer: T = await environment.run(played, request)
    return answer


async def refused(*takes: Take, **place: Any) -> tuple[TapePlayer, ApplicationError]:
    """How the second turn is refused, by a tape with other takes."""
    player = TapePlayer(tape(*takes))
    with pytest.raises(ApplicationError) as error:
        await asked(TapedActivities(player).take_turn, turn_request(), **place)
    return player, error.value


async def test_the_turn_comes_back_with_what_was_said_and_what_it_cost() -> None:
    said = [{"type": "text", "text": "Yen."}, {"type": "tool_use", "id": "x", "input": {"n": 0.1}}]
    usage = {"input_tokens": 900, "cost_usd": "0.00720", "model": "claude-opus-5-5"}
    recorded = Turn.model_validate({"said": said, "usage": usage, "note": "as ever"})
    player = TapePlayer(tape(take(result=recorded.model_dump(mode="json"))))
    assert await asked(TapedActivities(player).take_turn, turn_request()) == recorded
    assert player.unplayed == ()
    assert not player.fault.done()


async def test_a_second_attempt_is_answered_as_the_first() -> None:
    player = TapePlayer(tape())
    played = TapedActivities(player).take_turn
    first = await asked(played, turn_request())
    assert await asked(played, turn_request()) == first


async def test_another_run_at_another_time_asks_the_same() -> None:
    later = turn_request(
        deadline=ASKED_AT + timedelta(days=9),
        asked_at=ASKED_AT + timedelta(days=9),
        run_id="run-2",
    )
    answer = await asked(TapedActivities(TapePlayer(tape())).take_turn, later)
    assert answer.note == "as ever"


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (turn_request(level="157.26"), "exchanges"),
        (turn_request(model="claude-opus-5-5"), "model"),
        (turn_request(feedback="Too long."), "objection"),
    ],
)
async def test_a_changed_request_is_not_answered(request_: TurnRequest, field: str) -> None:
    player = TapePlayer(tape())
    with pytest.raises(ApplicationError, match=f"{TURN} of market/USD/JPY .*: {field} differ") as e:
        await asked(TapedActivities(player).take_turn, request_)
    assert e.value.non_retryable
    assert e.value.type == FailureType.TAPE_MISMATCH
    assert field in player.fault.result()


async def test_a_missing_take_is_named_with_what_the_tape_holds() -> None:
    player, error = await refused(take(activity_id="validator_agent.validate.t1"))
    assert error.non_retryable
    assert error.type == FailureType.TAPE_MISMATCH
    assert f"take_turn {TURN} of market/USD/JPY" in error.message
    assert "take_turn validator_agent.validate.t1" in error.message
    assert player.fault.result() == error.message
    assert len(player.unplayed) == 1


async def test_a_market_of_which_the_tape_has_nothing_is_named() -> None:
    _, error = await refused(workflow_id=f"{RUN}/market/EUR/USD")
    assert "nothing of market/EUR/USD, only of market/USD/JPY" in error.message


async def test_a_workflow_of_another_run_is_not_answered() -> None:
    _, error = await refused(workflow_id=f"{RUN}-usdjpy/market/USD/JPY")
    assert error.type == FailureType.TAPE_MISMATCH


async def test_a_turn_does_not_answer_for_a_tool_call() -> None:
    _, error = await refused(take(effect=Effect.TOOL_CALL))
    assert error.type == FailureType.TAPE_MISMATCH


async def test_a_failure_is_the_same_failure_and_final() -> None:
    failure = TakeFailure(
        message="busy",
        error_type="TurnFailed",
        details=("a", {"b": 1}),
        cause=TakeFailure(message="activity StartToClose timeout"),
    )
    player, error = await refused(take(result=None, failure=failure))
    assert (error.message, error.type, error.non_retryable) == ("busy", "TurnFailed", True)
    assert error.details == ("a", {"b": 1})
    assert cause(error) == "activity StartToClose timeout"
    assert not player.fault.done()
    assert player.unplayed == ()


async def test_what_a_server_offered_comes_back() -> None:
    listing = ToolListing(server="ecb", tools=(ToolSpec(server="ecb", tool="get_quote"),))
    listed = Take(
        workflow="",
        activity_id="tools.ecb",
        effect=Effect.TOOL_LISTING,
        asked=digests_of(Effect.TOOL_LISTING, "ecb"),
        result=listing.model_dump(mode="json"),
    )
    played = TapedActivities(TapePlayer(tape(listed))).list_tools
    assert await asked(played, "ecb", RUN, "tools.ecb") == listing
    with pytest.raises(ApplicationError, match="request differ"):
        await asked(played, "newspaper", RUN, "tools.ecb")


async def test_an_activity_that_tapes_do_not_know_is_named() -> None:
    player = TapePlayer(tape())
    with pytest.raises(ApplicationError, match="activity other"):
        await asked(TapedActivities(player).any_other, [])
    assert player.fault.done()


class Longer(TurnRequest):
    """A request of a later version."""

    colour: str = "red"


def test_a_field_that_requests_gain_later_does_not_make_them_others() -> None:
    longer = Longer.model_validate(turn_request().model_dump())
    recorded = digests_of(Effect.TURN, turn_request())
    assert differing(recorded, digests_of(Effect.TURN, longer)) == ()
    green = longer.model_copy(update={"colour": "green"})
    assert differing(recorded, digests_of(Effect.TURN, green)) == ("colour",)


def test_a_path_is_told_within_its_run_only() -> None:
    assert id_within(RUN, RUN) == ""
    assert id_within(MARKET_RUN, RUN) == "market/USD/JPY"
    with pytest.raises(ValueError, match="no workflow of the run"):
        id_within(f"{RUN}-usdjpy/market/USD/JPY", RUN)


async def test_what_the_record_said_is_said_again_and_nothing_is_told_to_it() -> None:
    said = Advice(as_of=as_of(3), weeks=2)
    asking = question(3)
    recorded = Take(
        workflow="",
        activity_id="ask_learning",
        effect=Effect.ADVICE,
        asked=digests_of(Effect.ADVICE, asking),
        result=said.model_dump(mode="json"),
    )
    player = TapePlayer(tape(recorded))
    played = TapedActivities(player)
    later = question(3, asked_at=as_of(9))
    assert await asked(played.ask_learning, later, RUN, "ask_learning") == said
    await asked(played.tell_learning, lesson(3), RUN, "tell_learning.r1")
    assert player.unplayed == ()
    with pytest.raises(ApplicationError, match="call_seconds"):
        await asked(played.ask_learning, question(3, call_seconds=1.0), RUN, "ask_learning")


async def test_what_was_held_of_the_findings_is_held_again() -> None:
    asking = FindingsToJudge(scope=Scope.ACROSS_MARKETS, outcomes=(), voting=VotingConfig())
    failed = Take(
        workflow="",
        activity_id="judge.across_markets.r1",
        effect=Effect.JUDGEMENT,
        asked=digests_of(Effect.JUDGEMENT, asking),
        failure=TakeFailure(message="it was not"),
    )
    played = TapedActivities(TapePlayer(tape(failed)))
    with pytest.raises(ApplicationError, match="it was not"):
        await asked(played.judge_findings, asking, RUN, failed.activity_id)
    older = TapedActivities(TapePlayer(tape()))
    assert await asked(older.judge_findings, asking, RUN, failed.activity_id) == JudgedFindings()
